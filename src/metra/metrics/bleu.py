"""BLEU: n-gram precision of the output against its references, short outputs penalised."""

from dataclasses import replace
from functools import partial
from typing import Literal

from metra import _core
from metra.corpus.batch import Batch
from metra.metrics.options import Case, FromZero, NgramOrder, format_value
from metra.metrics.record import Array, Fast, Metric, Parts, metric_factory
from metra.text.preparation import choose_preparation, find_whole_tokenizer


@metric_factory(title="BLEU", papers="papineni2002 post2018")
def bleu(
    *,
    n: NgramOrder = 4,
    tok: str = "13a",
    case: Case = "mixed",
    stem: str = "no",
    smooth: Literal["exp", "floor", "add-k", "none"] = "exp",
    smooth_value: FromZero | None = None,
    eff: Literal["auto", "yes", "no"] = "auto",
    ref_len: Literal["closest", "shortest", "average"] = "closest",
    average: Literal["geometric", "arithmetic"] = "geometric",
    style: Literal["sacrebleu", "mteval"] = "sacrebleu",
) -> Metric:
    """N-gram precision with a brevity penalty, 0 to 100. Higher is better.

    For each n, p_n is the share of the output's n-grams that occur in a reference; an
    n-gram counts at most as often as it occurs in any one reference. BLEU is BP times
    the geometric mean of p_1 to p_4, where BP = exp(1 - r/c) if the output length c is
    below the reference length r, and 1 otherwise. Counts and lengths are summed over
    segments before the division.

    Papineni et al. 2002, "BLEU: a method for automatic evaluation of machine
    translation", ACL. Smoothing after Chen and Cherry 2014, WMT. Defaults equal
    sacreBLEU 2.6 (Post 2018); `style=mteval` equals mteval-v13a and v14 at every level.

    Options:
        smooth: smoothing of orders without matches: exp, half of the previous order;
            floor, a small number of matches; add-k, k additional matches; none, 0.
        smooth_value: the number for floor (0.1) and add-k (1).
        eff: effective order: average only the orders for which the output is long
            enough; auto does so for single segments, not for documents and corpora.
        ref_len: reference length for the brevity penalty.
        average: mean of the precisions.
        style: conventions: mteval smooths short outputs in its own way, splits at its
            own set of white space, and lower-cases ASCII only.
    """
    text, settled = choose_preparation("bleu", tok, case, stem, style)
    value = smooth_value
    if value is None:
        value = {"floor": 0.1, "add-k": 1.0}.get(smooth)
    settled["smooth_value"] = "none" if value is None else format_value(value)
    orders = range(1, n + 1)

    def sums(batch: Batch) -> list[float]:
        return _core.ngram_sums(batch.hits(text), n, ref_len, len(batch))[0]

    def build_metric(*, effective: bool) -> Metric:
        short = "mteval" if style == "mteval" else "effective" if effective else "zero"
        formula = _core.BleuFormula(n, smooth, value or 0.0, average, short)
        cut = find_whole_tokenizer(text)
        return Metric(
            name="bleu",
            columns=(
                *(f"matches_{order}" for order in orders),
                *(f"ngrams_{order}" for order in orders),
                *("hyp_len", "ref_len"),
            ),
            rows=lambda batch: _core.ngram_rows(batch.hits(text), n, ref_len),
            aggregate=formula.score,
            parts=partial(parts, n=n, formula=formula),
            settled=settled | {"eff": "yes" if effective else "no"},
            fast=Fast(
                # An average length may be a fraction, whose plain sums are not exact.
                sums=None if ref_len == "average" else sums,
                single=cut and partial(formula.sentence, cut, ref_len),
                pairs=lambda texts, outputs, references: formula.pairs(
                    texts.tokens(text), outputs, references
                ),
            ),
        )

    corpus = build_metric(effective=eff == "yes")
    if eff != "auto" or style == "mteval":
        return corpus
    return replace(corpus, for_segments=build_metric(effective=True))


def parts(totals: Array, *, n: int, formula: _core.BleuFormula) -> Parts:
    """The pieces of one corpus score."""
    numbers = list(map(float, totals))
    hyp_len, ref_len = numbers[-2:]
    return {
        "counts": numbers[:n],
        "totals": numbers[n : 2 * n],
        "precisions": [100 * precision for precision in formula.precisions(totals)],
        "bp": float(formula.penalty(totals)),
        "hyp_len": hyp_len,
        "ref_len": ref_len,
        "ratio": hyp_len / ref_len if ref_len else 0.0,
    }
