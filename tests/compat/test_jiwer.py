"""The jiwer adapter beside jiwer itself: records, numbers to the bit, texts to the byte."""

import random
from dataclasses import asdict

import jiwer as theirs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import metra
from metra.compat import jiwer as ours

WORDS = st.lists(
    st.sampled_from(["a", "b", "the", "*", "**", "été", "猫", "x\ty"]), max_size=12
).map(" ".join)
TEXTS = st.one_of(WORDS, st.text(max_size=20))
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4)
EXAMPLE = [
    ("short one here", "shoe order one"),
    ("quite a bit of longer sentence", "quite bit of an even longest sentence here"),
]


@settings(deadline=None)
@given(PAIRS)
@example(EXAMPLE)
@example([("", "")])
@example([("", "a b"), ("a", "")])
@example([("   ", "a  b\n\nc")])
def test_numbers_and_records(pairs):
    refs, hyps = map(list, zip(*pairs, strict=True))
    for name in ("wer", "cer", "mer", "wil", "wip"):
        assert getattr(ours, name)(refs, hyps) == getattr(theirs, name)(refs, hyps)
    for name in ("process_words", "process_characters"):
        expected = getattr(theirs, name)(refs, hyps)
        assert asdict(getattr(ours, name)(refs, hyps)) == asdict(expected)


@settings(deadline=None)
@given(
    PAIRS,
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, 1, 6, 20, 80]),
)
@example(EXAMPLE, True, True, None)
@example([("", "")], False, False, None)
def test_drawings(pairs, measures, skip, width):
    refs, hyps = map(list, zip(*pairs, strict=True))
    for name in ("process_words", "process_characters"):
        drawings = [
            module.visualize_alignment(
                getattr(module, name)(refs, hyps),
                show_measures=measures,
                skip_correct=skip,
                line_width=width,
            )
            for module in (ours, theirs)
        ]
        assert drawings[0] == drawings[1]


@settings(deadline=None)
@given(PAIRS, *[st.booleans()] * 3, st.sampled_from([None, 1, 2]))
@example(EXAMPLE, True, True, True, None)
def test_error_counts(pairs, substitutions, insertions, deletions, top):
    refs, hyps = map(list, zip(*pairs, strict=True))
    for name in ("process_words", "process_characters"):
        records = [getattr(module, name)(refs, hyps) for module in (ours, theirs)]
        assert ours.collect_error_counts(records[0]) == theirs.collect_error_counts(
            records[1]
        )
        listed = [
            module.visualize_error_counts(
                record,
                show_substitutions=substitutions,
                show_insertions=insertions,
                show_deletions=deletions,
                top_k=top,
            )
            for module, record in zip((ours, theirs), records, strict=True)
        ]
        assert listed[0] == listed[1]


@pytest.mark.parametrize("length", [1800, 2600, 5000])
def test_long_texts(length):
    rng = random.Random(length)
    ref = "".join(rng.choice("abcdefgh ") for _ in range(length))
    hyp = "".join(rng.choice("xyz") if rng.random() < 0.2 else c for c in ref[100:])
    assert asdict(ours.process_characters(ref, hyp)) == asdict(
        theirs.process_characters(ref, hyp)
    )


def test_the_drawing_of_the_example():
    refs, hyps = map(list, zip(*EXAMPLE, strict=True))
    out = ours.process_words(refs, hyps)
    assert ours.visualize_alignment(out, show_measures=False) == (
        "=== SENTENCE 1 ===\n\n"
        "REF: **** short one here\n"
        "HYP: shoe order one ****\n"
        "        I     S        D\n\n"
        "=== SENTENCE 2 ===\n\n"
        "REF: quite a bit of ** ****  longer sentence ****\n"
        "HYP: quite * bit of an even longest sentence here\n"
        "           D         I    I       S             I\n"
    )


def test_transforms_are_functions():
    lower = theirs.Compose([theirs.ToLowerCase(), theirs.ReduceToListOfListOfWords()])
    arguments = ("The cat", "the CAT", lower, lower)
    assert ours.wer(*arguments) == theirs.wer(*arguments) == 0
    assert ours.mer("a-b", "a b", lambda texts: [texts[0].split("-")]) == 0
    for name in ("wer_contiguous", "cer_contiguous"):
        transform, other = getattr(ours, name), getattr(theirs, name)
        assert transform(["a b", "", " c "]) == other(["a b", "", " c "])
        assert transform(["", ""]) == other(["", ""])
    joined = ours.wer_contiguous
    assert ours.wer(["a", "b"], "a b", joined, joined) == 0


BAD = [
    pytest.param(
        (["a"], ["a", "b"]),
        "After the transforms there are 1 references and 2 hypotheses; their numbers must "
        "be equal.",
        id="different numbers",
    ),
    pytest.param(
        (None, "a"),
        "reference is None; expected a string or a list of strings.",
        id="no reference",
    ),
    pytest.param(
        ("a", ["a", 1]),
        "hypothesis is ['a', 1]; expected a string or a list of strings.",
        id="a number",
    ),
    pytest.param(
        ("a", "a", lambda texts: texts),
        "The transform of the reference gives ['a']; expected a list with a list of words "
        "or characters for each sentence.",
        id="a transform that does not cut",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_input(arguments, message):
    for function in (ours.wer, ours.process_words):
        with pytest.raises(metra.MetraError) as caught:
            function(*arguments)
        assert str(caught.value) == message
        assert isinstance(caught.value, ValueError)  # as jiwer's
