"""From outputs to results: levels, intervals, fitted measures, everything in one walk."""

from dataclasses import replace

import numpy as np
import pytest

import metra
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, OptionError
from metra.metrics.record import Fit, Metric
from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus, make_metrics
from metra.scoring.statistics import count_corpus, fit_metrics

REFS = [["the cat sat on the mat", "a b c d", "e f g h i"]]
OUTPUTS = {"good": list(REFS[0]), "bad": ["the cat sat", "a x c d", "e f g h"]}


def evaluate(**options):
    return metra.evaluate(
        EvalSet(REFS, documents=["x", "y", "x"]),
        OUTPUTS,
        ["bleu", "bleu:n=2"],
        **options,
    )


def test_every_system_and_metric():
    results = evaluate()
    assert [entry.name for entry in results.systems] == ["good", "bad"]
    assert results.specs == ["bleu", "bleu:n=2"]
    assert (results.segments, results.references, results.documents) == (3, 1, 2)
    for name, hyps in OUTPUTS.items():
        for spec in results.specs:
            alone = metra.score(hyps, REFS, spec)
            assert results[name][spec].score == alone.score
            assert results[name][spec].parts == alone.parts
            assert results[name][spec].signature == alone.signature


@pytest.mark.parametrize(("most", "shown"), [(2, 2), (1, None)])
def test_too_many_documents_are_not_counted(monkeypatch, most, shown):
    monkeypatch.setattr("metra.scoring.statistics.MOST_DOCUMENTS", most)
    assert evaluate().documents == shown
    assert list(evaluate(levels=["document"])["good"]["bleu"].documents) == ["x", "y"]


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_are_those_of_the_single_score(method):
    score = evaluate(ci=True, ci_method=method, trials=100, seed=3)["bad"]["bleu"]
    single = metra.score(OUTPUTS["bad"], REFS)
    assert score.interval == single.interval(method=method, trials=100, seed=3)
    assert f"|ci:{method}|ci_unit:segment|trials:100|seed:3|" in score.signature


def test_metrics_may_be_records():
    metric = metra.metric("bleu:n=3")
    results = metra.evaluate(EvalSet(REFS), OUTPUTS, [metric])
    assert results.specs == [metric.signature()]


WRONG = [
    ({"metrics": []}, OptionError,
     "No metric was given; give at least one, for example 'bleu'."),
    ({"metrics": "bleu"}, OptionError,
     "metrics is one string; expected a list, for example ['bleu']."),
    ({"levels": "segment"}, OptionError,
     "levels is one string; expected a list, for example ['system']."),
    ({"levels": ["word"]}, OptionError,
     "'word' is not a level; expected some of system, document, segment."),
    ({"levels": ["document"]}, CorpusError,
     "Document scores need documents; give `documents`."),
    ({"ci": True, "ci_method": "t"}, OptionError,
     "An interval with method='t' is not possible; expected percentile or bca."),
]  # fmt: skip


@pytest.mark.parametrize(("given", "kind", "message"), WRONG)
def test_wrong_questions(given, kind, message):
    with pytest.raises(kind) as caught:
        metra.evaluate(EvalSet(REFS), OUTPUTS, **({"metrics": ["bleu"]} | given))
    assert str(caught.value) == message


def test_a_measure_that_compares_with_the_source():
    needy = replace(metra.metric("bleu"), needs={"references", "source"})
    with pytest.raises(CorpusError) as caught:
        evaluate_corpus(
            Outputs(EvalSet(REFS), OUTPUTS), {"needy": needy}, EvaluationOptions()
        )
    assert str(caught.value) == ("needy needs the source; give `source`.")
    corpus = Outputs(EvalSet(REFS, ["s"] * 3), OUTPUTS)
    assert evaluate_corpus(corpus, {"needy": needy}, EvaluationOptions()).segments == 3


