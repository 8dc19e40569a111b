"""Filters, blinding, and the summary: every number follows what is chosen."""

from dataclasses import replace

import pytest
from metra.campaign.ranking import RankingOptions, rank_systems
from tests.campaign.answers import made

from metra.campaign.creation import freeze_campaign
from metra.campaign.metric_scores import correlate_metrics
from metra.campaign.settings import Settings
from metra.campaign.summary import (
    JudgementFilter,
    SummaryOptions,
    assign_blind_names,
    blind_judgements,
    filter_judgements,
    summarise_judgements,
)
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError
from metra.meta.spans import agree_on_marks, compare_tags
from metra.metrics import registry
from metra.scores.spans import collect_spans

ANSWERS = [
    made(system, at, judge, 1 + (at + len(judge)) % 5)
    for system in ("one", "two")
    for at in range(1, 5)
    for judge in ("ann", "bo")
]


def test_each_wish_by_itself():
    assert filter_judgements(ANSWERS, JudgementFilter()) == ANSWERS
    mine = filter_judgements(ANSWERS, JudgementFilter(judges=frozenset({"ann"})))
    assert {one.judge for one in mine} == {"ann"}
    mine = filter_judgements(ANSWERS, JudgementFilter(systems=frozenset({"two"})))
    assert {one.systems for one in mine} == {("two",)}
    mine = filter_judgements(ANSWERS, JudgementFilter(documents=frozenset({"d1"})))
    assert {one.segment for one in mine} == {2, 3}
    again = made("one", 1, "ann", 3, "repeat")
    mine = filter_judgements(
        [*ANSWERS, again], JudgementFilter(kinds=frozenset({"repeat"}))
    )
    assert mine == [again]


def test_flagged_judges_are_told_from_all_answers():
    # Judged by this document alone, Bo would not be too fast.
    text = ("w " * 100,)
    hasty = [
        made(
            "one", at, "bo", 1 + at % 5, outputs=text, active_ms=9 if at < 3 else 99999
        )
        for at in range(1, 9)
    ]
    good = [made("one", at, "ann", 1 + at % 5, active_ms=99999) for at in range(1, 9)]
    choice = JudgementFilter(documents=frozenset({"d4"}), flagged="out")
    assert {one.judge for one in filter_judgements(hasty + good, choice)} == {"ann"}


def judge_two_systems(judge, good, bad, seconds):
    """Twelve answers of a judge about each of two systems, which cannot be read in 0 s."""
    return [
        made(
            *(system, at, judge, mean - at % 2),
            outputs=("words " * 20,),
            active_ms=round(1000 * seconds),
        )
        for system, mean in (("good", good), ("bad", bad))
        for at in range(1, 13)
    ]


CAREFUL = judge_two_systems("ann", 4, 3, 30) + judge_two_systems("bob", 4, 3, 30)
SPEEDER = judge_two_systems("eve", 2, 5, 0)


def test_a_flagged_judge_puts_no_system_on_top_in_silence():
    def order(ranking):
        return [(one.mean.system, one.mean.native) for one in ranking.systems]

    everybody = CAREFUL + [
        replace(one, judge=name, task=f"{name} {one.task}")
        for one in SPEEDER
        for name in ("eve", "eva", "ina")
    ]
    [without], [with_them] = rank_systems(CAREFUL), rank_systems(everybody)
    assert (order(without)[0][0], order(with_them)[0][0]) == ("good", "bad")
    found = summarise_judgements(everybody)
    assert found.flagged_judges == ["eva", "eve", "ina"]
    assert order(found.rankings[0]) == order(without)
    assert order(found.other_rankings["adequacy"]) == order(with_them)
    assert {row.judge for row in found.judges} == {"ann", "bob", "eva", "eve", "ina"}
    assert found.judgements == len(everybody)
    counting = SummaryOptions(JudgementFilter(flagged="count"))
    found = summarise_judgements(everybody, counting)
    assert order(found.rankings[0]) == order(with_them)
    assert order(found.other_rankings["adequacy"]) == order(without)
    left_out = SummaryOptions(JudgementFilter(flagged="out"))
    found = summarise_judgements(everybody, left_out)
    assert order(found.rankings[0]) == order(without)
    assert (found.other_rankings, found.judgements) == ({}, len(CAREFUL))
    assert {row.judge for row in found.judges} == {"ann", "bob"}


def test_flags_that_change_nothing():
    # Nobody is flagged, or nobody is left: then there is one figure only.
    found = summarise_judgements(CAREFUL)
    assert (found.flagged_judges, found.other_rankings) == ([], {})
    alone = summarise_judgements(SPEEDER)
    assert alone.flagged_judges == ["eve"]
    assert alone.other_rankings == {}
    assert alone.rankings == rank_systems(SPEEDER)


