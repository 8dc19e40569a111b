"""Scores of answers, means of systems with intervals, and scores of whole texts.

A system's score is the mean over its items of the mean of the item's judges. Calibration,
repeats and degraded copies never enter. Scores of whole texts go from 0 to 100, as the ISLE
workbook asks for them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from math import nan
from operator import attrgetter
from statistics import fmean
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from metra.campaign.campaign import group_by
from metra.campaign.judgement import keep_latest, score_outputs
from metra.campaign.protocols.answers import KEY
from metra.campaign.protocols.registry import protocol
from metra.formats.scores.judgement import COUNTED, NOT_TRANSLATION, Judgement
from metra.formats.table import format_rows
from metra.stats.arrays import Codes, divide
from metra.stats.defaults import SEED, TRIALS
from metra.stats.resampling import Sample, check_settings, compute_intervals
from metra.stats.totals import Array
from metra.text.words import Counted


class JudgeScore(NamedTuple):
    """One score of one output by one judge."""

    judge: str
    system: str
    document: str
    segment: int
    native: float
    hundred: float
    #: What systems are ranked by, higher is better: the native score, or of an order the
    #: share of beaten outputs.
    worth: float
    #: Whether it enters the means of systems.
    counts: bool = True
    submitted_at: float | None = None
    #: The systems that were put in order with it, itself among them.
    ordered: tuple[str, ...] = ()


#: Scores by scorer and its direction.
ScoresByScorer: TypeAlias = dict[tuple[str, bool], list[JudgeScore]]


def group_by_scorer(judgements: Iterable[Judgement]) -> ScoresByScorer:
    """Return all defined scores, by scorer and its direction."""
    scores_by_scorer: ScoresByScorer = {}
    for judgement in judgements:
        compared = protocol(judgement.protocol).contrastive
        place = judgement.document, judgement.segment
        rest = judgement.counts, judgement.submitted_at
        outputs = zip(judgement.systems, score_outputs(judgement), strict=True)
        for system, scored in ((name, one) for name, mine in outputs for one in mine):
            if not scored.is_defined:
                continue
            # A penalty is not cut off at 0 of 100, and ranks among two and among ten differ.
            worth = scored.native if scored.higher_is_better else -scored.native
            worth = scored.hundred if compared else worth
            values = scored.native, scored.hundred, worth
            # A choice of the best of several does not say in which order the others are.
            is_order = len(judgement.systems) == 2 or not scored.higher_is_better
            together = tuple(judgement.systems) if compared and is_order else ()
            figure = JudgeScore(
                judgement.judge, system, *place, *values, *rest, together
            )
            key = scored.scorer, scored.higher_is_better
            scores_by_scorer.setdefault(key, []).append(figure)
    return scores_by_scorer


def keep_counting_scores(figures: ScoresByScorer) -> ScoresByScorer:
    """Return the scores that enter the means of systems."""
    kept = {key: [one for one in mine if one.counts] for key, mine in figures.items()}
    return {key: mine for key, mine in kept.items() if mine}


def group_by_system(figures: Iterable[JudgeScore]) -> dict[str, list[JudgeScore]]:
    """Return scores by system."""
    return group_by(figures, lambda figure: figure.system)


Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class SystemMean:
    """One system by one scorer, on the native scale and between 0 and 100."""

    system: str
    scorer: str
    items: int
    judgements: int
    native: float
    native_interval: Interval | None
    hundred: float
    hundred_interval: Interval | None
    higher_is_better: bool


def average_systems(
    judgements: Iterable[Judgement],
    *,
    by: str = "segment",
    level: float = 0.95,
    trials: int = TRIALS,
    seed: int = SEED,
) -> list[SystemMean]:
    """Return mean and bootstrap interval of each system and scorer, the best first.

    `by` is what is resampled: segments, or whole documents, which do not pretend that
    sentences of one text are independent, or segments and judges crossed (`crossed`), which
    does not pretend that the judgements of one judge are.
    """
    check_settings(
        "A mean", {f"by={by!r}": (by in UNITS, f"one of {', '.join(UNITS)}")}
    )
    figures = keep_counting_scores(group_by_scorer(keep_latest(judgements)))
    return average_systems_from_scores(
        figures, by=by, level=level, trials=trials, seed=seed
    )


def average_systems_from_scores(
    scores_by_scorer: ScoresByScorer, *, by: str, level: float, trials: int, seed: int
) -> list[SystemMean]:
    """Return the means of scores that have been grouped by scorer."""
    system_means: list[SystemMean] = []
    for (scorer, higher), figures in scores_by_scorer.items():
        units = number_units(figures, by)
        by_system = group_by_system(figures)
        sums = [
            sum_units(mine, units, by, ("native", "hundred", "worth"))
            for mine in by_system.values()
        ]
        samples = [Sample(rows, compute_mean) for mine in sums for rows in mine[:2]]
        ends = compute_intervals(
            samples, level=level, trials=trials, seed=seed, units=cross_units(units, by)
        )
        means = []
        for at, (name, mine) in enumerate(by_system.items()):
            native, hundred, worth = (
                float(compute_mean(rows.sum(0))) for rows in sums[at]
            )
            items = len({figure.segment for figure in mine})
            place, counts = (name, scorer), (items, len(mine))
            interval, hundreds = ends[2 * at : 2 * at + 2]
            mean = SystemMean(
                *place, *counts, native, interval, hundred, hundreds, higher
            )
            means.append((-worth, mean))
        means.sort(key=lambda pair: (pair[0], pair[1].system))
        system_means += [mean for _, mean in means]
    return system_means


@dataclass(frozen=True, slots=True)
class SkippedOutputs:
    """How many answers about a system say that the output is not a translation."""

    system: str
    answers: int
    skipped: int

    @property
    def share(self) -> float:
        """The share of skipped outputs, in per cent."""
        return 100 * self.skipped / self.answers


def count_skipped(judgements: Iterable[Judgement]) -> list[SkippedOutputs]:
    """Count skipped outputs by system; empty where nobody skipped any.

    Outputs that could not be judged for another reason are left out.
    """
    counts: dict[str, Counter[bool]] = {}
    for one in keep_latest(judgements):
        skipped = one.cannot == NOT_TRANSLATION
        if one.kind in COUNTED and (skipped or one.cannot is None):
            for system in one.systems:
                counts.setdefault(system, Counter())[skipped] += 1
    if not any(count[True] for count in counts.values()):
        return []
    rows = (SkippedOutputs(name, n.total(), n[True]) for name, n in counts.items())
    return sorted(rows, key=lambda row: (-row.share, row.system))


def describe_counts(judgements: Iterable[Judgement]) -> str:
    """Return a sentence on how much there is."""
    kept = keep_latest(judgements)
    judges = len({one.judge for one in kept})
    systems = len({name for one in kept for name in one.systems})
    return f"{len(kept)} answers by {judges} judges about {systems} systems."


#: What is resampled, and how it is found in a score.
UNITS: dict[str, Callable[[JudgeScore], Any]] = {
    "segment": attrgetter("segment"),
    "document": attrgetter("document"),
    "crossed": attrgetter("segment", "judge"),
}


def number_units(figures: Iterable[JudgeScore], by: str) -> dict[Any, int]:
    """Return the numbers of what is resampled, in order."""
    return {unit: at for at, unit in enumerate(sorted(set(map(UNITS[by], figures))))}


def cross_units(units: Mapping[Any, int], by: str) -> list[Codes]:
    """Return the segment and the judge of each unit where both are drawn; else nothing."""
    if by != "crossed":
        return []
    kinds = zip(*units, strict=True)
    return [np.unique(kind, return_inverse=True)[1] for kind in map(np.array, kinds)]


def sum_units(
    figures: Sequence[JudgeScore],
    units: dict[Any, int],
    by: str,
    names: Sequence[Literal["native", "hundred", "worth"]],
) -> list[Array]:
    """Return sums and counts of item means by unit, for each name: units × 2."""
    # Items in the order in which they came, so that sums come to the same digits.
    items = dict.fromkeys(figure.segment for figure in figures)
    place = {segment: at for at, segment in enumerate(items)}
    item = np.array([place[figure.segment] for figure in figures], np.int64)
    each = np.bincount(item)
    unit_of = np.array([units[UNITS[by](one)] for one in figures], np.int64)
    sums: list[Array] = []
    for name in names:
        values = np.array(list(map(attrgetter(name), figures)), np.float64)
        if by == "crossed":
            # Each judgement for itself; those of an item count as much as one.
            unit, parts, shares = unit_of, values / each[item], 1 / each[item]
        else:
            unit = np.zeros(len(items), np.int64)
            # The first figure of an item tells its unit: it is written last.
            unit[item[::-1]] = unit_of[::-1]
            parts = np.bincount(item, values, len(items)) / each
            shares = np.ones(len(items))
        columns = [np.bincount(unit, x, len(units)) for x in (parts, shares)]
        sums.append(np.column_stack(columns))
    return sums


def compute_mean(totals: Array) -> Array:
    """Return sums over counts; NaN where there is nothing."""
    return divide(totals[..., 0], totals[..., 1])


NONE = "n/a"


@dataclass(frozen=True, slots=True)
class TextScore:
    """One judge's mean over the sentences of a text, or of all judges (no evaluator)."""

    text: str
    translation: str
    metric: str
    evaluator: str
    items: int
    #: Between 0 and 100, higher is better.
    score: float
    native: float
    #: Why there is no score, which then is not a number; empty where there is one.
    reason: str = ""


