"""How two kinds of scores go together: metrics with each other, and with judgements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from metra.analysis.distributions import compute_bin_edges, get_segment_scores
from metra.errors import CorpusError, UnknownNameError, format_count, no_such
from metra.metrics.outside import build_mean_metric
from metra.metrics.record import Array
from metra.scoring.compare import ComparisonSettings, compare_statistics
from metra.scoring.evaluate import EvaluationOptions, evaluate_statistics
from metra.scoring.results import Results
from metra.scoring.statistics import CorpusStatistics, Tally
from metra.scoring.totals import Total, Totals
from metra.stats.arrays import drop_nan
from metra.stats.moments import pearson, spearman
from metra.stats.totals import sum_parts

if TYPE_CHECKING:
    from metra.scores.table import Scores
    from metra.stats.line_fit import LineFit


@dataclass(frozen=True, slots=True)
class SystemPoint:
    """One system's two scores."""

    system: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class HistogramCell:
    """How many segments have their two scores in these two bins, counted from 0."""

    x: int
    y: int
    count: int


@dataclass(frozen=True, slots=True)
class ScoreRelation:
    """Two scores of the same segments, and of the same systems."""

    x: str
    y: str
    points: Sequence[SystemPoint]
    x_edges: Sequence[float]
    y_edges: Sequence[float]
    squares: Sequence[HistogramCell]
    #: How many segments have both scores.
    segments: int
    #: Correlations by Pearson and by Spearman; None where one side does not vary.
    pearson: float | None
    spearman: float | None
    #: Pearson's correlation over systems; None for fewer than three.
    systems_pearson: float | None


def relate_metrics(results: Results) -> list[ScoreRelation]:
    """Relate every metric to every later one."""
    specs = results.specs
    names = [system.name for system in results.systems]
    pooled = {
        spec: np.concatenate(
            [get_segment_scores(results, name, spec) for name in names]
        )
        for spec in specs
    }
    return [
        relate_scores(
            x,
            y,
            [SystemPoint(n, results[n][x].score, results[n][y].score) for n in names],
            pooled[x],
            pooled[y],
        )
        for x, y in combinations(specs, 2)
    ]


def relate_scores(
    x: str, y: str, points: Sequence[SystemPoint], x_scores: Array, y_scores: Array
) -> ScoreRelation:
    """Relate two scores; segments that lack one of them are left out."""
    both = np.isfinite(x_scores) & np.isfinite(y_scores)
    x_scores, y_scores = x_scores[both], y_scores[both]
    x_edges, y_edges = compute_bin_edges(x_scores), compute_bin_edges(y_scores)
    table = np.histogram2d(x_scores, y_scores, (x_edges, y_edges))[0].astype(int)
    return ScoreRelation(
        x=x,
        y=y,
        points=points,
        x_edges=x_edges.tolist(),
        y_edges=y_edges.tolist(),
        squares=[
            HistogramCell(i, j, int(table[i, j]))
            for i, j in np.argwhere(table).tolist()
        ],
        segments=int(both.sum()),
        pearson=drop_nan(float(pearson(x_scores, y_scores))),
        spearman=drop_nan(float(spearman(x_scores, y_scores))),
        systems_pearson=drop_nan(float(pearson(*_get_coordinates(points))))
        if len(points) > 2
        else None,
    )


def _get_coordinates(points: Sequence[SystemPoint]) -> Array:
    return np.array([(point.x, point.y) for point in points]).reshape(-1, 2).T


#: How judgements are named beside the metrics.
HUMAN_SCORE = "people"


@dataclass(frozen=True, slots=True)
class HumanScores:
    """What people said about the outputs, and how the metrics agree with it."""

    judgements: int
    #: How many people, where the file names them.
    judges: int | None
    #: By system, each segment's mean judgement; NaN where there is none.
    segments: Mapping[str, Array]
    #: By system, the mean over its judged segments; NaN where there are none.
    means: Mapping[str, float]
    #: One for each metric: people across, the metric up.
    relations: Sequence[ScoreRelation]
    #: By metric, a line through the systems, where one is defined.
    fits: "Mapping[str, LineFit]"
    #: The means of judged systems with intervals and, of several, comparisons.
    results: Results | None = None
    #: Systems that were judged but are not among the outputs.
    left_out: Sequence[str] = ()


