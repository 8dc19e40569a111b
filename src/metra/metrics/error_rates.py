"""Error rates: edits per word (wer), in any order (per) or per character (cer); ser."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Literal, TypeAlias

import numpy as np

from metra import _core
from metra.errors import OptionError
from metra.metrics import record
from metra.metrics.alignment import Alignment, Link, build_alignments, make_link
from metra.metrics.options import Case, PlainTokenizer
from metra.metrics.record import AnyBatch, Array, Metric, Notes, Parts, metric_factory
from metra.metrics.units import Detail
from metra.stats.direction import LOWER
from metra.text.preparation import Preparation, make_preparation

ReferenceChoice: TypeAlias = Annotated[
    Literal["best", "best-rate", "average-length"],
    "with several references, use the one with the fewest edits (best; of those the "
    "longest, then the first) or with the lowest rate (best-rate; of those the first); "
    "average-length divides the fewest edits by the mean reference length.",
]

COLUMNS = ("substitutions", "insertions", "deletions", "hits", "ref_len")

# A segment's characters, white space inside it included, as tokens.
_TOKENIZERS = {"char": "code-points", "grapheme": "graphemes"}
_KINDS = {"S": "substitution", "I": "insertion", "D": "deletion", "H": "hit"}


@metric_factory(title="WER", papers="niessen2000")
def wer(
    *,
    norm: Literal["reference", "output"] = "reference",
    refs: ReferenceChoice = "best",
    tok: PlainTokenizer = "none",
    case: Case = "mixed",
    stem: str = "no",
) -> Metric:
    """Substitutions, insertions and deletions per hundred reference words. Lower is better.

    WER = 100 (S + I + D) / N: the minimum number of substitutions, insertions (extra
    words in the output) and deletions (missing words) between output and reference,
    divided by the number N of reference words. WER can exceed 100. Edits and lengths
    are summed over segments before the division. If there are no reference words, N is
    1.

    If several alignments are equally short, metra counts and shows the one that takes,
    from the end of the segment backwards, a match or substitution if possible,
    otherwise a deletion, otherwise an insertion.

    Levenshtein 1966; for translation Nießen et al. 2000, "An evaluation tool for
    machine translation", LREC. It equals WER.pl, and jiwer 4 if spaces are the only
    white space (jiwer treats a single tab or no-break space as part of a word). If
    several alignments are equally short, jiwer often shows another one, so that S, I
    and D differ but their sum does not. `--details` lists the substituted, inserted and
    deleted words, the most frequent first.

    Options:
        norm: side whose number of words is the denominator.
    """
    text = make_preparation(tok=tok, case=case, stem=stem)
    _check_norm("wer", norm, refs)
    return _build_metric("wer", text, refs, norm, settled=text.versions())


@metric_factory(title="PER", papers="tillmann1997")
def per(
    *,
    refs: ReferenceChoice = "best-rate",
    tok: PlainTokenizer = "none",
    case: Case = "mixed",
    stem: str = "no",
) -> Metric:
    """Word errors per hundred reference words, ignoring word order. Lower is better.

    PER = 100 (max(C, R) - M) / R, where C and R are the numbers of output and reference
    words, and M is the number of common words; a repeated word counts as often as it
    occurs on both sides. Numerators and lengths are summed over segments before the
    division. If there are no reference words, R is 1.

    Tillmann et al. 1997, "Accelerated DP based search for statistical translation",
    Eurospeech. It equals PER.pl on segments. For a corpus PER.pl uses the maximum of
    the summed lengths, so that long outputs compensate for short ones; its score is
    never higher.

    Options:
        refs: with several references, use the one with the lowest rate (best-rate; of
            those the first) or with the fewest errors (best; of those the longest, then
            the first); average-length divides the fewest errors by the mean length.
    """
    text = make_preparation(tok=tok, case=case, stem=stem)
    return Metric(
        name="per",
        columns=COLUMNS,
        rows=lambda batch: _core.edit_rows(batch.hits(text), "free", refs),
        aggregate=aggregate,
        direction=LOWER,
        parts=parts,
        settled=text.versions(),
    )


@metric_factory(title="SER")
def ser(
    *, tok: PlainTokenizer = "none", case: Case = "mixed", stem: str = "no"
) -> Metric:
    """Percentage of segments whose output equals no reference. Lower is better.

    Output and reference are equal if they have the same words in the same order after
    preparation; the amount of white space does not matter.

    Federico 2008, lecture on MT evaluation, where it accompanies the word error rate.
    """
    text = make_preparation(tok=tok, case=case, stem=stem)
    columns = ("wrong", "segments")
    return Metric(
        name="ser",
        columns=columns,
        rows=lambda batch: _core.unequal_rows(batch.hits(text)),
        aggregate=lambda totals: 100 * totals[..., 0] / np.maximum(totals[..., 1], 1),
        direction=LOWER,
        parts=partial(record.name_columns, columns=columns),
        settled=text.versions(),
    )


@metric_factory(title="CER", papers="levenshtein1966")
def cer(
    *,
    unit: Literal["char", "grapheme"] = "char",
    norm: Literal["reference", "output"] = "reference",
    refs: ReferenceChoice = "best",
    case: Case = "mixed",
) -> Metric:
    """Character edits per hundred reference characters. Lower is better.

    The word error rate with characters instead of words. Each space counts as a
    character, except at the beginning and end of the segment, where white space is
    removed. Sums, empty references and the choice between equally short alignments are
    as in `wer`. To ignore white space, use wer:tok=char.

    Levenshtein 1966, "Binary codes capable of correcting deletions, insertions, and
    reversals". It equals jiwer 4 on any text with one reference; if several alignments
    are equally short, jiwer often shows another one.

    Options:
        unit: a character is a Unicode code point (char) or a user-perceived character
            (grapheme), such as a letter with its accents or an emoji of several parts.
        norm: side whose number of characters is the denominator.
    """
    text = make_preparation(tok=_TOKENIZERS[unit], case=case, stem="no")
    settled = {"unit": unit + text.versions()["tok"].removeprefix(text.tok)}
    _check_norm("cer", norm, refs)
    return _build_metric("cer", text, refs, norm, settled=settled, unit="character")


def _check_norm(name: str, norm: str, refs: str) -> None:
    """Refuse a mean reference length that has no use."""
    if norm == "output" and refs == "average-length":
        msg = (
            f"{name}: refs=average-length is not possible with norm=output, which has no "
            "use for reference lengths; expected refs=best or refs=best-rate."
        )
        raise OptionError(msg)


def _build_metric(
    name: str,
    text: Preparation,
    refs: str,
    norm: str,
    *,
    settled: Mapping[str, str],
    unit: Literal["word", "character"] = "word",
) -> Metric:
    """Make a metric of the edits in an alignment."""

    def align(batch: AnyBatch, index: int) -> list[Alignment]:
        chosen, paths = _core.edit_alignments(batch.hits(text), index, "fixed", refs)
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
        aggregate=partial(aggregate, norm=norm),
        direction=LOWER,
        parts=parts,
        settled=settled,
        notes=Notes(align=align, details=lambda batch: list_errors(batch, align)),
    )


def list_errors(batch: AnyBatch, align: record.Aligner) -> Iterator[Detail]:
    """List each edit of the chosen alignments: what was expected → what the output has."""
    for index in range(len(batch)):
        alignment = next(one for one in align(batch, index) if one.chosen)
        for link in alignment.links:
            if link.kind != "hit":
                hyp, ref = alignment.words(link)
                yield Detail(index, link.kind, " → ".join([*ref, *hyp]))


def aggregate(totals: Array, *, norm: str = "reference") -> Array:
    """Edits per hundred words of the reference or output; no words at all count as one."""
    substitutions, insertions, _, hits, ref_len = np.moveaxis(totals, -1, 0)
    length = ref_len if norm == "reference" else substitutions + insertions + hits
    return 100 * totals[..., :3].sum(-1) / np.where(length > 0, length, 1)


def parts(totals: Array) -> Parts:
    """The edits and lengths behind one corpus score."""
    named = dict(zip(COLUMNS, totals.tolist(), strict=True))
    words = named["substitutions"] + named["insertions"] + named["hits"]
    return {**named, "hyp_len": words}


def _parse_links(path: str) -> list[Link]:
    links = []
    hyp = ref = 0
    for letter in path:
        hyp_words, ref_words = int(letter != "D"), int(letter != "I")
        links.append(make_link(_KINDS[letter], hyp, ref, hyp_words, ref_words))
        hyp, ref = hyp + hyp_words, ref + ref_words
    return links
