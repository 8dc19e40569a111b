"""Files that could be misread: each is read as its writer meant it, or refused."""

import pytest

from metra.errors import FormatError
from metra.scores.mqm import parse_weighting
from metra.scores.registry import read_scores, read_spans

ERRORS = [
    *("system doc segment rater category severity", "A d 1 r x major"),
    *("B d 1 r x major", "B d 2 r x minor", "C d 1 r x major", "C d 2 r x major"),
    "C d 3 r x minor",
]
COMPLETE = [*ERRORS, "A d 2 r x no-error", "A d 3 r x no-error", "B d 3 r x no-error"]


def write_rows(folder, rows, name="m.tsv"):
    path = folder / name
    path.write_text("".join("\t".join(row.split()) + "\n" for row in rows))
    return str(path)


def average(scores):
    return dict(zip(scores.systems, scores.matrix("mqm").mean(1), strict=True))


def test_outputs_without_errors_that_no_row_names_are_not_unrated(tmp_path):
    path = write_rows(tmp_path, ERRORS)
    for read in (read_scores, read_spans):
        with pytest.raises(
            FormatError, match="no row for 3 ratings, such as that of 'A'"
        ):
            read(path)
    perfect = read_scores(path, mqm_weights=parse_weighting("unlisted:perfect"))
    whole = read_scores(write_rows(tmp_path, COMPLETE, "whole.tsv"))
    assert average(perfect) == average(whole)
    unrated = read_scores(path, mqm_weights=parse_weighting("unlisted:unrated"))
    assert len(unrated) == 6
    # A table with all ratings needs no row without an error.
    assert (
        len(read_scores(write_rows(tmp_path, [*ERRORS[:2], ERRORS[2], ERRORS[4]]))) == 3
    )


def test_a_rater_of_another_system_rated_this_one_too(tmp_path):
    rows = [*ERRORS[:3], "A d 1 s x minor"]
    with pytest.raises(FormatError, match="no row for 1 rating, such as that of 'B'"):
        read_scores(write_rows(tmp_path, rows))


def test_a_table_of_errors_that_stands_there_twice(tmp_path):
    with pytest.raises(FormatError, match="9 of its 9 different rows more than once"):
        read_scores(write_rows(tmp_path, [*COMPLETE, *COMPLETE[1:]]))
    # One error may be marked twice.
    scores = read_scores(write_rows(tmp_path, [*COMPLETE, COMPLETE[1]]))
    assert average(scores)["A"] == pytest.approx(-10 / 3)
