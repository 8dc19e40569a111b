"""Signatures in other forms: short, and letter for letter as sacreBLEU writes them."""

import pickle
from pathlib import Path

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

import metra
from metra import __version__
from metra.corpus.examples import find_example
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


TEXTS = [
    "an old man on a hill",
    "the red man sat",
    "the wet hill",
    "a man on the red hill",
]


def test_weights_of_a_larger_corpus_are_named():
    """A group is scored with the weights of all segments, a part alone with its own."""
    documents = ["a", "b", "c", "d"]
    for spec in ("nist", "ltv"):
        whole, part = (
            metra.evaluate(
                metra.EvalSet([TEXTS[:end]], documents=documents[:end]),
                {"x": [text.replace("man", "dog") for text in TEXTS[:end]]},
                [spec],
                group_by={"half": [0, 0, 1, 1][:end]},
            )
            for end in (4, 2)
        )
        group = whole.groups[0].systems[0].scores[spec]
        alone = part["x"][spec]
        assert group.score != alone.score
        assert "|fitted:4|" in group.signature
        assert "|fitted:2|" in alone.signature
        fitted = pickle.loads(pickle.dumps(metric(spec).fit([BATCH])))
        assert "|fitted:4|" in fitted.signature()
        result = metra.score(TEXTS[:2], [TEXTS[:2]], fitted, documents=documents[:2])
        assert "|fitted:4|" in result.signature


BATCH = metra.Batch(TEXTS, [TEXTS], documents=["a", "b", "c", "d"])


@pytest.mark.parametrize("spec", ["xscore:parses={}", "ie:templates={},reference={}"])
def test_files_of_each_system_are_digested(tmp_path, spec):
    suffix = "conllu" if spec.startswith("xscore") else "tsv"
    path = tmp_path / f"solid.{suffix}"
    folder = Path(find_example().source).parent
    (original,) = folder.glob(f"*/solid.{suffix}")
    path.write_bytes(original.read_bytes())
    spec = spec.format(tmp_path / f"{{system}}.{suffix}", original)
    before = metric(spec).signature()
    assert metric(spec).signature() == before
    path.write_bytes(original.read_bytes() + b"\n")
    assert metric(spec).signature() != before


def test_segments_have_a_signature_of_their_own():
    result = metra.score(TEXTS, [TEXTS], "bleu")
    assert "|eff:no|" in result.signature
    assert result.segment_signature == result.signature.replace("|eff:no|", "|eff:yes|")
    chrf = metra.score(TEXTS, [TEXTS], "chrf")
    assert chrf.segment_signature == chrf.signature
