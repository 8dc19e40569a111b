"""Which words of an output stand for which of a reference: one record for all metrics."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """An output aligned with one of its references, words as the metric compares them."""

    hyp: Sequence[str]
    ref: Sequence[str]
    #: In the order in which a reader meets them.
    links: Sequence[Link]
    #: Every kind of link that the metric knows.
    kinds: Sequence[str]
    #: Which of the segment's references, counted from 0.
    reference: int
    #: Whether this is the reference that the metric holds the output against.
    chosen: bool
    unit: Literal["word", "character"] = "word"

    @property
    def counts(self) -> dict[str, int]:
        """Count the links of each kind."""
        counts = dict.fromkeys(self.kinds, 0)
        for link in self.links:
            counts[link.kind] += 1
        return counts

    def words(self, link: Link) -> tuple[Sequence[str], Sequence[str]]:
        """Give a link's words: the output's, then the reference's."""
        return self.hyp[slice(*link.hyp)], self.ref[slice(*link.ref)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedSegment:
    """One segment of one system as a metric sees it: its alignments and its score."""

    system: str
    #: Counted from 1.
    number: int
    spec: str
    score: float
    #: The named numbers behind the score.
    parts: Mapping[str, float]
    #: With each reference that is there.
    alignments: Sequence[Alignment]


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
    by_ref = {link.ref.start: link for link in by_hyp}
    ordered: list[Link] = []

    def add_deletions(ref: int, hyp: int) -> None:
        while ref < ref_words and ref not in by_ref:
            ordered.append(
                Link("deletion", WordRange(hyp, hyp), WordRange(ref, ref + 1))
            )
            ref += 1

    add_deletions(0, 0)
    hyp = ref = 0
    for link in by_hyp:
        for word in range(hyp, link.hyp.start):
            ordered.append(
                Link("insertion", WordRange(word, word + 1), WordRange(ref, ref))
            )
        ordered.append(link)
        hyp, ref = link.hyp.stop, link.ref.stop
        add_deletions(ref, hyp)
    for word in range(hyp, hyp_words):
        ordered.append(
            Link("insertion", WordRange(word, word + 1), WordRange(ref, ref))
        )
    return tuple(ordered)
