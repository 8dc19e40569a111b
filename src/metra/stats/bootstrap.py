"""Intervals of correlations, for other systems, other segments or both.

Drawing systems and segments at once (BOOT-BOTH, Deutsch, Dror and Roth 2021, TACL) counts
the variance of single cells three times (Owen 2007), so that its intervals are too wide.
Intervals here add up the variances over systems, from leaving out each, and over segments,
from resamples, less that of the cells, which is in both. All metrics share the draws.
Nothing is recomputed from scratch where weights do: a resample is a count of each system
and each segment, and sums of weighted values are products of matrices. Products of whole
numbers are exact in any order; others are made so (`metra.stats.weighted_sums`).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra.stats.arrays import Array, divide, order_pairs, pair_gaps
from metra.stats.coefficients import PairCounts, pearson_of_sums
from metra.stats.correlation import Options, compute_thresholds, correlate_all
from metra.stats.distributions import solve_wilson, student_quantile, upper_tail
from metra.stats.panel import ScorePanel
from metra.stats.parallel import track_blocks
from metra.stats.resampling import count_draws, draw_counts, interval
from metra.stats.weighted_sums import WeightedValues

Drawn: TypeAlias = Literal["both", "sys", "item"]
#: What makes an array of some scorers' values.
Make: TypeAlias = Callable[..., Array]


@dataclass(frozen=True)
class Resample:
    """Some draws: the systems drawn, and how often each segment was."""

    systems: NDArray[np.int64]  # draws × systems drawn
    segments: Array  # draws × segments
    #: The number of systems, of which fewer may be drawn.
    count: int

    @property
    def weights(self) -> Array:
        """Number of draws of each system: draws × systems."""
        return count_draws(self.systems, count=self.count).astype(np.float64)

    @property
    def pair_weights(self) -> Array:
        """Number of draws of each pair of different systems: draws × pairs."""
        weights = self.weights
        first, second = np.triu_indices(weights.shape[1], 1)
        return weights[:, first] * weights[:, second]


def draw_resamples(
    systems: int, segments: int, trials: int, seed: int, drawn: Drawn = "both"
) -> Iterator[Resample]:
    """Draw systems and segments, some resamples at a time."""
    rng = np.random.default_rng(seed)
    block = max(1, min(250, 2_000_000 // max(segments, 1)))
    for start in track_blocks(trials, block):
        size = min(block, trials - start)
        chosen = rng.integers(0, systems, (size, systems))
        if drawn == "item":
            chosen = np.tile(np.arange(systems), (size, 1))
        counts = np.ones((size, segments))
        if drawn != "sys" and segments:
            counts = draw_counts(segments, size, rng).astype(np.float64)
        yield Resample(chosen, counts, systems)


def bootstrap(
    panel: ScorePanel, level: str, options: Options, *, drawn: Drawn = "both"
) -> dict[str, Array]:
    """The coefficient of every metric in each of `options.trials` resamples."""
    drawn = choose_units(panel, level, drawn)
    drawn_values: dict[str, list[Array]] = {name: [] for name in panel.names}
    scorer = _ResampleScorer(panel, level, options)
    size, count = panel.gold.shape
    for sample in draw_resamples(size, count, options.trials, options.seed, drawn):
        for name, values in scorer.score(sample).items():
            drawn_values[name].append(values)
    return {name: np.concatenate(values) for name, values in drawn_values.items()}


def correlate_weightings(
    panel: ScorePanel, level: str, options: Options, weights: Array
) -> dict[str, Array]:
    """The coefficient of every metric under each weighting of the segments, all systems.

    Weights are draws × segments; those of 0 and 1 choose segments.
    """
    systems = np.tile(np.arange(len(panel.systems)), (len(weights), 1))
    sample = Resample(systems, weights, len(panel.systems))
    return _ResampleScorer(panel, level, options).score(sample)


def resamples_segments(panel: ScorePanel) -> bool:
    """Return True if system scores follow from segments, or are re-pooled from them."""
    return bool(np.isfinite(panel.gold).any()) and all(
        name in panel.statistics for name in panel.given if name != panel.gold_name
    )


def choose_units(panel: ScorePanel, level: str, drawn: Drawn) -> Drawn:
    """Return what can be drawn: segments only if system scores follow from them."""
    if level == "sys" and drawn == "both" and not resamples_segments(panel):
        return "sys"
    return drawn


def find_intervals(
    panel: ScorePanel,
    level: str,
    options: Options,
    values: Mapping[str, float],
    *,
    drawn: Drawn = "both",
) -> dict[str, tuple[float, float] | None]:
    """Return the 95 % interval of each metric's coefficient; None where it has no variance.

    Student's t is held against the error of a difference to other systems and segments
    (Cameron, Gelbach and Miller 2011), with Satterthwaite's degrees of freedom.
    """
    drawn = choose_units(panel, level, drawn)
    score = _ResampleScorer(panel, level, options).score
    size, count = panel.gold.shape
    names = panel.names
    others = np.array([np.delete(np.arange(size), at) for at in range(size)])

    def measure(sample: Resample) -> Array:
        scores = score(sample)
        return _stretch_ends(np.array([scores[name] for name in names]), options)

    whole = Resample(np.arange(size)[None], np.ones((1, count)), size)
    full = measure(whole)
    over_systems = over_segments = of_cells = np.zeros(len(names))
    if drawn != "item":
        without = measure(Resample(others, np.ones((size, count)), size))
        over_systems = (size - 1) * _variance(without)
    if drawn != "sys":
        resampled, left = list[Array](), list[Array]()
        trials = -(-options.trials // 2) if drawn == "both" else options.trials
        for sample in draw_resamples(size, count, trials, options.seed, "item"):
            resampled.append(measure(sample))
            if drawn == "both":
                start = sum(each.shape[1] for each in left)
                places = np.arange(start, start + len(sample.systems)) % size
                both = measure(replace(sample, systems=others[places]))
                # What leaving out a system changes in a resample more than in all segments.
                left.append(both - without[:, places] - resampled[-1] + full)
        over_segments = _variance(np.concatenate(resampled, axis=1))
        if drawn == "both":
            crossed = np.concatenate(left, axis=1)
            of_cells = size * _mean_finite(crossed**2)
    excess = np.maximum(over_segments - of_cells, 0.0)
    square = over_systems + excess
    compared = max(panel.compared, 2)
    below = over_systems**2 / (size - 1) + excess**2 / (compared - 1)
    freedom = np.where(below > 0, divide(square**2, below), size - 1)
    return {
        name: _widen(values[name], each, student_quantile(0.975, df), size - 1, options)
        if math.isfinite(each) and math.isfinite(values[name])
        else None
        for name, each, df in zip(names, square.tolist(), freedom.tolist(), strict=True)
    }


def _variance(values: Array) -> Array:
    """Mean squared distance of each row's values from their mean; NaN if few are defined."""
    return _mean_finite((values - _mean_finite(values)[:, None]) ** 2)


