"""NIST: matching n-grams weighed by the information in them, short outputs penalised."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from metra import _core
from metra.corpus.batch import Batch, Sentence
from metra.formats.annotations.weights import (
    compute_information_version,
    read_information,
)
from metra.metrics.options import NgramOrder
from metra.metrics.record import (
    Array,
    Metric,
    Parts,
    Tables,
    TermCounts,
    TwoPassFit,
    metric_factory,
    refuse_unfitted,
)
from metra.text.preparation import (
    Preparation,
    make_mteval_preparation,
    make_preparation,
)


@metric_factory
def nist(
    *,
    n: NgramOrder = 5,
    tok: str = "13a",
    case: Literal["mixed", "lower"] = "mixed",
    stem: str = "no",
    style: Literal["plain", "mteval"] = "plain",
    info: str | None = None,
) -> Metric:
    """Information in the matching n-grams, brevity penalised, from 0. Higher is better.

    An n-gram tells info(w1…wn) = log2(count(w1…wn-1) / count(w1…wn)) bits, counted over
    all references of the whole test set and nothing else; for a single word the upper
    count is that of all words. NIST is BP times the sum over n = 1 to 5 of the
    information in the output's n-grams of that order that occur in a reference, divided
    by the number of the output's n-grams of that order. Each n-gram counts at most as
    often as in any one reference. BP = exp(beta · log²(min(c / r, 1))), where c is the
    output's length, r the mean length of the references, and beta makes BP 0.5 for
    c / r = 2/3. There is no upper limit, and scores of different test sets, or with
    different references, cannot be compared.

    Single segments and documents are scored with the weights of the whole test set, so
    the measure is fitted first: `metra score`, `metra.score` and `metra.evaluate` do so
    with the references they are given, and in Python
    `metra.metric("nist").fit([metra.Batch(hyps, refs)])` gives a metric that keeps its
    weights. They need one to two gigabytes for a million references of 25 words.

    Doddington 2002, "Automatic evaluation of machine translation quality using n-gram
    co-occurrence statistics", HLT. `style=mteval` equals mteval-v13a and v14 at every
    level (mteval lower-cases unless told -c: `case=lower`).

    Options:
        n: longest n-grams that count.
        tok: how text is cut into words.
        case: whether letter case counts.
        stem: compare stems: no, porter, or a Snowball language such as english.
        style: whose conventions: mteval takes the word 0 for no word when it counts what
            stands before another, has its own white space, and lower-cases ASCII only.
        info: a file with the weights, instead of counting the references: n-gram, tab,
            weight in bits; `metra.formats.annotations.weights.write_information`
            writes one.
    """
    text = _choose_preparation(tok=tok, case=case, stem=stem, style=style)
    settled = text.versions() | ({"tok": tok} if style == "mteval" else {})
    settled["info"] = (
        "references" if info is None else compute_information_version(info)
    )
    orders = range(1, n + 1)
    plain = Metric(
        name="nist",
        columns=(
            *(f"information_{order}" for order in orders),
            *(f"ngrams_{order}" for order in orders),
            "hyp_len",
            "ref_len",
        ),
        rows=refuse_unfitted("nist"),
        aggregate=partial(_core.nist_score, order=n),
        parts=partial(parts, n=n),
        settled=settled,
    )

    counts = _NgramCounts(plain, n, text, style)
    if info is not None:
        return counts.with_weights(read_information(info, n))
    return replace(
        plain,
        fit=counts.fit,
        weighing=TwoPassFit(counts.count, counts.weigh, counts.tables, counts.restore),
    )


def rows(
    batch: Batch | Sentence, *, text: Preparation, weights: _core.Information
) -> Array:
    """Information matched and n-grams of each order, then the two lengths: (n, 2n+2)."""
    return weights.rows(batch.hits(text), batch.hyps.tokens(text))


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
    case: Literal["mixed", "lower"] = "mixed",
    stem: str = "no",
    style: Literal["plain", "mteval"] = "plain",
) -> _core.Information:
    """The weights of these batches' references, to be written to a file and used again."""
    text = _choose_preparation(tok=tok, case=case, stem=stem, style=style)
    return _count_ngrams(batches, n=n, text=text, history=style)


def _choose_preparation(*, tok: str, case: str, stem: str, style: str) -> Preparation:
    if style == "mteval":
        return make_mteval_preparation("nist", tok=tok, case=case, stem=stem)
    return make_preparation(tok=tok, case=case, stem=stem)


def _count_ngrams(
    batches: Iterable[Batch], *, n: int, text: Preparation, history: str
) -> _core.Information:
    weights = _core.Information(n, history)
    for batch in batches:
        for ref in batch.refs:
            weights.add(ref.tokens(text))
    return weights


@dataclass(frozen=True, slots=True)
class _NgramCounts:
    """How n-grams get their weights: from the references, or from counts of them."""

    #: The metric without weights.
    plain: Metric
    n: int
    text: Preparation
    history: str

    def fit(self, batches: Iterable[Batch]) -> Metric:
        return self.with_weights(self._count(batches))

    def count(self, batch: Batch) -> TermCounts:
        return TermCounts(*self._count([batch]).terms())

    def weigh(self, terms: TermCounts) -> Metric:
        """Weigh n-grams that were counted elsewhere, what begins one before it."""
        weights = _core.Information(self.n, self.history)
        weights.learn(*terms)
        return self.with_weights(weights)

    def tables(self, batches: Iterable[Batch]) -> Tables:
        (words, ends), counts, longer = self._count(batches).tables()
        named = {f"grams_{n}": table for n, table in enumerate(longer, 2)}
        return {"words": words, "ends": ends, "counts": counts, **named}

    def restore(self, tables: Tables) -> Metric:
        longer = [tables[f"grams_{order}"] for order in range(2, self.n + 1)]
        words = tables["words"], tables["ends"]
        return self.with_weights(
            _core.Information.of_tables(self.history, words, tables["counts"], longer)
        )

    def with_weights(self, weights: _core.Information) -> Metric:
        score = partial(rows, text=self.text, weights=weights)
        return replace(self.plain, rows=score)

    def _count(self, batches: Iterable[Batch]) -> _core.Information:
        return _count_ngrams(batches, n=self.n, text=self.text, history=self.history)
