"""What each system's output is like, apart from how good it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """Something that can be said of every output, and how to read it."""

    #: The key in a profile: "length_ratio".
    name: str
    #: The heading, for people: "length".
    title: str
    #: One sentence that says what it is.
    meaning: str
    #: "ratio", to be shown with two digits, or "percent", with one.
    unit: str
    #: Whether more of it is better (True), worse (False) or neither (None).
    more_is_better: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraitValue:
    """A trait of one system."""

    #: None where it cannot be told, for example without a source.
    value: float | None
    interval: Interval | None = None
    #: The segments that show it, counted from 1, where it is a matter of single segments.
    segments: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One system."""

    system: str
    words: int
    #: By name of the trait.
    traits: Mapping[str, TraitValue]
    #: What stands out, as single words that programs can rely on: "short", "precise".
    marks: Sequence[str]
    #: The same in one line for people: "short but precise; 2 empty outputs".
    reading: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profiles:
    """All systems, in the order in which they were given."""

    traits: Sequence[Trait]
    profiles: Sequence[Profile]
    segments: int
    reference_words: float
    #: How text was cut, folded and stemmed.
    preparation: str
