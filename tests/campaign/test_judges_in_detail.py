"""Judges: drift, haste, flags, judge by system, agreement, times."""

import re
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metra.campaign.judges import (
    FlagRules,
    build_judge_table,
    compute_drifts,
    flag_judges,
)
from metra.campaign.ranking import JudgeSystemMean, RankingOptions
from metra.campaign.times import build_time_table, count_early_answers
from tests.campaign.answers import made

from metra.campaign.agreement import compute_agreement, count_differences
from metra.campaign.metric_scores import build_table_from_scores
from metra.campaign.monitoring import compute_status
from metra.campaign.results import group_by_scorer
from metra.campaign.summary import SummaryOptions, summarise_judgements
from metra.report.pictures.campaign import draw_judge_times, draw_times
from metra.scores.views import collect_ratings
from metra.stats.judge_agreement import agree


def timed(scores, judge="ann", system="s", first=1):
    return [
        made(system, at, judge, float(score), name="da", submitted_at=float(at))
        for at, score in enumerate(scores, first)
    ]


def test_drift_is_the_second_half_less_the_first():
    found = compute_drifts(group_by_scorer(timed([10, 20, 10, 20, 50, 60, 50, 60])))
    assert found["ann", "da"].change == 40.0
    assert found["ann", "da"].p_value == pytest.approx(2 / 70)  # both sides


def test_better_systems_later_are_no_drift():
    answers = timed([10, 20, 10, 20]) + timed([80, 90, 80, 90], system="t", first=5)
    assert compute_drifts(group_by_scorer(answers))["ann", "da"].change == 0.0


def test_the_order_is_that_of_time():
    answers = timed([10, 20, 10, 20, 50, 60, 50, 60])
    assert compute_drifts(group_by_scorer(reversed(answers))) == compute_drifts(
        group_by_scorer(answers)
    )


def test_too_few_answers_or_no_times_say_nothing():
    assert compute_drifts(group_by_scorer(timed([1, 2, 3, 4, 5, 6, 7]))) == {}
    assert (
        compute_drifts(
            group_by_scorer([made("s", at, "ann", 3) for at in range(1, 20)])
        )
        == {}
    )


def test_haste_is_less_time_than_reading_takes():
    # 20 words at 600 a minute take two seconds.
    slow, fast, unknown = (
        made("s", 1, "ann", 3, outputs=("w " * 20,), active_ms=ms)
        for ms in (2000, 1999, None)
    )
    assert count_early_answers([slow])["ann"].too_fast == 0
    assert count_early_answers([fast])["ann"].too_fast == 1
    found = count_early_answers([slow, fast, unknown])["ann"]
    assert (found.timed, found.too_fast, found.share) == (2, 1, 0.5)
    assert count_early_answers([unknown])["ann"].share is None
    assert count_early_answers([fast], 700)["ann"].too_fast == 0


def test_flags_say_why():
    text = ("w " * 20,)
    hasty = [
        made(
            "s",
            at,
            "hasty",
            1 + at % 5,
            outputs=text,
            active_ms=100 if at < 3 else 9000,
        )
        for at in range(1, 11)
    ]
    blind = [
        made("s", at, "blind", 3 + at % 2, active_ms=9000) for at in range(1, 7)
    ] + [
        made("s", at, "blind", 4, "degraded", original=f"blind s {at} judged")
        for at in range(1, 7)
    ]
    same = [made("s", at, "same", 5) for at in range(1, 7)]
    good = [made("s", at, "good", 1 + at % 5, active_ms=9000) for at in range(1, 7)]
    found = flag_judges(build_judge_table(hasty + blind + same + good))
    assert found["hasty"] == ["2 of 10 answers faster than 600 words per minute"]
    assert found["blind"] == ["scored 0 of 6 degraded items lower (p = 1.00)"]
    assert found["same"] == ["always gives the same score (100 of 100)"]
    assert found["good"] == []
    lenient = flag_judges(build_judge_table(hasty + good), FlagRules(too_fast=0.2))
    assert lenient == {"hasty": [], "good": []}


