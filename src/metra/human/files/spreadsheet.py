"""A table for spreadsheets: a line for each score, with times and comments, safe to open.

Cells that a spreadsheet would run as formulas have an apostrophe before them.
"""

import csv
import io
from collections.abc import Iterable

from metra.human.files.formula_guard import guarded
from metra.human.judgement import Judgement, latest
from metra.human.protocols.scored import Scored

COLUMNS = (
    "judge",
    "system",
    "document",
    "segment",
    "kind",
    "scorer",
    "native",
    "hundred",
    "reason",
    "shown_at",
    "submitted_at",
    "active_seconds",
    "cannot",
    "wording",
    "comment",
    "output",
)


def write(judgements: Iterable[Judgement]) -> str:
    """Write the last revision of each; what has no score has a line that says why."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(COLUMNS)
    for one in latest(judgements):
        active = "" if one.active_ms is None else repr(one.active_ms / 1000)
        times = [_number(one.shown_at), _number(one.submitted_at), active]
        said = [guarded(text) for text in (one.cannot or "", one.wording, one.comment)]
        for system, output, scores in zip(
            one.systems, one.outputs, one.scores(), strict=True
        ):
            head = [*map(guarded, (one.judge, system, one.document)), str(one.segment)]
            for name, *figures in map(_cells, scores) if scores else [[""] * 4]:
                cells = [*head, one.kind, guarded(name), *figures]
                rows.writerow([*cells, *times, *said, guarded(output)])
    return out.getvalue()


def _cells(scored: Scored) -> list[str]:
    if not scored.defined:
        return [scored.scorer, "", "", guarded(scored.reason)]
    return [scored.scorer, repr(scored.native), repr(scored.hundred), ""]


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)
