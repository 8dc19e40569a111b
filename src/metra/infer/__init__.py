"""What scores say beyond themselves: intervals, paired tests, corrections, rank clusters.

Inference sees rows of statistics and functions of their totals, never text and never a
measure's name.
"""

from metra.infer.contrasts import Contrast, contrasts
from metra.infer.intervals import (
    SEED,
    TRIALS,
    Aggregate,
    Method,
    Sample,
    bca_interval,
    bootstrap,
    confidence,
    interval,
    standard_error,
)
from metra.infer.paired import (
    TEST_TRIALS,
    Pair,
    Test,
    randomisation_p_values,
    shifted_p_value,
)
from metra.infer.several import clusters, holm

__all__ = [
    "SEED",
    "TEST_TRIALS",
    "TRIALS",
    "Aggregate",
    "Contrast",
    "Method",
    "Pair",
    "Sample",
    "Test",
    "bca_interval",
    "bootstrap",
    "clusters",
    "confidence",
    "contrasts",
    "holm",
    "interval",
    "randomisation_p_values",
    "shifted_p_value",
    "standard_error",
]
