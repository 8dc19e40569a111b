"""Tables in Parquet through one call: columns, groups, engines, and what is refused."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import metra
from metra.errors import LengthError, OptionError, UnknownNameError
from metra.scoring.evaluate import ScoringRequest, evaluate_files, make_metrics
from metra.scoring.files import CorpusFiles
from metra.scoring.tables import score_table


@pytest.fixture
def path(tmp_path) -> str:
    columns = {"mt": ["a cat", "a dog"], "ref": ["the cat", "a dog"], "lp": ["x", "y"]}
    place = tmp_path / "t.parquet"
    pq.write_table(pa.table(columns), place)
    return str(place)


def test_columns_groups_and_progress(path):
    told = []
    results = score_table(
        [path],
        ["chrf"],
        hypothesis={"ours": "mt"},
        group_by=["lp"],
        progress=lambda done, share: told.append((done, share)),
    )
    assert [group.key for group in results.groups] == [{"lp": "x"}, {"lp": "y"}]
    assert results["ours"]["chrf"].score < 100
    assert told == [(2, 1.0)]


@pytest.mark.parametrize(("system", "expected"), [(None, "t"), ("ours", "ours")])
def test_a_lone_column_of_outputs_is_named(path, system, expected):
    table = pq.read_table(path).rename_columns(["hyp", "ref", "lp"])
    pq.write_table(table, path)
    (entry,) = score_table([path], ["bleu"], system=system).systems
    assert entry.name == expected


def test_an_engine_that_is_not_known(path):
    with pytest.raises(UnknownNameError, match="No engine named 'sparc'"):
        score_table([path], ["bleu"], engine="sparc")


def test_files_that_are_no_table(tmp_path):
    place = tmp_path / "a.txt"
    place.write_text("a b\n", encoding="utf-8")
    files = CorpusFiles([str(place)], [str(place)])
    request = ScoringRequest(files, make_metrics(["bleu"]), resume="kept")
    with pytest.raises(OptionError, match="`scores_out` and `resume` need"):
        evaluate_files(request)


def test_files_are_scored_as_in_memory(tmp_path):
    place = tmp_path / "a.txt"
    place.write_text("a b c d e\n", encoding="utf-8")
    told = []
    files = CorpusFiles([str(place)], [str(place)])
    request = ScoringRequest(files, make_metrics(["bleu"]))
    results = evaluate_files(request, lambda done, share: told.append((done, share)))
    assert results["a"]["bleu"].score == 100
    assert told == [(1, 1.0)]


def test_groups_have_scores_of_systems_only():
    with pytest.raises(OptionError, match="`group_by` gives system scores only"):
        metra.evaluate(
            metra.EvalSet(["a b", "c"]),
            {"x": ["a b", "c"]},
            ["bleu"],
            levels=["segment"],
            group_by={"lp": ["p", "q"]},
        )


def test_labels_are_as_many_as_outputs():
    with pytest.raises(LengthError, match="labels 'lp'"):
        metra.evaluate(
            metra.EvalSet(["a", "b"]), {"x": ["a", "b"]}, ["bleu"], group_by={"lp": "p"}
        )
