"""n-grams that changed: counts as plain counters give them, and what stands for what."""

import random
from collections import Counter, defaultdict
from math import sqrt
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.analysis import ngrams
from metra.analysis.collection import collect_corpus
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.text.preparation import Preparation

SPACED = Preparation("none", "mixed", "no")
LISTS = {"gained": ("matched", 1), "lost": ("matched", -1)}
LISTS |= {"mended": ("wrong", -1), "broken": ("wrong", 1)}


def found(before, after, refs, **options):
    corpus = Outputs(EvalSet(refs), {"a": before, "b": after})
    collected = collect_corpus(corpus, options.pop("preparation", SPACED))
    with patch.object(ngrams, "ORDER", options.get("order", 4)):
        most = options.get("most", 10)
        return ngrams.find_ngram_changes(collected, "a", "b", most=most)


def grams(text, n):
    words = (text or "").split()
    return Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))


def plain(before, after, refs, order):
    """Every n-gram's counts, by counters and loops."""
    counts = defaultdict(lambda: defaultdict(int))
    changed = defaultdict(list)
    for at in range(len(before)):
        for n in range(1, order + 1):
            there = Counter()
            for stream in refs:
                there |= grams(stream[at], n)
            one, other = grams(before[at], n), grams(after[at], n)
            for words in {*one, *other, *there}:
                entry = counts[words]
                sides = one[words], other[words]
                matched = [min(count, there[words]) for count in sides]
                wrong = [sides[0] - matched[0], sides[1] - matched[1]]
                entry["reference"] += there[words]
                for name, (then, now) in (("matched", matched), ("wrong", wrong)):
                    entry[f"{name}_before"] += then
                    entry[f"{name}_after"] += now
                    entry[f"{name}_rose"] += now > then
                    entry[f"{name}_fell"] += now < then
                    changed[name, words] += [at + 1] * (now != then)
    return counts, changed


@given(st.data(), st.integers(1, 3))
def test_counts_are_those_of_plain_counters(data, order):
    size = data.draw(st.sampled_from([1, 3, 4]))
    texts = st.lists(st.text("ab ", max_size=8), min_size=size, max_size=size)
    before, after, *refs = data.draw(st.tuples(*[texts] * 4))
    expected, changed = plain(before, after, refs, order)
    changes = found(before, after, refs, order=order, most=10_000)
    # What one segment alone changed is not listed.
    least = 1 / sqrt(2) + 1e-9
    for name, (what, sign) in LISTS.items():
        listed = getattr(changes, name)
        spoken_for = len(listed) + sum(entry.stands_for for entry in listed)
        turned = (
            sign * (rose - fell) / sqrt(rose + fell + 1) > least
            for entry in expected.values()
            for rose, fell in [(entry[f"{what}_rose"], entry[f"{what}_fell"])]
        )
        assert spoken_for == sum(turned)
        sizes = [abs(entry.weight) for entry in listed]
        assert sizes == sorted(sizes, reverse=True)
        for entry in listed:
            counts = expected[entry.words]
            rose, fell = counts[f"{what}_rose"], counts[f"{what}_fell"]
            assert (entry.rose, entry.fell) == (rose, fell)
            assert entry.weight == pytest.approx((rose - fell) / sqrt(rose + fell + 1))
            for field in ("matched", "wrong"):
                assert getattr(entry, f"{field}_before") == counts[f"{field}_before"]
                assert getattr(entry, f"{field}_after") == counts[f"{field}_after"]
            assert entry.reference == counts["reference"]
            assert entry.segments == changed[what, entry.words][:5]


def shown(entries):
    return [(" ".join(entry.words), entry.stands_for) for entry in entries]


def test_a_long_change_is_not_told_in_all_its_parts():
    text = "a b c d e"
    changes = found(["x"] * 2, [text] * 2, [[text] * 2])
    assert shown(changes.gained) == [("a b c d", 13)]
    assert shown(changes.mended) == [("x", 0)]
    assert not changes.lost
    assert not changes.broken


def test_a_word_that_always_came_speaks_for_what_stands_around_it():
    after = 2 * ["said he", "said she", "said it", "they said"]
    changes = found([""] * 8, after, [[""] * 8])
    assert shown(changes.broken) == [("said", 8)]


def test_a_longer_ngram_with_a_change_of_its_own_is_listed():
    # "dass" comes as often as it goes, ", dass" only comes.
    before = ["dass", "dass", "dass", "x", "x", "x"]
    after = ["y", "y", "y", ", dass", ", dass", ", dass"]
    changes = found(before, after, [["dass"] * 3 + [", dass"] * 3])
    assert (", dass", 1) in shown(changes.gained)
    assert "dass" not in dict(shown(changes.gained))


def test_a_shorter_ngram_whose_change_is_mostly_a_longer_ones_is_left_out():
    # ", dass" comes six times; "dass" comes once more, and goes once.
    before = ["x"] * 7 + ["dass"]
    after = [", dass"] * 6 + ["dass", "y"]
    changes = found(before, after, [[", dass"] * 6 + ["dass"] * 2])
    assert shown(changes.gained) == [(", dass", 2)]


def test_a_phrase_is_one_entry_wherever_its_parts_are_first_found():
    text = "a b c d e"
    changes = found(["b c d e", "x", "x"], ["b c d e", text, text], [["x", text, text]])
    assert len(changes.gained) == 1


@pytest.mark.parametrize(
    ("before", "after", "refs"),
    [
        pytest.param(["a b"], ["a b"], [["a b c"]], id="identical outputs"),
        pytest.param([""], [""], [[""]], id="nothing at all"),
        pytest.param([""], [""], [["a"]], id="empty outputs"),
        pytest.param(["a"], ["a"], [["b"], [None]], id="a missing reference"),
    ],
)
def test_where_nothing_changed_nothing_is_listed(before, after, refs):
    changes = found(before, after, refs)
    assert [*changes.gained, *changes.lost, *changes.mended, *changes.broken] == []


def test_no_more_than_asked_for():
    before, after = [""] * 6, ["a", "b", "c"] * 2
    assert len(found(before, after, [after], most=2).gained) == 2
    assert found(before, after, [after], most=0).gained == []


def test_case_and_tokens_as_the_preparation_says():
    lowered = Preparation("13a", "lower", "no")
    changes = found(["Hello."], ["HELLO, you."], [["hello"]], preparation=lowered)
    assert changes.preparation == "tok:13a|case:lower|stem:no"
    assert not changes.gained


@pytest.mark.parametrize("most", [1, 2, 5, 40])
def test_short_lists_are_the_beginnings_of_long_ones(most):
    rng = random.Random(6)

    before, after, ref = (
        [" ".join(rng.choices("abcdefgh", k=rng.randrange(9))) for _ in range(80)]
        for _ in range(3)
    )
    corpus = before, after, [ref]
    whole, short = found(*corpus, most=10_000), found(*corpus, most=most)
    for name in LISTS:
        entries = getattr(short, name)
        assert len(entries) <= most
        beginning = getattr(whole, name)[: len(entries)]
        listed = [[entry.words for entry in each] for each in (entries, beginning)]
        assert listed[0] == listed[1]
