"""chrF: character n-grams that the output and a reference share; with words, chrF++."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import numpy as np

from metra import _core
from metra.corpus.batch import SegmentColumn
from metra.errors import OptionError, not_possible
from metra.metrics.options import LONGEST, Case, Range
from metra.metrics.record import AnyBatch, Array, Fast, Metric, Parts, metric_factory
from metra.text.columns import Text
from metra.text.preparation import find_whole_tokenizer, make_preparation


@metric_factory(title="chrF", papers="popovic2015 post2018")
def chrf(
    *,
    n: Annotated[int, Range(0, LONGEST)] = 6,
    word_order: Annotated[int, Range(0, LONGEST)] = 0,
    beta: Annotated[float, Range(0, 1000, above=True)] = 2,
    case: Case = "mixed",
    whitespace: bool = False,
    eps: bool = False,
    stem: str = "no",
) -> Metric:
    """F-score of character n-grams, weighted towards recall, 0 to 100. Higher is better.

    For each n from 1 to 6, P_n is the share of the output's character n-grams that
    occur in the reference, and R_n is the share of the reference's that occur in the
    output; an n-gram counts at most as often as it occurs on the other side. P and R
    are the means of P_n and R_n over the orders for which both sides have n-grams, and
    chrF = (1 + beta²) P R / (beta² P + R). With several references, the one with the
    best score counts. Counts are summed over segments before the division.

    With `word_order=2`, word n-grams of one and two words are averaged in as further
    orders: chrF++. It splits words at white space and then separates one ASCII
    punctuation mark from the end of a word or, if there is none, from its start.

    Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation", WMT;
    beta=2 after Popović 2016, WMT; chrF++ in Popović 2017, WMT. Defaults equal
    sacreBLEU 2.6 (Post 2018) on any text. `eps=yes` equals its eps_smoothing, and
    combines the orders like chrF++.py and NLTK.

    Options:
        n: maximum length of character n-grams.
        word_order: maximum length of word n-grams; 2 for chrF++.
        beta: weight of recall relative to precision.
        whitespace: whether white space counts as characters.
        eps: average F over all orders, where an order without n-grams counts 1e-16,
            instead of F of the mean P and R over the orders with n-grams.
        stem: use the characters of stems: no, porter, or a Snowball language such as
            english; words are split as for chrF++ and, with whitespace, joined by
            spaces.
    """
    if n + word_order == 0:
        expected = "whole numbers of at least 0, one of them at least 1"
        given = f"chrf: n={n} with word_order={word_order}"
        raise OptionError(not_possible(given, expected))
    words = make_preparation(tok="chrf", case=case, stem=stem)
    # Stems are of words whose case has been folded already.
    folded = case if stem == "no" else "mixed"
    mean = "all" if eps else "effective"
    kernel = _core.Chrf(n, word_order, beta, mean, whitespace, folded)
    cut = find_whole_tokenizer(words) if word_order else None

    def find_letters(column: SegmentColumn) -> Text:
        return column.text if stem == "no" else column.tokens(words).joined()

    def rows(batch: AnyBatch) -> Array:
        """Count the n-grams of output, best reference and both, characters first."""
        hits = batch.hits(words) if word_order else None
        if stem == "no":
            return kernel.rows(*batch.texts(), hits)
        letters = [find_letters(ref) for ref in batch.refs]
        return kernel.rows(find_letters(batch.hyps), letters, hits)

    def pairs(
        texts: SegmentColumn, outputs: Sequence[int], references: Sequence[int]
    ) -> Array:
        tokens = texts.tokens(words) if word_order else None
        return kernel.pairs(find_letters(texts), tokens, outputs, references)

    orders = [
        *(f"char_{order}" for order in range(1, n + 1)),
        *(f"word_{order}" for order in range(1, word_order + 1)),
    ]
    return Metric(
        name="chrf",
        columns=tuple(
            f"{order}_{kind}" for order in orders for kind in ("hyp", "ref", "match")
        ),
        rows=rows,
        aggregate=kernel.score,
        parts=partial(parts, n=n),
        settled={"stem": words.versions()["stem"]},
        fast=Fast(
            single=partial(kernel.sentence, cut) if stem == "no" else None,
            pairs=pairs,
        ),
    )


def parts(totals: Array, *, n: int) -> Parts:
    """The pieces of one corpus score."""
    hyp, ref, match = totals.reshape(-1, 3).T
    precisions = 100 * match / np.maximum(hyp, 1)
    recalls = 100 * match / np.maximum(ref, 1)
    both = (hyp > 0) & (ref > 0)
    pieces: Parts = {
        "precision": float(precisions[both].mean()) if both.any() else 0.0,
        "recall": float(recalls[both].mean()) if both.any() else 0.0,
        "char_precisions": precisions[:n].tolist(),
        "char_recalls": recalls[:n].tolist(),
    }
    if len(hyp) > n:
        pieces["word_precisions"] = precisions[n:].tolist()
        pieces["word_recalls"] = recalls[n:].tolist()
    return pieces
