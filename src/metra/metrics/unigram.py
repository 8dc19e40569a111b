"""Word matches without order: precision, recall and their harmonic means."""

from functools import partial

import numpy as np

from metra import _core
from metra.metrics.options import Case, Share
from metra.metrics.record import AnyBatch, Array, Metric, Parts, metric_factory
from metra.text.preparation import Preparation, make_preparation

COLUMNS = ("matches", "hyp_len", "ref_len")


@metric_factory(title="Precision", papers="lavie2004")
def precision(*, tok: str = "13a", case: Case = "mixed", stem: str = "no") -> Metric:
    """Share of output words that match the reference, 0 to 100. Higher is better.

    Each output word matches at most one equal word of the reference and vice versa, in
    any order: P = m/|C| for m matches and an output of |C| words. With several
    references, the one with the highest score counts; if scores are equal, the first.
    The matches and lengths for the chosen references are summed over segments before
    the division. An output without words has precision 0.

    Lavie, Sagae and Jayaraman 2004, "The significance of recall in automatic metrics
    for MT evaluation", AMTA. With stem=porter it is their P-stem. By default text is
    prepared as for bleu.
    """
    return _build_metric("precision", 0.0, tok, case, stem)


@metric_factory(title="Recall", papers="lavie2004")
def recall(*, tok: str = "13a", case: Case = "mixed", stem: str = "no") -> Metric:
    """Share of reference words that the output matches, 0 to 100. Higher is better.

    R = m/|R| for m matches, as `precision` counts them, and a reference of |R| words.
    With a reference without words, recall is 0. References are chosen and segments
    summed as for `precision`.

    Lavie, Sagae and Jayaraman 2004, "The significance of recall in automatic metrics
    for MT evaluation", AMTA. With stem=porter it is their R-stem. By default text is
    prepared as for bleu.
    """
    return _build_metric("recall", 1.0, tok, case, stem)


@metric_factory(title="F1", papers="lavie2004")
def f1(*, tok: str = "13a", case: Case = "mixed", stem: str = "no") -> Metric:
    """Harmonic mean of word precision and recall, 0 to 100. Higher is better.

    F1 = 2PR/(P+R) = 2m/(|C|+|R|) for m matches, as `precision` counts them, between an
    output of |C| words and a reference of |R| words. Without matches, F1 is 0.
    References are chosen and segments summed as for `precision`.

    Lavie, Sagae and Jayaraman 2004, "The significance of recall in automatic metrics
    for MT evaluation", AMTA. With stem=porter it is their F1-stem. By default text is
    prepared as for bleu. With one reference and the same preparation, F1 equals gtm
    with e=1; with several references it does not, because gtm joins them.
    """
    return _build_metric("f1", 0.5, tok, case, stem)


@metric_factory(title="Fmean", papers="lavie2004")
def fmean(
    *, alpha: Share = 0.9, tok: str = "13a", case: Case = "mixed", stem: str = "no"
) -> Metric:
    """Mean of word precision and recall, weighted towards recall, 0 to 100. Higher is better.

    Fmean = PR/(αP + (1-α)R) = m/(α|R| + (1-α)|C|) for m matches, as `precision` counts
    them, between an output of |C| words and a reference of |R| words; with α = 0.9 it
    is 10PR/(9P+R). Without matches, Fmean is 0. References are chosen and segments
    summed as for `precision`.

    Lavie, Sagae and Jayaraman 2004, "The significance of recall in automatic metrics
    for MT evaluation", AMTA. With stem=porter it is their Fmean-stem. By default text
    is prepared as for bleu.

    Options:
        alpha: weight of recall, from 0 (only precision) to 1 (only recall).
    """
    return _build_metric("fmean", alpha, tok, case, stem)


def _build_metric(
    name: str, recall_weight: float, tok: str, case: str, stem: str
) -> Metric:
    text = make_preparation(tok=tok, case=case, stem=stem)
    return Metric(
        name=name,
        columns=COLUMNS,
        rows=partial(rows, text=text, recall_weight=recall_weight),
        aggregate=partial(aggregate, recall_weight=recall_weight),
        parts=parts,
        settled=text.versions(),
    )


def rows(batch: AnyBatch, *, text: Preparation, recall_weight: float) -> Array:
    """Matches and both lengths of each segment, for its best reference: (segments, 3)."""
    return _core.unigram_rows(batch.hits(text), recall_weight)


def aggregate(totals: Array, *, recall_weight: float) -> Array:
    """Score each row of totals: precision with weight 0, recall with 1, a mean between."""
    matches, hyp_len, ref_len = np.moveaxis(totals, -1, 0)
    # Written so that equal lengths come out exact, whatever the weight.
    words = ref_len + (1 - recall_weight) * (hyp_len - ref_len)
    return 100 * matches / np.where(words == 0, 1, words)


def parts(totals: Array) -> Parts:
    """The pieces of one corpus score."""
    shares = {"precision": 0.0, "recall": 1.0}
    return dict(zip(COLUMNS, totals.tolist(), strict=True)) | {
        name: float(aggregate(totals, recall_weight=weight))
        for name, weight in shares.items()
    }
