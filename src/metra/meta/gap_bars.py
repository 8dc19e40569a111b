"""How far apart judgements are, in bars."""

import numpy as np

from metra.meta.arrays import Array


def gap_bars(gaps: Array, most: int = 12) -> list[tuple[str, int]]:
    """Count differences: each by itself where they are few, else in ranges from 0 on.

    >>> gap_bars(np.array([0.0, 1, 1, 3]))
    [('0', 1), ('1', 2), ('2', 0), ('3', 1)]
    """
    if not len(gaps):
        return []
    top = float(gaps.max())
    if (gaps == np.rint(gaps)).all() and top < most:
        counts = np.bincount(gaps.astype(np.int64))
        return [(str(at), int(count)) for at, count in enumerate(counts)]
    step = _round(top / (most - 1))
    bars = [("0", int((gaps == 0).sum()))]
    rest = gaps[gaps > 0]
    bins = np.ceil(rest / step - 1e-9).astype(np.int64)
    counts = np.bincount(np.maximum(bins, 1))[1:]
    bars += [(f"≤ {(at + 1) * step:g}", int(count)) for at, count in enumerate(counts)]
    return bars


def _round(step: float) -> float:
    power = 10.0 ** np.floor(np.log10(step))
    return float(next(power * m for m in (1, 2, 5, 10) if power * m >= step * 0.999999))
