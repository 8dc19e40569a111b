"""Position-independent error rate: the word error rate of words in any order."""

from typing import Literal

from metra import _core
from metra.metrics import wer
from metra.metrics.options import Case
from metra.metrics.record import Metric, metric_factory
from metra.text.preparation import make_preparation


@metric_factory
def per(
    *,
    refs: Literal["best", "best-rate", "average-length"] = "best-rate",
    tok: str = "none",
    case: Case = "mixed",
    stem: str = "no",
) -> Metric:
    """Wrong, missing and needless words per hundred, word order ignored. Lower is better.

    PER = 100 (max(C, R) - M) / R, where C and R are the numbers of output and reference
    words and M the number of words that both have, a repeated word as often as it occurs
    on both sides. Numerators and lengths are summed over segments before anything is
    divided. If there is no reference word at all, R is 1.

    Tillmann et al. 1997, "Accelerated DP based search for statistical translation",
    Eurospeech. Equals PER.pl on segments; for a corpus PER.pl takes the maximum of the
    summed lengths, which lets long outputs pay for short ones, so it is never higher.

    Options:
        refs: with several references, the one with the lowest rate (best-rate; of those
            the first) or with the fewest errors (best; of those the longest, of those the
            first); average-length takes the fewest errors over the mean length.
        tok: how text is cut into words; none cuts at white space.
    """
    text = make_preparation(tok=tok, case=case, stem=stem)
    return Metric(
        name="per",
        columns=wer.COLUMNS,
        rows=lambda batch: _core.edit_rows(batch.hits(text), "free", refs),
        aggregate=wer.aggregate,
        higher_is_better=False,
        parts=wer.parts,
        settled=text.versions(),
    )
