"""Buckets: each holds what it should, its scores are those of its segments alone."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.analysis.buckets import name_ranges, score_buckets
from metra.analysis.collection import collect_corpus
from metra.analysis.word_diff import get_preparation
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import LengthError
from metra.scoring.evaluate import make_metrics
from metra.scoring.memory import evaluate
from metra.scoring.statistics import count_corpus, fit_metrics

RNG = np.random.default_rng(3)
REFS = [" ".join(RNG.choice(list("abcdefgh"), size)) for size in range(1, 41)]
OLD = [ref.replace("a", "x").replace("b", "x") for ref in REFS]
NEW = [ref.replace("a", "x") for ref in REFS]
DOCUMENTS = ["one" if at % 3 else "two" for at in range(40)]
SPECS = ["bleu:tok=none", "wer"]


def prepared(refs=REFS, source=None, documents=None, specs=SPECS, **outputs):
    outputs = outputs or {"old": OLD, "new": NEW}
    corpus = Outputs(EvalSet(refs, source, documents), outputs)
    metrics = fit_metrics(corpus, make_metrics(specs))
    preparation = get_preparation(next(iter(metrics.values())))
    collected = collect_corpus(corpus, preparation)
    return collected, count_corpus(corpus, metrics, keep=True)


def scored(prepared, spec, **options):
    collected, sheets = prepared
    options = {"baseline": collected.systems[0], "seed": 1} | options
    return score_buckets(collected, sheets, spec, **options)


def parts(found):
    return [(bucket.label, bucket.count) for bucket in found.buckets]


def test_by_length_each_bucket_is_scored_like_a_corpus_of_its_own():
    found = scored(prepared(), "length", baseline="old")
    expected = [("< 10", 9), ("10–19", 10), ("20–29", 10), ("30–39", 10), ("40–49", 1)]
    assert parts(found) == expected
    ends = [0, 9, 19, 29, 39, 40]
    slices = [slice(*pair) for pair in pairwise(ends)]
    for bucket, part in zip(found.buckets, slices, strict=True):
        outputs = {"old": OLD[part], "new": NEW[part]}
        alone = evaluate(EvalSet(REFS[part]), outputs, SPECS)
        for system in ("old", "new"):
            for spec in SPECS:
                score = bucket.scores[system][spec]
                assert score.score == pytest.approx(alone[system][spec].score)
        one, other = bucket.scores["old"]["wer"], bucket.scores["new"]["wer"]
        assert one.difference is None
        assert other.difference == pytest.approx(other.score - one.score)
        if bucket.count >= 10:
            low, high = other.difference_interval
            assert low <= other.difference <= high
            assert one.interval[0] <= one.score <= one.interval[1]
        else:
            assert (one.interval, other.difference_interval) == (None, None)
    assert all(bucket.small for bucket in found.buckets)
    assert found.directions == {"bleu:tok=none": True, "wer": False}
    assert (found.unit, found.kind) == ("segments", "length")


@pytest.mark.parametrize("spec", ["length", "document"])
def test_every_segment_is_in_one_bucket(spec):
    found = scored(prepared(documents=DOCUMENTS), spec)
    assert sum(bucket.count for bucket in found.buckets) == len(REFS)


def test_a_copy_of_the_baseline_differs_by_nothing():
    found = scored(prepared(old=OLD, copy=OLD), "length", baseline="old")
    for bucket in found.buckets:
        score = bucket.scores["copy"]["wer"]
        interval = (0, 0) if bucket.count >= 10 else None
        assert (score.difference, score.difference_interval) == (0, interval)


def test_the_same_seed_gives_the_same_intervals():
    one = scored(prepared(), "length", seed=1)
    assert one == scored(prepared(), "length", seed=1)
    assert one != scored(prepared(), "length", seed=2)


def test_by_document_in_order_of_appearance():
    found = scored(prepared(documents=DOCUMENTS), "document")
    assert parts(found) == [("two", 14), ("one", 26)]


def test_by_label():
    labels = ["x"] * 10 + ["y"] * 30
    found = scored(prepared(), "kind", labels=labels)
    assert (found.title, found.kind) == ("kind", "label")
    assert parts(found) == [("x", 10), ("y", 30)]
    with pytest.raises(
        LengthError, match="labels 'kind' has 2 segments but the corpus has 40"
    ):
        scored(prepared(), "kind", labels=["x", "y"])


def test_several_references_are_averaged_in_length(monkeypatch):
    monkeypatch.setattr("metra.analysis.buckets.LENGTHS", (2, 3))
    corpus = prepared([["a", "a b c"], ["a b c", None]], None, None, hyp=["a", "a"])
    found = scored(corpus, "length")
    assert parts(found) == [("2", 1), ("≥ 3", 1)]


def test_words_by_frequency_by_hand():
    # a: 3 times, b: twice, c: once; "z" is in no reference.
    corpus = prepared(["a a b", "a b c"], hyp=["a b b", "a z"])
    found = scored(corpus, "frequency")
    assert (found.unit, parts(found)) == ("words", [("1", 1), ("2", 2), ("3–4", 3)])
    scores = [
        {name: entry.score for name, entry in bucket.scores["hyp"].items()}
        for bucket in found.buckets
    ]
    assert scores[0] == {"precision": 0, "recall": 0, "f1": 0}
    assert scores[1] == {"precision": 50, "recall": 50, "f1": 50}
    assert scores[2] == pytest.approx({"precision": 100, "recall": 200 / 3, "f1": 80})


TEXT = st.text("ab ", max_size=8)


@given(st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=3, max_size=6))
def test_one_class_of_words_is_the_measure_f1(rows):
    hyps, *refs = map(list, zip(*rows, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metra.analysis.buckets.FREQUENCIES", (1000,))
        found = scored(prepared(refs, hyp=hyps), "frequency")
    expected = evaluate(EvalSet(refs), {"hyp": hyps}, ["f1:tok=none"])["hyp"]
    # There is no bucket where the references have no words.
    assert len(found.buckets) == any(ref.split() for stream in refs for ref in stream)
    for bucket in found.buckets:
        score = bucket.scores["hyp"]["f1"].score
        assert score == pytest.approx(expected["f1:tok=none"].score)


def test_names_of_ranges():
    assert name_ranges([5]) == ["< 5", "≥ 5"]
