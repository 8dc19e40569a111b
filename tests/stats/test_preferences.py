"""Strengths by wins and by orders: a plain twin, choix, and where a strength is infinite."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from metra.stats.preferences import (
    bound_strengths,
    find_bounds,
    fit_orders,
    fit_wins,
)

INF, NAN = float("inf"), float("nan")


def fit(wins, draws=None):
    """Strengths, expected shares and the chance of a tie of one table."""
    wins = np.array([wins], float)
    draws = np.zeros_like(wins) if draws is None else np.array([draws], float)
    strengths, shares, ties = fit_wins(wins, draws)
    strengths = bound_strengths(strengths, find_bounds(wins + draws > 0))
    return strengths[0], shares[0], ties[0]


def order_strengths(values):
    found = fit_orders(np.array(values, float), np.ones((1, len(values))))[0]
    return found - found.mean()


#: Wins of the row over the column.
WINS = [[0, 7, 9, 4], [3, 0, 6, 8], [1, 5, 0, 7], [2, 2, 4, 0]]
#: Orders of systems, the best first.
ORDERS = [
    *[(0, 1, 2), (0, 2, 3), (1, 0, 3), (2, 1, 0, 3), (3, 0, 1)],
    *[(0, 3, 2, 1), (1, 2, 3), (2, 3, 0), (1, 0, 2, 3), (3, 2)],
]


def write_orders(orders, size=4):
    values = np.full((len(orders), size), NAN)
    for row, order in zip(values, orders, strict=True):
        row[list(order)] = -np.arange(len(order))
    return values


def test_strengths_of_choix():
    # choix 0.4.1: ilsr_pairwise and ilsr_rankings, alpha=0, centred
    by_wins = [0.9818476804, 0.1444250169, -0.3405979104, -0.7856747870]
    assert fit(WINS)[0] == pytest.approx(by_wins, abs=1e-5)
    by_orders = [0.3946853131, 0.2697485746, -0.0387805702, -0.6256533175]
    found = order_strengths(write_orders(ORDERS))
    assert found == pytest.approx(by_orders, abs=1e-5)


def climb(likelihood, size):
    found = minimize(lambda x: -likelihood(x), np.zeros(size), method="BFGS", tol=1e-9)
    return found.x


COUNTS = st.lists(st.integers(1, 9), min_size=9, max_size=9)


@given(st.integers(2, 3), COUNTS)
@settings(max_examples=30, deadline=None)
def test_wins_and_ties_against_a_plain_twin(size, counts):
    wins, draws, left = np.zeros((size, size)), np.zeros((size, size)), iter(counts)
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    for i, j in pairs:
        wins[i, j], wins[j, i], draws[i, j] = next(left), next(left), next(left)
        draws[j, i] = draws[i, j]

    def likelihood(x):
        total = 0.0
        for i, j in pairs:
            a, b = np.exp(x[i]), np.exp(x[j])
            tie = np.exp(x[size]) * np.sqrt(a * b)
            below = np.log(a + b + tie)
            total += wins[i, j] * (x[i] - below) + wins[j, i] * (x[j] - below)
            total += draws[i, j] * (np.log(tie) - below)
        return total

    x = climb(likelihood, size + 1)
    strengths, shares, ties = fit(wins, draws)
    assert strengths == pytest.approx(x[:size] - x[:size].mean(), abs=1e-3)
    tie = np.exp(x[size])
    assert ties == pytest.approx(tie / (2 + tie), abs=1e-4)
    expected = np.zeros(size)
    for i, j in permutations(range(size), 2):
        a, b = np.exp(x[i]), np.exp(x[j])
        middle = tie * np.sqrt(a * b)
        expected[i] += (a + middle / 2) / (a + b + middle) / (size - 1)
    assert shares == pytest.approx(expected, abs=1e-3)
    # Wins plus half of the ties decide: of a full table, also the order.
    points = (wins + draws / 2).sum(1)
    fitted = (shares[:, None] - shares) * (points[:, None] - points)
    if len({wins[i, j] + wins[j, i] + draws[i, j] for i, j in pairs}) == 1:
        assert fitted.min() > -1e-6


@given(
    st.lists(
        st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=4, max_size=9
    )
)
@settings(max_examples=30, deadline=None)
def test_orders_with_ties_against_a_plain_twin(values):
    values = np.array(values, float)
    won = (values[:, :, None] >= values[:, None]).any(0)
    assume((find_bounds((won & ~np.eye(3, dtype=bool))[None]) == 0).all())

    def likelihood(x):
        total = 0.0
        for row in values:
            left = set(range(3))
            for value in sorted({*row}, reverse=True):
                tied = [at for at in range(3) if row[at] == value]
                for taken in range(len(tied)):
                    share = taken / len(tied)
                    below = sum(np.exp(x[at]) for at in left)
                    below -= share * sum(np.exp(x[at]) for at in tied)
                    total += x[tied[taken]] - np.log(below)
                left -= {*tied}
        return total

    x = climb(likelihood, 3)
    assert order_strengths(values) == pytest.approx(x - x.mean(), abs=2e-3)


def test_orders_of_two_are_wins():
    orders = [
        pair
        for i, row in enumerate(WINS)
        for j, count in enumerate(row)
        for pair in [(i, j)] * count
    ]
    found = order_strengths(write_orders(orders))
    assert found == pytest.approx(fit(WINS)[0], abs=1e-5)


@given(st.permutations(range(4)))
def test_names_change_nothing(places):
    wins = np.array(WINS, float)
    shuffled = wins[np.ix_(places, places)]
    assert fit(shuffled)[0] == pytest.approx(fit(wins)[0][list(places)], abs=1e-9)
    values = write_orders(ORDERS)
    found = order_strengths(values[:, places])
    assert found == pytest.approx(order_strengths(values)[list(places)], abs=1e-9)


def test_a_copy_is_as_strong():
    wins, draws = np.zeros((2, 3, 3))
    wins[0, 2] = wins[1, 2] = 6
    wins[2, 0] = wins[2, 1] = 3
    draws[0, 1] = draws[1, 0] = 9
    strengths, shares, ties = fit(wins, draws)
    assert strengths[0] == pytest.approx(strengths[1], abs=1e-12)
    assert shares[0] > 0.5 > shares[2]
    assert 0 < ties < 1


BOUNDS = [
    pytest.param([], 1, [0], id="one system alone"),
    pytest.param([], 2, [NAN, NAN], id="never compared"),
    pytest.param([(0, 1)], 2, [INF, -INF], id="one wins all"),
    pytest.param([(0, 1), (1, 0)], 2, [0, 0], id="both win"),
    pytest.param([(0, 1), (0, 2), (1, 2), (2, 1)], 3, [INF, 0, 0], id="best beats all"),
    pytest.param([(1, 0), (1, 2), (2, 1)], 3, [-INF, 0, 0], id="worst loses to one"),
    pytest.param([(0, 1), (1, 2), (2, 0)], 3, [0, 0, 0], id="a circle"),
    pytest.param([(0, 1), (1, 2)], 3, [INF, 0, -INF], id="a chain"),
    pytest.param([(0, 2), (1, 2)], 3, [INF, INF, -INF], id="two winners"),
    pytest.param([(0, 1), (1, 0), (2, 3)], 4, [0, 0, NAN, NAN], id="two groups"),
    pytest.param(
        [(3, 4), (4, 3), (0, 3)], 5, [INF, NAN, NAN, 0, 0], id="not the first"
    ),
]


@pytest.mark.parametrize(("wins", "size", "expected"), BOUNDS)
def test_infinite_and_unknown_strengths(wins, size, expected):
    won = np.zeros((1, size, size), bool)
    for winner, loser in wins:
        won[0, winner, loser] = True
    np.testing.assert_array_equal(find_bounds(won)[0], expected)


def test_a_system_that_wins_all_leaves_the_others_as_they_are():
    wins = np.zeros((3, 3))
    wins[0, 1:] = 10
    wins[1, 2], wins[2, 1] = 6, 3
    strengths, shares, _ = fit(wins)
    assert strengths == pytest.approx([INF, np.log(2) / 2, -np.log(2) / 2], abs=1e-5)
    assert shares == pytest.approx([1, 1 / 3, 1 / 6], abs=1e-4)
