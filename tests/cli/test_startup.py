"""What is loaded when: the quick commands wait for nothing that they do not use."""

import subprocess
import sys

import pytest

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


def test_every_public_name_is_there():
    import metra

    assert sorted(metra.__all__) == dir(metra)
    for name in metra.__all__:
        assert getattr(metra, name) is not None


def test_other_names_are_not():
    import metra

    with pytest.raises(AttributeError, match="module 'metra' has no attribute 'blue'"):
        _ = metra.blue
