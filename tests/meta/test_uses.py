"""`select`, `deltas`, `sentinel`, `card`, against plain counting."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metra.errors import MetraError
from metra.meta import sentinel, uses
from metra.meta.arrays import panel_from_arrays
from metra.meta.options import DeltaOptions, SelectOptions, SentinelOptions
from metra.stats import curves, thresholds


def make_panel(systems=6, segments=30, seed=0):
    """Gold with holes, a metric that follows it and one that does not."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, 1)) + rng.normal(size=(1, segments))
    gold = np.round(quality + rng.normal(size=(systems, segments)))
    gold[rng.random(gold.shape) < 0.1] = np.nan
    close = np.nan_to_num(gold) + rng.normal(size=gold.shape) / 2
    noise = rng.normal(size=gold.shape)
    return panel_from_arrays(gold, {"close": close, "noise": noise})


@pytest.fixture(scope="module")
def panel():
    return make_panel()


# Filtering and re-ranking.


@given(
    st.lists(
        st.tuples(st.integers(0, 5).map(float), st.booleans()), min_size=1, max_size=12
    )
)
def test_the_threshold_is_the_best_of_all(pairs):
    metric = np.array([value for value, _ in pairs])
    is_good = np.array([good for _, good in pairs])
    found = thresholds.choose_threshold(metric, is_good)
    if not is_good.any():
        assert found == np.inf
        return

    def compute_f(limit):
        kept = metric >= limit
        precision = (kept & is_good).sum() / kept.sum()
        recall = (kept & is_good).sum() / is_good.sum()
        below = 0.5 * precision + recall
        return 1.5 * precision * recall / below if below else 0.0

    by_force = {limit: compute_f(limit) for limit in set(metric.tolist())}
    assert by_force[found] == pytest.approx(max(by_force.values()))
    better = [limit for limit, f in by_force.items() if limit > found]
    assert all(by_force[limit] < by_force[found] for limit in better)


def test_filtering_keeps_a_fold_by_the_threshold_of_the_others():
    # The best threshold of the first segments is 1, of the last ones 3.
    metric = np.array([[0.0, 1, 2, 3, 4, 5]])
    good = np.array([[0.0, 1, 1, 0, 1, 1]])
    limit, whole = thresholds.filter_outputs(good, metric, folds=0, seed=1)
    assert limit == 1
    assert whole.sum(0).tolist() == [4, 5, 4, 6]
    _, crossed = thresholds.filter_outputs(good, metric, folds=6, seed=1)
    by_hand = np.zeros(4)
    for at in range(6):
        rest = np.arange(6) != at
        limit = thresholds.choose_threshold(metric[0, rest], good[0, rest] > 0)
        kept = metric[0, at] >= limit
        by_hand += [kept and good[0, at], kept, good[0, at], 1]
    assert crossed.sum(0).tolist() == by_hand.tolist()


FIGURES = [
    pytest.param([3, 4, 6], "precision", 0.75),
    pytest.param([3, 4, 6], "recall", 0.5),
    # Precision counts twice: 1.5 · .75 · .5 / (.375 + .5).
    pytest.param([3, 4, 6], "F", 0.5625 / 0.875),
    pytest.param([0, 4, 6], "F", 0.0),
    pytest.param([0, 0, 6], "F", np.nan),
    # 6 of 8 cats and 3 of 4 dogs told right; and scikit-learn's example.
    pytest.param([6, 7, 8, 12], "MCC", (6 * 3 - 1 * 2) / 1120**0.5, id="cats and dogs"),
    pytest.param([2, 3, 3, 4], "MCC", -1 / 3, id="scikit-learn"),
    pytest.param([0, 0, 3, 4], "MCC", np.nan, id="nothing is kept"),
    pytest.param([3, 4, 3, 4], "MCC", np.nan, id="everything is kept"),
    pytest.param([0, 2, 0, 4], "MCC", np.nan, id="nothing is good"),
]


@pytest.mark.parametrize(("totals", "figure", "expected"), FIGURES)
def test_figures_of_filtering(totals, figure, expected):
    found = thresholds.aggregate_filter(np.array(totals, float), figure)
    assert found == pytest.approx(expected, nan_ok=True)


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_reranking_counts_ties(seed):
    rng = np.random.default_rng(seed)
    gold, metric = (rng.integers(0, 3, (4, 5)).astype(float) for _ in range(2))
    gold[rng.random(gold.shape) < 0.3] = np.nan
    rows = thresholds.rerank_outputs(gold, metric)
    for at in range(5):
        there = [s for s in range(4) if gold[s, at] == gold[s, at]]
        if len(there) < 2:
            assert not rows[at].any()
            continue
        chosen = {
            s for s in there if metric[s, at] == max(metric[t, at] for t in there)
        }
        best = {s for s in there if gold[s, at] == max(gold[t, at] for t in there)}
        both = len(chosen & best)
        expected = [
            *(1, both / len(chosen), both / len(best)),
            np.mean([gold[s, at] for s in chosen]),
            max(gold[s, at] for s in there),
        ]
        assert rows[at].tolist() == pytest.approx(expected)


