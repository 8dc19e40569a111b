"""Scores that evaluators hand in: files in any format, as one record."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import nan
from statistics import fmean

import numpy as np

from metra.campaign.campaign import group_by
from metra.campaign.judgement import build_campaign_scores
from metra.campaign.score_scales import MeasureKind, NativeScore
from metra.errors import CorpusError, FormatError
from metra.formats.stream import format_path, name_system, split_named_path
from metra.scores.judgement import UNSCORED, Judgement, explain_skipped
from metra.scores.registry import read_scores
from metra.scores.table import COUNTED, Scores


def read_evaluator_files(paths: Iterable[str]) -> list[NativeScore]:
    """Read the files of evaluators; `EVALUATOR=FILE` says whose scores a file has.

    Without a name they are of the judges that the file names or, if it names none, of an
    evaluator called after the file.
    """
    scores: list[NativeScore] = []
    for path in paths:
        evaluator, file = split_named_path(path)
        scores += read_evaluator_file(file, evaluator or "")
    return scores


def read_evaluator_file(path: str, evaluator: str = "") -> list[NativeScore]:
    """Read one file; `evaluator` is who scored, where the file does not say it."""
    scores = read_scores(path)
    place = format_path(path)
    natives = _convert_scores(scores, place)
    if not natives:
        msg = f"{place} has no scores; expected those of at least one system."
        raise FormatError(msg)
    if evaluator and scores.judges:
        names = ", ".join(sorted(scores.judges))
        msg = f"{place} already names its evaluators ({names}); remove {evaluator!r}."
        raise CorpusError(msg)
    label = evaluator or name_system(path)
    return [replace(one, evaluator=one.evaluator or label) for one in natives]


def convert_judgements(
    judgements: Sequence[Judgement], place: str = ""
) -> list[NativeScore]:
    """Return each judge's scores of each text, of a campaign's answers.

    `place` is where they come from, for messages.
    """
    return _convert_scores(build_campaign_scores(judgements), place)


def _convert_scores(scores: Scores, place: str) -> list[NativeScore]:
    """Return each judge's scores of systems and texts; segments are averaged by text.

    Scores of segments count only where nothing larger was scored: most metrics are no
    means. Where a judge's segments of a text have no score at all, the reason is given,
    unless nothing was judged.
    """
    unjudged = [
        at
        for at, reason in enumerate(scores.reasons)
        if reason == UNSCORED or reason.startswith(explain_skipped(""))
    ]
    counted = scores.keep_kinds(*COUNTED)
    if len(counted.reason):
        counted = counted.keep_lines(~np.isin(counted.reason, unjudged))
    scores = counted.compact()
    if len(scores.languages) > 1:
        pairs = ", ".join(filter(None, scores.languages))
        msg = f"{place} has several language pairs ({pairs}); give a file with one of them."
        raise CorpusError(msg)
    natives = []
    for scorer in scores.scorers:
        lines = scores.lines(scorer.name)
        is_segment = np.isin(lines.item, scores.segments)
        lines = lines.keep_lines(is_segment if is_segment.all() else ~is_segment)
        kind: MeasureKind = "automated" if scorer.kind == "metric" else ""
        natives += [
            replace(
                score,
                higher_is_better=scorer.higher_is_better is not False,
                kind="human" if scorer.human else kind,
                place=place,
            )
            for score in _average_texts(lines, scorer.name)
        ]
    return natives


def _average_texts(lines: Scores, name: str) -> Iterator[NativeScore]:
    """Yield the mean of each judge, text and system: of segments, each its mean."""

    def find_place(row: int) -> tuple[str, str, str]:
        judge = lines.judge[row]
        judge_name = lines.judges[judge] if judge >= 0 else ""
        return (
            judge_name,
            lines.items[lines.item[row]].document,
            lines.systems[lines.system[row]],
        )

    for place, rows in group_by(range(len(lines)), find_place).items():
        scored = [row for row in rows if np.isfinite(lines.value[row])]
        if scored:
            items = group_by(scored, lines.item.__getitem__).values()
            value, hundred = (
                fmean(fmean(column[rows]) for rows in items) if len(column) else nan
                for column in (lines.value, lines.hundred)
            )
            mapped = hundred if np.isfinite(hundred) else None
            yield NativeScore(name, *place, value, mapped)
        else:
            reasons = sorted({lines.reasons[lines.reason[row]] for row in rows})
            yield NativeScore(name, *place, nan, nan, reason="; ".join(reasons))
