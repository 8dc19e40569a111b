"""Random draws in blocks: how often each unit is taken, or which units change sides.

The draws depend on the generator and the number of units alone. Block sizes change neither
them nor anything that is made of them, and memory stays flat however many units there are.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Weights: TypeAlias = NDArray[Any]

#: Trials times units in one block, and of those how many are drawn at a time.
BLOCK = 4_000_000
STEP = 1_000_000

#: Larger blocks multiply no faster.
MOST_TRIALS = 256


def resamples(
    count: int,
    trials: int,
    rng: "np.random.Generator",
    *,
    block: int = BLOCK,
    step: int = STEP,
) -> Iterator[Weights]:
    """Draw `count` units out of `count`, with replacement, `trials` times.

    Each block tells for some trials how often each unit was drawn: (trials, count).
    """
    for size in _sizes(count, trials, block):
        weights = np.empty((size, count), np.uint16)
        start = 0
        for some in _sizes(count, size, step):
            draws = rng.integers(0, count, (some, count))
            draws += np.arange(some)[:, None] * count
            counts = np.bincount(draws.ravel(), minlength=some * count)
            weights[start : start + some] = counts.reshape(some, count)
            start += some
        yield weights


def swaps(
    count: int, trials: int, rng: "np.random.Generator", *, block: int = BLOCK
) -> Iterator[Weights]:
    """Choose each unit or not, as by a coin, `trials` times: ones or zeros, (trials, count)."""
    words = -(-count // 64)
    for size in _sizes(count, trials, block):
        drawn = rng.integers(
            0, 2**64 - 1, (size, words), dtype=np.uint64, endpoint=True
        )
        bits = drawn.astype("<u8").view(np.uint8)
        yield np.unpackbits(bits, axis=1, count=count, bitorder="little")


def _sizes(count: int, trials: int, budget: int) -> Iterator[int]:
    size = max(1, min(MOST_TRIALS, budget // count))
    for start in range(0, trials, size):
        yield min(size, trials - start)
