"""Counts of every n-gram in two outputs and their references, segment by segment.

n-grams are sorted and counted in parts of a fixed size, so that a large corpus takes little
more memory than its words; one sort serves all systems. Most n-grams changed in one segment
only and are hardly ever listed: they are kept only where they are asked for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metra.analysis.collection import Ids, NumberedCorpus, SmallIds

HashSums = NDArray[np.uint64]

#: The weight of what changed in one segment.
ONE_SEGMENT = float(1 / np.sqrt(2))
#: So many places of n-grams are sorted at a time.
PART_SIZE = 250_000


@dataclass(frozen=True, slots=True)
class NgramTally:
    """What became of n-grams from one output to another, one entry an n-gram.

    Only n-grams that changed in some segment are here, and weigh enough.
    """

    #: In how many segments there are more, and in how many there are fewer.
    rose: Ids
    fell: Ids
    #: Equal for n-grams that changed alike in the same segments.
    marks: HashSums
    #: The segments in which it changed are segments[starts[at]:starts[at + 1]].
    segments: Ids
    starts: Ids
    #: Which n-grams these are, by their places in `NgramComparison`.
    kinds: Ids

    @property
    def weights(self) -> NDArray[np.float64]:
        """How one-sided the change is, in units of what chance alone would give."""
        return (self.rose - self.fell) / np.sqrt(self.rose + self.fell + 1)


@dataclass(frozen=True, slots=True)
class NgramComparison:
    """n-grams of one length in two outputs and their references: those that are tallied."""

    n: int
    matched: NgramTally
    wrong: NgramTally
    #: For every n-gram here its counts, and the first place of its words in the joined text.
    matched_before: Ids
    matched_after: Ids
    wrong_before: Ids
    wrong_after: Ids
    reference: Ids
    homes: Ids


#: The counts of an n-gram in a comparison.
COUNTS = ("matched_before", "matched_after", "wrong_before", "wrong_after", "reference")


class NgramIndex:
    """References, the baseline and other systems: all their words one after the other."""

    def __init__(
        self, words: NumberedCorpus, baseline: str, systems: Sequence[str]
    ) -> None:
        outputs = [words.systems[name] for name in (baseline, *systems)]
        streams = [*words.refs, *outputs]
        self.ids = np.concatenate([stream.ids for stream in streams])
        self._references = len(words.refs)
        self._outputs = {
            name: number
            for number, name in enumerate((baseline, *systems), len(words.refs))
        }
        self._vocabulary = len(words.words)
        self._streams = np.repeat(
            np.arange(len(streams), dtype=np.int16),
            [len(stream.ids) for stream in streams],
        )
        segments = np.concatenate([stream.segments for stream in streams])
        self._segments = segments.astype(np.int32)
        lengths = np.concatenate([stream.lengths for stream in streams])
        #: How many words of its segment stand from each word on.
        self._room = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(self.ids))

    def compare(
        self, order: int, systems: Sequence[str], least: float = 0
    ) -> dict[str, list[NgramComparison]]:
        """Count what each of these systems matches and gets wrong, beside the baseline.

        For each system there is an entry for n-grams of 1 word, of 2, up to `order`. Only
        n-grams are kept whose matches, or wrong uses, changed with a weight above `least`.
        """
        compared: dict[str, list[NgramComparison]] = {name: [] for name in systems}
        # Segment by segment, so that a stable sort of n-grams leaves them in that order.
        places = sort_places(self._segments).astype(np.int32)
        kinds = self.ids[places]
        for n in range(1, order + 1):
            whole = (self._room[places] >= n) & (kinds >= 0)
            places, kinds = places[whole], kinds[whole]
            numbers = np.full_like(kinds, -1)
            parts: list[list[NgramComparison]] = []
            known = 0
            for chosen in split_places(kinds):
                part = self._sort_part(n, places[chosen], kinds[chosen], least)
                numbers[chosen[part.order]] = part.grams + known
                known += part.size
                parts.append(self._compare_part(part, systems, least))
            kinds = numbers
            for name, *pieces in zip(systems, *parts, strict=True):
                compared[name].append(_concatenate_comparisons(n, pieces))
        return compared

    def _sort_part(
        self, n: int, places: SmallIds, kinds: SmallIds, least: float
    ) -> "_SortedNgrams":
        """Sort n-grams by the (n-1)-gram that begins each, and its last word."""
        keys = kinds.astype(np.int64)
        if n > 1:
            keys = keys * self._vocabulary + self.ids[places + n - 1]
        order = sort_places(keys)
        keys, segments = keys[order], self._segments[places[order]]
        if least >= ONE_SEGMENT:
            # What stands in one segment cannot weigh more, nor can longer n-grams around it.
            starts = np.flatnonzero(_mark_changes(keys))
            lengths = np.diff(starts, append=len(keys))
            several = segments[starts] != segments[starts + lengths - 1]
            kept = np.repeat(several, lengths)
            order, keys, segments = order[kept], keys[kept], segments[kept]
        places = places[order]
        return _SortedNgrams(n, order, keys, segments, self._streams[places], places)

    def _compare_part(
        self, part: "_SortedNgrams", systems: Sequence[str], least: float
    ) -> list[NgramComparison]:
        """Compare each system with the baseline."""
        reference = np.zeros(part.cells, np.int32)
        for stream in range(self._references):
            np.maximum(reference, part.count(stream), out=reference)
        before = part.count(self._references)  # the baseline comes first
        return [
            _compare_counts(
                part, reference, before, part.count(self._outputs[name]), least
            )
            for name in systems
        ]


class _SortedNgrams:
    """Some of the n-grams of one length, sorted: by n-gram, segment and stream.

    A cell is an n-gram in a segment.
    """

    def __init__(
        self,
        n: int,
        order: Ids,
        keys: Ids,
        segments: SmallIds,
        streams: NDArray[np.int16],
        places: SmallIds,
    ) -> None:
        self.n = n
        #: Where each of them stood before they were sorted.
        self.order = order
        new_gram = _mark_changes(keys)
        new_cell = new_gram | _mark_changes(segments)
        new_run = new_cell | _mark_changes(streams)
        #: The number of each one's n-gram, from 0 on.
        self.grams = np.cumsum(new_gram, dtype=np.int32) - 1
        starts = np.flatnonzero(new_gram)
        self.size = len(starts)
        self.homes = np.minimum.reduceat(places, starts) if len(starts) else places
        cells = np.flatnonzero(new_cell)
        self.cells = len(cells)
        self.cell_grams = self.grams[cells]
        self.cell_segments = segments[cells]
        runs = np.flatnonzero(new_run)
        by_stream = np.argsort(streams[runs], kind="stable")
        #: Where the runs of each stream begin; those of the next one begin where they end.
        self._run_starts = np.append(0, np.cumsum(np.bincount(streams[runs])))
        self._run_cells = (np.cumsum(new_cell[runs]) - 1)[by_stream]
        counts = np.diff(runs, append=len(keys)).astype(np.int32)
        self._run_counts = counts[by_stream]

    def count(self, stream: int) -> SmallIds:
        """Count a stream's n-grams in each cell."""
        counts = np.zeros(self.cells, np.int32)
        if stream + 1 >= len(self._run_starts):
            return counts
        first, last = self._run_starts[stream : stream + 2]
        counts[self._run_cells[first:last]] = self._run_counts[first:last]
        return counts


