"""Judgements as arrays, sorted by unit, and judges' values on one scale."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import ArrayLike

from metra.errors import LengthError
from metra.stats.arrays import Array, Codes, Mask, check_finite, group_lines
from metra.stats.coefficients import ranks


@dataclass(frozen=True)
class RepeatedRatings:
    """Judgements that a judge gave again: who, at first and later."""

    judge: Codes
    first: Array
    later: Array


_NO_CODES = np.empty(0, np.int64)
_NO_REPEATS = RepeatedRatings(_NO_CODES, np.empty(0), np.empty(0))


@dataclass(frozen=True)
class Ratings:
    """Judgements in the order of units, then judges; a judge has one value of a unit.

    A unit is a system's output of a segment, or of comparisons two of them, the value
    being 1 where the first is better, -1 the second, 0 neither. Where a judge judged it
    again, the first value stands here and the later ones are among the repeats.
    """

    judges: tuple[str, ...]
    units: tuple[str, ...]
    judge: Codes
    unit: Codes
    value: Array
    repeats: RepeatedRatings = _NO_REPEATS
    #: The segment of each unit, by number: units of a segment depend on each other and are
    #: drawn together. Empty where each unit stands for itself.
    segment: Codes = field(default_factory=lambda: _NO_CODES)
    #: Whether units are comparisons of two outputs.
    compares: bool = False

    def __len__(self) -> int:
        return len(self.value)

    @cached_property
    def counts(self) -> Codes:
        """Number of judges of each unit."""
        return np.bincount(self.unit, minlength=len(self.units))

    @cached_property
    def levels(self) -> tuple[Array, Codes]:
        """The different values in rising order, and which of them each judgement is."""
        # Much quicker than `return_inverse` where values are few.
        values = np.unique(self.value)
        return values, np.searchsorted(values, self.value)

    def number_segments(self) -> Codes:
        """Number the segments of the units from 0; units without segments are their own."""
        if not len(self.segment):
            return np.arange(len(self.units))
        return np.unique(self.segment, return_inverse=True)[1]

    def pairable(self) -> "Ratings":
        """Keep the units that at least two judges judged, numbered anew."""
        return self.of_units(np.flatnonzero(self.counts >= 2))

    def of_units(self, kept: Codes) -> "Ratings":
        """Keep some units, in their order, and number them anew."""
        place = np.full(len(self.units), -1, np.int64)
        place[kept] = np.arange(len(kept))
        keep = place[self.unit] >= 0
        return replace(
            self,
            units=tuple(self.units[at] for at in kept.tolist()),
            judge=self.judge[keep],
            unit=place[self.unit[keep]],
            value=self.value[keep],
            repeats=_NO_REPEATS,
            segment=self.segment[kept] if len(self.segment) else self.segment,
        )

    def of_judges(self, kept: Mask) -> "Ratings":
        """Keep some judges, and number them anew."""
        keep = kept[self.judge]
        return replace(
            self,
            judges=tuple(compress(self.judges, kept)),
            judge=(np.cumsum(kept) - 1)[self.judge[keep]],
            unit=self.unit[keep],
            value=self.value[keep],
            repeats=_NO_REPEATS,
        )

    def dense(self) -> Array:
        """Judges × units, NaN where a judge did not judge."""
        values = np.full((len(self.judges), len(self.units)), np.nan)
        values[self.judge, self.unit] = self.value
        return values


def convert_matrix(matrix: ArrayLike) -> Ratings:
    """Take judges × units as an array, NaN where a judge did not judge."""
    values = np.asarray(matrix, np.float64)
    if values.ndim != 2:
        msg = f"The judgements have the shape {values.shape}; expected judges × units."
        raise LengthError(msg)
    check_finite(values, "The judgements")
    judge, unit = np.nonzero(np.isfinite(values))
    judges, units = ([str(at + 1) for at in range(size)] for size in values.shape)
    return sort_ratings(judges, units, judge, unit, values[judge, unit])


def sort_ratings(
    judges: Sequence[str], units: Sequence[str], judge: Codes, unit: Codes, value: Array
) -> Ratings:
    """Sort judgements by unit and judge, and set repeats aside."""
    order = np.lexsort((judge, unit))
    judge, unit, value = judge[order], unit[order], value[order]
    new = np.ones(len(value), bool)
    new[1:] = (judge[1:] != judge[:-1]) | (unit[1:] != unit[:-1])
    first = np.maximum.accumulate(np.where(new, np.arange(len(value)), 0))
    again = ~new
    present, judge = np.unique(judge, return_inverse=True)
    return Ratings(
        tuple(judges[at] for at in present.tolist()),
        tuple(units),
        judge[new],
        unit[new],
        value[new],
        RepeatedRatings(judge[again], value[first[again]], value[again]),
    )


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


#: Ways to put a judge's values on a scale that all judges share. Means, limits and ranks are
#: over all that a judge judged; equal values have a place on no scale but their own.
SCALINGS: dict[str, Callable[[Array], Array]] = {
    "none": lambda x: x,
    "z": lambda x: np.asarray((x - x.mean()) / x.std(ddof=1)),
    "min-max": lambda x: np.asarray((x - x.min()) / (x.max() - x.min())),
    "rank": lambda x: np.asarray((ranks(x) - 1) / (len(x) - 1)),
}


def scale_judges(
    judge: Codes, value: Array, method: str = "z", *, left_out: Collection[int] = ()
) -> tuple[Array, list[JudgeSpread]]:
    """Scale each judge's values by themselves; NaN for those of judges who are left out.

    Judges who always gave the same value, and so say nothing, are left out, and so are
    those named.
    """
    scaled = np.full(len(value), np.nan)
    spreads = []
    for code, lines in group_lines(judge):
        given = value[lines]
        count, low, high = len(given), float(given.min()), float(given.max())
        reason = "by quality control" if code in left_out else ""
        if method != "none" and not reason and low == high:
            reason = "one value only" if count == 1 else "always the same value"
        sd = float(given.std(ddof=1)) if count > 1 else float("nan")
        mean = float(given.mean())
        spreads.append(JudgeSpread(code, count, mean, sd, low, high, reason))
        if not reason:
            scaled[lines] = SCALINGS[method](given)
    return scaled, spreads
