"""Judgements are read as they stand, or refused with the line and the remedy."""

import pytest

from metra.errors import FormatError
from metra.formats.recognise import FileHead
from metra.scores.judgement_table import (
    is_judgement_table,
    read_judgement_table,
)
from metra.scores.table import ScoredItem

HEADER = "system\tsegment\tscore"


def test_columns_may_come_in_any_order(write):
    path = write("j.tsv", ["score\tjudge\tsegment\tsystem", "4.5\tann\t2\tsysA"])
    scores = read_judgement_table(str(path))
    assert (scores.systems, scores.judges) == (("sysA",), ("ann",))
    assert scores.items == (ScoredItem("2"),)
    assert (scores.value.tolist(), scores.line.tolist()) == ([4.5], [2])


def test_long_files_keep_their_line_numbers(write):
    rows = [f"s\t{at}\t{at}" for at in range(1, 9001)]
    scores = read_judgement_table(str(write("j.tsv", [HEADER, *rows])))
    assert scores.line.tolist() == list(range(2, 9002))
    assert scores.items[scores.item[-1]].segment == "9000"


@pytest.mark.parametrize(
    ("names", "is_one"),
    [
        ("system segment score", True),
        ("system segment score judge", True),
        ("system segment judge", False),
        ("system segment scorer kind hundred", True),
        ("system segment scorer kind native", False),
    ],
)
def test_a_table_is_known_by_its_columns(names, is_one):
    head = FileHead("j.tsv", names.replace(" ", "\t").encode() + b"\n")
    assert is_judgement_table(head) == is_one


WRONG = [
    pytest.param(
        [], "is empty; expected a header line with column names", id="empty file"
    ),
    pytest.param(
        ["system\tscore", "a\t1"], "expected system, segment", id="no segment"
    ),
    pytest.param([f"{HEADER}\tscore"], "each once", id="a column twice"),
    pytest.param([HEADER], "no judgements", id="header only"),
    pytest.param(
        [HEADER, "a\t1"], "line 2 has 2 columns but the header has 3", id="short"
    ),
    pytest.param([HEADER, "a\t0\t1"], "has the segment '0'", id="segment 0"),
    pytest.param([HEADER, f"a\t{10**15}\t1"], "has the segment '1000000000", id="many"),
    pytest.param([HEADER, "a\tx\t1"], "has the segment 'x'", id="segment x"),
    pytest.param([HEADER, "a\t²\t1"], "has the segment '²'", id="a digit that is none"),
    pytest.param([HEADER, "a\t1\tgood"], "has the score 'good'", id="score in words"),
    pytest.param([HEADER, "a\t1\tnan"], "has the score 'nan'", id="no number"),
]


@pytest.mark.parametrize(("lines", "message"), WRONG)
def test_what_is_wrong_is_said(write, lines, message):
    with pytest.raises(FormatError, match=message):
        read_judgement_table(str(write("j.tsv", lines)))
