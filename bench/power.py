"""Check predicted power against simulated studies: `python bench/power.py [STUDIES]`.

Every row is a design with known variance components. Studies of two systems are simulated
with normal effects and tested; the share of significant tests stands beside what
`metra.stats.power` predicts, for equal systems and for two differences.
"""

import math
import sys

import numpy as np

from metra.stats.distributions import student_quantile
from metra.stats.power import StudyPlan, compute_error, compute_power
from metra.stats.variance import (
    RATING,
    SYSTEM_DOCUMENT,
    SYSTEM_RATER,
    SYSTEM_SEGMENT,
    RatingFactors,
    VarianceComponents,
    estimate_components,
)

#: Name, plan, variances, unit of the test, and the differences in standard errors.
DESIGNS = [
    ("1 rater", StudyPlan(60), {SYSTEM_SEGMENT: 4.0, RATING: 9.0}, "segment"),
    (
        "3 raters, these raters",
        StudyPlan(40, 3, other_raters=False),
        {SYSTEM_SEGMENT: 4.0, RATING: 9.0, SYSTEM_RATER: 0.5},
        "segment",
    ),
    (
        "15 documents of 8 segments",
        StudyPlan(120, 1, segments_per_document=8),
        {SYSTEM_SEGMENT: 4.0, RATING: 9.0, SYSTEM_DOCUMENT: 2.0},
        "document",
    ),
    (
        "6 raters, other raters",
        StudyPlan(100, 6),
        {SYSTEM_SEGMENT: 4.0, RATING: 9.0, SYSTEM_RATER: 0.3},
        "component",
    ),
    (
        "9 of 9 raters, other raters, test over segments",
        StudyPlan(100, 9),
        {SYSTEM_SEGMENT: 4.0, RATING: 9.0, SYSTEM_RATER: 0.3},
        "segment, false positives",
    ),
    (
        "15 documents of 8 segments, test over segments",
        StudyPlan(120, 1, segments_per_document=8),
        {SYSTEM_SEGMENT: 4.0, RATING: 9.0, SYSTEM_DOCUMENT: 2.0},
        "segment, false positives",
    ),
]
SHIFTS = (0.0, 2.0, 3.0)


def simulate_gaps(
    plan: StudyPlan,
    variances: dict[str, float],
    difference: float,
    studies: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Simulate differences of two systems: studies × segments × raters."""
    documents = round(plan.documents)
    per_document = plan.segments // documents
    shapes = {
        SYSTEM_DOCUMENT: (studies, documents, 1),
        SYSTEM_SEGMENT: (studies, plan.segments, 1),
        SYSTEM_RATER: (studies, 1, plan.ratings),
        RATING: (studies, plan.segments, plan.ratings),
    }
    gaps = np.full(shapes[RATING], difference)
    for term, value in variances.items():
        drawn = rng.normal(0, math.sqrt(2 * value), shapes[term])
        if term == SYSTEM_DOCUMENT:
            drawn = np.repeat(drawn, per_document, axis=1)
        if term == SYSTEM_RATER and not plan.other_raters:
            # The question is about these raters: their mean is what is asked for.
            drawn -= drawn.mean(2, keepdims=True)
        gaps += drawn
    return gaps


def count_significant(gaps: np.ndarray, plan: StudyPlan, unit: str) -> float:
    """Return the share of studies whose two-sided test is significant at .05."""
    if unit == "component":
        return float(np.mean([_test_components(each, plan) for each in gaps]))
    means = gaps.mean(2)
    if unit == "document":
        documents = round(plan.documents)
        means = means.reshape(len(means), documents, -1).mean(2)
    n = means.shape[1]
    t = means.mean(1) / (means.std(1, ddof=1) / math.sqrt(n))
    return float((np.abs(t) > student_quantile(0.975, n - 1)).mean())


def _test_components(gaps: np.ndarray, plan: StudyPlan) -> bool:
    """Test a difference by the error that follows from its own variance components."""
    # Two systems that differ by these gaps, with nothing else.
    values = np.stack([gaps / 2, -gaps / 2])
    found = estimate_components(RatingFactors.from_array(values), studies=0)
    error = compute_error(found, plan)
    t = float(gaps.mean()) / math.sqrt(error.variance)
    return bool(abs(t) > student_quantile(0.975, max(error.df, 0.5)))


def list_rows(
    studies: int, seed: int = 12345
) -> list[tuple[str, str, float, float, float]]:
    """Return design, test, difference in errors, predicted and simulated share."""
    rng = np.random.default_rng(seed)
    rows = []
    for name, plan, variances, unit in DESIGNS:
        components = VarianceComponents(variances)
        error = compute_error(components, plan)
        only_false = unit.endswith("false positives")
        count = studies // 10 if unit == "component" else studies
        for shift in SHIFTS[:1] if only_false else SHIFTS:
            difference = shift * math.sqrt(error.variance)
            gaps = np.concatenate(
                [
                    simulate_gaps(plan, variances, difference, min(500, count), rng)
                    for _ in range(max(count // 500, 1))
                ]
            )
            predicted = float(compute_power(difference, error))
            if only_false:
                predicted = error.false_positives
            share = count_significant(gaps, plan, unit.partition(",")[0])
            rows.append((name, unit, shift, predicted, share))
    return rows


def main() -> None:
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    print("| design | test over | difference, in errors | predicted | simulated |")
    print("|:--|:--|--:|--:|--:|")
    for name, unit, shift, predicted, share in list_rows(studies):
        test = unit.partition(",")[0].replace("component", "variance component")
        print(f"| {name} | {test}s | {shift:g} | {predicted:.3f} | {share:.3f} |")


if __name__ == "__main__":
    main()
