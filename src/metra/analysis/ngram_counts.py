"""Counts of every n-gram in two outputs and their references, segment by segment.

n-grams are numbered and counted some at a time, those with low numbers first, so that a large
corpus takes little more memory than its words. Of n-grams that changed in few segments there
are most, and hardly ever any is listed: they are kept only where they are asked for.

A corpus as numbers: every word of every stream by its id, segment after segment.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metra.corpus.batch import SegmentColumn
from metra.corpus.outputs import Corpus
from metra.scoring.statistics import CHUNK
from metra.text.preparation import Preparation

Ids = NDArray[np.int64]
#: Numbers below two billion, of which there are many.
SmallIds = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class TokenStream:
    """One output, reference or source: the ids of its words, and how many each segment has."""

    ids: SmallIds
    lengths: Ids

    def segments(self) -> Ids:
        """Give the segment of each word, counted from 0."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


@dataclass(frozen=True, slots=True)
class NumberedCorpus:
    """A corpus's streams; equal words have equal ids in all of them."""

    words: Sequence[str]
    systems: dict[str, TokenStream]
    refs: Sequence[TokenStream]
    source: TokenStream | None


def number_words(
    corpus: Corpus, systems: Iterable[str], preparation: Preparation
) -> NumberedCorpus:
    """Read a corpus and number the words of these systems, of references and source."""
    known: defaultdict[str, int] = defaultdict(count().__next__)
    chosen = list(systems)
    # Plain arrays: lists take twice as much for each word.
    gathered: defaultdict[object, tuple[array[int], array[int]]] = defaultdict(
        lambda: (array("i"), array("i"))
    )

    def add(key: object, column: SegmentColumn) -> None:
        ids, lengths = gathered[key]
        tokens = column.tokens(preparation)
        for at in range(len(tokens)):
            words = tokens[at] or ()
            ids.extend(map(known.__getitem__, words))
            lengths.append(len(words))

    references = 0
    for chunk in corpus.chunks(CHUNK):
        for name in chosen:
            add(("system", name), chunk.systems[name])
        references = len(chunk.refs)
        for at, ref in enumerate(chunk.refs):
            add(("reference", at), ref)
        if chunk.source is not None:
            add("source", chunk.source)

    def stream(key: object) -> TokenStream:
        ids, lengths = gathered[key]
        return TokenStream(np.array(ids, np.int32), np.array(lengths, np.int64))

    return NumberedCorpus(
        list(known),
        {name: stream(("system", name)) for name in chosen},
        [stream(("reference", at)) for at in range(references)],
        stream("source") if "source" in gathered else None,
    )


def format_preparation(preparation: Preparation) -> str:
    """Write how text was prepared, as signatures do."""
    return "|".join(f"{key}:{value}" for key, value in preparation._asdict().items())


HashSums = NDArray[np.uint64]

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
    #: For every n-gram here its counts, and its words' place in the joined text.
    matched_before: Ids
    matched_after: Ids
    wrong_before: Ids
    wrong_after: Ids
    reference: Ids
    homes: Ids


class NgramIndex:
    """All streams one after the other, references first."""

    def __init__(self, text: NumberedCorpus) -> None:
        streams: list[TokenStream] = [*text.refs, *text.systems.values()]
        self.ids = np.concatenate([stream.ids for stream in streams])
        self.size = len(streams[0].lengths)
        self.references = len(text.refs)
        self.systems = {
            name: at + len(text.refs) for at, name in enumerate(text.systems)
        }
        self.vocabulary = len(text.words)
        lengths = np.concatenate([stream.lengths for stream in streams])
        #: For every word the stream and the segment it stands in, as one number.
        self.owners = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)

    def orders(self, most: int) -> Iterator["NgramOrder"]:
        """Number the n-grams of 1 word, then those of 2, and so on."""
        kinds = self.ids
        places = np.arange(len(self.ids), dtype=np.int32)
        for n in range(1, most + 1):
            if n > 1:
                inside = places + n - 1 < len(self.ids)
                places, kinds = places[inside], kinds[inside]
                same = self.owners[places] == self.owners[places + n - 1]
                places, kinds = places[same], kinds[same]
            kinds, homes = self._number_ngrams(n, kinds, places)
            yield NgramOrder(self, n, kinds, places, homes)

    def _number_ngrams(
        self, n: int, kinds: SmallIds, places: SmallIds
    ) -> tuple[SmallIds, SmallIds]:
        """Number n-grams by the (n-1)-gram that begins each, and its last word.

        Gives the number at each place, and the first place of each number.
        """
        found = np.empty_like(kinds)
        homes: list[SmallIds] = []
        first = 0
        for at in split_places(kinds):
            keys = kinds[at].astype(np.int64)
            if n > 1:
                keys = keys * self.vocabulary + self.ids[places[at] + n - 1]
            _, where, numbers = np.unique(keys, return_index=True, return_inverse=True)
            found[at] = numbers + first
            homes.append(places[at[where]])
            first += len(where)
        return found, np.concatenate([*homes, np.empty(0, np.int32)])


