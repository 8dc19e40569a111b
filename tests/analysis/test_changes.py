"""The most changed segments: the right ones, in order, with all that belongs to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.analysis.changes import find_changes, prepare_changes
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import UnknownNameError
from metra.scoring.evaluate import make_metrics
from metra.scoring.memory import evaluate
from metra.scoring.statistics import count_corpus, fit_metrics

REFS = ["a b c d e", "a b c d e", "f g h i j", "a b", "k l m n o"]
BEFORE = ["a b c d e", "a b x d e", "f g x x x", "a b", "k x x x x"]
AFTER = ["a b c x x", "a b c d e", "f g h i j", "a x", "k x x x x"]


def found(outputs, specs, refs=REFS, source=None, documents=None, **options):
    refs = refs if isinstance(refs[0], list) else [refs]
    corpus = Outputs(EvalSet(refs, source, documents), outputs)
    metrics = fit_metrics(corpus, make_metrics(specs))
    collected = prepare_changes(corpus, metrics, options.get("by"))
    sheets = count_corpus(corpus, metrics, keep=True, visitors=[collected.visit])
    return find_changes(collected, sheets, baseline=next(iter(outputs)), **options)


def numbers(entries):
    return [entry.number for entry in entries]


@pytest.mark.parametrize("spec", ["wer", "bleu:tok=none", "chrf", "ter"])
def test_better_and_worse_whichever_way_the_metric_points(spec):
    (one,) = found({"old": BEFORE, "new": AFTER}, [spec])
    assert numbers(one.improved) == [3, 2]
    assert sorted(numbers(one.worsened)) == [1, 4]
    counts = one.improved_count, one.worsened_count, one.equal_count, one.short_count
    assert counts == (2, 2, 1, 0)


def test_scores_are_those_of_the_segments():
    (one,) = found({"old": BEFORE, "new": AFTER}, ["wer", "bleu:tok=none"])
    outputs, specs = {"old": BEFORE, "new": AFTER}, ["wer", "bleu:tok=none"]
    results = evaluate(EvalSet([REFS]), outputs, specs, levels=["segment"])
    for change in [*one.improved, *one.worsened]:
        for spec, entry in change.scores.items():
            scores = [results[name][spec].segments for name in ("old", "new")]
            before, after = (segments[change.number - 1] for segments in scores)
            assert (entry.before, entry.after) == (before, after)
            sign = -1 if spec == "wer" else 1
            assert entry.gain == sign * (after - before)
    assert one.directions == {"wer": False, "bleu:tok=none": True}


def test_all_that_is_known_of_a_segment_comes_along():
    outputs, refs = {"old": ["a x"], "new": ["a b"]}, [["a b"], [None]]
    (one,) = found(outputs, ["wer"], refs, ["quelle"], ["doc"])
    (change,) = one.improved
    assert (change.document, change.source) == ("doc", "quelle")
    assert change.references == ["a b", None]
    assert (change.before, change.after, change.words) == ("a x", "a b", 2)
    assert [piece.kind for piece in change.diff.after] == ["kept", "changed"]
    (bare,) = found(outputs, ["wer"], refs)[0].improved
    assert (bare.source, bare.document) == (None, None)


def test_equal_changes_stay_in_the_order_of_the_corpus():
    outputs = {"old": ["x"] * 99, "new": ["a"] * 99}
    (one,) = found(outputs, ["wer"], ["a"] * 99, most=40)
    assert numbers(one.improved) == list(range(1, 41))
    assert one.improved_count == 99


def test_short_segments_can_be_left_out():
    outputs = {"old": BEFORE, "new": AFTER}
    (one,) = found(outputs, ["wer"], min_words=3)
    assert numbers(one.worsened) == [1]
    assert (one.short_count, one.worsened_count) == (1, 1)


@given(
    st.lists(st.tuples(*[st.sampled_from(["a b", "a", "", "b a c"])] * 3), min_size=1)
)
def test_as_a_plain_loop_finds_them(rows):
    refs, before, after = map(list, zip(*rows, strict=True))
    (one,) = found({"old": before, "new": after}, ["chrf"], refs, most=None)
    outputs = {"o": before, "n": after}
    results = evaluate(EvalSet([refs]), outputs, ["chrf"], levels=["segment"])
    gains = results["n"]["chrf"].segments - results["o"]["chrf"].segments
    better = sorted((-gain, at) for at, gain in enumerate(gains, 1) if gain > 0)
    worse = sorted((gain, at) for at, gain in enumerate(gains, 1) if gain < 0)
    assert numbers(one.improved) == [at for _, at in better]
    assert numbers(one.worsened) == [at for _, at in worse]
    assert one.equal_count == int(np.sum(gains == 0))


def test_several_systems_against_one_baseline():
    both = found({"old": BEFORE, "new": AFTER, "copy": BEFORE}, ["wer"])
    pairs = [(one.baseline, one.system) for one in both]
    assert pairs == [("old", "new"), ("old", "copy")]
    assert both[1].improved == []


def test_the_metric_that_sorts_can_be_named():
    (one,) = found({"old": BEFORE, "new": AFTER}, ["bleu", "wer"], by="wer")
    assert one.spec == "wer"
    assert one.signature.startswith("wer|")
    with pytest.raises(UnknownNameError, match=r"No metric named 'ter'\. "):
        found({"old": BEFORE, "new": AFTER}, ["bleu"], by="ter")


def test_fitted_measures_have_changes_too():
    (one,) = found({"old": BEFORE, "new": AFTER}, ["nist:tok=none"])
    assert one.improved
