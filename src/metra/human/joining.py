"""Documents as one text each: their segments, one a line."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Joined:
    """Which segments make each document, in order of appearance."""

    places: dict[str, tuple[int, ...]]

    def text(self, texts: Sequence[str | None], name: str) -> str | None:
        """Join a document's segments; None where one of them is not there.

        >>> joined(["a", "b", "a"]).text(["one", "two", "three"], "a")
        'one\\nthree'
        """
        found = [texts[at] for at in self.places[name]]
        there = [text for text in found if text is not None]
        return "\n".join(there) if len(there) == len(found) else None

    def references(
        self, references: Sequence[tuple[str, ...]], name: str
    ) -> tuple[str, ...]:
        """Join as many references as every segment of a document has."""
        found = [references[at] for at in self.places[name]]
        count = min(map(len, found))
        return tuple("\n".join(one[at] for one in found) for at in range(count))


def joined(documents: Sequence[str], *, first: int = 0) -> Joined:
    """Find each document's segments; `first` takes only so many of its beginning."""
    places: dict[str, list[int]] = {}
    for at, name in enumerate(documents):
        places.setdefault(name, []).append(at)
    return Joined({name: tuple(at[: first or None]) for name, at in places.items()})
