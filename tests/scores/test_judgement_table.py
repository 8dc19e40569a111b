"""Judgements are read as they stand, or refused with the place and the remedy."""

import pytest
from tests.judged import read_question

from metra.errors import MetraError
from metra.scores.table import ScoredItem
from metra.stats.direction import LOWER

HEADER = "system\tsegment\tscore"


def test_columns_may_come_in_any_order(write):
    path = write("j.tsv", ["score\tjudge\tsegment\tsystem", "4.5\tann\t2\tsysA"])
    scores = read_question(str(path))
    assert (scores.systems, scores.judges) == (("sysA",), ("ann",))
    assert scores.items == (ScoredItem("2"),)
    assert (scores.value.tolist(), scores.line.tolist()) == ([4.5], [2])


def test_long_files_keep_their_line_numbers(write):
    rows = [f"s\t{at}\t{at}" for at in range(1, 9001)]
    scores = read_question(str(write("j.tsv", [HEADER, *rows])))
    assert scores.line.tolist() == list(range(2, 9002))
    assert scores.items[scores.item[-1]].segment == "9000"


def test_other_columns_and_missing_cells_do_not_matter(write):
    rows = ["a\t1\t5\t9", "a\t2\tNaN\t9", "b\t1\t\t9"]
    scores = read_question(str(write("j.tsv", [f"{HEADER}\tminutes", *rows])))
    assert (scores.value.tolist(), scores.line.tolist()) == ([5], [2])


def test_values_keep_their_unit_and_direction(write):
    rows = ["system\tsegment\tscorer\tkind\tvalue\thigher_is_better\thundred"]
    path = write("j.tsv", [*rows, "a\t1\tmqm\tmqm\t5\tfalse\t80"])
    scores = read_question(str(path))
    assert (scores.value.tolist(), scores.hundred.tolist()) == ([5], [80])
    assert scores.scorers[0].direction == LOWER


WRONG = {
    "empty file": ([], "is empty; expected scores"),
    "no segment": (["system\tscore", "a\t1"], "judges whole systems; expected"),
    "twice": ([f"{HEADER}\tscore", "a\t1\t1\t1"], "two columns score"),
    "header only": ([HEADER], "has a header but no scores"),
    "short": ([HEADER, "a\t1"], "line 2 has 2 columns but the header has 3"),
    "segment 0": ([HEADER, "a\t0\t1"], "calls a segment '0'"),
    "many": ([HEADER, f"a\t{10**15}\t1"], "refers to segment 1000000000"),
    "segment x": ([HEADER, "a\tx\t1"], "calls a segment 'x'"),
    "a digit that is none": ([HEADER, "a\t²\t1"], "calls a segment '²'"),
    "words": ([HEADER, "a\t1\t2", "a\t2\tgood"], "line 3: score is 'good'"),
    "only NaN": ([HEADER, "a\t1\tnan"], "no column of numbers among system"),
    "a column for each system": (
        ["segment\tA\tB", "1\t5\t6"],
        "columns segment, A, B, but none for the system; if each column is a system",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said(write, case):
    lines, message = WRONG[case]
    with pytest.raises(MetraError, match=message):
        read_question(str(write("j.tsv", lines)))
