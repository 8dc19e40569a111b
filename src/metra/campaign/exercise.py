"""Evaluators and metrics compared over texts and translations, from 0 to 100.

Dabbadie et al. 2002, LREC workshop, ask of each metric how reliable it is (the standard
deviation over evaluators and their agreement) and how far metrics agree with each other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import combinations
from math import nan, sqrt
from statistics import fmean, variance
from typing import Any

import numpy as np

from metra.campaign.campaign import group_by
from metra.campaign.results import TextScore, write_table
from metra.errors import CorpusError
from metra.stats.agreement import alpha
from metra.stats.arrays import drop_nan
from metra.stats.judge_agreement import (
    JudgePair,
    average_figure,
    compare_judges,
    pair_judgements,
)
from metra.stats.moments import pearson, spearman
from metra.stats.ratings import Ratings, sort_ratings


@dataclass(frozen=True, slots=True)
class EvaluatorScore:
    """What an evaluator found for one translation of one text, between 0 and 100."""

    metric: str
    evaluator: str
    text: str
    translation: str
    score: float
    #: Why there is no score, which then is not a number; empty where there is one.
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reliability:
    """One metric: how far its evaluators are apart; None where nobody shares a translation."""

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
    #: Results that are no score, and why.
    undefined: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """Two metrics on the translations that both scored; None where there is no figure."""

    one: str
    other: str
    translations: int
    pearson: float | None
    spearman: float | None


@dataclass(frozen=True, slots=True)
class SystemEvaluation:
    """One system by one metric, over the evaluators; None where there is no figure."""

    metric: str
    system: str
    evaluators: int
    #: Its texts that were scored; 1 where all texts have one score together.
    texts: int
    #: The mean over texts of the mean over evaluators.
    mean: float | None
    #: Standard deviation over evaluators, with n - 1, pooled over the texts.
    deviation: float | None
    #: Each evaluator's mean over the texts that they scored.
    by_evaluator: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class EvaluatorAgreement:
    """How every two evaluators of one metric agree, on the translations that both scored."""

    metric: str
    pairs: tuple["EvaluatorPair", ...]
    #: Means over the pairs, each by what it shares; None where no pair has a figure.
    pearson: float | None
    spearman: float | None


@dataclass(frozen=True, slots=True)
class EvaluatorPair:
    """Two evaluators of one metric; None where a figure has no meaning."""

    first: str
    second: str
    translations: int
    #: The mean of the first's scores minus the second's.
    difference: float
    pearson: float | None
    spearman: float | None


@dataclass(frozen=True, slots=True)
class Exercise:
    """Everything that the exercise asks for, in one record."""

    results: tuple[EvaluatorScore, ...]
    reliability: tuple[Reliability, ...]
    correlations: tuple[MetricCorrelation, ...]
    systems: tuple[SystemEvaluation, ...] = ()
    agreement: tuple[EvaluatorAgreement, ...] = ()

    def tables(self) -> dict[str, str]:
        """Return the tables to send in, by file name: results, reliability and correlations."""
        tables: dict[str, tuple[Sequence[Any], Any]] = {
            "results.tsv": (self.results, EvaluatorScore),
            "reliability.tsv": (self.reliability, Reliability),
            "correlations.tsv": (self.correlations, MetricCorrelation),
        }
        written = {
            name: write_table([[one.name for one in fields(kind)], *map(astuple, rows)])
            for name, (rows, kind) in tables.items()
        }
        return written | {"matrix.tsv": self._write_matrix()}

    def _write_matrix(self) -> str:
        """Return Pearson's r of every two metrics as a square table."""
        metrics = [one.metric for one in self.reliability]
        values: dict[tuple[str, str], float | None]
        values = {(name, name): 1.0 for name in metrics}
        for one in self.correlations:
            values[one.one, one.other] = values[one.other, one.one] = one.pearson
        rows = [[row, *(values[row, column] for column in metrics)] for row in metrics]
        return write_table([["metric", *metrics], *rows])


def compare_evaluators(results: Iterable[EvaluatorScore]) -> Exercise:
    """Return how far evaluators agree by metric, and metrics with each other."""
    given = tuple(results)
    if not given:
        msg = (
            "There are no results to compare; give scores from at least one evaluator."
        )
        raise CorpusError(msg)
    for one in given:
        if not one.reason and not 0 <= one.score <= 100:
            msg = (
                f"{one.evaluator} gives {one.metric} of {one.translation} {one.score:g}; "
                "expected a score from 0 to 100."
            )
            raise CorpusError(msg)
    by_metric = group_by(given, lambda one: one.metric)
    means = average_evaluators(given)
    systems = group_by(given, lambda one: (one.metric, one.translation))
    return Exercise(
        given,
        tuple(_compute_reliability(name, mine) for name, mine in by_metric.items()),
        tuple(
            _correlate_metrics(one, other, means[one], means[other])
            for one, other in combinations(by_metric, 2)
        ),
        tuple(_evaluate_system(*names, mine) for names, mine in systems.items()),
        tuple(_compare_pairs(name, mine) for name, mine in by_metric.items()),
    )


