"""Several tests at once: corrections and clusters, by hand and by their laws."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metra.stats.multiplicity import (
    benjamini_hochberg,
    clusters_by_range,
    clusters_greedy,
    clusters_neighbours,
    correct_pairs,
    group_similar,
    holm,
    part_ranking,
    rank_ranges,
    walk_ranks,
)

P = st.floats(0, 1)
NAN = float("nan")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param([], [], id="no test"),
        pytest.param([0.04], [0.04], id="one test needs no correction"),
        pytest.param([0.01, 0.02, 0.03], [0.03, 0.04, 0.04], id="never decreasing"),
        pytest.param([0.6, 0.5], [1.0, 1.0], id="no more than one"),
        pytest.param([None, 0.01, None, 0.5], [NAN, 0.02, NAN, 0.5], id="not tested"),
    ],
)
def test_by_hand(given, expected):
    assert holm(given).tolist() == pytest.approx(expected, nan_ok=True)


@given(st.lists(P, min_size=1, max_size=12))
def test_corrected_values_are_between_plain_ones_and_bonferronis(values):
    corrected = holm(values).tolist()
    for plain, found in zip(values, corrected, strict=True):
        assert plain <= found <= min(1, plain * len(values)) + 1e-12
    by_plain = sorted(zip(values, corrected, strict=True))
    assert sorted(corrected) == [p for _, p in by_plain]


def by_pairs(*pairs):
    return lambda one, two: one + two in pairs or two + one in pairs


def part(ranked, pairs):
    differ = by_pairs(*pairs)
    return part_ranking(ranked, [[differ(a, b) for b in ranked] for a in ranked])


def test_clusters_end_where_no_range_of_ranks_reaches_across():
    cases = {  # ranges of the systems in their order: clusters
        "11 22 33": [1, 2, 3],
        "12 12 33": [1, 1, 2],
        "11 12 33": [1, 1, 2],
        "11 23 13": [1, 1, 1],
        "13 22 33": [1, 1, 1],
        "11 23 23 45 45": [1, 2, 2, 3, 3],
        "12 13 23 44": [1, 1, 1, 2],
        "": [],
    }
    for ranges, expected in cases.items():
        given_ranges = [(int(top), int(bottom)) for top, bottom in ranges.split()]
        assert clusters_by_range(given_ranges) == expected, ranges


def test_rules_of_clusters_at_their_limits():
    """System 1 beats 3 at just 0.05, and 2 beats 3 less surely than it is below 4."""
    p = np.ones((4, 4))
    p[0, 2], p[1, 2], p[2, 3], p[0, 3], p[1, 3] = 0.05, 0.2, 0.04, 0.01, 0.01
    assert clusters_greedy(p, 0.05) == [1, 1, 2, 3]
    assert clusters_greedy(p, 0.049) == [1, 1, 1, 2]
    assert clusters_neighbours(p, 0.05) == [1, 1, 1, 2]
    assert clusters_neighbours(p, 0.04) == [1, 1, 1, 1]


@given(
    st.integers(0, 7),
    st.randoms(use_true_random=False),
    st.sampled_from([0.0, 0.3, 0.8, 0.95, 1.0]),
)
def test_clusters_part_the_ranking_where_everything_differs(size, random, share):
    ranked = "abcdefg"[:size]
    pairs = [a + b for a in ranked for b in ranked if a < b and random.random() < share]
    found = part(ranked, pairs)
    assert "".join("".join(cluster) for cluster in found) == ranked
    for cluster in found:
        for one, two in product(ranked, repeat=2):
            if (one in cluster) != (two in cluster):
                assert by_pairs(*pairs)(one, two)
        # No cluster could be cut in two.
        for at in map(ranked.index, cluster[1:]):
            across = product(ranked[:at], ranked[at:])
            assert not all(by_pairs(*pairs)(a, b) for a, b in across)


@st.composite
def differences(draw):
    """Which of up to seven systems differ, in any pattern."""
    size = draw(st.integers(0, 7))
    differ = np.zeros((size, size), bool)
    for pair in combinations(range(size), 2):
        differ[pair] = differ[pair[::-1]] = draw(st.booleans())
    return differ


def list_largest_groups(differ) -> list[list[int]]:
    """List, by trying all, the groups of systems of which no two differ, none larger."""
    size = len(differ)
    alike = [
        set(members)
        for count in range(1, size + 1)
        for members in combinations(range(size), count)
        if not any(differ[pair] for pair in combinations(members, 2))
    ]
    return sorted(sorted(g) for g in alike if not any(g < other for other in alike))


@given(differences())
def test_two_share_a_letter_exactly_if_they_do_not_differ(differ):
    groups = group_similar(differ)
    for one, two in combinations(range(len(differ)), 2):
        shared = any(one in group and two in group for group in groups)
        assert shared == (not differ[one, two])
    assert {system for group in groups for system in group} == set(range(len(differ)))


@given(differences())
def test_no_letter_is_too_small_or_needless(differ):
    groups = group_similar(differ)
    largest = list_largest_groups(differ)
    assert all(group in largest for group in groups)
    for left_out in groups:
        pairs = {
            pair
            for group in groups
            if group != left_out
            for pair in combinations([*group, group[0]], 2)
        }
        assert not set(combinations([*left_out, left_out[0]], 2)) <= pairs


@given(st.lists(st.integers(0, 20), max_size=8), st.integers(0, 6))
def test_in_a_ranking_letters_are_all_largest_groups(scores, threshold):
    ranked = np.sort(np.array(scores, int))[::-1]
    differ = np.abs(ranked[:, None] - ranked) > threshold
    assert group_similar(differ) == list_largest_groups(differ)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_benjamini_and_hochberg_is_scipys(p):
    expected = stats.false_discovery_control(p)
    assert benjamini_hochberg(p).tolist() == pytest.approx(expected.tolist())
    assert (benjamini_hochberg(p) <= holm(p) + 1e-12).all()


def test_only_tests_of_a_pair_are_counted():
    p = np.array([[np.nan, 0.01, 0.02], [0.9, np.nan, 0.03], [0.9, 0.9, np.nan]])
    corrected = correct_pairs(p, holm)
    assert corrected[np.triu_indices(3, 1)] == pytest.approx([0.03, 0.04, 0.04])
    assert corrected[1, 0] == 0.9


def test_rank_ranges_leave_out_places_of_better_and_worse_systems():
    p = np.array([[1, 0.5, 0.01, 0.9], [1, 1, 0.01, 0.01], [1, 1, 1, 0.5], [1] * 4])
    assert rank_ranges(p) == [(1, 3), (1, 2), (3, 4), (2, 4)]
    # WMT goes up and down to the first significant difference.
    assert walk_ranks(p, 0.05) == [(1, 2), (1, 2), (3, 4), (3, 4)]