def test_repeats_far_apart_are_a_flag():
    first = [made("s", at, "ann", 1 + at % 2) for at in range(1, 7)]
    again = [
        made("s", at, "ann", 5, "repeat", original=f"ann s {at} judged")
        for at in range(1, 7)
    ]
    assert flag_judges(build_judge_table(first + again))["ann"] == [
        "repeats differ by 88 of 100 points on average"
    ]


def test_judge_by_system_by_hand():
    answers = [
        made("one", 1, "ann", 5),
        made("one", 2, "ann", 3),
        made("two", 1, "bob", 1),
        made("two", 1, "bob", 5, "repeat"),
    ]
    [found] = summarise_judgements(answers).judge_by_system
    assert (found.judges, found.systems) == (("ann", "bob"), ("one", "two"))
    assert found.cells == {
        ("ann", "one"): JudgeSystemMean(2, 4.0, 75.0),
        ("bob", "two"): JudgeSystemMean(1, 1.0, 0.0),
    }


def two_judges():
    """Ann and Bob on five outputs: equal, equal, 1, 2 and 1 apart."""
    pairs = [(5, 5), (1, 1), (4, 3), (2, 4), (3, 4)]
    return [
        made("s", at, judge, score, "calibration" if at == 1 else "judged")
        for at, both in enumerate(pairs, 1)
        for judge, score in zip(("ann", "bob"), both, strict=True)
    ]


def test_agreement_is_what_meta_evaluation_computes():
    answers = two_judges()
    options = SummaryOptions(ranking=RankingOptions(trials=50))
    [found] = summarise_judgements(answers, options).agreement
    assert found.coefficients[0].interval is None  # five outputs are too few
    scores = build_table_from_scores(group_by_scorer(answers))
    theirs = agree(collect_ratings(scores, "adequacy"), trials=50)
    told = {one.name: one.value for one in found.coefficients}
    assert (found.scorer, found.outputs, found.comparisons) == ("adequacy", 5, 5)
    assert told["equal"] == 0.4
    assert told["within 1"] == 0.8
    assert told["Krippendorff's alpha, ordinal"] == theirs.values["alpha ordinal"]
    assert told["Krippendorff's alpha, interval"] == theirs.values["alpha interval"]
    assert told["Cohen's kappa, quadratic"] == theirs.values["mean quadratic"]
    assert found.differences == ((0.0, 0.4), (1.0, 0.8), (2.0, 1.0))
    [pair] = found.pairs
    assert (pair.first, pair.second, pair.n) == ("ann", "bob", 5)
    # The same again for another system: as many segments as before, which are drawn.
    more = [replace(one, systems=(name,), task=f"{name} {one.task}")
            for one in answers for name in ("s", "t")]  # fmt: skip
    [found] = summarise_judgements(more, options).agreement
    assert (found.outputs, found.coefficients[0].interval) == (10, None)
    # And for other segments: enough for intervals.
    more += [replace(one, segment=one.segment + 10, task=f"again {one.task}")
             for one in more]  # fmt: skip
    [found] = summarise_judgements(more, options).agreement
    scores = build_table_from_scores(group_by_scorer(more))
    theirs = agree(collect_ratings(scores, "adequacy"), trials=50)
    intervals = {one.name: one.interval for one in found.coefficients}
    assert intervals["equal"] == theirs.intervals["exact"]
    alpha = intervals["Krippendorff's alpha, ordinal"]
    assert alpha == theirs.intervals["alpha ordinal"]
    kappa = intervals["Cohen's kappa, linear"]
    assert kappa == theirs.intervals["mean linear"]


def test_checks_are_no_second_opinion_and_lone_judges_no_agreement():
    again = [made("s", 2, "ann", 5, "repeat"), made("s", 2, "bob", 5, "degraded")]
    [plain], [more] = (
        compute_status(answers).agreement
        for answers in (two_judges(), two_judges() + again)
    )
    assert more.coefficients == plain.coefficients
    assert more.comparisons == 5
    assert compute_status([made("s", 1, "ann", 3)]).agreement == []
    assert compute_status([]).agreement == []


