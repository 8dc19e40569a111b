"""LTV: matching n-grams weighed by how salient their words are in their document."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from metra import _core
from metra.corpus.batch import Batch
from metra.errors import CorpusError, OptionError
from metra.formats.annotations import weights as weight_files
from metra.metrics import record
from metra.metrics.options import Case, FromZero, NgramOrder
from metra.metrics.record import AnyBatch, Array, Metric, Parts, metric_factory
from metra.stats.parallel import ordered_map, thread_count
from metra.text.preparation import Preparation, make_preparation
from metra.text.salience import (
    DocumentWords,
    Salience,
    Tokens,
    WordWeights,
    build_word_weights,
    limit_weights,
    weigh_words,
)


@metric_factory(title="LTV", papers="babych2004")
def ltv(
    *,
    weight: Literal["tfidf", "s", "none"] = "tfidf",
    side: Literal["precision", "recall", "f"] = "precision",
    n: NgramOrder = 4,
    gram: Literal["sum", "mean", "max"] = "sum",
    combine: Literal["mean", "geometric"] = "mean",
    floor: FromZero = 0.0,
    oov: FromZero | None = None,
    min_salience: FromZero | None = None,
    max_salience: FromZero | None = None,
    tok: str = "13a",
    case: Case = "mixed",
    stem: str = "no",
    weights: str | None = None,
) -> Metric:
    """N-gram matches weighted by the salience of their words, 0 to 100. Higher is better.

    Translators agree on some words and differ on others; LTV rewards matches of
    salient words of a text. The weight of an n-gram is the sum of the salience of
    its words in the document of the reference. Precision is the weight of the matched
    n-grams divided by the weight of the output's n-grams, recall is divided by the
    weight of the reference's, and F is their harmonic mean. An n-gram matches at most
    as often as it occurs in the reference. The score is the mean over n = 1 to 4;
    orders without n-grams, as in a segment of three words, are excluded.

    tf.idf = (1 + ln tf) · ln(N / df), for a word that occurs tf times in the document
    and in df of the N documents. S = ln[(Pdoc - Prest) · (N - df)/N / Pcorp], with the
    relative frequencies of the word in the document, in the rest of the corpus and in
    the whole corpus. A word no more frequent in the document than elsewhere, or in every
    document, has no S and the weight `floor`; so has a word with a lower S.

    The authors found that precision with tf.idf, the default, correlates with fluency,
    and recall with S (`ltv:weight=s,side=recall`) with adequacy. S is at most about
    ln(N - 1), so it is not useful with two or three documents.

    The documents are those of the test set: use --docs, documents=, or a format with
    document ids. There must be at least two documents, because salience is relative to
    other documents; with unique ids every segment is a document. Counts come from all
    references of a document together. The authors compare an output with one reference
    at a time. With several references, metra compares the output with each, using the
    same weights, and the one with the highest score counts; if scores are equal, the
    first. The weights for the chosen references are summed over segments before the
    division.

    Babych and Hartley 2004, "Modelling legitimate translation variation for automatic
    evaluation of MT quality", LREC. `gram=max,floor=1,oov=1` is the rule of their paper
    "Extending the BLEU MT evaluation method with frequency weightings", ACL 2004: an
    n-gram counts 1, or the salience of its word if above 1, the approximate
    threshold for content words. We could not check the rule against the text of the
    paper; using the most salient of several such words is our reading.

    Options:
        weight: weight of a word: its tf.idf, its S-score, or none (every word 1).
        side: divide matches by the output (precision), the reference (recall), or both
            (F).
        gram: weight of an n-gram: the sum, mean or maximum of its words' weights.
        combine: mean over orders; the geometric mean is 0 if any order's score is 0.
        floor: minimum weight, also for words without salience.
        oov: weight of words missing from the references of the document; by default
            the minimum weight of their words.
        min_salience: words with a lower weight get the weight 0.
        max_salience: words with a higher weight get the weight 0.
        weights: list written by `metra weights build` or by hand, or a list of counts,
            used instead of counts from the references; see `metra weights --help`.
    """
    text = make_preparation(tok=tok, case=case, stem=stem)
    formula = _core.Ltv(n, gram, side, combine)
    settled = text.versions() | {
        "floor": floor,
        "oov": "minimum" if oov is None else oov,
        "min_salience": "no" if min_salience is None else min_salience,
        "max_salience": "no" if max_salience is None else max_salience,
        "weights": "references",
    }
    if weight == "none":
        if weights is not None:
            msg = f"ltv: weights={weights} is not possible with weight=none; leave one out."
            raise OptionError(msg)
        settled["weights"] = "no"
    elif weights is not None:
        settled["weights"] = weight_files.compute_list_version(weights)
    plain = Metric(
        name="ltv",
        columns=tuple(
            f"{what}_{order}"
            for what in ("matched", "output", "reference")
            for order in range(1, n + 1)
        ),
        rows=record.refuse_unfitted("ltv"),
        aggregate=formula.score,
        parts=partial(parts, n=n),
        settled=settled,
    )
    build_weights = partial(
        build_word_weights, floor=floor, least=min_salience, most=max_salience, oov=oov
    )

    def with_weights(weights: WordWeights | None, lists: str | None = None) -> Metric:
        """Return the metric with weights, and where the documents' lists come from."""
        score = partial(rows, formula=formula, text=text, weights=weights, lists=lists)
        needs = record.select_needs(references=True, documents=lists is not None)
        return replace(plain, rows=score, needs=needs)

    fitted_on = "the references that the weights were fitted on"

    def apply(counts: Salience) -> Metric:
        _check_documents(len(counts.documents), *counts.documents[:1])
        fitted = build_weights(counts, weight_files.WEIGHTS[weight])
        return with_weights(fitted, fitted_on)

    def weigh(words: DocumentWords) -> tuple[Array, Array]:
        _check_documents(int(words.documents))
        salience = weigh_words(words, weight_files.WEIGHTS[weight])
        weights = limit_weights(
            salience, floor=floor, least=min_salience, most=max_salience
        )
        return salience, weights

    def apply_some(some: record.CorpusTerms) -> Metric:
        counts = Salience.learnt(*some.terms[:3])
        is_entry = some.terms.counts > 0  # others name documents without words
        weights = build_weights(counts, some.salience[is_entry], heaviest=some.whole)
        return with_weights(weights, fitted_on)

    if weight == "none":
        return with_weights(None)
    if weights is not None:
        salience = weight_files.read_salience_list(weights, weight)
        fixed = build_weights(salience.words, salience.salience)
        return with_weights(fixed, weights if salience.by_document else None)
    fit = record.Fit(
        count=partial(_count_references, text=text),
        by_references=True,
        to_plain=Salience.terms,
        from_plain=lambda terms: Salience.learnt(*terms),
        apply=apply,
        apply_some=apply_some,
        weigh=weigh,
    )
    return replace(
        plain, fit=fit, needs=record.select_needs(references=True, documents=True)
    )