def test_tags_have_agreement_and_no_ranking():
    def tag(judge, segment, *places):
        tags = [{"start": a, "end": b, "type": kind} for a, b, kind in places]
        return made(
            *("reference", segment, judge, {"entity-tagging": {"tags": tags}}),
            name="entity-tagging",
            outputs=("Ann met Bob in Rome",),
        )

    ann, bob, rome = (0, 3, "person"), (8, 11, "person"), (15, 19, "location")
    wrong = (15, 19, "organisation")
    answers = [tag("x", 1, ann, bob, rome), tag("y", 1, ann, wrong), tag("x", 2)]
    assert not summarise_judgements(answers).rankings
    spans = collect_spans(answers)
    # Of 3 and 2 tags, one is at the same place with the same type, two at the same place.
    assert compare_tags(spans) == {("x", "y"): pytest.approx(100 * 2 / 5)}
    agreement = agree_on_marks(spans)
    overall = agreement.overall
    assert overall.values["exact", "F"] == pytest.approx(2 * 2 / 5)
    assert overall.values["characters", "F"] == pytest.approx(2 * 7 / (10 + 7))
    assert (overall.outputs, agreement.outputs) == (1, 1)


def test_orders_among_the_chosen_systems_remain():
    more = {"systems": ("x", "y", "z"), "outputs": ("a", "b", "c")}
    order = made("", 1, "ann", {"ranking": [3, 1, 2]}, name="ranking", **more)
    [left] = filter_judgements([order], JudgementFilter(systems=frozenset({"x", "z"})))
    assert (left.systems, left.outputs) == (("x", "z"), ("a", "c"))
    assert left.value == {"ranking": [2, 1]}
    assert filter_judgements([order], JudgementFilter(systems=frozenset({"x"}))) == []


def test_every_number_follows_the_choice():
    quick = RankingOptions(trials=20)
    mine = [one for one in ANSWERS if one.judge == "ann"]
    wishes = SummaryOptions(JudgementFilter(judges=frozenset({"ann"})), quick)
    through_filter, alone = (
        summarise_judgements(ANSWERS, wishes),
        summarise_judgements(mine, SummaryOptions(ranking=quick)),
    )
    assert (through_filter.judgements, through_filter.of) == (8, 16)
    assert through_filter.rankings == alone.rankings
    assert through_filter.judges == alone.judges
    assert through_filter.judge_by_system == alone.judge_by_system
    assert through_filter.agreement == alone.agreement == []
    assert summarise_judgements([]).rankings == []


def test_blind_names_say_nothing_and_stay():
    names = assign_blind_names(["b", "a", "c"], b"1" * 16)
    assert names == assign_blind_names(["c", "b", "a"], b"1" * 16)
    assert set(names.values()) == {"System 1", "System 2", "System 3"}
    orders = {
        tuple(assign_blind_names("abc", bytes([at]) * 16).items()) for at in range(40)
    }
    assert len({dict(order)["a"] for order in orders}) == 3
    [one] = blind_judgements(ANSWERS[:1], {"one": "System 2"})
    assert one.systems == ("System 2",)


def test_metrics_are_held_against_people():
    count = 12
    good, bad = [f"the cat sat {at}" for at in range(count)], ["a dog"] * count
    fair = [f"the cat {at} ran" for at in range(count)]
    wished = Settings("c", "da", "fr", "en", tuple("abcdef"), calibration=0)
    evalset = EvalSet([list(good)], ["src"] * count)
    texts = {"good": good, "fair": fair, "bad": bad}
    frozen = freeze_campaign(wished, Outputs(evalset, texts))
    worth = {"good": 90.0, "fair": 60.0, "bad": 10.0}
    answers = [
        made(name, at, "ann", score, name="da")
        for name, score in worth.items()
        for at in range(1, count + 1)
    ]
    measures = {"chrf": registry.metric("chrf")}
    [found] = correlate_metrics(frozen, answers, measures)
    assert (found.scorer, found.metric, found.systems) == ("da", "chrf", 3)
    assert found.outputs == 3 * count
    assert found.by_system > 0.9
    assert found.by_segment > 0.9
    assert found.pairs == 1.0
    names = assign_blind_names(list(worth), b"2" * 16)
    [masked] = correlate_metrics(
        frozen, blind_judgements(answers, names), measures, names=names
    )
    assert masked == found
    two = [one for one in answers if one.systems != ("bad",)]
    assert correlate_metrics(frozen, two, measures)[0].by_system is None
    assert correlate_metrics(frozen, [], measures) == []
    bare = freeze_campaign(wished, Outputs(EvalSet(None, ["src"] * count), texts))
    with pytest.raises(CorpusError, match="has no references for the metrics"):
        correlate_metrics(bare, answers, measures)
