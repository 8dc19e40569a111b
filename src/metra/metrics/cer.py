"""Character error rate: edits that turn the output into a reference, per character."""

from typing import Literal

from metra.metrics import wer
from metra.metrics.options import Case
from metra.metrics.record import Metric, metric_factory
from metra.text.preparation import make_preparation

# A segment's characters, white space inside it included, as tokens.
_TOKENIZERS = {"char": "code-points", "grapheme": "graphemes"}


@metric_factory
def cer(
    *,
    unit: Literal["char", "grapheme"] = "char",
    norm: Literal["reference", "output"] = "reference",
    refs: Literal["best", "best-rate", "average-length"] = "best",
    case: Case = "mixed",
) -> Metric:
    """Characters to change, add or drop per hundred reference characters. Lower is better.

    The word error rate with characters for words. White space counts, each blank as a
    character, except at both ends of the segment, where it is removed. Sums, empty
    references and the choice among equal alignments are those of `wer`. To leave white
    space out altogether, use wer:tok=char.

    Levenshtein 1966, "Binary codes capable of correcting deletions, insertions, and
    reversals". Equals jiwer 4 on any text with one reference; of equally short
    alignments jiwer often shows another one.

    Options:
        unit: what a character is: a Unicode code point (char), or what a reader sees as
            one (grapheme), such as a letter with its accents or an emoji of several parts.
        norm: whose characters the edits are set against.
        refs: with several references, the one with the fewest edits (best; of those the
            longest, of those the first), or with the lowest rate (best-rate; of those the
            first); average-length takes the fewest edits over the references' mean length.
    """
    text = make_preparation(tok=_TOKENIZERS[unit], case=case, stem="no")
    settled = {"unit": unit + text.versions()["tok"].removeprefix(text.tok)}
    return wer.build_metric("cer", text, norm, refs, settled, unit="character")
