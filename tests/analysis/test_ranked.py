"""Average precision and nDCG, by hand."""

import math

import pytest

from metra.analysis.retrieval import compute_average_precision, compute_ndcg

CASES = [  # documents as found, relevance, AP, DCG of the order found, of the best order
    pytest.param("a b", {"a": 1, "b": 1}, 100, 1 + 1 / math.log2(3), 1 + 1 / math.log2(3),
                 id="all there, in order"),
    pytest.param("x a", {"a": 1}, 50, 1 / math.log2(3), 1, id="one place too low"),
    pytest.param("a x b", {"a": 1, "b": 1}, 100 * (1 + 2 / 3) / 2, 1.5,
                 1 + 1 / math.log2(3), id="one between"),
    pytest.param("a", {"a": 1, "b": 1}, 50, 1, 1 + 1 / math.log2(3), id="one not found"),
    pytest.param("", {"a": 1}, 0, 0, 1, id="nothing found"),
    pytest.param("b a", {"a": 2, "b": 1, "x": 0}, 100, 1 + 2 / math.log2(3),
                 2 + 1 / math.log2(3), id="the better one second"),
]  # fmt: skip


@pytest.mark.parametrize(("ranked", "relevance", "precision", "gain", "best"), CASES)
def test_lists(ranked, relevance, precision, gain, best):
    assert compute_average_precision(ranked.split(), relevance) == pytest.approx(
        precision
    )
    assert compute_ndcg(ranked.split(), relevance) == pytest.approx(100 * gain / best)
