"""One-to-one pairs with the greatest total weight, found exactly."""

from collections.abc import Iterator, Sequence


def assign_columns(weights: Sequence[Sequence[int]]) -> list[int | None]:
    """Return the column of each row, or None, so that the weights add up to the most.

    Weights are whole numbers from 0, of any size, so no total is rounded. A column is used
    once at most, and as many rows as possible have one, be it of weight 0. This is the
    Hungarian method with potentials, which takes rows² × columns steps for rows and columns
    that weights above 0 connect.
    """
    columns: list[int | None] = [None] * len(weights)
    for rows, candidates in _list_components(weights):
        part = [[weights[row][column] for column in candidates] for row in rows]
        for row, place in zip(rows, _assign_part(part), strict=True):
            if place is not None and weights[row][candidates[place]]:
                columns[row] = candidates[place]
    width = len(weights[0]) if weights else 0
    free = iter(sorted(set(range(width)).difference(columns)))
    # What is left adds nothing, whichever way it is paired.
    return [next(free, None) if column is None else column for column in columns]


def _list_components(
    weights: Sequence[Sequence[int]],
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield rows and columns that weights above 0 connect; no others share a pair."""
    by_row = [
        [column for column, weight in enumerate(row) if weight] for row in weights
    ]
    by_column: dict[int, list[int]] = {}
    for row, columns in enumerate(by_row):
        for column in columns:
            by_column.setdefault(column, []).append(row)
    waiting = dict.fromkeys(row for row, columns in enumerate(by_row) if columns)
    while waiting:
        rows, candidates = [next(iter(waiting))], dict[int, None]()
        del waiting[rows[0]]
        for row in rows:  # which grows meanwhile
            for column in by_row[row]:
                if column in candidates:
                    continue
                candidates[column] = None
                reached = [one for one in by_column[column] if one in waiting]
                rows += reached
                for one in reached:
                    del waiting[one]
        yield sorted(rows), sorted(candidates)


def _assign_part(weights: Sequence[Sequence[int]]) -> list[int | None]:
    if len(weights) > len(weights[0]):
        columns: list[int | None] = [None] * len(weights)
        for column, row in enumerate(_assign_part(list(zip(*weights, strict=True)))):
            if row is not None:
                columns[row] = column
        return columns
    highest = max(map(max, weights))
    pairs = _Pairs([[highest - weight for weight in row] for row in weights])
    for row in range(len(weights)):
        pairs.add_row(row)
    return pairs.columns


class _Pairs:
    """The cheapest pairs of the rows added so far; rows are not more than columns."""

    def __init__(self, costs: Sequence[Sequence[int]]) -> None:
        self.costs = costs
        self.columns: list[int | None] = [None] * len(costs)
        self.rows: list[int | None] = [None] * len(costs[0])
        # No cost less both potentials is below 0, and that of a pair is 0.
        self.row_potentials = [0] * len(costs)
        self.column_potentials = [0] * len(costs[0])

    def add_row(self, start: int) -> None:
        """Give a row a column by the cheapest chain of changes (Dijkstra's algorithm)."""
        distances: dict[int, int] = {}
        sources: dict[int, int] = {}
        passed: list[int] = []
        waiting = list(range(len(self.rows)))
        row: int | None = start
        reached = 0
        while row is not None:
            offset = reached - self.row_potentials[row]
            for column in waiting:
                distance = (
                    offset + self.costs[row][column] - self.column_potentials[column]
                )
                if column not in distances or distance < distances[column]:
                    distances[column], sources[column] = distance, row
            last = min(waiting, key=distances.__getitem__)
            waiting.remove(last)
            passed.append(last)
            reached, row = distances[last], self.rows[last]
        self._shift_potentials(start, reached, {one: distances[one] for one in passed})
        self._exchange_pairs(start, last, sources)

    def _shift_potentials(
        self, start: int, reached: int, distances: dict[int, int]
    ) -> None:
        self.row_potentials[start] += reached
        for column, distance in distances.items():
            self.column_potentials[column] -= reached - distance
            row = self.rows[column]
            if row is not None:
                self.row_potentials[row] += reached - distance

    def _exchange_pairs(self, start: int, last: int, sources: dict[int, int]) -> None:
        """Pair each row of the chain with the column it led to, from the end on."""
        column: int | None = last
        while column is not None:
            row = sources[column]
            self.rows[column] = row
            self.columns[row], column = column, self.columns[row]
            if row == start:
                return
