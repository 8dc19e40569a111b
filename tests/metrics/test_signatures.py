"""Signatures in other forms: short, and letter for letter as sacreBLEU writes them."""

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from metra import __version__
from metra.metrics.registry import metric
from metra.metrics.signatures import SACREBLEU, rewrite_signature

SAME = [
    ("bleu", BLEU()),
    ("bleu:tok=intl,case=lower", BLEU(tokenize="intl", lowercase=True)),
    ("bleu:smooth=floor", BLEU(smooth_method="floor")),
    ("bleu:smooth=add-k,smooth_value=2", BLEU(smooth_method="add-k", smooth_value=2)),
    ("bleu:eff=yes,smooth=none", BLEU(effective_order=True, smooth_method="none")),
    ("chrf", CHRF()),
    ("chrf:word_order=2,case=lower", CHRF(word_order=2, lowercase=True)),
    ("chrf:n=4,whitespace=yes,eps=yes", CHRF(4, whitespace=True, eps_smoothing=True)),
    ("ter", TER()),
    ("ter:normalized=yes,case=mixed", TER(normalized=True, case_sensitive=True)),
    ("ter:normalized=yes,asian=yes,punct=no",
     TER(normalized=True, asian_support=True, no_punct=True)),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "theirs"), SAME)
def test_as_sacrebleu_writes_them(spec, theirs):
    score = theirs.corpus_score(["a b c d"], [["a b c d"], ["a b c e"]])
    expected = f"{score.name}|{theirs.get_signature()}"
    assert rewrite_signature(metric(spec).signature(nrefs=2), "sacrebleu") == expected
    assert expected.endswith(f"|version:{SACREBLEU}")


def test_resampling_is_named_as_sacrebleu_names_it():
    ours = metric("bleu").signature(
        nrefs=1, ci="percentile", ci_unit="segment", trials=1000, seed=12345
    )
    assert rewrite_signature(ours, "sacrebleu") == (
        "BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    )


@pytest.mark.parametrize(
    "spec",
    ["wer", "bleu:n=2", "bleu:stem=porter", "bleu:style=mteval", "chrf:beta=1",
     "ter:style=tercom", "ter:tok=13a"],
)  # fmt: skip
def test_what_sacrebleu_does_not_have_stays_ours(spec):
    signature = metric(spec).signature(nrefs=1)
    assert rewrite_signature(signature, "sacrebleu") == signature


SHORT = [
    ("bleu", "bleu|nrefs:1"),
    ("bleu:tok=intl,n=2", "bleu|n:2|tok:intl|nrefs:1"),
    ("bleu:smooth=floor", "bleu|smooth:floor|smooth_value:0.1|nrefs:1"),
    ("chrf:word_order=2", "chrf|word_order:2|nrefs:1"),
]


@pytest.mark.parametrize(("spec", "expected"), SHORT)
def test_short(spec, expected):
    found = rewrite_signature(metric(spec).signature(nrefs=1), "short")
    assert found == f"{expected}|version:{__version__}"


def test_a_metric_that_needs_a_file_is_shortened_too():
    signature = "entities|file:a.tsv|unit:segment|partial:yes|nrefs:0|version:1"
    short = "entities|file:a.tsv|partial:yes|nrefs:0|version:1"
    assert rewrite_signature(signature, "short") == short


def test_a_metric_that_is_unknown_here_keeps_its_signature():
    assert rewrite_signature("mine|x:1|version:3", "short") == "mine|x:1|version:3"
