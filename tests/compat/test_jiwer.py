"""The jiwer adapter beside jiwer itself: records, numbers to the bit, texts to the byte."""

import copy
import importlib
import pickle
import random
import sys
from dataclasses import asdict, replace

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


@pytest.mark.parametrize("pairs", [EXAMPLE, [("", "")]], ids=["example", "nothing"])
def test_drawings_and_error_counts_take_our_records(pairs):
    """These functions are jiwer's own."""
    refs, hyps = map(list, zip(*pairs, strict=True))
    for name in ("process_words", "process_characters"):
        records = [getattr(module, name)(refs, hyps) for module in (ours, theirs)]
        for function in (
            theirs.visualize_alignment,
            theirs.visualize_error_counts,
            theirs.collect_error_counts,
        ):
            assert function(records[0]) == function(records[1])


@pytest.mark.parametrize("name", ["process_words", "process_characters"])
def test_records_are_equal_and_copied_as_those_of_jiwer(name):
    refs, hyps = map(list, zip(*EXAMPLE, strict=True))
    record, other = (getattr(module, name)(refs, hyps) for module in (ours, theirs))
    assert record == other
    assert other == record
    assert record != getattr(ours, name)(hyps, hyps)
    assert repr(record) == repr(other)
    assert isinstance(record, type(other))
    for again in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert again == other
        assert type(again) is type(other)
    assert replace(record, hits=7) == replace(other, hits=7)
    with pytest.raises(AttributeError, match="no attribute 'words'"):
        record.words  # noqa: B018


def test_words_and_alignments_are_listed_when_they_are_used(monkeypatch):
    def refuse(_):
        raise AssertionError

    monkeypatch.setattr(ours, "_list_alignments", refuse)
    output = ours.process_words("a b", "a c")
    assert (output.wer, output.hits) == (0.5, 1)
    with pytest.raises(AssertionError):
        _ = output.alignments


@pytest.mark.parametrize("length", [1800, 2600, 5000])
def test_long_texts(length):
    rng = random.Random(length)
    ref = "".join(rng.choice("abcdefgh ") for _ in range(length))
    hyp = "".join(rng.choice("xyz") if rng.random() < 0.2 else c for c in ref[100:])
    assert asdict(ours.process_characters(ref, hyp)) == asdict(
        theirs.process_characters(ref, hyp)
    )


TRANSFORMS = [
    theirs.ExpandCommonEnglishContractions(),
    theirs.ReduceToSingleSentence(),
    theirs.ReduceToSingleSentence("-"),
    theirs.RemoveEmptyStrings(),
    theirs.RemoveKaldiNonWords(),
    theirs.RemoveMultipleSpaces(),
    theirs.RemovePunctuation(),
    theirs.RemoveSpecificWords(["the", "a"]),
    theirs.RemoveWhiteSpace(),
    theirs.RemoveWhiteSpace(replace_by_space=True),
    theirs.Strip(),
    theirs.SubstituteRegexes({r"\b(\w+)ed\b": r"\1", "a+": "b"}),
    theirs.SubstituteWords({"the": "an", "an": "one", "a.b": "x"}),
    theirs.ToLowerCase(),
    theirs.ToUpperCase(),
    theirs.ReduceToListOfListOfWords(),
    theirs.ReduceToListOfListOfWords("-"),
    theirs.ReduceToListOfListOfChars(),
]
REPLACED = {
    *("wer", "cer", "mer", "wil", "wip", "process_words", "process_characters"),
}


def test_every_other_public_name_is_that_of_jiwer():
    for name in dir(theirs):
        if not name.startswith("_") and name not in {"process", "name", "cli"}:
            is_same = getattr(ours, name) is getattr(theirs, name)
            assert is_same == (name not in REPLACED), name


@settings(deadline=None)
@given(PAIRS, st.lists(st.integers(0, 17), max_size=3), st.sampled_from([15, 16, 17]))
@example([(" a", "a ")], [], 17)  # blanks at the ends count
@example([("a\tb", "a b")], [], 15)  # a tab does not separate
@example([("a-b", "b")], [6], 16)
def test_compositions(pairs, steps, cut):
    """What is measured after any transforms, ours in our functions, jiwer's in its own."""
    refs, hyps = map(list, zip(*pairs, strict=True))
    steps = [step for step in steps if step < 15]
    transform = theirs.Compose([TRANSFORMS[step] for step in [*steps, cut]])
    results = []
    for module in (ours, theirs):
        try:
            # One side only: the other is cut at blanks.
            output = module.process_words(refs, hyps, transform)
            same = module.process_words(refs, hyps, transform, transform)
            results.append((asdict(output), asdict(same)))
        except ValueError:  # other numbers of sentences
            results.append("refused")
    assert results[0] == results[1]


def test_transforms_are_functions():
    lower = theirs.Compose([theirs.ToLowerCase(), theirs.ReduceToListOfListOfWords()])
    arguments = ("The cat", "the CAT", lower, lower)
    assert ours.wer(*arguments) == theirs.wer(*arguments) == 0
    assert ours.mer("a-b", "a b", lambda texts: [texts[0].split("-")]) == 0
    joined = ours.wer_contiguous
    assert ours.wer(["a", "b"], "a b", joined, joined) == 0


def test_faults_of_transforms_are_theirs():
    for module in (ours, theirs):
        steps = [lambda _: [1], module.ReduceToListOfListOfWords()]
        with pytest.raises(AttributeError):
            module.wer("a", "a", module.Compose(steps))


def test_a_default_that_was_changed_counts(monkeypatch):
    steps = [ours.ToLowerCase(), *ours.wer_default.transforms]
    monkeypatch.setattr(ours.wer_default, "transforms", steps)
    assert ours.wer("A b", "a B") == 0


def test_lists_that_change_later():
    refs, cut = ["a b"], ours.Compose([ours.ReduceToListOfListOfWords()])
    out = ours.process_words(refs, ["a b"], cut, cut)
    refs[0] = "x"
    assert out.references == [["a", "b"]]


def test_without_jiwer(monkeypatch):
    monkeypatch.setitem(sys.modules, "jiwer", None)
    monkeypatch.delitem(sys.modules, "metra.compat.jiwer")
    with pytest.raises(metra.MetraError, match=r"'jiwer'.*pip install '\.\[jiwer\]'"):
        importlib.import_module("metra.compat.jiwer")


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
        ("a", "a", ours.Compose([])),
        "The transform of the reference gives ['a']; expected a list with a list of words "
        "or characters for each sentence.",
        id="no transform at all",
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
