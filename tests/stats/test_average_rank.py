"""Ranking by average ranks, and the agreement of rankings."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.stats.ranking import (
    compare_ranks,
    find_partial_ranking,
    mid_ranks,
    rank_groups,
    scale_rankings,
)

SIX = [1, 2, 3, 4, 5, 6]
NAN = float("nan")


AGREEMENTS = [  # distance, similarity, precision, recall
    pytest.param(SIX, SIX, (0, 100, 100, 100), id="the same"),
    pytest.param([1, 2, 3, 4, 6, 5], SIX, (1, 93.3, 93.3, 93.3), id="workbook: one exchange"),
    pytest.param([1, 2, 3, 4, 5.5, 5.5], SIX, (0.5, 96.7, 100, 93.3),
                 id="the workbook's: one pair left open"),
    pytest.param(SIX, [1, 2, 3, 4, 5.5, 5.5], (0.5, 96.7, 93.3, 100), id="one expected tie"),
    pytest.param([6, 5, 4, 3, 2, 1], SIX, (15, 0, 0, 0), id="upside down"),
    pytest.param([3.5] * 6, SIX, (7.5, 50, 100, 0), id="nothing said"),
    pytest.param([1.5, 1.5, 3], [1.5, 1.5, 3], (0, 100, 100, 100), id="the same tie"),
    pytest.param([1], [1], (0, 100, 100, 100), id="one system"),
]  # fmt: skip


@pytest.mark.seed("5.39", prints="a similarity of 93.3%")
@pytest.mark.parametrize(("ranks", "expected", "wanted"), AGREEMENTS)
def test_agreement(ranks, expected, wanted):
    assert tuple(round(value, 1) for value in compare_ranks(ranks, expected)) == wanted


def test_rankings_of_other_systems_are_refused():
    with pytest.raises(ValueError, match="2 and 3 systems are ranked"):
        compare_ranks([1, 2], [1, 2, 3])


@pytest.mark.seed("5.38")
def test_ranks_are_averaged_over_documents():
    # Ranks 1 2 3; 2 1 3; 1.5 1.5 3; 3 2 1: averages 1.875, 1.625, 2.5, by hand.
    scores = [[5, 4, 3], [1, 9, 0], [7, 7, 6], [1, 2, 3]]
    ranks = rank_groups(np.transpose(scores).astype(float), np.arange(4))
    assert ranks.mean(1).tolist() == [1.875, 1.625, 2.5]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_mid_ranks_equal_their_slow_twin(scores):
    order = sorted(scores, reverse=True)
    twin = [
        sum(at for at, score in enumerate(order, 1) if score == own) / order.count(own)
        for own in scores
    ]
    assert mid_ranks(scores).tolist() == twin
    assert math.fsum(twin) == len(scores) * (len(scores) + 1) / 2


PAIRS = st.tuples(st.integers(0, 3), st.integers(0, 3))


@given(st.lists(PAIRS, min_size=2, max_size=7))
def test_agreement_equals_its_slow_twin(pairs):
    ranks, expected = zip(*pairs, strict=True)
    distance, total = 0.0, 0
    for one, other in combinations(range(len(pairs)), 2):
        total += 1
        first = ranks[one] - ranks[other]
        second = expected[one] - expected[other]
        if first == 0 or second == 0:
            distance += 0 if first == second == 0 else 0.5
        elif (first > 0) != (second > 0):
            distance += 1
    found = compare_ranks(ranks, expected)
    assert found.distance == distance
    assert found.similarity == pytest.approx(100 - 100 * distance / total)
    assert compare_ranks(expected, ranks).precision == found.recall


def test_partial_rankings_count_as_if_their_systems_were_drawn():
    # Ranks 1 2 3 4; then 1 2 of two, counted 5/3 and 10/3; then a tie of two, 5/2 each; one
    # system alone says nothing.
    values = np.array(
        [[9.0, 8, 7, 6], [5, NAN, 3, NAN], [NAN, 1, NAN, 1], [2, NAN, NAN, NAN]]
    )
    expected = [[1, 5 / 3, NAN], [2, NAN, 2.5], [3, 10 / 3, NAN], [4, NAN, 2.5]]
    assert scale_rankings(values) == pytest.approx(np.array(expected), nan_ok=True)


PARTIAL = [
    pytest.param([1, 2, 3, 4, 6, 5], SIX, [1, 2, 3, 4, 5.5, 5.5],
                 id="the workbook's: 96.7, 100 and 93.3 per cent"),
    pytest.param(SIX, SIX, SIX, id="nothing to leave open"),
    pytest.param([6, 5, 4, 3, 2, 1], SIX, [3.5] * 6, id="nothing is right"),
    pytest.param([3, 1, 2, 4], [1, 2, 3, 4], [2, 2, 2, 4], id="one system too low"),
    pytest.param([1, 2.5, 2.5, 4], [1, 2, 3, 4], [1, 2.5, 2.5, 4], id="ties stay"),
    pytest.param([1, 2, 3], [1, 2.5, 2.5], [1, 2, 3], id="an expected tie forbids nothing"),
]  # fmt: skip


@pytest.mark.seed(
    "5.40", prints="a similarity of 96.7%, a precision of 100% and a recall of 93.3%"
)
@pytest.mark.parametrize(("ranks", "expected", "wanted"), PARTIAL)
def test_the_most_complete_partial_ranking(ranks, expected, wanted):
    assert find_partial_ranking(ranks, expected).tolist() == wanted
    if ranks == [1, 2, 3, 4, 6, 5]:
        figures = compare_ranks(wanted, expected)
        assert [round(value, 1) for value in figures] == [0.5, 96.7, 100, 93.3]


@given(st.lists(PAIRS, min_size=1, max_size=6))
def test_partial_rankings_equal_their_slow_twin(pairs):
    """Of all ways to tie neighbours, the one that orders most pairs and none wrongly."""
    ranks, expected = zip(*pairs, strict=True)
    levels = sorted(set(ranks))
    best, most = [], -1
    for cuts in product((False, True), repeat=len(levels) - 1):
        bucket = dict(zip(levels, np.cumsum([0, *cuts]).tolist(), strict=True))
        places = [bucket[rank] for rank in ranks]
        tied = mid_ranks(places, higher_is_better=False).tolist()
        signs = [
            (tied[a] - tied[b], expected[a] - expected[b])
            for a, b in combinations(range(len(pairs)), 2)
        ]
        ordered = sum(ours != 0 for ours, _ in signs)
        if all(ours * theirs >= 0 for ours, theirs in signs) and ordered > most:
            best, most = tied, ordered
    assert find_partial_ranking(ranks, expected).tolist() == best
