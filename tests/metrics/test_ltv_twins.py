"""The kernel of ltv beside plain Python."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.textbook import count_ngrams

import metra
from metra.corpus.batch import Batch
from metra.errors import CorpusError

SENTENCE = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=9).map(
    " ".join
)
SEGMENT = st.tuples(
    st.sampled_from(["x", "y", "z"]), SENTENCE, SENTENCE, st.none() | SENTENCE
)


def lists(documents, streams, weight):
    """The weight of each word of each document, all of its references together."""
    counts = {name: Counter() for name in documents}
    for stream in streams:
        for name, ref in zip(documents, stream, strict=True):
            counts[name].update((ref or "").split())
    corpus = sum(counts.values(), Counter())
    number = len(counts)
    found = {}
    for name, words in counts.items():
        found[name] = {}
        for word, tf in words.items():
            df = sum(word in other for other in counts.values())
            rest = (corpus[word] - tf) / max(corpus.total() - words.total(), 1)
            product = (tf / words.total() - rest) * (number - df) / number
            product /= corpus[word] / corpus.total()
            found[name][word] = {
                "tfidf": (1 + math.log(tf)) * math.log(number / df),
                "s": math.log(product) if product > 1e-12 else 0.0,
                "none": 1.0,
            }[weight]
    return found


def sums(hyp, ref, weigh, gram, order):
    """The weight matched, of the output and of the reference, order by order."""
    rows = [[], [], []]
    for n in range(1, order + 1):
        output, reference = count_ngrams(hyp, n), count_ngrams(ref, n)
        for row, counted in zip(
            rows, (output & reference, output, reference), strict=True
        ):
            row.append(sum(gram([weigh(w) for w in g]) * c for g, c in counted.items()))
    return rows


def score(rows, side, combine):
    shares = []
    for matched, output, reference in zip(*rows, strict=True):
        whole = {
            "precision": output,
            "recall": reference,
            "f": (output + reference) / 2,
        }[side]
        if whole > 0:
            shares.append(matched / whole)
    if not shares:
        return 0.0
    if combine == "mean":
        return 100 * sum(shares) / len(shares)
    return 100 * math.prod(shares) ** (1 / len(shares))


GRAMS = {"sum": sum, "mean": lambda ws: sum(ws) / len(ws), "max": max}


@pytest.mark.seed("4.2")
@pytest.mark.seed("4.3")
@given(
    st.lists(SEGMENT, min_size=2, max_size=8),
    st.sampled_from(["tfidf", "s", "none"]),
    st.sampled_from(["precision", "recall", "f"]),
    st.sampled_from(["sum", "mean", "max"]),
    st.sampled_from(["mean", "geometric"]),
    st.sampled_from([1, 2, 4, 9]),
    st.sampled_from([None, 0.7]),
    st.sampled_from([0.0, 0.3]),
)
def test_ltv_equals_its_twin(segments, weight, side, gram, combine, order, oov, floor):
    documents, hyps, *streams = map(list, zip(*segments, strict=True))
    spec = f"ltv:tok=none,weight={weight},side={side},gram={gram},combine={combine}"
    spec += f",n={order},floor={floor}" + (f",oov={oov}" if oov else "")
    metric = metra.metric(spec)
    by_segment = list(zip(*streams, strict=True))
    batch = Batch(hyps, documents=documents, refs_per_segment=by_segment)
    try:
        if metric.fit:
            metric = metric.fit([batch])
    except CorpusError:
        weights = lists(documents, streams, weight)
        heaviest = max((w for ws in weights.values() for w in ws.values()), default=0)
        assert len(weights) < 2 or heaviest < 1e-9
        return
    rows = metric.rows(batch)
    known = lists(documents, streams, weight)
    for at, (name, hyp, *refs) in enumerate(segments):
        raised = {word: max(w, floor) for word, w in known[name].items()}
        other = min(raised.values(), default=floor) if oov is None else oov

        def weigh(word, raised=raised, other=other):
            return 1.0 if weight == "none" else raised.get(word, other)

        choices = [
            sums(hyp.split(), ref.split(), weigh, GRAMS[gram], order)
            for ref in refs
            if ref is not None
        ]
        best = max(score(choice, side, combine) for choice in choices)
        assert float(metric.aggregate(rows[at])) == pytest.approx(best, abs=1e-6)
        near = [c for c in choices if score(c, side, combine) >= best - 1e-6]
        assert any(
            rows[at].tolist() == pytest.approx([*c[0], *c[1], *c[2]], abs=1e-6)
            for c in near
        )
