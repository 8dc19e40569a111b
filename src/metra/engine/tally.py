"""Totals of segments by group, system and measure, which add up in any order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from metra.corpus import Batch, Chunk
from metra.engine import exact
from metra.measure import Array, Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The values that the segments of a group have in common.
Key: TypeAlias = tuple[Any, ...]


class Entry(NamedTuple):
    """What is known of a group's segments for one system and measure."""

    segments: int
    #: How many references are missing, of all references of all these segments.
    lacking: int
    #: The sums of the parts of the statistics, as `exact` cuts them.
    sums: Array

    def plus(self, other: "Entry") -> "Entry":
        """Add what was counted elsewhere."""
        return Entry(
            self.segments + other.segments,
            self.lacking + other.lacking,
            self.sums + other.sums,
        )


#: A chunk's statistics, by system and spec: a row for each segment.
Statistics: TypeAlias = dict[tuple[str, str], Array]

#: By group, system and spec.
Totals: TypeAlias = dict[tuple[Key, str, str], Entry]


class Grouping(NamedTuple):
    """Which group each segment of a chunk is in: its number, and the groups' keys."""

    keys: Sequence[Key]
    #: None where there is but one group.
    places: "NDArray[np.intp] | None" = None


ONE_GROUP = Grouping([()])


def add(totals: Totals, more: Iterable[tuple[tuple[Key, str, str], Entry]]) -> None:
    """Add totals to others, in place."""
    for key, entry in more:
        known = totals.get(key)
        totals[key] = entry if known is None else known.plus(entry)


def statistics(
    batches: Iterable[tuple[str, Batch]], metrics: Mapping[str, Metric]
) -> Statistics:
    """Let every measure count every system's batch."""
    return {
        (system, spec): metric.rows(batch)
        for system, batch in batches
        for spec, metric in metrics.items()
    }


def count(
    chunk: Chunk, rows: Statistics, grouping: Grouping
) -> Iterator[tuple[tuple[Key, str, str], Entry]]:
    """Add up the statistics of a chunk's segments, group by group."""
    keys, places = grouping
    gaps = [at for ref in chunk.refs for at in ref.text.missing()]
    if places is None:
        sizes, lacking = [len(chunk)], [len(gaps)]
    else:
        sizes = np.bincount(places, minlength=len(keys)).tolist()
        lacking = np.bincount(places[gaps], minlength=len(keys)).tolist()
    for (system, spec), found in rows.items():
        sums = exact.sums_by_group(found, places, len(keys))
        for at, key in enumerate(keys):
            yield (key, system, spec), Entry(sizes[at], lacking[at], sums[at])


def grouped(columns: Sequence[Sequence[Any]]) -> Grouping:
    """Group segments by the values of columns.

    >>> grouping = grouped([["b", "a", "b"], [1, 1, 1]])
    >>> grouping.keys, grouping.places.tolist()
    ([('b', 1), ('a', 1)], [0, 1, 0])
    """
    rows = list(zip(*columns, strict=True))
    index = {key: at for at, key in enumerate(dict.fromkeys(rows))}
    if len(index) == 1:
        return Grouping(list(index))
    places = np.fromiter((index[key] for key in rows), np.intp, len(rows))
    return Grouping(list(index), places)
