"""A table for spreadsheets: a line for each score, with times and comments, safe to open.

Cells that a spreadsheet would run as formulas have an apostrophe before them.

What has no score, and why: a line each, so that nothing is missed in silence.
The long table that `metra meta` reads: a line for each score of each output.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable

from metra.campaign.judgement import keep_latest, score_outputs
from metra.campaign.protocols.registry import protocol
from metra.formats.scores.judgement import Judgement, OutputScore
from metra.formats.table import escape_formula, replace_line_breaks

SPREADSHEET_COLUMNS = (
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


def write_spreadsheet(judgements: Iterable[Judgement]) -> str:
    """Write the last revision of each; what has no score has a line that says why."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(SPREADSHEET_COLUMNS)
    for one in keep_latest(judgements):
        active = "" if one.active_ms is None else repr(one.active_ms / 1000)
        times = [_number(one.shown_at), _number(one.submitted_at), active]
        said = [
            escape_formula(text)
            for text in (one.cannot or "", one.wording, one.comment)
        ]
        for system, output, scores in zip(
            one.systems, one.outputs, score_outputs(one), strict=True
        ):
            head = [
                *map(escape_formula, (one.judge, system, one.document)),
                str(one.segment),
            ]
            for name, *figures in map(_cells, scores) if scores else [[""] * 4]:
                cells = [*head, one.kind, escape_formula(name), *figures]
                rows.writerow([*cells, *times, *said, escape_formula(output)])
    return out.getvalue()


def _cells(scored: OutputScore) -> list[str]:
    if not scored.is_defined:
        return [scored.scorer, "", "", escape_formula(scored.reason)]
    return [scored.scorer, repr(scored.native), repr(scored.hundred), ""]


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


COLUMNS = ("system", "scorer", "segment", "document", "judge", "reason")


def write_undefined(judgements: Iterable[Judgement]) -> str:
    """Write a table of the last revisions that have no score, or could not be judged."""
    lines = ["\t".join(COLUMNS)]
    for judgement in keep_latest(judgements):
        place = str(judgement.segment), judgement.document, judgement.judge
        reasons = [
            (system, scored.scorer, scored.reason)
            for system, scores in zip(
                judgement.systems, score_outputs(judgement), strict=True
            )
            for scored in scores
            if not scored.is_defined
        ]
        if judgement.cannot is not None:
            reasons = [
                (system, judgement.protocol, f"could not be judged: {judgement.cannot}")
                for system in judgement.systems
            ]
        for system, scorer, reason in reasons:
            lines.append(
                "\t".join(map(replace_line_breaks, (system, scorer, *place, reason)))
            )
    return "".join(f"{line}\n" for line in lines)


def count_undefined(
    judgements: Iterable[Judgement],
) -> dict[tuple[str, str], Counter[str]]:
    """How often there is no score, by system, scorer and reason, of what counts."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for one in keep_latest(judgements):
        for system, scores in zip(one.systems, score_outputs(one), strict=True):
            for scored in scores if one.counts else ():
                if not scored.is_defined:
                    reasons = found.setdefault((system, scored.scorer), Counter())
                    reasons[scored.reason] += 1
    return found


LONG_TABLE_COLUMNS = (
    "system",
    "scorer",
    "value",
    "segment",
    "document",
    "judge",
    "kind",
    "lang",
    "higher_is_better",
    "hundred",
)


def write_long_table(judgements: Iterable[Judgement]) -> str:
    """Write the last revision of each judgement."""
    lines = ["\t".join(LONG_TABLE_COLUMNS)]
    for judgement in keep_latest(judgements):
        ending = "" if judgement.counts else f"-{judgement.kind}"
        whole = protocol(judgement.protocol).whole
        lang = f"{judgement.source_language}-{judgement.target_language}"
        for system, scores in zip(
            judgement.systems, score_outputs(judgement), strict=True
        ):
            for scored in scores:
                if not scored.is_defined:
                    continue
                cells = (
                    system,
                    f"{scored.scorer}{ending}",
                    repr(scored.native),
                    "" if whole else str(judgement.segment),
                    judgement.document,
                    judgement.judge,
                    scored.scorer,
                    lang,
                    "true" if scored.higher_is_better else "false",
                    repr(scored.hundred),
                )
                lines.append("\t".join(map(replace_line_breaks, cells)))
    return "".join(f"{line}\n" for line in lines)
