"""Batches that add up: numbers of references, empty batches, what is refused."""

import pytest

import metra
from metra.errors import CorpusError, LengthError, OptionError
from metra.scoring.accumulator import Accumulator

HYPS = ["the cat sat on the mat", "it did not move at all", "so be it"]
REFS = [
    ["a cat sat on the mat", "it stayed", "be it so"],
    ["the cat sat", "it did not move", "so it is"],
]


def test_one_metric_gives_a_score_and_a_list_a_dict():
    one, several = Accumulator("bleu"), Accumulator(["bleu", "wer"])
    for accumulator in (one, several):
        accumulator.update(HYPS, REFS)
    expected = metra.score(HYPS, REFS, ["bleu", "wer"])
    assert one.compute().score == expected["bleu"].score
    assert {spec: s.score for spec, s in several.compute().items()} == {
        spec: result.score for spec, result in expected.items()
    }
    assert repr(several) == "<Accumulator of bleu, wer: 3 segments>"


def test_batches_with_different_numbers_of_references():
    references = [["a cat sat on the mat", "the cat sat"], ["it did not move"]]
    accumulator = Accumulator("bleu")
    for hyp, refs in zip(HYPS[:2], references, strict=True):
        accumulator.update([hyp], refs_per_segment=[refs])
    at_once = metra.score(HYPS[:2], metric="bleu", refs_per_segment=references)
    assert accumulator.compute().score == at_once.score
    assert accumulator.compute().signature == at_once.signature
    assert "|nrefs:var|" in at_once.signature


def test_an_empty_batch_adds_nothing():
    accumulator = Accumulator()
    accumulator.update([], [[]])
    assert accumulator.segments == 0
    with pytest.raises(LengthError, match="hyps has 0 segments but reference 1 has 1"):
        accumulator.update([], [["a"]])


def test_reset_and_state():
    accumulator = Accumulator("chrf")
    accumulator.update(HYPS, REFS)
    score, state = accumulator.compute().score, accumulator.get_state()
    accumulator.reset()
    with pytest.raises(CorpusError, match="is empty; add segments with"):
        accumulator.compute()
    assert not any(accumulator.get_state().sums["chrf"])
    accumulator.set_state(state)
    assert accumulator.compute().score == score


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nist", "nist needs weights from the references of the whole test set"),
        ("ltv", "give the metric that metric.fit"),
    ],
)
def test_metrics_that_have_to_be_fitted(spec, message):
    with pytest.raises(OptionError, match=message):
        Accumulator(spec)


def test_metrics_that_look_segments_up(tmp_path):
    """Their file numbers the segments of the whole test set."""
    names = tmp_path / "names.tsv"
    names.write_text("segment\ttype\ttext\n2\tPERSON\tAda\n", encoding="utf-8")
    metric = metra.metric("entities", file=str(names))
    with pytest.raises(OptionError, match="needs the whole test set"):
        Accumulator(metric)
    fitted = metric.fit([metra.Batch(HYPS, REFS)])
    accumulator = Accumulator(fitted)
    with pytest.raises(CorpusError, match="needs segment numbers"):
        accumulator.update(HYPS[:1], [ref[:1] for ref in REFS])


def test_other_metrics_are_not_merged():
    with pytest.raises(OptionError, match=r"An accumulator of chrf cannot be merged"):
        Accumulator("bleu").merge(Accumulator("chrf"))
    with pytest.raises(OptionError, match="make both with the same metrics"):
        Accumulator("bleu").merge(Accumulator("bleu:n=2"))