def weighing() -> Metric:
    """A measure with a corpus weight: how many reference segments there are."""

    def apply(weight: int) -> Metric:
        return replace(
            unfitted, aggregate=lambda totals: totals[..., 0] * weight, fit=None
        )

    unfitted = Metric(
        name="weighing",
        columns=("one",),
        rows=lambda batch: np.ones((len(batch), 1)),
        aggregate=lambda totals: totals[..., 0] * 0,
        fit=Fit(count=lambda batches: sum(map(len, batches)), apply=apply),
    )
    return unfitted


@pytest.mark.parametrize("chunk", [1, 2, 1000])
def test_measures_are_fitted_to_all_that_they_score(chunk):
    corpus = Outputs(EvalSet(REFS), OUTPUTS)
    made = fit_metrics(corpus, {"w": weighing(), "b": metra.metric("bleu")}, chunk)
    assert made["w"].aggregate(np.ones((1, 1))) == 3
    assert made["b"] is metra.metric("bleu")
    results = evaluate_corpus(
        corpus, {"w": weighing()}, EvaluationOptions(), chunk=chunk
    )
    assert results["bad"]["w"].score == 9


def test_progress_is_told():
    told = []
    corpus = Outputs(EvalSet(REFS), OUTPUTS)
    evaluate_corpus(
        corpus,
        make_metrics(["bleu"]),
        EvaluationOptions(),
        chunk=2,
        progress=lambda *done: told.append(done),
    )
    assert told == [(2, None), (3, None)]


def test_rows_are_kept_only_where_they_are_needed():
    corpus = Outputs(EvalSet(REFS), OUTPUTS)
    statistics = count_corpus(corpus, make_metrics(["bleu"]), keep=False)
    assert statistics.totals.whole["bad", "bleu"].sums[8] == 11
    assert statistics.tallies == {}


@pytest.mark.parametrize(
    ("refs", "expected"),
    [([["a"]], 1), ([["a"], ["b"]], 2), ([["a"], [None]], "var")],
)
def test_the_number_of_references(refs, expected):
    result = metra.score(["a"], refs)
    assert result.nrefs == expected
    assert f"|nrefs:{expected}|" in result.signature


def test_a_result_is_a_number_and_shows_itself():
    result = metra.score(["a b c d"], [["a b c d"]])
    assert float(result) == result.score == 100
    assert repr(result) == f"<Result 100.00 {result.signature}>"
    assert result.interval() is None


def test_the_unit_of_resampling_can_be_chosen():
    evalset = metra.EvalSet(
        [["a b", "c d", "e f", "g h"]], documents=["x", "x", "y", "y"]
    )
    outputs = {"one": ["a b", "c x", "e f", "x h"]}

    def signature(unit):
        found = metra.evaluate(evalset, outputs, ["wer"], ci=True, ci_unit=unit)
        return found["one"]["wer"].signature

    assert "|ci_unit:segment|" in signature("auto")
    assert "|ci_unit:document|" in signature("document")
    with pytest.raises(
        OptionError, match=r"ci_unit='word' is not possible; expected one of"
    ):
        signature("word")


def test_several_metrics_in_one_call():
    refs = [["the cat sat on the mat", "a b c d", "e f g h i"]]
    specs = ["bleu", metra.metric("chrf", word_order=2), "nist"]
    results = metra.score(OUTPUTS["bad"], refs, specs)
    assert list(results) == ["bleu", specs[1].signature(), "nist"]
    for spec, result in zip(specs, results.values(), strict=True):
        alone = metra.score(OUTPUTS["bad"], refs, spec)
        assert result.score == alone.score
        assert result.segments.tolist() == alone.segments.tolist()
        assert result.signature == alone.signature
        assert result.interval(trials=20) == alone.interval(trials=20)


def test_no_metric_in_a_list():
    with pytest.raises(OptionError, match="No metric was given; give at least one"):
        metra.score(["a"], ["a"], [])
