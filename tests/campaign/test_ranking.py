"""Rankings: clusters worked by hand, the tests of scipy, and too little as an answer."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metra.campaign.ranking import RankingOptions, rank_systems
from scipy import stats
from tests.campaign.answers import made

from metra.errors import OptionError


def scored(**systems):
    """Answers of one judge: a list of scores for each system, segment by segment."""
    return [
        made(name, at, "ann", score, name="da")
        for name, scores in systems.items()
        for at, score in enumerate(scores, 1)
    ]


HIGH = [60.0 + at for at in range(12)]
#: Now above and now below, a little more below.
NEAR = [score + (at + 2 if at % 2 else -at - 3) for at, score in enumerate(HIGH)]
LOW = [20.0 + at * 1.1 for at in range(12)]


def test_clusters_end_where_a_system_beats_the_next():
    [ranking] = rank_systems(scored(high=HIGH, near=NEAR, low=LOW))
    assert [one.mean.system for one in ranking.systems] == ["high", "near", "low"]
    assert [one.cluster for one in ranking.systems] == [1, 1, 2]
    assert [one.places for one in ranking.systems] == [(1, 2), (1, 2), (3, 3)]
    assert ranking.too_little == ""
    assert ranking.test == "Wilcoxon signed-rank over segments, one-sided"


def test_p_values_are_those_of_scipy():
    [ranking] = rank_systems(scored(high=HIGH, near=NEAR, low=LOW))
    first, second, last = ranking.systems
    for ours, (a, b) in zip((first, second), ((HIGH, NEAR), (NEAR, LOW)), strict=True):
        every = stats.PermutationMethod(n_resamples=2**12)  # all signs: exact
        theirs = stats.wilcoxon(a, b, alternative="greater", method=every)
        assert ours.p_next == pytest.approx(theirs.pvalue, abs=1e-9)
    assert last.p_next is None


def test_too_little_is_an_answer():
    [ranking] = rank_systems(scored(high=HIGH[:9], low=LOW[:9]))
    assert ranking.too_little == (
        "Not enough data: high and low have 9 segments to compare; the test needs 10."
    )
    assert {(one.cluster, one.p_next, one.places) for one in ranking.systems} == {
        (None, None, None)
    }
    assert ranking.systems[0].mean.hundred == pytest.approx(64.0)
    [ranking] = rank_systems(
        scored(high=HIGH[:9], low=LOW[:9]), RankingOptions(least=9)
    )
    assert [one.cluster for one in ranking.systems] == [1, 2]


def test_one_system_alone_is_told_from_nobody():
    [ranking] = rank_systems(scored(one=HIGH))
    assert ranking.too_little.startswith("There is only one system")


def test_systems_that_share_no_segment_are_compared_by_rank_sums():
    answers = scored(high=HIGH)
    answers += [
        replace(one, segment=one.segment + 100, task=f"t{one.segment}")
        for one in scored(low=LOW)
    ]
    [ranking] = rank_systems(answers)
    theirs = stats.mannwhitneyu(HIGH, LOW, alternative="greater", method="exact")
    assert "rank-sum" in ranking.test
    assert ranking.systems[0].p_next == pytest.approx(theirs.pvalue, abs=1e-9)


def test_holm_corrects_as_many_p_values_as_there_are_neighbours():
    answers = scored(high=HIGH, near=NEAR, low=LOW)
    [plain], [corrected] = (
        rank_systems(answers, RankingOptions(holm=holm)) for holm in (False, True)
    )
    low = [one.p_next for one in plain.systems[:2]]
    found = [one.p_next for one in corrected.systems[:2]]
    assert found == [pytest.approx(max(low[0], 2 * low[1])), pytest.approx(2 * low[1])]
    assert corrected.test.endswith("Holm")


def test_by_the_rule_of_all_a_chain_holds_systems_together():
    # The first beats the third but not the second, and the second not the third.
    steps = np.array([5, -4, 6, -5, 4, -3, 5, -4, 6, -5, 4, -3.0])
    a = 50 + np.arange(12.0)
    answers = scored(a=list(a), b=list(a - 1.2 + steps), c=list(a - 2.0))
    [ranking] = rank_systems(answers, RankingOptions(rule="all"))
    assert [one.cluster for one in ranking.systems] == [1, 1, 1]


def test_documents_are_resampled_whole_by_the_bootstrap():
    # Two segments a document, so 12 segments lie in 7 documents.
    answers = scored(high=HIGH, low=LOW)
    wishes = RankingOptions(by="document", test="bootstrap", least=5, trials=200)
    [ranking] = rank_systems(answers, wishes)
    assert ranking.test == "bootstrap of documents, one-sided"
    # No resample of a sure difference, moved to the mean 0, reaches it.
    assert ranking.systems[0].p_next == pytest.approx(1 / 201)
    [ranking] = rank_systems(answers, RankingOptions(by="document"))
    assert "7 documents" in ranking.too_little


def test_the_bootstrap_against_a_plain_twin():
    rng = np.random.default_rng(3)
    high, low = 52 + rng.normal(0, 5, 20), 50 + rng.normal(0, 5, 20)
    answers = scored(high=list(high), low=list(low))
    wishes = RankingOptions(test="bootstrap", trials=4000)
    [ranking] = rank_systems(answers, wishes)
    names = [one.mean.system for one in ranking.systems]
    gaps = (high - low) * (1 if names[0] == "high" else -1)
    drawn = rng.choice(gaps, (20000, 20)).mean(1)
    share = (drawn - drawn.mean() >= gaps.mean()).mean()
    assert ranking.systems[0].p_next == pytest.approx(share, abs=0.02)


def test_z_scores_even_out_strict_judges():
    # Bob is ten points milder; by his own scale both systems are as Ann sees them.
    answers = [
        made(name, at, judge, score + extra, name="da")
        for judge, extra in (("ann", 0.0), ("bob", 10.0))
        for name, scores in (("x", [40.0, 60.0]), ("y", [20.0, 40.0]))
        for at, score in enumerate(scores, 1)
    ]
    [ranking] = rank_systems(answers)
    # Scores 40, 60, 20, 40 have the mean 40 and the deviation √(800 / 3).
    unit = 10 / np.sqrt(800 / 3)
    assert [one.z for one in ranking.systems] == pytest.approx([unit, -unit])


def test_without_any_spread_there_is_no_z():
    [ranking] = rank_systems(scored(x=[5.0] * 3, y=[5.0] * 3))
    assert [one.z for one in ranking.systems] == [None, None]


def test_penalties_beyond_the_worst_still_count():
    place = {"side": "output", "start": 0, "end": 1, "category": "other"}

    def bad(count):
        return {"mqm": [place | {"severity": "major"}] * count}

    answers = [
        made(name, at, "ann", bad(count), name="mqm")
        for name, count in (("awful", 9), ("bad", 6))
        for at in range(1, 3)
    ]
    [ranking] = rank_systems(answers)
    assert [one.mean.system for one in ranking.systems] == ["bad", "awful"]
    assert [one.mean.hundred for one in ranking.systems] == [0.0, 0.0]


WRONG = [
    pytest.param(
        {"test": "t"}, "test='t' is not possible; expected wilcoxon", id="test"
    ),
    pytest.param({"rule": "r"}, "rule='r' is not possible; expected nei", id="rule"),
    pytest.param({"alpha": 1.0}, "alpha=1.0 is not possible", id="alpha"),
]


@pytest.mark.parametrize(("wish", "says"), WRONG)
def test_wishes_that_are_not_possible(wish, says):
    with pytest.raises(OptionError, match=says):
        rank_systems([], RankingOptions(**wish))


@given(
    st.lists(
        st.lists(st.integers(1, 5), min_size=12, max_size=12), min_size=2, max_size=4
    )
)
@settings(max_examples=20)
def test_clusters_never_rise_against_the_order(scores):
    answers = [
        made(f"s{at}", segment, "ann", score)
        for at, mine in enumerate(scores)
        for segment, score in enumerate(mine, 1)
    ]
    [ranking] = rank_systems(answers, RankingOptions(trials=10))
    clusters = [one.cluster for one in ranking.systems]
    assert clusters == sorted(clusters)
    means = [one.mean.native for one in ranking.systems]
    assert means == sorted(means, reverse=True)


def judge_crossed(lean, *, judges=6, segments=30):
    """Two systems as good as each other; the judges' leaning to the first differs."""
    rng = np.random.default_rng(1)
    leans = rng.normal(0, lean, judges)
    return [
        made(
            name,
            at,
            f"j{judge}",
            float(50 + side * leans[judge] + rng.normal()),
            name="da",
        )
        for judge in range(judges)
        for at in range(1, segments + 1)
        for side, name in ((1, "one"), (-1, "two"))
    ]


def test_judges_who_lean_to_a_system_are_drawn_too():
    """The judgements of a judge are not independent: p of segments alone is too small."""
    answers = judge_crossed(lean=1.5)
    options = RankingOptions(test="bootstrap", trials=400)
    [alone] = rank_systems(answers, options)
    [crossed] = rank_systems(answers, replace(options, by="crossed"))
    assert crossed.test == "bootstrap of segments and judges, one-sided"
    assert alone.systems[0].p_next == pytest.approx(1 / 401)
    assert crossed.systems[0].p_next > 0.05
    widths = [
        high - low
        for low, high in (
            ranking.systems[0].mean.native_interval for ranking in (alone, crossed)
        )
    ]
    assert widths[1] > 3 * widths[0]
    # What is drawn changes no mean.
    for one, other in zip(alone.systems, crossed.systems, strict=True):
        assert one.mean.native == pytest.approx(other.mean.native, rel=1e-12)


def test_ranks_of_judges_and_segments_together_are_no_test():
    with pytest.raises(OptionError, match="the bootstrap, which alone draws"):
        rank_systems(scored(a=HIGH, b=LOW), RankingOptions(by="crossed"))
