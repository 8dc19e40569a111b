"""Word error rate: edits that turn the output into a reference, per reference word."""

from functools import partial
from typing import Literal

from metra import _core
from metra.corpus import Batch, Sentence
from metra.errors import OptionError
from metra.measure import Array, Metric, measure
from metra.metrics import error_rate
from metra.text import Preparation, preparation


@measure
def wer(
    *,
    norm: Literal["reference", "output"] = "reference",
    refs: Literal["best", "best-rate", "average-length"] = "best",
    tok: str = "none",
    case: Literal["mixed", "lower"] = "mixed",
    stem: str = "no",
) -> Metric:
    """Words to change, add or drop per hundred reference words. Lower is better.

    WER = 100 (S + I + D) / N: the fewest substitutions, insertions (words that the output
    has too much) and deletions (words that it lacks) between output and reference, over
    the reference's N words; so it can exceed 100. Edits and lengths are summed over
    segments before anything is divided. If there is no reference word at all, N is 1.

    Several alignments can be equally short. The one that is counted and shown takes, from
    the end of the segment backwards, a match or substitution where it can, else a
    deletion, else an insertion.

    Levenshtein 1966; for translation Nießen et al. 2000, "An evaluation tool for machine
    translation", LREC. Equals WER.pl, and jiwer 4 where blanks are the only white space
    (to jiwer a lone tab or no-break space is part of a word). Of equally short alignments
    jiwer often shows another one, so that S, I and D differ while their sum is the same.

    Options:
        norm: whose words the edits are set against.
        refs: with several references, the one with the fewest edits (best; of those the
            longest, of those the first), or with the lowest rate (best-rate; of those the
            first); average-length takes the fewest edits over the references' mean length.
        tok: how text is cut into words; none cuts at white space.
        case: whether letter case counts.
        stem: compare stems: no, porter, or a Snowball language such as english.
    """
    check_norm("wer", norm, refs)
    text = preparation(tok=tok, case=case, stem=stem)
    return Metric(
        name="wer",
        columns=error_rate.COLUMNS,
        rows=partial(rows, text=text, refs=refs),
        aggregate=AGGREGATES[norm],
        higher_is_better=False,
        parts=error_rate.parts,
        align=partial(error_rate.align, text=text, refs=refs, unit="word"),
        settled=text.versions(),
    )


AGGREGATES = {
    "reference": error_rate.per_reference_word,
    "output": error_rate.per_output_word,
}


def rows(batch: Batch | Sentence, *, text: Preparation, refs: str) -> Array:
    """Edits, hits and reference length of each segment: (segments, 5)."""
    return _core.edit_rows(batch.hits(text), "fixed", refs)


def check_norm(owner: str, norm: str, refs: str) -> None:
    """Refuse to average reference lengths that are not used."""
    if norm == "output" and refs == "average-length":
        msg = (
            f"{owner}: refs=average-length is not possible with norm=output, which has no "
            "use for reference lengths; expected refs=best or refs=best-rate."
        )
        raise OptionError(msg)
