"""Measures that compare with no reference can be used without any."""

import numpy as np
import pytest

import metra
from metra.corpus.batch import BatchPosition, Sentence
from metra.errors import CorpusError
from metra.metrics import registry
from metra.metrics.record import Metric


def length() -> Metric:
    """Characters of the output, those of the source above it taken off."""

    def rows(batch):
        source = batch.source
        taken = [len(source.text[at]) if source else 0 for at in range(len(batch))]
        return np.array(
            [[len(batch.hyps.text[at]) - taken[at]] for at in range(len(batch))],
            dtype=np.float64,
        )

    return Metric(
        name="length",
        columns=("characters",),
        rows=rows,
        aggregate=lambda totals: totals[..., 0],
        needs=(),
    )


def test_an_output_alone():
    result = metra.score(["abc", "de"], metric=length())
    assert result.score == 5
    assert result.segments.tolist() == [3, 2]
    assert result.signature == f"length|nrefs:0|version:{metra.__version__}"
    assert length().sentence("abcd") == 4


def test_the_source_alone():
    results = metra.evaluate(
        metra.EvalSet(source=["x", "yy"]), {"a": ["abc", "de"]}, [length()]
    )
    assert next(iter(results["a"].values())).score == 2
    assert results.references == 0
    assert length().sentence("abcd", source="xyz") == 1


def test_a_batch_knows_its_place():
    batch = metra.Batch(["a"], place=BatchPosition("s", 7, ["d"]))
    assert (batch.place.system, batch.place.first) == ("s", 7)
    assert (len(batch), list(batch.refs)) == (1, [])


NEEDED = (
    "bleu needs a reference; give one with `references`, or a table with a column "
    "named ref."
)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        pytest.param(lambda: metra.score(["a"]), NEEDED, id="score"),
        pytest.param(
            lambda: metra.evaluate(metra.EvalSet(), {"a": ["b"]}, ["bleu"]),
            NEEDED,
            id="evaluate",
        ),
        pytest.param(
            lambda: registry.metric("bleu").rows(metra.Batch(["a"])),
            "The batch has no references, but the metric needs them.",
            id="batch",
        ),
        pytest.param(
            lambda: registry.metric("chrf").rows(metra.Batch(["a"])),
            "The batch has no references, but the metric needs them.",
            id="batch of characters",
        ),
        pytest.param(
            lambda: registry.metric("bleu").sentence("a"),
            "refs is empty; a segment needs at least one reference.",
            id="sentence",
        ),
        pytest.param(
            lambda: metra.score(["a", "b"], source=["c"], metric=length()),
            "hyps has 2 segments but the source has 1; each entry must be one segment, "
            "in the same order everywhere.",
            id="a source of another length",
        ),
        pytest.param(
            lambda: metra.score([], metric=length()),
            "The input has no segments; expected at least one line in every stream.",
            id="nothing at all",
        ),
    ],
)
def test_refusals(ask, message):
    with pytest.raises(CorpusError) as caught:
        ask()
    assert str(caught.value) == message


def test_a_sentence_has_its_source():
    assert Sentence("a", (), "b").source.text[0] == "b"
    assert Sentence("a", ["b"]).source is None


def test_files_without_a_reference(write, cli):
    ran = cli("grid", write("a.txt", ["b"]), "--segment", "1", "-m", "gtm")
    assert ran.code == 2
    assert ran.err.startswith("metra: gtm needs a reference")
