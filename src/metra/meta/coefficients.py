"""The coefficients by name: what they mean, their range, and how they treat ties."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from metra.errors import UnknownNameError, no_such
from metra.meta import moments, pairs
from metra.meta.arrays import Array
from metra.meta.differentials import differentials

#: How a coefficient is computed: of each group's values, with a threshold fitted to all
#: groups, of the systems' segments as a whole, or of the systems' scores.
Shape: TypeAlias = Literal["rows", "calibrated", "matrix", "systems"]


@dataclass(frozen=True)
class Coefficient:
    """A way to say how well a metric agrees with the gold."""

    name: str
    about: str
    lowest: float
    #: Whether the metric is expected to find the gold's ties.
    ties: bool = False
    #: Whether it is a mean over pairs of outcomes that are right or wrong.
    pairs: bool = False
    shape: Shape = "rows"
    rows: Callable[[Array, Array], Array] | None = None

    def rescaled(self, value: float) -> float:
        """Map the range to 0..1, as averages over tasks need."""
        return (value - self.lowest) / (1.0 - self.lowest)


_ALL = (
    Coefficient("pearson", "Pearson's r", -1, rows=moments.pearson),
    Coefficient("spearman", "Spearman's rank correlation", -1, rows=moments.spearman),
    Coefficient("kendall-a", "Kendall's tau-a", -1, rows=pairs.kendall_a),
    Coefficient("kendall-b", "Kendall's tau-b", -1, rows=pairs.kendall_b),
    Coefficient("kendall-c", "Kendall's tau-c (Stuart)", -1, rows=pairs.kendall_c),
    Coefficient("tau10", "tau as in WMT 2010", -1, rows=pairs.kendall_10),
    Coefficient("tau13", "tau as in WMT 2013", -1, rows=pairs.kendall_13),
    Coefficient("tau14", "tau as in WMT 2014", -1, rows=pairs.kendall_14),
    Coefficient(
        "tau23", "tau that rewards predicted ties", -1, ties=True, rows=pairs.kendall_23
    ),
    Coefficient(
        "acc_eq",
        "share of pairs ordered or tied as in the gold",
        0,
        ties=True,
        pairs=True,
        rows=pairs.accuracy,
    ),
    Coefficient(
        "acc*_eq",
        "acc_eq with the metric's ties calibrated",
        0,
        ties=True,
        pairs=True,
        shape="calibrated",
    ),
    Coefficient("darr", "Kendall-like tau of clearly different pairs (daRR)", -1),
    Coefficient(
        "accuracy",
        "share of system pairs ordered as in the gold",
        0,
        ties=True,
        pairs=True,
        rows=pairs.accuracy,
    ),
    Coefficient("spa", "soft pairwise accuracy of systems", 0, shape="matrix"),
    Coefficient(
        "differentials",
        "Pearson's r of differences between systems",
        -1,
        shape="systems",
        rows=differentials,
    ),
    Coefficient(
        "pdp", "Pearson's r of differences within segments", -1, shape="matrix"
    ),
)

COEFFICIENTS = {entry.name: entry for entry in _ALL}

#: Other names of the same, as programs and papers call them.
ALIASES = {
    "tau-a": "kendall-a",
    "tau-b": "kendall-b",
    "tau-c": "kendall-c",
    "kendall": "kendall-b",
    "acc23": "acc_eq",
    "acc-t": "acc*_eq",
    "acc_eq*": "acc*_eq",
    "kendallwithtiesopt": "acc*_eq",
    "kendalllike": "darr",
    "pce": "spa",
    "diff": "differentials",
}


def coefficient(name: str) -> Coefficient:
    """Find a coefficient by any of its names.

    >>> coefficient("acc-t").name
    'acc*_eq'
    """
    known = ALIASES.get(name.lower(), name.lower())
    if known not in COEFFICIENTS:
        raise UnknownNameError(no_such("coefficient", name, COEFFICIENTS))
    return COEFFICIENTS[known]
