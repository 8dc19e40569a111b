"""How well metrics agree with gold scores: any coefficient, grouped in any way.

A coefficient is a record in `COEFFICIENTS`: a new one is a function and a line there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from metra.errors import LengthError, OptionError, UnknownNameError, no_such
from metra.stats import moments, pairs, soft_pairwise
from metra.stats.arrays import Array
from metra.stats.defaults import SEED, TRIALS
from metra.stats.pairs import Orient, PairCounts
from metra.stats.tie_calibration import (
    MOST_PAIRS,
    Calibration,
    GoldPairs,
    calibrate,
    calibrate_long,
    cross_fit_thresholds,
    order_gold_pairs,
    split_folds,
)

Group: TypeAlias = Literal["none", "item", "sys"]
Average: TypeAlias = Literal["macro", "micro"]
Missing: TypeAlias = Literal["drop", "zero"]
Rows: TypeAlias = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class CorrelationCoefficient:
    """A way to say how well a metric agrees with the gold."""

    name: str
    about: str
    lowest: float
    #: The coefficient of each row of values, where it is of plain rows.
    rows: Callable[..., Array] | None = None
    #: The same with a threshold `eps`, where the metric is to find the gold's ties.
    tied: Callable[..., Array] | None = None
    #: The same with what each row weighs, where rows weigh as much as their pairs.
    weighted: Callable[..., tuple[Array, Array]] | None = None
    #: The same of the kinds of pairs, where these are all that needs to be known.
    counts: Callable[[PairCounts], Array] | None = None
    #: How it is computed of all metrics: group by group, if not said otherwise.
    compute: Callable[..., "dict[str, CorrelationResult]"] | None = None
    #: What Fisher's interval takes from n, and its variance times the rest.
    fisher: tuple[int, Callable[[float], float]] | None = None
    #: Whether it is a mean over pairs of outcomes that are right or wrong.
    pairs: bool = False
    #: Whether the threshold of ties is fitted to the scores unless given.
    calibrated: bool = False
    #: Whether it is of all segments of the systems, also to compare systems.
    of_segments: bool = False
    #: Whether it can be computed of groups.
    grouped: bool = True
    #: Whether a system's place in a pair makes a difference.
    oriented: bool = False
    #: Whether it is Pearson's r, which follows from sums of products.
    linear: bool = False
    #: Whether it compares p-values, which are themselves drawn.
    soft: bool = False
    #: Whether the threshold of ties is part of the answer.
    shows_eps: bool = True
    #: Other names of the same, as programs and papers call it.
    aliases: tuple[str, ...] = ()

    @property
    def ties(self) -> bool:
        """Whether the metric is expected to find the gold's ties."""
        return self.tied is not None


@dataclass(frozen=True)
class Options:
    """Everything that changes a coefficient's value."""

    coef: str = "pearson"
    group: Group = "none"
    average: Average = "macro"
    #: What a group that has values but no coefficient counts: nothing, or zero.
    nan: Missing = "drop"
    #: The threshold of ties where it is not calibrated: one, or one for each metric.
    eps: float | Mapping[str, float] | None = None
    #: Where thresholds come from that were fitted to other scores.
    eps_from: str = ""
    #: Folds of segments whose thresholds are fitted to the other folds; 0 for none.
    folds: int = 0
    #: How far apart the gold must set a pair for daRR.
    threshold: float = 25.0
    orient: Orient = "gold"
    #: Where the p-values of soft pairwise accuracy come from.
    p: Literal["permutation", "normal"] = "permutation"
    #: The same after exchanges between two metrics, where drawing takes its time.
    swapped_p: Literal["permutation", "normal"] = "normal"
    trials: int = TRIALS
    seed: int = SEED
    #: As the official scorer of WMT does it, to the last digit.
    wmt: bool = False

    def check_values(self) -> "Options":
        """Refuse values that mean nothing."""
        for name, kind in (("group", Group), ("average", Average), ("nan", Missing)):
            if getattr(self, name) not in get_args(kind):
                known = ", ".join(get_args(kind))
                msg = f"{name} is {getattr(self, name)!r}; expected one of {known}."
                raise OptionError(msg)
        if self.folds and self.eps is not None:
            msg = "A threshold of ties is either given or cross-fitted, not both."
            raise OptionError(msg)
        return self

    @property
    def calibrates(self) -> bool:
        """Whether the threshold of ties is fitted to the very scores it is applied to."""
        return self.coefficient.calibrated and self.eps is None and not self.folds

    @property
    def eps_said(self) -> str | None:
        """Where the threshold of ties comes from, for a signature."""
        if not self.coefficient.ties:
            return None
        if self.folds:
            return f"cross-fit {self.folds} folds"
        if self.eps_from:
            return f"from {self.eps_from}"
        return None if self.eps is None else str(self.eps)

    @property
    def coefficient(self) -> CorrelationCoefficient:
        """The coefficient that is meant."""
        return find_coefficient(self.coef)

    @property
    def rows(self) -> Rows | None:
        """The coefficient of rows of values, if it is one of them."""
        rows = self.coefficient.rows
        if rows is not None and self.coefficient.oriented:
            return partial(rows, orient=self.orient)
        return rows

    @property
    def micro(self) -> bool:
        """Whether groups weigh as much as they have values, or pairs that count."""
        return self.average == "micro" or self.coefficient.weighted is not None

    @property
    def in_tests(self) -> "Options":
        """The options of the observed value in a test: p-values as after exchanges."""
        if not self.coefficient.soft or self.swapped_p == "permutation":
            return self
        return replace(self, p="normal", wmt=False)


