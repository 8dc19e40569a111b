"""What is loaded when: the quick commands wait for nothing that they do not use."""

import subprocess
import sys

import pytest

from metra.corpus.examples import find_example

HEAVY = {
    "numpy",
    "scipy",
    "pandas",
    "polars",
    "pyarrow",
    "rich",
    "dataclasses",
    "importlib.metadata",
    "tempfile",
    "concurrent.futures",
    "metra._core",
}


#: What only arrays, intervals, files or threads need.
UNUSED = {
    "numpy.random",
    "statistics",
    "tempfile",
    "concurrent.futures",
    "zstandard",
    "metra.stats.significance",
    "metra.scoring.compare",
}
EXAMPLE = find_example()
PAIR = (*EXAMPLE.outputs[:2], "-r", EXAMPLE.references[0])


def loaded(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [
        line for line in done.stderr.split("\n") if line.startswith("import time:")
    ]
    return {line.rpartition("|")[2].strip() for line in lines[1:]}


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["-c", "import metra"], id="import metra"),
        pytest.param(["-m", "metra", "--version"], id="--version"),
        pytest.param(["-m", "metra", "--help"], id="--help"),
    ],
)
def test_nothing_heavy_is_loaded(arguments):
    # What Python itself, or a file of site-packages, loads at every start is not our doing.
    ours = loaded(*arguments) - loaded("-c", "")
    assert "metra" in ours
    assert not ours & HEAVY


def test_scoring_loads_numpy_and_no_more(write):
    path = write("a.txt", ["a b"])
    found = loaded("-m", "metra", "score", str(path), "-r", str(path), "-m", "wer")
    assert "numpy" in found
    assert not found & {
        "scipy",
        "pandas",
        "polars",
        "pyarrow",
        "rich",
        "sacrebleu",
        "zstandard",
    }


def test_the_score_of_a_system_alone_loads_no_arrays():
    ours = loaded("-m", "metra", "score", *PAIR)
    assert "metra.scoring.evaluate" in ours
    modules = {"metra.metrics.alignment", "metra.formats.texts.documents"}
    assert not ours & {"numpy", "json", "shutil", *modules}


def test_plain_scoring_loads_little_beside_numpy():
    score = ("score", *PAIR, "-m", "chrf")
    ours = loaded("-m", "metra", *score) - loaded("-c", "import numpy")
    assert "metra.scoring.evaluate" in ours
    assert not ours & UNUSED


def test_every_public_name_is_there():
    import metra

    assert sorted(metra.__all__) == dir(metra)
    for name in metra.__all__:
        assert getattr(metra, name) is not None


def test_other_names_are_not():
    import metra

    with pytest.raises(AttributeError, match="module 'metra' has no attribute 'blue'"):
        _ = metra.blue
