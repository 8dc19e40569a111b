"""WER and PER against what the original programs printed."""

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import metra

GOLD = Path(__file__).parents[3] / "shared" / "gold"

pytestmark = pytest.mark.skipif(
    not GOLD.is_dir(), reason="needs ../shared/gold: outputs of the original programs"
)


def read(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="\n") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def lines(name):
    path = GOLD / "data" / name
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def gold_systems(dataset):
    """Every system and reference that WER.pl was run on."""
    rows = read(GOLD / "wer_per" / "sys.tsv")
    found = [(row["system"], row["ref"]) for row in rows if row["set"] == dataset]
    return list(dict.fromkeys(found))


def corpus_score(result):
    """Give the score as the original programs do.

    PER.pl takes the longer of the summed lengths, so that needless words of one segment
    make up for missing words of another. We sum what PER.pl itself gives for segments.
    """
    if result.metric.name == "wer":
        return result.score
    parts = result.parts
    longer = max(parts["hyp_len"], parts["ref_len"])
    return 100 * (longer - parts["hits"]) / parts["ref_len"]


@pytest.mark.parametrize("dataset", ["edge", "nist4", "wmt21ruen"])
@pytest.mark.parametrize("tool", ["WER.pl", "PER.pl"])
def test_equals_the_perl_scripts(dataset, tool):
    suffix = ".gz" if dataset == "wmt21ruen" else ""
    segments = read(GOLD / "wer_per" / f"{dataset}.tok.seg.tsv{suffix}")
    totals = read(GOLD / "wer_per" / "sys.tsv")
    column = tool.removesuffix(".pl")
    systems = gold_systems(dataset)
    assert systems
    for system, ref in systems:
        hyps = lines(f"{dataset}/hyp.{system}.tok")
        refs = lines(f"{dataset}/ref.{ref}.tok")
        result = metra.score(hyps, [refs], column.lower())
        expected = [
            100 * float(row[column])
            for row in segments
            if (row["system"], row["ref"]) == (system, ref)
        ]
        np.testing.assert_allclose(result.segments, expected, atol=1e-9)
        key = (dataset, system, ref, tool)
        (total,) = (
            100 * float(row["value"])
            for row in totals
            if (row["set"], row["system"], row["ref"], row["tool"]) == key
        )
        assert corpus_score(result) == pytest.approx(total, abs=1e-9)
        assert result.score >= total - 1e-9


@pytest.mark.parametrize(
    ("dataset", "ref", "run"), [("nist4", "1", "ref1234"), ("wmt21ruen", "A", "refA")]
)
def test_equals_jiwer_on_corpora(dataset, ref, run):
    rows = read(GOLD / "pycross" / f"{dataset}.{run}.sys.tsv")
    expected = {
        row["system"]: 100 * float(row["score"])
        for row in rows
        if row["metric"] == "jiwer_wer_ref1(tok)"
    }
    assert expected
    refs = [lines(f"{dataset}/ref.{ref}.tok")]
    for system, value in expected.items():
        hyps = lines(f"{dataset}/hyp.{system}.tok")
        assert metra.score(hyps, refs, "wer").score == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("name", ["wer", "per"])
def test_equals_asiya_reports(name):
    """Three segments in Spanish-English, scored by the authors of Asiya."""
    report = (GOLD / "asiya_reports" / f"{name.upper()}.report").read_text()
    found = [line.split() for line in report.split("\n") if line.startswith("UNKNOWN")]
    assert found
    refs = [lines("asiya3/ref.A.tok")]
    for _, system, value in found:
        hyps = lines(f"asiya3/hyp.{system.removesuffix('.txt')}.tok")
        score = corpus_score(metra.score(hyps, refs, name))
        assert score == pytest.approx(-100 * float(value), abs=1e-6)


def test_worked_examples():
    printed = {
        (row["example"], row["oracle"]): float(row["output"])
        for row in read(GOLD / "seeds" / "worked_examples.tsv")
        if row["oracle"].startswith(("WER.pl", "PER.pl"))
    }
    assert len(printed) == 14
    for example in worked_examples():
        for at, ref in enumerate(example["refs"], 1):
            for name in ("wer", "per"):
                expected = printed[example["id"], f"{name.upper()}.pl ref{at}"]
                found = metra.metric(name).sentence(example["hyp"], [ref])
                assert found == pytest.approx(100 * expected, abs=1e-9)


def worked_examples():
    return json.loads((GOLD / "seeds" / "worked_examples.json").read_text("utf-8"))


def test_worked_alignment():
    """Distances of 8, 10 and 11 from 16, 18 and 16 words; the output has 18."""
    (example,) = (entry for entry in worked_examples() if entry["id"] == "guide3")
    found = metra.align(example["hyp"], example["refs"])
    edits = [sum(entry.counts.values()) - entry.counts["hit"] for entry in found]
    assert edits == [8, 10, 11]
    assert [len(entry.ref) for entry in found] == [16, 18, 16]
    assert [entry.chosen for entry in found] == [True, False, False]
    metric = metra.metric("wer")
    assert metric.sentence(example["hyp"], example["refs"]) == 50.0
    by_output = metra.metric("wer:norm=output")
    found = by_output.sentence(example["hyp"], example["refs"])
    assert found == pytest.approx(100 * 8 / 18)
