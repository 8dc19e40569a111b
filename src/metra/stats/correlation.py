"""Agreement of metrics with gold scores: any coefficient, grouped in any way.

A coefficient is a record in `COEFFICIENTS`: a new one is a function and a line there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from metra.errors import OptionError, UnknownNameError, no_such
from metra.stats import soft_pairwise
from metra.stats.arrays import Array, check_scores
from metra.stats.coefficients import (
    PairCounts,
    darr,
    differentials,
    pair_counts,
    pearson,
    share_right,
    spearman,
    tau_10,
    tau_13,
    tau_14,
    tau_23,
    tau_a,
    tau_b,
    tau_c,
    within_segments,
)
from metra.stats.defaults import SEED, TRIALS
from metra.stats.thresholds import calibrate_metrics, cross_fit_thresholds, split_folds

Group: TypeAlias = Literal["none", "item", "sys"]
Average: TypeAlias = Literal["macro", "micro"]
Metrics: TypeAlias = Mapping[str, Array]
Results: TypeAlias = "dict[str, CorrelationResult]"


@dataclass(frozen=True)
class Coefficient:
    """A way to say how well a metric agrees with the gold."""

    name: str
    #: The coefficient of each row of values, where it is of plain rows.
    rows: Callable[..., Array] | None = None
    lowest: float = -1
    #: The same with what each row weighs, where rows weigh as much as their pairs.
    weighted: Callable[..., tuple[Array, Array]] | None = None
    #: The same of the kinds of pairs, where these are all that needs to be known.
    counts: Callable[[PairCounts], Array] | None = None
    #: How it is computed of all metrics: group by group, if not said otherwise.
    compute: Callable[..., Results] | None = None
    #: Whether the metric is to find the gold's ties: rows take a threshold `eps`.
    ties: bool = False
    #: Whether it is a mean over pairs of outcomes that are right or wrong.
    pairs: bool = False
    #: Whether the threshold of ties is fitted to the scores unless given.
    calibrated: bool = False
    #: Whether it is of all segments of the systems, also to compare systems.
    of_segments: bool = False
    #: Whether it can be computed of groups.
    grouped: bool = True
    #: Whether it is Pearson's r, which follows from sums of products.
    linear: bool = False
    #: Whether it compares p-values, which are themselves drawn.
    soft: bool = False
    #: Whether the threshold of ties is part of the answer.
    shows_eps: bool = True
    #: Other names of the same, as programs and papers call it.
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """Everything that changes a coefficient's value."""

    coef: str = "pearson"
    group: Group = "none"
    average: Average = "macro"
    #: The threshold of ties where it is not calibrated.
    eps: float | None = None
    #: Folds of segments whose thresholds are fitted to the other folds; 0 for none.
    folds: int = 0
    #: How far apart the gold must set a pair for daRR.
    threshold: float = 25.0
    #: Where the p-values of soft pairwise accuracy come from.
    p: Literal["permutation", "normal"] = "permutation"
    trials: int = TRIALS
    #: Draws of a test between metrics; as many as the number of tests needs if None.
    draws: int | None = None
    seed: int = SEED
    #: As the official scorer of WMT does it, to the last digit.
    wmt: bool = False

    def check_values(self) -> "Options":
        """Refuse values that mean nothing."""
        for name, kind in (("group", Group), ("average", Average)):
            if getattr(self, name) not in get_args(kind):
                expected = ", ".join(get_args(kind))
                msg = f"{name} is {getattr(self, name)!r}; expected one of {expected}."
                raise OptionError(msg)
        coefficient = self.coefficient
        if self.group != "none" and not coefficient.grouped:
            msg = f"{coefficient.name} has no groups; leave out group={self.group!r}."
            raise OptionError(msg)
        if self.eps is not None and not coefficient.ties:
            taken = ", ".join(name for name, c in COEFFICIENTS.items() if c.ties)
            msg = (
                f"{coefficient.name} has no tie threshold (eps={self.eps}); these "
                f"have: {taken}."
            )
            raise OptionError(msg)
        if self.folds and self.eps is not None:
            msg = "Give a tie threshold or cross-fit it, not both."
            raise OptionError(msg)
        return self

    @property
    def calibrates(self) -> bool:
        """True if the threshold of ties is fitted to the very scores it is applied to."""
        return self.coefficient.calibrated and self.eps is None and not self.folds

    @property
    def eps_said(self) -> str | None:
        """Origin of the threshold of ties, for a signature."""
        if not self.coefficient.ties:
            return None
        if self.folds:
            return f"cross-fit {self.folds} folds"
        return None if self.eps is None else str(self.eps)

    @property
    def coefficient(self) -> Coefficient:
        """The coefficient by its name."""
        return find_coefficient(self.coef)

    @property
    def rows(self) -> Callable[[Array, Array], Array]:
        """The coefficient of plain rows of values; refuse one of anything else."""
        rows = self.coefficient.rows
        if rows is None or self.coefficient.calibrated:
            usual = "pearson, spearman or a tau"
            msg = f"{self.coef!r} does not apply to system scores; use {usual}."
            raise OptionError(msg)
        return rows

    @property
    def micro(self) -> bool:
        """True if groups weigh as much as they have values, or pairs that count."""
        return self.average == "micro" or self.coefficient.weighted is not None

    @property
    def in_tests(self) -> "Options":
        """The options of the observed value in a test: p-values as after exchanges.

        After an exchange drawing takes its time, so that the normal limit serves.
        """
        return replace(self, p="normal", wmt=False) if self.coefficient.soft else self


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
    """Correlate a metric with gold scores: systems × segments, or one value per system.

    NaN is a missing value; cells that lack either are left out. Higher must be better in
    both. `group` is none (all cells are one sample), item (a coefficient for each segment,
    over the systems) or sys (one for each system, over its segments); groups are averaged.
    The other options are those of `Options`.

    >>> correlate([1, 2, 3, 4], [1, 3, 2, 4]).value
    0.8
    """
    chosen = Options(coef=coef, group=group, **options)  # type: ignore[arg-type]
    return correlate_all(*check_scores(gold, {"metric": metric}), chosen)["metric"]


