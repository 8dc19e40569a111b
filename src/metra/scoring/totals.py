"""Totals of segments by group, system and metric, from chunks of a corpus or table.

Whoever adds totals may do so in any order, with any tool: segments, missing references and
every number of the sums are simply added, and the digits come out the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from metra.corpus.batch import CorpusChunk
from metra.errors import CorpusError
from metra.metrics.record import Array, Metric
from metra.scoring.results import GroupScores, Results, Score, SystemScores
from metra.stats.totals import (
    PartSums,
    add_parts,
    join_parts,
    number_labels,
    split_whole,
    sum_parts,
    sum_parts_by_group,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The values that the segments of a group have in common.
GroupKey: TypeAlias = tuple[Any, ...]

#: A chunk's statistics, by system and spec: a row for each segment.
Statistics: TypeAlias = dict[tuple[str, str], Array]


class GroupTotal(NamedTuple):
    """What is known of a group's segments for one system and metric."""

    segments: int
    #: How many references are missing, of all references of all these segments.
    lacking: int
    sums: PartSums


#: By group, system and spec.
Totals: TypeAlias = dict[tuple[GroupKey, str, str], GroupTotal]


class Grouping(NamedTuple):
    """Which group each segment of a chunk is in: its number, and the groups' keys."""

    keys: Sequence[GroupKey] = ((),)
    #: None where there is only one group.
    places: "NDArray[np.intp] | None" = None


ONE_GROUP = Grouping()


class TotalsShape(NamedTuple):
    """What was counted: the systems, the number of references, the columns of groups."""

    systems: Sequence[str]
    references: int
    group_by: Sequence[str] = ()


def count_chunk(
    chunk: CorpusChunk, metrics: Mapping[str, Metric], grouping: Grouping = ONE_GROUP
) -> Totals:
    """Count a chunk's totals, without the rows where a metric has a shorter way to them."""
    if grouping.places is not None:
        return sum_groups(chunk, count_chunk_rows(chunk, metrics), grouping)
    (key,) = grouping.keys
    size, lacking = len(chunk), sum(len(ref.text.missing()) for ref in chunk.refs)
    totals: Totals = {}
    for system in chunk.systems:
        batch = chunk.batch(system)
        for spec, metric in metrics.items():
            sums = (
                split_whole(metric.sums(batch))
                if metric.sums
                else sum_parts(metric.rows(batch))
            )
            totals[key, system, spec] = GroupTotal(size, lacking, sums)
    return totals


def count_chunk_rows(chunk: CorpusChunk, metrics: Mapping[str, Metric]) -> Statistics:
    """Count every system's segments in a chunk by every metric."""
    batches = {system: chunk.batch(system) for system in chunk.systems}
    return {
        (system, spec): metric.rows(batch)
        for system, batch in batches.items()
        for spec, metric in metrics.items()
    }


def sum_groups(
    chunk: CorpusChunk, statistics: Statistics, grouping: Grouping = ONE_GROUP
) -> Totals:
    """Add up the statistics of a chunk's segments, group by group."""
    import numpy as np

    keys, places = grouping
    gaps = [index for ref in chunk.refs for index in ref.text.missing()]
    if places is None:
        sizes, lacking = [len(chunk)], [len(gaps)]
    else:
        sizes = np.bincount(places, minlength=len(keys)).tolist()
        lacking = np.bincount(places[gaps], minlength=len(keys)).tolist()
    totals: Totals = {}
    for (system, spec), rows in statistics.items():
        sums = (
            [sum_parts(rows)]
            if places is None
            else sum_parts_by_group(rows, places, len(keys))
        )
        for index, key in enumerate(keys):
            totals[key, system, spec] = GroupTotal(
                sizes[index], lacking[index], sums[index]
            )
    return totals


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
                add_parts(known.sums, entry.sums),
            )
        )


def group_segments(columns: Sequence[Sequence[Any]]) -> Grouping:
    """Group segments by the values of columns.

    >>> grouping = group_segments([["b", "a", "b"], [1, 1, 1]])
    >>> grouping.keys, grouping.places.tolist()
    ([('b', 1), ('a', 1)], [0, 1, 0])
    """
    keys, places = number_labels(list(zip(*columns, strict=True)))
    return Grouping(keys, places if len(keys) > 1 else None)


def build_results(
    totals: Totals, shape: TotalsShape, metrics: Mapping[str, Metric]
) -> Results:
    """Score everything that was counted, and each group by itself.

    The metrics may be those before the first of two passes: closing formulas need no weights.
    """
    overall: Totals = {}
    for (_, system, spec), entry in totals.items():
        add_entries(overall, [(((), system, spec), entry)])
    first = overall.get(((), shape.systems[0], next(iter(metrics))))
    if first is None or not first.segments:
        msg = "There are no segments to score; the table has no rows."
        raise CorpusError(msg)
    nrefs = "var" if first.lacking else shape.references
    groups = None
    if shape.group_by:
        groups = [
            GroupScores(
                dict(zip(shape.group_by, key, strict=True)),
                totals[key, shape.systems[0], next(iter(metrics))].segments,
                _score_systems(totals, key, shape, metrics, nrefs),
            )
            # By value; what has none comes last.
            for key in sorted(
                {key for key, _, _ in totals},
                key=lambda key: [(value is None, value) for value in key],
            )
        ]
    systems = _score_systems(overall, (), shape, metrics, nrefs)
    return Results(systems, first.segments, shape.references, groups=groups)


def _score_systems(
    totals: Totals,
    key: GroupKey,
    shape: TotalsShape,
    metrics: Mapping[str, Metric],
    nrefs: int | str,
) -> list[SystemScores]:
    return [
        SystemScores(
            system,
            {
                spec: build_score(metric, totals[key, system, spec].sums, nrefs)
                for spec, metric in metrics.items()
            },
        )
        for system in shape.systems
    ]


def build_score(
    metric: Metric, sums: PartSums, nrefs: int | str, **signed: object
) -> Score:
    """Score sums of statistics; `signed` goes into the signature."""
    total: Any = join_parts(sums)
    if metric.sums is None:  # else `aggregate` takes plain numbers, without numpy
        import numpy as np

        total = np.array(total)
    return Score(
        score=float(metric.aggregate(total)),
        signature=metric.signature(nrefs=nrefs, **signed),
        higher_is_better=metric.higher_is_better,
        parts=metric.parts(total),
    )
