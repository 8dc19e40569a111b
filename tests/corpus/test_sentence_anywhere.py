"""One sentence at a time, from any thread and from a process that was forked off."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.patience import PATIENCE

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


# In a process without other threads: what they hold when it is forked is held for ever.
FORKED = """
from multiprocessing import get_context
from tests.corpus.test_sentence_anywhere import SPECS, scores

for spec in SPECS:
    expected = scores(spec)
    with get_context("fork").Pool(2) as children:
        assert children.map(scores, [spec] * 4) == [expected] * 4, spec
print("the same")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_scores_the_same(root):
    """The child takes over what the kernels keep between calls, whatever it was used for."""
    done = subprocess.run(
        [sys.executable, "-c", FORKED],
        capture_output=True,
        text=True,
        cwd=root,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout == "the same\n", done.stderr


# Threads that meet new words all the time, and so hold the locks of what is remembered of
# words, while the process is forked again and again.
BUSY = """
import itertools, os, sys, threading
import metra

metric = metra.metric(sys.argv[1])
metric.sentence("a b", ["a b"])

def work(name):
    for round in itertools.count():
        text = " ".join(f"word{name}x{round}x{at}s" for at in range(200))
        metric.sentence(text, [text + " runnings"])

for name in range(3):
    threading.Thread(target=work, args=(name,), daemon=True).start()
for round in range(12):
    child = os.fork()
    if not child:
        metric.sentence(f"new{round} words", ["brand new words"])
        os._exit(0)
    os.waitpid(child, 0)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("spec", ["bleu:stem=english", "meteor:lang=en"])
def test_a_fork_while_other_threads_score(spec):
    command = [sys.executable, "-W", "ignore", "-c", BUSY, spec]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
