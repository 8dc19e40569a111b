"""GLEU, Google's BLEU: matching n-grams by the n-grams of the longer side."""

from functools import partial

import numpy as np

from metra import _core
from metra.errors import OptionError, not_possible
from metra.metrics.options import Case, NgramOrder
from metra.metrics.record import AnyBatch, Array, Metric, metric_factory, name_columns
from metra.text.preparation import Preparation, make_preparation

COLUMNS = ("matches", "ngrams")


@metric_factory(title="GLEU", papers="wu2016")
def gleu(
    *,
    n: NgramOrder = 4,
    shortest: NgramOrder = 1,
    tok: str = "13a",
    case: Case = "mixed",
    stem: str = "no",
) -> Metric:
    """Minimum of n-gram precision and recall, 0 to 100. Higher is better.

    All n-grams of one to four words are counted together. GLEU = 100 M / max(C, R),
    where M is the number of matching n-grams, each counted at most as often as it
    occurs on both sides, and C and R are the numbers of n-grams of the output and the
    reference. With several references, the one with the best score counts; if scores
    are equal, the first. M and max(C, R) are summed over segments before the division.
    If neither side has an n-gram, the score is 0. Unlike BLEU, GLEU is suitable for
    single sentences: it needs no smoothing and is symmetric between output and
    reference.

    Wu et al. 2016, "Google's neural machine translation system", arXiv:1609.08144. With
    tok=none it equals nltk's corpus_gleu and sentence_gleu on text split at white
    space.

    Options:
        shortest: minimum length of n-grams.
    """
    if shortest > n:
        raise OptionError(not_possible(f"gleu: shortest={shortest}", f"at most n={n}"))
    text = make_preparation(tok=tok, case=case, stem=stem)
    return Metric(
        name="gleu",
        columns=COLUMNS,
        rows=partial(rows, n=n, shortest=shortest, text=text),
        aggregate=aggregate,
        parts=partial(name_columns, columns=COLUMNS),
        settled=text.versions(),
    )


def rows(batch: AnyBatch, *, n: int, shortest: int, text: Preparation) -> Array:
    """Return matching n-grams and n-grams of the longer side: (segments, 2)."""
    references = batch.refs
    if len(references) < 2:
        return _count_ngrams(batch.hits(text), n, shortest)
    outputs = batch.hyps.tokens(text)
    best = np.zeros((len(batch), 2))
    best_shares = np.full(len(batch), -1.0)
    for column in references:
        hits = _core.Hits(outputs, [column.tokens(text)])
        counts = _count_ngrams(hits, n, shortest)
        shares = counts[:, 0] / np.maximum(counts[:, 1], 1)
        # Where neither side has an n-gram, any other reference is to be preferred.
        shares[counts[:, 1] == 0] = -0.5
        shares[column.text.missing()] = -1
        is_better = shares > best_shares
        best[is_better], best_shares[is_better] = counts[is_better], shares[is_better]
    return best


def aggregate(totals: Array) -> Array:
    """Return the share of each row of totals, in per cent; 0 of nothing."""
    return 100 * totals[..., 0] / np.maximum(totals[..., 1], 1)


def _count_ngrams(hits: _core.Hits, n: int, shortest: int) -> Array:
    """Count for one reference: matches, and the n-grams of the side that has more."""
    table = _core.ngram_rows(hits, n, "closest")
    orders = np.arange(shortest, n + 1)
    matches = table[:, orders - 1].sum(1)
    hyp_ngrams = table[:, n + orders - 1].sum(1)
    ref_ngrams = np.maximum(table[:, -1:] - orders + 1, 0).sum(1)
    return np.stack([matches, np.maximum(hyp_ngrams, ref_ngrams)], 1)