@dataclass(frozen=True)
class CorrelationResult:
    """A coefficient's value, what it was computed from, and why it is none if it is none."""

    value: float
    #: Values that went into it, and groups of two or more of them.
    n: int
    groups: int = 1
    #: Groups without a coefficient, because a side is constant.
    empty: int = 0
    eps: float | None = None
    reason: str = ""
    interval: tuple[float, float] | None = None


def correlate(
    gold: ArrayLike,
    metric: ArrayLike,
    *,
    coef: str = "pearson",
    group: Group = "none",
    **options: object,
) -> CorrelationResult:
    """Correlate a metric with gold scores: systems × segments, or one value a system.

    NaN is a missing value; cells that lack either are left out. Higher must be better in
    both. `group` is none (all cells are one sample), item (a coefficient for each segment,
    over the systems) or sys (one for each system, over its segments); groups are averaged.
    The other options are those of `Options`.

    >>> correlate([1, 2, 3, 4], [1, 3, 2, 4]).value
    0.8
    """
    chosen = Options(coef=coef, group=group, **options)  # type: ignore[arg-type]
    g, m = _check_shapes(gold, metric)
    return correlate_all(g, {"metric": m}, chosen)["metric"]


def correlate_all(
    gold: Array, metrics: Mapping[str, Array], options: Options
) -> dict[str, CorrelationResult]:
    """Correlate several metrics, sharing what depends on the gold alone."""
    compute = options.check_values().coefficient.compute or _correlate_groups
    return compute(gold, metrics, options)


def find_coefficient(name: str) -> CorrelationCoefficient:
    """Find a coefficient by any of its names.

    >>> find_coefficient("acc-t").name
    'acc*_eq'
    """
    wanted = name.lower()
    for entry in COEFFICIENTS.values():
        if wanted in (entry.name, *entry.aliases):
            return entry
    raise UnknownNameError(no_such("coefficient", name, COEFFICIENTS))


def compute_thresholds(
    gold: Array, metrics: Mapping[str, Array], options: Options
) -> dict[str, Array]:
    """The threshold of ties of each metric in each group: calibrated, cross-fitted, given."""
    if options.calibrates:
        fitted = correlate_all(gold, metrics, options)
        eps: Mapping[str, float] = {name: r.eps or 0.0 for name, r in fitted.items()}
    elif options.folds:
        rows = group_scores(gold, options.group)
        fit = partial(
            cross_fit_thresholds, rows, folds=options.folds, seed=options.seed
        )
        return {n: fit(group_scores(m, options.group)) for n, m in metrics.items()}
    elif isinstance(options.eps, Mapping):
        eps = options.eps
        lacking = [name for name in metrics if name not in eps]
        if lacking:
            msg = (
                f"There is no threshold of ties for {', '.join(lacking)}: the scores that "
                f"thresholds come from ({options.eps_from or 'eps'}) must have every metric."
            )
            raise OptionError(msg)
    else:
        eps = dict.fromkeys(metrics, options.eps or 0.0)
    count = len(group_scores(gold, options.group))
    return {name: np.full(count, eps[name]) for name in metrics}


