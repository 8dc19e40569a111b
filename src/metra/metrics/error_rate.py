"""What the error rates have in common: edits, the length they are set against, alignments."""

import numpy as np

from metra import _core
from metra.alignment import Alignment, Link, Span
from metra.corpus import Batch, Sentence, segment_words
from metra.measure import Array, Parts
from metra.text import Preparation

COLUMNS = ("substitutions", "insertions", "deletions", "hits", "ref_len")

_KINDS = {"S": "substitution", "I": "insertion", "D": "deletion", "H": "hit"}


def per_reference_word(totals: Array) -> Array:
    """Edits per hundred reference words; no words at all count as one."""
    return _rate(totals, totals[..., 4])


def per_output_word(totals: Array) -> Array:
    """Edits per hundred output words; no words at all count as one."""
    return _rate(totals, totals[..., 0] + totals[..., 1] + totals[..., 3])


def parts(totals: Array) -> Parts:
    """The edits and lengths behind one corpus score."""
    named = dict(zip(COLUMNS, totals.tolist(), strict=True))
    words = named["substitutions"] + named["insertions"] + named["hits"]
    return {**named, "hyp_len": words}


def align(
    batch: Batch | Sentence, index: int, *, text: Preparation, refs: str, unit: str
) -> list[Alignment]:
    """Align one segment with each of its references that is there."""
    chosen, paths = _core.edit_alignments(batch.hits(text), index, refs)
    hyp, there = segment_words(batch, index, text)
    return [
        Alignment(
            hyp=hyp,
            ref=words,
            links=_links(path),
            kinds=tuple(_KINDS.values()),
            reference=at,
            chosen=place == chosen,
            unit="word" if unit == "word" else "character",
        )
        for place, ((at, words), path) in enumerate(zip(there, paths, strict=True))
    ]


def _rate(totals: Array, length: Array) -> Array:
    edits = totals[..., :3].sum(-1)
    return 100 * edits / np.where(length > 0, length, 1)


def _links(path: str) -> tuple[Link, ...]:
    links = []
    hyp = ref = 0
    for letter in path:
        words, ref_words = letter != "D", letter != "I"
        here = Span(hyp, hyp + words), Span(ref, ref + ref_words)
        links.append(Link(_KINDS[letter], *here))
        hyp += words
        ref += ref_words
    return tuple(links)