def score_texts(judgements: Iterable[Judgement]) -> list[TextScore]:
    """Return each judge's mean of each text and translation, then the mean of judges.

    The judges' mean is the mean over sentences of the mean of a sentence's judges. Where a
    judge's sentences of a text have no score at all, the reason stands in its place.
    """
    counted = [one for one in keep_latest(judgements) if one.counts]
    scores = []
    for (metric, _), figures in group_by_scorer(counted).items():
        cells = group_by(figures, lambda one: (one.document, one.system))
        for place, mine in sorted(cells.items()):
            by_judge = group_by(mine, lambda one: one.judge)
            for judge, own in [*sorted(by_judge.items()), ("", mine)]:
                items = group_by(own, lambda one: one.segment).values()
                score = fmean(fmean(one.hundred for one in item) for item in items)
                native = fmean(fmean(one.native for one in item) for item in items)
                names = *place, metric, judge
                scores.append(TextScore(*names, len(items), score, native))
    known = {(one.text, one.translation, one.metric, one.evaluator) for one in scores}
    return scores + [
        TextScore(
            *place,
            len(set[int]().union(*said.values())),
            nan,
            nan,
            "; ".join(sorted(said)),
        )
        for place, said in sorted(_list_reasons(counted).items())
        if place not in known
    ]


