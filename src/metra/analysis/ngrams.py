"""The n-grams that one system gets right more often than another, and those it gets wrong."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metra.analysis.collection import CollectedCorpus, format_preparation
from metra.analysis.ngram_counts import (
    COUNTS,
    ONE_SEGMENT,
    NgramComparison,
    NgramIndex,
    NgramTally,
)
from metra.analysis.word_diff import PLAIN
from metra.text.preparation import Preparation

#: How many segments are named as examples of a change.
EXAMPLES = 5
#: So many n-grams are sorted before all others.
HEAVIEST = 1000


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
    *,
    baseline: str,
    systems: Sequence[str],
    preparation: Preparation = PLAIN,
    order: int = 4,
    most: int | None = 10,
) -> list[NgramChanges]:
    """Find the n-grams whose matches, or wrong uses, changed most from the baseline."""
    words = collected.words(preparation)
    index = NgramIndex(words, baseline, systems)

    def list_changes(
        system: str, tables: Sequence[NgramComparison]
    ) -> tuple[NgramChanges, bool]:
        """Fill the lists, and tell whether none ran out of n-grams before it was full."""
        lists: dict[str, list[NgramChange]] = {}
        all_full = True
        for name, (what, sign) in _LISTS.items():
            candidates = _rank_candidates(tables, what, sign, index)
            groups, full = _group_candidates(candidates, most)
            all_full &= full
            lists[name] = [
                _build_change(group, tables, what, words.words) for group in groups
            ]
        changes = NgramChanges(
            baseline=baseline,
            system=system,
            order=order,
            preparation=format_preparation(preparation),
            **lists,
        )
        return changes, all_full

    changes: dict[str, NgramChanges] = {}
    # What changed in one segment only is most of all, and seldom listed: it is gathered where
    # the lists are not full without it.
    if most is not None:
        for system, tables in index.compare(order, systems, ONE_SEGMENT).items():
            listed, full = list_changes(system, tables)
            if full:
                changes[system] = listed
    remaining = [system for system in systems if system not in changes]
    if remaining:
        for system, tables in index.compare(order, remaining).items():
            changes[system], _ = list_changes(system, tables)
    return [changes[system] for system in systems]


ChangeKind = Literal["matched", "wrong"]

#: What each list is about: matches or wrong uses, and whether there are more or fewer.
_LISTS: dict[str, tuple[ChangeKind, int]] = {
    "gained": ("matched", 1),
    "lost": ("matched", -1),
    "mended": ("wrong", -1),
    "broken": ("wrong", 1),
}


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An n-gram that may be listed: where it is found, and its words' ids."""

    n: int
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

    @property
    def one_sided(self) -> bool:
        """Whether it nearly always came, or nearly always went."""
        return min(self.rose, self.fell) <= max(self.rose, self.fell) / 10


def _get_tally(table: NgramComparison, what: ChangeKind) -> NgramTally:
    return table.matched if what == "matched" else table.wrong


def _rank_candidates(
    tables: Sequence[NgramComparison], what: ChangeKind, sign: int, index: NgramIndex
) -> Iterator[_Candidate]:
    """Walk through the n-grams that changed this way.

    The most one-sided change comes first, then the longest n-gram, then the first found.
    """
    columns = []
    for table in tables:
        tally = _get_tally(table, what)
        chosen = np.flatnonzero(sign * tally.weights > 0)
        homes = table.homes[tally.kinds[chosen]]
        lengths = np.full(len(chosen), table.n)
        columns.append((homes, lengths, chosen, tally.weights[chosen]))
    home, length, place, weight = map(np.concatenate, zip(*columns, strict=True))
    strength = abs(weight)
    limit = (
        np.partition(strength, -HEAVIEST)[-HEAVIEST] if len(weight) > HEAVIEST else 0
    )
    # The lists are nearly always full before the others are needed, and sorted.
    for is_next in (strength >= limit, strength < limit):
        group = np.flatnonzero(is_next)
        order = np.lexsort((home[group], -length[group], -strength[group]))
        for entry in group[order].tolist():
            n, at, start = int(length[entry]), int(place[entry]), int(home[entry])
            tally = _get_tally(tables[n - 1], what)
            yield _Candidate(
                n,
                at,
                float(weight[entry]),
                int(tally.rose[at]),
                int(tally.fell[at]),
                int(tally.marks[at]),
                tuple(index.ids[start : start + n].tolist()),
            )


