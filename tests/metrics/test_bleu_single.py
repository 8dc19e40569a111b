"""The short way from one segment to its BLEU gives what the way through arrays gives."""

import pytest

import metra

SPECS = [
    pytest.param("bleu", id="effective order"),
    pytest.param("bleu:eff=no", id="all orders"),
    pytest.param("bleu:n=2,smooth=floor", id="few orders"),
    pytest.param("bleu:n=7,smooth=add-k", id="more orders than usual"),
    pytest.param("bleu:tok=zh,case=lower", id="other preparation"),
    pytest.param("bleu:ref_len=average", id="other reference length"),
    pytest.param("bleu:style=mteval", id="other style"),
]

SEGMENTS = [
    pytest.param("the cat sat on the mat", ["a cat sat on the mat"], id="usual"),
    pytest.param("the the the", ["the cat", "the the dog"], id="clipped, two refs"),
    pytest.param("", ["a"], id="empty output"),
    pytest.param("a", [""], id="empty reference"),
    pytest.param("no match", ["at all here"], id="nothing matches"),
    pytest.param("x " * 70 + "猫。", ["x " * 80 + "猫 !"], id="more than 64 words"),
]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("hyp", "refs"), SEGMENTS)
def test_same_bits(spec, hyp, refs):
    metric = metra.metric(spec).for_segments or metra.metric(spec)
    assert metric.fast.single is not None
    rows = metric.rows(metra.Batch([hyp], [[ref] for ref in refs]))
    assert metric.fast.single(hyp, refs) == metric.aggregate(rows)[0]


def test_stems_have_no_short_way():
    metric = metra.metric("bleu:stem=english")
    assert metric.fast.single is None
    assert metric.sentence("two cats sat down here", ["two cat sat down here"]) == 100
