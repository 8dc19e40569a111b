"""Plain scoring waits for nothing that only arrays, intervals, files or threads need."""

import subprocess
import sys

from metra.corpus.examples import find_example

UNUSED = {
    "numpy.random",
    "statistics",
    "tempfile",
    "concurrent.futures",
    "zstandard",
    "metra.stats.significance",
    "metra.scoring.compare",
}


def loaded(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line for line in done.stderr.split("\n") if line.startswith("import time")]
    return {line.rpartition("|")[2].strip() for line in lines}


def test_the_score_of_a_system_alone_loads_no_arrays():
    example = find_example()
    score = ("score", *example.outputs[:2], "-r", example.references[0])
    ours = loaded("-m", "metra", *score)
    assert "metra.scoring.evaluate" in ours
    assert (
        not {
            "numpy",
            "metra.metrics.alignment",
            "metra.formats.texts.documents",
            "json",
            "shutil",
        }
        & ours
    )


def test_plain_scoring_loads_little_beside_numpy():
    example = find_example()
    score = ("score", example.outputs[0], "-r", example.references[0], "-m", "chrf")
    ours = loaded("-m", "metra", *score) - loaded("-c", "import numpy")
    assert "metra.scoring.evaluate" in ours
    assert not ours & UNUSED
