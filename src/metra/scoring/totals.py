"""Totals of segments by group, system and metric, from chunks of a corpus or table.

Whoever adds totals may do so in any order, with any tool: segments, missing references and
every number of the sums are simply added, and the digits come out the same.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

from metra.errors import CorpusError
from metra.metrics.record import settle
from metra.scoring.results import GroupScores, Results, Score, SystemScores
from metra.stats import totals as exact

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from metra.corpus.batch import CorpusChunk
    from metra.metrics.record import Array, Metric

#: The values that the segments of a group have in common.
GroupKey: TypeAlias = tuple[Any, ...]
#: A system, and a metric's spec.
Pair: TypeAlias = tuple[str, str]


class Total(NamedTuple):
    """Counts of some segments for one system and metric."""

    segments: int
    #: How many references are missing, of all references of all these segments.
    lacking: int
    sums: exact.PartSums


class _Places(dict[GroupKey, int]):
    """Numbers of groups in the order in which they are first asked for."""

    def __missing__(self, key: GroupKey) -> int:
        self[key] = number = len(self)
        return number


class GroupTotals:
    """The totals of many groups: for each system and metric an array, a row for each group.

    A row has the numbers of a `Total`, one behind the other.
    """

    def __init__(
        self, keys: Sequence[GroupKey] = (), rows: "Mapping[Pair, Array] | None" = None
    ) -> None:
        """Take the rows of groups with these keys, which all differ."""
        self._keys, self._rows = keys, dict(rows or {})
        self._places: _Places | None = None

    def add(self, more: "GroupTotals") -> None:
        """Add the totals of other segments."""
        import numpy as np

        if self._places is None:  # totals that nothing is added to need none
            self._places = _Places(zip(self._keys, range(len(self._keys)), strict=True))
            self._rows = {pair: rows.copy() for pair, rows in self._rows.items()}
        keys = more.keys
        at = np.fromiter(map(self._places.__getitem__, keys), np.intp, len(keys))
        for pair, rows in more.rows.items():
            self._rows.setdefault(pair, np.zeros((0, rows.shape[1])))
        for held in self._rows.values():
            if len(held) < len(self._places):
                # In place: two copies of very many groups would take twice the memory.
                longer = len(self._places) + len(self._places) // 8
                held.resize((longer, held.shape[1]), refcheck=False)
        for pair, rows in more.rows.items():
            self._rows[pair][at] += rows

    @property
    def keys(self) -> list[GroupKey]:
        """The keys in the order of the rows."""
        return [*(self._keys if self._places is None else self._places)]

    @property
    def rows(self) -> "dict[Pair, Array]":
        """The rows by system and metric, in the order of the keys, until more are added."""
        count = len(self._keys if self._places is None else self._places)
        return {pair: held[:count] for pair, held in self._rows.items()}

    def sum(self) -> dict[Pair, Total]:
        """Add up all groups."""
        sums = {pair: rows.sum(0).tolist() for pair, rows in self.rows.items()}
        return {
            pair: Total(int(segments), int(lacking), parts)
            for pair, (segments, lacking, *parts) in sums.items()
        }


def build_row(total: Total) -> "Array":
    """Give a total as a row of an array."""
    import numpy as np

    return np.array([[*total[:2], *total.sums]])


class Totals:
    """Totals of segments: of all of them, or where they are grouped of each group."""

    __slots__ = ("groups", "whole")

    def __init__(
        self, whole: dict[Pair, Total] | None = None, groups: GroupTotals | None = None
    ) -> None:
        """Take totals to which others can be added."""
        self.whole: dict[Pair, Total] = {} if whole is None else whole
        self.groups = groups

    def add(self, more: "Totals") -> None:
        """Add the totals of other segments."""
        for pair, total in more.whole.items():
            if pair in self.whole:
                segments, lacking, sums = self.whole[pair]
                total = Total(
                    segments + total.segments,
                    lacking + total.lacking,
                    exact.add_parts(sums, total.sums),
                )
            self.whole[pair] = total
        if more.groups:
            self.groups = self.groups or GroupTotals()
            self.groups.add(more.groups)

    def sum(self) -> dict[Pair, Total]:
        """Give the totals of all segments."""
        return self.groups.sum() if self.groups else self.whole


#: The groups of a chunk: their keys, and the number of each segment's group; None where
#: there is only one.
Grouping: TypeAlias = "tuple[list[GroupKey], NDArray[np.intp] | None]"


def count_chunk(
    chunk: "CorpusChunk",
    metrics: "Mapping[str, Metric]",
    grouping: "Grouping | None" = None,
    *,
    keep: bool = False,
) -> "tuple[Totals, dict[Pair, Array]]":
    """Count a chunk's totals, and if they are kept its rows by system and spec.

    Where rows are not kept, a metric may have a shorter way to their sums.
    """
    keys, places = grouping or ([], None)
    gaps = [index for ref in chunk.refs for index in ref.text.missing()]
    whole: dict[Pair, Total] = {}
    by_group: dict[Pair, Array] = {}
    rows_by_key = {}
    for metric in metrics.values():
        if metric.fast.prepare:
            metric.fast.prepare(chunk)
    for system in chunk.systems:
        batch = chunk.batch(system)
        for spec, metric in metrics.items():
            if metric.fast.sums and places is None and not keep:
                sums = exact.split_whole(metric.fast.sums(batch))
            else:
                rows = metric.rows(batch)
                if keep:
                    rows_by_key[system, spec] = rows
                if places is not None:
                    by_group[system, spec] = _sum_groups(rows, gaps, places, len(keys))
                    continue
                sums = exact.sum_parts(rows)
            whole[system, spec] = Total(len(chunk), len(gaps), sums)
    if grouping is None:
        return Totals(whole), rows_by_key
    by_group |= {pair: build_row(total) for pair, total in whole.items()}
    return Totals(groups=GroupTotals(keys, by_group)), rows_by_key


def _sum_groups(
    rows: "Array", gaps: Sequence[int], places: "NDArray[np.intp]", groups: int
) -> "Array":
    """Add up the rows of each group, behind its number of segments and of gaps."""
    import numpy as np

    counts = [np.bincount(each, minlength=groups) for each in (places, places[gaps])]
    sums = exact.sum_parts_by_group(rows, places, groups)
    return np.concatenate([np.stack(counts, axis=1), sums], axis=1)


def group_segments(columns: Sequence[Sequence[Any]]) -> Grouping:
    """Group segments by the values of columns.

    >>> keys, places = group_segments([["b", "a", "b"], [1, 1, 1]])
    >>> keys, places.tolist()
    ([('b', 1), ('a', 1)], [0, 1, 0])
    """
    from metra.stats.arrays import number_names

    keys, places = number_names(list(zip(*columns, strict=True)))
    return list(keys), places if len(keys) > 1 else None


def build_results(
    totals: Totals,
    metrics: "Mapping[str, Metric]",
    systems: Sequence[str],
    references: int,
    group_by: Sequence[str] = (),
    documents: int | None = None,
) -> Results:
    """Score everything that was counted, and each group by itself.

    The metrics may be those before the first of two passes: closing formulas need no weights.
    """
    whole = totals.sum()
    first = whole.get((systems[0], next(iter(metrics))))
    if first is None or not first.segments:
        msg = "The table has no rows; expected at least one segment."
        raise CorpusError(msg)
    nrefs = "var" if first.lacking else references
    metrics = {
        spec: settle(made, fitted=first.segments)
        if made.fit and made.fit.by_references
        else made
        for spec, made in metrics.items()
    }
    signatures = {spec: made.signature(nrefs=nrefs) for spec, made in metrics.items()}

    def score(sums: Mapping[Pair, list[float]]) -> list[SystemScores]:
        return [
            SystemScores(
                system,
                {
                    spec: _score_sums(sums[system, spec], made, signatures[spec])
                    for spec, made in metrics.items()
                },
            )
            for system in systems
        ]

    sums = {pair: exact.join_parts(total.sums) for pair, total in whole.items()}
    results = Results(score(sums), first.segments, references, documents)
    if not group_by or not totals.groups:
        return results
    return replace(results, groups=ScoredGroups(totals.groups, group_by, score))


def _score_sums(sums: list[float], metric: "Metric", signature: str) -> Score:
    totals: Any = sums
    if metric.fast.sums is None:  # else plain numbers will do, without numpy
        import numpy as np

        totals = np.array(sums)
    return Score(
        score=float(metric.aggregate(totals)),
        signature=signature,
        direction=metric.direction,
        parts=metric.parts(totals),
        more_digits=metric.more_digits,
        basis=metric.notes.basis,
    )


class ScoredGroups(Sequence[GroupScores]):
    """The scores of groups in the order of their keys; each is made when it is asked for.

    A hundred thousand groups take the memory of their numbers only.
    """

    def __init__(
        self,
        totals: GroupTotals,
        group_by: Sequence[str],
        score: Callable[[Mapping[Pair, list[float]]], list[SystemScores]],
    ) -> None:
        """Take the totals, the names of the keys' values, and what scores sums."""
        keys = totals.keys
        # By value; what has none comes last.
        ordered = (
            [*map(_order_gaps, keys)] if any(None in key for key in keys) else keys
        )
        places = sorted(range(len(keys)), key=ordered.__getitem__)
        self._keys = [keys[place] for place in places]
        self._group_by = group_by
        self._score = score
        self._segments: list[int] = []
        self._sums: dict[Pair, Array] = {}
        for pair, rows in totals.rows.items():
            self._segments = rows[places, 0].astype(int).tolist()
            self._sums[pair] = exact.join_rows(rows[:, 2:])[places]

    def __repr__(self) -> str:
        """Say how many there are."""
        return f"<{len(self)} groups by {', '.join(self._group_by)}>"

    def __len__(self) -> int:
        """Count the groups."""
        return len(self._keys)

    @overload
    def __getitem__(self, index: int) -> GroupScores: ...

    @overload
    def __getitem__(self, index: slice) -> list[GroupScores]: ...

    def __getitem__(self, index: int | slice) -> GroupScores | list[GroupScores]:
        """Score a group, or some of them."""
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        sums = {pair: rows[index].tolist() for pair, rows in self._sums.items()}
        about = dict(zip(self._group_by, self._keys[index], strict=True))
        return GroupScores(about, self._segments[index], self._score(sums))

    def __eq__(self, other: object) -> bool:
        """Return True if all scores of all groups are the same."""
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]


def _order_gaps(key: GroupKey) -> list[tuple[bool, Any]]:
    return [(value is None, value) for value in key]
