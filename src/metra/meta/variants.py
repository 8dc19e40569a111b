"""The questions `refs` and `tune`: outputs scored with variants of a metric.

Lavie, Sagae and Jayaraman 2004 left open how many references a metric needs to agree with
people, and estimated on a development set how much recall should weigh. For each number of
references, subsets of the streams are tried: all of them, or a sample. For an option, a
curve over all values shows how much the choice matters, resamples show how sure the best
value is, and cross-validation evaluates it on segments that it was not chosen on. Corpus
scores are pooled from statistics.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from metra.errors import CorpusError, OptionError, UnknownNameError, no_such
from metra.meta import correlate, findings
from metra.meta.charts import CurvePlot
from metra.meta.options import RefsOptions, TuneOptions
from metra.meta.question import Evidence, Question, require_one_language
from metra.metrics.options import format_value
from metra.metrics.registry import metric, read_spec
from metra.scores.table import concatenate_scores
from metra.scores.views import build_panel
from metra.scoring.evaluate import make_metrics
from metra.scoring.scorers import ReferenceSubset, count_streams, score_systems
from metra.scoring.table import Cell, Table, mark_best
from metra.stats.arrays import Array
from metra.stats.bootstrap import (
    bootstrap,
    compute_bounds,
    correlate_weightings,
    resamples_segments,
)
from metra.stats.correlation import Options
from metra.stats.defaults import SEED, TRIALS
from metra.stats.panel import ScorePanel
from metra.stats.resampling import Interval


@dataclass(frozen=True)
class ReferenceCurves:
    """For each number of references and metric: the coefficient with every subset tried."""

    streams: int
    counts: list[int]
    subsets: list[list[tuple[int, ...]]]
    values: dict[str, list[list[float]]]
    panel: ScorePanel
    question: correlate.CorrelationSpec

    def summarise(self) -> dict[str, list[tuple[float, Interval | None]]]:
        """Return mean and range over the subsets, by metric and number of references."""
        lines: dict[str, list[tuple[float, Interval | None]]] = {}
        for name, line in self.values.items():
            for each in line:
                defined = [v for v in each if v == v]
                mean = float(np.mean(defined)) if defined else math.nan
                span = (min(defined), max(defined)) if len(defined) > 1 else None
                lines.setdefault(name, []).append((mean, span))
        return lines


def choose_subsets(
    streams: int, count: int, most: int, seed: int = SEED
) -> list[tuple[int, ...]]:
    """Choose subsets of so many streams: all where they are few, else a sample.

    >>> choose_subsets(3, 2, 10)
    [(0, 1), (0, 2), (1, 2)]
    """
    if math.comb(streams, count) <= most:
        return list(combinations(range(streams), count))
    rng = np.random.default_rng([seed, count])
    subsets: set[tuple[int, ...]] = set()
    while len(subsets) < most:
        drawn = rng.choice(streams, count, replace=False)
        subsets.add(tuple(sorted(drawn.tolist())))
    return sorted(subsets)


def ask_references(evidence: Evidence, options: RefsOptions) -> ReferenceCurves:
    """Score the outputs with subsets of the references, and correlate each time."""
    if not (evidence.outputs and evidence.specs and evidence.references):
        msg = (
            "Numbers of references need outputs to score; give `outputs`, at least two -r, "
            "and -m."
        )
        raise OptionError(msg)
    corpus, metrics = evidence.open_corpus(), make_metrics(evidence.specs)
    lang = require_one_language(evidence.rows)

    def score(chosen: Sequence[int]) -> ScorePanel:
        subset = ReferenceSubset(corpus, chosen)
        own, statistics = score_systems(subset, metrics, lang=lang)
        both = concatenate_scores([evidence.rows, own])
        return build_panel(both, evidence.gold, list(metrics), statistics=statistics)

    (question,) = correlate.parse_specs(
        [options.coef], options.level, Options(seed=options.seed)
    )
    return correlate_subsets(score, count_streams(corpus), question, options)


def correlate_subsets(
    score: Callable[[Sequence[int]], ScorePanel],
    streams: int,
    question: correlate.CorrelationSpec,
    options: RefsOptions,
) -> ReferenceCurves:
    """Correlate with each number of references; `score` takes numbers of streams."""
    if streams < 2:
        msg = f"Found {streams or 'no'} reference; this analysis needs at least two."
        raise CorpusError(msg)
    sizes = sorted({min(count, streams) for count in options.counts})
    sizes = sizes or _choose_counts(streams)
    tried = [
        choose_subsets(streams, size, options.most, options.seed) for size in sizes
    ]
    values: dict[str, list[list[float]]] = {}
    for place, subsets in enumerate(tried):
        for subset in subsets:
            panel = score(subset)
            for name, result in correlate.correlate_panel(panel, question).items():
                lines = values.setdefault(name, [[] for _ in sizes])
                lines[place].append(result.value)
    return ReferenceCurves(streams, sizes, tried, values, panel, question)


def report_references(
    curves: ReferenceCurves, options: RefsOptions
) -> findings.MetaReport:
    """Lay out mean and range over subsets, metrics down and numbers across."""
    panel, question = curves.panel, curves.question
    caption = f"{question.heading} with {panel.gold_name} by number of references"
    counts, rows = [*map(str, curves.counts)], curves.summarise().items()
    tried = ", ".join(
        f"{count}: {len(subsets)} of {math.comb(curves.streams, count):,}"
        for count, subsets in zip(curves.counts, curves.subsets, strict=True)
    )
    notes = [
        *panel.notes,
        "[ ] is the range over the subsets of references.",
        f"Subsets by number of references: {tried}.",
    ]
    if any(v != v for line in curves.values.values() for each in line for v in each):
        notes.append("– marks scores that are constant.")
    subsets = [[list(subset) for subset in each] for each in curves.subsets]
    return findings.build_report(
        [findings.build_table("metric", counts, rows, caption, "refs")],
        options,
        notes,
        {"subsets": subsets, "values": curves.values},
        panel=panel,
        level=question.level,
        coef=question.options.coef,
        group=question.options.group if question.level == "seg" else None,
        refs=curves.streams,
        seed=options.seed,
    )


def draw_references(curves: ReferenceCurves, options: RefsOptions) -> list[CurvePlot]:
    """Draw the mean over subsets with its range."""
    question, lines = curves.question, curves.summarise().items()
    return [
        CurvePlot(
            f"{question.heading} with {curves.panel.gold_name} by number of references",
            f"mean over subsets, at most {options.most} of each number, and their range",
            "references",
            question.options.coef,
            [str(count) for count in curves.counts],
            {name: [mean for mean, _ in line] for name, line in lines},
            errors={name: [span for _, span in line] for name, line in lines},
        )
    ]


REFS = Question("refs", ask_references, report_references, draw_references)


def _choose_counts(streams: int) -> list[int]:
    """All numbers up to eight, then doubling."""
    small = list(range(1, min(streams, 8) + 1))
    doubled = [
        1 << power for power in range(4, streams.bit_length()) if 1 << power < streams
    ]
    return [*small, *doubled, streams] if streams > 8 else small


@dataclass(frozen=True)
class TuningFold:
    """A part of the segments that was held out while a value was chosen on the others."""

    value: float
    #: The coefficient of that value on the others, and on the part.
    others: float
    held_out: float
    #: The coefficient of the default on the part.
    default: float

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """The coefficients on the others, held out, and of the default."""
        return self.others, self.held_out, self.default


@dataclass(frozen=True)
class TuningCurve:
    """A metric with each value of an option, and the outcome of choosing the best."""

    spec: str
    default: float
    values: list[float]
    coefficients: list[float]
    intervals: list[Interval | None]
    best: float
    #: The interval that holds 95 % of the best values of resamples.
    best_interval: Interval | None
    folds: list[TuningFold]

    def coefficient(self, value: float) -> float:
        """Return the coefficient of a value on all segments; NaN if it was not tried."""
        return self.list_coefficients([value])[0]

    def list_coefficients(self, values: Sequence[float]) -> list[float]:
        """Return the coefficients of values; NaN where one was not tried."""
        tried = dict(zip(self.values, self.coefficients, strict=True))
        return [tried.get(value, math.nan) for value in values]

    def list_intervals(self, values: Sequence[float]) -> list[Interval]:
        """Return the intervals of values, if all of them have one."""
        tried = dict(zip(self.values, self.intervals, strict=True))
        intervals = [each for value in values if (each := tried.get(value))]
        return intervals if len(intervals) == len(values) else []

    def average_folds(self) -> list[float]:
        """Average the coefficients of folds: on the others, held out, of the default."""
        columns = zip(*(fold.coefficients for fold in self.folds), strict=True)
        return [float(np.mean(column)) for column in columns]


class Tuning(NamedTuple):
    """The curves of several metrics."""

    panel: ScorePanel
    question: correlate.CorrelationSpec
    curves: list[TuningCurve]

    @property
    def values(self) -> list[float]:
        """The values that were tried for any metric."""
        return sorted({value for curve in self.curves for value in curve.values})


def list_variants(
    spec: str, parameter: str, values: Sequence[float]
) -> tuple[float, dict[float, str]]:
    """Return the value that a spec has, and a spec for each value, that one included."""
    name, given = read_spec(spec)
    options = metric(spec).options
    if parameter not in options:
        raise UnknownNameError(no_such("option", parameter, options, owner=name))
    default = options[parameter]
    if isinstance(default, bool) or not isinstance(default, int | float):
        said = format_value(default)
        msg = (
            f"{name}: {parameter} is {said}, not a number; only numeric options can "
            "be tuned."
        )
        raise OptionError(msg)
    variants = {}
    for value in sorted({*values, float(default)}):
        chosen = given | {parameter: format_value(value)}
        listed = ",".join(f"{key}={text}" for key, text in chosen.items())
        variants[value] = f"{name}:{listed}"
    return float(default), variants


def tune_option(
    panel: ScorePanel,
    spec: str,
    default: float,
    variants: Mapping[float, str],
    question: correlate.CorrelationSpec,
    options: TuneOptions,
) -> TuningCurve:
    """Correlate a metric with each value of its option, and choose, also on parts."""
    if question.options.coefficient.calibrated:
        msg = (
            f"{question.options.coef} fits its tie threshold to all segments; tune by "
            "another coefficient, such as pearson."
        )
        raise OptionError(msg)
    values, names = list(variants), list(variants.values())
    own = panel.of_metrics(names)
    answers = correlate.correlate_panel(own, question)
    coefficients = [answers[name].value for name in names]
    if not np.isfinite(coefficients).any():
        reason = next(iter(answers.values())).reason or "scores are constant"
        msg = f"{spec} has no coefficient with {panel.gold_name}: {reason.rstrip('.')}."
        raise CorpusError(msg)
    intervals: list[Interval | None] = [None] * len(names)
    best_interval = None
    enough = len(panel.systems) > 2 and not correlate.explain_no_interval(own, question)
    if enough and options.trials:
        draws = bootstrap(own, question.level, question.options)
        intervals = [compute_bounds(draws[name]) for name in names]
        table = np.stack([draws[name] for name in names])
        best_interval = compute_bounds(_choose_values(values, table))
    return TuningCurve(
        spec,
        default,
        values,
        coefficients,
        intervals,
        float(_choose_values(values, np.array(coefficients)[:, None])[0]),
        best_interval,
        _cross_validate(own, default, variants, question, options),
    )


def _cross_validate(
    panel: ScorePanel,
    default: float,
    variants: Mapping[float, str],
    question: correlate.CorrelationSpec,
    options: TuneOptions,
) -> list[TuningFold]:
    """Hold each part of the segments out once; nothing where there are no segments."""
    count = options.folds
    if not count or not resamples_segments(panel):
        return []
    judged = np.flatnonzero(np.isfinite(panel.gold).any(0))
    if len(judged) < count:
        msg = (
            f"{len(judged)} segments cannot be divided into {count} folds; give "
            "fewer `folds`."
        )
        raise CorpusError(msg)
    order = np.random.default_rng(options.seed).permutation(len(judged)) % count
    held_out = np.zeros((count, panel.gold.shape[1]))
    held_out[order, judged] = 1.0
    weights = np.concatenate([held_out.sum(0) - held_out, held_out])
    drawn = correlate_weightings(panel, question.level, question.options, weights)
    values = list(variants)
    table = np.stack([drawn[name] for name in variants.values()])
    usual, folds = values.index(default), []
    for fold, value in enumerate(_choose_values(values, table[:, :count]).tolist()):
        if value == value:
            best, part = values.index(value), table[:, count + fold]
            figures = table[best, fold], part[best], part[usual]
            folds.append(TuningFold(value, *map(float, figures)))
    return folds


def _choose_values(values: Sequence[float], table: Array) -> Array:
    """Return the value with the highest coefficient of each column, NaN if none has one."""
    defined = np.where(np.isfinite(table), table, -np.inf)
    best = np.asarray(values)[defined.argmax(0)]
    return np.where(np.isfinite(table).any(0), best, np.nan)


def ask_tuning(evidence: Evidence, options: TuneOptions) -> Tuning:
    """Score the outputs with every value of the option, and choose the best."""
    if not (evidence.outputs and evidence.specs):
        msg = "Values of an option need outputs to score; give `outputs` and -m."
        raise OptionError(msg)
    variants = {
        spec: list_variants(spec, options.parameter, options.values)
        for spec in evidence.specs
    }
    listed = (spec for _, each in variants.values() for spec in each.values())
    evidence.metrics = tuple(dict.fromkeys(listed))
    evidence.score_outputs(evidence.metrics)
    (panel,) = evidence.build_panels()
    chosen = Options(trials=options.trials or TRIALS, seed=options.seed)
    (question,) = correlate.parse_specs([options.coef], options.level, chosen)
    curves = [
        tune_option(panel, spec, default, each, question, options)
        for spec, (default, each) in variants.items()
    ]
    return Tuning(panel, question, curves)


def report_tuning(tuning: Tuning, options: TuneOptions) -> findings.MetaReport:
    """Lay out the curves side by side, then the folds of each metric."""
    panel, question, curves = tuning
    tables = [_build_curve_table(tuning, options)]
    tables += [_build_fold_table(curve, options) for curve in curves if curve.folds]
    notes = [*panel.notes, *(_describe_best(curve, options) for curve in curves)]
    if options.folds and not any(curve.folds for curve in curves):
        notes.append("No cross-validation: the gold has no segment scores.")
    return findings.build_report(
        tables,
        options,
        notes,
        {"curves": list(curves)},
        panel=panel,
        level=question.level,
        coef=question.options.coef,
        group=question.options.group if question.level != "sys" else None,
        folds=f"{options.folds} by segment" if options.folds else None,
        values=None,
        **findings.describe_draws(options, "both") | {"seed": options.seed},
    )


def draw_tuning(tuning: Tuning, options: TuneOptions) -> list[CurvePlot]:
    """Draw the coefficient of each metric by value, with intervals."""
    panel, question, curves = tuning
    values = tuning.values
    return [
        CurvePlot(
            f"{question.heading} with {panel.gold_name} by {options.parameter}",
            f"{len(panel.systems)} systems, {panel.compared:,} judged segments",
            options.parameter,
            question.options.coef,
            [format_value(value) for value in values],
            {curve.spec: curve.list_coefficients(values) for curve in curves},
            {curve.spec: curve.list_intervals(values) for curve in curves},
        )
    ]


TUNE = Question("tune", ask_tuning, report_tuning, draw_tuning)


def _build_curve_table(tuning: Tuning, options: TuneOptions) -> Table:
    columns = []
    for curve in tuning.curves:
        figures = zip(curve.coefficients, curve.intervals, strict=True)
        cells = mark_best([findings.build_figure(*figure) for figure in figures])
        by_value = dict(zip(curve.values, cells, strict=True))
        columns.append([by_value.get(value, Cell(None)) for value in tuning.values])
    names = [format_value(value) for value in tuning.values]
    rows = zip(names, zip(*columns, strict=True), strict=True)
    heading, gold = tuning.question.heading, tuning.panel.gold_name
    specs = [curve.spec for curve in tuning.curves]
    caption = f"{heading} with {gold} by {options.parameter}"
    return findings.build_table(options.parameter, specs, rows, caption, "curve")


def _build_fold_table(curve: TuningCurve, options: TuneOptions) -> Table:
    rows = [
        (str(number), [format_value(fold.value), *fold.coefficients])
        for number, fold in enumerate(curve.folds, 1)
    ]
    rows.append(("mean", ["", *curve.average_folds()]))
    usual = f"held out, {options.parameter} {format_value(curve.default)}"
    heads = [f"best {options.parameter}", "on the others", "held out", usual]
    caption, name = f"Cross-validation of {curve.spec}", f"folds {curve.spec}"
    return findings.build_table("fold", heads, rows, caption, name)


def _describe_best(curve: TuningCurve, options: TuneOptions) -> str:
    """Name the best value with its interval and its coefficient on held-out segments."""
    best, usual = format_value(curve.best), format_value(curve.default)
    said = (
        f"{curve.spec}: the best {options.parameter} is {best} "
        f"({curve.coefficient(curve.best):.3f})"
    )
    if curve.best_interval:
        low, high = map(format_value, curve.best_interval)
        said += f", from {low} to {high} in 95 % of the resamples"
    said += f"; {usual} has {curve.coefficient(curve.default):.3f}."
    if curve.folds:
        _, held_out, default = curve.average_folds()
        said += (
            " On held-out segments, the value chosen on the other folds has "
            f"{held_out:.3f} and {usual} {default:.3f}, averaged over "
            f"{len(curve.folds)} folds."
        )
    return said
