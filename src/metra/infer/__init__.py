"""What scores say beyond themselves: intervals, paired tests, corrections, rank clusters.

Inference sees rows of statistics and functions of their totals, never text and never a
measure's name.
"""

from typing import TYPE_CHECKING

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
    left_out,
    standard_error,
)

if TYPE_CHECKING:
    from metra.infer.contrasting import LEAST_UNITS, Contrast, contrasts
    from metra.infer.paired import (
        TEST_TRIALS,
        Pair,
        Test,
        randomisation_p_values,
        shifted_p_value,
    )
    from metra.infer.several import clusters, holm

__all__ = [
    "LEAST_UNITS",
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
    "left_out",
    "randomisation_p_values",
    "shifted_p_value",
    "standard_error",
]

# Scoring needs no tests: these are loaded when first used.
_HOMES = {
    "LEAST_UNITS": "contrasting",
    "Contrast": "contrasting",
    "contrasts": "contrasting",
    "TEST_TRIALS": "paired",
    "Pair": "paired",
    "Test": "paired",
    "randomisation_p_values": "paired",
    "shifted_p_value": "paired",
    "clusters": "several",
    "holm": "several",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        msg = f"module 'metra.infer' has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    value = getattr(import_module(f"metra.infer.{home}"), name)
    globals()[name] = value
    return value
