"""People beside metrics: correlations on the outputs that count, and tables of means."""

import numpy as np
import pytest
from scipy import stats
from tests.campaign.answers import made, table_of

from metra.campaign.creation import freeze_campaign
from metra.campaign.judgement import assign_blind_names, blind_judgements
from metra.campaign.measurements import score_campaign
from metra.campaign.settings import Settings
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError
from metra.meta.correlate import build_gold_panel, correlate_people
from metra.meta.spans import agree_on_marks, compare_tags
from metra.metrics import registry
from metra.scores.selection import DEFAULT, Selection, select_judgements
from metra.scores.spans import collect_spans
from metra.scores.table import (
    ScoredItem,
    Scorer,
    build_score_table,
    concatenate_scores,
)
from metra.stats.direction import LOWER

COUNT = 12
GOOD = [f"the cat sat {at}" for at in range(COUNT)]
FAIR = [f"the cat {at} ran" for at in range(COUNT)]
BAD = ["a dog"] * COUNT
TEXTS = {"good": GOOD, "fair": FAIR, "bad": BAD}
QUALITY = {"good": 90.0, "fair": 60.0, "bad": 10.0}
SETTINGS = Settings("c", "da", "fr", "en", tuple("abcdef"), calibration=0)
FROZEN = freeze_campaign(
    SETTINGS, Outputs(EvalSet([list(GOOD)], ["src"] * COUNT), TEXTS)
)
ANSWERS = [
    made(name, at, "ann", score, name="da")
    for name, score in QUALITY.items()
    for at in range(1, COUNT + 1)
]
METRICS = {"chrf": registry.metric("chrf")}


def correlate(answers, selection=DEFAULT, names=None):
    automatic, statistics = score_campaign(FROZEN, METRICS, names or {})
    return correlate_people(table_of(answers), selection, automatic, statistics)


def test_metrics_are_held_against_people():
    [row] = correlate(ANSWERS)
    assert (row.scorer, row.metric, row.systems) == ("da", "chrf", 3)
    assert row.outputs == 3 * COUNT
    assert row.by_system > 0.9
    assert row.by_segment > 0.9
    assert row.pairs == 1.0
    two = [one for one in ANSWERS if one.systems != ("bad",)]
    # Two systems always lie on a line.
    assert correlate(two)[0].by_system is None
    assert correlate([]) == []


def test_hidden_names_change_no_figure():
    names = assign_blind_names(list(QUALITY), b"2" * 16)
    assert set(names.values()) != set(names)
    assert correlate(blind_judgements(ANSWERS, names), names=names) == (
        correlate(ANSWERS)
    )


def test_metrics_need_references():
    evalset = EvalSet(None, ["src"] * COUNT)
    bare = freeze_campaign(SETTINGS, Outputs(evalset, TEXTS))
    with pytest.raises(CorpusError, match="has no references for the metrics"):
        score_campaign(bare, METRICS, {})


def build_metric(values, *, systems="xyz", name="m", **about):
    """A table of a metric: systems × segments."""
    width = len(values[0])
    return build_score_table(
        [system for system in systems for _ in range(width)],
        [ScoredItem(str(at + 1), lang="fr-en") for _ in systems for at in range(width)],
        {Scorer(name, "metric", **about): np.ravel(values)},
    )


def judge(values, name="da", judge="ann", **more):
    """Answers of a judge: systems × segments."""
    return [
        made(system, at, judge, float(score), name=name, document="", **more)
        for system, row in zip("xyz", values, strict=True)
        for at, score in enumerate(row, 1)
    ]


RNG = np.random.default_rng(7)
PEOPLE = RNG.integers(0, 100, (3, 8)).astype(float)
SCORES = PEOPLE + RNG.normal(0, 30, (3, 8))