DIFFERENCES = [
    pytest.param([0.0, 0.0], ((0.0, 1.0),), id="all equal"),
    pytest.param(
        [0.0, 40.0, 100.0, 100.0],
        (
            (0.0, 0.25),
            (20.0, 0.25),
            (40.0, 0.5),
            (60.0, 0.5),
            (80.0, 0.5),
            (100.0, 1.0),
        ),
        id="a scale to a hundred",
    ),
    pytest.param(
        [2.0, 9.0],
        ((0.0, 0.0), (2.0, 0.5), (4.0, 0.5), (6.0, 0.5), (8.0, 0.5), (10.0, 1.0)),
        id="steps of two",
    ),
]


@pytest.mark.parametrize(("gaps", "expected"), DIFFERENCES)
def test_differences(gaps, expected):
    assert count_differences(gaps) == expected


@pytest.mark.parametrize(
    ("widest", "step"),
    [
        (5, 1),
        (5.5, 2),
        (10, 2),
        (11, 5),
        (25, 5),
        (26, 10),
        (51, 20),
        (100, 20),
        (101, 50),
    ],
)
def test_limits_are_round_steps(widest, step):
    limits = [limit for limit, _ in count_differences([0.0, widest])]
    assert limits == [step * at for at in range(len(limits))]
    assert limits[-2] < widest <= limits[-1] <= 5 * step


@given(st.lists(st.floats(0, 1000), min_size=1))
def test_differences_rise_to_one(gaps):
    shares = [share for _, share in count_differences(gaps)]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_times_by_hand():
    answers = [
        made("s", at, "ann" if at % 2 else "bob", 3, active_ms=1000 * at)
        for at in range(1, 6)
    ]
    found = build_time_table([*answers, made("s", 9, "cleo", 3)])
    assert (found.all.answers, found.all.total, found.all.median) == (5, 15.0, 3.0)
    assert [one.judge for one in found.judges] == ["ann", "bob"]
    ann = found.judges[0]
    assert (ann.least, ann.lower, ann.median, ann.upper, ann.most) == (1, 2, 3, 4, 5)
    # Twenty bars; the last one, up to 4.8 seconds, holds what is longer.
    assert found.edges == pytest.approx([0.24 * at for at in range(21)])
    expected = [0] * 20
    for bar in (1.0 / 0.24, 2.0 / 0.24, 3.0 / 0.24, 4.0 / 0.24, 19):
        expected[int(bar)] += 1
    assert list(found.all.counts) == expected
    assert build_time_table([made("s", 9, "cleo", 3)]) is None


def test_judges_of_two_outputs_agree_on_comparisons():
    """One answer about two outputs is one judgement, whatever the order on the screen."""

    def compare(segment, judge, systems, ranks):
        more = {"systems": systems, "outputs": ("a", "b"), "name": "pairwise"}
        return made("", segment, judge, {"pairwise": ranks}, **more)

    answers = [
        compare(1, "ann", ("x", "y"), [1, 2]),
        compare(1, "bob", ("y", "x"), [2, 1]),  # the same, turned
        compare(1, "ann", ("x", "z"), [1, 2]),  # x again, beside another
        compare(1, "bob", ("x", "z"), [1, 1]),
        compare(2, "ann", ("x", "y"), [1, 1]),
        compare(2, "bob", ("x", "y"), [2, 1]),
        compare(3, "ann", ("x", "y"), [1, 2]),  # by one judge only
    ]
    (agreement,) = compute_agreement(group_by_scorer(answers), trials=0)
    equal = next(one for one in agreement.coefficients if one.name == "equal")
    assert (agreement.unit, agreement.outputs, agreement.comparisons) == (
        "comparisons",
        3,
        3,
    )
    assert equal.value == pytest.approx(1 / 3)