def group_scores(x: Array, group: str) -> Array:
    """Lay out values as groups × values; a value a system is one group."""
    if x.ndim == 1 or group == "none":
        return x.reshape(1, -1)
    return x.T if group == "item" else x


def group_values(
    gold: Array, metric: Array, options: Options, eps: Array | None = None
) -> tuple[Array, Array]:
    """The coefficient of each group, and what the group weighs where not all weigh alike."""
    g, m = group_scores(gold, options.group), group_scores(metric, options.group)
    coefficient = options.coefficient
    if coefficient.weighted is not None:
        return coefficient.weighted(g, m, threshold=options.threshold)
    size = group_sizes(gold, metric, options)
    if coefficient.tied is not None:
        return coefficient.tied(g, m, eps=0.0 if eps is None else eps), size
    if coefficient.rows is None or not coefficient.grouped:
        msg = f"{coefficient.name} has no groups; leave out group={options.group!r}."
        raise OptionError(msg)
    return coefficient.rows(g, m), size


def average_groups(
    values: Array,
    weights: Array,
    gold: Array,
    metric: Array,
    options: Options,
    sizes: Array | None = None,
) -> CorrelationResult:
    """Average the groups that have two values or more, and say how many are constant.

    Groups are those of the gold and metric, unless their sizes say that they were parted.
    """
    if sizes is None:
        sizes = group_sizes(gold, metric, options)
    cells, pairs = int(sizes.sum()), sizes > 1
    there = np.isfinite(values) & pairs
    empty = int((pairs & ~there).sum())
    counted = pairs if options.nan == "zero" else there
    weights = np.where(counted, weights if options.micro else 1.0, 0.0)
    if weights.sum() == 0:
        reason = _explain_missing(np.nan, gold, metric)
        return CorrelationResult(np.nan, cells, int(pairs.sum()), empty, reason=reason)
    total = float((np.where(there, values, 0.0) * weights).sum() / weights.sum())
    return CorrelationResult(total, cells, int(pairs.sum()), empty)


def group_sizes(gold: Array, metric: Array, options: Options) -> Array:
    """How many values each group has."""
    g, m = group_scores(gold, options.group), group_scores(metric, options.group)
    return (np.isfinite(g) & np.isfinite(m)).sum(1).astype(np.float64)


def _correlate_groups(
    gold: Array, metrics: Mapping[str, Array], options: Options
) -> dict[str, CorrelationResult]:
    """Average the coefficients of all groups."""
    coefficient = options.coefficient
    limits = compute_thresholds(gold, metrics, options) if coefficient.ties else {}
    results = {}
    for name, metric in metrics.items():
        eps = limits.get(name)
        values, weights = group_values(gold, metric, options, eps)
        result = average_groups(values, weights, gold, metric, options)
        if eps is not None and len(eps) and coefficient.shows_eps:
            result = replace(result, eps=float(eps.mean()))
        results[name] = result
    return results


def _correlate_calibrated(
    gold: Array, metrics: Mapping[str, Array], options: Options
) -> dict[str, CorrelationResult]:
    """Fit the threshold of ties to the scores, to other folds of them, or take it as given."""
    if options.calibrates:
        rows = group_scores(gold, options.group)
        by_name = {n: group_scores(m, options.group) for n, m in metrics.items()}
        if rows.shape[0] * rows.shape[1] ** 2 / 2 > MOST_PAIRS:
            return {
                name: _describe_calibration(rows, values, calibrate_long(rows, values))
                for name, values in by_name.items()
            }
        ordered = order_gold_pairs(rows)
        return {
            name: _calibrate_metric(rows, values, ordered)
            for name, values in by_name.items()
        }
    if options.folds and options.group != "item":
        return {n: _score_held_out(gold, m, options) for n, m in metrics.items()}
    return _correlate_groups(gold, metrics, options)


def _calibrate_metric(
    rows: Array, values: Array, ordered: GoldPairs
) -> CorrelationResult:
    if not np.isfinite(values[np.isfinite(rows)]).all():
        ordered = order_gold_pairs(np.where(np.isfinite(values), rows, np.nan))
    best = calibrate(np.where(np.isfinite(rows), values, np.nan), ordered)
    return _describe_calibration(rows, values, best)


