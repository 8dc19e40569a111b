"""The study of two translations: by hand, and against plain Python on random texts."""

import math
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.analysis.word_stability import (
    SETS,
    compute_match_sets,
    compute_stability,
)
from metra.errors import CorpusError, OptionError
from metra.text.salience import Salience, Tokens


def text(*segments: tuple[str, str]) -> list[tuple[Tokens, list[str]]]:
    """Segments as (document, words), one chunk each, as files are read."""
    return [(Tokens([words.split()]), [name]) for name, words in segments]


FIRST = text(("x", "a b c"), ("y", "a d d"), ("x", "c e"))
SECOND = text(("x", "a b f"), ("y", "a d g"), ("x", "c c c"))


@pytest.mark.seed("4.1")
def test_by_hand():
    found = compute_stability(FIRST, SECOND, names=("A", "B"), width=1)
    one, two = found.overlaps[:2]
    # x: a b c c e and a b c c c f share 4 of 5 and 6 words, 3 of 4 types each;
    # y: a d d and a d g share 2 of 3 words, 2 of 2 and 3 types.
    assert one.tokens == pytest.approx((2 * 4 / 11 + 4 / 6) / 2)
    assert one.types == pytest.approx((2 * 3 / 8 + 2 * 2 / 5) / 2)
    # With the bigrams, of which a b and a d are common: 5 of 8 and 10, 3 of 5 and 5. They
    # do not go on into the next segment.
    assert two.tokens == pytest.approx((2 * 5 / 18 + 2 * 3 / 10) / 2)
    assert [(entry.name, entry.tokens) for entry in found.sets] == [
        ("in both, by A", 6),
        ("in both, by B", 6),
        ("only in A", 2),
        ("only in B", 3),
    ]
    assert found.documents == 2
    for entry in found.sets:
        for polygon in entry.polygons.values():
            assert sum(polygon.shares) + polygon.without == pytest.approx(1)
            assert len(polygon.bounds) == len(polygon.shares) + 1


NAMES = ("A", "B")
WORDS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8).map(" ".join)


def list_salience(counts, column):
    columns = map(counts.column, ("document", "word", column))
    return {
        (counts.documents[int(document)], counts.words[int(word)]): value
        for document, word, value in zip(*columns, strict=True)
    }


@pytest.mark.seed("4.6")
@given(st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=6))
def test_sets_and_means_equal_their_twin(pairs):
    names = [f"d{at}" for at in range(len(pairs))]
    texts = [text(*zip(names, side, strict=True)) for side in zip(*pairs, strict=True)]
    found = compute_stability(*texts, names=("A", "B"))
    for which, weight in product((0, 1), ("tf.idf", "S")):
        salience = list_salience(Salience(texts[which]), weight)
        values = {True: [], False: []}
        for name, pair in zip(names, pairs, strict=True):
            own, other = (Counter(pair[side].split()) for side in (which, 1 - which))
            for word, count in own.items():
                common = min(count, other[word])
                values[True] += [salience[name, word]] * common
                values[False] += [salience[name, word]] * (count - common)
        for entry in found.sets[which::2]:
            scores = values[entry.common]
            assert entry.tokens == len(scores)
            scored = [score for score in scores if not math.isnan(score)]
            mean = sum(scored) / len(scored) if scored else math.nan
            assert entry.means[weight] == pytest.approx(mean, abs=1e-9, nan_ok=True)


DOCUMENTS = {"x": "a a a b", "y": "a c c c c c", "z": "a a b"}


def test_negative_scores_lower_the_mean():
    # "a" is rarer in y than elsewhere: its S is negative there, and counts as it is.
    one = text(*DOCUMENTS.items())
    negative = [
        value for value in list_salience(Salience(one), "S").values() if value < 0
    ]
    assert negative
    [both, *_] = compute_stability(one, one).sets
    polygon = both.polygons["S"]
    assert polygon.bounds[0] <= min(negative)
    every = [
        score
        for (document, word), score in list_salience(Salience(one), "S").items()
        for _ in range(DOCUMENTS[document].split().count(word))
        if not math.isnan(score)
    ]
    assert both.means["S"] == pytest.approx(sum(every) / len(every))
    assert both.means["S"] < sum(max(score, 0) for score in every) / len(every)


def test_what_cannot_be_compared():
    with pytest.raises(CorpusError, match="the same documents in the same order"):
        compute_stability(FIRST, text(("x", "a"), ("z", "b")))
    with pytest.raises(CorpusError, match="has one document"):
        compute_stability(text(("x", "a")), text(("x", "b")))
    with pytest.raises(OptionError, match="width=0 is not possible"):
        compute_stability(FIRST, SECOND, width=0)


@pytest.mark.seed("4.12")
@given(
    st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=2, max_size=5),
    st.integers(1, 3),
    st.sampled_from(["tf.idf", "S"]),
    st.sampled_from([0.0, 0.5, 1.0]),
)
def test_the_four_sets_equal_their_twin(triples, n, weight, threshold):
    names = [f"d{at}" for at in range(len(triples))]
    one, two, output = (
        text(*zip(names, side, strict=True)) for side in zip(*triples, strict=True)
    )
    found = compute_match_sets(
        [one, two],
        {"sys": output},
        names=NAMES,
        weight=weight,
        threshold=threshold,
        n=n,
    )
    for which, entry in enumerate(found):
        salience = list_salience(Salience([one, two][which]), weight)
        sizes, matched, ngrams = Counter(), Counter(), 0
        for name, triple in zip(names, triples, strict=True):
            own, other, hyp = (
                grams(side, n) for side in (triple[which], triple[1 - which], triple[2])
            )
            ngrams += len(hyp)
            # Every occurrence by itself: crossed out in the other reference, and in the output.
            for gram in sorted(own):
                common = gram in other
                if common:
                    other.remove(gram)
                high = any(salience[name, word] > threshold for word in gram)
                key = f"{'c' if common else 'd'}{'h' if high else 'l'}"
                sizes[key] += 1
                if gram in hyp:
                    hyp.remove(gram)
                    matched[key] += 1
        assert entry.sizes == {key: sizes[key] for key in SETS}
        (system,) = entry.systems
        assert system.matches == {key: matched[key] for key in SETS}
        assert (system.total, system.ngrams) == (matched.total(), ngrams)
        assert (entry.reference, entry.other) == (NAMES[which], NAMES[1 - which])
        assert entry.documents == len(triples)


def grams(words, n):
    tokens = words.split()
    return [
        tuple(tokens[at : at + size])
        for size in range(1, n + 1)
        for at in range(len(tokens) - size + 1)
    ]


def test_matches_of_one_document_are_refused():
    one = text(("x", "a b"))
    with pytest.raises(CorpusError, match="has one document"):
        compute_match_sets([one, one], {"sys": one})