def correlate_all(gold: Array, metrics: Metrics, options: Options) -> Results:
    """Correlate several metrics, sharing what depends on the gold alone."""
    compute = options.check_values().coefficient.compute or _correlate_groups
    return compute(gold, metrics, options)


def find_coefficient(name: str) -> Coefficient:
    """Find a coefficient by any of its names."""
    for entry in COEFFICIENTS.values():
        if name.lower() in (entry.name, *entry.aliases):
            return entry
    raise UnknownNameError(no_such("coefficient", name, COEFFICIENTS))


def compute_thresholds(gold: Array, metrics: Metrics, options: Options) -> Metrics:
    """The threshold of ties of each metric in each group: calibrated, cross-fitted, given."""
    rows = group_scores(gold, options.group)
    if options.folds and options.coefficient.ties:
        folds = {"folds": options.folds, "seed": options.seed}
        return {
            name: cross_fit_thresholds(rows, group_scores(m, options.group), **folds)
            for name, m in metrics.items()
        }
    if options.calibrates:
        fitted = correlate_all(gold, metrics, options)
        eps = {name: r.eps or 0.0 for name, r in fitted.items()}
    else:
        eps = dict.fromkeys(metrics, options.eps or 0.0)
    return {name: np.full(len(rows), eps[name]) for name in metrics}


def group_scores(x: Array, group: str) -> Array:
    """Lay out values as groups × values; a value a system is one group."""
    if x.ndim == 1 or group == "none":
        return x.reshape(1, -1)
    return x.T if group == "item" else x


