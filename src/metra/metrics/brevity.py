"""The brevity penalties of BLEU and NIST, as functions of the lengths alone."""

import numpy as np
from numpy.typing import ArrayLike

from metra import _core
from metra.measure import Array


def bleu_penalty(hyp_len: ArrayLike, ref_len: ArrayLike) -> Array:
    """BLEU's: exp(1 - r/c) for an output of c words against r, 1 if it is not shorter.

    >>> bleu_penalty([9, 10, 11], 10).round(4).tolist()
    [0.8948, 1.0, 1.0]
    """
    formula = _core.BleuFormula(1, "none", 0.0, "geometric", "zero")
    return formula.penalty(_totals(hyp_len, ref_len))


def nist_penalty(hyp_len: ArrayLike, ref_len: ArrayLike) -> Array:
    """NIST's: exp(beta log²(c/r)), half where c is two thirds of r; 1 if not shorter.

    >>> nist_penalty([2, 3, 4], 3).round(4).tolist()
    [0.5, 1.0, 1.0]
    """
    return _core.nist_penalty(_totals(hyp_len, ref_len), 1)


def _totals(hyp_len: ArrayLike, ref_len: ArrayLike) -> Array:
    """Rows of n-gram statistics of which only the lengths, the last two, are filled in."""
    hyp, ref = np.broadcast_arrays(np.asarray(hyp_len), np.asarray(ref_len))
    nothing = np.zeros(hyp.shape)
    return np.stack([nothing, nothing, hyp, ref], axis=-1).astype(np.float64)
