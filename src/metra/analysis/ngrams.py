"""The n-grams that one system gets right more often than another, and those it gets wrong."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra.analysis.collection import (
    CollectedCorpus,
    Ids,
    NumberedCorpus,
    SmallIds,
    format_preparation,
    sort_places,
)

ORDER = 4
#: How many segments are named as examples of a change.
EXAMPLES = 5
#: The weight of what changed in one segment, which is not listed.
ONE_SEGMENT = float(1 / np.sqrt(2))


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramChange:
    """An n-gram with its counts on both sides.

    A matched n-gram is one that the segment's references have too, counted at most as
    often as the reference that has it most; a wrong one is produced beyond that.
    """

    words: tuple[str, ...]
    matched_before: int
    matched_after: int
    wrong_before: int
    wrong_after: int
    #: How often it could have been matched: the most that a reference has, over segments.
    reference: int
    #: In how many segments the count that the list is about, of matches or of wrong ones,
    #: rose, and in how many it fell.
    rose: int
    fell: int
    #: (rose - fell) / sqrt(rose + fell + 1): how one-sided the change is, in units of what
    #: chance alone would give; the lists are sorted by its size.
    weight: float
    #: The first segments, counted from 1, in which it rose or fell.
    segments: Sequence[int]
    #: How many n-grams inside, around or beside it would stand in the list as well, and
    #: were left out because they tell of the same change.
    stands_for: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramChanges:
    """n-grams that changed from the baseline to another system, in four lists."""

    baseline: str
    system: str
    #: The longest n-grams looked at, and how text was cut, folded and stemmed.
    order: int
    preparation: str
    #: Matched more often by the system than by the baseline: better.
    gained: Sequence[NgramChange]
    #: Matched less often: worse.
    lost: Sequence[NgramChange]
    #: Wrongly produced by the baseline and less often by the system: better.
    mended: Sequence[NgramChange]
    #: Wrongly produced more often by the system: worse.
    broken: Sequence[NgramChange]


def find_ngram_changes(
    collected: CollectedCorpus,
    baseline: str,
    system: str,
    *,
    most: int,
) -> NgramChanges:
    """Find the n-grams whose matches, or wrong uses, changed most from the baseline."""
    words = collected.words
    index = _NgramIndex(words, baseline, system)
    tallies = index.tally_changes()
    groups = {
        name: _group_candidates(index.rank(tallies[what], sign), most)
        for name, (what, sign) in _LISTS.items()
    }
    lists = {
        name: [_build_change(group, words.words) for group in listed]
        for name, listed in groups.items()
    }
    return NgramChanges(
        baseline=baseline,
        system=system,
        order=ORDER,
        preparation=format_preparation(collected.preparation),
        **lists,
    )


ChangeKind: TypeAlias = Literal["matched", "wrong"]

#: The subject of each list: matches or wrong uses, and whether there are more or fewer.
_LISTS: dict[str, tuple[ChangeKind, int]] = {
    "gained": ("matched", 1),
    "lost": ("matched", -1),
    "mended": ("wrong", -1),
    "broken": ("wrong", 1),
}


@dataclass(frozen=True, slots=True)
class _NgramTally:
    """Changes of n-grams of one length from one output to another, by n-gram."""

    cells: "_NgramCells"
    #: In how many segments there are more, and in how many there are fewer.
    rose: Ids
    fell: Ids
    #: Equal for n-grams that changed alike in the same segments.
    marks: NDArray[np.uint64]
    #: The segments in which it changed begin at `starts`, n-gram by n-gram.
    segments: SmallIds
    starts: Ids
    grams: SmallIds

    @property
    def weights(self) -> NDArray[np.float64]:
        """One-sidedness of the change, in units of what chance alone would give."""
        return (self.rose - self.fell) / np.sqrt(self.rose + self.fell + 1)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An n-gram that may be listed: its place in a tally, and its words' ids."""

    tally: _NgramTally
    at: int
    weight: float
    rose: int
    fell: int
    mark: int
    words: tuple[int, ...]

    @property
    def change(self) -> int:
        """In how many segments it came or went."""
        return self.rose + self.fell


