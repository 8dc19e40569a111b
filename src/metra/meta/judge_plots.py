"""What pictures of judges show: two judges point by point, and how far judgements are apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metra.stats.arrays import Array, choose_round_step
from metra.stats.defaults import SEED
from metra.stats.judge_agreement import JudgeAgreement

#: How far points are moved either way on scales of a few steps, in steps (Turian et al. 2003).
SKEW = 0.2
#: Scales of more different values than this are taken for continuous: no point is moved.
MOST_STEPS = 25
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
    """Show the two judges whose ranks agree least; points on a scale of steps are moved."""
    known = [pair for pair in agreement.pairs if pair.spearman == pair.spearman]
    enough = [pair for pair in known if pair.n >= ENOUGH]
    pair = min(enough or known or agreement.pairs, key=lambda pair: pair.spearman)
    skew = _choose_skew(np.concatenate([pair.a, pair.b]))
    off = np.random.default_rng(seed).uniform(-skew, skew, (2, pair.n))
    rho = "undefined" if pair.spearman != pair.spearman else f"{pair.spearman:.3f}"
    moved = f", points moved by up to {skew:.2g}" if skew else ""
    return JudgePlot(
        f"The two judges of {name} who agree least",
        f"{pair.n} shared units, Spearman {rho}{moved}",
        f"judge {pair.first}",
        f"judge {pair.second}",
        list(zip(pair.a.tolist(), pair.b.tolist(), strict=True)),
        list(zip((pair.a + off[0]).tolist(), (pair.b + off[1]).tolist(), strict=True)),
    )


def _choose_skew(values: Array) -> float:
    """Choose how far points are moved: a share of the smallest step, 0 if continuous."""
    steps = np.diff(np.unique(values))
    return SKEW * float(steps.min()) if 0 < len(steps) < MOST_STEPS else 0.0


def build_gap_histogram(agreement: JudgeAgreement, name: str) -> Histogram:
    """Show how far apart two judgements of the same unit are."""
    gaps = agreement.shared.gaps()
    equal = 100 * float((gaps == 0).mean())
    return Histogram(
        f"Distance between two judgements of {name}",
        f"{len(gaps):,} pairs of judgements, {equal:.0f} % of them equal",
        "difference",
        count_gaps(gaps),
    )


def count_gaps(gaps: Array, most: int = 12) -> list[tuple[str, int]]:
    """Count differences: each by itself where they are few, else in ranges.

    A range holds its upper end; only whole numbers have a lower end of their own.

    >>> count_gaps(np.array([0.0, 1, 1, 3]))
    [('0', 1), ('1', 2), ('2', 0), ('3', 1)]
    >>> count_gaps(np.array([0.0, 0.3, 7.5]), most=3)
    [('0', 1), ('>0–5', 1), ('5–10', 1)]
    """
    if not len(gaps):
        return []
    top = float(gaps.max())
    is_whole = bool((gaps == np.rint(gaps)).all())
    if is_whole and top < most:
        counts = np.bincount(gaps.astype(np.int64))
        return [(str(at), int(count)) for at, count in enumerate(counts)]
    step = choose_round_step(0.999999 * top, most - 1, (1, 2, 5, 10))
    bins = np.ceil(gaps[gaps > 0] / step - 1e-9).astype(np.int64)
    counts = np.bincount(np.maximum(bins, 1))[1:]
    bars = [("0", int((gaps == 0).sum()))]
    for at, count in enumerate(counts, 1):
        low, high = (at - 1) * step, at * step
        label = f"{low:g}–{high:g}" if low else f">0–{high:g}"
        if is_whole:
            label = f"{low + 1:g}–{high:g}" if step > 1 else f"{high:g}"
        bars.append((label, int(count)))
    return bars
