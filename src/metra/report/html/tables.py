"""Tables and figures of the report: numbers that align, and data that can be taken along."""

import math
from collections.abc import Iterable, Sequence

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


def build_html_table(
    headings: Sequence[Html],
    rows: Iterable[Sequence[Html]],
    caption: str,
    name: str,
    *,
    kind: str | None = None,
    sortable: bool = False,
    label: str | None = None,
) -> Html:
    """Lay out a table that scrolls by itself where it is too wide; `name` names its CSV.

    Screen readers read `label` for the caption.
    """
    inside = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", headings)),
        tag("tbody", [tag("tr", row) for row in rows]),
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
        [
            _convert_cell(cell, column, is_name=not at)
            for at, (cell, column) in enumerate(zip(row, table.columns, strict=True))
        ]
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


def _convert_cell(cell: Cell, column: Column, *, is_name: bool) -> Html:
    if not isinstance(cell.value, str):
        return make_number_cell(cell, column)
    if column.align == "left":
        text = cell.value
        return make_row_heading(text) if is_name else tag("td", tag("bdi", text))
    # Signs stand for numbers, which programs get.
    number = {"–": "", "": "", "·": "0"}.get(cell.value)
    return tag("td", cell.value, class_="num", data_v=number)


def make_column_heading(title: str, kind: str | None = None) -> Html:
    """Make a column's heading."""
    return tag("th", title, scope="col", class_=kind)


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
    """Make a table's cell of a number and its interval; a dash if it is missing.

    A count, a whole number without digits of its own, has commas.
    """
    value = cell.value
    if not isinstance(value, (float, int)) or not math.isfinite(value):
        return UNKNOWN
    digits = choose_digits(cell, column, Style())
    write = format_difference if cell.signed else format_with_minus
    number = write(value, digits)
    if isinstance(value, int) and cell.digits is None:
        number = f"{value:,}"
    shown: Child = f"{cell.prefix}{number}{cell.suffix}"
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
