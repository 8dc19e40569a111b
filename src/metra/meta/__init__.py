"""Meta-evaluation: how far a metric, or a judge, can be trusted.

The functions take plain arrays, systems × segments, with NaN for what is missing; the
command line works on tables of scores (`metra.meta.read`).
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metra.meta.arrays_in import agree, compare, spa
    from metra.meta.coefficients import COEFFICIENTS
    from metra.meta.correlation import Options, Result, correlate
    from metra.meta.panel import Panel, panel
    from metra.meta.read import read, read_all
    from metra.meta.scores import Item, Scorer, Scores, table

__all__ = [
    "COEFFICIENTS",
    "Item",
    "Options",
    "Panel",
    "Result",
    "Scorer",
    "Scores",
    "agree",
    "compare",
    "correlate",
    "panel",
    "read",
    "read_all",
    "spa",
    "table",
]

# Where each name lives: loaded when first used.
_HOMES = {
    "COEFFICIENTS": "coefficients",
    "Item": "scores",
    "Options": "correlation",
    "Panel": "panel",
    "Result": "correlation",
    "Scorer": "scores",
    "Scores": "scores",
    "agree": "arrays_in",
    "compare": "arrays_in",
    "correlate": "correlation",
    "panel": "panel",
    "read": "read",
    "read_all": "read",
    "spa": "arrays_in",
    "table": "scores",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        msg = f"module 'metra.meta' has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    return getattr(import_module(f"metra.meta.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
