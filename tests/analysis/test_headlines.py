"""Where people, neural and string metrics disagree, and whom to trust more."""

from dataclasses import replace

import pytest

import metra
from metra.analysis.headlines import (
    choose_trusted_metric,
    describe_trust,
    list_contrary_verdicts,
    rank_by_trust,
)

SIZE = 40
REFS = [f"this is line {number} of a small text" for number in range(SIZE)]
#: Nearer to the reference, and further from it.
NEAR = [ref.replace("small", "little") for ref in REFS]
FAR = [
    ref.replace("small text", "text which is small").replace("this is", "here is")
    for ref in REFS
]
HIGH = [0.8 + 0.001 * (number % 7) for number in range(SIZE)]
LOW = [0.5 + 0.001 * (number % 5) for number in range(SIZE)]


def compare_systems(near, far, name="comet", **options):
    values = {"near": near, "far": far}
    metrics = ["bleu", "chrf", metra.import_scores(name, values, higher_is_better=True)]
    outputs = {"near": NEAR, "far": FAR}
    return metra.compare(metra.EvalSet(REFS), outputs, metrics, **options)


def test_a_system_that_is_better_and_worse():
    results = compare_systems(LOW, HIGH)
    ((*pair, better, worse),) = list_contrary_verdicts([results])
    assert pair == ["far", "near"]
    assert [basis for basis, _ in better] == ["neural"]
    assert list(worse) == [("string", "bleu"), ("string", "chrf")]
    assert str(results).startswith(
        "Metrics disagree about far: better than near by comet"
    )


def test_agreement_is_no_headline():
    results = compare_systems(HIGH, LOW)
    assert list_contrary_verdicts([results]) == []
    assert "disagree" not in str(results)
    assert not list_contrary_verdicts([compare_systems(HIGH, LOW, all_pairs=True)])


def test_a_difference_that_may_be_chance_is_no_disagreement():
    for all_pairs in (False, True):
        close = [*LOW[:-1], LOW[-1] + 0.001]
        results = compare_systems(LOW, close, all_pairs=all_pairs)
        assert list_contrary_verdicts([results]) == []


def test_string_metrics_among_themselves_do_not_disagree():
    results = compare_systems(LOW, HIGH, name="BLEU")
    assert list_contrary_verdicts([results]) == []


def test_results_of_people_come_with_those_of_metrics():
    """Groups are enough: people's results have no comparisons."""
    metrics = compare_systems(HIGH, LOW, all_pairs=True)
    comet = metrics.specs[2]
    people = replace(
        metrics,
        systems=[
            type(each)(
                each.name, {"people": each.scores[comet]._replace(basis="people")}
            )
            for each in compare_systems(LOW, HIGH).systems
        ],
        comparisons=[],
        clusters={"people": [["far"], ["near"]]},
    )
    ((*pair, better, worse),) = list_contrary_verdicts([people, metrics])
    assert pair == ["far", "near"]
    assert list(better) == [("people", "people")]
    assert [metric for _, metric in worse] == [comet, "bleu", "chrf"]


def test_systems_are_ranked_by_the_most_trusted():
    results = compare_systems(LOW, HIGH)
    assert choose_trusted_metric(results) == results.specs[2]
    assert [system.name for system in rank_by_trust(results)] == ["far", "near"]
    judged = compare_systems(HIGH, LOW)
    systems = [
        system._replace(scores={"people": list(system.scores.values())[2]})
        for system in judged.systems
    ]
    for known in (systems, systems[:1]):
        ranked = rank_by_trust(results, replace(judged, systems=known))
        assert [system.name for system in ranked] == ["near", "far"]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["string", "neural"], "Trust neural metrics more than string metrics."),
        (["string", "people"], "Trust people more than string metrics."),
        (["neural", "people"], "Trust people more than neural metrics."),
    ],
)
def test_the_order_of_trust_is_stated(kinds, expected):
    assert describe_trust(kinds) == expected