def test_figures_are_those_of_scipy():
    [row] = correlate_people(table_of(judge(PEOPLE)), DEFAULT, build_metric(SCORES))
    assert row.by_segment == pytest.approx(
        stats.pearsonr(PEOPLE.ravel(), SCORES.ravel()).statistic
    )
    means = PEOPLE.mean(1), SCORES.mean(1)
    assert row.by_system == pytest.approx(stats.pearsonr(*means).statistic)
    same = [
        np.sign(PEOPLE[a, at] - PEOPLE[b, at]) == np.sign(SCORES[a, at] - SCORES[b, at])
        for at in range(8)
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    assert row.pairs == pytest.approx(np.mean(same))


def test_lower_values_that_are_better_agree_with_higher_ones():
    scores = table_of(judge(PEOPLE))
    [plain] = correlate_people(scores, DEFAULT, build_metric(SCORES))
    [turned] = correlate_people(
        scores, DEFAULT, build_metric(100 - SCORES, direction=LOWER)
    )
    for name in ("by_system", "by_segment", "pairs"):
        assert getattr(turned, name) == pytest.approx(getattr(plain, name))


def test_only_rows_that_count_are_correlated():
    """A flagged judge and checks change nothing, unless they count."""
    # Eve says the same of every output of one system.
    eve = [one for one in judge(np.zeros((3, 8)), judge="eve") if one.systems == ("x",)]
    checks = judge(100 - PEOPLE, judge="ann", kind="degraded", task="check")
    metric = build_metric(SCORES)
    plain = correlate_people(table_of(judge(PEOPLE)), DEFAULT, metric)
    scores = table_of(judge(PEOPLE) + eve + checks)
    assert list(scores.flags) == ["eve"]
    assert correlate_people(scores, DEFAULT, metric) == plain
    [counted] = correlate_people(scores, Selection(flagged="count"), metric)
    halved = np.concatenate([PEOPLE[:1] / 2, PEOPLE[1:]])
    assert counted.by_segment == pytest.approx(
        stats.pearsonr(halved.ravel(), SCORES.ravel()).statistic
    )
    [some] = correlate_people(scores, Selection(systems=frozenset("xy")), metric)
    assert (some.systems, some.outputs, some.by_system) == (2, 16, None)


def test_people_who_judge_documents_are_compared_by_document():
    key = {"expected": [["who", "Ann"], ["where", "Rome"]]}

    def fill(system, segment, *given):
        filled = [
            [slot, word] for slot, word in zip(("who", "where"), given, strict=True)
        ]
        value = {"template": {"filled": filled, "key": key}}
        about = {"name": "templates", "document": f"d{segment}"}
        return made(system, segment, "ann", value, **about)

    answers = [
        fill("x", 1, "Ann", "Rome"),
        fill("x", 2, "Ann", "Rome"),
        fill("y", 1, "Ann", "Paris"),
        fill("y", 2, "Ann", "Rome"),
        fill("z", 1, "Bob", "Paris"),
        fill("z", 2, "Bob", "Rome"),
    ]
    scores = DEFAULT.select(table_of(answers))
    items = [
        ScoredItem(f"{document}-{at}", f"d{document}", lang="fr-en")
        for document in (1, 2)
        for at in (1, 2)
    ]
    metric = build_score_table(
        [system for system in "xyz" for _ in items],
        items * 3,
        {Scorer("m", "metric"): [9, 7, 9, 7, 5, 3, 8, 8, 1, 1, 4, 6]},
    )
    gold = scores.names[0]
    panel = build_gold_panel(concatenate_scores([scores, metric]), gold, ["m"])
    # The mean of the segments of a document stands beside people's score of it.
    np.testing.assert_array_equal(panel.metrics["m"], [[8, 8], [4, 8], [1, 5]])
    rows = correlate_people(table_of(answers), DEFAULT, metric)
    assert {row.outputs for row in rows} == {6}


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
    scores = table_of(answers)
    assert DEFAULT.select(scores).names == []
    spans = collect_spans(select_judgements(answers, scores, DEFAULT))
    # Of 3 and 2 tags, one is at the same place with the same type, two at the same place.
    assert compare_tags(spans) == {("x", "y"): pytest.approx(100 * 2 / 5)}
    agreement = agree_on_marks(spans)
    overall = agreement.overall
    assert overall.values["exact", "F"] == pytest.approx(2 * 2 / 5)
    assert overall.values["characters", "F"] == pytest.approx(2 * 7 / (10 + 7))
    assert (overall.outputs, agreement.outputs) == (1, 1)
