"""BLEU against what Moses' multi-bleu prints for the gold sets."""

import re

import pytest

import metra


def test_multi_bleu(shared, read_lines, read_table):
    """Moses' script: words as they are, no smoothing, corpora only."""
    rows = read_table(shared / "gold" / "multibleu" / "multi-bleu.tsv")
    checked = 0
    for row in rows:
        if row["tool"] != "multi-bleu" or row["option"]:
            continue
        if (row["set"], row["input"]) == ("edge", "txt"):
            continue  # it reads bytes, so the no-break spaces of that text split no words
        folder = shared / "gold" / "data" / row["set"]
        ending = row["input"]
        refs = [read_lines(folder / f"ref.{ref}.{ending}") for ref in row["refs"]]
        hyps = read_lines(folder / f"hyp.{row['system']}.{ending}")
        found = metra.score(hyps, refs, "bleu:tok=none,smooth=none")
        printed = re.match(
            r"BLEU = ([\d.]+), ([\d./]+) \(BP=([\d.]+), ratio=([\d.]+), "
            r"hyp_len=(\d+), ref_len=(\d+)\)",
            row["output_high_precision"],
        )
        assert found.score == pytest.approx(float(printed[1]), abs=1e-9)
        precisions = [float(part) for part in printed[2].split("/")]
        assert found.parts["precisions"] == pytest.approx(precisions, abs=1e-8)
        assert found.parts["bp"] == pytest.approx(float(printed[3]), abs=1e-9)
        assert found.parts["ratio"] == pytest.approx(float(printed[4]), abs=1e-9)
        assert found.parts["hyp_len"] == int(printed[5])
        assert found.parts["ref_len"] == int(printed[6])
        checked += 1
    assert checked == 24
