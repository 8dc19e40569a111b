"""The brevity penalties, also as Federico 2008 prints them for the CSTAR 2003 campaign."""

import math

import numpy as np
import pytest

import metra
from metra.metrics.bleu import compute_bleu_penalty, compute_nist_penalty

LENGTHS = [  # output, BLEU's and NIST's reference length, their penalties exactly
    pytest.param(3346, 3307, 3421, 1, 0.99793, id="CMU"),
    pytest.param(4047, 3549, 3421, 1, 1, id="IRST"),
    pytest.param(1967, 3109, 3421, 0.55957, 0.27491, id="NLPR"),
]


@pytest.mark.parametrize(("output", "closest", "mean", "bleu", "nist"), LENGTHS)
def test_case_study(output, closest, mean, bleu, nist):
    assert float(compute_bleu_penalty(output, closest)) == pytest.approx(bleu, abs=5e-6)
    assert float(compute_nist_penalty(output, mean)) == pytest.approx(nist, abs=5e-6)


def test_by_definition():
    ratios = np.linspace(0.05, 1.2, 24)
    beta = math.log(0.5) / math.log(1.5) ** 2
    bleu = [math.exp(min(0, 1 - 1 / ratio)) for ratio in ratios]
    nist = [math.exp(beta * math.log(min(ratio, 1)) ** 2) for ratio in ratios]
    assert compute_bleu_penalty(ratios, 1).tolist() == pytest.approx(bleu)
    assert compute_nist_penalty(ratios, 1).tolist() == pytest.approx(nist)
    assert compute_bleu_penalty([[1, 2], [3, 4]], 2).shape == (2, 2)


def test_nothing_is_as_short_as_it_gets():
    assert compute_bleu_penalty(0, 5) == compute_nist_penalty(0, 5) == 0
    assert compute_bleu_penalty(0, 0) == compute_nist_penalty(0, 0) == 1


def test_they_are_those_of_the_measures():
    hyps, refs = ["a b c d e f"], [["a b c d e f g"], ["a b c d e f g h i"]]
    bleu = metra.score(hyps, refs, "bleu").parts
    nist = metra.score(hyps, refs, "nist").parts
    assert bleu["bp"] == float(compute_bleu_penalty(6, 7))
    assert nist["bp"] == float(compute_nist_penalty(6, 8))
