"""Tables and figures of the report: numbers that align, and data that can be taken along."""

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from metra.report.html.markup import Child, Html, join_markup, mark_safe, tag
from metra.report.table import Style, choose_digits, format_score
from metra.scoring.table import Cell, Column, Table

#: Longer names do not push the numbers out of sight.
LONG = 28
#: The cell of a missing number.
UNKNOWN = mark_safe('<td class="num" data-v="">–</td>')

_PLAIN = Column("")
#: The classes of significant differences, which screen readers read.
_TONES = {"good": "better", "bad": "worse"}

CellContent: TypeAlias = "Html | str | int | Cell"


def build_html_table(
    headings: Sequence[Child],
    rows: Iterable[Sequence[CellContent]],
    caption: str,
    name: str,
    *,
    kind: str | None = None,
    sortable: bool = False,
    label: str | None = None,
) -> Html:
    """Lay out a table that scrolls by itself where it is too wide; `name` names its CSV.

    Cells and headings may be markup already; screen readers read `label` for the caption.
    """
    inside = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", map(make_column_heading, headings))),
        tag("tbody", map(_build_row, rows)),
        class_=kind,
        data_csv=name,
        data_sortable=sortable,
    )
    about = {"role": "region", "aria_label": label or caption}
    return tag("div", inside, class_="scroll", tabindex=0, **about)


def convert_table(
    table: Table,
    *,
    kind: str | None = None,
    sortable: bool = True,
    label: str | None = None,
) -> Html:
    """Lay out a table record, texts as texts and numbers as numbers.

    Screen readers read `label` for the caption.
    """
    rows = [
        [_convert_cell(*pair) for pair in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    heads = [
        make_column_heading(column.title, None if column.align == "left" else "num")
        for column in table.columns
    ]
    about = table.caption, table.name
    return build_html_table(
        heads, rows, *about, kind=kind, sortable=sortable, label=label
    )


def _convert_cell(cell: Cell, column: Column) -> CellContent:
    if not isinstance(cell.value, str):
        return make_number_cell(cell, column)
    if column.align == "left":
        return cell.value
    # Signs stand for numbers, which programs get.
    number = {"–": "", "": "", "·": "0"}.get(cell.value)
    return tag("td", cell.value, class_="num", data_v=number)


def make_column_heading(child: Child, kind: str | None = None) -> Html:
    """Make a column's heading, unless it is one already."""
    if isinstance(child, Html) and child.startswith(("<th", "<td")):
        return child
    return tag("th", child, scope="col", class_=kind)


def make_row_heading(name: str, *more: Child) -> Html:
    """Make a row's heading of a name; a long one may be broken anywhere."""
    long = "long" if len(name) > LONG else None
    return tag("th", tag("bdi", name), *more, scope="row", class_=long)


def build_figure(
    title: Child, picture: Html, data: Html | None, note: Child = None
) -> Html:
    """Show a picture with its title, a note, and its data folded away."""
    folded = tag("details", tag("summary", "Data"), data) if data is not None else None
    caption = title, tag("span", note, class_="note") if note else None
    return tag("figure", tag("figcaption", *caption), picture, folded)


def build_definitions(
    pairs: Iterable[tuple[Child, str]], kind: str | None = None
) -> Html:
    """List terms with what they mean."""
    listed = [[tag("dt", word), tag("dd", text)] for word, text in pairs]
    return tag("dl", listed, class_=kind)


def make_number_cell(cell: Cell, column: Column = _PLAIN) -> Html:
    """Make a table's cell of a number and its interval; a dash if it is missing."""
    value = cell.value
    if not isinstance(value, (float, int)) or not math.isfinite(value):
        return UNKNOWN
    digits = choose_digits(cell, column, Style())
    write = format_difference if cell.signed else format_with_minus
    shown: Child = f"{cell.prefix}{write(value, digits)}{cell.suffix}"
    if column.p_values and cell.digits is None:
        shown = "< 0.001" if value < 0.001 else format_score(value, 3)
    if cell.best:
        shown = mark_best_number(shown)
    if cell.tone:
        word = _TONES[cell.tone]
        unseen = tag("span", f" {word}", class_="unseen")
        shown = tag("span", shown, unseen, class_=word)
    interval = None
    if cell.interval is not None:
        ends = "[{}, {}]".format(*(write(end, digits) for end in cell.interval))
        interval = [" ", tag("small", ends)]
    return make_interval_cell(value, cell.interval, shown, interval)


def mark_best_number(shown: Child) -> Html:
    """Set the best number of a column in bold, and say so to screen readers."""
    return tag("b", shown, tag("span", " best", class_="unseen"))


def make_interval_cell(
    value: float, interval: tuple[float, float] | None, *shown: Child
) -> Html:
    """Make a cell of a number and its interval, which programs get with all digits."""
    start = f'<td class="num" data-v="{value:.10g}"'
    if interval is not None:
        start += f' data-low="{interval[0]:.10g}" data-high="{interval[1]:.10g}"'
    return mark_safe(f"{start}>{join_markup(shown)}</td>")


def format_difference(value: float, digits: int) -> str:
    """Write a difference with its sign, a real minus included.

    >>> format_difference(1.25, 1), format_difference(-0.04, 1), format_difference(-2, 1)
    ('+1.2', '0.0', '−2.0')
    """
    text = format_with_minus(value, digits)
    if not text.strip("−0.–"):  # nothing, or a dash
        return text.removeprefix("−")
    return text if value < 0 else f"+{text}"


def format_with_minus(value: float, digits: int) -> str:
    """Write a number with a real minus."""
    return format_score(value, digits).replace("-", "−")


def _build_row(row: Sequence[CellContent]) -> Html:
    cells: list[str] = []
    for at, cell in enumerate(row):
        if isinstance(cell, Cell):
            cells.append(make_number_cell(cell))
        elif isinstance(cell, Html) and cell.startswith(("<td", "<th")):
            cells.append(cell)
        elif isinstance(cell, int):
            cells.append(f'<td class="num" data-v="{cell}">{cell:,}</td>')
        elif at == 0:
            cells.append(make_row_heading(cell))
        else:
            cells.append(f"<td><bdi>{join_markup(cell)}</bdi></td>")
    return mark_safe(f"<tr>{''.join(cells)}</tr>")
