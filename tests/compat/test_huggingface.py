"""The adapter for Hugging Face evaluate, where evaluate is installed."""

import pytest

evaluate = pytest.importorskip("evaluate", reason="needs evaluate")

import metra  # noqa: E402, what is optional comes first
from metra.compat import huggingface  # noqa: E402

HYPS = ["the cat sat on the mat", "it did not move at all"]
REFS = [["a cat sat on the mat", "the cat sat"], ["it did not move", "it stayed"]]


def expect(*specs):
    results = metra.score(HYPS, None, list(specs), refs_per_segment=REFS)
    return {spec: result.score for spec, result in results.items()}


def test_scores_and_signatures():
    module = huggingface.load("bleu", "chrf:word_order=2")
    found = module.compute(predictions=HYPS, references=REFS)
    signatures = found.pop("signatures")
    assert found == expect("bleu", "chrf:word_order=2")
    assert signatures["bleu"].startswith("bleu|n:4|tok:13a|")


def test_one_reference_may_stand_alone():
    found = huggingface.load("ter").compute(
        predictions=HYPS, references=[refs[0] for refs in REFS]
    )
    assert found["ter"] == metra.score(HYPS, [refs[0] for refs in REFS], "ter").score


def test_batches():
    module = huggingface.load()
    for hyp, refs in zip(HYPS, REFS, strict=True):
        module.add(prediction=hyp, reference=refs)
    assert module.compute()["bleu"] == expect("bleu")["bleu"]
    module.add_batch(predictions=HYPS, references=REFS)
    assert module.compute()["bleu"] == expect("bleu")["bleu"]


def test_combined_with_others():
    both = evaluate.combine([huggingface.load("bleu"), huggingface.load("ter")])
    found = both.compute(predictions=HYPS, references=REFS)
    assert {found["bleu"], found["ter"]} == set(expect("bleu", "ter").values())
