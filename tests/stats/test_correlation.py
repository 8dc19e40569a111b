"""Coefficients: textbook and published vectors, scipy as an oracle, and laws."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from metra.errors import LengthError, OptionError, UnknownNameError
from metra.stats.coefficients import (
    darr,
    differentials,
    pair_counts,
    pearson,
    ranks,
    spearman,
    within_segments,
)
from metra.stats.correlation import (
    COEFFICIENTS,
    Options,
    correlate,
    correlate_all,
    find_coefficient,
)

accuracy = COEFFICIENTS["acc_eq"].rows
kendall_a, kendall_b, kendall_c = (COEFFICIENTS[f"kendall-{x}"].rows for x in "abc")
kendall_10, kendall_13, kendall_14, kendall_23 = (
    COEFFICIENTS[f"tau{year}"].rows for year in (10, 13, 14, 23)
)
NAN = float("nan")
# Two systems, three segments: the vectors of mt-metrics-eval's own tests.
GOLD, METRIC = np.array([[1.0, 2, 3], [4, 5, 6]]), np.array([[2.0, 1, 4], [3, 3, 7]])
UNTIED = np.array([[2.0, 1, 8], [3, 5, 6]])
FIVE, OTHER = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
SEVEN_X, SEVEN_Y = [1, 1, 1, 2, 2, 3, 4], [1, 1, 2, 2, 4, 3, 3]

PUBLISHED = [  # values of mt-metrics-eval's stats_test
    pytest.param(GOLD, METRIC, {"group": "none"}, 0.776, id="pearson none"),
    pytest.param(GOLD, METRIC, {"group": "sys"}, 0.760, id="pearson sys"),
    pytest.param(GOLD, METRIC, {"group": "item"}, 1.00, id="pearson item"),
    pytest.param(GOLD, METRIC, {"coef": "kendall-b"}, 0.552, id="tau-b none"),
    pytest.param(GOLD, METRIC, {"coef": "kendall-b", "group": "sys"}, 0.575, id="tau-b sys"),
    pytest.param(GOLD, METRIC, {"coef": "kendall-b", "group": "item"}, 1, id="tau-b item"),
    pytest.param(GOLD, METRIC, {"coef": "kendall-c"}, 0.556, id="tau-c none"),
    pytest.param(GOLD, METRIC, {"coef": "kendall-c", "group": "sys"}, 0.611, id="tau-c sys"),
    pytest.param(GOLD, METRIC, {"coef": "kendall-c", "group": "item"}, 1, id="tau-c item"),
    pytest.param([10, NAN, 100, 150], [2, 1, 4, 3], {"coef": "darr", "threshold": 1}, 1 / 3,
                 id="Kendall-like with a gap"),
    pytest.param([[10, 11], [100, 150]], [[2, 1], [4, 3]],
                 {"coef": "darr", "threshold": 1, "group": "item"}, 1, id="Kendall-like item"),
    pytest.param([[10, NAN], [100, 150]], [[2, 1], [4, 3]],
                 {"coef": "darr", "threshold": 1, "group": "item"}, 1,
                 id="Kendall-like item with a gap"),
    pytest.param([10, 11, 100, 150], [2, 1, 4, 3], {"coef": "darr"}, 3 / 5,
                 id="Kendall-like, 25 apart"),
    pytest.param([10, 11, 100, 150], [2, 1, 4, 3], {"coef": "darr", "threshold": 1}, 2 / 6,
                 id="Kendall-like, 1 apart"),
    pytest.param(FIVE, OTHER, {"coef": "kendall-b"}, 0.316227766, id="tau-b of five"),
    pytest.param(FIVE, OTHER, {"coef": "kendall-c"}, 0.32, id="tau-c of five"),
    pytest.param(FIVE, OTHER, {"coef": "tau23"}, 0.2, id="tau23 of five"),
    pytest.param(FIVE, OTHER, {"coef": "acc_eq"}, 0.6, id="accuracy of five"),
    pytest.param(FIVE, OTHER, {"coef": "acc_eq", "eps": 2}, 0.4, id="accuracy, ties up to 2"),
    pytest.param(FIVE, OTHER, {"coef": "acc*_eq"}, 0.7, id="calibrated accuracy"),
    pytest.param([1, NAN, 3, 4, 5, 6], [2, 1, 4, 3, 5, 6], {},
                 scipy.stats.pearsonr([1, 3, 4, 5, 6], [2, 4, 3, 5, 6])[0], id="gap"),
    pytest.param(GOLD, UNTIED, {"group": "sys"},
                 (scipy.stats.pearsonr([1, 2, 3], [2, 1, 8])[0]
                  + scipy.stats.pearsonr([4, 5, 6], [3, 5, 6])[0]) / 2, id="mean of systems"),
    pytest.param(GOLD, UNTIED, {"group": "item"}, 1 / 3, id="mean of segments"),
    pytest.param([[1, NAN, 3], [4, 5, 6]], UNTIED, {"group": "item"}, 0,
                 id="mean of segments with a gap"),
    pytest.param(GOLD, [[2, 2, 2], [4, 5, 6]], {"group": "sys"}, 1, id="a constant left out"),
    pytest.param([[1, NAN, 3], [4, 5, 6]], UNTIED, {"group": "sys", "average": "micro"},
                 (2 * 1 + 3 * scipy.stats.pearsonr([4, 5, 6], [3, 5, 6])[0]) / 5, id="micro"),
    pytest.param([1, 2, 3, 3, 4], [1, 1, 2, 1, 2], {"coef": "accuracy"}, 5 / 10,
                 id="agreement: 5 of 10"),
    pytest.param(SEVEN_X, SEVEN_Y, {"coef": "tau23"}, (14 - 7) / 21, id="tau23 of seven"),
    pytest.param(SEVEN_X, SEVEN_Y, {"coef": "acc_eq"}, 14 / 21, id="accuracy of seven"),
    pytest.param(SEVEN_X, SEVEN_Y, {"coef": "tau23", "eps": 0.1}, (14 - 7) / 21,
                 id="a threshold too small to matter"),
]  # fmt: skip


@pytest.mark.parametrize(("gold", "metric", "options", "expected"), PUBLISHED)
def test_published_vectors(gold, metric, options, expected):
    assert correlate(gold, metric, **options).value == pytest.approx(expected, abs=6e-4)


@pytest.mark.seed("4.17", prints="0.9807")
def test_babych_and_hartley_table_2():
    adequacy, fluency = [0.677, 0.710, 0.718, 0.789], [0.455, 0.381, 0.382, 0.508]
    columns = {  # score of the four systems, printed r with adequacy and with fluency
        "bleu": ([0.3561, 0.3199, 0.3003, 0.4002], 0.5918, 0.9807),
        "precision 1": ([0.5242, 0.4905, 0.4919, 0.5442], 0.5248, 0.9987),
        "precision 2": ([0.5176, 0.4890, 0.4902, 0.5375], 0.5561, 0.9998),
        "recall 1": ([0.2553, 0.2464, 0.2635, 0.3034], 0.9069, 0.8022),
        "recall 2": ([0.2554, 0.2493, 0.2679, 0.3022], 0.9215, 0.7499),
    }
    for scores, with_adequacy, with_fluency in columns.values():
        # The scores are printed with four digits, which moves r by up to 0.0022.
        for gold, printed in ((adequacy, with_adequacy), (fluency, with_fluency)):
            found = correlate(gold, scores).value
            assert found == pytest.approx(printed, abs=2.2e-3)


NUMBERS = st.integers(-4, 4).map(float) | st.floats(-5, 5).map(lambda x: round(x, 2))


@st.composite
def two_rows(draw, least=2, most=90):
    size = draw(st.integers(least, most))
    return tuple(draw(hnp.arrays(np.float64, size, elements=NUMBERS)) for _ in range(2))


@settings(max_examples=150, deadline=None)
@given(two_rows())
@pytest.mark.seed("2.20")
@pytest.mark.seed("2.21")
def test_scipy_agrees(rows):
    g, m = rows
    assume(len(set(g)) > 1 and len(set(m)) > 1)
    assert pearson(g, m) == pytest.approx(scipy.stats.pearsonr(g, m)[0], abs=1e-9)
    assert spearman(g, m) == pytest.approx(scipy.stats.spearmanr(g, m)[0], abs=1e-9)
    assert kendall_b(g, m) == pytest.approx(scipy.stats.kendalltau(g, m)[0], abs=1e-12)
    tau_c = scipy.stats.kendalltau(g, m, variant="c")[0]
    assert kendall_c(g, m) == pytest.approx(tau_c, abs=1e-12)
    np.testing.assert_array_equal(ranks(g), scipy.stats.rankdata(g))


@settings(max_examples=80, deadline=None)
@given(two_rows(), st.sampled_from([0.0, 0.5, 1.0]))
def test_pairs_are_counted_as_one_would_by_hand(rows, eps):
    g, m = rows
    kinds = dict.fromkeys(["c", "d", "h", "m", "hm"], 0)
    for i in range(len(g)):
        for j in range(i):
            human, tied = bool(g[i] == g[j]), bool(abs(m[i] - m[j]) <= eps)
            if human or tied:
                kinds["h" * human + "m" * tied] += 1
            else:
                kinds["c" if (g[i] > g[j]) == (m[i] > m[j]) else "d"] += 1
    found = pair_counts(g, m, eps=eps)
    assert [
        found.concordant, found.discordant, found.gold_ties, found.metric_ties, found.both_ties
    ] == list(kinds.values())  # fmt: skip
    c, d, h, t, hm = kinds.values()
    total = c + d + h + t + hm
    assert accuracy(g, m, eps=eps) == pytest.approx((c + hm) / total)
    assert kendall_23(g, m, eps=eps) == pytest.approx((c + hm - d - h - t) / total)
    if eps == 0:
        assert kendall_a(g, m) == pytest.approx((c - d) / total)
        for found, above, below in (
            (kendall_10(g, m), c - d - t, c + d + t),
            (kendall_13(g, m), c - d, c + d),
            (kendall_14(g, m), c - d, c + d + t),
        ):
            if below:
                assert found == pytest.approx(above / below)
            else:
                assert np.isnan(found)


@settings(max_examples=40, deadline=None)
@given(hnp.arrays(np.float64, (2, 6, 7), elements=NUMBERS), st.data())
def test_gaps_are_as_if_the_cells_had_never_been(both, data):
    g, m = both
    gaps = data.draw(hnp.arrays(bool, g.shape))
    g = np.where(gaps, NAN, g)
    for row_g, row_m, gap in zip(g, m, gaps, strict=True):
        for function in (pearson, spearman, kendall_b, kendall_c, accuracy):
            whole = function(row_g[~gap], row_m[~gap])
            np.testing.assert_allclose(function(row_g, row_m), whole, atol=1e-12)
    each = [kendall_b(a, b) for a, b in zip(g, m, strict=True)]
    np.testing.assert_array_equal(kendall_b(g, m), each)


def test_differences_are_not_plain_pearson():
    g, m = np.random.default_rng(1).normal(size=(2, 9))
    assert differentials(g, m) != pytest.approx(float(pearson(g, m)), abs=1e-3)


def test_differentials_do_not_depend_on_the_order_of_systems():
    rng = np.random.default_rng(2)
    g, m = rng.integers(0, 5, (2, 9)).astype(float)
    order = rng.permutation(9)
    turned = float(differentials(g[order], m[order]))
    assert turned == pytest.approx(float(differentials(g, m)))


def test_differences_within_segments_are_all_ordered_pairs():
    g, m = 2 + np.random.default_rng(3).normal(size=(2, 4, 5))
    g[1, 2] = m[0, 3] = m[2, 3] = g[3, 4] = m[3, 4] = NAN
    pairs = [
        (g[i, n] - g[j, n], m[i, n] - m[j, n])
        for n in range(5) for i in range(4) for j in range(4)
        if np.isfinite(g[[i, j], n] + m[[i, j], n]).all()
    ]  # fmt: skip
    expected = scipy.stats.pearsonr(*zip(*pairs, strict=True))[0]
    assert within_segments(g, m) == pytest.approx(expected)
    assert correlate(g, m, coef="pdp").value == pytest.approx(expected)


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
def test_every_coefficient_finds_itself_perfect(name):
    rng = np.random.default_rng(5)
    gold = rng.normal(size=(6, 30)) + np.arange(6)[:, None] * 40
    level = gold.mean(1) if name in ("differentials", "accuracy") else gold
    found = correlate(level, level, coef=name)
    assert found.value == pytest.approx(1.0)
    assert found.value <= 1
    assert found.value >= COEFFICIENTS[name].lowest


@pytest.mark.parametrize(
    ("gold", "metric", "reason"),
    [
        pytest.param([1, 2, 3], [5, 5, 5], "All 3 metric scores are 5; a constant has no",
                     id="constant metric"),
        pytest.param([2, 2, 2], [5, 6, 7], "All 3 gold scores are 2; a constant has no",
                     id="constant gold"),
        pytest.param([1, NAN, NAN], [1, 2, 3], "Only 1 value is shared", id="one value"),
        pytest.param([1], [1], "Only 1 value is shared", id="one system"),
    ],
)  # fmt: skip
def test_no_figure_without_a_reason(gold, metric, reason):
    for coef in ("pearson", "spearman", "kendall-b"):
        found = correlate(gold, metric, coef=coef)
        assert np.isnan(found.value)
        assert found.reason.startswith(reason)


@pytest.mark.parametrize(
    ("n", "reason"), [(1, "Only 1"), (2, "Two systems make one"), (3, "")]
)
def test_differentials_need_two_differences(n, reason):
    gold, metric = (x[4 - n - 1 :] for x in ([1, 2, 4, NAN], [3, 1, 8, 5]))
    found = correlate(gold, metric, coef="differentials")
    assert (found.n, np.isnan(found.value)) == (n, n < 3)
    assert (found.reason or "").startswith(reason)


def test_spa_of_one_system_has_a_reason():
    found = correlate([[1, 2, 3]], [[1, 2, 3]], coef="spa")
    assert found.reason == "Fewer than two systems share segments."


def test_metrics_share_what_the_gold_needs_and_lose_nothing():
    rng = np.random.default_rng(7)
    gold = rng.integers(0, 4, (5, 40)).astype(float)
    metrics = {str(at): gold + rng.normal(size=gold.shape) for at in range(3)}
    metrics["1"][0, 0] = NAN
    options = Options(coef="acc*_eq", group="item")
    together = correlate_all(gold, metrics, options)
    for name, metric in metrics.items():
        alone = correlate(gold, metric, coef="acc*_eq", group="item")
        assert together[name].value == pytest.approx(alone.value, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"coef": "pearsn"}, UnknownNameError, "Did you mean 'pearson'"),
        ({"group": "seg"}, OptionError, "expected one of none, item, sys"),
        ({"coef": "differentials"}, OptionError, "one score for each system"),
    ],
)
def test_wrong_wishes_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        correlate(GOLD, METRIC, **options)


def test_shapes_must_agree():
    with pytest.raises(LengthError, match=r"shape \(2,\), the gold \(2, 3\)"):
        correlate(GOLD, [1, 2])


def test_programs_and_papers_call_them_otherwise():
    names = ("KendallWithTiesOpt", "acc-t", "acc*_eq")
    assert {find_coefficient(name).name for name in names} == {"acc*_eq"}


def test_kendall_like_weighs_pairs_not_segments():
    gold = np.array([[0.0, 0], [30, 100], [60, 1]])
    metric = np.array([[0.0, 1], [1, 0], [2, 2]])
    values, weights = darr(gold.T, metric.T)
    found = correlate(gold, metric, coef="darr", group="item").value
    assert weights.tolist() == [3, 2]
    assert found == pytest.approx((values * weights).sum() / weights.sum())
