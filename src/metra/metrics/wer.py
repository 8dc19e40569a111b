"""Word error rate: edits that turn the output into a reference, per reference word.

The other error rates share its columns, the lengths that edits are set against, and its
alignments.
"""

from typing import Literal

import numpy as np

from metra import _core
from metra.errors import OptionError
from metra.metrics.alignment import Alignment, Link, build_alignments, make_link
from metra.metrics.options import Case
from metra.metrics.record import AnyBatch, Array, Metric, Parts, metric_factory
from metra.text.preparation import Preparation, make_preparation

COLUMNS = ("substitutions", "insertions", "deletions", "hits", "ref_len")

_KINDS = {"S": "substitution", "I": "insertion", "D": "deletion", "H": "hit"}


@metric_factory
def wer(
    *,
    norm: Literal["reference", "output"] = "reference",
    refs: Literal["best", "best-rate", "average-length"] = "best",
    tok: str = "none",
    case: Case = "mixed",
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
    """
    text = make_preparation(tok=tok, case=case, stem=stem)
    return build_metric("wer", text, norm, refs, text.versions())


def build_metric(
    name: str,
    text: Preparation,
    norm: str,
    refs: str,
    settled: dict[str, str],
    unit: Literal["word", "character"] = "word",
) -> Metric:
    """Make the error rate of words, or of characters."""
    if norm == "output" and refs == "average-length":
        msg = (
            f"{name}: refs=average-length is not possible with norm=output, which has no "
            "use for reference lengths; expected refs=best or refs=best-rate."
        )
        raise OptionError(msg)

    def align(batch: AnyBatch, index: int) -> list[Alignment]:
        chosen, paths = _core.edit_alignments(batch.hits(text), index, refs)
        return build_alignments(
            batch,
            index,
            text,
            lambda place: _parse_links(paths[place]),
            kinds=tuple(_KINDS.values()),
            chosen=chosen,
            unit=unit,
        )

    return Metric(
        name=name,
        columns=COLUMNS,
        rows=lambda batch: _core.edit_rows(batch.hits(text), "fixed", refs),
        aggregate=aggregate if norm == "reference" else aggregate_by_output,
        higher_is_better=False,
        parts=parts,
        align=align,
        settled=settled,
    )


def aggregate(totals: Array) -> Array:
    """Edits per hundred reference words; no words at all count as one."""
    return _compute_rate(totals, totals[..., 4])


def aggregate_by_output(totals: Array) -> Array:
    """Edits per hundred output words; no words at all count as one."""
    return _compute_rate(totals, totals[..., 0] + totals[..., 1] + totals[..., 3])


def parts(totals: Array) -> Parts:
    """The edits and lengths behind one corpus score."""
    named = dict(zip(COLUMNS, totals.tolist(), strict=True))
    words = named["substitutions"] + named["insertions"] + named["hits"]
    return {**named, "hyp_len": words}


def _compute_rate(totals: Array, length: Array) -> Array:
    edits = totals[..., :3].sum(-1)
    return 100 * edits / np.where(length > 0, length, 1)


def _parse_links(path: str) -> list[Link]:
    links = []
    hyp = ref = 0
    for letter in path:
        hyp_words, ref_words = int(letter != "D"), int(letter != "I")
        links.append(make_link(_KINDS[letter], hyp, ref, hyp_words, ref_words))
        hyp, ref = hyp + hyp_words, ref + ref_words
    return links
