"""How far the judges of a campaign agree, on what two or more of them judged.

Coefficients come from `metra.stats`; calibration counts here, because all judges saw it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from operator import attrgetter
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from metra.campaign.results import ScorerColumns
from metra.stats.arrays import (
    drop_nan,
    group_lines,
    number_by_appearance,
)
from metra.stats.defaults import SEED, TRIALS
from metra.stats.judge_agreement import SLACK, JudgePair, agree
from metra.stats.ratings import Ratings, sort_ratings

#: What is told, and what it is called.
COEFFICIENTS = {
    "exact": "equal",
    "within": "within 1",
    "comparisons": "kappa of comparisons (WMT)",
    "mean linear": "Cohen's kappa, linear",
    "mean quadratic": "Cohen's kappa, quadratic",
    "alpha ordinal": "Krippendorff's alpha, ordinal",
    "alpha interval": "Krippendorff's alpha, interval",
    "mean spearman": "Spearman's rho",
    "mean pearson": "Pearson's r",
}
_MAIN = ("exact", "within", "mean quadratic", "alpha ordinal")
#: How many limits the table of differences has.
_LIMITS = 5


@dataclass(frozen=True, slots=True)
class AgreementCoefficient:
    """One figure; None where it has no meaning, and then the reason says why."""

    name: str
    value: float | None
    interval: tuple[float, float] | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ScorerAgreement:
    """The judges' agreement by one scorer."""

    scorer: str
    #: Outputs, or comparisons of two, that two judges or more judged, and judgements of
    #: them, two by two.
    outputs: int
    comparisons: int
    coefficients: tuple[AgreementCoefficient, ...]
    #: Share of comparisons that are at most so far apart on the native scale.
    differences: tuple[tuple[float, float], ...]
    pairs: tuple[JudgePair, ...]
    #: What judges judged.
    unit: Literal["outputs", "comparisons"] = "outputs"

    @property
    def main(self) -> tuple[AgreementCoefficient, ...]:
        """The few that tell most."""
        names = [COEFFICIENTS[key] for key in _MAIN]
        return tuple(one for one in self.coefficients if one.name in names)


def compute_agreement(
    every: Sequence[ScorerColumns], *, trials: int = TRIALS, seed: int = SEED
) -> list[ScorerAgreement]:
    """Compute agreement by each scorer; none where no output has two judges.

    The scores are those of judgements without checks. A judge who compares two outputs
    says one thing and not two: then comparisons are what judges agree on, and those of a
    segment are drawn together.
    """
    agreement: list[ScorerAgreement] = []
    for scores in every:
        name, compared = scores.scorer, bool((scores.order >= 0).all())
        mine = _collect_comparisons(scores) if compared else _collect_ratings(scores)
        if not len(mine.pairable().units):
            continue
        result = agree(mine, trials=trials, seed=seed, only=frozenset(COEFFICIENTS))
        gaps = result.shared.gaps()
        coefficients = tuple(
            AgreementCoefficient(
                label,
                drop_nan(result.values.get(key, np.nan)),
                result.intervals.get(key),
                result.reasons.get(key, ""),
            )
            for key, label in COEFFICIENTS.items()
            if key != "comparisons" or compared
        )
        counts, apart = (result.units, len(gaps)), count_differences(gaps)
        pairs = tuple(result.pairs)
        unit: Literal["outputs", "comparisons"]
        unit = "comparisons" if compared else "outputs"
        agreement.append(
            ScorerAgreement(name, *counts, coefficients, apart, pairs, unit)
        )
    return agreement


def _collect_ratings(scores: ScorerColumns) -> Ratings:
    """Gather the values of outputs, which need no names here."""
    scores = scores.keep_lines(np.isfinite(scores.native))
    # Segments are numbered as they come: they are drawn by their numbers.
    _, segment = number_by_appearance(scores.segment)
    width = len(scores.systems)
    outputs, unit = np.unique(segment * width + scores.system, return_inverse=True)
    names = ("",) * len(outputs)
    ratings = sort_ratings(scores.judges, names, scores.judge, unit, scores.native)
    return replace(ratings, segment=outputs // width)


def _collect_comparisons(scores: ScorerColumns) -> Ratings:
    """Gather who is better: 1 the first system by name, -1 the second, 0 neither.

    An order of several outputs compares each two of them, as at WMT.
    """
    lines = list(scores.list_lines())
    judges = sorted({line.judge for line in lines})
    units: dict[tuple[str, str, str, int], int] = {}
    segments: dict[tuple[str, int], int] = {}
    cells = []
    for _, places in group_lines(scores.order):
        order = sorted((lines[at] for at in places.tolist()), key=attrgetter("system"))
        for one, other in combinations(order, 2):
            gap = one.hundred - other.hundred
            # Of two outputs, one may be a little better or much.
            value = gap / 100 if len(order) == 2 else float(np.sign(gap))
            place = one.document, one.segment
            segments.setdefault(place, len(segments))
            unit = units.setdefault((one.system, other.system, *place), len(units))
            cells.append((judges.index(one.judge), unit, value))
    columns = [np.array(column) for column in zip(*cells, strict=True)]
    ratings = sort_ratings(
        judges,
        [f"{one} – {other} {segment}" for one, other, _, segment in units],
        columns[0],
        columns[1],
        columns[2].astype(np.float64),
    )
    numbers = [segments[document, segment] for _, _, document, segment in units]
    return replace(ratings, segment=np.array(numbers, np.int64), compares=True)


def count_differences(gaps: ArrayLike) -> tuple[tuple[float, float], ...]:
    """Share of pairs that are at most so far apart, as TC-STAR's evaluations told it.

    Limits go from 0 in whole steps on short scales, and in round steps on long ones.

    >>> count_differences([0, 1, 1, 3])
    ((0.0, 0.25), (1.0, 0.75), (2.0, 0.75), (3.0, 1.0))
    """
    gaps = np.asarray(gaps, np.float64)
    widest = float(gaps.max(initial=0.0))
    step = 1.0
    while step * _LIMITS < widest:
        step *= 2 if f"{step:g}"[0] in "15" else 2.5
    limits = [at * step for at in range(_LIMITS + 1)]
    limits = limits[: sum(limit < widest for limit in limits) + 1]
    return tuple(
        (limit, int((gaps <= limit + SLACK).sum()) / len(gaps)) for limit in limits
    )