def split_places(kinds: SmallIds) -> Iterator[Ids]:
    """Cut places into parts of some size: equal kinds together, lower ones first.

    The places of a part are in their order.
    """
    if len(kinds) <= PART_SIZE:
        yield np.arange(len(kinds))
        return
    upto = np.cumsum(np.bincount(kinds))
    first = 0
    while first < len(upto):
        done = upto[first - 1] if first else 0
        last = max(
            int(np.searchsorted(upto, done + PART_SIZE, side="right")), first + 1
        )
        yield np.flatnonzero((kinds >= first) & (kinds < last))
        first = last


def sort_places(numbers: Ids | SmallIds) -> Ids:
    """Sort numbers from 0 on stably, and tell where each stood."""
    keys = numbers.astype(np.int64, copy=False)
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)).bit_length() + bits > 63:
        return np.argsort(keys, kind="stable")
    # Plain numbers sort many times faster than their places do.
    packed = (keys << bits) | np.arange(len(keys))
    packed.sort()
    return packed & ((1 << bits) - 1)


def _mark_changes(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the first value and those that differ from the one before."""
    marks = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=marks[1:])
    return marks


def _compare_counts(
    part: _SortedNgrams,
    reference: SmallIds,
    before: SmallIds,
    after: SmallIds,
    least: float,
) -> NgramComparison:
    """Tally what changed from one output to another, given their counts in each cell."""
    changed = np.flatnonzero(before != after)
    grams, segments = part.cell_grams[changed], part.cell_segments[changed]
    most, old, new = reference[changed], before[changed], after[changed]
    matched = np.minimum(new, most) - np.minimum(old, most)
    matches = _filter_tally(_tally_changes(grams, segments, matched), least)
    errors = _filter_tally(_tally_changes(grams, segments, new - old - matched), least)
    inside = np.zeros(part.size, np.bool_)
    inside[matches.kinds] = inside[errors.kinds] = True
    kept = np.flatnonzero(inside)
    numbers = np.cumsum(inside) - 1
    cells = np.flatnonzero(inside[part.cell_grams])
    owners = numbers[part.cell_grams[cells]]
    most, old, new = reference[cells], before[cells], after[cells]

    def total(values: SmallIds) -> Ids:
        # Counts stay whole numbers in float64.
        return np.bincount(owners, values, len(kept)).astype(np.int64)

    return NgramComparison(
        part.n,
        replace(matches, kinds=numbers[matches.kinds]),
        replace(errors, kinds=numbers[errors.kinds]),
        matched_before=total(np.minimum(old, most)),
        matched_after=total(np.minimum(new, most)),
        wrong_before=total(np.maximum(old - most, 0)),
        wrong_after=total(np.maximum(new - most, 0)),
        reference=total(most),
        homes=part.homes[kept].astype(np.int64),
    )


def _tally_changes(kinds: SmallIds, segments: SmallIds, change: SmallIds) -> NgramTally:
    """Tally changes, which come n-gram by n-gram and in these segment by segment."""
    changed = np.flatnonzero(change)
    kinds, places, delta = kinds[changed], segments[changed], change[changed]
    starts = np.flatnonzero(_mark_changes(kinds))

    def sum_segments(values: NDArray[Any]) -> NDArray[Any]:
        return np.add.reduceat(values, starts) if len(starts) else values[:0]

    return NgramTally(
        rose=sum_segments((delta > 0).astype(np.int64)),
        fell=sum_segments((delta < 0).astype(np.int64)),
        marks=sum_segments(_hash_numbers(places) * delta.astype(np.uint64)),
        segments=places.astype(np.int64),
        starts=np.append(starts, len(changed)),
        kinds=kinds[starts].astype(np.int64),
    )


def _filter_tally(tally: NgramTally, least: float) -> NgramTally:
    """Leave out what weighs no more than this."""
    if least <= 0:
        return tally
    kept = np.abs(tally.weights) > least
    lengths = np.diff(tally.starts)
    return NgramTally(
        rose=tally.rose[kept],
        fell=tally.fell[kept],
        marks=tally.marks[kept],
        segments=tally.segments[np.repeat(kept, lengths)],
        starts=np.append(0, np.cumsum(lengths[kept])),
        kinds=tally.kinds[kept],
    )


def _concatenate_comparisons(
    n: int, parts: Sequence[NgramComparison]
) -> NgramComparison:
    """Put parts together, the n-grams of one behind those of the other."""
    offsets = np.cumsum([0, *(len(part.homes) for part in parts)])[:-1].tolist()
    return NgramComparison(
        n,
        _concatenate_tallies([part.matched for part in parts], offsets),
        _concatenate_tallies([part.wrong for part in parts], offsets),
        **{name: _concatenate(parts, name) for name in (*COUNTS, "homes")},
    )


def _concatenate_tallies(
    tallies: Sequence[NgramTally], offsets: Sequence[int]
) -> NgramTally:
    ends = np.cumsum([0, *(len(tally.segments) for tally in tallies)]).tolist()
    moved = [
        replace(tally, starts=tally.starts[:-1] + entries, kinds=tally.kinds + offset)
        for tally, entries, offset in zip(tallies, ends[:-1], offsets, strict=True)
    ]
    columns = {each.name: _concatenate(moved, each.name) for each in fields(NgramTally)}
    return NgramTally(**columns | {"starts": np.append(columns["starts"], ends[-1])})


def _concatenate(parts: Sequence[object], name: str) -> NDArray[Any]:
    return np.concatenate([getattr(part, name) for part in parts])


def _hash_numbers(numbers: SmallIds) -> HashSums:
    """Spread numbers over 64 bits, so that sums of a few of them hardly ever agree."""
    bits = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
