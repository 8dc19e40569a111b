"""Cross-language retrieval: whether documents are found through their translations.

Ranked lists are scored by average precision and nDCG. A query's ranking depends on all
documents at once, so nothing here adds up over segments; queries do, and are what intervals
resample.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metra.corpus.outputs import Corpus
from metra.errors import CorpusError, require_package
from metra.scoring.read import collect_texts
from metra.stats.defaults import SEED, TRIALS
from metra.stats.resampling import Sample, compute_intervals
from metra.text.columns import pack
from metra.text.preparation import Preparation, prepare


def compute_average_precision(
    ranked: Sequence[str], relevance: Mapping[str, float]
) -> float:
    """Mean, over the relevant documents, of the precision where each is found, in percent.

    Relevant documents beyond the list count 0.

    >>> round(compute_average_precision(["a", "x", "b"], {"a": 1, "b": 1}), 2)
    83.33
    """
    relevant = {name for name, degree in relevance.items() if degree > 0}
    retrieved = 0
    total = 0.0
    for rank, name in enumerate(ranked, 1):
        if name in relevant:
            retrieved += 1
            total += retrieved / rank
    return 100 * total / len(relevant)


def compute_ndcg(ranked: Sequence[str], relevance: Mapping[str, float]) -> float:
    """Relevance discounted by log2(rank + 1), over that of the best order, in percent.

    >>> round(compute_ndcg(["x", "a"], {"a": 1}), 2)
    63.09
    """
    best = sorted(relevance.values(), reverse=True)
    gained = [relevance.get(name, 0.0) for name in ranked]
    return 100 * _sum_discounted_gains(gained) / _sum_discounted_gains(best)


def _sum_discounted_gains(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


# BM25 with the idf and the parameters of Lucene.
K1 = 1.2
B = 0.75

REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class RetrievalRun:
    """The ranking of one collection of documents for every query, and its scores."""

    name: str
    #: By query: the documents that were found, the best first.
    ranked: Mapping[str, Sequence[str]]
    #: By query, in percent.
    average_precision: Mapping[str, float]
    ndcg: Mapping[str, float]
    map_interval: tuple[float, float] | None
    ndcg_interval: tuple[float, float] | None

    @property
    def map(self) -> float:
        """The mean of the average precisions."""
        return sum(self.average_precision.values()) / len(self.average_precision)

    @property
    def mean_ndcg(self) -> float:
        """The mean of the nDCGs."""
        return sum(self.ndcg.values()) / len(self.ndcg)


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The runs over the references and over every system's outputs."""

    runs: Sequence[RetrievalRun]
    documents: int
    #: Queries that no document is relevant to, which say nothing.
    left_out: Sequence[str]
    signature: str


def evaluate_retrieval(
    corpus: Corpus,
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, float]] | None,
    *,
    text: Preparation,
) -> RetrievalResult:
    """Search the references and the outputs of every system, and score the rankings.

    Without `qrels` the document that the reference run ranks first is the relevant one.
    """
    documents = _collect_documents(corpus)
    rankings = {
        name: _rank_documents(texts, queries, text) for name, texts in documents.items()
    }
    names = set(documents[REFERENCE])
    if qrels is None:
        relevance: Mapping[str, Mapping[str, float]] = {
            query: dict.fromkeys(ranked[:1], 1.0)
            for query, ranked in rankings[REFERENCE].items()
        }
        judged = "reference run, top 1"
    else:
        _check_documents(qrels, queries, names)
        relevance = qrels
        judged = "qrels"
    asked = [query for query in queries if any(relevance.get(query, {}).values())]
    if not asked:
        msg = "No document is relevant to any query; check the relevance judgements."
        raise CorpusError(msg)
    figures = [
        {query: measure(ranked[query], relevance[query]) for query in asked}
        for ranked in rankings.values()
        for measure in (compute_average_precision, compute_ndcg)
    ]
    samples = [
        Sample(
            np.array([(value, 1.0) for value in each.values()]),
            lambda totals: totals[..., 0] / totals[..., 1],
        )
        for each in figures
    ]
    intervals = compute_intervals(samples, trials=TRIALS, seed=SEED)
    runs = []
    for at, (name, ranked) in enumerate(rankings.items()):
        precision, ndcg = figures[2 * at : 2 * at + 2]
        ends = intervals[2 * at : 2 * at + 2]
        runs.append(RetrievalRun(name, ranked, precision, ndcg, *ends))
    left_out = [query for query in queries if query not in asked]
    signature = _format_signature(text, judged)
    return RetrievalResult(runs, len(names), left_out, signature)


