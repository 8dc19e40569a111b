"""Which words of an output stand for which of a reference: one record for all metrics."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Literal, NamedTuple

from metra import show_record
from metra.metrics.record import AnyBatch
from metra.text.preparation import Preparation


class WordRange(NamedTuple):
    """Neighbouring words: the first one's position, and the position after the last."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Link:
    """Words of the output and words of the reference that belong together, and why.

    One side is empty where the other's words have no counterpart; its span then says
    where they would stand.
    """

    kind: str
    hyp: WordRange
    ref: WordRange


def make_link(
    kind: str, hyp: int, ref: int, hyp_words: int = 1, ref_words: int = 1
) -> Link:
    """Link so many words of the output and of the reference, from these on."""
    return Link(kind, WordRange(hyp, hyp + hyp_words), WordRange(ref, ref + ref_words))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Alignment:
    """An output aligned with one of its references, with words as the metric compares them."""

    hyp: Sequence[str]
    ref: Sequence[str]
    #: In the order in which a reader meets them.
    links: Sequence[Link]
    kinds: Sequence[str]
    #: Which of the segment's references, counted from 0.
    reference: int
    #: Whether this is the reference that the metric holds the output against.
    chosen: bool
    unit: Literal["word", "character"] = "word"

    @property
    def counts(self) -> dict[str, int]:
        """Count the links of each kind."""
        counts = Counter(link.kind for link in self.links)
        return {kind: counts[kind] for kind in self.kinds}

    def words(self, link: Link) -> tuple[Sequence[str], Sequence[str]]:
        """Return the words of a link: those of the output, then those of the reference."""
        return self.hyp[slice(*link.hyp)], self.ref[slice(*link.ref)]

    def __repr__(self) -> str:
        """Lay out the words of the reference above those of the output."""
        return show_record(self, "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedSegment:
    """One segment of one system as a metric sees it: its alignments and its score."""

    system: str
    #: Counted from 1.
    number: int
    spec: str
    score: float
    parts: Mapping[str, float]
    #: With each reference that is there.
    alignments: Sequence[Alignment]


def build_alignments(
    batch: AnyBatch,
    index: int,
    text: Preparation,
    find_links: Callable[[int], Iterable[Link]],
    *,
    kinds: Sequence[str],
    chosen: int | None,
    unit: Literal["word", "character"] = "word",
) -> list[Alignment]:
    """Align a segment with each reference it has.

    `find_links` gives the links to a reference by its place among them. `chosen` is the
    place of the one that the metric chose, None if it takes all.
    """
    hyp = tuple(batch.hyps.tokens(text)[index] or ())
    columns = [column.tokens(text)[index] for column in batch.refs]
    references = [
        (at, tuple(words)) for at, words in enumerate(columns) if words is not None
    ]
    return [
        Alignment(
            hyp=hyp,
            ref=words,
            links=sort_links(find_links(place), len(hyp), len(words)),
            kinds=kinds,
            reference=number,
            chosen=chosen in (None, place),
            unit=unit,
        )
        for place, (number, words) in enumerate(references)
    ]


def sort_links(
    links: Iterable[Link], hyp_words: int, ref_words: int
) -> tuple[Link, ...]:
    """Order links by the output, and add every word that has no link to where it stands.

    A word of the reference without a link comes after what stands before it there.

    >>> links = [Link("run", WordRange(1, 2), WordRange(0, 1))]
    >>> [link.kind for link in sort_links(links, 2, 2)]
    ['insertion', 'run', 'deletion']
    """
    by_hyp = sorted(links, key=lambda link: link.hyp)
    starts = {link.ref.start for link in by_hyp}
    # Empty links stand for the beginning and for the end of both texts.
    edges = make_link("", 0, 0, 0, 0), make_link("", hyp_words, ref_words, 0, 0)
    ordered: list[Link] = []
    for link, following in pairwise([edges[0], *by_hyp, edges[1]]):
        hyp, ref = link.hyp.stop, link.ref.stop
        deleted = takewhile(lambda word: word not in starts, range(ref, ref_words))
        inserted = range(hyp, following.hyp.start)
        ordered.append(link)
        ordered += [make_link("deletion", hyp, word, hyp_words=0) for word in deleted]
        ordered += [make_link("insertion", word, ref, ref_words=0) for word in inserted]
    return tuple(ordered[1:])
