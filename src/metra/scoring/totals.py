"""Totals of segments by group, system and metric, from chunks of a corpus or table.

Whoever adds totals may do so in any order, with any tool: segments, missing references and
every number of the sums are simply added, and the digits come out the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from metra.errors import CorpusError
from metra.scoring.results import GroupScores, Results, Score, SystemScores
from metra.stats import totals as exact

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from metra.corpus.batch import CorpusChunk
    from metra.metrics.record import Array, Metric

#: The values that the segments of a group have in common.
GroupKey: TypeAlias = tuple[Any, ...]


class GroupTotal(NamedTuple):
    """What is known of a group's segments for one system and metric."""

    segments: int
    #: How many references are missing, of all references of all these segments.
    lacking: int
    sums: exact.PartSums


#: By group, system and spec.
Totals: TypeAlias = dict[tuple[GroupKey, str, str], GroupTotal]

#: The groups of a chunk: their keys, and the number of each segment's group; None where
#: there is only one.
Grouping: TypeAlias = "tuple[Sequence[GroupKey], NDArray[np.intp] | None]"

ONE_GROUP: Grouping = (((),), None)


def count_chunk(
    chunk: "CorpusChunk",
    metrics: "Mapping[str, Metric]",
    grouping: Grouping = ONE_GROUP,
    *,
    keep: bool = False,
) -> "tuple[Totals, dict[tuple[str, str], Array]]":
    """Count a chunk's totals, and if they are kept its rows by system and spec.

    Where rows are not kept, a metric may have a shorter way to their sums.
    """
    keys, places = grouping
    gaps = [index for ref in chunk.refs for index in ref.text.missing()]
    sizes, lacking = [len(chunk)], [len(gaps)]
    if places is not None:
        import numpy as np

        sizes = np.bincount(places, minlength=len(keys)).tolist()
        lacking = np.bincount(places[gaps], minlength=len(keys)).tolist()
    totals: Totals = {}
    rows_by_key = {}
    for metric in metrics.values():
        if metric.prepare:
            metric.prepare(chunk)
    for system in chunk.systems:
        batch = chunk.batch(system)
        for spec, metric in metrics.items():
            if metric.sums and places is None and not keep:
                parts = [exact.split_whole(metric.sums(batch))]
            else:
                rows = metric.rows(batch)
                if keep:
                    rows_by_key[system, spec] = rows
                if places is None:
                    parts = [exact.sum_parts(rows)]
                else:
                    parts = exact.sum_parts_by_group(rows, places, len(keys))
            entries = map(GroupTotal, sizes, lacking, parts)
            for key, entry in zip(keys, entries, strict=True):
                totals[key, system, spec] = entry
    return totals, rows_by_key


def add_entries(
    totals: Totals, more: Iterable[tuple[tuple[GroupKey, str, str], GroupTotal]]
) -> None:
    """Add totals to others, in place."""
    for key, entry in more:
        known = totals.get(key)
        totals[key] = (
            entry
            if known is None
            else GroupTotal(
                known.segments + entry.segments,
                known.lacking + entry.lacking,
                exact.add_parts(known.sums, entry.sums),
            )
        )


def group_segments(columns: Sequence[Sequence[Any]]) -> Grouping:
    """Group segments by the values of columns.

    >>> keys, places = group_segments([["b", "a", "b"], [1, 1, 1]])
    >>> keys, places.tolist()
    ([('b', 1), ('a', 1)], [0, 1, 0])
    """
    keys, places = exact.number_labels(list(zip(*columns, strict=True)))
    return keys, places if len(keys) > 1 else None


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
    entries: Totals = {}
    add_entries(entries, ((((), *key[1:]), entry) for key, entry in totals.items()))
    spec = next(iter(metrics))
    first = entries.get(((), systems[0], spec))
    if first is None or not first.segments:
        msg = "There are no segments to score; the table has no rows."
        raise CorpusError(msg)
    nrefs = "var" if first.lacking else references
    groups = {key for key, _, _ in totals} if group_by else ()
    entries |= totals
    scored: dict[GroupKey, list[SystemScores]] = {}
    # By value; what has none comes last.
    for key in [(), *sorted(groups, key=lambda key: [(v is None, v) for v in key])]:
        scored[key] = []
        for system in systems:
            scores = {}
            for name, metric in metrics.items():
                total: Any = exact.join_parts(entries[key, system, name].sums)
                if metric.sums is None:  # else plain numbers will do, without numpy
                    import numpy as np

                    total = np.array(total)
                scores[name] = Score(
                    score=float(metric.aggregate(total)),
                    signature=metric.signature(nrefs=nrefs),
                    higher_is_better=metric.higher_is_better,
                    parts=metric.parts(total),
                    more_digits=metric.more_digits,
                    basis=metric.basis,
                )
            scored[key].append(SystemScores(system, scores))
    overall = scored.pop(())
    results = Results(overall, first.segments, references, documents)
    if not group_by:
        return results
    found = [
        GroupScores(
            dict(zip(group_by, key, strict=True)),
            entries[key, systems[0], spec].segments,
            by_system,
        )
        for key, by_system in scored.items()
    ]
    return replace(results, groups=found)
