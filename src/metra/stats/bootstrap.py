"""Intervals of correlations: systems, segments or both are drawn, or Fisher's formula.

Drawing both at once (BOOT-BOTH, Deutsch, Dror and Roth 2021, TACL) answers for other
systems and other texts than those at hand. All metrics share the draws. Nothing is
recomputed from scratch where weights do: a resample is a count of each system and each
segment, and sums of weighted values are products of matrices. Products of whole numbers
are exact in any order; others are made so (`metra.stats.weighted_sums`).
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra.errors import OptionError
from metra.stats.arrays import Array, divide, order_pairs, pair_gaps
from metra.stats.correlation import (
    COEFFICIENTS,
    Options,
    compute_thresholds,
    correlate_all,
)
from metra.stats.distributions import upper_tail
from metra.stats.pairs import PairCounts
from metra.stats.panel import ScorePanel
from metra.stats.resampling import count_draws, draw_counts, interval
from metra.stats.weighted_sums import WeightedValues

Drawn: TypeAlias = Literal["both", "sys", "item"]


@dataclass(frozen=True)
class Resample:
    """Some draws: the systems drawn, and how often each segment was."""

    systems: NDArray[np.int64]  # draws × systems
    segments: Array  # draws × segments

    @property
    def weights(self) -> Array:
        """How often each system was drawn: draws × systems."""
        return count_draws(self.systems).astype(np.float64)

    @property
    def pair_weights(self) -> Array:
        """How often each pair of different systems was drawn: draws × pairs."""
        weights = self.weights
        first, second = np.triu_indices(weights.shape[1], 1)
        return weights[:, first] * weights[:, second]


def draw_resamples(
    systems: int, segments: int, trials: int, seed: int, drawn: Drawn = "both"
) -> Iterator[Resample]:
    """Draw systems and segments, some resamples at a time."""
    rng = np.random.default_rng(seed)
    block = max(1, min(250, 2_000_000 // max(segments, 1)))
    for start in range(0, trials, block):
        size = min(block, trials - start)
        chosen = rng.integers(0, systems, (size, systems))
        if drawn == "item":
            chosen = np.tile(np.arange(systems), (size, 1))
        counts = np.ones((size, segments))
        if drawn != "sys" and segments:
            counts = draw_counts(segments, size, rng).astype(np.float64)
        yield Resample(chosen, counts)


def bootstrap(
    panel: ScorePanel, level: str, options: Options, *, drawn: Drawn = "both"
) -> dict[str, Array]:
    """The coefficient of every metric in each of `options.trials` resamples."""
    systems, segments = panel.gold.shape
    if level == "sys" and drawn == "both" and not resamples_segments(panel):
        drawn = "sys"
    drawn_values: dict[str, list[Array]] = {name: [] for name in panel.names}
    score = _ResampleScorer(panel, level, options)
    for sample in draw_resamples(
        systems, segments, options.trials, options.seed, drawn
    ):
        for name, values in score(sample).items():
            drawn_values[name].append(values)
    return {name: np.concatenate(values) for name, values in drawn_values.items()}


def resamples_segments(panel: ScorePanel) -> bool:
    """Whether system scores follow from segments; given ones do not, unless re-pooled."""
    return bool(np.isfinite(panel.gold).any()) and all(
        name in panel.statistics for name in panel.given if name != panel.gold_name
    )


def compute_bounds(draws: Array, level: float = 0.95) -> tuple[float, float] | None:
    """Percentile interval of the draws that have a coefficient; None where few have."""
    there = draws[np.isfinite(draws)]
    return interval(there, level=level) if len(there) > len(draws) / 2 else None


def fisher_interval(
    value: float, n: int, coef: str = "pearson", *, level: float = 0.95
) -> tuple[float, float] | None:
    """Interval of a coefficient of n values; None where n is too small or there is none.

    >>> low, high = fisher_interval(0.5, 28)
    >>> round(low, 3), round(high, 3)
    (0.156, 0.736)
    """
    known = {name: each.fisher for name, each in COEFFICIENTS.items() if each.fisher}
    if coef not in known:
        msg = (
            f"Fisher's interval is of {', '.join(known)} without groups, not of "
            f"{coef}; name them with `coef`, or take the bootstrap."
        )
        raise OptionError(msg)
    taken, variance = known[coef]
    if n <= taken or not math.isfinite(value):
        return None
    if abs(value) >= 1:
        return value, value
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(
        variance(value) / (n - taken)
    )
    middle = math.atanh(value)
    return math.tanh(middle - half), math.tanh(middle + half)


class _ResampleScorer:
    """One coefficient of all metrics, of any resample; what depends on no draw is kept."""

    def __init__(self, panel: ScorePanel, level: str, options: Options) -> None:
        self.panel = panel
        self.options = options
        self.there = np.isfinite(panel.gold)
        self.complete = bool(self.there.all())
        self._arrays: dict[str, Array] = {}
        self._values: dict[str, WeightedValues] = {}
        self._score = self._choose_way(level)

    def _choose_way(self, level: str) -> Callable[[Resample], dict[str, Array]]:
        """The quickest way to the coefficient."""
        panel, group = self.panel, self.options.group
        coefficient = self.options.coefficient
        if level == "sys" and coefficient.soft:
            return self._soft_pairs
        if level == "sys" and coefficient.counts is None:
            return self._systems
        if coefficient.counts is not None and (level == "sys" or group == "item"):
            self._count_value = coefficient.counts
            if level == "sys":
                self.eps = self._thresholds(panel.system_gold, panel.system_metrics)
                return self._system_pairs
            self.eps = self._thresholds(panel.gold, panel.metrics)
            return self._item_accuracy if coefficient.pairs else self._item_pairs
        if coefficient.linear and group in ("none", "item"):
            return self._pearson if group == "none" else self._item_pearson
        return self._recompute

    def _thresholds(
        self, gold: Array, metrics: Mapping[str, Array]
    ) -> Mapping[str, Array]:
        """The threshold of ties in each group; no draw changes it."""
        if self.options.coefficient.ties:
            return compute_thresholds(gold, metrics, self.options)
        return dict.fromkeys(metrics, np.zeros(1))

    def __call__(self, sample: Resample) -> dict[str, Array]:
        return self._score(sample)

    def _systems(self, sample: Resample) -> dict[str, Array]:
        rows = self.options.rows
        gold, *means = self._means(sample)
        drawn_gold = np.take_along_axis(gold, sample.systems, 1)
        return {
            name: rows(drawn_gold, np.take_along_axis(each, sample.systems, 1))
            for name, each in zip(self.panel.names, means, strict=True)
        }

    def _system_pairs(self, sample: Resample) -> dict[str, Array]:
        """A system drawn twice makes a pair with itself, which proves nothing: left out."""
        weights = sample.pair_weights
        gold, *means = (_gaps(each.T).T for each in self._means(sample))
        order = order_pairs(gold)
        coefficients = {}
        for name, gap in zip(self.panel.names, means, strict=True):
            other = order_pairs(gap, self.eps[name])
            both = order * other
            counts = _counts(
                (weights * both).sum(1),
                (weights * np.abs(both)).sum(1),
                (weights * np.abs(other)).sum(1),
                (weights * np.abs(order)).sum(1),
                weights.sum(1),
            )
            coefficients[name] = self._count_value(counts)
        return coefficients

    def _soft_pairs(self, sample: Resample) -> dict[str, Array]:
        weights = sample.pair_weights
        gold = self._p(sample, self.panel.gold_name, self.panel.gold)
        return {
            name: 1.0
            - divide(
                (weights * np.abs(gold - self._p(sample, name, metric))).sum(1),
                weights.sum(1),
            )
            for name, metric in self.panel.metrics.items()
        }

    def _item_pairs(self, sample: Resample) -> dict[str, Array]:
        weights = sample.pair_weights
        there = weights @ self._keep("there", self._pairs_there)
        gold = self._keep("gold", lambda: order_pairs(_gaps(self.panel.gold)))
        untied = weights @ self._keep("gold untied", lambda: np.abs(gold))
        coefficients = {}
        for name, metric in self.panel.metrics.items():
            order = self._keep(name, partial(self._order, name, metric))
            both = order * gold
            counts = _counts(
                weights @ both,
                weights @ np.abs(both),
                weights @ np.abs(order),
                untied,
                there,
            )
            coefficients[name] = self._mean(self._count_value(counts), sample)
        return coefficients

    def _item_accuracy(self, sample: Resample) -> dict[str, Array]:
        """Whether pairs are right is all that matters: one product instead of three."""
        weights = sample.pair_weights
        there = weights @ self._keep("there", self._pairs_there)
        shares = {}
        for name, metric in self.panel.metrics.items():
            right = self._keep(name, partial(self._right, name, metric))
            shares[name] = self._mean(divide(weights @ right, there), sample)
        return shares

    def _pearson(self, sample: Resample) -> dict[str, Array]:
        def cells() -> Array:
            """Every sum that is needed, side by side: one product serves them all."""
            g = self._centre_metric(self.panel.gold)
            made = [self.there.astype(np.float64), g, g * g]
            for metric in self.panel.metrics.values():
                m = self._centre_metric(metric)
                made += [m, m * m, g * m]
            return np.concatenate(made).T

        sums = self._sum_weighted("cells", sample.segments, cells)
        sums = sums.reshape(len(sums), -1, len(self.there))
        count, sum_g, sum_gg, *rest = np.einsum("dcs,ds->cd", sums, sample.weights)
        coefficients = {}
        for at, name in enumerate(self.panel.names):
            sum_m, sum_mm, sum_gm = rest[3 * at : 3 * at + 3]
            above = count * sum_gm - sum_g * sum_m
            spread = (count * sum_gg - sum_g**2) * (count * sum_mm - sum_m**2)
            coefficients[name] = divide(above, np.sqrt(np.maximum(spread, 0)))
        return coefficients

    def _item_pearson(self, sample: Resample) -> dict[str, Array]:
        weights = sample.weights
        g = np.where(self.there, self.panel.gold, 0.0)
        count = weights @ self.there.astype(np.float64)
        sum_g = self._sum_weighted("g", weights, lambda: g)
        sum_gg = self._sum_weighted("gg", weights, lambda: g * g)
        spread_g = count * sum_gg - sum_g**2
        coefficients = {}
        for name, metric in self.panel.metrics.items():
            m = self._keep(f"{name} centred", partial(self._centre_metric, metric))
            sum_m = self._sum_weighted(f"{name} m", weights, partial(np.asarray, m))
            sum_mm = self._sum_weighted(
                f"{name} mm", weights, partial(np.multiply, m, m)
            )
            sum_gm = self._sum_weighted(
                f"{name} gm", weights, partial(np.multiply, g, m)
            )
            above = count * sum_gm - sum_g * sum_m
            spread_m = count * sum_mm - sum_m**2
            # Rounding leaves a trace where a segment's drawn values are all the same.
            flat = (spread_g < 1e-9 * count * sum_gg) | (
                spread_m < 1e-9 * count * sum_mm
            )
            below = np.where(flat, 0.0, np.sqrt(np.maximum(spread_g * spread_m, 0)))
            coefficients[name] = self._mean(divide(above, below), sample)
        return coefficients

    def _recompute(self, sample: Resample) -> dict[str, Array]:
        """Draw the values themselves, for coefficients that weights do not serve."""
        drawn_values: dict[str, list[float]] = {name: [] for name in self.panel.names}
        counts = sample.segments.astype(np.int64)
        for systems, times in zip(sample.systems, counts, strict=True):
            segments = np.repeat(np.arange(len(times)), times)
            chosen = np.ix_(systems, segments)
            drawn = {n: m[chosen] for n, m in self.panel.metrics.items()}
            results = correlate_all(self.panel.gold[chosen], drawn, self.options)
            for name, result in results.items():
                drawn_values[name].append(result.value)
        return {name: np.array(values) for name, values in drawn_values.items()}

    def _means(self, sample: Resample) -> list[Array]:
        """System scores in each draw, of the gold and of each metric: draws × systems."""
        panel = self.panel
        given = [panel.system_gold, *panel.system_metrics.values()]
        means: list[Array | None] = []
        for name, whole in zip([panel.gold_name, *panel.names], given, strict=True):
            if name in panel.statistics:
                means.append(panel.statistics[name].score_weightings(sample.segments))
            elif name in panel.given:
                means.append(np.broadcast_to(whole, sample.systems.shape))
            else:
                means.append(None)
        averaged = [at for at, each in enumerate(means) if each is None]

        def cells() -> Array:
            """Values of all who are averaged, side by side: one product, not many."""
            values = [panel.gold, *panel.metrics.values()]
            return np.concatenate(
                [np.where(self.there, values[at], 0.0) for at in averaged]
            ).T

        if averaged:
            total = self._sum_weighted("cells", sample.segments, cells)
            total = total.reshape(len(total), len(averaged), -1)
            count = np.full(sample.systems.shape, float(panel.gold.shape[1]))
            if not self.complete:
                count = sample.segments @ self.there.T.astype(np.float64)
            for place, at in enumerate(averaged):
                means[at] = divide(total[:, place], count)
        return means  # type: ignore[return-value]  # every place is filled by now

    def _p(self, sample: Resample, name: str, values: Array) -> Array:
        def gaps() -> Array:
            return _gaps(np.where(self.there, values, np.nan)).T

        total = self._sum_weighted(f"{name} gaps", sample.segments, gaps)
        squares = self._sum_weighted(
            f"{name} squared", sample.segments, lambda: gaps() ** 2
        )
        spread = np.sqrt(squares)
        return upper_tail(divide(total, spread, fill=0.0))

    def _centre_metric(self, metric: Array) -> Array:
        m = np.where(self.there, metric, 0.0)
        return np.where(self.there, m - m.sum() / self.there.sum(), 0.0)

    def _pairs_there(self) -> Array:
        first, second = np.triu_indices(len(self.there), 1)
        return (self.there[first] & self.there[second]).astype(np.float64)

    def _right(self, name: str, metric: Array) -> Array:
        """Whether the metric orders each pair of systems in each segment as the gold does."""
        there = self._keep("there", self._pairs_there) > 0
        gold = order_pairs(_gaps(self.panel.gold))
        return ((gold == self._order(name, metric)) & there).astype(np.float64)

    def _order(self, name: str, metric: Array) -> Array:
        """The order of each two systems in each segment, 0 for ties and what is missing."""
        gap = _gaps(np.where(self.there, metric, np.nan))
        return order_pairs(gap, self.eps[name])

    def _mean(self, each: Array, sample: Resample) -> Array:
        """Mean over the segments that have a coefficient: draws × segments to draws."""
        there = np.isfinite(each)
        weights = sample.segments
        if self.options.nan == "zero" or self.options.micro:
            size = sample.weights @ self.there.astype(np.float64)
            weights = weights * (size if self.options.micro else size > 1)
        counted = weights if self.options.nan == "zero" else weights * there
        return divide((np.where(there, each, 0.0) * weights).sum(1), counted.sum(1))

    def _sum_weighted(
        self, key: str, weights: Array, make: Callable[[], Array]
    ) -> Array:
        """Sums under the weights, of values that are made and taken apart once."""
        if key not in self._values:
            self._values[key] = WeightedValues(make())
        return self._values[key].sum_weighted(weights)

    def _keep(self, name: str, make: Callable[[], Array]) -> Array:
        if name not in self._arrays:
            self._arrays[name] = make()
        return self._arrays[name]


def _gaps(x: Array) -> Array:
    """Differences of each two systems, 0 where either is missing."""
    gaps = pair_gaps(x)
    return np.where(np.isfinite(gaps), gaps, 0.0)


def _counts(
    agreement: Array, ordered: Array, metric: Array, gold: Array, total: Array
) -> PairCounts:
    """Kinds of pairs, from sums of orders' products, and of pairs that are not tied."""
    return PairCounts(
        (ordered + agreement) / 2,
        (ordered - agreement) / 2,
        metric - ordered,
        gold - ordered,
        total - metric - gold + ordered,
    )
