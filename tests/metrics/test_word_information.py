"""MER, WIL and WIP: golden values, the slow plain definition, and jiwer."""

import random

import jiwer
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import metra

# Output, reference; MER and WIP, worked by hand.
CASES = [
    pytest.param("a b c", "a b c", (0, 100), id="identical"),
    pytest.param("a x c", "a b c", (100 / 3, 400 / 9), id="one substitution"),
    pytest.param("a c", "a b c", (100 / 3, 200 / 3), id="one deletion"),
    pytest.param("a b x c", "a b c", (25, 75), id="one insertion"),
    pytest.param("x y z", "a", (100, 0), id="nothing matches"),
    pytest.param("b a", "a b", (200 / 3, 25), id="a match is kept where words swap"),
    pytest.param("", "a b", (100, 0), id="empty output"),
    pytest.param("a b", "", (100, 0), id="empty reference"),
    pytest.param("", "", (0, 100), id="both empty"),
    pytest.param("A b", "a b", (50, 25), id="case counts"),
    pytest.param("שלום עולם", "עולם שלום", (200 / 3, 25), id="right to left"),
]


@pytest.mark.parametrize(("hyp", "ref", "expected"), CASES)
def test_segment(hyp, ref, expected):
    scores = {
        name: metra.metric(name).sentence(hyp, [ref]) for name in ("mer", "wip", "wil")
    }
    assert (scores["mer"], scores["wip"]) == pytest.approx(expected, abs=1e-9)
    assert scores["wil"] == pytest.approx(100 - expected[1], abs=1e-9)


def test_corpus_divides_sums():
    # Hits 2 and 0; edits 1 and 2; reference words 3 and 1, output words 3 and 2.
    hyps, refs = ["a b x", "y z"], [["a b c", "w"]]
    assert metra.score(hyps, refs, "mer").score == pytest.approx(100 * 3 / 5)
    assert metra.score(hyps, refs, "wip").score == pytest.approx(100 * 2 / 4 * 2 / 5)
    assert metra.score(hyps, refs, "wip").parts == {
        "substitutions": 2,
        "insertions": 1,
        "deletions": 0,
        "hits": 2,
        "ref_len": 4,
        "hyp_len": 5,
    }


@pytest.mark.parametrize(
    ("refs", "expected"),
    [pytest.param("best", 50, id="fewest edits"), ("best-rate", 50)],
)
def test_choice_of_reference(refs, expected):
    # One edit against "a" and two against "a b c d": a rate of 1, or of a half.
    row = metra.metric(f"mer:refs={refs}").rows(
        metra.Batch(["a b"], refs_per_segment=[["a", None, "a b c d"]])
    )[0]
    assert row[4] == {"best": 1, "best-rate": 4}[refs]
    assert metra.metric("mer").aggregate(row) == expected


def test_the_mean_length_has_no_meaning():
    with pytest.raises(metra.MetraError, match="expected one of best, best-rate"):
        metra.metric("mer:refs=average-length")


def plain_counts(hyp, ref):
    """Counts of the alignment that jiwer shows, cell by cell.

    Words that both begin or end with are matched first. Then, from the end backwards, a
    deletion where it is among the best ways; an insertion if the output's word before can
    make up for the reference's; else both words.
    """
    hits = 0
    while hyp and ref and hyp[0] == ref[0]:
        hyp, ref, hits = hyp[1:], ref[1:], hits + 1
    while hyp and ref and hyp[-1] == ref[-1]:
        hyp, ref, hits = hyp[:-1], ref[:-1], hits + 1
    grid = np.add.outer(np.arange(len(hyp) + 1), np.arange(len(ref) + 1))
    for i, word in enumerate(hyp, 1):
        for j, other in enumerate(ref, 1):
            sideways = min(grid[i - 1, j], grid[i, j - 1]) + 1
            grid[i, j] = min(sideways, grid[i - 1, j - 1] + (word != other))
    i, j = len(hyp), len(ref)
    counts = {"S": 0, "I": 0, "D": 0, "H": hits}
    while i or j:
        if j and (not i or grid[i, j] == grid[i, j - 1] + 1):
            step = "D"
        elif not j or grid[i - 1, j] == grid[i - 1, j - 1] - 1:
            step = "I"
        else:
            step = "H" if hyp[i - 1] == ref[j - 1] else "S"
        counts[step] += 1
        i, j = i - (step != "D"), j - (step != "I")
    return [*counts.values(), counts["S"] + counts["D"] + counts["H"]]


WORDS = st.lists(st.sampled_from("abcde"), max_size=80)


@settings(deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=3))
@example([(list("ab"), list("ba"))])
@example([(list("a"), list("aa"))])
def test_equals_the_plain_definition(segments):
    hyps, refs = (
        [" ".join(words) for words in side] for side in zip(*segments, strict=True)
    )
    rows = metra.metric("mer").rows(metra.Batch(hyps, [refs]))
    np.testing.assert_array_equal(rows, [plain_counts(*pair) for pair in segments])


SENTENCES = st.one_of(st.text(), WORDS.map(" ".join))


@settings(deadline=None)
@given(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=4))
@example([("a b", "b a")])
def test_equals_jiwer_on_any_text_with_plain_blanks(pairs):
    hyps, refs = (
        [" ".join(text.split()) for text in side] for side in zip(*pairs, strict=True)
    )
    for name in ("mer", "wil", "wip"):
        theirs = getattr(jiwer, name)(refs, hyps)
        assert metra.score(hyps, [refs], name).score / 100 == pytest.approx(
            theirs, abs=1e-9
        )


@pytest.mark.parametrize("words", [1500, 2600, 4100])
def test_long_texts_equal_jiwer(words):
    """Where the grid is large, jiwer's alignment is put together from halves."""
    rng = random.Random(words)
    ref = [str(rng.randrange(40)) for _ in range(words)]
    hyp = [w if rng.random() > 0.3 else "x" for w in ref if rng.random() > 0.2]
    for at in range(0, len(hyp) - 1, 5):
        hyp[at : at + 2] = hyp[at + 1], hyp[at]
    theirs = jiwer.process_words(" ".join(ref), " ".join(hyp))
    row = metra.metric("mer").rows(metra.Batch([" ".join(hyp)], [[" ".join(ref)]]))[0]
    assert row[:4].tolist() == [
        theirs.substitutions,
        theirs.insertions,
        theirs.deletions,
        theirs.hits,
    ]
