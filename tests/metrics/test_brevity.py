"""The brevity penalties, also as Federico 2008 prints them for the CSTAR 2003 campaign."""

import math

import numpy as np
import pytest

import metra

SPECS = ("bleu:n=1", "nist:n=1,info=equal")


def penalties(hyp_len, *ref_lens):
    """BLEU's and NIST's penalty of an output, each with its reference length."""
    totals = [np.array([0, 0, hyp_len, ref_len], float) for ref_len in ref_lens]
    return [
        metra.metric(spec).parts(row)["bp"]
        for spec, row in zip(SPECS, totals, strict=True)
    ]


LENGTHS = [  # output, BLEU's and NIST's reference length, their penalties exactly
    pytest.param(3346, 3307, 3421, 1, 0.99793, id="CMU"),
    pytest.param(4047, 3549, 3421, 1, 1, id="IRST"),
    pytest.param(1967, 3109, 3421, 0.55957, 0.27491, id="NLPR"),
]


@pytest.mark.parametrize(("output", "closest", "mean", "bleu", "nist"), LENGTHS)
def test_case_study(output, closest, mean, bleu, nist):
    assert penalties(output, closest, mean) == pytest.approx([bleu, nist], abs=5e-6)


@pytest.mark.seed("3.24", prints="NLPR | 1967 | 3109 | 0.63 | 0.56")
def test_the_penalty_that_the_lecture_prints():
    bleu, _ = penalties(1967, 3109, 3421)
    assert (round(1967 / 3109, 2), round(bleu, 2)) == (0.63, 0.56)


@pytest.mark.seed("3.14")
@pytest.mark.seed("3.20")
@pytest.mark.parametrize("ratio", np.linspace(0.05, 1.2, 24).tolist())
def test_by_definition(ratio):
    beta = math.log(0.5) / math.log(1.5) ** 2
    bleu = math.exp(min(0, 1 - 1 / ratio))
    nist = math.exp(beta * math.log(min(ratio, 1)) ** 2)
    assert penalties(ratio, 1, 1) == pytest.approx([bleu, nist])


def test_they_are_those_of_the_measures():
    hyps, refs = ["a b c d e f"], [["a b c d e f g"], ["a b c d e f g h i"]]
    measured = [metra.score(hyps, refs, name).parts["bp"] for name in ("bleu", "nist")]
    assert measured == penalties(6, 7, 8)
