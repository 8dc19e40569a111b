"""Tables as Markdown, LaTeX, tab-separated values and JSON, and numbers as text.

The record is `metra.scoring.table.Table`; the terminal's writer is in `metra.report.terminal`.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from metra import __version__
from metra.scoring.table import Cell, Column, Table

#: The version of every JSON document.
SCHEMA = 1
MISSING = "–"

_LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "−": "$-$",
        "▲": r"$\blacktriangle$",
        "▼": r"$\blacktriangledown$",
        "△": r"$\vartriangle$",
        "▽": r"$\triangledown$",
        "<": "$<$",
        ">": "$>$",
        "≤": r"$\leq$",
        "|": r"\textbar{}",
        "†": r"\dag{}",
        "‡": r"\ddag{}",
        "\n": " ",
        "\r": " ",
    }
    | {character: f"\\{character}" for character in "&%$#_{}"}
)
_MARKDOWN_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "\\`*_{}[]<>#|"}
    | {"\n": " ", "\r": " "}
)
_TSV_ESCAPES = str.maketrans({"\t": " ", "\n": " ", "\r": " "})


class PaperOptions(NamedTuple):
    """What a table for a paper says around and above its numbers."""

    #: What was scored, if None.
    caption: str | None = None
    #: LaTeX's label, or the id in HTML.
    label: str | None = None
    #: Pairs OLD=NEW of names of systems and metrics.
    rename: Sequence[str] = ()
    #: Headings above several columns: TITLE=METRIC,METRIC.
    column_groups: Sequence[str] = ()


class Style(NamedTuple):
    """Choices of presentation."""

    digits: int = 2
    color: bool = False
    sort: bool = False
    width: int | None = None
    #: How much of each signature is shown: full, short or sacrebleu.
    signature: str = "full"
    #: Whether the parts of each score are shown.
    verbose: bool = False
    paper: PaperOptions = PaperOptions()


def render_markdown_table(table: Table, style: Style) -> str:
    """Write a table in Markdown, the best in bold."""
    lines = [f"**{escape_markdown(table.caption)}**", ""] if table.caption else []
    rows = [
        [escape_markdown(_join_group(column)) for column in table.columns],
        [":--" if column.align == "left" else "--:" for column in table.columns],
        *format_rows(table, style, escape_markdown, "**{}**", raised="<sup>{}</sup>"),
    ]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def render_latex_table(table: Table, style: Style) -> str:
    """Write a table as a tabular for booktabs, the best in bold."""
    heads = " & ".join(escape_latex(column.title) for column in table.columns)
    aligned = "".join(column.align[0] for column in table.columns)
    rows = format_rows(table, style, escape_latex, r"\textbf{{{}}}", _shrink_latex)
    return "\n".join(
        [
            *([format_latex_comments([table.caption])] if table.caption else []),
            rf"\begin{{tabular}}{{{aligned}}}",
            r"\toprule",
            rf"{heads} \\",
            r"\midrule",
            *map(join_latex_row, rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def join_latex_row(cells: Sequence[str]) -> str:
    """Join the cells of a row; what would be an option of the line before it is no such."""
    row = rf"{' & '.join(cells)} \\"
    return f"{{}}{row}" if row.startswith(("[", "*")) else row


def format_latex_comments(lines: Iterable[str]) -> str:
    """Write lines as comments of LaTeX."""
    return "\n".join(f"% {' '.join(line.split())}" for line in lines)


def list_rows(table: Table) -> Iterator[tuple[str, list[tuple[str, Cell]]]]:
    """List each row's name and its cells with their headings, as programs get them."""
    headings = [column.heading for column in table.columns[1:]]
    for at, (first, *cells) in enumerate(table.rows):
        if table.names:
            # Only one half of such a matrix may be filled.
            named = zip(table.names, cells, strict=True)
            yield table.names[at], [pair for pair in named if pair[1].value != ""]
        else:
            yield str(first.value), list(zip(headings, cells, strict=True))


