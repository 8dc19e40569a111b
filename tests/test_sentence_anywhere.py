"""One sentence at a time, from any thread and from a process that was forked off."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import metra

PAIRS = [
    ("the cat sat on the mat", ["a cat sat on the mat", "the cat is on a mat"]),
    ("it did not move at all", ["it did not move"]),
    ("", ["nothing was said"]),
    ("猫は動かなかった。", ["猫は少しも動かなかった。"]),
]
SPECS = ["bleu", "chrf", "chrf:word_order=2", "ter", "wer", "meteor:lang=other"]


def scores(spec: str) -> list[float]:
    metric = metra.metric(spec)
    alone = [metric.sentence(hyp, refs) for hyp, refs in PAIRS]
    texts = [hyp for hyp, _ in PAIRS]
    return alone + metra.pairwise(texts, texts, spec).ravel().tolist()


@pytest.mark.parametrize("spec", SPECS)
def test_many_threads_at_once(spec):
    expected = scores(spec)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(scores, [spec] * 200))
    finally:
        sys.setswitchinterval(interval)
    assert found == [expected] * 200


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("spec", SPECS)
def test_a_forked_process_scores_the_same(spec):
    """The child takes over what the kernels keep between calls, whatever it was used for."""
    expected = scores(spec)
    with get_context("fork").Pool(2) as children:
        found = children.map(scores, [spec] * 4)
    assert found == [expected] * 4
