"""Sentences matched with segments: all kinds of groups, nothing lost, a plain search."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.text.sentences import alignment
from metra.text.sentences.alignment import align_sentences

REFERENCE = [
    "The old bridge over the Lorne was closed on Monday.",
    "Engineers had found cracks in two of its pillars.",
    "The mayor, Anna Petit, promised repairs by June.",
    "Until then, buses will cross at Brévigny, 12 kilometres away.",
    "Shopkeepers fear that they will lose half of their customers.",
]
OUTPUT = [
    "The old bridge on the Lorne has been closed Monday.",
    "The engineers found fissures in two pillars of it.",
    "Mayor Anna Petit promised that repairs come by June.",
    "Until this the buses will cross in Brévigny, 12 kilometres from here.",
    "The shopkeepers fear to lose half of the customers.",
]


def align(sentences, references=None, **options):
    matches = align_sentences(sentences, references or REFERENCE, lang="en", **options)
    assert len(matches) == 5
    written = " ".join(match.text for match in matches).split()
    assert written == " ".join(sentences).split()
    return [match.text for match in matches], [match.kind for match in matches]


def test_one_to_one():
    assert align(OUTPUT) == (OUTPUT, ["one"] * 5)


def test_the_output_may_be_one_text():
    matches = align_sentences(" ".join(OUTPUT), REFERENCE, lang="en")
    assert [match.text for match in matches] == OUTPUT
    assert all(match.confidence > 0.3 for match in matches)


def test_two_sentences_for_a_segment():
    halves = [
        "Until this the buses will cross in Brévigny.",
        "It is 12 kilometres away.",
    ]
    texts, kinds = align([*OUTPUT[:3], *halves, OUTPUT[4]])
    assert texts[3] == " ".join(halves)
    assert kinds == ["one", "one", "one", "joined", "one"]


def test_a_sentence_for_two_segments():
    both = f"{OUTPUT[1][:-1]} and {OUTPUT[2]}"
    texts, kinds = align([OUTPUT[0], both, *OUTPUT[3:]])
    assert texts[1].startswith("The engineers")
    assert texts[2].endswith("Mayor Anna Petit promised that repairs come by June.")
    assert kinds == ["one", "divided", "divided", "one", "one"]


@pytest.mark.parametrize("omitted", range(5))
def test_an_omitted_sentence(omitted):
    texts, kinds = align([*OUTPUT[:omitted], *OUTPUT[omitted + 1 :]])
    assert kinds == ["omitted" if index == omitted else "one" for index in range(5)]
    assert texts[omitted] == ""


@pytest.mark.parametrize("place", range(6))
def test_an_added_sentence(place):
    added = "Yesterday I ate seven green apples with cheese."
    texts, kinds = align([*OUTPUT[:place], added, *OUTPUT[place:]])
    assert kinds == ["one"] * 5
    # It is kept with the sentence before, because leaving it out would flatter the output.
    assert added in texts[max(place - 1, 0)]
    matches = align_sentences([*OUTPUT[:place], added, *OUTPUT[place:]], REFERENCE)
    assert [match.added for match in matches].count((added,)) == 1


def test_a_long_addition_is_no_obstacle():
    added = [f"Entry {n} lists item number {n} in drawer {n + 7}." for n in range(60)]
    texts, kinds = align([*OUTPUT[:2], *added, *OUTPUT[2:]])
    assert texts[2:] == OUTPUT[2:]
    assert kinds == ["one"] * 5


def test_lines_may_be_kept_as_they_are():
    lines = [f"{OUTPUT[0]} {OUTPUT[1]}", *OUTPUT[2:]]
    texts, kinds = align(lines, split=False)
    assert kinds[:2] == ["divided", "divided"]
    assert texts == OUTPUT


def test_the_nearest_reference_counts():
    other = [None, *OUTPUT[1:]]
    matches = align_sentences(OUTPUT, [REFERENCE, other])
    assert matches[0].confidence < 0.9
    assert [match.confidence for match in matches[1:]] == pytest.approx([1] * 4)


def test_an_empty_output():
    matches = align_sentences("", REFERENCE)
    assert {(match.text, match.kind) for match in matches} == {("", "omitted")}


def search_all(sides, guess):
    """The cheapest groups, without a band."""
    wide = guess._replace(places=[0] * len(guess.places))
    return alignment._search_band(sides, wide, len(sides.sentences))[0]


SENTENCE = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6).map(" ".join)


@given(
    st.lists(SENTENCE, min_size=1, max_size=7),
    st.lists(SENTENCE, min_size=1, max_size=7),
)
def test_groups_cover_both_sides_at_the_lowest_cost(sentences, references):
    segments = [[reference.split()] for reference in references]
    sides = alignment._Sides.build(sentences, segments, "loose")
    guess = alignment._guess_places(sides)
    groups = alignment._find_groups(sides, guess)
    for left, right in pairwise(groups):
        assert left.sentence + left.sentences == right.sentence
        assert left.segment + left.segments == right.segment
    assert sum(group.sentences for group in groups) == len(sentences)
    assert sum(group.segments for group in groups) == len(references)
    costs = alignment._Costs(sides, guess.ratio)
    least = sum(map(costs.compute, search_all(sides, guess)))
    assert sum(map(costs.compute, groups)) == pytest.approx(least)


@given(st.lists(SENTENCE, max_size=7), st.lists(SENTENCE, min_size=1, max_size=7))
def test_nothing_is_lost(sentences, references):
    matches = align_sentences(sentences, references, split=False)
    assert len(matches) == len(references)
    written = " ".join(match.text for match in matches).split()
    assert written == " ".join(sentences).split()