def _describe_calibration(
    rows: Array, values: Array, best: Calibration
) -> CorrelationResult:
    both = np.isfinite(rows) & np.isfinite(values)
    groups = int((both.sum(1) > 1).sum())
    reason = _explain_missing(best.accuracy, rows, values)
    return CorrelationResult(
        best.accuracy, int(both.sum()), groups, 0, best.eps, reason
    )


def _score_held_out(gold: Array, metric: Array, options: Options) -> CorrelationResult:
    """Accuracy of folds of segments, each with the threshold of the others."""
    if gold.ndim == 1:
        msg = "Cross-fitting deals segments into folds; whole systems have none: `level` seg."
        raise OptionError(msg)
    parts = split_folds(
        gold,
        metric,
        folds=options.folds,
        seed=options.seed,
        pooled=options.group == "none",
    )
    right = pairs.accuracy(parts.gold, parts.metric, eps=parts.eps)
    size = np.isfinite(parts.metric).sum(1).astype(np.float64)
    result = average_groups(right, size, gold, metric, options, size)
    return replace(result, eps=float(parts.eps.mean()))


def _correlate_within(
    gold: Array, metrics: Mapping[str, Array], options: Options
) -> dict[str, CorrelationResult]:
    """Correlate the differences within segments."""
    del options
    return {
        name: _describe_value(
            float(pairs.within_segments(np.atleast_2d(gold), np.atleast_2d(metric))),
            gold,
            metric,
        )
        for name, metric in metrics.items()
    }


def _correlate_differentials(
    gold: Array, metrics: Mapping[str, Array], options: Options
) -> dict[str, CorrelationResult]:
    """Correlate the differences between systems."""
    if gold.ndim != 1:
        msg = "differentials are between systems; give one score for each system."
        raise OptionError(msg)
    single = "Two systems make one difference; a correlation needs at least two."
    results = {}
    for name, metric in metrics.items():
        value = float(pairs.differentials(gold, metric, orient=options.orient))
        result = _describe_value(value, gold, metric)
        alone = result.reason and result.n == 2
        results[name] = replace(result, reason=single) if alone else result
    return results


def _describe_value(value: float, gold: Array, metric: Array) -> CorrelationResult:
    cells = int((np.isfinite(gold) & np.isfinite(metric)).sum())
    reason = _explain_missing(value, gold, metric)
    return CorrelationResult(value, cells, reason=reason)


def _correlate_soft(
    gold: Array, metrics: Mapping[str, Array], options: Options
) -> dict[str, CorrelationResult]:
    """Compare the p-values of systems by gold and metric."""
    if gold.ndim != 2:
        msg = "Soft pairwise accuracy needs segment scores; these are systems' only."
        raise OptionError(msg)
    stack = np.stack([np.where(np.isfinite(gold), m, np.nan) for m in metrics.values()])
    there = np.isfinite(gold) & np.isfinite(stack).all(0)
    scores = np.where(there, np.concatenate([gold[None], stack]), np.nan)
    if (there == there[:1]).all():
        scores = scores[..., there[0]]
    if len(gold) < 2 or scores.shape[-1] == 0:
        reason = "There are fewer than two systems with shared segments."
        return {name: CorrelationResult(np.nan, 0, reason=reason) for name in metrics}
    compute_p = soft_pairwise.P_VALUES["wmt" if options.wmt else options.p]
    p = compute_p(scores, trials=options.trials, seed=options.seed)
    values = soft_pairwise.spa(p[0], p[1:]).tolist()
    cells = int(there.sum())
    return {
        name: CorrelationResult(value, cells)
        for name, value in zip(metrics, values, strict=True)
    }


def _explain_missing(value: float, gold: Array, metric: Array) -> str:
    """Say why there is no coefficient."""
    if np.isfinite(value):
        return ""
    both = np.isfinite(gold) & np.isfinite(metric)
    count = int(both.sum())
    if count < 2:
        shared = "Only 1 value" if count else "No value"
        return f"{shared} is shared; a correlation needs at least two."
    for what, x in (("gold", gold), ("metric", metric)):
        kept = x[both]
        if (kept == kept[0]).all():
            return f"All {count} {what} scores are {kept[0]:g}; a constant has no correlation."
    return "Every group is constant or has fewer than two values."


