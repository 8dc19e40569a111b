"""Intervals of correlations from a formula: Fisher's transformation.

Fisher 1921 for Pearson's r; Bonett and Wright 2000, Psychometrika, for Spearman's rho and
Kendall's tau. They answer for other systems like these, drawn from a normal distribution,
and know nothing of segments; the bootstrap assumes less.
"""

import math
from collections.abc import Callable
from statistics import NormalDist

from metra.errors import OptionError

#: What is taken from n, and the variance of the transformed coefficient times the rest.
_BY_COEFFICIENT: dict[str, tuple[int, Callable[[float], float]]] = {
    "pearson": (3, lambda _: 1.0),
    "spearman": (3, lambda r: 1.0 + r * r / 2),
    "kendall-b": (4, lambda _: 0.437),
}


def fisher_interval(
    value: float, n: int, coef: str = "pearson", *, level: float = 0.95
) -> tuple[float, float] | None:
    """Interval of a coefficient of n values; None where n is too small or there is none.

    >>> low, high = fisher_interval(0.5, 28)
    >>> round(low, 3), round(high, 3)
    (0.156, 0.736)
    """
    if coef not in _BY_COEFFICIENT:
        msg = (
            f"Fisher's interval is of {', '.join(_BY_COEFFICIENT)} without groups, not of "
            f"{coef}; name them with --coef, or take the bootstrap."
        )
        raise OptionError(msg)
    taken, variance = _BY_COEFFICIENT[coef]
    if n <= taken or not math.isfinite(value):
        return None
    if abs(value) >= 1:
        return value, value
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(
        variance(value) / (n - taken)
    )
    middle = math.atanh(value)
    return math.tanh(middle - half), math.tanh(middle + half)