def test_judges_of_orders_agree_on_each_two_outputs():
    """An order of several outputs compares each two of them, as a plain count has it."""
    systems = ("z", "x", "w", "y")
    orders = {
        (1, "ann"): [1, 2, 2, 3],
        (1, "bob"): [2, 1, 3, 3],
        (1, "cleo"): [1, 1, 1, 1],
        (2, "ann"): [4, 3, 2, 1],
        (2, "bob"): [4, 2, 3, 1],
        (3, "ann"): [1, 2, 3, 4],  # by one judge only
    }
    answers = [
        made(
            "",
            segment,
            judge,
            {"ranking": ranks},
            systems=systems,
            outputs=("a", "b", "c", "d"),
            name="ranking",
        )
        for (segment, judge), ranks in orders.items()
    ]
    (agreement,) = compute_agreement(group_by_scorer(answers), trials=50)
    said = {}
    for (segment, _), ranks in orders.items():
        for i, j in combinations(range(4), 2):
            sign = (ranks[i] > ranks[j]) - (ranks[i] < ranks[j])
            said.setdefault((segment, i, j), []).append(sign)
    pairs = [two for each in said.values() for two in combinations(each, 2)]
    equal = sum(a == b for a, b in pairs) / len(pairs)
    values = [value for each in said.values() for value in each]
    ties = values.count(0) / len(values)
    chance = ties**2 + 2 * ((1 - ties) / 2) ** 2
    found = {one.name: one for one in agreement.coefficients}
    assert (agreement.unit, agreement.outputs, agreement.comparisons) == (
        "comparisons",
        12,
        len(pairs),
    )
    assert found["equal"].value == pytest.approx(equal)
    kappa = found["kappa of comparisons (WMT)"]
    assert kappa.value == pytest.approx((equal - chance) / (1 - chance))
    # Two segments are drawn, which are too few for an interval.
    assert kappa.interval is None


def test_a_choice_of_the_best_puts_nothing_else_in_order():
    answers = [
        made(
            "",
            1,
            judge,
            {"gold": {"chosen": chosen, "of": 3}},
            systems=("x", "y", "z"),
            outputs=("a", "b", "c"),
            name="gold-standard",
        )
        for judge, chosen in (("ann", 1), ("bob", 2))
    ]
    (agreement,) = compute_agreement(group_by_scorer(answers), trials=0)
    # Of two judges who choose different outputs, both say of the third that it is not best.
    assert (agreement.unit, agreement.outputs) == ("outputs", 3)
    equal = next(one for one in agreement.coefficients if one.name == "equal")
    assert equal.value == pytest.approx(1 / 3)


def test_pictures_say_where_long_times_are_cut():
    def draw(times):
        answers = [
            made("s", at, "ann", 3, active_ms=1000 * time)
            for at, time in enumerate(times)
        ]
        table = build_time_table(answers)
        return table.is_cut, str(draw_times(table)), str(draw_judge_times(table))

    cut, all_times, by_judge = draw([*range(1, 40), 5000])
    assert cut
    assert "s or more)" in all_times
    assert "to 5000 s" in all_times
    assert "are drawn at the right end)" in by_judge
    assert "longest 5000 s" in by_judge
    x_ends = [float(x) for x in re.findall(r'x2="([\d.]+)"', by_judge)]
    wide = float(re.search(r'viewBox="0 0 ([\d.]+)', by_judge)[1])
    assert max(x_ends) <= wide
    cut, all_times, by_judge = draw([7] * 5)
    assert not cut
    assert "or more" not in all_times
    assert "right end" not in by_judge


@pytest.mark.parametrize(
    "text", ["a b c d", "abcdefghij klm", "x", "", "これは空白のない日本語です。"]
)
def test_early_answers_are_those_that_nobody_can_have_read(text):
    """As the plain rule says: below the time that the words take at the fastest speed."""
    words = max(len(text.split()), len(text) / 10)
    for milliseconds in range(0, 800, 7):
        [speed] = count_early_answers(
            [made("s", 1, "ann", 3, outputs=(text, text), active_ms=milliseconds)], 600
        ).values()
        assert speed.too_fast == (milliseconds / 1000 < 60 * 2 * words / 600)