def rows(
    batch: AnyBatch,
    *,
    formula: _core.Ltv,
    text: Preparation,
    weights: WordWeights | None,
    lists: str | None,
) -> Array:
    """Weight of the matches, the output and the reference by order: (segments, 3n).

    `lists` says where the documents' lists come from; None where no document has its own.
    """
    refs = [column.tokens(text) for column in batch.refs]
    texts = batch.hits(text), batch.hyps.tokens(text), refs
    if lists is None:
        return formula.rows(*texts, weights)
    try:
        return formula.rows(*texts, weights, _list_documents(batch))
    except KeyError as unknown:
        msg = f"Document {unknown.args[0]!r} is not in {lists}; every document must be."
        raise CorpusError(msg) from None


def parts(totals: Array, *, n: int) -> Parts:
    """The pieces of one corpus score."""
    matched, output, reference = totals.reshape(3, n)

    def over(whole: Array) -> list[float]:
        return (matched / np.where(whole > 0, whole, 1)).tolist()

    return {
        "matched": matched.tolist(),
        "output": output.tolist(),
        "reference": reference.tolist(),
        "precisions": over(output),
        "recalls": over(reference),
    }


def _count_references(batches: Iterable[Batch], *, text: Preparation) -> Salience:
    """Count the words of all references of each document together."""

    def prepare_batch(batch: Batch) -> tuple[list[Tokens], list[str]]:
        return [ref.tokens(text) for ref in batch.refs], _list_documents(batch)

    def texts() -> Iterator[tuple[Tokens, list[str]]]:
        for columns, documents in ordered_map(prepare_batch, batches, thread_count()):
            for tokens in columns:
                yield tokens, documents

    return Salience(texts())


def _check_documents(documents: int, name: str = "") -> None:
    if documents < 2:
        named = f", {name!r}" if name else ""
        msg = (
            f"All segments are of one document{named}; salience is relative to other "
            "documents; give a test set with several, weights=FILE with a list of a "
            "larger corpus, or weight=none."
        )
        raise CorpusError(msg)


def _list_documents(batch: AnyBatch) -> list[str]:
    documents = batch.place.documents
    if documents is None:
        msg = (
            "ltv weights words by their salience in a document, but documents are "
            "missing; give `documents` (unique ids make every segment a document), "
            "or weight=none."
        )
        raise CorpusError(msg)
    return documents if isinstance(documents, list) else [*documents]