def render_tsv(lines: Iterable[Sequence[str]]) -> str:
    """Join cells by tabs; a name must not add a column or a line."""
    return "\n".join(
        "\t".join(cell.translate(_TSV_ESCAPES) for cell in line) for line in lines
    )


def render_json(data: dict[str, Any]) -> str:
    """Write a JSON document with the versions of metra and of the schema first."""
    import json

    return json.dumps(build_document(data), ensure_ascii=False, indent=1)


def build_document(data: dict[str, Any]) -> dict[str, Any]:
    """Put the versions of metra and of the schema before the keys of a document."""
    return {"metra": __version__, "schema": SCHEMA, **data}


def convert_record(value: Any, number: Callable[[float], Any] | None = None) -> Any:
    """Return a record, or whatever is in one, as plain dicts, lists and numbers.

    `number` converts floats; `convert_number` unless it is given.
    """
    if isinstance(value, float):
        return (number or convert_number)(value)
    if isinstance(value, Mapping):
        return {str(key): convert_record(entry, number) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [convert_record(entry, number) for entry in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: convert_record(getattr(value, field.name), number)
            for field in fields(value)
        }
    return value


def convert_number(value: float) -> float | int | None:
    """Return counts as whole numbers, and None for what JSON has no number for."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def format_cell(cell: Cell, column: Column, style: Style) -> str:
    """Write a cell's value, without its interval."""
    if cell.value is None:
        return MISSING
    text = cell.value
    if not isinstance(text, str):
        text = _format_number(text, cell, column, style)
    return f"{cell.prefix}{text}{cell.suffix}"


def format_cell_interval(cell: Cell, column: Column, style: Style) -> str:
    """Write a cell's interval; an empty string if there is none."""
    if cell.interval is None:
        return ""
    low, high = (_format_number(end, cell, column, style) for end in cell.interval)
    return f"[{low}, {high}]"


def _format_number(value: float, cell: Cell, column: Column, style: Style) -> str:
    digits = column.digits
    if digits is None:
        digits = style.digits + column.more_digits
    digits = digits if cell.digits is None else cell.digits
    return (format_signed if cell.signed else format_score)(value, digits)


def format_score(value: float, digits: int) -> str:
    """Write a score; a dash where there was nothing to score."""
    # Adding zero takes the sign from a zero that has one.
    return MISSING if value != value else f"{value + 0.0:.{digits}f}"


def format_signed(value: float, digits: int) -> str:
    """Write a difference with its sign."""
    text = f"{value:+.{digits}f}"
    return MISSING if value != value else text.replace("-", "−")


def format_p_value(p: float | None) -> str:
    """Write a p-value; a dash if there is none."""
    if p is None:
        return MISSING
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def format_count(count: int, noun: str) -> str:
    """Write a number and its noun.

    >>> format_count(1, "segment"), format_count(3003, "segment")
    ('1 segment', '3,003 segments')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def escape_markdown(text: str) -> str:
    """Keep text from being read as Markdown."""
    return text.translate(_MARKDOWN_ESCAPES)


def escape_latex(text: str) -> str:
    """Keep text from being read as LaTeX."""
    return text.translate(_LATEX_ESCAPES)


def format_rows(
    table: Table,
    style: Style,
    escape: Callable[[str], str],
    bold: str,
    shrink: Callable[[str], str] = str,
    raised: str = "{}",
) -> Iterator[list[str]]:
    """Write each row's cells, the best in bold, with their intervals."""
    for row in table.rows:
        texts = []
        for cell, column in zip(row, table.columns, strict=True):
            text = escape(format_cell(cell, column, style))
            text = bold.format(text) if cell.best else text
            # Daggers are raised as they are.
            text += (
                raised.format(cell.marks) if cell.marks[:1].isalnum() else cell.marks
            )
            interval = format_cell_interval(cell, column, style)
            after = f" {shrink(interval)}" if interval else ""
            texts.append(f"{text}{after}".strip())
        yield texts


def _join_group(column: Column) -> str:
    return f"{column.group}: {column.title}" if column.group else column.title


def _shrink_latex(text: str) -> str:
    return rf"{{\small {escape_latex(text)}}}"