def average_evaluators(
    results: Iterable[EvaluatorScore],
) -> dict[str, dict["Place", float]]:
    """Return the mean over evaluators by metric, then by text and translation."""
    by_metric = group_by(results, lambda one: one.metric)
    return {
        name: {
            place: fmean(scores.values())
            for place, scores in _group_by_translation(mine).items()
        }
        for name, mine in by_metric.items()
    }


def average_texts(results: Iterable[EvaluatorScore]) -> list[EvaluatorScore]:
    """Return a score of each evaluator for all texts: the one given, else their mean.

    Where no text has a score, the reasons stand in its place.
    """
    systems = group_by(
        results, lambda one: (one.metric, one.evaluator, one.translation)
    )
    averaged = []
    for (metric, evaluator, system), mine in systems.items():
        whole = [one for one in mine if not one.text] or mine
        known = [one.score for one in whole if not one.reason]
        score = fmean(known) if known else nan
        reason = "" if known else "; ".join(sorted({one.reason for one in whole}))
        averaged.append(EvaluatorScore(metric, evaluator, "", system, score, reason))
    return averaged


def convert_text_scores(scores: Iterable[TextScore]) -> list[EvaluatorScore]:
    """Return the judges' own scores of each text, without the means over judges."""
    return [
        EvaluatorScore(
            *(one.metric, one.evaluator, one.text, one.translation),
            *(one.score, one.reason),
        )
        for one in scores
        if one.evaluator
    ]


Place = tuple[str, str]


def _group_by_translation(
    results: Iterable[EvaluatorScore],
) -> dict[Place, dict[str, float]]:
    scores: dict[Place, dict[str, float]] = {}
    for one in results:
        if not one.reason:
            place = one.text, one.translation
            scores.setdefault(place, {})[one.evaluator] = one.score
    return scores


def _compute_reliability(metric: str, results: Sequence[EvaluatorScore]) -> Reliability:
    places = _group_by_translation(results)
    evaluators = sorted({one.evaluator for one in results})
    shared = [given for given in places.values() if len(given) > 1]
    counts = len(evaluators), len(places), len(shared)
    open_ones = [one.reason for one in results if one.reason]
    rest = len(open_ones), "; ".join(sorted(set(open_ones)))
    if not places:
        return Reliability(metric, *counts, None, None, None, "no scores", *rest)
    mean = fmean(fmean(given.values()) for given in places.values())
    deviation = _pool_deviation(places.values())
    if deviation is None:
        reason = "no translation has two evaluators"
        return Reliability(metric, *counts, mean, None, None, reason, *rest)
    agreement = drop_nan(alpha(_build_ratings(places)))
    reason = "" if agreement is not None else "all scores are equal"
    return Reliability(metric, *counts, mean, deviation, agreement, reason, *rest)


def _pool_deviation(translations: Iterable[Mapping[str, float]]) -> float | None:
    """Return the deviation over evaluators, pooled; None where nobody shares anything."""
    shared = [given for given in translations if len(given) > 1]
    if not shared:
        return None
    return sqrt(fmean(variance(given.values()) for given in shared))


def _build_ratings(places: Mapping[Place, Mapping[str, float]]) -> Ratings:
    """Return the evaluators as judges, and the translations as what they judged."""
    evaluators = sorted({name for given in places.values() for name in given})
    number = {name: at for at, name in enumerate(evaluators)}
    cells = [
        (number[name], unit, score)
        for unit, given in enumerate(places.values())
        for name, score in given.items()
    ]
    judge, unit, value = (np.array(column) for column in zip(*cells, strict=True))
    units = [" ".join(filter(None, place)) for place in places]
    return sort_ratings(evaluators, units, judge, unit, value.astype(np.float64))


def _evaluate_system(
    metric: str, system: str, results: Sequence[EvaluatorScore]
) -> SystemEvaluation:
    places = _group_by_translation(results)
    averaged = average_texts(results)
    by_evaluator = [(one.evaluator, one.score) for one in averaged if not one.reason]
    return SystemEvaluation(
        *(metric, system, len(by_evaluator), len(places)),
        fmean(fmean(given.values()) for given in places.values()) if places else None,
        _pool_deviation(places.values()),
        tuple(by_evaluator),
    )


def _compare_pairs(
    metric: str, results: Sequence[EvaluatorScore]
) -> EvaluatorAgreement:
    places = _group_by_translation(results)
    shared = {place: given for place, given in places.items() if len(given) > 1}
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


def _correlate_metrics(
    one: str, other: str, mine: Mapping[Place, float], theirs: Mapping[Place, float]
) -> MetricCorrelation:
    both = sorted(set(mine) & set(theirs))
    x, y = (np.array([[scores[place] for place in both]]) for scores in (mine, theirs))
    figures = (
        # Two translations always lie on a line.
        float(of(x, y)[0]) if len(both) > 2 else nan
        for of in (pearson, spearman)
    )
    return MetricCorrelation(one, other, len(both), *map(drop_nan, figures))