def _list_reasons(
    judgements: Iterable[Judgement],
) -> dict[tuple[str, str, str, str], dict[str, set[int]]]:
    """Return why scores are undefined, by text, translation, metric and judge."""
    reasons: dict[tuple[str, str, str, str], dict[str, set[int]]] = {}
    for one in judgements:
        for system, scores in zip(one.systems, score_outputs(one), strict=True):
            for scored in scores:
                if not scored.is_defined:
                    place = one.document, system, scored.scorer, one.judge
                    said = reasons.setdefault(place, {})
                    said.setdefault(scored.reason, set()).add(one.segment)
    return reasons


def write_text_scores(scores: Iterable[TextScore]) -> str:
    """Return the scores as a table with tabs; the judges' mean has the evaluator `all`."""
    rows = (replace(one, evaluator=one.evaluator or "all") for one in scores)
    return write_table([[one.name for one in fields(TextScore)], *map(astuple, rows)])


def write_table(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as lines with tabs, safe to open; a figure that is undefined is n/a."""
    return format_rows(map(_format_cell, row) for row in rows)


def _format_cell(value: object) -> str:
    if value is None or value != value:
        return NONE
    return repr(value) if isinstance(value, float) else str(value)


_SENTENCES: dict[Counted, str] = {
    "blanks": "Words are what stands between blanks, without the punctuation around it.",
    "letters": (
        "The texts are written without blanks between words: each letter counts as a word, "
        "with the marks on it. Compare such figures only within this language."
    ),
    "both": (
        "Words are what stands between blanks; in scripts that have none, each letter counts "
        "as a word, with the marks on it. Compare such figures only within this language."
    ),
}


def describe_word_counting(judgements: Iterable[Judgement]) -> str:
    """Return a sentence on how words were counted; empty where none were."""
    ways: set[Counted] = {
        step[KEY]["counted"]
        for one in judgements
        for step in one.value.values()
        if isinstance(step, Mapping) and "counted" in step.get(KEY, {})
    }
    if not ways:
        return ""
    return _SENTENCES[ways.pop() if len(ways) == 1 else "both"]
