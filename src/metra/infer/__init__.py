"""What scores say beyond themselves: intervals, paired tests, corrections, rank clusters.

Inference sees rows of statistics and functions of their totals, never text and never a
measure's name.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from metra.infer.defaults import SEED, TEST_TRIALS, TRIALS, Method, Test

if TYPE_CHECKING:
    from metra.infer.contrast import Contrast, contrasts
    from metra.infer.intervals import (
        Aggregate,
        Sample,
        bca_interval,
        bootstrap,
        confidence,
        interval,
        left_out,
        standard_error,
    )
    from metra.infer.paired import Pair, randomisation_p_values, shifted_p_value
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
    "left_out",
    "randomisation_p_values",
    "shifted_p_value",
    "standard_error",
]

_HOMES = {
    "Contrast": "contrast",
    "contrasts": "contrast",
    "Aggregate": "intervals",
    "Sample": "intervals",
    "bca_interval": "intervals",
    "bootstrap": "intervals",
    "confidence": "intervals",
    "interval": "intervals",
    "left_out": "intervals",
    "standard_error": "intervals",
    "Pair": "paired",
    "randomisation_p_values": "paired",
    "shifted_p_value": "paired",
    "clusters": "several",
    "holm": "several",
}


def __getattr__(name: str) -> object:
    # Loaded when first used: scores alone need the defaults and no more.
    if name not in _HOMES:
        msg = f"module 'metra.infer' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"metra.infer.{_HOMES[name]}"), name)