def _check_shapes(gold: ArrayLike, metric: ArrayLike) -> tuple[Array, Array]:
    g, m = np.asarray(gold, np.float64), np.asarray(metric, np.float64)
    if g.shape != m.shape or g.ndim not in (1, 2):
        msg = (
            f"The gold scores have the shape {g.shape}, the metric's {m.shape}; expected "
            "the same: one value a system, or systems × segments."
        )
        raise LengthError(msg)
    return g, m


#: The coefficients by name.
COEFFICIENTS = {
    entry.name: entry
    for entry in (
        CorrelationCoefficient(
            "pearson",
            "Pearson's r",
            -1,
            moments.pearson,
            linear=True,
            fisher=(3, lambda _: 1.0),
        ),
        CorrelationCoefficient(
            "spearman",
            "Spearman's rank correlation",
            -1,
            moments.spearman,
            fisher=(3, lambda r: 1.0 + r * r / 2),
        ),
        CorrelationCoefficient(
            "kendall-a",
            "Kendall's tau-a",
            -1,
            pairs.kendall_a,
            counts=pairs.tau_a,
            aliases=("tau-a",),
        ),
        CorrelationCoefficient(
            "kendall-b",
            "Kendall's tau-b",
            -1,
            pairs.kendall_b,
            counts=pairs.tau_b,
            fisher=(4, lambda _: 0.437),
            aliases=("tau-b", "kendall"),
        ),
        CorrelationCoefficient(
            "kendall-c",
            "Kendall's tau-c (Stuart)",
            -1,
            pairs.kendall_c,
            aliases=("tau-c",),
        ),
        CorrelationCoefficient(
            "tau10", "tau as in WMT 2010", -1, pairs.kendall_10, counts=pairs.tau_10
        ),
        CorrelationCoefficient(
            "tau13", "tau as in WMT 2013", -1, pairs.kendall_13, counts=pairs.tau_13
        ),
        CorrelationCoefficient(
            "tau14", "tau as in WMT 2014", -1, pairs.kendall_14, counts=pairs.tau_14
        ),
        CorrelationCoefficient(
            "tau23",
            "tau that rewards predicted ties",
            -1,
            pairs.kendall_23,
            tied=pairs.kendall_23,
            counts=pairs.tau_23,
        ),
        CorrelationCoefficient(
            "acc_eq",
            "share of pairs ordered or tied as in the gold",
            0,
            pairs.accuracy,
            tied=pairs.accuracy,
            counts=pairs.share_right,
            pairs=True,
            aliases=("acc23",),
        ),
        CorrelationCoefficient(
            "acc*_eq",
            "acc_eq with the metric's ties calibrated",
            0,
            tied=pairs.accuracy,
            counts=pairs.share_right,
            compute=_correlate_calibrated,
            pairs=True,
            calibrated=True,
            aliases=("acc-t", "acc_eq*", "kendallwithtiesopt"),
        ),
        CorrelationCoefficient(
            "darr",
            "Kendall-like tau of clearly different pairs (daRR)",
            -1,
            weighted=pairs.darr,
            aliases=("kendalllike",),
        ),
        CorrelationCoefficient(
            "accuracy",
            "share of system pairs ordered as in the gold",
            0,
            pairs.accuracy,
            tied=pairs.accuracy,
            counts=pairs.share_right,
            pairs=True,
            shows_eps=False,
        ),
        CorrelationCoefficient(
            "spa",
            "soft pairwise accuracy of systems",
            0,
            compute=_correlate_soft,
            of_segments=True,
            grouped=False,
            soft=True,
            aliases=("pce",),
        ),
        CorrelationCoefficient(
            "differentials",
            "Pearson's r of differences between systems",
            -1,
            pairs.differentials,
            compute=_correlate_differentials,
            grouped=False,
            oriented=True,
            aliases=("diff",),
        ),
        CorrelationCoefficient(
            "pdp",
            "Pearson's r of differences within segments",
            -1,
            compute=_correlate_within,
            of_segments=True,
            grouped=False,
        ),
    )
}
