"""The question `missing`: outputs without a score, and why."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from metra.meta.findings import MetaReport, build_count, build_signature
from metra.meta.judge_options import MissingOptions
from metra.meta.question import Question
from metra.scores.judgement import NOT_TRANSLATION, UNSCORED, explain_skipped
from metra.scores.selection import Selection
from metra.scores.table import Scores
from metra.scoring.table import Cell, Table, make_table

_SKIPPED = explain_skipped(NOT_TRANSLATION)
_CANNOT = explain_skipped("")


@dataclass(frozen=True, slots=True)
class SkippedOutputs:
    """Answers about a system that say that the output is not a translation."""

    system: str
    answers: int
    skipped: int

    @property
    def share(self) -> float:
        """The share of skipped outputs, in per cent."""
        return 100 * self.skipped / self.answers


@dataclass(frozen=True, slots=True)
class MissingScores:
    """Missing scores by system, scorer and reason, and outputs skipped as no translation."""

    counts: dict[tuple[str, str], Counter[str]]
    #: Empty if nobody skipped any.
    skipped: tuple[SkippedOutputs, ...]


def ask_missing(
    scores: Scores, selection: Selection, _: str, __: MissingOptions
) -> MissingScores:
    """Count missing scores of items that would count for systems."""
    rows = selection.select_answers(scores)
    counts: dict[tuple[str, str], Counter[str]] = {}
    skips: Counter[str] = Counter()
    lacking = rows.keep_lines(~np.isfinite(rows.value))
    names = lacking.names
    columns = (lacking.system, lacking.scorer, lacking.reason)
    for system, scorer, reason in zip(*(c.tolist() for c in columns), strict=True):
        why = lacking.reasons[reason] if reason >= 0 else ""
        if why == _SKIPPED:
            skips[lacking.systems[system]] += 1
        elif why != UNSCORED and not why.startswith(_CANNOT):
            key = lacking.systems[system], names[scorer]
            counts.setdefault(key, Counter())[why] += 1
    return MissingScores(counts, _share_skipped(rows, skips))


def _share_skipped(rows: Scores, skips: Counter[str]) -> tuple[SkippedOutputs, ...]:
    """Return the skipped outputs of each system; unjudged ones for other reasons go."""
    if not skips:
        return ()
    reasons = np.array([*(why.startswith(_CANNOT) for why in rows.reasons), False])
    judged = rows.keep_lines(~reasons[rows.reason])
    outputs = np.unique(judged.answer * len(rows.systems) + judged.system)
    counts = np.bincount(outputs % len(rows.systems), minlength=len(rows.systems))
    shares = (
        SkippedOutputs(system, count + skips[system], skips[system])
        for system, count in zip(rows.systems, counts.tolist(), strict=True)
        if count + skips[system]
    )
    return tuple(sorted(shares, key=lambda each: (-each.share, each.system)))


def report_missing(answer: MissingScores, _: MissingOptions) -> MetaReport:
    """Lay out the reasons, and the shares of skipped outputs."""
    tables: list[Table] = []
    rows = [
        (system, [Cell(scorer), build_count(count), Cell(why)])
        for (system, scorer), reasons in answer.counts.items()
        for why, count in reasons.items()
    ]
    if rows:
        heads = ["scorer", "answers", "reason"]
        tables.append(
            make_table("system", heads, rows, caption="No score", name="missing")
        )
    if answer.skipped:
        shares = [
            (
                each.system,
                [
                    build_count(each.skipped),
                    build_count(each.answers),
                    Cell(each.share, digits=1),
                ],
            )
            for each in answer.skipped
        ]
        heads = ["skipped", "of answers", "%"]
        caption = "Not a translation"
        tables.append(
            make_table("system", heads, shares, caption=caption, name="skipped")
        )
    notes = [] if tables else ["Every answer has a score."]
    return MetaReport(tables, build_signature(), notes)


QUESTION = Question("missing", "No score", ask_missing, report_missing)