def test_chance_is_the_mean_of_all_choices(panel):
    found = uses.select_outputs(panel, SelectOptions(trials=0)).reranking[uses.CHANCE]
    hits, recalls, count = 0.0, 0.0, 0
    for column in panel.gold.T:
        there = column[np.isfinite(column)]
        if len(there) > 1:
            best = (there == there.max()).sum()
            hits += best / len(there)
            recalls += np.mean([(v == there.max()) / best for v in there])
            count += 1
    assert found["precision"][0] == pytest.approx(hits / count)
    assert found["recall"][0] == pytest.approx(recalls / count)


def test_an_output_at_the_limit_is_good():
    gold = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    found = uses.select_outputs(
        panel_from_arrays(gold, {"same": gold}), SelectOptions(good=2, folds=0)
    )
    # Four of six are good, and a threshold of 2 keeps just these.
    assert (found.share, found.thresholds) == (pytest.approx(4 / 6), {"same": 2.0})
    assert found.filtering["same"]["F"][0] == pytest.approx(1.0)


def test_a_limit_that_all_outputs_pass(panel):
    with pytest.raises(
        MetraError, match="All outputs are good by gold of at least -99"
    ):
        uses.select_outputs(panel, SelectOptions(good=-99))
    with pytest.raises(MetraError, match="No output is good"):
        uses.select_outputs(panel, SelectOptions(good=99))


# Differences that people notice.


@given(
    st.lists(st.tuples(st.floats(0.1, 5), st.booleans()), min_size=3, max_size=20),
    st.integers(0, 10**6),
)
def test_the_slope_has_the_greatest_likelihood(pairs, seed):
    size = np.array([each for each, _ in pairs])
    agrees = np.array([float(right) for _, right in pairs])
    weights = np.random.default_rng(seed).integers(0, 3, (1, len(pairs))).astype(float)
    slope = float(curves.fit_slope(size, agrees, weights)[0])
    if not (weights * size).any():
        assert np.isnan(slope)
        return

    def likelihood(b):
        share = 1 / (1 + np.exp(-b * size))
        terms = agrees * np.log(share) + (1 - agrees) * np.log(1 - share)
        return float((weights[0] * terms)[weights[0] > 0].sum())

    if np.isinf(slope):
        assert (agrees[weights[0] > 0] == 1).all()
        return
    for other in (0.0, slope * 0.9, slope * 1.1, slope + 0.01):
        assert likelihood(other) <= likelihood(slope) + 1e-9


def test_difference_and_share_are_inverse():
    slope = np.array(0.7)
    for share in (0.6, 0.9):
        assert curves.find_share(
            slope, float(curves.find_difference(slope, share))
        ) == pytest.approx(share)
    assert curves.find_difference(np.array(np.inf), 0.9) == 0
    assert np.isinf(curves.find_difference(np.array(0.0), 0.9))
    assert curves.find_share(slope, 0.0) == 0.5


def test_pairs_of_systems_stay_within_their_panel(panel):
    other = make_panel(systems=4, seed=3)
    pairs = curves.collect_differences([panel, other], "close")
    expected = []
    for each in (panel, other):
        for i, j in combinations(range(len(each.systems)), 2):
            gold = each.system_gold[i] - each.system_gold[j]
            gap = each.system_metrics["close"][i] - each.system_metrics["close"][j]
            if gold:
                expected.append((abs(gap), float(gap * gold > 0)))
    sizes, agrees = zip(*expected, strict=True)
    assert pairs.size == pytest.approx(np.array(sizes))
    assert pairs.agrees.tolist() == list(agrees)
    assert pairs.first.max() < pairs.second.max() == 9


def test_ties_of_people_are_no_pairs_and_ties_of_a_metric_half_right():
    gold = np.array([[1.0], [1.0], [2.0]])
    panel = panel_from_arrays(gold, {"m": [[5.0], [3.0], [5.0]]})
    pairs = curves.collect_differences([panel], "m")
    assert pairs.size.tolist() == [0, 2]
    assert pairs.agrees.tolist() == [0.5, 1]


@pytest.mark.parametrize(("scale", "digits"), [(100, None), (0.01, 4)])
def test_differences_of_metrics_from_0_to_1_are_thousandths(scale, digits):
    gold = np.array([[1.0], [2], [3], [5], [6]])
    metric = scale * np.array([[1.0], [3], [2], [7], [6]])
    panel = panel_from_arrays(gold, {"m": metric})
    options = DeltaOptions(trials=20)
    report = uses.report_deltas(
        [panel], uses.measure_differences([panel], options), options
    )
    [row] = report.tables[0].rows
    assert {cell.digits for cell in row[3:]} == {digits}


EXTREMES = [
    pytest.param(1.0, "agree with every difference of m", id="all right"),
    pytest.param(-1.0, "no more often than chance", id="all wrong"),
]


@pytest.mark.parametrize(("sign", "message"), EXTREMES)
def test_differences_without_a_limit(sign, message):
    gold = np.array([[1.0, 2], [3, 4], [6, 8]])
    panel = panel_from_arrays(gold, {"m": sign * gold})
    options = DeltaOptions(trials=20)
    report = uses.report_deltas(
        [panel], uses.measure_differences([panel], options), options
    )
    assert any(message in note for note in report.notes)