def _collect_documents(corpus: Corpus) -> dict[str, dict[str, list[str]]]:
    """Put together the segments of each document, of the first reference and the systems."""
    if not corpus.has_documents:
        msg = "Retrieval needs documents; give `documents`."
        raise CorpusError(msg)
    if not corpus.has_references:
        msg = "Retrieval needs references to compare with; give `references`."
        raise CorpusError(msg)
    if REFERENCE in corpus.systems:
        msg = (
            f"An output is named {REFERENCE!r}, which is the name of the reference "
            "run; rename it with NAME=FILE."
        )
        raise CorpusError(msg)
    outputs, refs, _, documents = collect_texts(corpus)
    texts: dict[str, dict[str, list[str]]] = {}
    for name, column in {REFERENCE: refs[0], **outputs}.items():
        segments = texts.setdefault(name, {})
        for document, text in zip(documents, column, strict=True):
            segments.setdefault(document, []).append(text or "")
    return texts


def _rank_documents(
    documents: Mapping[str, Sequence[str]],
    queries: Mapping[str, str],
    text: Preparation,
) -> dict[str, list[str]]:
    """Rank the documents that have a word of the query; equal ones by their names."""
    names = list(documents)
    words = _tokenize_texts([" ".join(documents[name]) for name in names], text)
    asked = _tokenize_texts(list(queries.values()), text)
    if not any(words):
        return {query: [] for query in queries}
    index = _import_bm25().BM25(k1=K1, b=B, method="lucene", dtype="float64")
    index.index(words, show_progress=False)
    rankings = {}
    for query, terms in zip(queries, asked, strict=True):
        scores = index.get_scores(terms).tolist() if terms else [0.0] * len(names)
        pairs = [(-score, name) for score, name in zip(scores, names, strict=True)]
        rankings[query] = [name for score, name in sorted(pairs) if score < 0]
    return rankings


def _tokenize_texts(texts: list[str], text: Preparation) -> list[list[str]]:
    tokens = prepare(pack([*texts], "a document"), text)
    return [tokens[index] or [] for index in range(len(texts))]


def _import_bm25() -> Any:
    with require_package("Retrieval", "bm25s", "retrieval"):
        import bm25s
    return bm25s


def _check_documents(
    qrels: Mapping[str, Mapping[str, float]],
    queries: Mapping[str, str],
    names: set[str],
) -> None:
    start = "The relevance judgements name the"
    for query, judged in qrels.items():
        if query not in queries:
            msg = f"{start} query {query!r}, which is not among the queries."
            raise CorpusError(msg)
        unknown = next((name for name in judged if name not in names), None)
        if unknown is not None:
            msg = (
                f"{start} document {unknown!r}, which is not in the corpus; documents: "
                f"{', '.join(sorted(names)[:10])}."
            )
            raise CorpusError(msg)


def _format_signature(text: Preparation, judged: str) -> str:
    from metra import __version__

    pairs: dict[str, object] = {
        "search": f"bm25[bm25s {_import_bm25().__version__}, lucene]",
        "k1": K1,
        "b": B,
        "case": text.case,
        **text.versions(),
        "relevant": judged,
        "ci": "percentile",
        "ci_unit": "query",
        "trials": TRIALS,
        "seed": SEED,
        "version": __version__,
    }
    return "clir|" + "|".join(f"{key}:{value}" for key, value in pairs.items())
