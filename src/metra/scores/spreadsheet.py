"""Tables of judgements for people: a spreadsheet of scores, and a list of missing ones.

Cells that a spreadsheet would run as formulas have an apostrophe before them.
"""

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isnan
from types import MappingProxyType
from typing import Any

from metra.formats.table import escape_formula, format_rows, replace_line_breaks
from metra.scores.judgement import (
    AnswerScores,
    Judgement,
    OutputScore,
    list_outputs,
)
from metra.scores.long_table import locate_judgement

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


def format_lines(
    judgements: Sequence[Judgement],
    scored: AnswerScores,
    *,
    whole: Collection[str] = (),
    flags: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Iterator[str]:
    """Yield the lines of the spreadsheet, the headings first.

    A score that is missing has a line with the reason. `whole` are protocols that judge
    documents as a whole, and `flags` the reasons to look at a judge.
    """
    rows: Any = csv.writer(_Echo(), lineterminator="\r\n")
    yield rows.writerow(SPREADSHEET_COLUMNS)
    pairs = zip(judgements, scored, strict=True)
    for number, (judgement, outputs) in enumerate(pairs, 1):
        active = None if judgement.active_ms is None else judgement.active_ms / 1000
        times = (judgement.shown_at, judgement.submitted_at, active)
        remarks = (judgement.cannot or "", judgement.wording, judgement.comment)
        tail = ["" if time is None else repr(time) for time in times]
        tail += map(escape_formula, remarks)
        reasons = "; ".join(flags.get(judgement.judge, ()))
        lang = f"{judgement.source_language}-{judgement.target_language}"
        segment, document = locate_judgement(judgement, whole)
        for system, output, scores in list_outputs(judgement, outputs):
            names = (judgement.judge, system, document)
            head = [*map(escape_formula, names), segment, judgement.kind]
            about = [*tail, escape_formula(output), reasons, lang]
            for cells in map(_list_cells, scores) if scores else [[""] * 5]:
                yield rows.writerow([*head, *cells[:-1], *about, cells[-1], number])


def _list_cells(score: OutputScore) -> list[str]:
    scorer = escape_formula(score.scorer)
    direction = "true" if score.higher_is_better else "false"
    if not score.is_defined:
        reason = escape_formula(score.reason)
        return [scorer, _format_native(score), "", reason, direction]
    return [scorer, repr(score.native), repr(score.hundred), "", direction]


def _format_native(score: OutputScore) -> str:
    """Return the native value of a score, which may be known where the score is not."""
    return "" if isnan(score.native) else repr(score.native)


def format_undefined(judgements: Iterable[Judgement], scored: AnswerScores) -> str:
    """Return a line for each score that is missing, and each output that was skipped."""
    return format_rows([UNDEFINED_COLUMNS, *list_undefined(judgements, scored)])


def list_undefined(
    judgements: Iterable[Judgement], scored: AnswerScores
) -> list[list[str]]:
    """List the cells of `UNDEFINED_COLUMNS` of each score that is missing."""
    rows = []
    for judgement, outputs in zip(judgements, scored, strict=True):
        place = str(judgement.segment), judgement.document, judgement.judge
        pairs = zip(judgement.systems, outputs, strict=True)
        for system, scores in pairs if judgement.cannot is None else ():
            for score in scores:
                if not score.is_defined:
                    native = _format_native(score)
                    rows.append([system, score.scorer, *place, native, score.reason])
        if judgement.cannot is not None:
            reason = f"could not be judged: {judgement.cannot}"
            names = judgement.systems
            rows += [[name, judgement.protocol, *place, "", reason] for name in names]
    return [[replace_line_breaks(cell) for cell in row] for row in rows]
