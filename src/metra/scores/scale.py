"""Scales: the values of a measure that map to 0 and to 100, higher being better.

Evaluators hand in ratings from 0 to 3, percentages, error rates or minutes. A scale maps each
unit to 0 to 100, and is always stated beside the results.
"""

import math
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from metra.errors import OptionError
from metra.stats.arrays import Array

#: People or a program take a measure; empty if that is not known.
MeasureKind: TypeAlias = Literal["human", "automated", ""]
_SCALE = re.compile(r"\s*(\S+?)\s*\.\.\s*(\S+)\s*")


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """The values that map to 0 and 100, and their origin."""

    worst: float
    best: float
    origin: str = "given"

    def __str__(self) -> str:
        return f"{self.worst:g}..{self.best:g}"


@dataclass(frozen=True, slots=True)
class MeasureScale:
    """The mapping of one measure's values to 0 to 100."""

    metric: str
    kind: MeasureKind
    #: The values that map to 0 and 100; None if each judge or answer has a scale of its own.
    worst: float | None
    best: float | None
    origin: str
    #: The lowest and the highest value; None if there is none.
    lowest: float | None
    highest: float | None
    values: int
    #: Values beyond the scale, which count as its ends.
    cut: int


def scale_to_hundred(values: ArrayLike, worst: float, best: float) -> Array:
    """Map values linearly: `worst` and beyond to 0, `best` and beyond to 100.

    `worst` is the larger number if less is better.
    """
    share = (np.asarray(values, np.float64) - worst) / (best - worst)
    return 100 * np.clip(share, 0, 1)


def parse_scale(text: str) -> tuple[str, ScoreScale]:
    """Parse `MEASURE=WORST..BEST`."""
    metric, _, ends = text.rpartition("=")
    match = _SCALE.fullmatch(ends)
    try:
        worst, best = map(float, match.groups() if match else ())
    except ValueError:
        worst = best = math.nan
    if not metric or not math.isfinite(worst - best) or worst == best:
        msg = (
            f"{text!r} is not a scale; expected METRIC=WORST..BEST with two different "
            "numbers, such as clarity=0..3 or wer=100..0."
        )
        raise OptionError(msg)
    return metric.strip(), ScoreScale(worst, best)
