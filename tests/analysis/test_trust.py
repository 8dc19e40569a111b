"""Judgements beside outputs: what a report can say about trust, and why it may not."""

import numpy as np
import pytest
from tests.panels import score_rows

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.meta import people
from metra.report.study import build_study
from metra.scores.table import Scorer
from metra.scoring.evaluate import make_metrics
from metra.stats.correlation import correlate

REFS = [f"the cat number {at} sat on the mat at noon" for at in range(12)]
OUTPUTS = {
    "good": REFS,
    "fair": [ref.replace("sat", "was") for ref in REFS],
    "poor": [ref.replace("the", "a").replace("at noon", "") for ref in REFS],
    "bad": ["no idea what this is about"] * 12,
}
WORTH = {"good": 9, "fair": 7, "poor": 4, "bad": 1}


PEOPLE = Scorer("", "human")


def judged(*judges, systems=WORTH, spread=1):
    rows = [
        (system, at, judge, WORTH[system] + spread * ((at + n) % 3))
        for n, judge in enumerate(judges)
        for system in systems
        for at in range(1, 13)
    ]
    return score_rows(rows, PEOPLE)


def trusted(judgements, outputs=OUTPUTS, metrics=("bleu", "ter")):
    corpus = Outputs(EvalSet([REFS]), outputs)
    return build_study(
        corpus, make_metrics(metrics), judgements=judgements
    ).people.trust


def test_lines_are_fitted_through_the_systems():
    corpus = Outputs(EvalSet([REFS]), OUTPUTS)
    metrics = make_metrics(["bleu", "ter"])
    study = build_study(corpus, metrics, judgements=judged("ann", "bob"))
    fits = study.people.lines
    assert list(fits) == ["bleu", "ter"]
    assert fits["bleu"].slope > 0 > fits["ter"].slope


def test_everything_is_there_where_two_judges_judged_all():
    found = trusted(judged("ann", "bob"))
    assert [spec.level for spec, _ in found.agreement.pairs] == ["sys", "seg"]
    by_level = {spec.level: by_metric for spec, by_metric in found.agreement.pairs}
    assert all(each.interval is not None for each in by_level["seg"].values())
    # Fewer than five systems say too little.
    assert all(each.interval is None for each in by_level["sys"].values())
    for _, by_metric in found.agreement.pairs:
        assert by_metric["bleu"].value > 0
        assert by_metric["ter"].value > 0, "oriented: lower TER is better"
    assert len(found.comparison.names) == 2
    assert found.curve.lengths == [1, 2, 5, 10, 12]
    assert list(found.curve.by_name) == ["bleu", "ter"]
    assert len(found.curve.judge_mean()) == 5
    assert len(found.judges.plot.given) == 48
    assert found.judges.values["exact"] == 0
    assert found.notes == []


def test_the_curve_is_that_of_meta_evaluation():
    # Both judges rank the systems alike, on scales far apart.
    rows = [
        (system, at, judge, worth + base)
        for judge, base in (("ann", 0), ("bob", 50))
        for system, worth in WORTH.items()
        for at in range(1, 13)
    ]
    curve = trusted(score_rows(rows, PEOPLE)).curve
    assert curve.judges_by == "segment"
    assert curve.judge_mean() == pytest.approx([1] * 5)
    unsigned = [(system, at, "", value) for system, at, _, value in rows]
    nameless = trusted(score_rows(unsigned, PEOPLE)).curve
    assert nameless.judges_by == "cell"
    assert nameless.judge_mean()[0] < 0


def test_agreement_is_that_of_meta_evaluation():
    found = trusted(judged("ann"))
    [(_, systems), _] = found.agreement.pairs
    gold = [WORTH[name] + 1 for name in OUTPUTS]
    results = build_study(
        Outputs(EvalSet([REFS]), OUTPUTS), make_metrics(["bleu"])
    ).results
    scores = [results[name]["bleu"].score for name in OUTPUTS]
    assert systems["bleu"].value == pytest.approx(correlate(gold, scores).value)


LACKING = [
    pytest.param(judged("ann"), "No unit was judged by two judges", id="one judge"),
    pytest.param(judged(""), "48 of 48 judgements have no judge", id="no names"),
    pytest.param(
        judged("ann", "bob", systems=["good", "bad"]), "at least three systems; found 2",
        id="two systems",
    ),
    pytest.param(
        score_rows([("good", 1, "ann", 3.0)], PEOPLE), "Only 1 value is shared", id="one value"
    ),
    pytest.param(
        score_rows([(s, at, j, 3.0) for s in WORTH for at in (1, 2) for j in "ab"], PEOPLE),
        "a constant has no correlation", id="all the same",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("judgements", "note"), LACKING)
def test_what_is_not_there_is_explained(judgements, note):
    found = trusted(judgements)
    assert any(note in said for said in found.notes), found.notes
    if found.curve is not None:
        assert np.isfinite(
            [found.curve.mean(name) for name in found.curve.by_name]
        ).any()


def test_of_many_points_some_are_drawn(monkeypatch):
    monkeypatch.setattr(people, "MOST_POINTS", 10)
    plot = trusted(judged("ann", "bob")).judges.plot
    assert len(plot.given) == len(plot.moved) == 10
    assert plot.caption.endswith("one point in 5 drawn")
