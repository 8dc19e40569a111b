"""Sentences matched with segments: all kinds of groups, nothing lost, a plain search."""

from collections import Counter
from itertools import pairwise
from math import erfc, inf, log, sqrt

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


@pytest.mark.parametrize("place", range(1, 6))
def test_a_long_addition_is_no_obstacle(place):
    added = [f"Entry {n} lists item number {n} in drawer {n + 7}." for n in range(60)]
    texts, kinds = align([*OUTPUT[:place], *added, *OUTPUT[place:]])
    assert texts[place:] == OUTPUT[place:]
    assert texts[: place - 1] == OUTPUT[: place - 1]
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


SENTENCE = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6).map(" ".join)

SHARES = {
    (1, 1): 0.89, (1, 0): 0.02, (0, 1): 0.02, (1, 2): 0.0445, (2, 1): 0.0445,
    (2, 2): 0.011, (1, 3): 0.004, (3, 1): 0.004,
}  # fmt: skip


def count_cost(sentences, segments, weights, ratio):
    """What a group costs, as the documentation says."""

    def weigh(words):
        return sum(weights[word] * count for word, count in words.items())

    one = Counter(word for sentence in sentences for word in sentence)
    other = Counter(word for segment in segments for word in segment)
    cost = -log(SHARES[len(sentences), len(segments)])
    cost += 0.25 * (weigh(one) + weigh(other) - 2 * weigh(one & other))
    if not sentences or not segments:
        return cost
    size, goal = sum(one.values()), sum(other.values())
    deviation = abs(size - goal * ratio) / sqrt(6.8 * max((size / ratio + goal) / 2, 1))
    cost += min(-log(erfc(deviation / sqrt(2)) or 1e-99), 12)
    for members, others in ((sentences, segments), (segments, sentences)):
        for member in members if len(members) > 1 else ():
            words = Counter(member)
            share = max(weigh(words & Counter(unit)) for unit in others) / weigh(words)
            cost += 3 * max(0, 1 - share / 0.15)
    return cost


def search_all(sentences, segments, weights, ratio):
    """The lowest cost of all ways to form groups."""
    best = {(0, 0): 0.0}
    for i in range(len(sentences) + 1):
        for j in range(len(segments) + 1):
            for few, many in SHARES:
                if few <= i and many <= j and (i - few, j - many) in best:
                    cost = best[i - few, j - many] + count_cost(
                        sentences[i - few : i], segments[j - many : j], weights, ratio
                    )
                    best[i, j] = min(best.get((i, j), cost), cost)
    return best[len(sentences), len(segments)]


@pytest.mark.seed("5.26")
@given(
    st.lists(SENTENCE, min_size=1, max_size=6),
    st.lists(SENTENCE, min_size=1, max_size=6),
)
def test_groups_cover_both_sides_at_the_lowest_cost(sentences, references):
    segments = [[reference.split()] for reference in references]
    texts = alignment._Texts(sentences, segments)
    _, ratio = alignment._guess_places(texts)
    groups = alignment._find_groups(texts)
    for left, right in pairwise(groups):
        assert left.sentence + left.sentences == right.sentence
        assert left.segment + left.segments == right.segment
    assert sum(group.sentences for group in groups) == len(sentences)
    assert sum(group.segments for group in groups) == len(references)
    units = [text.split() for text in [*sentences, *references]]
    weights = {
        word: log((len(units) + 1) / sum(word in unit for unit in units))
        for word in "abcdefgh"
        if any(word in unit for unit in units)
    }
    least = search_all(
        [sentence.split() for sentence in sentences],
        [reference.split() for reference in references],
        weights,
        ratio,
    )
    costs = [texts.compute_cost(group, ratio, inf) for group in groups]
    assert sum(costs) == pytest.approx(least)


def test_a_segment_of_a_group_may_get_nothing():
    matches = align_sentences("a b c d e f", ["a b c d e f", "a"])
    assert [(m.text, m.kind) for m in matches] == [
        ("a b c d e f", "one"),
        ("", "omitted"),
    ]


@given(st.lists(SENTENCE, max_size=7), st.lists(SENTENCE, min_size=1, max_size=7))
def test_nothing_is_lost(sentences, references):
    matches = align_sentences(sentences, references, split=False)
    assert len(matches) == len(references)
    written = " ".join(match.text for match in matches).split()
    assert written == " ".join(sentences).split()
