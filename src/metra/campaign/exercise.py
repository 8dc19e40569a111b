"""The collective exercise: several evaluators, texts, translations and metrics, 0 to 100.

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
from metra.campaign.results import NONE, TextScore, write_table
from metra.errors import CorpusError
from metra.formats.annotations.table import read_annotation_table
from metra.stats.agreement import alpha
from metra.stats.arrays import drop_nan
from metra.stats.moments import pearson, spearman
from metra.stats.ratings import convert_matrix


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
class Exercise:
    """Everything that the exercise asks for, in one record."""

    results: tuple[EvaluatorScore, ...]
    reliability: tuple[Reliability, ...]
    correlations: tuple[MetricCorrelation, ...]

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
        msg = "There are no results to compare; give the scores of at least one evaluator."
        raise CorpusError(msg)
    for one in given:
        if not one.reason and not 0 <= one.score <= 100:
            msg = (
                f"{one.evaluator} gives {one.metric} of {one.translation} {one.score:g}; "
                "expected a score from 0 to 100."
            )
            raise CorpusError(msg)
    by_metric = group_by(given, lambda one: one.metric)
    means = {
        name: {
            place: fmean(scores.values())
            for place, scores in _group_by_translation(mine).items()
        }
        for name, mine in by_metric.items()
    }
    return Exercise(
        given,
        tuple(_compute_reliability(name, mine) for name, mine in by_metric.items()),
        tuple(
            _correlate_metrics(one, other, means[one], means[other])
            for one, other in combinations(by_metric, 2)
        ),
    )


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
    if not shared:
        reason = "no translation has two evaluators"
        return Reliability(metric, *counts, mean, None, None, reason, *rest)
    deviation = sqrt(fmean(variance(given.values()) for given in shared))
    matrix = [[row.get(judge, nan) for row in places.values()] for judge in evaluators]
    agreement = drop_nan(alpha(convert_matrix(matrix)))
    reason = "" if agreement is not None else "all scores are equal"
    return Reliability(metric, *counts, mean, deviation, agreement, reason, *rest)


def _correlate_metrics(
    one: str, other: str, mine: Mapping[Place, float], theirs: Mapping[Place, float]
) -> MetricCorrelation:
    both = sorted(set(mine) & set(theirs))
    x, y = (np.array([[scores[place] for place in both]]) for scores in (mine, theirs))
    figures = (
        float(of(x, y)[0]) if len(both) > 1 else nan for of in (pearson, spearman)
    )
    return MetricCorrelation(one, other, len(both), *map(drop_nan, figures))


_NAMES = ("metric", "evaluator", "text", "translation")


def read_results(path: str) -> list[EvaluatorScore]:
    """Read a table with the columns metric, evaluator, text, translation and score."""
    needed = (*_NAMES, "score")
    table = read_annotation_table(path, needed, {*needed, "items", "native", "reason"})
    results = []
    for row in table.rows:
        cell, reason = row.cells["score"], ""
        if row.cells["evaluator"] == "all":
            continue
        try:
            score = float(cell) if cell != NONE else nan
        except ValueError:
            score = -1.0
        if cell == NONE:
            reason = row.cells.get("reason", "") or "no reason is given"
        elif not 0 <= score <= 100:
            expected = f"expected a number from 0 to 100, or {NONE}"
            raise table.error(row, f"the score is {cell!r}", expected)
        names = {name: row.cells[name] for name in _NAMES}
        results.append(EvaluatorScore(**names, score=score, reason=reason))
    return results
