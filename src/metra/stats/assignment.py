"""One-to-one pairs with the greatest total weight, found exactly."""

import math
from collections.abc import Sequence


def assign_columns(weights: Sequence[Sequence[int]]) -> list[int | None]:
    """Return the column of each row, or None, so that the weights add up to the most.

    Weights are whole numbers from 0, of any size, so no total is rounded. A column is used
    once at most, and as many rows as possible have one, be it of weight 0. This is the
    Hungarian method with potentials, which takes rows² × columns steps.
    """
    columns: list[int | None] = [None] * len(weights)
    if not weights or not weights[0]:
        return columns
    if len(weights) > len(weights[0]):
        for column, row in enumerate(assign_columns(list(zip(*weights, strict=True)))):
            if row is not None:
                columns[row] = column
        return columns
    rows: list[int | None] = [None] * len(weights[0])
    # No weight exceeds both potentials, and that of a pair equals them.
    potentials = [max(map(max, weights))] * len(weights), [0] * len(rows)
    for start in range(len(weights)):
        distances, sources = _find_chain(weights, start, rows, *potentials)
        last, reached = next(reversed(distances.items()))
        potentials[0][start] -= reached
        for column, distance in distances.items():
            potentials[1][column] += reached - distance
            if (paired := rows[column]) is not None:
                potentials[0][paired] -= reached - distance
        # Each row of the chain takes the column that it led to, from the end on.
        free: int | None = last
        while free is not None:
            rows[free] = row = sources[free]
            columns[row], free = free, columns[row]
    return columns


def _find_chain(
    weights: Sequence[Sequence[int]],
    start: int,
    rows: Sequence[int | None],
    row_potentials: Sequence[int],
    column_potentials: Sequence[int],
) -> tuple[dict[int, int], dict[int, int]]:
    """Find the cheapest chain of changes that gives a row a column (Dijkstra's algorithm).

    Return the distances of the columns passed, the free one last, and the row that each
    column is reached from.
    """
    distances: dict[int, int] = {}
    sources: dict[int, int] = {}
    waiting: dict[int, float] = dict.fromkeys(range(len(rows)), math.inf)
    row: int | None = start
    reached = 0
    while row is not None:
        offset = reached + row_potentials[row]
        for column, shortest in waiting.items():
            distance = offset + column_potentials[column] - weights[row][column]
            if distance < shortest:
                waiting[column], sources[column] = distance, row
        last = min(waiting, key=waiting.__getitem__)
        reached = distances[last] = int(waiting.pop(last))
        row = rows[last]
    return distances, sources
