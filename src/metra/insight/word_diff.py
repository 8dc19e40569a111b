"""Two outputs of a segment word by word: what stayed, what changed, what the reference has."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["kept", "changed", "deleted", "inserted"]
FoundBy: TypeAlias = Literal["both", "before", "after", "neither"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Neighbouring words of an output that share a fate, exactly as they were written.

    `kept` words stand in both outputs. `changed` words stand where the other output has
    different ones; `deleted` words (of the first output) and `inserted` words (of the
    second) stand where the other has none.
    """

    text: str
    #: The white space after it; all texts and spaces joined are the output.
    space: str
    kind: Kind
    #: Whether a reference has these words too, each as often as the output uses it.
    in_reference: bool


@dataclass(frozen=True, slots=True)
class ReferencePiece:
    """Neighbouring words of a reference, and which of the two outputs have them."""

    text: str
    #: The white space after it; all texts and spaces joined are the reference.
    space: str
    found_by: FoundBy


@dataclass(frozen=True, slots=True)
class WordDiff:
    """A segment before and after, against its references.

    White space at the very start of a text is a piece of its own with an empty `text`.
    """

    before: Sequence[Piece]
    after: Sequence[Piece]
    #: A list of pieces for each reference, None where it is missing.
    references: Sequence[Sequence[ReferencePiece] | None]
    #: False where the texts were too long to find the most words in common.
    exact: bool
