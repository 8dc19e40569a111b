"""Which words of an output stand for which of a reference: one record for all measures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple


class Span(NamedTuple):
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
    hyp: Span
    ref: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """An output aligned with one of its references, words as the measure compares them."""

    hyp: Sequence[str]
    ref: Sequence[str]
    #: In the order in which a reader meets them.
    links: Sequence[Link]
    #: Every kind of link that the measure knows.
    kinds: Sequence[str]
    #: Which of the segment's references, counted from 0.
    reference: int
    #: Whether this is the reference that the measure holds the output against.
    chosen: bool
    unit: Literal["word", "character"] = "word"

    @property
    def counts(self) -> dict[str, int]:
        """Count the links of each kind."""
        found = dict.fromkeys(self.kinds, 0)
        for link in self.links:
            found[link.kind] += 1
        return found

    def words(self, link: Link) -> tuple[Sequence[str], Sequence[str]]:
        """Give a link's words: the output's, then the reference's."""
        return self.hyp[slice(*link.hyp)], self.ref[slice(*link.ref)]
