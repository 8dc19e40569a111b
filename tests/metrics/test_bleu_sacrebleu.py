"""BLEU equals sacreBLEU 2.6.0: its statistics to the digit, its scores to 1e-9."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

import metra
from metra.corpus.batch import Batch
from metra.stats.totals import sum_rows

TOKENIZERS = ("none", "char", "13a", "intl", "zh")
SMOOTHINGS = [
    ("exp", None),
    ("none", None),
    ("floor", None),
    ("floor", 0.5),
    ("add-k", None),
    ("add-k", 2.0),
]


class Texts(NamedTuple):
    """A system's output and its references; None where there is no reference."""

    hyps: list[str]
    refs: list[list[str | None]]

    def sample(self, most: int) -> "Texts":
        """Segments from all over the set, enough to compare with a slow program."""
        step = -(-len(self.hyps) // most)
        return Texts(self.hyps[::step], [ref[::step] for ref in self.refs])


Load = Callable[[Path], list[dict[str, str]]]


def gold(name: str, system: str, refs: str, ending: str):
    def load(shared: Path, _: Load) -> Texts:
        folder = shared / "gold" / "data" / name

        def lines(path: str) -> list[str]:
            text = (folder / path).read_bytes().decode()
            return text.removesuffix("\n").split("\n")

        return Texts(
            lines(f"hyp.{system}.{ending}"),
            [lines(f"ref.{ref}.{ending}") for ref in refs],
        )

    return load


def table(path: str, hyp: str, *refs: str, **wanted: str):
    def load(shared: Path, read: Load) -> Texts:
        rows = [
            row
            for row in read(shared / "data" / path)
            if all(row[key] == value for key, value in wanted.items())
        ]
        return Texts(
            [row[hyp] for row in rows],
            [[row[ref] or None for row in rows] for ref in refs],
        )

    return load


def beside(path: str, system: str, *refs: str):
    """Outputs and references in two tables of the same segments."""

    def load(shared: Path, read: Load) -> Texts:
        folder = shared / "data" / path
        pair, _, _ = folder.name.partition(".")
        outputs = read(folder.with_name(f"{pair}.outputs.tsv"))
        segments = read(folder.with_name(f"{pair}.segments.tsv"))
        return Texts(
            [row[system] for row in outputs],
            [[row[ref] for row in segments] for ref in refs],
        )

    return load


def many_references(shared: Path, read: Load) -> Texts:
    folder = shared / "data" / "ort-encs-48refs"
    rows = read(folder / "refs.tsv")
    names = [name for name in rows[0] if name not in ("seg", "source")]
    assert len(names) == 48
    outputs = {
        row["seg"]: row["text"]
        for row in read(folder / "outputs.tsv")
        if row["system"].startswith("CUNI-DocTransformer")
    }
    return Texts(
        [outputs[row["seg"]] for row in rows],
        [[row[name] or None for row in rows] for name in names],
    )


SETS = {
    "edge": gold("edge", "edge", "123", "txt"),
    "edge, one reference": gold("edge", "edge", "1", "txt"),
    "edge, tokens": gold("edge", "edge", "123", "tok"),
    "nist4": gold("nist4", "sample_system", "1234", "txt"),
    "asiya3": gold("asiya3", "bing", "A", "tok"),
    "wmt21 ru-en": gold("wmt21ruen", "Online-G", "ABW", "txt"),
    "wmt23 en-de": beside("wmt23-mqm-esa/en-de.", "AIRC", "refA"),
    "wmt23 he-en": beside("wmt23-mqm-esa/he-en.", "ONLINE-G", "refA", "refB"),
    "wmt23 zh-en": beside("wmt23-mqm-esa/zh-en.", "Yishu", "refA"),
    "wmt19 gu-en": table("wmt19-da/gu-en.segments.tsv", "NICT.6603", "ref"),
    "wmt19 zh-en": table("wmt19-da/zh-en.segments.tsv", "online-X.0", "ref"),
    "48 references": many_references,
    "post-edited en-es": table(
        "pe-iwslt2019-enes/segments.tsv", "MT", "PE", "REF", file="ann3"
    ),
    "mlqe en-zh": table("mlqe-pe/segments.tsv", "mt", "post_edit", lp="en-zh"),
    "mlqe si-en": table("mlqe-pe/segments.tsv", "mt", "post_edit", lp="si-en"),
    "mlqe et-en": table(
        "mlqe-pe/segments.tsv", "mt", "post_edit", "ref1", "ref2", lp="et-en"
    ),
    "elitr en-cs": table(
        "elitr-adequacy-fluency/segments.tsv", "online-z", "ref", lp="en-cs"
    ),
    "tradopad": table(
        "tradopad-adequacy/items.tsv", "mt", "ref1", "ref2", "ref3", "ref4"
    ),
}


@pytest.mark.seed("2.5")
@pytest.mark.parametrize("tok", TOKENIZERS)
@pytest.mark.parametrize("name", SETS)
def test_real_text(name, tok, shared, read_table):
    texts = SETS[name](shared, read_table).sample(
        12 if name == "48 references" else 120
    )
    for case, n in [("mixed", 4), ("lower", 4), ("mixed", 6)]:
        rows = statistics_agree(texts, tok, case, n)
        if n == 4:
            scores_agree(rows, tok, case)


def statistics_agree(texts: Texts, tok: str, case: str, n: int):
    metric = metra.metric(f"bleu:tok={tok},case={case},n={n}")
    rows = metric.rows(Batch(*texts))
    theirs = BLEU(
        tokenize=tok, lowercase=case == "lower", max_ngram_order=n, force=True
    )
    expected = np.array(theirs._extract_corpus_statistics(*texts), float)
    lengths, counts = expected[:, :2], expected[:, 2:]
    assert np.array_equal(rows, np.hstack([counts, lengths]))
    return rows


def scores_agree(rows, tok: str, case: str) -> None:
    """Every smoothing, with and without effective order, of the corpus and each segment."""
    for (smooth, value), eff in product(SMOOTHINGS, ("yes", "no")):
        spec = f"bleu:tok={tok},case={case},smooth={smooth},eff={eff}"
        spec += "" if value is None else f",smooth_value={value}"
        totals = np.vstack([rows, sum_rows(rows)])
        found = metra.metric(spec).aggregate(totals)
        expected = [
            BLEU.compute_bleu(
                row[:4].tolist(),
                row[4:8].tolist(),
                int(row[8]),
                int(row[9]),
                smooth_method=smooth,
                smooth_value=value,
                effective_order=eff == "yes",
            ).score
            for row in totals
        ]
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["edge", "nist4", "asiya3", "tradopad"])
def test_from_end_to_end(name, shared, read_table):
    """The two programs as people call them, nothing of their inside in between."""
    hyps, refs = SETS[name](shared, read_table)
    result = metra.score(hyps, refs)
    theirs = BLEU().corpus_score(hyps, refs)
    assert result.score == pytest.approx(theirs.score, abs=1e-9)
    assert result.parts["counts"] == theirs.counts
    assert result.parts["totals"] == theirs.totals
    assert result.parts["precisions"] == pytest.approx(theirs.precisions, abs=1e-9)
    assert result.parts["bp"] == pytest.approx(theirs.bp, abs=1e-12)
    assert result.parts["ratio"] == pytest.approx(theirs.ratio, abs=1e-12)
    sentences = BLEU(effective_order=True)
    pairs = zip(hyps, zip(*refs, strict=True), strict=True)
    assert result.segments == pytest.approx(
        [sentences.sentence_score(hyp, given).score for hyp, given in pairs], abs=1e-9
    )


# What sacreBLEU gave for whole test sets, as their makers published it.