@dataclass(frozen=True, slots=True)
class NgramOrder:
    """The n-grams of one length: what kind stands at which place."""

    joined: NgramIndex
    n: int
    kinds: SmallIds
    places: SmallIds
    homes: SmallIds

    def compared(self, before: str, after: str, least: float = 0) -> NgramComparison:
        """Count what two systems match and what they get wrong.

        Only n-grams are kept whose matches, or wrong uses, changed with a weight above
        `least`.
        """
        joined = self.joined
        chosen = [
            *range(joined.references),
            joined.systems[before],
            joined.systems[after],
        ]
        owners = joined.owners[self.places]
        streams = np.arange(joined.references + len(joined.systems) + 1)
        ends = np.searchsorted(owners, streams * joined.size)
        of_chosen = np.concatenate(
            [np.arange(*ends[stream : stream + 2], dtype=np.int32) for stream in chosen]
        )
        found = [
            self._part(of_chosen[at], owners, chosen, least)
            for at in split_places(self.kinds[of_chosen])
        ]
        return _concatenate_comparisons(self.n, found)

    def _part(
        self, at: SmallIds, owners: SmallIds, chosen: Sequence[int], least: float
    ) -> NgramComparison:
        """Count some of the n-grams, wherever they stand."""
        joined = self.joined
        # Numbers from 0 on, so that sums by n-gram are short.
        known, kinds = np.unique(self.kinds[at], return_inverse=True)
        number = max(len(known), 1)
        stream, segment = np.divmod(owners[at].astype(np.int64), joined.size)
        cells, where = np.unique(segment * number + kinds, return_inverse=True)
        counts = [
            np.bincount(where[stream == one], minlength=len(cells)) for one in chosen
        ]
        reference = np.max([*counts[:-2], np.zeros(len(cells), np.int64)], axis=0)
        segments, kinds = np.divmod(cells, number)
        matched = [np.minimum(count, reference) for count in counts[-2:]]
        wrong = [
            count - match for count, match in zip(counts[-2:], matched, strict=True)
        ]
        matches = _filter_tally(
            _tally_changes(kinds, segments, matched[1] - matched[0]), least
        )
        errors = _filter_tally(
            _tally_changes(kinds, segments, wrong[1] - wrong[0]), least
        )
        kept = np.union1d(matches.kinds, errors.kinds)

        def total(values: Ids) -> Ids:
            # Counts stay whole numbers in float64.
            return np.bincount(kinds, values, number).astype(np.int64)[kept]

        return NgramComparison(
            self.n,
            _renumber_tally(matches, np.searchsorted(kept, matches.kinds)),
            _renumber_tally(errors, np.searchsorted(kept, errors.kinds)),
            matched_before=total(matched[0]),
            matched_after=total(matched[1]),
            wrong_before=total(wrong[0]),
            wrong_after=total(wrong[1]),
            reference=total(reference),
            homes=self.homes[known[kept]].astype(np.int64),
        )


def split_places(kinds: SmallIds) -> Iterator[SmallIds]:
    """Cut places into parts of some size: equal kinds together, lower ones first.

    The places of a part are in their order.
    """
    if len(kinds) <= PART_SIZE:
        yield np.arange(len(kinds), dtype=np.int32)
        return
    upto = np.cumsum(np.bincount(kinds))
    first = 0
    while first < len(upto):
        done = upto[first - 1] if first else 0
        last = max(
            int(np.searchsorted(upto, done + PART_SIZE, side="right")), first + 1
        )
        yield np.flatnonzero((kinds >= first) & (kinds < last)).astype(np.int32)
        first = last


def _tally_changes(kinds: Ids, segments: Ids, change: Ids) -> NgramTally:
    changed = np.flatnonzero(change)
    # Entries come segment by segment; a stable sort keeps that order within a kind.
    changed = changed[np.argsort(kinds[changed], kind="stable")]
    found, starts = np.unique(kinds[changed], return_index=True)
    delta, places = change[changed], segments[changed]

    def summed(values: NDArray[Any]) -> NDArray[Any]:
        return np.add.reduceat(values, starts) if len(starts) else values[:0]

    return NgramTally(
        rose=summed((delta > 0).astype(np.int64)),
        fell=summed((delta < 0).astype(np.int64)),
        marks=summed(_hash_numbers(places) * delta.astype(np.uint64)),
        segments=places,
        starts=np.append(starts, len(changed)),
        kinds=found,
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
        starts=np.cumsum([0, *lengths[kept]]),
        kinds=tally.kinds[kept],
    )


def _renumber_tally(tally: NgramTally, kinds: Ids, entries: int = 0) -> NgramTally:
    """Give n-grams other numbers, and entries other places."""
    return NgramTally(
        tally.rose,
        tally.fell,
        tally.marks,
        tally.segments,
        tally.starts + entries,
        kinds,
    )


def _concatenate_comparisons(
    n: int, found: Sequence[NgramComparison]
) -> NgramComparison:
    """Put parts together, the n-grams of one behind those of the other."""
    names = [field.name for field in fields(NgramComparison)][3:]
    columns = {
        name: np.concatenate([getattr(part, name) for part in found]) for name in names
    }
    offsets = np.cumsum([0, *(len(part.homes) for part in found)])[:-1].tolist()
    return NgramComparison(
        n,
        _concatenate_tallies([part.matched for part in found], offsets),
        _concatenate_tallies([part.wrong for part in found], offsets),
        **columns,
    )


def _concatenate_tallies(
    tallies: Sequence[NgramTally], offsets: Sequence[int]
) -> NgramTally:
    sizes = np.cumsum([0, *(len(tally.segments) for tally in tallies)]).tolist()
    moved = [
        _renumber_tally(tally, tally.kinds + offset, size)
        for tally, offset, size in zip(tallies, offsets, sizes[:-1], strict=True)
    ]

    def column(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(tally, name) for tally in moved])

    starts = [*(tally.starts[:-1] for tally in moved), np.array(sizes[-1:])]
    return NgramTally(
        column("rose"),
        column("fell"),
        column("marks"),
        column("segments"),
        np.concatenate(starts),
        column("kinds"),
    )


def _hash_numbers(numbers: Ids) -> HashSums:
    """Spread numbers over 64 bits, so that sums of a few of them hardly ever agree."""
    bits = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