class _NgramCells:
    """All n-grams of one length, sorted by n-gram, segment and stream.

    A cell is an n-gram in a segment.
    """

    def __init__(
        self, grams: SmallIds, segments: SmallIds, streams: SmallIds, references: int
    ) -> None:
        """Sort n-grams into cells; behind the references are baseline and system."""
        is_new = _mark_changes(grams) | _mark_changes(segments)
        first = np.flatnonzero(is_new)
        self.grams, self.segments = grams[first], segments[first]
        cells = np.cumsum(is_new) - 1
        *of_references, self.before, self.after = (
            np.bincount(cells[streams == stream], minlength=len(first))
            for stream in range(references + 2)
        )
        self.reference = np.max(
            [np.zeros(len(first), np.int64), *of_references], axis=0
        )


class _NgramIndex:
    """N-grams of the references, the baseline and another system, up to a length."""

    def __init__(self, words: NumberedCorpus, baseline: str, system: str) -> None:
        streams = [*words.refs, words.systems[baseline], words.systems[system]]
        self._ids = np.concatenate([stream.ids for stream in streams])
        sizes = [len(stream.ids) for stream in streams]
        numbers = np.repeat(np.arange(len(streams), dtype=np.int32), sizes)
        segments = np.concatenate([stream.segments for stream in streams])
        segments = segments.astype(np.int32)
        lengths = np.concatenate([stream.lengths for stream in streams])
        room = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(self._ids))
        # Segment by segment, so that a stable sort of n-grams leaves them in that order.
        places = sort_places(segments)
        grams = self._ids[places]
        self._cells: list[_NgramCells] = []
        #: By length, the first place of each n-gram in the joined text.
        self._homes: list[Ids] = []
        for n in range(1, ORDER + 1):
            whole = room[places] >= n
            places, keys = places[whole], grams[whole].astype(np.int64)
            if n > 1:
                keys = keys * len(words.words) + self._ids[places + n - 1]
            sorting = sort_places(keys)
            keys, places = keys[sorting], places[sorting]
            kept = _mark_repeated(keys, segments[places])
            keys, places = keys[kept], places[kept]
            grams = np.cumsum(_mark_changes(keys), dtype=np.int32) - 1
            sources = segments[places], numbers[places]
            self._cells.append(_NgramCells(grams, *sources, len(words.refs)))
            starts = np.flatnonzero(_mark_changes(grams))
            homes = np.minimum.reduceat(places, starts) if len(starts) else places
            self._homes.append(homes)

    def tally_changes(self) -> dict[ChangeKind, list[_NgramTally]]:
        """Tally matches and wrong uses that changed from the baseline, by length."""
        tallies: dict[ChangeKind, list[_NgramTally]] = {"matched": [], "wrong": []}
        for cells in self._cells:
            before, after, reference = cells.before, cells.after, cells.reference
            matched = np.minimum(after, reference) - np.minimum(before, reference)
            tallies["matched"].append(_tally_cells(cells, matched))
            wrong = after - before - matched
            tallies["wrong"].append(_tally_cells(cells, wrong))
        return tallies

    def rank(self, tallies: Sequence[_NgramTally], sign: int) -> Iterator[_Candidate]:
        """Yield the n-grams that changed this way in more than one segment.

        The most one-sided change comes first, then the longest n-gram, then the first found.
        """
        columns = []
        for n, (tally, homes) in enumerate(zip(tallies, self._homes, strict=True), 1):
            weights = tally.weights
            chosen = np.flatnonzero(sign * weights > ONE_SEGMENT)
            lengths = np.full(len(chosen), n)
            columns.append(
                (homes[tally.grams[chosen]], lengths, chosen, weights[chosen])
            )
        home, length, place, weight = map(np.concatenate, zip(*columns, strict=True))
        for entry in np.lexsort((home, -length, -abs(weight))).tolist():
            n, at, start = int(length[entry]), int(place[entry]), int(home[entry])
            tally = tallies[n - 1]
            yield _Candidate(
                tally,
                at,
                float(weight[entry]),
                int(tally.rose[at]),
                int(tally.fell[at]),
                int(tally.marks[at]),
                tuple(self._ids[start : start + n].tolist()),
            )


