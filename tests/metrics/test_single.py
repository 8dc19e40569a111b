"""BLEU and chrF of one segment without arrays: the same bits as through their rows."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import metra
from metra.errors import CorpusError

SPECS = [
    pytest.param("bleu", id="effective order"),
    pytest.param("bleu:eff=no", id="all orders"),
    pytest.param("bleu:n=2,smooth=floor", id="few orders"),
    pytest.param("bleu:n=7,smooth=add-k", id="more orders than usual"),
    pytest.param("bleu:tok=zh,case=lower", id="other preparation"),
    pytest.param("bleu:ref_len=average", id="other reference length"),
    pytest.param("bleu:style=mteval", id="other style"),
    "chrf",
    "chrf:word_order=2",
    "chrf:word_order=2,case=lower",
    "chrf:n=0,word_order=1",
    "chrf:n=9",
    "chrf:whitespace=yes,beta=1",
    "chrf:eps=yes",
]


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=30)
@given(st.text(), st.lists(st.text(), min_size=1, max_size=3))
@example("the cat", ["a dog", "the cats", "the cat"])
@example("猫は動かなかった。", ["猫は少しも動かなかった。"])
@example("ab " * 20_000, ["ab ba " * 9_000])  # too long to be sorted
@example("x " * 70 + "猫。", ["x " * 80 + "猫 !"])  # more than 64 words
def test_same_bits_of_any_text(spec, hyp, refs):
    metric = metra.metric(spec).for_segments or metra.metric(spec)
    assert metric.fast.single is not None
    rows = metric.rows(metra.Batch([hyp], [[ref] for ref in refs]))
    assert metric.fast.single(hyp, refs) == metric.aggregate(rows)[0]


@pytest.mark.parametrize("spec", ["bleu:stem=english", "chrf:stem=english"])
def test_stems_have_no_short_way(spec):
    metric = metra.metric(spec)
    assert metric.fast.single is None
    assert metric.sentence("two cats sat down here", ["two cat sat down here"]) == 100


@pytest.mark.parametrize("spec", ["bleu", "chrf", "chrf:stem=english", "wer", "cer"])
@pytest.mark.parametrize(
    ("hyp", "refs", "message"),
    [
        pytest.param(
            None, ["a"], "hyp contains None where a text was expected.", id="None"
        ),
        pytest.param(
            "a", ["a", 1], "refs contains 1 where a text was expected.", id="int"
        ),
        pytest.param(
            "a",
            ["\ud800"],
            "Segment 1 of refs is a lone surrogate; expected a string.",
            id="half a character",
        ),
    ],
)
def test_what_is_no_text(spec, hyp, refs, message):
    with pytest.raises(CorpusError) as caught:
        metra.metric(spec).sentence(hyp, refs)
    assert str(caught.value) == message
