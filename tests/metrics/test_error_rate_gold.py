"""WER and PER against what the original programs printed."""

import json

import numpy as np
import pytest

import metra


@pytest.fixture
def gold(shared):
    return shared / "gold"


@pytest.fixture
def lines(gold, read_lines):
    return lambda name: read_lines(gold / "data" / name)


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
def test_equals_the_perl_scripts(dataset, tool, gold, lines, read_table):
    segments = read_table(gold / "wer_per" / f"{dataset}.tok.seg.tsv")
    totals = read_table(gold / "wer_per" / "sys.tsv")
    column = tool.removesuffix(".pl")
    systems = {(row["system"], row["ref"]) for row in totals if row["set"] == dataset}
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


def worked_examples(gold):
    return json.loads((gold / "seeds" / "worked_examples.json").read_text("utf-8"))


def test_worked_alignment(gold):
    """Distances of 8, 10 and 11 from 16, 18 and 16 words; the output has 18."""
    (example,) = (entry for entry in worked_examples(gold) if entry["id"] == "guide3")
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
