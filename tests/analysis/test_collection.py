"""One pass: what analyses need is collected while the metrics are counted."""

import numpy as np
import pytest

from metra.analysis.collection import collect_corpus
from metra.analysis.findings import AnalysisOptions, prepare_analyses, run_analyses
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.report.study import build_study
from metra.scoring.evaluate import make_metrics
from metra.scoring.statistics import count_corpus
from metra.text.preparation import Preparation

REFS = [f"the number {at} is in this line" for at in range(12)]
OUTPUTS = {
    "old": [ref.replace("the", "a") for ref in REFS],
    "new": [ref.replace("line", "text") for ref in REFS],
}
SPACED = Preparation("none", "mixed", "no")


class CountedPasses(Outputs):
    """A corpus that counts how often it is read."""

    passes = 0

    def chunks(self, size, labels=()):
        self.passes += 1
        return super().chunks(size, labels)


def counted(outputs=OUTPUTS):
    documents = ["one"] * 6 + ["two"] * 6
    return CountedPasses(EvalSet([REFS], REFS, documents), outputs)


@pytest.mark.parametrize(
    ("specs", "passes"),
    [
        pytest.param(["bleu", "ter"], 1, id="counted"),
        pytest.param(["bleu", "nist"], 2, id="a metric is fitted first"),
    ],
)
@pytest.mark.parametrize(
    "outputs", [OUTPUTS, {"old": OUTPUTS["old"]}], ids=["two systems", "one system"]
)
def test_a_report_reads_the_corpus_once(outputs, specs, passes):
    corpus = counted(outputs)
    build_study(corpus, make_metrics(specs))
    assert corpus.passes == passes


def test_all_analyses_together_read_the_corpus_once():
    corpus = counted()
    metrics = make_metrics(["chrf", "bleu:tok=none"])
    options = AnalysisOptions(
        changes=3,
        changes_by="bleu:tok=none",
        ngrams=3,
        buckets=["length", "source-length", "frequency", "document"],
        labels={"half": ["a"] * 6 + ["b"] * 6},
        profiles=True,
        trials=10,
    )
    collected = prepare_analyses(corpus, metrics, options)
    statistics = count_corpus(corpus, metrics, keep=True, visitors=[collected.visit])
    found = run_analyses(collected, statistics, options, baseline="old")
    assert corpus.passes == 1
    assert len(found.buckets) == 5
    assert all((found.changes, found.ngrams, found.profiles))


def test_what_is_not_asked_for_is_not_kept():
    corpus = counted()
    collected = prepare_analyses(corpus, make_metrics(["bleu"]), AnalysisOptions())
    for chunk in corpus.chunks(5):
        collected.visit(chunk)
    with pytest.raises(RuntimeError, match="the texts were not kept"):
        _ = collected.texts


def test_texts_and_words_are_the_same_in_chunks_of_any_size(monkeypatch):
    refs = [["a b", "", None, "c"], ["a", "d d", "e", "f"]]
    outputs = {"x": ["a", "b c", "", "d"]}
    corpus = Outputs(EvalSet(refs), outputs)
    whole = collect_corpus(corpus, SPACED)
    monkeypatch.setattr("metra.analysis.collection.CHUNK", 3)
    parts = collect_corpus(corpus, SPACED)
    for collected in (whole, parts):
        texts = collected.texts
        assert [list(stream) for stream in texts.refs] == refs
        assert [texts.outputs["x"][at] for at in range(4)] == outputs["x"]
        lengths = collected.segment_lengths(SPACED)
        assert lengths.tolist() == [1.5, 1, 1, 1]
        words = collected.words(SPACED)
        spelled = [words.words[number] for number in words.systems["x"].ids]
        assert spelled == ["a", "b", "c", "d"]
        assert words.systems["x"].lengths.tolist() == [1, 2, 0, 1]
        matches = collected.matches(SPACED)["x"]
        np.testing.assert_array_equal(matches[:, 0], [1, 0, 0, 0])
