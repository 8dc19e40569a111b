"""Measures of whole documents see each in one piece, however the corpus is chunked."""

import numpy as np
import pytest

import metra
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError
from metra.metrics.record import Metric
from metra.scoring.statistics import count_corpus, join_documents

DOCUMENTS = ["a", "a", "b", "c", "c", "c", "c", "d"]
HYPS = [f"h{at}" for at in range(8)]


def corpus(documents=DOCUMENTS) -> Outputs:
    refs = [[f"r{at}" for at in range(8)], [None, *(f"q{at}" for at in range(7))]]
    return Outputs(EvalSet(refs, HYPS[::-1], documents), {"x": HYPS, "y": HYPS[::-1]})


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 100])
def test_chunks_end_where_documents_end(size):
    (whole,) = corpus().chunks(8)
    seen = []
    for chunk in join_documents(corpus().chunks(size)):
        assert chunk.first == len(seen)
        for at in range(len(chunk)):
            seen.append(chunk.documents[at])
            place = chunk.first + at
            for name, column in chunk.systems.items():
                assert column.text[at] == whole.systems[name].text[place]
            for one, other in zip(chunk.refs, whole.refs, strict=True):
                assert one.text[at] == other.text[place]
            assert chunk.source.text[at] == whole.source.text[place]
        ends = chunk.first + len(chunk)
        assert ends == 8 or DOCUMENTS[ends] != DOCUMENTS[ends - 1]
    assert seen == DOCUMENTS


def longest() -> Metric:
    """Segments of the longest document of each batch, to see how it was cut."""

    def rows(batch):
        names = list(batch.place.documents)
        return np.array([[names.count(name)] for name in names], dtype=np.float64)

    return Metric(
        name="longest",
        columns=("segments",),
        rows=rows,
        aggregate=lambda totals: totals[..., 0],
        needs={"references", "whole_documents"},
    )


@pytest.mark.parametrize("size", [1, 3, 100])
def test_rows_see_documents_in_one_piece(size):
    sheets = count_corpus(corpus(), {"m": longest()}, keep=True, chunk=size)
    assert sheets.tallies["x", "m"].rows[:, 0].tolist() == [2, 2, 1, 4, 4, 4, 4, 1]


def test_a_document_in_two_pieces_is_refused():
    with pytest.raises(CorpusError) as caught:
        list(join_documents(corpus(["a", "b", "a", *"cccdd"]).chunks(2)))
    assert str(caught.value) == (
        "Segment 3 returns to document 'a', which had ended; document metrics need "
        "each document in one piece."
    )


def test_where_no_documents_are_known_all_is_one():
    plain = Outputs(EvalSet(HYPS), {"x": HYPS})
    (whole,) = join_documents(plain.chunks(3))
    assert [whole.systems["x"].text[at] for at in range(len(whole))] == HYPS
    assert whole.documents is None


def test_intervals_where_no_documents_are_known():
    segments = HYPS * 10
    evalset = metra.EvalSet(segments)
    found = metra.evaluate(evalset, {"x": segments}, [shout()], ci=True)
    (score,) = found["x"].values()
    assert score.interval == (1, 1)
    assert "|ci_unit:segment|" in score.signature


def shout() -> Metric:
    """A measure of whole documents that looks at none."""
    return Metric(
        name="shout",
        columns=("one", "all"),
        rows=lambda batch: np.ones((len(batch), 2)),
        aggregate=lambda totals: totals[..., 0] / np.maximum(totals[..., 1], 1),
        needs={"references", "whole_documents"},
    )