def _mean_finite(values: Array) -> Array:
    """Mean of each row's defined values; NaN if no more than half are."""
    present = np.isfinite(values)
    count = present.sum(1)
    total = np.where(present, values, 0.0).sum(1)
    return np.where(2 * count > values.shape[1], divide(total, count), np.nan)


def _stretch_ends(values: Array, options: Options) -> Array:
    """Put values on the scale on which they vary evenly: Fisher's z of Pearson's r."""
    if options.coef not in _FISHER:
        return values
    return np.arctanh(np.clip(values, -1 + 1e-12, 1 - 1e-12))


def _widen(
    value: float, square: float, t: float, cases: int, options: Options
) -> tuple[float, float]:
    """Return the interval of a value with this variance on its scale.

    Ranks and soft accuracies are shares of as many cases as have the variance (Wilson's
    interval). So are values that nothing changes, with as many `cases` as given.
    """
    half, lowest = t * math.sqrt(square), options.coefficient.lowest
    if options.coef in _FISHER:
        middle = float(_stretch_ends(np.array(value), options))
        return math.tanh(middle - half), math.tanh(middle + half)
    width = 1 - lowest
    share = (value - lowest) / width
    if square and options.coef not in _SHARES:
        return max(value - half, lowest), min(value + half, 1.0)
    spread = share * (1 - share)
    per_case = (half / width) ** 2 / spread if square and spread else t**2 / cases
    low, high = solve_wilson(share, per_case)
    return lowest + width * low, lowest + width * high


_FISHER = ("pearson", "differentials", "pdp")
_SHARES = ("spearman", "spa")


def compute_bounds(draws: Array) -> tuple[float, float] | None:
    """Percentile interval of the draws that have a coefficient; None where few have."""
    present = draws[np.isfinite(draws)]
    return interval(present) if len(present) > len(draws) / 2 else None


