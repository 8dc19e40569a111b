"""One pass: what analyses need is collected while the metrics are counted."""

import numpy as np
import pytest

from metra.analysis.collection import collect_corpus
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.report.study import build_study
from metra.scoring.evaluate import make_metrics
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
        lengths = collected.lengths
        assert lengths.tolist() == [1.5, 1, 1, 1]
        words = collected.words
        spelled = [words.words[number] for number in words.systems["x"].ids]
        assert spelled == ["a", "b", "c", "d"]
        assert words.systems["x"].lengths.tolist() == [1, 2, 0, 1]
        matches = collected.matches["x"]
        np.testing.assert_array_equal(matches[:, 0], [1, 0, 0, 0])
