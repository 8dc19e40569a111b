"""Our own measures as scorers: what `metra score` gives, with statistics to pool anew."""

import numpy as np
import pytest

import metra
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.scores.table import (
    ScoredItem,
    Scorer,
    build_score_table,
    concatenate_scores,
)
from metra.scores.views import build_panel
from metra.scoring.evaluate import make_metrics
from metra.scoring.scorers import score_systems

REF = ["the cat sat on the mat", "a dog barked at the moon", "it rained all day long"]
OUTPUTS = {
    "A": ["the cat sat on a mat", "a dog barked at moon", "it rained all day"],
    "B": ["cat sat mat", "the dog barks at the moon", "all day it rained long"],
    "C": ["the mat sat on the cat", "dog", "rain"],
}
SPECS = ["bleu", "ter", "recall", "nist"]


def own():
    return score_systems(Outputs(EvalSet([REF]), OUTPUTS), make_metrics(SPECS))


def test_scores_are_those_of_score():
    scores, statistics = own()
    assert scores.names == SPECS
    for at, (name, hyps) in enumerate(OUTPUTS.items()):
        assert scores.systems[at] == name
        for spec in SPECS:
            result = metra.score(hyps, [REF], spec)
            assert scores.system_scores(spec)[at] == pytest.approx(result.score)
            np.testing.assert_allclose(scores.matrix(spec)[at], result.segments)
            sign = 1 if statistics[spec].higher_is_better else -1
            whole = statistics[spec].score_weightings(np.ones((1, 3)))[0, at]
            assert sign * whole == pytest.approx(result.score)


def test_corpus_scores_are_of_the_judged_segments_only():
    scores, statistics = own()
    gold = build_score_table(
        [name for name in OUTPUTS for _ in range(2)],
        [ScoredItem("1"), ScoredItem("3")] * 3,
        {Scorer("mqm", "mqm"): [3, 4, 2, 3, 1, 0.0]},
    )
    found = build_panel(
        concatenate_scores([gold, scores]), "mqm", statistics=statistics
    )
    assert found.compared == 2
    for at, hyps in enumerate(OUTPUTS.values()):
        two = metra.score([hyps[0], hyps[2]], [[REF[0], REF[2]]], "bleu").score
        assert found.system_metrics["bleu"][at] == pytest.approx(two)
        two = metra.score([hyps[0], hyps[2]], [[REF[0], REF[2]]], "ter").score
        assert found.system_metrics["ter"][at] == pytest.approx(-two)
