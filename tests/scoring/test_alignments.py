"""Alignments as data: valid, optimal, and the ones that the scores count."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metra
from metra.corpus.outputs import Outputs
from metra.metrics.alignment import Link, WordRange
from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus, make_metrics

WORDS = st.lists(st.sampled_from("abcd"), max_size=140)


def replay(alignment):
    """Turn the output into the reference by the alignment's links alone."""
    made = []
    place = 0
    for link in alignment.links:
        assert link.hyp.start == place
        assert link.ref.start == len(made)
        hyp, ref = alignment.words(link)
        if link.kind == "hit":
            assert hyp == ref
        if link.kind == "substitution":
            assert hyp != ref
        sizes = {"insertion": (1, 0), "deletion": (0, 1)}
        assert (len(hyp), len(ref)) == sizes.get(link.kind, (1, 1))
        made.extend(hyp if link.kind == "hit" else ref)
        place = link.hyp.stop
    assert place == len(alignment.hyp)
    return made


@settings(deadline=None)
@given(
    WORDS,
    st.lists(WORDS, min_size=1, max_size=3),
    st.sampled_from(["best", "best-rate", "average-length"]),
)
def test_alignments_are_valid_and_counted(hyp, refs, choice):
    metric = metra.metric(f"wer:refs={choice}")
    segment = " ".join(hyp), [" ".join(ref) for ref in refs]
    found = metra.align(*segment, metric)
    assert [replay(entry) for entry in found] == refs
    assert [entry.reference for entry in found] == list(range(len(refs)))
    (chosen,) = (entry for entry in found if entry.chosen)
    row = metric.rows(metra.Batch(segment[0:1], refs_per_segment=[segment[1]]))[0]
    assert list(chosen.counts.values()) == row[:4].tolist()


@settings(deadline=None)
@given(st.text(), st.text())
def test_characters_of_any_text(hyp, ref):
    (found,) = metra.align(hyp, [ref], "cer")
    assert "".join(found.hyp) == hyp.strip()
    assert "".join(replay(found)) == ref.strip()
    assert found.unit == "character"


# The first letters of the links, in the order of the text.
PREFERENCES = [
    pytest.param("a", "a a", "DH", id="the last of two equal words matches"),
    pytest.param("a b", "b a", "SS", id="both sides rather than a gap on each"),
    pytest.param("a b", "c", "IS", id="the first word is the one too much"),
    pytest.param(
        "a b a", "b a b", "IHHD", id="at the end a deletion, not an insertion"
    ),
    pytest.param("x a b y", "b y a", "IIHHD", id="three edits, not four substitutions"),
]


@pytest.mark.parametrize(("hyp", "ref", "letters"), PREFERENCES)
def test_preference_among_equal_alignments(hyp, ref, letters):
    (found,) = metra.align(hyp, [ref])
    assert "".join(link.kind[0].upper() for link in found.links) == letters


def test_insertions_are_words_that_the_output_has_too_much():
    (found,) = metra.align("a b c", ["a c"])
    assert found.links[1] == Link("insertion", WordRange(1, 2), WordRange(1, 1))
    assert found.words(found.links[1]) == (("b",), ())
    (found,) = metra.align("a c", ["a b c"])
    assert found.links[1] == Link("deletion", WordRange(1, 1), WordRange(1, 2))


def test_words_are_those_compared():
    (found,) = metra.align(
        "The Dogs!", ["the dog !"], "wer:tok=13a,case=lower,stem=porter"
    )
    assert found.hyp == ("the", "dog", "!")
    assert found.counts == {"substitution": 0, "insertion": 0, "deletion": 0, "hit": 3}


def test_references_that_are_missing_are_left_out():
    batch = metra.Batch(["a"], refs_per_segment=[["b", None, "a"]])
    found = metra.metric("wer").notes.align(batch, 0)
    assert [(entry.reference, entry.chosen) for entry in found] == [
        (0, False),
        (2, True),
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: metra.align("a", ["a"], "bleu"),
            "bleu does not align words; choose a metric that does, such as wer.",
        ),
        (
            lambda: metra.align("a", "a"),
            "refs is one string; expected the list of the segment's references.",
        ),
        (
            lambda: metra.align("a", []),
            "refs is empty; a segment needs at least one reference.",
        ),
        (
            lambda: metra.align(["a"], ["a"]),
            "hyp contains ['a'] where a text was expected.",
        ),
        (
            lambda: aligned(specs=["bleu", "ser"]),
            "Alignments need a metric that aligns words, unlike bleu, ser; add one, for "
            "example wer.",
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(metra.MetraError) as caught:
        call()
    assert str(caught.value) == message


def aligned(segments=2500, specs=("wer", "bleu")):
    hyps = [f"a {at}" for at in range(segments)]
    corpus = Outputs(metra.EvalSet([["a 7"] * segments]), {"sys": hyps})
    options = EvaluationOptions(alignments=True)
    return evaluate_corpus(corpus, make_metrics(list(specs)), options)["sys"]


def test_segments_of_a_corpus():
    scores = aligned()
    found = scores["wer"].alignments
    assert list(found) == list(range(1, 2501))
    assert all(entry[0].hyp[1] == str(at - 1) for at, entry in found.items())
    assert found[8][0].counts["hit"] == 2
    assert scores["bleu"].alignments is None