def fisher_interval(
    r: float, n: int, *, variance: float = 1.0
) -> tuple[float, float] | None:
    """Return the 95 % interval of Pearson's r of n values; None if n is too small.

    Fisher 1921: atanh(r) has the variance 1 / (n - 3). That of Spearman's rho is 1 + rho² / 2
    times as large (Bonett and Wright 2000).
    """
    if n <= 3 or not math.isfinite(r):
        return None
    if abs(r) >= 1:
        return r, r
    half = NormalDist().inv_cdf(0.975) * math.sqrt(variance / (n - 3))
    middle = math.atanh(r)
    return math.tanh(middle - half), math.tanh(middle + half)


class _ResampleScorer:
    """One coefficient of all metrics, of any resample; what depends on no draw is kept."""

    def __init__(self, panel: ScorePanel, level: str, options: Options) -> None:
        self.panel = panel
        self.options = options
        self.present = np.isfinite(panel.gold)
        self._scores = {panel.gold_name: panel.gold, **panel.metrics}
        #: Arrays by the method that makes them and its arguments, made once.
        self._keep: Callable[..., Array] = cache(lambda make, *names: make(*names))
        self._take_apart: Callable[..., WeightedValues] = cache(
            lambda make, *names: WeightedValues(make(*names))
        )
        self.score = self._choose_way(level)

    def _choose_way(self, level: str) -> Callable[[Resample], dict[str, Array]]:
        """The quickest way to the coefficient."""
        panel, group = self.panel, self.options.group
        coefficient = self.options.coefficient
        if level == "sys" and coefficient.soft:
            return self._soft_pairs
        if level == "sys" and coefficient.counts is None:
            return self._systems
        if coefficient.counts is not None and (level == "sys" or group == "item"):
            self._formula = coefficient.counts
            scores = panel.gold, panel.metrics
            if level == "sys":
                scores = panel.system_gold, panel.system_metrics
            # No draw changes the thresholds of ties.
            self.eps = compute_thresholds(*scores, self.options)
            return self._system_pairs if level == "sys" else self._item_pairs
        if coefficient.linear and group in ("none", "item"):
            return self._pearson if group == "none" else self._item_pearson
        return self._recompute

    def _systems(self, sample: Resample) -> dict[str, Array]:
        rows = self.options.rows
        gold, *means = (
            np.take_along_axis(each, sample.systems, 1) for each in self._means(sample)
        )
        names = self.panel.names
        return {name: rows(gold, m) for name, m in zip(names, means, strict=True)}

    def _system_pairs(self, sample: Resample) -> dict[str, Array]:
        """A system drawn twice makes a pair with itself, which proves nothing: left out."""
        weights = sample.pair_weights
        gaps, *metric_gaps = (_gaps(each.T).T for each in self._means(sample))

        def add(values: Array) -> Array:
            return (weights * values).sum(1)

        named = zip(self.panel.names, metric_gaps, strict=True)
        orders = (order_pairs(gap, self.eps[name]) for name, gap in named)
        return self._count_orders(add, order_pairs(gaps), orders, weights.sum(1))

    def _soft_pairs(self, sample: Resample) -> dict[str, Array]:
        weights = sample.pair_weights
        total = weights.sum(1)
        gold = self._p(sample, self.panel.gold_name)
        return {
            name: 1.0
            - divide((weights * np.abs(gold - self._p(sample, name))).sum(1), total)
            for name in self.panel.names
        }

    def _item_pairs(self, sample: Resample) -> dict[str, Array]:
        add = partial(np.matmul, sample.pair_weights)
        gold = self._keep(self._order, self.panel.gold_name)
        orders = (self._keep(self._order, name) for name in self.panel.names)
        each = self._count_orders(add, gold, orders, add(self._keep(self._pairs_there)))
        return {name: self._mean(values, sample) for name, values in each.items()}

    def _count_orders(
        self,
        add: Callable[[Array], Array],
        gold: Array,
        metrics: Iterable[Array],
        total: Array,
    ) -> dict[str, Array]:
        """Apply the formula to weighted sums of orders of pairs; `total` is of all pairs."""
        untied = add(np.abs(gold))
        coefficients = {}
        for name, metric in zip(self.panel.names, metrics, strict=True):
            both = gold * metric
            sums = map(add, (both, np.abs(both), np.abs(metric)))
            agreement, ordered, metric_untied = sums
            kinds = PairCounts(
                (ordered + agreement) / 2,
                (ordered - agreement) / 2,
                metric_untied - ordered,
                untied - ordered,
                total - metric_untied - untied + ordered,
            )
            coefficients[name] = self._formula(kinds)
        return coefficients

    def _pearson(self, sample: Resample) -> dict[str, Array]:
        def add(*names: str) -> Array:
            sums = self._sum_weighted(sample.segments, self._multiply_turned, *names)
            return np.einsum("ds,ds->d", sums, sample.weights)

        return self._correlate_sums(add)

    def _item_pearson(self, sample: Resample) -> dict[str, Array]:
        add = partial(self._sum_weighted, sample.weights, self._multiply)
        each = self._correlate_sums(add)
        return {name: self._mean(values, sample) for name, values in each.items()}

    def _correlate_sums(self, add: Make) -> dict[str, Array]:
        """Pearson's r from weighted sums of cells and of products of two scorers' cells."""
        gold = self.panel.gold_name
        count, sum_g, sum_gg = add(), add(gold), add(gold, gold)
        coefficients = {}
        for name in self.panel.names:
            sum_m, sum_mm, sum_gm = add(name), add(name, name), add(gold, name)
            needed = (count, sum_g, sum_m, sum_gg, sum_mm, sum_gm)
            coefficients[name] = pearson_of_sums(np.stack(needed, axis=-1))
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

    def _means(self, sample: Resample) -> Iterator[Array]:
        """System scores in each draw, of the gold and of each metric: draws × systems."""
        panel = self.panel
        means = self._average_cells(sample)
        given = [panel.system_gold, *panel.system_metrics.values()]
        for name, whole in zip(self._scores, given, strict=True):
            if name in panel.statistics:
                yield panel.statistics[name].score_weightings(sample.segments)
            elif name in panel.given:
                yield np.broadcast_to(whole, (len(sample.systems), len(whole)))
            else:
                yield next(means)

    def _average_cells(self, sample: Resample) -> Iterator[Array]:
        """Means of those who are averaged; one product serves them all."""
        total = self._sum_weighted(sample.segments, self._averaged_cells)
        total = total.reshape(len(total), -1, len(self.present))
        count = sample.segments @ self.present.T.astype(np.float64)
        for place in range(total.shape[1]):
            yield divide(total[:, place], count)

    def _averaged_cells(self) -> Array:
        others = {*self.panel.statistics, *self.panel.given}
        cells = [x for name, x in self._scores.items() if name not in others]
        return np.concatenate([np.where(self.present, x, 0.0) for x in cells]).T

    def _p(self, sample: Resample, name: str) -> Array:
        total = self._sum_weighted(sample.segments, self._turned_gaps, name)
        squares = self._sum_weighted(sample.segments, self._squared_gaps, name)
        return upper_tail(divide(total, np.sqrt(squares), fill=0.0))

    def _turned_gaps(self, name: str) -> Array:
        return _gaps(np.where(self.present, self._scores[name], np.nan)).T

    def _squared_gaps(self, name: str) -> Array:
        return self._turned_gaps(name) ** 2

    def _multiply(self, *names: str) -> Array:
        """Products of scorers' centred cells, 1 without any; 0 where missing."""
        cells = [self._centre(self._scores[name]) for name in names]
        return reduce(np.multiply, cells, self.present.astype(np.float64))

    def _multiply_turned(self, *names: str) -> Array:
        return self._multiply(*names).T

    def _centre(self, values: Array) -> Array:
        cells = np.where(self.present, values, 0.0)
        return np.where(self.present, cells - cells.sum() / self.present.sum(), 0.0)

    def _pairs_there(self) -> Array:
        first, second = np.triu_indices(len(self.present), 1)
        return (self.present[first] & self.present[second]).astype(np.float64)

    def _order(self, name: str) -> Array:
        """The order of each two systems in each segment, 0 for ties and missing values."""
        gaps = _gaps(np.where(self.present, self._scores[name], np.nan))
        return order_pairs(gaps, self.eps.get(name, 0.0))

    def _mean(self, each: Array, sample: Resample) -> Array:
        """Mean over the segments that have a coefficient: draws × segments to draws."""
        present = np.isfinite(each)
        weights = sample.segments
        if self.options.micro:
            weights = weights * (sample.weights @ self.present.astype(np.float64))
        counted = weights * present
        return divide((np.where(present, each, 0.0) * weights).sum(1), counted.sum(1))

    def _sum_weighted(self, weights: Array, make: Make, *names: str) -> Array:
        """Sums of an array's values under the weights."""
        return self._take_apart(make, *names).sum_weighted(weights)


def _gaps(x: Array) -> Array:
    """Differences of each two systems, 0 where either is missing."""
    gaps = pair_gaps(x)
    return np.where(np.isfinite(gaps), gaps, 0.0)
