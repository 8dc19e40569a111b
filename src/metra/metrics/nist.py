"""NIST: matching n-grams weighed by the information in them, short outputs penalised."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from metra import _core
from metra.corpus.batch import Batch
from metra.errors import CorpusError
from metra.formats.annotations import weights as weight_files
from metra.metrics import record
from metra.metrics.options import Case, NgramOrder
from metra.metrics.record import Array, Metric, Parts, metric_factory
from metra.text.preparation import choose_preparation

#: The value of `info` that weighs all n-grams the same.
EQUAL = "equal"

# The largest count of an n-gram.
_MOST = 2**32 - 1


@metric_factory(title="NIST", papers="doddington2002")
def nist(
    *,
    n: NgramOrder = 5,
    tok: str = "13a",
    case: Case = "mixed",
    stem: str = "no",
    style: Literal["plain", "mteval"] = "plain",
    info: str | None = None,
) -> Metric:
    """Information content of matching n-grams with a brevity penalty, from 0. Higher is better.

    The information of an n-gram is info(w1…wn) = log2(count(w1…wn-1) / count(w1…wn))
    bits, counted over all references of the test set; for a single word the numerator
    is the number of all words. NIST is BP times the sum over n = 1 to 5 of the
    information of the output's n-grams of order n that occur in a reference, divided by
    the number of the output's n-grams of that order. Each n-gram counts at most as
    often as it occurs in any one reference. BP = exp(beta · log²(min(c / r, 1))), where
    c is the output length, r the mean reference length, and beta makes BP 0.5 for c / r
    = 2/3. There is no upper limit, and scores for different test sets or references are
    not comparable.

    Segments and documents are scored with the weights of the whole test set, so the
    metric is fitted first: `metra score`, `metra.score` and `metra.evaluate` fit it to
    the references that they read. In Python,
    `metra.metric("nist").fit([metra.Batch(hyps, refs)])` returns a metric that keeps
    its weights. The weights of a million references of 25 words need one to two
    gigabytes.

    `info=equal` is unweighted NIST: every n-gram has one bit of information, so NIST is
    BP times the sum of the precisions of all orders, from 0 to n. It has no weights to
    fit. Turian, Shen and Melamed 2003 compared it with other metrics but did not define
    it further.

    Doddington 2002, "Automatic evaluation of machine translation quality using n-gram
    co-occurrence statistics", HLT. `style=mteval` equals mteval-v13a and v14 at every
    level (mteval lower-cases without -c: `case=lower`).

    Options:
        style: conventions: mteval treats the word 0 as missing when it counts the words
            before another, splits at its own set of white space, and lower-cases ASCII
            only.
        info: equal, one bit for every n-gram; or a file with the weights, used instead
            of counts from the references: n-gram, tab, weight in bits;
            `metra.formats.annotations.weights.write_information` writes one. To use a
            file named equal, write ./equal.
    """
    text, settled = choose_preparation("nist", tok, case, stem, style)
    settled["info"] = info if info == EQUAL else "references"
    if info is not None and info != EQUAL:
        settled["info"] = weight_files.compute_information_version(info)
    orders = range(1, n + 1)
    plain = Metric(
        name="nist",
        columns=(
            *(f"information_{order}" for order in orders),
            *(f"ngrams_{order}" for order in orders),
            *("hyp_len", "ref_len"),
        ),
        rows=record.refuse_unfitted("nist"),
        aggregate=partial(_core.nist_score, order=n),
        parts=partial(parts, n=n),
        settled=settled,
    )

    def apply(weights: _core.Information) -> Metric:
        return replace(
            plain,
            rows=lambda batch: weights.rows(batch.hits(text), batch.hyps.tokens(text)),
        )

    learn = partial(_learn, n=n, style=style)

    def apply_some(some: record.CorpusTerms) -> Metric:
        _check_counts(some.terms.counts)
        # What begins an n-gram comes before it.
        return apply(learn(some.terms[:3], int(some.whole)))

    if info == EQUAL:
        # One bit each: the information matched is the number of n-grams matched.
        return replace(
            plain, rows=lambda batch: _core.ngram_rows(batch.hits(text), n, "average")
        )
    if info is not None:
        return apply(weight_files.read_information(info, n))
    fit = record.Fit(
        count=partial(fit_information, n=n, tok=tok, case=case, stem=stem, style=style),
        by_references=True,
        to_plain=_core.Information.terms,
        from_plain=learn,
        apply=apply,
        apply_some=apply_some,
    )
    return replace(plain, fit=fit)


def parts(totals: Array, *, n: int) -> Parts:
    """The pieces of one corpus score."""
    hyp_len, ref_len = totals[-2:]
    return {
        "information": totals[:n].tolist(),
        "totals": totals[n : 2 * n].tolist(),
        "precisions": (totals[:n] / np.maximum(totals[n : 2 * n], 1)).tolist(),
        "bp": float(_core.nist_penalty(totals, n)),
        "hyp_len": float(hyp_len),
        "ref_len": float(ref_len),
        "ratio": float(hyp_len / ref_len) if ref_len else 0.0,
    }


def fit_information(
    batches: Iterable[Batch],
    *,
    n: int = 5,
    tok: str = "13a",
    case: Case = "mixed",
    stem: str = "no",
    style: Literal["plain", "mteval"] = "plain",
) -> _core.Information:
    """The weights of these batches' references, to be written to a file and used again."""
    text, _ = choose_preparation("nist", tok, case, stem, style)
    weights = _core.Information(n, style)
    for batch in batches:
        for ref in batch.refs:
            weights.add(ref.tokens(text))
    return weights


def _check_counts(counts: NDArray[Any]) -> None:
    """Refuse counts that weights cannot hold."""
    largest = int(counts.max(initial=0))
    if largest > _MOST:
        msg = (
            f"nist: the references have an n-gram {largest:,} times, but weights hold counts "
            f"up to {_MOST:,}; score the table in several parts."
        )
        raise CorpusError(msg)


def _learn(
    terms: tuple[bytes, Any, Any], words: int | None = None, *, n: int, style: str
) -> _core.Information:
    """Build weights from counts; `words` is given if they are some of a corpus."""
    weights = _core.Information(n, style)
    weights.learn(*terms, words)
    return weights
