"""NIST against what mteval-v13a (and v11b) printed for the gold sets, at every level."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

import metra

SHARED = Path(__file__).resolve().parents[3] / "shared"

SETS = [
    ("edge", "1", "txt"),
    ("edge", "123", "txt"),
    ("nist4", "1234", "txt"),
    ("wmt21ruen", "A", "txt"),
    ("wmt21ruen", "AB", "txt"),
    ("asiya3", "A", "tok"),
]
# mteval's command line options: -c keeps case, which ours does by default. The last two
# concern BLEU alone.
OPTIONS = {
    "c": "nist:style=mteval",
    "default": "nist:style=mteval,case=lower",
    "c.intl": "nist:style=mteval,tok=intl",
    "intl": "nist:style=mteval,tok=intl,case=lower",
    "c.nosmooth": "nist:style=mteval",
    "c.shortest": "nist:style=mteval",
}
RUNS = [
    pytest.param(*chosen, option, id=f"{chosen[0]}-ref{chosen[1]}-{option}")
    for chosen in SETS
    for option in OPTIONS
    if chosen[0] != "asiya3" or option == "c"  # the only way it was run on that set
]


@pytest.fixture(scope="module")
def gold():
    if not (SHARED / "gold").is_dir():
        pytest.skip(f"needs the gold data, which is not at {SHARED}")
    return SHARED / "gold"


def lines(path):
    packed = path.with_name(path.name + ".gz")
    content = (
        path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    )
    return content.decode().removesuffix("\n").split("\n")


def table(path):
    header, *rows = (line.split("\t") for line in lines(path))
    return [dict(zip(header, row, strict=True)) for row in rows]


@pytest.mark.parametrize(("name", "refs", "ending", "option"), RUNS)
def test_every_level(name, refs, ending, option, gold):
    spec = OPTIONS[option]
    texts = gold / "data" / name
    place = [tuple(line.split("\t")[:2]) for line in lines(texts / "docs.tsv")]
    streams = [lines(texts / f"ref.{ref}.{ending}") for ref in refs]
    printed = {
        level: table(gold / "mteval" / f"{name}.ref{refs}.v13a.{option}.{level}.tsv")
        for level in ("sys", "doc", "seg")
    }
    systems = [row["system"] for row in printed["sys"]]
    results = metra.evaluate(
        metra.EvalSet(streams, documents=[document for document, _ in place]),
        {system: lines(texts / f"hyp.{system}.{ending}") for system in systems},
        [spec],
        levels=["system", "document", "segment"],
    )
    for row in printed["sys"]:
        found = results[row["system"]][spec].score
        assert found == pytest.approx(float(row["NIST"]), abs=1e-9)
    for row in printed["doc"]:
        found = results[row["system"]][spec].documents[row["doc"]]
        assert found == pytest.approx(float(row["NIST"]), abs=1e-9), row
    index = {entry: at for at, entry in enumerate(place)}
    for row in printed["seg"]:
        at = index[row["doc"], row["seg"]]
        found = results[row["system"]][spec].segments[at]
        assert found == pytest.approx(float(row["NIST"]), abs=1e-9), row
    assert len(printed["seg"]) == len(place) * len(systems)


REPORTS = [
    pytest.param(
        name, refs, ending, version, option, id=f"{name}-{refs}-{version}-{option}"
    )
    for name, refs, ending in SETS
    for version, option in [
        *(("v13a", option) for option in OPTIONS),
        ("v11b", "c"),
        ("v11b", "default"),
    ]
    if name != "asiya3" or (version, option) == ("v13a", "c")
]


@pytest.mark.parametrize(("name", "refs", "ending", "version", "option"), REPORTS)
def test_every_order(name, refs, ending, version, option, gold):
    """The printed tables of individual and cumulative scores, one to nine words."""
    texts = gold / "data" / name
    report = gold / "mteval" / f"{name}.ref{refs}.{version}.{option}.report.txt"
    found = re.findall(r'NIST:\s+([\d. ]+?)\s+"(.+?)"', report.read_text())
    assert found
    read = bytewise if version == "v11b" else lines
    streams = [read(texts / f"ref.{ref}.{ending}") for ref in refs]
    half = len(found) // 2
    for at, (numbers, system) in enumerate(found):
        hyps = read(texts / f"hyp.{system}.{ending}")
        parts = metra.score(hyps, streams, f"{OPTIONS[option]},n=9").parts
        ours = parts["bp"] * np.array(parts["precisions"])
        if at >= half:
            ours = ours.cumsum()
        expected = [float(number) for number in numbers.split()]
        assert ours.tolist() == pytest.approx(expected, abs=5.1e-5)


def bytewise(path):
    """mteval-v11b reads bytes: what is white space beyond ASCII separates nothing."""
    return [
        "".join("\ue000" if c.isspace() and not c.isascii() else c for c in line)
        for line in lines(path)
    ]