def group_values(
    gold: Array, metric: Array, options: Options, eps: float | Array = 0.0
) -> tuple[Array, Array]:
    """The coefficient of each group, and what the group weighs where not all weigh alike."""
    g, m = group_scores(gold, options.group), group_scores(metric, options.group)
    coefficient = options.coefficient
    if coefficient.weighted is not None:
        return coefficient.weighted(g, m, threshold=options.threshold)
    if coefficient.rows is None or not coefficient.grouped:
        msg = f"{coefficient.name} has no groups; leave out group={options.group!r}."
        raise OptionError(msg)
    ties = {"eps": eps} if coefficient.ties else {}
    return coefficient.rows(g, m, **ties), group_sizes(gold, metric, options)


def group_sizes(gold: Array, metric: Array, options: Options) -> Array:
    """Number of values in each group."""
    g, m = group_scores(gold, options.group), group_scores(metric, options.group)
    return (np.isfinite(g) & np.isfinite(m)).sum(1).astype(np.float64)


def _correlate_groups(gold: Array, metrics: Metrics, options: Options) -> Results:
    """Average the coefficients of all groups."""
    coefficient = options.coefficient
    results = {}
    for name, eps in compute_thresholds(gold, metrics, options).items():
        metric = metrics[name]
        groups = group_values(gold, metric, options, eps)
        sizes = group_sizes(gold, metric, options)
        result = _average_groups(*groups, sizes, gold, metric, options)
        if len(eps) and coefficient.ties and coefficient.shows_eps:
            result = replace(result, eps=float(eps.mean()))
        results[name] = result
    return results


def _average_groups(
    values: Array,
    weights: Array,
    sizes: Array,
    gold: Array,
    metric: Array,
    options: Options,
) -> CorrelationResult:
    """Average the groups that have two values or more, and say how many are constant."""
    pairs = sizes > 1
    present = np.isfinite(values) & pairs
    weights = np.where(present, weights if options.micro else 1.0, 0.0)
    total = (np.where(present, values, 0.0) * weights).sum()
    value = float(total / weights.sum()) if weights.sum() else np.nan
    return CorrelationResult(
        value,
        n=int(sizes.sum()),
        groups=int(pairs.sum()),
        empty=int((pairs & ~present).sum()),
        reason=_explain_missing(value, gold, metric),
    )


def _correlate_calibrated(gold: Array, metrics: Metrics, options: Options) -> Results:
    """Fit the threshold of ties to the scores, to other folds of them, or take it as given."""
    if options.calibrates:
        g = group_scores(gold, options.group)
        grouped = {n: group_scores(m, options.group) for n, m in metrics.items()}
        results = {}
        for name, best in calibrate_metrics(g, grouped).items():
            groups = int((group_sizes(gold, metrics[name], options) > 1).sum())
            result = _describe_value(best.accuracy, g, grouped[name])
            results[name] = replace(result, groups=groups, eps=best.eps)
        return results
    if options.folds and options.group != "item":
        return {n: _score_held_out(gold, m, options) for n, m in metrics.items()}
    return _correlate_groups(gold, metrics, options)


def _score_held_out(gold: Array, metric: Array, options: Options) -> CorrelationResult:
    """Accuracy of folds of segments, each with the threshold of the others."""
    if gold.ndim == 1:
        msg = "Cross-fitting needs segment scores: set `level` seg."
        raise OptionError(msg)
    folds = {"folds": options.folds, "seed": options.seed}
    pooled = options.group == "none"
    in_gold, in_metric, eps = split_folds(gold, metric, pooled=pooled, **folds)
    right = share_right(pair_counts(in_gold, in_metric, eps=eps))
    sizes = np.isfinite(in_metric).sum(1).astype(np.float64)
    result = _average_groups(right, sizes, sizes, gold, metric, options)
    return replace(result, eps=float(eps.mean()))


def _correlate_within(gold: Array, metrics: Metrics, _: Options) -> Results:
    """Correlate the differences within segments."""
    g = np.atleast_2d(gold)
    results = {}
    for name, metric in metrics.items():
        value = float(within_segments(g, np.atleast_2d(metric)))
        results[name] = _describe_value(value, gold, metric)
    return results