def _group_candidates(
    candidates: Iterator[_Candidate], most: int | None
) -> tuple[list[list[_Candidate]], bool]:
    """Put n-grams together that tell of the same change; the first speaks for all.

    Says as well whether there were more than are wanted.
    """
    groups: list[list[_Candidate]] = []
    alike: dict[tuple[int, str, tuple[int, ...]], list[_Candidate]] = {}
    by_words: dict[tuple[int, ...], list[_Candidate]] = {}
    around: defaultdict[tuple[int, ...], list[list[_Candidate]]] = defaultdict(list)
    for candidate in candidates:
        told = _find_group(candidate, alike, by_words, around)
        if told is None:
            if most is not None and len(groups) >= most:
                if not groups or candidate.weight != groups[-1][0].weight:
                    return groups, True
                continue
            told = []
            groups.append(told)
            by_words[candidate.words] = told
            for words in _list_shorter_ngrams(candidate.words):
                around[words].append(told)
        told.append(candidate)
        if candidate.mark == told[0].mark:
            for key in _list_group_keys(candidate):
                alike.setdefault(key, told)
    return groups, False


def _find_group(
    candidate: _Candidate,
    alike: Mapping[tuple[int, str, tuple[int, ...]], list[_Candidate]],
    by_words: Mapping[tuple[int, ...], list[_Candidate]],
    around: Mapping[tuple[int, ...], list[list[_Candidate]]],
) -> list[_Candidate] | None:
    """Find the group that tells of this change already."""
    words, mark = candidate.words, candidate.mark
    for key in (
        (mark, "inside", words),
        (mark, "start", words[1:]),
        (mark, "end", words[:-1]),
    ):
        if key in alike:
            return alike[key]
    for inner in _list_shorter_ngrams(words):
        # A longer n-gram tells nothing more where most of the shorter one's change is its
        # own, or the shorter one came (or went) nearly everywhere, whatever is around it.
        if inner in by_words:
            short = by_words[inner][0]
            if 3 * candidate.change >= 2 * short.change or short.one_sided:
                return by_words[inner]
    for group in around.get(words, ()):
        if 3 * group[0].change >= 2 * candidate.change:
            return group
    return None


def _list_group_keys(
    candidate: _Candidate,
) -> Iterator[tuple[int, str, tuple[int, ...]]]:
    """Name what others may have in common with an n-gram that changed just as they did.

    They may stand inside it, or overlap it but for one word on either side.
    """
    words, mark = candidate.words, candidate.mark
    for inner in _list_shorter_ngrams(words):
        yield mark, "inside", inner
    if len(words) > 1:
        yield mark, "start", words[:-1]
        yield mark, "end", words[1:]


def _list_shorter_ngrams(words: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Give the shorter n-grams in an n-gram."""
    for n in range(1, len(words)):
        for at in range(len(words) - n + 1):
            yield words[at : at + n]


def _build_change(
    group: Sequence[_Candidate],
    tables: Sequence[NgramComparison],
    what: ChangeKind,
    words: Sequence[str],
) -> NgramChange:
    first = group[0]
    table = tables[first.n - 1]
    tally = _get_tally(table, what)
    kind = int(tally.kinds[first.at])
    start, stop = tally.starts[first.at : first.at + 2]
    places = tally.segments[start:stop][:EXAMPLES]
    return NgramChange(
        words=tuple(words[word] for word in first.words),
        **{name: int(getattr(table, name)[kind]) for name in COUNTS},
        rose=first.rose,
        fell=first.fell,
        weight=first.weight,
        segments=(places + 1).tolist(),
        stands_for=len(group) - 1,
    )
