"""Files that could be misread: each is read as its writer meant it, or refused."""

import json
import random
import re

import pytest
from tests.scores.test_registry import FILES

from metra.errors import FormatError, MetraError
from metra.scores.mqm import parse_weighting
from metra.scores.registry import read_score_files, read_scores, read_spans
from metra.scores.selection import DEFAULT

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


def test_one_system_without_rows_of_perfect_outputs(tmp_path):
    rows = [row for row in COMPLETE if not row.startswith("B d 3")]
    with pytest.raises(FormatError, match="no-error of 'B', and no row for 1 rating"):
        read_scores(write_rows(tmp_path, rows))
    # Another rater need not have rated all systems.
    other = "A d 3 s x no-error"
    assert len(read_scores(write_rows(tmp_path, [*COMPLETE, other]))) == 10


def test_errors_without_a_severity(tmp_path):
    path = tmp_path / "m.tsv"
    path.write_text(
        "system\tdoc\tsegment\trater\tcategory\tseverity\n"
        "A\td\t1\tr\tno-error\t\nA\td\t2\tr\tstyle\t\n"
    )
    with pytest.raises(
        FormatError, match="line 3: an error of 'style' has no severity"
    ):
        read_scores(str(path))


def test_a_table_of_errors_that_stands_there_twice(tmp_path):
    with pytest.raises(FormatError, match="9 of its 9 different rows more than once"):
        read_scores(write_rows(tmp_path, [*COMPLETE, *COMPLETE[1:]]))
    # One error may be marked twice.
    scores = read_scores(write_rows(tmp_path, [*COMPLETE, COMPLETE[1]]))
    assert average(scores)["A"] == pytest.approx(-10 / 3)


#: Formats whose first line is a header.
HEADED = ("long", "matrix", "da", "mqm", "spreadsheet", "results", "metra-tsv")
#: Formats in which the order of lines says which segment they are about.
ORDERED = ("column", "mt-metrics-eval", "pearmut")
#: Formats of several files, or without lines to change.
OTHERS = ("metra-zip", "folder", "metra-json", "comet-json", "wmt25")


def change_rows(change):
    """Return a change of all lines but the header."""

    def apply(form, text):
        lines = text.split("\n")[:-1]
        head = int(form in HEADED)
        return "".join(f"{line}\n" for line in [*lines[:head], *change(lines[head:])])

    return apply


def turn_columns(_, text):
    rows = (line.split("\t") for line in text.split("\n")[:-1])
    return "".join("\t".join(reversed(row)) + "\n" for row in rows)


def separate_by_semicolons(_, text):
    return re.sub(r"(\d)\.(\d)", r"\1,\2", text).replace("\t", ";")


def add_pair(_, text):
    header, *rows = text.split("\n")[:-1]
    both = [f"{row}\t{pair}" for pair in ("en-de", "en-fr") for row in rows]
    return "".join(f"{line}\n" for line in [f"{header}\tlp", *both])


def shuffle(rows):
    return random.Random(3).sample(rows, len(rows))


#: What happens to a file, and the formats that it cannot happen to.
CHANGES = {
    "rows shuffled": (change_rows(shuffle), ORDERED),
    "rows reversed": (change_rows(lambda rows: rows[::-1]), ORDERED),
    "a row doubled": (change_rows(lambda rows: [rows[0], *rows]), ("column",)),
    "appended to itself": (change_rows(lambda rows: rows * 2), ORDERED[:2]),
    "appended with its header": (lambda _, text: text * 2, ORDERED[:2]),
    "a row missing": (change_rows(lambda rows: [rows[0], *rows[2:]]), ("column",)),
    "the first row missing": (change_rows(lambda rows: rows[1:]), (*ORDERED, "mqm")),
    "two language pairs": (add_pair, {*FILES} - {"long", "matrix", "mqm"}),
    "Windows line ends": (lambda _, text: text.replace("\n", "\r\n"), ()),
    "a byte order mark": (lambda _, text: f"\ufeff{text}", ()),
    "semicolons, decimal commas": (separate_by_semicolons, {*FILES} - {*HEADED}),
    "no number": (lambda _, text: re.sub(r"\b80\.0\b", "NaN", text, count=1), ()),
    "an empty cell": (lambda _, text: re.sub(r"\b80\.0\b", "", text, count=1), ()),
    "other order of columns": (turn_columns, {*FILES} - {*HEADED}),
}
CASES = [
    pytest.param(form, change, id=f"{form}, {change}")
    for form in FILES
    if form not in OTHERS
    for change, (_, exceptions) in CHANGES.items()
    if form not in exceptions
]


def list_cells(path):
    scores = DEFAULT.select(read_scores(path))
    cells = {}
    for name in scores.names:
        level = scores.find_level(name)
        items = [item for item in scores.items if item.level == level]
        for system, row in zip(
            scores.systems, scores.matrix(name, level=level), strict=True
        ):
            for item, value in zip(items, row.tolist(), strict=True):
                if value == value:
                    cells[name, system, item.segment or item.document, item.lang] = (
                        value
                    )
    return cells


@pytest.mark.parametrize(("form", "change"), CASES)
def test_a_changed_file_has_the_same_scores_or_is_refused(tmp_path, form, change):
    path = FILES[form][0](tmp_path)
    expected = list_cells(str(path))
    text = path.read_bytes().decode().replace("\r\n", "\n")
    path.write_bytes(CHANGES[change][0](form, text).encode())
    try:
        cells = list_cells(str(path))
    except MetraError:
        assert change not in ("rows shuffled", "rows reversed", "Windows line ends")
        assert change != "a byte order mark"
        return
    if change == "two language pairs":
        pairs = ("en-de", "en-fr")
        assert cells == {(*key[:3], p): v for key, v in expected.items() for p in pairs}
    elif "missing" in change or "no number" in change or "empty" in change:
        assert cells.items() <= expected.items()
        assert cells
    else:
        assert cells == expected


@pytest.mark.parametrize("form", ["long", "matrix", "mqm", "spreadsheet"])
def test_judgements_that_stand_there_twice_are_refused(tmp_path, form):
    path = FILES[form][0](tmp_path)
    path.write_text(change_rows(lambda rows: rows * 2)(form, path.read_text()))
    with pytest.raises(FormatError, match="different rows more than once"):
        read_scores(str(path))


def test_scores_in_order_that_stand_there_twice_are_refused(tmp_path):
    path = tmp_path / "en-de.x.seg.score"
    blocks = [f"{system}\t{n % 2}\n" for system in "ab" for n in range(4)]
    path.write_text("".join(blocks * 2))
    with pytest.raises(FormatError, match="has every line twice"):
        read_scores(str(path))
    in_turn = [f"{system}\t{n % 2}\n" for n in range(4) for system in "ab"]
    path.write_text("".join(in_turn * 2))
    assert len(read_scores(str(path))) == 16


def test_lines_without_ids_are_counted_for_each_system(tmp_path):
    path = tmp_path / "m.jsonl"
    lines = [
        json.dumps({"system_id": s, "prediction": n}) for s in "ab" for n in (1, 2)
    ]
    path.write_text("\n".join(lines))
    assert read_score_files([str(path)]).matrix("MetricX").tolist() == [[1, 2], [1, 2]]
