"""TrueSkill as WMT ranks systems with it: skills learned from comparisons, one at a time.

A system's skill is a normal distribution, moved by every comparison, the more the less the
outcome was expected; Herbrich, Minka and Graepel 2006, NIPS. Which two systems are compared
next follows the skills: the one least known against one about as good; Sakaguchi,
Post and Van Durme 2014, WMT. Many runs draw other comparisons, and say how far a system's
rank may be chance.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from metra.errors import CorpusError
from metra.stats import ranking
from metra.stats.arrays import Array, Codes, Mask
from metra.stats.defaults import SEED

#: How uncertain a skill is at first, and how many comparisons are thought to end in a draw.
SIGMA, DRAWN = 0.5, 0.25
#: Comparisons that double a skill's noise.
PER_NOISE = 40
RUNS = 100
#: Comparisons of one run, where there are more.
MOST_MATCHES = 10_000


@dataclass(frozen=True)
class PairwiseCounts:
    """Comparisons in which the row's system was better than the column's, or as good."""

    wins: Codes
    draws: Codes

    def of(self, kept: Mask) -> "PairwiseCounts":
        """Keep some systems."""
        return PairwiseCounts(self.wins[kept][:, kept], self.draws[kept][:, kept])

    @property
    def met(self) -> Codes:
        """Number of comparisons of two systems, in either order."""
        return self.wins + self.wins.T + self.draws


@dataclass(frozen=True)
class Skills:
    """Mean skills over runs, and the ranks that all but the outermost runs give."""

    means: Array
    ranges: list[tuple[int, int]]
    matches: int
    runs: int


def count_wins(values: Array) -> PairwiseCounts:
    """Compare each two systems on every segment: systems × segments, higher is better."""
    draws = np.array([(row == values).sum(1) for row in values])
    np.fill_diagonal(draws, 0)
    return PairwiseCounts(ranking.count_wins(values), draws)


def learn_skills(
    counted: PairwiseCounts,
    *,
    matches: int = 0,
    runs: int = RUNS,
    seed: int = SEED,
    level: float = 0.95,
) -> Skills:
    """Learn skills in many runs; `matches` of 0 are as many as there are, up to a limit."""
    met = counted.met
    if (met.sum(1) == 0).any():
        msg = "TrueSkill needs comparisons: some system shares no segment with another."
        raise CorpusError(msg)
    matches = matches or min(int(met.sum()) // 2, MOST_MATCHES)
    mu = _run_matches(counted, matches, runs, np.random.default_rng(seed))
    ranks = np.argsort(np.argsort(-mu, axis=1, kind="stable"), axis=1) + 1
    ranks = np.sort(ranks, axis=0)
    cut = math.ceil(runs * (1 - level) / 2) if runs > 2 else 0
    kept = ranks[cut : runs - cut]
    ranges = [(int(column[0]), int(column[-1])) for column in kept.T]
    return Skills(mu.mean(0), ranges, matches, runs)


def _run_matches(
    counted: PairwiseCounts, matches: int, runs: int, rng: np.random.Generator
) -> Array:
    """Skills after so many comparisons, all runs side by side: runs × systems."""
    met = counted.met.astype(np.float64)
    size = len(met)
    win = counted.wins / np.maximum(met, 1)
    draw = counted.draws / np.maximum(met, 1)
    mu, variance = np.zeros((runs, size)), np.full((runs, size), SIGMA**2)
    beta = SIGMA * matches / PER_NOISE
    every = np.arange(runs)
    for _ in range(matches):
        chance, outcome = rng.random((2, runs))
        # Of equally uncertain systems one is drawn, or the first would always begin.
        a = np.argmax(variance + 1e-9 * rng.random((runs, size)), axis=1)
        near = np.exp(-np.abs(mu - mu[every, a][:, None])) * (met[a] > 0)
        sums = np.cumsum(near, axis=1)
        b = (sums <= (chance * sums[:, -1])[:, None]).sum(1)
        won, drawn = win[a, b], draw[a, b]
        result = np.where(outcome < won, 1, np.where(outcome < won + drawn, 0, -1))
        one, other = update_ratings(
            (mu[every, a], variance[every, a]),
            (mu[every, b], variance[every, b]),
            result,
            beta=beta,
        )
        mu[every, a], variance[every, a] = one
        mu[every, b], variance[every, b] = other
    return mu


Rating = tuple[Array, Array]


def update_ratings(
    a: Rating, b: Rating, result: Codes, *, beta: float, drawn: float = DRAWN
) -> tuple[Rating, Rating]:
    """Means and variances after a comparison: 1 where a was better, 0 for a draw, -1.

    >>> one = np.array([0.0]), np.array([0.25])
    >>> (mu, variance), _ = update_ratings(one, one, np.array([1]), beta=1.0)
    >>> round(float(mu[0]), 4), round(float(variance[0]), 4)
    (0.1562, 0.2326)
    """
    side = np.where(result == 0, 1, result)
    c = np.sqrt(2 * beta**2 + a[1] + b[1])
    t = side * (a[0] - b[0]) / c
    margin = NormalDist().inv_cdf((drawn + 1) / 2) * math.sqrt(2) * beta / c
    v, w = np.empty_like(t), np.empty_like(t)
    won = result != 0
    x = (t - margin)[won]
    v[won] = _density(x) / _below(x)
    w[won] = v[won] * (v[won] + x)
    upper, lower = (margin - t)[~won], (-margin - t)[~won]
    inside = _below(upper) - _below(lower)
    v[~won] = (_density(lower) - _density(upper)) / inside
    edges = upper * _density(upper) - lower * _density(lower)
    w[~won] = v[~won] ** 2 + edges / inside
    return _update_rating(a, side * v, w, c), _update_rating(b, -side * v, w, c)


def _update_rating(rating: Rating, v: Array, w: Array, c: Array) -> Rating:
    mu, variance = rating
    return mu + variance / c * v, variance * (1 - variance / c**2 * w)


def _density(x: Array) -> Array:
    return np.asarray(np.exp(-x * x / 2) / math.sqrt(2 * math.pi))


_erfc: Callable[[Array], Array] = np.vectorize(math.erfc, otypes=[float])


def _below(x: Array) -> Array:
    """P(Z < x), never quite 0."""
    return np.maximum(0.5 * _erfc(-x / math.sqrt(2)), 1e-300)
