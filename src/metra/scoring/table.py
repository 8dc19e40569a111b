"""The table record: what analyses and questions return and what the report writes.

A table knows its numbers in full. Digits, alignment and marks are hints to the writers
(`metra.report.table` and `metra.report.terminal`); nothing in here is formatted.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from metra.stats.direction import HIGHER, Direction


class Column(NamedTuple):
    """A heading and how the cells below it are shown."""

    heading: str
    align: Literal["left", "right"] = "right"
    #: Shown as an arrow; None for no arrow.
    direction: Direction | None = None
    #: Digits after the point; None for those that the table is printed with.
    digits: int | None = None
    #: Digits beyond those that the table is printed with, where scores go up to 1.
    more_digits: int = 0
    #: Terminal columns that it takes at least.
    width: int = 0
    #: What stands above it and its neighbours of the same group, in tables for papers.
    group: str = ""
    #: Whether its numbers are p-values, of which the smallest are only shown as small.
    p_values: bool = False

    @property
    def title(self) -> str:
        """The heading, with an arrow that points to the better numbers."""
        if self.direction is None:
            return self.heading
        return f"{self.heading} {self.direction.arrow}"


class Cell(NamedTuple):
    """A number or a text with its interval; None if missing, and then a note says why."""

    value: float | str | None
    interval: tuple[float, float] | None = None
    #: The best of what is compared; shown in bold, on the terminal also by a star. Nothing
    #: else is.
    best: bool = False
    #: Digits after the point; None for those of the column.
    digits: int | None = None
    #: A sign in front of positive numbers too, for differences.
    signed: bool = False
    prefix: str = ""
    suffix: str = ""
    #: What is significant; the prefix or suffix must say it too, not colour alone.
    tone: Literal["", "good", "bad"] = ""
    #: Signs of significance behind the number, raised where a format can: daggers, letters.
    marks: str = ""


class Table(NamedTuple):
    """Columns and rows of cells; the first column names the rows."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    #: What programs call the table, where there are several.
    name: str = ""
    #: Names of rows and columns alike, of a matrix that shows numbers in their place.
    names: Sequence[str] = ()


def make_table(
    corner: str,
    columns: Sequence[str | Column],
    rows: Iterable[tuple[str, Sequence[Cell]]],
    *,
    caption: str = "",
    name: str = "",
    names: Sequence[str] = (),
) -> Table:
    """Build a table of named rows, with `corner` above the names.

    >>> table = make_table("system", ["bleu"], [("sysA", [Cell(34.2)])])
    >>> [column.align for column in table.columns], table.rows[0][0].value
    (['left', 'right'], 'sysA')
    """
    return Table(
        [
            Column(corner, "left"),
            *(Column(each) if isinstance(each, str) else each for each in columns),
        ],
        [[Cell(row_name), *cells] for row_name, cells in rows],
        caption,
        name,
        names,
    )


def mark_best(cells: Sequence[Cell], *, direction: Direction = HIGHER) -> list[Cell]:
    """Mark the best of some numbers in full precision, unless all are equal.

    >>> [cell.best for cell in mark_best([Cell(1.0), Cell(None), Cell(2.0)])]
    [False, False, True]
    """
    values = [
        direction.orient(cell.value)
        if isinstance(cell.value, float | int)
        else math.nan
        for cell in cells
    ]
    numbers = {value for value in values if value == value}
    if len(numbers) < 2:
        return list(cells)
    best = max(numbers)
    return [
        cell._replace(best=value == best)
        for cell, value in zip(cells, values, strict=True)
    ]
