"""Memory for one huge segment: kernels keep no number for each cell and no list of runs."""

import subprocess
import sys

import pytest

LETTERS = "'ab'[at * at % prime % 2]"
CASES = [  # a table or a list of this grid would take gigabytes
    pytest.param("wer", "str(at * at % prime)", 30_000, 50, id="wer"),
    pytest.param("gtm:e=2,nodes=20000", LETTERS, 10_000, 40, id="greedy"),
    pytest.param("gtm:e=2,match=exact,nodes=20000", LETTERS, 1_000, 150, id="exact"),
]


@pytest.mark.parametrize(("spec", "word", "count", "megabytes"), CASES)
def test_memory_stays_small(spec, word, count, megabytes):
    pytest.importorskip("resource")
    program = f"""
import resource, metra
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
metric = metra.metric("{spec}")
metric.sentence("a", ["b"])
hyp, ref = ([{word} for at in range({count})] for prime in (997, 1009))
before = peak()
row = metric.rows(metra.Batch([" ".join(hyp)], [[" ".join(ref)]]))[0]
grown = peak() - before
print(int(metric.parts(row)["hyp_len"]), grown)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    words, grown = map(int, done.stdout.split())
    assert words == count
    unit = 1 if sys.platform == "darwin" else 1024
    assert grown * unit < megabytes * 2**20
