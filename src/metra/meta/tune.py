"""The question `tune`: which value of a metric's option agrees best with people?

Lavie, Sagae and Jayaraman 2004 estimated on a development set how much recall should weigh.
A curve over all values shows how much the choice matters, resamples show how sure the best
one is, and cross-validation shows what the choice is worth on segments that it was not made
on: in each fold the best value of the other segments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.errors import CorpusError, OptionError, UnknownNameError, no_such
from metra.meta.correlate import (
    CorrelationSpec,
    correlate_panel,
    explain_no_interval,
)
from metra.meta.findings import MetaReport, build_figure, build_signature
from metra.meta.options import TuneOptions
from metra.metrics.options import format_value
from metra.metrics.registry import metric, read_spec
from metra.scoring.table import Cell, Table, make_table, mark_best
from metra.stats.arrays import Array
from metra.stats.bootstrap import (
    bootstrap,
    compute_bounds,
    correlate_weightings,
    resamples_segments,
)
from metra.stats.panel import ScorePanel

Interval = tuple[float, float]


@dataclass(frozen=True)
class TuningFold:
    """A part of the segments that was held out while a value was chosen on the others."""

    value: float
    #: The coefficient of that value on the others, and on the part.
    others: float
    held_out: float
    #: What the default has on the part.
    default: float


@dataclass(frozen=True)
class TuningCurve:
    """A metric with each value of an option, and what comes of choosing the best."""

    spec: str
    default: float
    values: list[float]
    coefficients: list[float]
    intervals: list[Interval | None]
    best: float
    #: What holds 95 % of the best values of resamples.
    best_interval: Interval | None
    folds: list[TuningFold]

    def coefficient(self, value: float) -> float:
        """Return the coefficient of a value on all segments; NaN if it was not tried."""
        (coefficient,) = self.list_coefficients([value])
        return coefficient

    def list_coefficients(self, values: Sequence[float]) -> list[float]:
        """Return the coefficients of values; NaN where one was not tried."""
        known = dict(zip(self.values, self.coefficients, strict=True))
        return [known.get(value, float("nan")) for value in values]

    def list_intervals(self, values: Sequence[float]) -> list[Interval]:
        """Return the intervals of values, if all of them have one."""
        known = dict(zip(self.values, self.intervals, strict=True))
        intervals = [known.get(value) for value in values]
        return [] if None in intervals else [each for each in intervals if each]


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
    question: CorrelationSpec,
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
    answers = correlate_panel(own, question)
    coefficients = [answers[name].value for name in names]
    if not np.isfinite(coefficients).any():
        reason = next(iter(answers.values())).reason or "scores are constant"
        msg = f"{spec} has no coefficient with {panel.gold_name}: {reason.rstrip('.')}."
        raise CorpusError(msg)
    intervals: list[Interval | None] = [None] * len(names)
    best_interval = None
    enough = len(panel.systems) > 2 and not explain_no_interval(own, question)
    if enough and not options.no_ci:
        draws = bootstrap(own, question.level, question.options, drawn=options.resample)
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
    question: CorrelationSpec,
    options: TuneOptions,
) -> list[TuningFold]:
    """Hold each part of the segments out once; nothing where there are no segments."""
    if not options.folds or not resamples_segments(panel):
        return []
    held_out = _draw_folds(panel, options)
    others = held_out.sum(0) - held_out
    weights = np.concatenate([others, held_out])
    found = correlate_weightings(panel, question.level, question.options, weights)
    values = list(variants)
    table = np.stack([found[name] for name in variants.values()])
    chosen = _choose_values(values, table[:, : options.folds])
    usual = values.index(default)
    folds = []
    for fold, value in enumerate(chosen.tolist()):
        if value == value:
            best = values.index(value)
            part = table[:, options.folds + fold]
            developed = float(table[best, fold])
            folds.append(
                TuningFold(value, developed, float(part[best]), float(part[usual]))
            )
    return folds


def _draw_folds(panel: ScorePanel, options: TuneOptions) -> Array:
    """Part the judged segments, or documents, at random: folds × segments, 1 for its own."""
    judged = np.flatnonzero(np.isfinite(panel.gold).any(0)).tolist()
    units = {at: str(at) for at in judged}
    if options.by == "document":
        units = {at: getattr(panel.items[at], "document", "") for at in judged}
        if not all(units.values()):
            msg = "Some segments have no document, which folds of documents need."
            raise CorpusError(msg)
    names = list(dict.fromkeys(units.values()))
    if len(names) < options.folds:
        msg = (
            f"{len(names)} {options.by}s cannot be divided into {options.folds} "
            "folds; give fewer `folds`."
        )
        raise CorpusError(msg)
    order = np.random.default_rng(options.seed).permutation(len(names)) % options.folds
    fold = dict(zip(names, order.tolist(), strict=True))
    parts = np.zeros((options.folds, panel.gold.shape[1]))
    for at in judged:
        parts[fold[units[at]], at] = 1.0
    return parts


def _choose_values(values: Sequence[float], table: Array) -> Array:
    """Return the value with the highest coefficient of each column, NaN if none has one."""
    known = np.where(np.isfinite(table), table, -np.inf)
    best = np.asarray(values)[known.argmax(0)]
    return np.where(np.isfinite(table).any(0), best, np.nan)


def report_tuning(
    panel: ScorePanel,
    curves: Sequence[TuningCurve],
    question: CorrelationSpec,
    options: TuneOptions,
) -> MetaReport:
    """Lay out the curves side by side, then the folds of each metric."""
    tables = [_build_curve_table(panel, curves, question, options)]
    tables += [_build_fold_table(curve, options) for curve in curves if curve.folds]
    notes = [*panel.notes, *(_describe_best(curve, options) for curve in curves)]
    if options.folds and not any(curve.folds for curve in curves):
        notes.append("No cross-validation: the gold has no segment scores.")
    boot = None if options.no_ci else f"{options.resample} k={options.trials}"
    signature = build_signature(
        panel,
        level=question.level,
        coef=question.options.coef,
        group=question.options.group if question.level != "sys" else None,
        tune=options.parameter,
        folds=f"{options.folds} by {options.by}" if options.folds else None,
        boot=boot,
        seed=options.seed,
    )
    return MetaReport(tables, signature, notes, {"curves": list(curves)})


def _build_curve_table(
    panel: ScorePanel,
    curves: Sequence[TuningCurve],
    question: CorrelationSpec,
    options: TuneOptions,
) -> Table:
    values = sorted({value for curve in curves for value in curve.values})
    columns = []
    for curve in curves:
        cells = dict(zip(curve.values, _build_curve_cells(curve), strict=True))
        columns.append([cells.get(value, Cell(None)) for value in values])
    rows = [
        (format_value(value), [*cells])
        for value, *cells in zip(values, *columns, strict=True)
    ]
    return make_table(
        options.parameter,
        [curve.spec for curve in curves],
        rows,
        caption=f"{question.heading} with {panel.gold_name} by {options.parameter}",
        name="curve",
    )


def _build_curve_cells(curve: TuningCurve) -> list[Cell]:
    pairs = zip(curve.coefficients, curve.intervals, strict=True)
    return mark_best([build_figure(*pair) for pair in pairs])


def _build_fold_table(curve: TuningCurve, options: TuneOptions) -> Table:
    rows = []
    for number, fold in enumerate(curve.folds, 1):
        figures = map(build_figure, (fold.others, fold.held_out, fold.default))
        rows.append((str(number), [Cell(format_value(fold.value)), *figures]))
    means = [float(np.mean(column)) for column in _list_columns(curve)]
    rows.append(("mean", [Cell(""), *map(build_figure, means)]))
    usual = f"held out, {options.parameter} {format_value(curve.default)}"
    return make_table(
        "fold",
        [f"best {options.parameter}", "on the others", "held out", usual],
        rows,
        caption=f"Cross-validation of {curve.spec}",
        name=f"folds {curve.spec}",
    )


def _list_columns(curve: TuningCurve) -> list[list[float]]:
    folds = curve.folds
    return [
        [fold.others for fold in folds],
        [fold.held_out for fold in folds],
        [fold.default for fold in folds],
    ]


def _describe_best(curve: TuningCurve, options: TuneOptions) -> str:
    """Say which value is best, how sure that is, and what it is worth elsewhere."""
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
        _, held_out, default = (float(np.mean(each)) for each in _list_columns(curve))
        said += (
            " On held-out segments, the value chosen on the other folds has "
            f"{held_out:.3f} and {usual} {default:.3f}, averaged over "
            f"{len(curve.folds)} folds."
        )
    return said
