"""Fillers in the MUC's categories: printed score reports, laws, and a plain twin."""

from collections import Counter
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.formats.annotations.templates import Instance
from metra.metrics.template_alignment import (
    CATEGORIES,
    RATES,
    FillerCounts,
    count_fillers,
    pair_fillers,
)


def person(*slots: tuple[str, str]) -> Instance:
    return Instance("person", slots)


def rate(counts: FillerCounts, name: str) -> float:
    part, whole = RATES[name](counts)
    return 100 * part / whole


# Rows that the MUC's scoring programs printed, from their counts. MUC-3 (1991), appendix F,
# table F1: correct, partial, incorrect, missing, spurious; recall, precision, overgeneration.
MUC_3 = [
    pytest.param((97, 0, 0, 21, 124), 118, 221, (82, 44, 56), id="template-id"),
    pytest.param((75, 11, 11, 21, 0), 118, 97, (68, 83, 0), id="incident-type"),
    pytest.param((172, 11, 11, 1043, 124), 1237, 318, (14, 56, 39), id="matched only"),
    pytest.param((172, 11, 11, 1278, 124), 1472, 318, (12, 56, 39), id="with missing"),
    pytest.param((172, 11, 11, 1278, 248), 1472, 442, (12, 40, 56), id="all templates"),
    pytest.param((75, 11, 11, 517, 0), 614, 97, (13, 83, 0), id="set fills only"),
]


@pytest.mark.seed("5.71")
@pytest.mark.parametrize(("counted", "possible", "actual", "printed"), MUC_3)
def test_rates_are_those_of_printed_score_reports(counted, possible, actual, printed):
    counts = FillerCounts(*counted)
    assert (counts.possible, counts.actual) == (possible, actual)
    names = ("recall", "precision", "overgeneration")
    assert tuple(round(rate(counts, name)) for name in names) == printed


def test_the_error_rates_of_muc_5():
    # By the definitions of Chinchor and Sundheim 1993, a partial fill is half an error.
    counts = FillerCounts(correct=10, partial=4, incorrect=3, missing=5, spurious=2)
    assert rate(counts, "error") == pytest.approx(100 * (3 + 2 + 5 + 2) / 24)
    assert rate(counts, "undergeneration") == pytest.approx(100 * 5 / 22)
    assert rate(counts, "overgeneration") == pytest.approx(100 * 2 / 19)
    assert rate(counts, "substitution") == pytest.approx(100 * (3 + 2) / 17)
    assert rate(counts, "recall") == pytest.approx(100 * 12 / 22)
    assert rate(counts, "precision") == pytest.approx(100 * 12 / 19)
    both = rate(counts, "recall"), rate(counts, "precision")
    assert rate(counts, "f") == pytest.approx(2 * both[0] * both[1] / sum(both))


CASES = [
    pytest.param("Bob Stone", "bob  stone.", "correct", id="case, blanks, full stop"),
    pytest.param("« Rene\u0301 »", "RENÉ", "correct", id="quotes and composition"),
    pytest.param("Bob | Robert", "Robert", "correct", id="another accepted text"),
    pytest.param("Bob", "Bob | Robert", "partial", id="an output has one text"),
    pytest.param("Bob Stone", "Stone", "partial", id="fewer words"),
    pytest.param("brake fluid", "any brake fluid", "partial", id="more words"),
    pytest.param("mineral oil", "oil mineral", "incorrect", id="other order"),
    pytest.param("Stonehenge", "Stone", "incorrect", id="part of a word"),
    pytest.param("東京都", "東京", "partial", id="no blanks: letters are words"),
    pytest.param("東京", "京都", "incorrect", id="one letter in common"),
    pytest.param("!", "?", "incorrect", id="punctuation alone"),
    pytest.param("ΑΘΉΝΑ", "Αθήνα", "correct", id="Greek"),
    pytest.param("المصرف", "المصرف.", "correct", id="Arabic"),
]


@pytest.mark.parametrize(("expected", "filled", "category"), CASES)
def test_how_texts_compare(expected, filled, category):
    [pair] = pair_fillers([person(("who", expected))], [person(("who", filled))])
    assert pair.category == category


# A plain twin: all ways to pair, and the best of them.

TEXTS = ["a", "b", "a b", "a|b", "c"]
slots = st.lists(
    st.tuples(st.sampled_from("xy"), st.sampled_from(TEXTS)), min_size=1, max_size=3
)
instances = st.lists(
    st.builds(Instance, st.sampled_from("pq"), slots.map(tuple)), max_size=3
)


def twin_ways(left: int, right: int):
    """Every way to give rows a column or None, no column twice."""
    choices = [*range(right), *[None] * left]
    return set(permutations(choices, left))


def twin_category(expected: str, filled: str) -> str:
    accepted = expected.split("|")
    if filled in accepted:
        return "correct"
    for text in accepted:
        short, long = sorted((text.split(), filled.split()), key=len)
        if any(long[at : at + len(short)] == short for at in range(len(long))):
            return "partial"
    return "incorrect"


def twin_slot(theirs, ours):
    for way in twin_ways(len(theirs), len(ours)):
        counts = Counter(spurious=len(ours) - sum(one is not None for one in way))
        for key, column in zip(theirs, way, strict=True):
            paired = "missing" if column is None else twin_category(key, ours[column])
            counts[paired] += 1
        yield counts


def twin_pair(expected, filled):
    sides = [
        {slot: [text for name, text in side if name == slot] for slot in "xy"}
        for side in (expected, filled)
    ]
    for chosen in product(
        *(list(twin_slot(*(s[slot] for s in sides))) for slot in "xy")
    ):
        yield sum(chosen, Counter())


def twin_counts(expected, filled) -> FillerCounts:
    best = Counter()
    for template in "pq":
        theirs, ours = (
            [one.slots for one in side if one.template == template]
            for side in (expected, filled)
        )
        totals = []
        for way in twin_ways(len(theirs), len(ours)):
            pairs = [
                (key, () if column is None else ours[column])
                for key, column in zip(theirs, way, strict=True)
            ]
            pairs += [((), one) for at, one in enumerate(ours) if at not in way]
            totals.append(
                sum((max(twin_pair(*pair), key=worth) for pair in pairs), Counter())
            )
        best += max(totals, key=worth)
    return FillerCounts(*(best[category] for category in CATEGORIES))


def worth(counts: Counter) -> tuple[int, int, int]:
    credit = 2 * counts["correct"] + counts["partial"]
    return credit, counts["correct"], counts["incorrect"]


@pytest.mark.seed("3.26")
@given(instances, instances)
def test_counts_are_those_of_the_best_of_all_ways(expected, filled):
    assert count_fillers(pair_fillers(expected, filled)) == twin_counts(
        expected, filled
    )


@given(instances, instances, st.randoms())
def test_no_slot_depends_on_the_order_of_instances(expected, filled, random):
    first = Counter(pair_fillers(expected, filled))
    again = [random.sample(side, len(side)) for side in (expected, filled)]
    assert Counter(pair_fillers(*again)) == first