def select_judged_systems(
    judgements: "Scores", systems: Sequence[str]
) -> tuple["Scores", list[str]]:
    """Keep the judgements of these systems; also list the other systems, in order.

    Judgements of none of them are an error: then the names differ.
    """
    others = [name for name in judgements.systems if name not in systems]
    if others and len(others) == len(judgements.systems):
        msg = (
            "None of the judged systems has an output; "
            f"{no_such('system', others[0], systems)}"
        )
        raise UnknownNameError(msg)
    return judgements.only(without_systems=others), others


def relate_judgements(
    judgements: "Scores",
    results: Results,
    documents: Sequence[str] | None = None,
) -> HumanScores:
    """Join judgements with the outputs that they are about; documents are checked if known.

    Several judgements of one output are averaged as they are, without a correction for
    strict and mild judges.
    """
    from metra.stats.line_fit import fit_line

    names = [system.name for system in results.systems]
    _check_judgements(judgements, names, documents, results.segments)
    scores = {
        name: _average_judgements(judgements, name, results.segments) for name in names
    }
    means = {
        name: float(values[np.isfinite(values)].mean())
        if np.isfinite(values).any()
        else np.nan
        for name, values in scores.items()
    }
    judged = [name for name, mean in means.items() if np.isfinite(mean)]
    pooled = np.concatenate(list(scores.values()))
    relations = [
        relate_scores(
            HUMAN_SCORE,
            spec,
            [
                SystemPoint(name, means[name], results[name][spec].score)
                for name in judged
            ],
            pooled,
            np.concatenate([get_segment_scores(results, name, spec) for name in names]),
        )
        for spec in results.specs
    ]
    lines = {entry.y: fit_line(*_get_coordinates(entry.points)) for entry in relations}
    return HumanScores(
        len(judgements),
        len(judgements.judges) or None,
        scores,
        means,
        relations,
        {spec: line for spec, line in lines.items() if line is not None},
    )


def _average_judgements(judgements: "Scores", system: str, count: int) -> Array:
    if system not in judgements.systems:
        return np.full(count, np.nan)
    own = judgements.system == judgements.systems.index(system)
    numbers = np.array([int(item.segment) for item in judgements.items], np.intp)
    places = numbers[judgements.item[own]] - 1
    totals = np.bincount(places, judgements.value[own], count)
    times = np.bincount(places, minlength=count)
    return np.where(times > 0, totals / np.maximum(times, 1), np.nan)


def _check_judgements(
    judgements: "Scores",
    systems: Sequence[str],
    documents: Sequence[str] | None,
    count: int,
) -> None:
    """Refuse judgements of systems, segments or documents that there are not."""
    lines = (
        judgements.line if len(judgements.line) else np.arange(1, len(judgements) + 1)
    )
    for at, number, line in zip(judgements.system, judgements.item, lines, strict=True):
        system, item = judgements.systems[at], judgements.items[number]
        place, segment = f"Judgement in line {line}", int(item.segment)
        if system not in systems:
            msg = f"{place}: {no_such('system', system, systems)}"
            raise UnknownNameError(msg)
        if segment > count:
            msg = (
                f"{place} refers to segment {segment}, but the test set has "
                f"{format_count(count, 'segment')}; segments are "
                "counted from 1 through the whole test set."
            )
            raise CorpusError(msg)
        document = documents[segment - 1] if documents is not None else item.document
        if item.document and item.document != document:
            msg = (
                f"{place} puts segment {segment} into document "
                f"{item.document!r}, but it is in {document!r}; segments are counted from "
                "1 through the whole test set, not within documents."
            )
            raise CorpusError(msg)


def compare_by_people(
    people: HumanScores, sheets: CorpusStatistics, baseline: str, seed: int
) -> Results | None:
    """Compare systems by what people thought, as by any metric; None if nothing is judged."""
    metric = build_mean_metric(HUMAN_SCORE)
    rows = {
        name: np.stack([np.nan_to_num(values), np.isfinite(values)], axis=1)
        for name, values in people.segments.items()
        if np.isfinite(values).any()
    }
    if not rows:
        return None
    statistics = replace(
        sheets,
        metrics={HUMAN_SCORE: metric},
        systems=tuple(rows),
        totals=Totals(
            {
                (name, HUMAN_SCORE): Total(len(each), 0, sum_parts(each))
                for name, each in rows.items()
            }
        ),
        tallies={
            (name, HUMAN_SCORE): Tally(each, each.sum(0)) for name, each in rows.items()
        },
    )
    if len(rows) > 1:
        judged_baseline = baseline if baseline in rows else None
        contest = ComparisonSettings(
            baseline=judged_baseline, all_pairs=True, seed=seed
        )
        return compare_statistics(statistics, contest)
    return evaluate_statistics(statistics, EvaluationOptions(ci=True, seed=seed))
