"""Counts of every n-gram in two outputs and their references, segment by segment."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metra.insight.vocabulary import Ids, Numbered, Stream

Marks = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Tallied:
    """What became of n-grams from one output to another, one entry an n-gram.

    Only n-grams that changed in some segment are here.
    """

    #: Counts over the whole corpus.
    before: Ids
    after: Ids
    #: In how many segments there are more, and in how many there are fewer.
    rose: Ids
    fell: Ids
    #: Equal for n-grams that changed alike in the same segments.
    marks: Marks
    #: The segments in which it changed are segments[starts[at]:starts[at + 1]].
    segments: Ids
    starts: Ids
    #: Which n-grams these are.
    kinds: Ids


@dataclass(frozen=True, slots=True)
class Compared:
    """n-grams of one length in two outputs and their references."""

    n: int
    matched: Tallied
    wrong: Tallied
    #: For every kind of n-gram, and its words' place in the joined text.
    matched_before: Ids
    matched_after: Ids
    wrong_before: Ids
    wrong_after: Ids
    reference: Ids
    homes: Ids


class Joined:
    """All streams one after the other, references first."""

    def __init__(self, text: Numbered) -> None:
        streams: list[Stream] = [*text.refs, *text.systems.values()]
        self.ids = np.concatenate([stream.ids for stream in streams])
        self.size = len(streams[0].lengths)
        self.references = len(text.refs)
        self.systems = {
            name: at + len(text.refs) for at, name in enumerate(text.systems)
        }
        self.vocabulary = len(text.words)
        lengths = np.concatenate([stream.lengths for stream in streams])
        #: For every word the stream and the segment it stands in, as one number.
        self.owners = np.repeat(np.arange(len(lengths)), lengths)

    def orders(self, most: int) -> Iterator["Order"]:
        """Number the n-grams of 1 word, then those of 2, and so on."""
        kinds = self.ids
        places = np.arange(len(self.ids))
        for n in range(1, most + 1):
            if n > 1:
                inside = places + n - 1 < len(self.ids)
                places, kinds = places[inside], kinds[inside]
                same = self.owners[places] == self.owners[places + n - 1]
                places, kinds = places[same], kinds[same]
                kinds = kinds * self.vocabulary + self.ids[places + n - 1]
            _, first, kinds = np.unique(kinds, return_index=True, return_inverse=True)
            yield Order(self, n, kinds, places, places[first])


@dataclass(frozen=True, slots=True)
class Order:
    """The n-grams of one length: what kind stands at which place."""

    joined: Joined
    n: int
    kinds: Ids
    places: Ids
    homes: Ids

    def compared(self, before: str, after: str) -> Compared:
        """Count what two systems match and what they get wrong."""
        joined, number = self.joined, len(self.homes)
        owners = joined.owners[self.places]
        ends = np.searchsorted(
            owners, np.arange(joined.references + len(joined.systems) + 1) * joined.size
        )

        def keys(stream: int) -> Ids:
            part = slice(ends[stream], ends[stream + 1])
            return (owners[part] - stream * joined.size) * number + self.kinds[part]

        chosen = [
            *range(joined.references),
            joined.systems[before],
            joined.systems[after],
        ]
        parts = [keys(stream) for stream in chosen]
        cells, where = np.unique(np.concatenate(parts), return_inverse=True)
        edges = np.cumsum([0, *map(len, parts)])
        counts = [
            np.bincount(where[edges[at] : edges[at + 1]], minlength=len(cells))
            for at in range(len(parts))
        ]
        reference = np.max([*counts[:-2], np.zeros(len(cells), np.int64)], axis=0)
        kinds = cells % number if number else cells
        segments = cells // number if number else cells
        matched = [np.minimum(count, reference) for count in counts[-2:]]
        wrong = [
            count - match for count, match in zip(counts[-2:], matched, strict=True)
        ]

        def total(values: Ids) -> Ids:
            # Counts stay whole numbers in float64.
            return np.bincount(kinds, values, number).astype(np.int64)

        return Compared(
            n=self.n,
            matched=_tallied(kinds, segments, matched[0], matched[1], number),
            wrong=_tallied(kinds, segments, wrong[0], wrong[1], number),
            matched_before=total(matched[0]),
            matched_after=total(matched[1]),
            wrong_before=total(wrong[0]),
            wrong_after=total(wrong[1]),
            reference=total(reference),
            homes=self.homes,
        )


def _tallied(
    kinds: Ids, segments: Ids, before: Ids, after: Ids, number: int
) -> Tallied:
    change = after - before
    changed = np.flatnonzero(change)
    # Entries come segment by segment; a stable sort keeps that order within a kind.
    changed = changed[np.argsort(kinds[changed], kind="stable")]
    found, starts = np.unique(kinds[changed], return_index=True)
    delta, places = change[changed], segments[changed]

    def summed(values: NDArray[Any]) -> NDArray[Any]:
        return np.add.reduceat(values, starts) if len(starts) else values[:0]

    return Tallied(
        before=np.bincount(kinds, before, number).astype(np.int64)[found],
        after=np.bincount(kinds, after, number).astype(np.int64)[found],
        rose=summed((delta > 0).astype(np.int64)),
        fell=summed((delta < 0).astype(np.int64)),
        marks=summed(_mixed(places) * delta.astype(np.uint64)),
        segments=places,
        starts=np.append(starts, len(changed)),
        kinds=found,
    )


def _mixed(numbers: Ids) -> Marks:
    """Spread numbers over 64 bits, so that sums of a few of them hardly ever agree."""
    bits = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