def test_nothing_is_said_beyond_the_largest_difference():
    """A metric that agrees no more often than chance would need differences never seen."""
    rng = np.random.default_rng(4)
    panel = panel_from_arrays(rng.normal(size=(12, 1)), {"m": rng.normal(size=(12, 1))})
    options = DeltaOptions(trials=50)
    [noticed] = uses.measure_differences([panel], options)
    assert 0.5 < noticed.accuracy < 0.6
    report = uses.report_deltas([panel], [noticed], options)
    [row] = report.tables[0].rows
    ends = [end for cell in row[3:] for end in (cell.value, *(cell.interval or ()))]
    assert all(end is None or end <= noticed.largest for end in ends)
    assert row[-1].value is None
    assert report.notes[-1].endswith(f"are not shown: m ({noticed.largest:.3g}).")


def test_differences_take_two_pairs():
    panel = panel_from_arrays([[1.0, 2], [3, 4]], {"m": [[1.0, 2], [3, 4]]})
    with pytest.raises(MetraError, match="There are 1 pairs of systems"):
        uses.measure_differences([panel], DeltaOptions())


# Sentinels.


def test_sentinels_know_means(panel):
    gold = panel.gold
    judged = np.isfinite(gold)

    def average_others(system, segment):
        column = np.delete(gold[:, segment], system)
        return np.nanmean(column), np.nanmean(gold[system])

    expected = np.array([average_others(*cell) for cell in np.argwhere(judged)]).T
    # Another program's scores may be those of a sentinel.
    whole = np.nanmean(gold, 1)[:, None]
    scored = panel.metrics | {"sentinel-src": np.where(judged, whole / 2, 0)}
    options = SentinelOptions(trials=20)
    found = sentinel.correlate_sentinels(panel_from_arrays(gold, scored), options)
    results = found.answers[0]
    for name, means in zip(("seg", "sys"), expected, strict=True):
        r = np.corrcoef(gold[judged], means)[0, 1]
        assert results[f"sentinel-{name}"].value == pytest.approx(r)
    by_item = found.answers[2]
    assert np.isnan(by_item[sentinel.SEGMENT_MEAN].value)
    assert by_item[sentinel.SYSTEM_MEAN].value > 0
    notes = sentinel.report_sentinels(found, options).notes
    [beaten] = [note for note in notes if note.startswith("By pearson none, ")]
    assert beaten.startswith("By pearson none, sentinel-seg reaches 0.")
    assert beaten.endswith("without comparing output and source; no better: noise.")
    with pytest.raises(MetraError, match="Sentinels need segment scores"):
        sentinel.add_sentinels(replace(panel, gold=gold * np.nan))


@pytest.mark.parametrize("systems", [3, 6])
def test_sentinels_reach_nothing_in_noise(systems):
    gold = np.random.default_rng(systems).normal(size=(systems, 400))
    panel = panel_from_arrays(gold, {"m": gold})
    found = sentinel.correlate_sentinels(panel, SentinelOptions(trials=0))
    for question, results in found.pairs:
        for name in (sentinel.SEGMENT_MEAN, sentinel.SYSTEM_MEAN):
            r = results[name].value
            if question.spec.startswith("pearson"):
                assert np.isnan(r) or abs(r) < 0.1, (question.spec, name)


# Cards.


@pytest.fixture
def scores(write):
    rng = np.random.default_rng(4)
    lines = ["system\tseg\tmqm\tone\ttwo\trun-1\trun-2"]
    for system in range(6):
        for segment in range(1, 16):
            truth = system / 2 + rng.normal()
            noisy = truth + rng.normal()
            runs = [round(truth + rng.normal() / 3, 1) for _ in range(2)]
            cells = [f"{truth:.1f}", f"{noisy:.3f}", f"{rng.normal():.3f}", *runs]
            lines.append("\t".join([f"s{system}", str(segment), *map(str, cells)]))
    return write("scores.tsv", lines)


PAIRS = ["good\tbad\tone-good\tone-bad", "a\tb\t2\t1", "c\td\t1\t2", "e\tf\t2\t1"]


def test_a_card_shows_a_challenge_set(scores, write, cli):
    pairs = write("pairs.tsv", PAIRS)
    options = ("--gold", "mqm", "--metric", "one", "--trials", "20")
    ran = cli("meta", "card", scores, *options, "--challenge", pairs)
    assert ran.code == 0, ran.err
    assert "`good`" not in ran.out
    assert "--good sets another limit." in ran.out


REFUSED = [
    pytest.param(
        ("card", "--metric", "one,two"), "A card describes one metric", id="two"
    ),
    pytest.param(
        ("card", "--metric", "three"), "No metric named 'three'", id="unknown"
    ),
    pytest.param(
        ("card", "--show=selection", "--good", "99"),
        "another limit with --good",
        id="limit",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_refused_calls(arguments, message, scores, cli):
    name, *rest = arguments
    ran = cli("meta", name, scores, "--gold", "mqm", *rest)
    assert ran.code == 2
    assert message in ran.err
