"""Shards on one machine: groups, scores written back, resuming, and what can go wrong."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import get_ident

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.patience import PATIENCE

import metra
from metra.errors import FormatError, MetraError, OptionError
from metra.scoring.executors import local
from metra.scoring.plan import ScoringPlan

WORDS = "the a cat dog sat on mat , . house very big é 日本 «x»"


def table(rows: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    words = WORDS.split(" ")

    def text() -> str:
        return " ".join(rng.choice(words, rng.integers(1, 12)))

    refs = [text() for _ in range(rows)]
    return pa.table(
        {
            "hyp": [ref if rng.random() < 0.3 else text() for ref in refs],
            "ref": refs,
            "part": rng.choice(["en-de", "fr-de"], rows).tolist(),
            "doc": [f"{seed}-{at // 3}" for at in range(rows)],
            "tags": [["x"]] * rows,
        }
    )


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    """Three files of one table, with row groups of a few hundred rows."""
    paths = []
    for seed, rows in enumerate((700, 1, 1300)):
        path = tmp_path / f"part-{seed}.parquet"
        pq.write_table(table(rows, seed), path, row_group_size=300)
        paths.append(path)
    return paths


def rows_of(paths: list[Path]) -> dict[str, list]:
    return pa.concat_tables([pq.read_table(path) for path in paths]).to_pydict()


PLAN = ScoringPlan(
    metrics=("bleu", "chrf", "nist", "ltv"),
    outputs=(("A", "hyp"),),
    references=("ref",),
    documents="doc",
    group_by=("part",),
)


def score(paths: list[Path], plan: ScoringPlan = PLAN, **options: object):
    return local.score_files([str(path) for path in paths], plan, **options)


def test_order_and_number_of_threads_change_no_digit(shards, monkeypatch):
    expected = score(shards)
    monkeypatch.setenv("METRA_THREADS", "1")
    assert score(shards) == expected
    monkeypatch.setenv("METRA_THREADS", "3")
    assert score(shards[::-1]) == expected


def test_scores_are_written_back(shards, tmp_path):
    out = tmp_path / "scored"
    plan = replace(PLAN, segments=True)
    assert score(shards, plan, scores_out=str(out)) == score(shards)
    assert sorted(path.name for path in out.iterdir()) == [path.name for path in shards]
    rows = rows_of(shards)
    found = rows_of(sorted(out.iterdir()))
    assert {name: found[name] for name in rows} == rows
    evalset = metra.EvalSet([rows["ref"]], documents=rows["doc"])
    expected = metra.evaluate(
        evalset, {"A": rows["hyp"]}, list(PLAN.metrics), levels=["segment"]
    )
    for spec in PLAN.metrics:
        scores = expected["A"][spec].segments
        np.testing.assert_allclose(found[f"{spec}/A"], scores, atol=1e-9)
    metadata = pq.read_schema(out / shards[0].name).metadata
    signatures = json.loads(metadata[b"metra.signatures"])
    assert signatures["bleu/A"].startswith("bleu|")
    assert "eff:yes" in signatures["bleu/A"]


def test_what_is_read_is_never_written_over(shards, tmp_path):
    plan = replace(PLAN, segments=True, metrics=("bleu",))
    with pytest.raises(OptionError, match=r"would overwrite .*part-0.parquet"):
        score(shards, plan, scores_out=str(tmp_path))
    other = tmp_path / "other" / "part-0.parquet"
    other.parent.mkdir()
    other.write_bytes(shards[0].read_bytes())
    with pytest.raises(OptionError, match=r"Two files are named part-0.parquet"):
        score([shards[0], other], plan, scores_out=str(tmp_path / "out"))


class Counted:
    """How many rows were counted, by watching the progress."""

    def __init__(self) -> None:
        self.rows = 0
        self.share = 0.0

    def __call__(self, done: int, share: float) -> None:
        self.rows, self.share = done, share


def test_finished_shards_are_not_scored_again(shards, tmp_path):
    kept = tmp_path / "kept"
    plan = replace(PLAN, metrics=("bleu", "chrf"))
    first, second, third = Counted(), Counted(), Counted()
    expected = score(shards, plan)
    assert score(shards[:2], plan, resume=str(kept), progress=first).segments == 701
    assert first.rows == 701
    assert score(shards, plan, resume=str(kept), progress=second) == expected
    assert (second.rows, second.share) == (1300, 1.0)
    assert score(shards, plan, resume=str(kept), progress=third) == expected
    assert third.rows == 0


CHANGES = [
    pytest.param({"metrics": ("bleu:tok=intl",)}, 2001, id="another option"),
    pytest.param({"group_by": ()}, 2001, id="other groups"),
    pytest.param({}, 0, id="nothing"),
]


@pytest.mark.parametrize(("changed", "counted"), CHANGES)
def test_another_plan_does_not_use_what_is_kept(shards, tmp_path, changed, counted):
    kept = str(tmp_path / "kept")
    plan = replace(PLAN, metrics=("bleu",))
    other, watched = replace(plan, **changed), Counted()
    score(shards, plan, resume=kept)
    found = score(shards, other, resume=kept, progress=watched)
    assert watched.rows == counted
    assert found == score(shards, other)


@pytest.mark.parametrize(("metrics", "counted"), [(("bleu",), 50), (("nist",), 4100)])
def test_another_shard_does_not_use_what_is_kept(shards, tmp_path, metrics, counted):
    """For weights, all other shards are counted anew as well."""
    kept, plan = str(tmp_path / "kept"), replace(PLAN, metrics=metrics)
    score(shards, plan, resume=kept)
    pq.write_table(table(50, 9), shards[1])
    watched = Counted()
    found = score(shards, plan, resume=kept, progress=watched)
    assert watched.rows == counted
    assert found == score(shards, plan)


@pytest.fixture
def small_spans(monkeypatch):
    """Read row groups by themselves however small they are."""
    monkeypatch.setattr(local.parquet, "LEAST_SPAN", 1)
    monkeypatch.setattr(local.parquet, "_FOOTER_ROWS", 0)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.usefixtures("small_spans")
def test_row_groups_are_read_on_all_threads(shards, monkeypatch, threads):
    expected = score(shards)
    names, readers = [], set()
    batches = local.parquet.read_batches

    def watched(path, columns, row_groups=None):
        names.append((Path(path).name, row_groups))
        for batch in batches(path, columns, row_groups):
            readers.add(get_ident())
            time.sleep(0.01)
            yield batch

    monkeypatch.setenv("METRA_THREADS", str(threads))
    monkeypatch.setattr(local.parquet, "read_batches", watched)
    plan = replace(PLAN, metrics=("bleu", "ter"))
    found = score(shards, plan)
    assert [(g.key, g.segments) for g in found.groups] == [
        (g.key, g.segments) for g in expected.groups
    ]
    assert found["A"]["bleu"] == expected["A"]["bleu"]
    for mine, other in zip(found.groups, expected.groups, strict=True):
        assert mine.systems[0].scores["bleu"] == other.systems[0].scores["bleu"]
    files = [f"part-{number}.parquet" for number in range(3)]
    assert sorted(names, key=str) == [
        (name, range(at, at + 1))
        for name, count in zip(files, (3, 1, 5), strict=True)
        for at in range(count)
    ]
    assert len(readers) == threads


@pytest.mark.usefixtures("small_spans")
def test_a_null_is_found_in_its_row_of_the_file_on_all_threads(tmp_path, monkeypatch):
    monkeypatch.setenv("METRA_THREADS", "2")
    for number in range(2):
        rows = table(900, number).to_pydict()
        rows["hyp"][750] = rows["hyp"][800] = None
        path = tmp_path / f"{number}.parquet"
        pq.write_table(pa.table(rows), path, row_group_size=300)
    plan = ScoringPlan(metrics=("bleu",), outputs=(("A", "hyp"),), references=("ref",))
    with pytest.raises(MetraError, match=r"Row 751 of .*0\.parquet is null"):
        score([tmp_path / "0.parquet", tmp_path / "1.parquet"], plan)


def test_groups_are_a_sequence_in_the_order_of_their_keys(shards):
    groups = score(shards).groups
    assert [group.key["part"] for group in groups] == ["en-de", "fr-de"]
    assert groups[-1] == groups[1] == [*groups][1] != groups[0]
    assert groups[:1] == [groups[0]]
    assert groups == [*groups]
    assert groups != [groups[1], groups[0]]
    with pytest.raises(IndexError):
        groups[2]


def test_weights_of_the_whole_corpus_make_all_shards_new(shards, tmp_path):
    kept = str(tmp_path / "kept")
    score(shards[:2], PLAN, resume=kept)
    watched = Counted()
    assert score(shards, PLAN, resume=kept, progress=watched) == score(shards)
    # Once for each of two measures of two passes, and once for all measures.
    assert (watched.rows, watched.share) == (3 * 2001, 1.0)


def test_scores_that_are_gone_are_written_again(shards, tmp_path):
    kept, out = str(tmp_path / "kept"), tmp_path / "out"
    plan = replace(PLAN, metrics=("bleu",), segments=True)
    score(shards, plan, resume=kept, scores_out=str(out))
    (out / "part-1.parquet").unlink()
    (out / "part-0.parquet").write_bytes(b"PAR1 something else")
    watched = Counted()
    score(shards, plan, resume=kept, scores_out=str(out), progress=watched)
    assert watched.rows == 701
    assert pq.read_table(out / "part-0.parquet").num_rows == 700


def test_kept_totals_that_are_damaged_are_refused(shards, tmp_path):
    kept = tmp_path / "kept"
    plan = replace(PLAN, metrics=("bleu",))
    score(shards, plan, resume=str(kept))
    first = sorted(kept.iterdir())[0]
    content = first.read_bytes()
    first.write_bytes(content[: len(content) // 2])
    with pytest.raises(FormatError, match=r"part-0-.*\.totals is damaged; delete it"):
        score(shards, plan, resume=str(kept))


# What is left of the first of three files.
DAMAGE = {
    "garbage": lambda _: b"garbage" * 999,
    "empty": lambda _: b"",
    "magic only": lambda _: b"PAR1",
    **{
        f"cut at {at}": lambda content, at=at: content[:at]
        for at in (-1, -9, 9999, 100)
    },
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_files_that_are_no_parquet_or_break_off(shards, damage):
    shards[0].write_bytes(DAMAGE[damage](shards[0].read_bytes()))
    with pytest.raises(FormatError, match=r"part-0.parquet is damaged, truncated or"):
        score(shards)


def test_pages_that_are_damaged_inside(shards, tmp_path):
    # The footer is whole, so that it shows only when the rows are read.
    kept = str(tmp_path / "kept")
    content = bytearray(shards[2].read_bytes())
    content[1000:30000] = os.urandom(29000)
    shards[2].write_bytes(content)
    plan = replace(PLAN, metrics=("bleu",))
    with pytest.raises(MetraError, match=r"part-2.parquet") as found:
        score(shards, plan, resume=kept)
    assert "Of the files, 2 of 3 are finished and stored in" in str(found.value)
    assert "run the same command to resume." in str(found.value)


def test_a_column_that_a_later_shard_lacks(shards):
    pq.write_table(table(5).drop_columns(["ref"]), shards[2])
    watched = Counted()
    with pytest.raises(FormatError, match=r"part-2.parquet has no column 'ref'"):
        score(shards, progress=watched)
    assert watched.rows == 0  # it is found before the work begins


def test_a_column_of_another_type(shards):
    changed = table(5).drop_columns(["ref"]).append_column("ref", pa.array(range(5)))
    pq.write_table(changed, shards[2])
    with pytest.raises(FormatError, match="'ref' of type int64, where texts are exp"):
        score(shards)
    with pytest.raises(FormatError, match=r"'tags' of type list<.*, where texts are"):
        score(shards, replace(PLAN, references=("tags",)))


def test_files_without_rows(shards):
    pq.write_table(table(0), shards[1])
    expected = score([shards[0], shards[2]])
    assert score(shards) == expected
    with pytest.raises(MetraError, match="The table has no rows"):
        score([shards[1]], replace(PLAN, metrics=("bleu",)))


FULL = """
import resource, sys
from metra.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
main()
"""


def test_a_full_disk_leaves_what_is_whole(shards, tmp_path):
    out, kept = tmp_path / "out", tmp_path / "kept"
    shards = [shards[1], shards[0], shards[2]]  # the small one first
    command = [
        *("score", *map(str, shards), "--read", "hyp=A=hyp"),
        *("--scores-out", str(out), "--resume", str(kept)),
    ]
    done = subprocess.run(
        [sys.executable, "-c", FULL, *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "part-0.parquet cannot be written: File too large" in done.stderr
    assert "Of the files, 1 of 3 are finished and stored in" in done.stderr
    assert [path.name for path in out.iterdir()] == ["part-1.parquet"]
    assert len(list(kept.iterdir())) == 1
    assert pq.read_table(out / "part-1.parquet").num_rows == 1
    again = subprocess.run(
        [sys.executable, "-m", "metra", *command, "--format", "json"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(again.stdout)["systems"][0]["scores"]["bleu"]["score"]
    plan = replace(PLAN, metrics=("bleu",), group_by=())
    assert found == score(shards, plan)["A"]["bleu"].score


SLOW = """
import sys, time
import metra.scoring.executors.local as local
from metra.cli import main

counted = local.count_pieces
def slowly(rows, *rest, **options):
    if rows.num_rows > 1:
        print("ready", file=sys.stderr, flush=True)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            time.sleep(0.05)
    return counted(rows, *rest, **options)
local.count_pieces = slowly
main()
"""


@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_says_what_is_kept_and_how_to_go_on(shards, tmp_path, threads):
    kept = tmp_path / "kept"
    shards = [shards[1], shards[0]]
    command = ["score", *map(str, shards), "--read", "hyp=hyp", "--resume", str(kept)]
    running = subprocess.Popen(
        [sys.executable, "-c", SLOW, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"METRA_THREADS": threads},
    )
    assert running.stderr is not None
    # A warning about the words, which are made up, comes first.
    assert "ready\n" in iter(running.stderr.readline, "")
    time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert out == ""
    assert err.strip() == (
        f"metra: interrupted; of the files, 1 of 2 are finished and stored in {kept}; "
        "run the same command to resume."
    )
    assert [path.suffix for path in kept.iterdir()] == [".totals"]
