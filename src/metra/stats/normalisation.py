"""Judges' values on one scale."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from metra.stats.arrays import Array, Codes, group_lines
from metra.stats.moments import ranks


@dataclass(frozen=True)
class JudgeSpread:
    """One judge's values as they were given, and why they were left out, if they were."""

    #: The judge's number.
    judge: int
    n: int
    mean: float
    sd: float
    low: float
    high: float
    left_out: str = ""


@dataclass(frozen=True)
class ScalingMethod:
    """A way to put a judge's values on a scale that all judges share."""

    name: str
    scale: Callable[[Array], Array]
    #: Whether equal values have no place on the scale.
    needs_spread: bool = True


#: The methods by name. Means, limits and ranks are over all that a judge judged.
SCALINGS = {
    method.name: method
    for method in (
        ScalingMethod("none", lambda x: x, needs_spread=False),
        ScalingMethod("z", lambda x: np.asarray((x - x.mean()) / x.std(ddof=1))),
        ScalingMethod(
            "min-max", lambda x: np.asarray((x - x.min()) / (x.max() - x.min()))
        ),
        ScalingMethod("rank", lambda x: np.asarray((ranks(x) - 1) / (len(x) - 1))),
    )
}


def scale_judges(
    judge: Codes, value: Array, method: str = "z", *, left_out: Collection[int] = ()
) -> tuple[Array, list[JudgeSpread]]:
    """Scale each judge's values by themselves; NaN for those of judges who are left out.

    Judges who always gave the same value, and so say nothing, are left out, and so are
    those named.
    """
    scaling = SCALINGS[method]
    scaled = np.full(len(value), np.nan)
    spreads = []
    for code, lines in group_lines(judge):
        given = value[lines]
        count, low, high = len(given), float(given.min()), float(given.max())
        reason = "by quality control" if code in left_out else ""
        if scaling.needs_spread and not reason and low == high:
            reason = "one value only" if count == 1 else "always the same value"
        sd = float(given.std(ddof=1)) if count > 1 else float("nan")
        mean = float(given.mean())
        spreads.append(JudgeSpread(code, count, mean, sd, low, high, reason))
        if not reason:
            scaled[lines] = scaling.scale(given)
    return scaled, spreads
