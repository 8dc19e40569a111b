"""What a measure can say beside its numbers: what it found or missed, and where."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing that a measure noted in a segment, such as a name that the output lacks.

    `about` says what else is known of it, by name: the type of a name, the source's term.
    """

    #: Which segment of the batch, counted from 0.
    at: int
    #: What was noted, in a word or two: missed, untranslated.
    note: str
    #: The words that it is about.
    text: str
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """Equal details of all segments, together."""

    note: str
    text: str
    about: Mapping[str, str]
    #: The segments, counted from 1; one that has it twice is there twice.
    segments: tuple[int, ...]

    @property
    def count(self) -> int:
        """How often it was noted."""
        return len(self.segments)
