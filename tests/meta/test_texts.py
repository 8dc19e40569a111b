"""Scores of texts: which rows count, means of judges, and texts without a score."""

from dataclasses import replace

import pytest
from tests.campaign.campaigns import answered, opened
from tests.meta.evaluators import build_results, given

from metra.campaign.judgement import build_campaign_scores
from metra.meta.exercise import describe_tables, run_exercise
from metra.meta.measures import average_texts, list_rows, select_texts, tabulate_texts
from metra.scores.selection import Selection
from metra.scores.table import ScoredItem, Scorer, build_score_table

FLAGS = {"zoe": ["always the same"]}


@pytest.fixture(scope="module")
def judgements():
    """Clarity of 3 by everybody but zoe, who gives 0 to everything."""
    campaign = opened(
        "clarity", judges=["ann", "zoe"], each=2, complete=True, repeats=0, degraded=0
    )
    return answered(campaign, lambda task, _: {"clarity": 3 * (task.judge != "zoe")})


def test_flagged_judges_are_set_apart(judgements):
    scores = build_campaign_scores(judgements, FLAGS)
    rows = tabulate_texts(scores)
    assert {row[3] for row in rows} == {"ann", ""}
    assert {row[5] for row in rows} == {100}
    counted = tabulate_texts(scores, Selection(flagged="count"))
    assert {row[3]: row[5] for row in counted} == {"ann": 100, "zoe": 0, "": 50}


def test_judges_who_are_all_flagged_count(judgements):
    scores = build_campaign_scores(judgements, FLAGS | {"ann": ["too fast"]})
    assert {row[3] for row in tabulate_texts(scores)} == {"ann", "zoe", ""}


def test_the_exercise_counts_the_same_judges(judgements):
    scores = build_campaign_scores(judgements, FLAGS)
    study = run_exercise({"": scores})
    assert study.evaluators == ["ann"]
    assert study.selection.endswith("flagged judges set apart: zoe")
    both = run_exercise({"": scores}, Selection(flagged="count"))
    assert both.evaluators == ["ann", "zoe"]


def test_flags_are_those_of_one_campaign(judgements):
    """A judge whom one campaign flags counts in another."""
    others = [replace(one, document=f"other {one.document}") for one in judgements]
    tables = {
        "first": build_campaign_scores(judgements, FLAGS),
        "second": build_campaign_scores(others),
    }
    texts = {
        row[2] for row in list_rows(run_exercise(tables).scores) if row[1] == "zoe"
    }
    assert texts == {"other trip", "other brake"}


def test_tables_are_described_together_and_campaigns_one_by_one(judgements):
    scores = given("bleu", "eve", [1, 2])
    tables = {
        "one.tsv": build_results(scores),
        "two.tsv": build_results(given("bleu", "bob", [3])),
        "clear": build_campaign_scores(judgements, FLAGS),
    }
    words = "6 answers of 1 judge; flagged judges set apart: zoe"
    expected = f"clear: {words} / 3 scores of 2 judges"
    assert describe_tables(tables, Selection()) == expected


def test_the_mean_of_judges_is_that_of_segments():
    """Two judges share a segment, whose mean is 50 though one judged it twice."""
    items = [*[ScoredItem("1", "d")] * 3, ScoredItem("2", "d")]
    values = {Scorer("da", "da"): [0.0, 0.0, 100.0, 90.0]}
    scores = build_score_table(["a"] * 4, items, values, ["ann", "ann", "bob", "ann"])
    rows = {row[3]: (row[4], row[6]) for row in tabulate_texts(scores)}
    assert rows == {"ann": (2, 45), "bob": (1, 100), "": (2, 70)}


def test_a_text_without_any_score_has_its_reasons(judgements):
    texts, items = average_texts(
        build_results(
            [
                *given("H6", "ann", [1.0], text="one", hundred=1.0),
                *given("H6", "bob", [float("nan")], text="one", reason="late"),
            ]
        )
    )
    assert [(row[1], row[6]) for row in list_rows(texts)] == [
        ("ann", ""),
        ("bob", "late"),
    ]
    assert items.tolist() == [1, 1]
    skipped = [replace(one, cannot="no time", value={}) for one in judgements[:1]]
    scores = build_campaign_scores([*skipped, *judgements[1:]])
    assert len(select_texts(scores)) == len(judgements) - 1


def test_missing_scores_of_flagged_judges_are_set_apart():
    rows = [
        *given("H6", "ann", [1.0], hundred=1.0),
        *given("H6", "zoe", [float("nan")], reason="late"),
    ]
    scores = replace(build_results(rows), flags={"zoe": ("too fast",)})
    assert len(select_texts(scores)) == 1
    assert len(select_texts(scores, Selection(flagged="count"))) == 2


def test_values_that_files_have_mapped_say_nothing_of_their_direction():
    """A table of results and an export of the same error rate go together."""
    results = build_results(given("hter", "ann", [90, 80], hundred=90.0))
    export = build_results(
        given("hter", "bob", [10, 20], hundred=90.0, higher_is_better=False)
    )
    study = run_exercise({"results.tsv": results, "export.jsonl": export})
    assert [one.mean for one in study.evaluations] == [90, 90]
