"""Evaluators of a measure compared over translations, and measures with each other."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import nan, sqrt
from statistics import fmean, variance
from typing import TypeAlias

import numpy as np

from metra.meta.texts import average_systems, list_rows
from metra.scores.table import Scores
from metra.stats.agreement import alpha
from metra.stats.arrays import Array, drop_nan
from metra.stats.judge_agreement import (
    JudgePair,
    average_figure,
    compare_judges,
    pair_judgements,
)
from metra.stats.moments import pearson, spearman
from metra.stats.ratings import Ratings, sort_ratings

#: A text and a system.
Place: TypeAlias = tuple[str, str]
#: Scores from 0 to 100 by text and system, then by evaluator.
Translations: TypeAlias = dict[Place, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Reliability:
    """The spread of one metric's evaluators; None if nobody shares a translation."""

    metric: str
    evaluators: int
    translations: int
    #: Translations that two evaluators or more scored.
    shared: int
    mean: float | None
    #: Standard deviation over evaluators, pooled over the shared translations.
    deviation: float | None
    #: Krippendorff's alpha on the interval scale.
    agreement: float | None
    reason: str = ""
    #: Results without a score, and their reasons.
    undefined: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """Two metrics on the translations that both scored; None for an undefined figure."""

    one: str
    other: str
    translations: int
    pearson: float | None
    spearman: float | None


@dataclass(frozen=True, slots=True)
class SystemEvaluation:
    """One system by one metric, over the evaluators; None for an undefined figure."""

    metric: str
    system: str
    evaluators: int
    #: Its texts with scores; 1 if all texts have one score together.
    texts: int
    #: The mean over texts of the mean over evaluators.
    mean: float | None
    #: Standard deviation over evaluators, with n - 1, pooled over the texts.
    deviation: float | None
    #: Each evaluator's mean over the texts that they scored.
    by_evaluator: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class EvaluatorPair:
    """Two evaluators of one metric; None for an undefined figure."""

    first: str
    second: str
    translations: int
    #: The mean of the first's scores minus the second's.
    difference: float
    pearson: float | None
    spearman: float | None


@dataclass(frozen=True, slots=True)
class EvaluatorAgreement:
    """Agreement of every two evaluators of a metric on translations that both scored."""

    metric: str
    pairs: tuple[EvaluatorPair, ...]
    #: Means over the pairs, weighted by shared translations; None if no pair has a figure.
    pearson: float | None
    spearman: float | None


def index_results(scores: Scores) -> dict[str, Translations]:
    """Return scores from 0 to 100 by metric, text and system, and evaluator."""
    results: dict[str, Translations] = {}
    for metric, evaluator, *place, _, score, reason in list_rows(scores):
        of_metric = results.setdefault(metric, {})
        if not reason:
            text, system = place
            of_metric.setdefault((text, system), {})[evaluator] = score
    return results


def average_evaluators(results: Translations) -> dict[Place, float]:
    """Return the mean over evaluators of each text and system."""
    return {place: fmean(scores.values()) for place, scores in results.items()}


def compute_reliability(
    metric: str, results: Translations, scores: Scores
) -> Reliability:
    """Compute the spread and the agreement of a metric's evaluators."""
    rows = [row for row in list_rows(scores) if row[0] == metric]
    reasons = [row[-1] for row in rows if row[-1]]
    counts = (
        *(len({row[1] for row in rows}), len(results)),
        sum(len(given) > 1 for given in results.values()),
    )
    rest = len(reasons), "; ".join(sorted(set(reasons)))
    if not results:
        return Reliability(metric, *counts, None, None, None, "no scores", *rest)
    mean = fmean(average_evaluators(results).values())
    deviation = _pool_deviation(results.values())
    if deviation is None:
        reason = "no translation has two evaluators"
        return Reliability(metric, *counts, mean, None, None, reason, *rest)
    agreement = drop_nan(alpha(_build_ratings(results)))
    reason = "" if agreement is not None else "all scores are equal"
    return Reliability(metric, *counts, mean, deviation, agreement, reason, *rest)


def _pool_deviation(translations: Iterable[Mapping[str, float]]) -> float | None:
    """Return the deviation over evaluators, pooled; None if nobody shares anything."""
    shared = [given for given in translations if len(given) > 1]
    if not shared:
        return None
    return sqrt(fmean(variance(given.values()) for given in shared))


def _build_ratings(results: Translations) -> Ratings:
    """Return evaluators as judges, and translations as units."""
    evaluators = sorted({name for given in results.values() for name in given})
    number = {name: at for at, name in enumerate(evaluators)}
    cells = [
        (number[name], unit, score)
        for unit, given in enumerate(results.values())
        for name, score in given.items()
    ]
    judge, unit, value = (np.array(column) for column in zip(*cells, strict=True))
    units = [" ".join(filter(None, place)) for place in results]
    return sort_ratings(evaluators, units, judge, unit, value.astype(np.float64))


def evaluate_systems(
    results: Mapping[str, Translations], scores: Scores
) -> Iterator[SystemEvaluation]:
    """Evaluate every system by every metric, also those without any score."""
    by_evaluator: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for metric, evaluator, _, system, _, score, _ in list_rows(average_systems(scores)):
        own = by_evaluator.setdefault((metric, system), [])
        own += [(evaluator, score)] if score == score else []
    places = dict.fromkeys((row[0], row[3]) for row in list_rows(scores))
    for metric, system in places:
        texts = [s for place, s in results[metric].items() if place[1] == system]
        own = by_evaluator[metric, system]
        yield SystemEvaluation(
            *(metric, system, len(own), len(texts)),
            fmean(fmean(given.values()) for given in texts) if texts else None,
            _pool_deviation(texts),
            tuple(own),
        )


def compare_pairs(metric: str, results: Translations) -> EvaluatorAgreement:
    """Compare every two evaluators of a metric."""
    shared = {place: given for place, given in results.items() if len(given) > 1}
    if not shared:
        return EvaluatorAgreement(metric, (), None, None)
    paired = _build_ratings(shared)
    pairs = compare_judges(paired, pair_judgements(paired))
    # Two translations always lie on a line.
    several = [pair for pair in pairs if pair.n > 2]
    return EvaluatorAgreement(
        metric,
        tuple(map(_convert_pair, pairs)),
        *(drop_nan(average_figure(several, name)) for name in ("pearson", "spearman")),
    )


def _convert_pair(pair: JudgePair) -> EvaluatorPair:
    figures = (pair.pearson, pair.spearman) if pair.n > 2 else (nan, nan)
    return EvaluatorPair(
        *(pair.first, pair.second, pair.n, float((pair.a - pair.b).mean())),
        *map(drop_nan, figures),
    )


def correlate_metrics(
    one: str, other: str, means: Mapping[Place, float], others: Mapping[Place, float]
) -> MetricCorrelation:
    """Correlate two metrics over the means of their evaluators."""
    both = sorted(set(means) & set(others))
    x, y = (np.array([scores[place] for place in both]) for scores in (means, others))
    return MetricCorrelation(one, other, len(both), *correlate_means(x, y))


def correlate_means(x: Array, y: Array) -> tuple[float | None, float | None]:
    """Return Pearson's r and Spearman's rho; two translations always lie on a line."""
    if len(x) < 3:
        return None, None
    return drop_nan(float(pearson(x, y))), drop_nan(float(spearman(x, y)))