def _build_change(group: Sequence[_Candidate], words: Sequence[str]) -> NgramChange:
    """Build the entry of a group, which the first n-gram speaks for."""
    first = group[0]
    tally, cells = first.tally, first.tally.cells
    start, stop = np.searchsorted(cells.grams, tally.grams[first.at] + np.arange(2))
    before, after, reference = (
        counts[start:stop] for counts in (cells.before, cells.after, cells.reference)
    )
    places = tally.segments[tally.starts[first.at] :][: min(first.change, EXAMPLES)]
    return NgramChange(
        words=tuple(words[word] for word in first.words),
        matched_before=int(np.minimum(before, reference).sum()),
        matched_after=int(np.minimum(after, reference).sum()),
        wrong_before=int(np.maximum(before - reference, 0).sum()),
        wrong_after=int(np.maximum(after - reference, 0).sum()),
        reference=int(reference.sum()),
        rose=first.rose,
        fell=first.fell,
        weight=first.weight,
        segments=(places + 1).tolist(),
        stands_for=len(group) - 1,
    )


def _mark_changes(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the first value and those that differ from the one before."""
    marks = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=marks[1:])
    return marks


def _mark_repeated(keys: Ids, segments: SmallIds) -> NDArray[np.bool_]:
    """Mark sorted n-grams that stand in several segments.

    Others cannot weigh more than one segment does, nor can longer n-grams around them.
    """
    starts = np.flatnonzero(_mark_changes(keys))
    lengths = np.diff(starts, append=len(keys))
    several = segments[starts] != segments[starts + lengths - 1]
    return np.repeat(several, lengths)


def _tally_cells(cells: _NgramCells, change: Ids) -> _NgramTally:
    """Tally the changes of all cells by n-gram."""
    changed = np.flatnonzero(change)
    delta, grams = change[changed], cells.grams[changed]
    segments = cells.segments[changed]
    # A random number of 64 bits a segment: sums of a few of them hardly ever agree.
    size = int(segments.max(initial=0)) + 1
    marks = np.random.default_rng(0).integers(0, 2**63, size, np.uint64)
    starts = np.flatnonzero(_mark_changes(grams))

    def sum_segments(values: NDArray[Any]) -> NDArray[Any]:
        return np.add.reduceat(values, starts) if len(starts) else values[:0]

    return _NgramTally(
        cells,
        rose=sum_segments((delta > 0).astype(np.int64)),
        fell=sum_segments((delta < 0).astype(np.int64)),
        marks=sum_segments(marks[segments] * delta.astype(np.uint64)),
        segments=segments,
        starts=starts,
        grams=grams[starts],
    )


def _group_candidates(
    candidates: Iterator[_Candidate], most: int
) -> list[list[_Candidate]]:
    """Put n-grams together that tell of the same change; the first speaks for all."""
    groups: list[list[_Candidate]] = []
    for candidate in candidates:
        group = next((g for g in groups if _tells_the_same(g, candidate)), None)
        if group is not None:
            group.append(candidate)
        elif len(groups) == most:
            break
        else:
            groups.append([candidate])
    return groups


def _tells_the_same(group: Sequence[_Candidate], candidate: _Candidate) -> bool:
    """Return True if a group tells of the change of this n-gram already."""
    first = group[0]
    short, long = sorted((first, candidate), key=lambda each: len(each.words))
    if _contains(long.words, short.words):
        # A longer n-gram tells nothing more where most of the shorter one's change is its
        # own, or the shorter one came (or went) nearly everywhere, whatever is around it.
        few, many = sorted((first.change, candidate.change))
        is_one_sided = min(short.rose, short.fell) <= max(short.rose, short.fell) / 10
        return 3 * few >= 2 * many or (short is first and is_one_sided)
    # N-grams that overlap and changed in the same segments are parts of a longer one.
    words = set(candidate.words)
    alike = (each for each in group if each.mark == candidate.mark)
    return any(not words.isdisjoint(each.words) for each in alike)


def _contains(words: tuple[int, ...], part: tuple[int, ...]) -> bool:
    """Return True if one n-gram stands in another."""
    size = len(part)
    return any(words[at : at + size] == part for at in range(len(words) - size + 1))