def _correlate_gaps(gold: Array, metrics: Metrics, _: Options) -> Results:
    """Correlate the differences between systems."""
    if gold.ndim != 1:
        msg = "Differentials need one score for each system."
        raise OptionError(msg)
    single = "Two systems make one difference; a correlation needs at least two."
    results = {}
    for name, metric in metrics.items():
        value = float(differentials(gold, metric))
        result = _describe_value(value, gold, metric)
        alone = result.reason and result.n == 2
        results[name] = replace(result, reason=single) if alone else result
    return results


def _correlate_soft(gold: Array, metrics: Metrics, options: Options) -> Results:
    """Compare the p-values of systems by gold and metric."""
    if gold.ndim != 2:
        msg = (
            "Soft pairwise accuracy needs segment scores; only system scores were "
            "given."
        )
        raise OptionError(msg)
    scores = np.stack([gold, *metrics.values()])
    present = np.asarray(np.isfinite(scores).all(0))
    scores = np.where(present, scores, np.nan)
    if (present == present[:1]).all():
        scores = scores[..., present[0]]
    if len(gold) < 2 or scores.shape[-1] == 0:
        reason = "Fewer than two systems share segments."
        return {name: CorrelationResult(np.nan, 0, reason=reason) for name in metrics}
    compute_p = soft_pairwise.P_VALUES["wmt" if options.wmt else options.p]
    p = compute_p(scores, trials=options.trials, seed=options.seed)
    values = soft_pairwise.spa(p[0], p[1:]).tolist()
    results = [CorrelationResult(value, int(present.sum())) for value in values]
    return dict(zip(metrics, results, strict=True))


def _describe_value(value: float, gold: Array, metric: Array) -> CorrelationResult:
    cells = int((np.isfinite(gold) & np.isfinite(metric)).sum())
    reason = _explain_missing(value, gold, metric)
    return CorrelationResult(value, cells, reason=reason)


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


def _from_counts(name: str, formula: Callable[..., Array], **more: Any) -> Coefficient:
    """Make a coefficient of the kinds of pairs, which rows of values have as well."""

    def rows(g: Array, m: Array, *, eps: float | Array = 0.0) -> Array:
        return formula(pair_counts(g, m, eps=eps))

    return Coefficient(name, rows, **{"counts": formula, **more})


_ACCURACY: dict[str, Any] = {"lowest": 0, "pairs": True, "ties": True}
_TAU: dict[str, Any] = {"ties": True, "shows_eps": False}
_ALL = (
    Coefficient("pearson", pearson, linear=True),
    Coefficient("spearman", spearman),
    _from_counts("kendall-a", tau_a, **_TAU, aliases=("tau-a",)),
    _from_counts("kendall-b", tau_b, **_TAU, aliases=("tau-b", "kendall")),
    # Resamples of weighted pairs do not say how many different values were drawn.
    _from_counts("kendall-c", tau_c, counts=None, aliases=("tau-c",)),
    _from_counts("tau10", tau_10, **_TAU),
    _from_counts("tau13", tau_13, **_TAU),
    _from_counts("tau14", tau_14, **_TAU),
    _from_counts("tau23", tau_23, ties=True),
    _from_counts("acc_eq", share_right, **_ACCURACY, aliases=("acc23",)),
    _from_counts(
        *("acc*_eq", share_right),
        **_ACCURACY,
        compute=_correlate_calibrated,
        calibrated=True,
        aliases=("acc-t", "acc_eq*", "kendallwithtiesopt"),
    ),
    Coefficient("darr", weighted=darr, aliases=("kendalllike",)),
    _from_counts("accuracy", share_right, **_ACCURACY, shows_eps=False),
    Coefficient(
        "spa",
        lowest=0,
        compute=_correlate_soft,
        of_segments=True,
        grouped=False,
        soft=True,
        aliases=("pce",),
    ),
    Coefficient(
        *("differentials", differentials),
        compute=_correlate_gaps,
        grouped=False,
        aliases=("diff",),
    ),
    Coefficient("pdp", compute=_correlate_within, of_segments=True, grouped=False),
)
#: The coefficients by name.
COEFFICIENTS = {c.name: c for c in _ALL}
