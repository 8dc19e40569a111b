"""Scoring on Dask: the same digits, whoever runs the tasks."""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("dask", reason="needs dask: metra[dask]")

from metra.errors import FormatError, MissingResourceError
from metra.scoring.executors import frames as engine
from metra.scoring.executors import local
from metra.scoring.plan import ScoringPlan

PLAN = ScoringPlan(
    metrics=("bleu", "nist", "ltv", "ter"),
    outputs=(("A", "hyp"),),
    references=("ref",),
    documents="doc",
    group_by=("lp",),
)


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """More files than one task adds up; the first has no rows."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(5)
    words = np.array([*"abcdefgh", "é", "日本"])
    for at in range(engine.FAN + 2):
        texts = [" ".join(rng.choice(words, 8)) for _ in range(2 * at)]
        docs = [f"d{at}"] * at
        if at == 3:  # a document whose references have no word
            texts[at:] = [""] * at
        groups = (["x", "y", None] * at)[:at]
        columns = {"hyp": texts[:at], "ref": texts[at:], "doc": docs, "lp": groups}
        arrays = {name: pa.array(col, pa.string()) for name, col in columns.items()}
        pq.write_table(pa.table(arrays), folder / f"{at:02}.parquet")
    return sorted(map(str, folder.iterdir()))


@pytest.mark.parametrize("scheduler", ["threads", "processes", "synchronous"])
def test_the_digits_are_those_of_this_machine(paths, scheduler):
    expected = local.score_files(paths, PLAN)
    assert engine.score_files(paths, PLAN, scheduler=scheduler) == expected
    assert expected.groups is not None
    assert len(expected.groups) == 3


def test_a_damaged_file_is_named(paths, tmp_path):
    broken = tmp_path / "broken.parquet"
    content = bytearray(Path(paths[-1]).read_bytes())
    content[4:60] = bytes(56)
    broken.write_bytes(content)
    with pytest.raises(FormatError, match=r"broken\.parquet is damaged"):
        engine.score_files([*paths, str(broken)], PLAN, scheduler="synchronous")


def test_a_column_that_is_not_there_is_refused_before_any_work(paths):
    plan = ScoringPlan(metrics=("bleu",), outputs=(("A", "hyp"),), references=("reff",))
    with pytest.raises(FormatError, match=r"no column 'reff'\. Did you mean 'ref'"):
        engine.score_files(paths, plan)


def test_without_dask_it_is_said_how_to_get_it(paths, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(MissingResourceError, match=r"pip install '\.\[dask\]'"):
        engine.score_files(paths, PLAN)
