"""Differences between metrics, with intervals, and the verdict on a claim."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from study_page import Claim, Verdict

from metra.meta.correlate import correlate_panel, parse_specs
from metra.stats.arrays import Array
from metra.stats.bootstrap import Drawn, bootstrap, compute_bounds
from metra.stats.correlation import Options
from metra.stats.distributions import student_quantile
from metra.stats.panel import ScorePanel


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return self.write("")

    @property
    def signed(self) -> str:
        """Write the value of a difference, with its sign."""
        return self.write("+")

    def write(self, sign: str) -> str:
        """Write the value and the interval, with more digits where it is narrow."""
        digits = 3 if self.half < 0.02 else 2
        shown = [
            f"{each:{sign}.{digits}f}" for each in (self.value, self.low, self.high)
        ]
        return f"{shown[0]} [{shown[1]}, {shown[2]}]".replace("-", "−")

    @property
    def half(self) -> float:
        """Return half the width of the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Coefficients of systems' scores with people, and the same of each resample."""

    observed: Mapping[str, float]
    draws: Mapping[str, Array]

    def estimate(self, name: str) -> Estimate:
        """Return the coefficient of a metric."""
        return make_estimate(self.observed[name], self.draws[name])

    def subtract(self, name: str, other: str) -> Estimate:
        """Return the coefficient of a metric minus that of another."""
        value = self.observed[name] - self.observed[other]
        return make_estimate(value, self.draws[name] - self.draws[other])


def correlate_systems(
    panel: ScorePanel, coef: str = "pearson", *, drawn: Drawn = "both"
) -> Coefficients:
    """Correlate systems' scores, and resample segments, systems or both."""
    question = parse_specs([coef], "sys", Options())[0]
    results = correlate_panel(panel, question)
    return Coefficients(
        {name: result.value for name, result in results.items()},
        bootstrap(panel, "sys", question.options, drawn=drawn),
    )


def make_estimate(value: float, draws: Array) -> Estimate:
    """Take the interval from resamples; NaN where too few have a value."""
    low, high = compute_bounds(draws) or (np.nan, np.nan)
    return Estimate(float(value), low, high)


def average_documents(values: Array) -> Estimate:
    """Average over documents; the interval is that of a mean of independent draws."""
    known = values[np.isfinite(values)]
    if len(known) < 2:
        value = float(known.mean()) if len(known) else np.nan
        return Estimate(value, value, value)
    return spread_evenly(
        known.mean(), known.std(ddof=1) / np.sqrt(len(known)), len(known)
    )


def spread_evenly(value: float, error: float, count: int) -> Estimate:
    """Take the interval from a standard error, with Student's t."""
    half = student_quantile(0.975, count - 1) * float(error)
    return Estimate(float(value), float(value) - half, float(value) + half)


def settle(*differences: Estimate) -> Verdict:
    """Decide on a claim that differences are above zero, by their intervals."""
    if any(each.high < 0 for each in differences):
        return "against"
    return "supports" if all(each.low > 0 for each in differences) else "undecided"


def make_claim(paper: str, what: str, differences: Mapping[str, Estimate]) -> Claim:
    """Decide on a claim about differences, set by set, and tabulate them."""
    figures = {name: each.signed for name, each in differences.items()}
    verdicts = {name: settle(each) for name, each in differences.items()}
    return Claim(paper, f"{what}:", figures, verdicts)
