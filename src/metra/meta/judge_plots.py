"""What pictures of judges show: two judges point by point, and how far judgements are apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metra.stats.arrays import Array, choose_round_step
from metra.stats.defaults import SEED
from metra.stats.judge_agreement import JudgeAgreement

#: How far points are moved either way on scales of a few steps (Turian et al. 2003).
SKEW = 0.2
#: Pairs that share fewer units than this are not the ones to show.
ENOUGH = 10


@dataclass(frozen=True, slots=True)
class JudgePlot:
    """Two judges' values, as they are and as they are drawn."""

    title: str
    caption: str
    across: str
    down: str
    given: Sequence[tuple[float, float]]
    moved: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Histogram:
    """A label and a count for each bar."""

    title: str
    caption: str
    across: str
    bars: Sequence[tuple[str, int]]


def build_judge_plot(
    agreement: JudgeAgreement, name: str, *, seed: int = SEED
) -> JudgePlot:
    """Show the two judges whose ranks agree least, points moved to show how many they are."""
    known = [pair for pair in agreement.pairs if pair.spearman == pair.spearman]
    enough = [pair for pair in known if pair.n >= ENOUGH]
    pair = min(enough or known or agreement.pairs, key=lambda pair: pair.spearman)
    both = np.concatenate([pair.a, pair.b])
    span = float(both.max() - both.min())
    skew = SKEW if 0 < span <= 12 else span / 60
    off = np.random.default_rng(seed).uniform(-skew, skew, (2, pair.n))
    rho = "undefined" if pair.spearman != pair.spearman else f"{pair.spearman:.3f}"
    return JudgePlot(
        f"The two judges of {name} who agree least",
        f"{pair.n} shared units, Spearman {rho}, points moved by up to {skew:.2g}",
        f"judge {pair.first}",
        f"judge {pair.second}",
        list(zip(pair.a.tolist(), pair.b.tolist(), strict=True)),
        list(zip((pair.a + off[0]).tolist(), (pair.b + off[1]).tolist(), strict=True)),
    )


def build_gap_histogram(agreement: JudgeAgreement, name: str) -> Histogram:
    """Show how far apart two judgements of the same unit are."""
    gaps = agreement.shared.gaps()
    equal = 100 * float((gaps == 0).mean())
    return Histogram(
        f"How far apart two judgements of {name} are",
        f"{len(gaps):,} pairs of judgements, {equal:.0f} % of them equal",
        "difference",
        count_gaps(gaps),
    )


def count_gaps(gaps: Array, most: int = 12) -> list[tuple[str, int]]:
    """Count differences: each by itself where they are few, else in ranges from 0 on.

    >>> count_gaps(np.array([0.0, 1, 1, 3]))
    [('0', 1), ('1', 2), ('2', 0), ('3', 1)]
    """
    if not len(gaps):
        return []
    top = float(gaps.max())
    if (gaps == np.rint(gaps)).all() and top < most:
        counts = np.bincount(gaps.astype(np.int64))
        return [(str(at), int(count)) for at, count in enumerate(counts)]
    step = choose_round_step(0.999999 * top, most - 1, (1, 2, 5, 10))
    bins = np.ceil(gaps[gaps > 0] / step - 1e-9).astype(np.int64)
    counts = np.bincount(np.maximum(bins, 1))[1:]
    bars = [("0", int((gaps == 0).sum()))]
    return bars + [
        (f"≤ {at * step:g}", int(count)) for at, count in enumerate(counts, 1)
    ]
