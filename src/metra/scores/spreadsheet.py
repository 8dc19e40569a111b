"""Tables of judgements for people: a spreadsheet of scores, and a list of missing ones.

Cells that a spreadsheet would run as formulas have an apostrophe before them.
"""

import csv
from collections.abc import Iterator, Sequence
from typing import Any

from metra.formats.table import escape_formula, format_rows, replace_line_breaks
from metra.scores.judgement import UNSCORED, Judgement, find_outputs, has_scores
from metra.scores.long_table import format_number, list_cells
from metra.scores.table import Scores

SPREADSHEET_COLUMNS = (
    *("judge", "system", "document", "segment", "kind", "scorer"),
    *("native", "hundred", "reason", "shown_at", "submitted_at", "active_seconds"),
    *("cannot", "wording", "comment", "output", "flags", "lang", "higher_is_better"),
    "answer",
)
UNDEFINED_COLUMNS = (
    *("system", "scorer", "segment", "document", "judge"),
    *("native", "reason"),
)


class _Echo:
    """A file that gives each line back to who writes it."""

    def write(self, line: str) -> str:
        return line


#: Columns of numbers, and of words that cannot look like a formula.
_PLAIN = {
    *("segment", "kind", "native", "hundred", "shown_at", "submitted_at"),
    *("active_seconds", "flags", "lang", "higher_is_better", "answer"),
}
#: Columns that are empty in the row of an answer without scores.
_OF_SCORES = ("scorer", "native", "hundred", "reason", "higher_is_better")


def format_lines(judgements: Sequence[Judgement], scores: Scores) -> Iterator[str]:
    """Yield the lines of the spreadsheet, the headings first.

    `scores` is the table of the judgements. A missing score has a line with the reason,
    and an answer without scores has one line.
    """
    lines: Any = csv.writer(_Echo(), lineterminator="\r\n")
    yield lines.writerow(SPREADSHEET_COLUMNS)
    cells = _list_answer_cells(judgements, scores)
    columns = [
        cells[name] if name in _PLAIN else map(escape_formula, cells[name])
        for name in SPREADSHEET_COLUMNS
    ]
    yield from map(lines.writerow, zip(*columns, strict=True))


def _list_answer_cells(
    judgements: Sequence[Judgement], scores: Scores
) -> dict[str, list[str]]:
    """List the cells of columns that only the spreadsheet has, or has otherwise."""
    cells, rows = list_cells(scores), scores.list_rows()
    answers = [judgements[at] for at in scores.answer.tolist()]
    outputs = zip(answers, find_outputs(judgements, scores), strict=True)
    cells |= {
        "native": [format_number(row.value) for row in rows],
        "kind": cells["item_type"],
        "shown_at": [_format_time(one.shown_at) for one in answers],
        "submitted_at": [_format_time(one.submitted_at) for one in answers],
        "active_seconds": [_format_seconds(one.active_ms) for one in answers],
        "cannot": [one.cannot or "" for one in answers],
        "wording": [one.wording for one in answers],
        "comment": [one.comment for one in answers],
        "output": [one.outputs[place] for one, place in outputs],
    }
    scored = [has_scores(row.reason) for row in rows]
    for name in _OF_SCORES:
        pairs = zip(cells[name], scored, strict=True)
        cells[name] = [cell if is_scored else "" for cell, is_scored in pairs]
    return cells


def _format_time(at: float | None) -> str:
    return "" if at is None else repr(at)


def _format_seconds(milliseconds: int | None) -> str:
    return "" if milliseconds is None else repr(milliseconds / 1000)


def format_undefined(scores: Scores) -> str:
    """Return a line for each missing score and each skipped output."""
    return format_rows([UNDEFINED_COLUMNS, *list_undefined(scores)])


def list_undefined(scores: Scores) -> list[list[str]]:
    """List the cells of `UNDEFINED_COLUMNS` of each missing score."""
    cells = list_cells(scores)
    cells["native"] = [format_number(row.value) for row in scores.list_rows()]
    rows = zip(*(cells[name] for name in UNDEFINED_COLUMNS), strict=True)
    missing = (row for row in rows if row[-1] not in ("", UNSCORED))
    return [[*map(replace_line_breaks, row)] for row in missing]
