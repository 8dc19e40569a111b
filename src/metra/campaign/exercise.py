"""The collective exercise: several evaluators, texts, translations and metrics, 0 to 100.

Dabbadie et al. 2002, LREC workshop, ask of each metric how reliable it is (the standard
deviation over evaluators and their agreement) and how far metrics agree with each other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import nan, sqrt
from statistics import fmean, variance
from typing import Any

import numpy as np

from metra.campaign.results import NONE, TextScore
from metra.errors import CorpusError
from metra.formats.annotations.table import (
    AnnotationRow,
    AnnotationTable,
    read_annotation_table,
)
from metra.formats.table import replace_line_breaks
from metra.stats.agreement import alpha
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

    def as_json(self) -> dict[str, Any]:
        """Return the record as plain tables and lists."""
        return asdict(self)

    def tables(self) -> dict[str, str]:
        """Return the tables to send in, by file name: results, reliability and correlations."""
        return {
            "results.tsv": _format_table(self.results, EvaluatorScore),
            "reliability.tsv": _format_table(self.reliability, Reliability),
            "correlations.tsv": _format_table(self.correlations, MetricCorrelation),
            "matrix.tsv": _format_matrix(
                self.correlations, [one.metric for one in self.reliability]
            ),
        }


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
    metrics = list(dict.fromkeys(one.metric for one in given))
    by_metric = {name: [one for one in given if one.metric == name] for name in metrics}
    means = {name: _average_evaluators(mine) for name, mine in by_metric.items()}
    return Exercise(
        given,
        tuple(_compute_reliability(name, mine) for name, mine in by_metric.items()),
        tuple(
            _correlate_metrics(one, other, means[one], means[other])
            for one, other in combinations(metrics, 2)
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


def _average_evaluators(results: Iterable[EvaluatorScore]) -> dict[Place, float]:
    return {
        place: fmean(given.values())
        for place, given in _group_by_translation(results).items()
    }


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
    matrix = [
        [given.get(evaluator, nan) for given in places.values()]
        for evaluator in evaluators
    ]
    agreement = alpha(convert_matrix(matrix))
    known = agreement == agreement
    reason = "" if known else "all scores are equal"
    shown = agreement if known else None
    return Reliability(metric, *counts, mean, deviation, shown, reason, *rest)


def _correlate_metrics(
    one: str, other: str, mine: Mapping[Place, float], theirs: Mapping[Place, float]
) -> MetricCorrelation:
    both = sorted(set(mine) & set(theirs))
    x, y = (np.array([[scores[place] for place in both]]) for scores in (mine, theirs))
    figures = [
        float(of(x, y)[0]) if len(both) > 1 else nan for of in (pearson, spearman)
    ]
    known = [figure if figure == figure else None for figure in figures]
    return MetricCorrelation(one, other, len(both), *known)


def _format_table(records: Sequence[Any], kind: type[Any]) -> str:
    names = list(kind.__dataclass_fields__)
    lines = ["\t".join(names)]
    lines += [
        "\t".join(_format_cell(getattr(one, name)) for name in names) for one in records
    ]
    return "".join(f"{line}\n" for line in lines)


def _format_cell(value: object) -> str:
    if value is None or value != value:
        return NONE
    return repr(value) if isinstance(value, float) else replace_line_breaks(str(value))


def _format_matrix(
    correlations: Sequence[MetricCorrelation], metrics: Sequence[str]
) -> str:
    """Return Pearson's r of every two metrics as a square table."""
    values: dict[tuple[str, str], float | None] = {
        (name, name): 1.0 for name in metrics
    }
    for one in correlations:
        values[one.one, one.other] = values[one.other, one.one] = one.pearson
    lines = ["\t".join(["metric", *map(replace_line_breaks, metrics)])]
    lines += [
        "\t".join(
            [
                replace_line_breaks(row),
                *(_format_cell(values[row, column]) for column in metrics),
            ]
        )
        for row in metrics
    ]
    return "".join(f"{line}\n" for line in lines)


COLUMNS = ("metric", "evaluator", "text", "translation", "score")


def read_results(path: str) -> list[EvaluatorScore]:
    """Read a table with the columns metric, evaluator, text, translation and score."""
    table = read_annotation_table(
        path, COLUMNS, {*COLUMNS, "items", "native", "reason"}
    )
    return [
        EvaluatorScore(
            row.cells["metric"],
            row.cells["evaluator"],
            row.cells["text"],
            row.cells["translation"],
            *_read_score(table, row),
        )
        for row in table.rows
        if row.cells["evaluator"] != "all"
    ]


def _read_score(table: AnnotationTable, row: AnnotationRow) -> tuple[float, str]:
    cell = row.cells["score"]
    if cell == NONE:
        return nan, row.cells.get("reason", "") or "no reason is given"
    try:
        score = float(cell)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 100:
        raise table.error(
            row, f"the score is {cell!r}", f"expected a number from 0 to 100, or {NONE}"
        )
    return score, ""
