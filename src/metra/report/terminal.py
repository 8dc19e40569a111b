"""Tables, words and running text for a terminal: widths, colours and line breaks."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple
from unicodedata import bidirectional, category, east_asian_width

from metra.report.table import Style, format_cell, format_cell_interval
from metra.scoring.table import Cell, Column, Table

BOLD = "\x1b[1m"
DIM = "\x1b[2m"
PLAIN = "\x1b[0m"
TONES = {"good": "\x1b[32m", "bad": "\x1b[31m"}
YELLOW = "\x1b[33m"

# They shape letters or order them, and have no width of their own.
_JOINERS = frozenset("\u200c\u200d\u200e\u200f\u061c")
_DOTTED_CIRCLE = "\u25cc"
_REPLACED = "\ufffd"
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"


def render_table(table: Table, style: Style) -> str:
    """Lay out a table, in parts one below the other where it is too wide."""
    marked = any(cell.best for row in table.rows for cell in row)
    names, *layouts = (
        _lay_out_column(
            column, [row[at] for row in table.rows], at > 0 and marked, style
        )
        for at, column in enumerate(table.columns)
    )
    parts = []
    for run in _split_columns(layouts, names.width, style.width):
        columns = [names, *run]
        heading = "  ".join(column.heading for column in columns).rstrip()
        groups = _format_groups(columns)
        heading = f"{groups}\n{heading}" if groups else heading
        rule = "─" * (names.width + sum(2 + column.width for column in run))
        rows = zip(*(column.cells for column in columns), strict=True)
        lines = [style_text(heading, BOLD, style), style_text(rule, DIM, style)]
        parts.append("\n".join([*lines, *("  ".join(row).rstrip() for row in rows)]))
    if table.caption:
        caption = style_text(escape_controls(table.caption), BOLD, style)
        parts[0] = f"{caption}\n{parts[0]}"
    return "\n\n".join(parts)


def explain_best_marks(tables: Iterable[Table]) -> list[str]:
    """Return the legend of the mark behind best values; nothing if no table has one."""
    cells = (cell for table in tables for row in table.rows for cell in row)
    return ["* best of the compared values"] if any(cell.best for cell in cells) else []


class _ColumnLayout(NamedTuple):
    """A column's heading and cells, all as wide as the column."""

    heading: str
    cells: Sequence[str]
    width: int
    group: str = ""


def _lay_out_column(
    column: Column, cells: Sequence[Cell], marked: bool, style: Style
) -> _ColumnLayout:
    """Align texts, marks and intervals under the heading."""
    heading = escape_controls(column.title)
    texts = [
        escape_controls(f"{format_cell(cell, column, style)}{cell.marks}")
        for cell in cells
    ]
    marks = max((measure_width(cell.marks) for cell in cells), default=0)
    if marks and column.align == "right":
        # Ranks and other marks stand below each other, behind the numbers.
        texts = [
            f"{escape_controls(format_cell(c, column, style))} {pad_left(c.marks, marks)}"
            for c in cells
        ]
    intervals = [format_cell_interval(cell, column, style) for cell in cells]
    room = max(map(measure_width, texts), default=0)
    interval_room = max(map(len, intervals), default=0)
    gap = " " if room and interval_room else ""
    natural = room + marked + len(gap) + interval_room
    width = max(natural, measure_width(heading), column.width)
    if column.align == "left":
        padded = [pad_right(text, width) for text in texts]
        return _ColumnLayout(pad_right(heading, width), padded, width, column.group)
    blanks = " " * (width - natural)
    aligned = []
    for cell, text, interval in zip(cells, texts, intervals, strict=True):
        mark = ("*" if cell.best else " ") if marked else ""
        code = (BOLD if cell.best else "") + TONES.get(cell.tone, "")
        value = style_text(pad_left(text, room) + mark, code, style)
        after = gap + interval.rjust(interval_room) if interval_room else ""
        aligned.append(blanks + value + style_text(after, DIM, style))
    return _ColumnLayout(pad_left(heading, width), aligned, width, column.group)


def _format_groups(columns: Sequence[_ColumnLayout]) -> str:
    """Write the titles of groups over the middle of their columns; nothing without groups."""
    if not any(column.group for column in columns):
        return ""
    parts = []
    for title, members in groupby(columns, key=lambda column: column.group):
        widths = [column.width for column in members]
        width = sum(widths) + 2 * (len(widths) - 1)
        left = (width - measure_width(title)) // 2
        parts.append(pad_right(" " * max(left, 0) + title, width))
    return "  ".join(parts).rstrip()


def _split_columns(
    layouts: Sequence[_ColumnLayout], left: int, most: int | None
) -> Iterator[Sequence[_ColumnLayout]]:
    """Part the columns into runs that fit the screen, at least one column in each."""
    first = taken = 0
    for at, column in enumerate(layouts):
        taken += 2 + column.width
        if most is not None and at > first and left + taken > most:
            yield layouts[first:at]
            first, taken = at, 2 + column.width
    yield layouts[first:]


def escape_controls(text: str) -> str:
    """Keep control characters, which could rewrite the terminal, from reaching it."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _REPLACED for c in text)


def measure_width(text: str) -> int:
    """Count the columns that a text takes in a terminal."""
    return len(text) if text.isascii() else sum(map(_measure_letter, text))


def _measure_letter(c: str) -> int:
    # Marks on another character, signs for programs and parts of a Hangul take no room.
    if category(c) in ("Mn", "Me", "Cf") or "\u1160" <= c <= "\u11ff":
        return 0
    return 2 if east_asian_width(c) in "WF" else 1


def pad_right(text: str, size: int) -> str:
    """Fill a text with blanks on its right."""
    return text + " " * (size - measure_width(text))


def pad_left(text: str, size: int) -> str:
    """Fill a text with blanks on its left."""
    return " " * (size - measure_width(text)) + text


def style_text(text: str, code: str, style: Style) -> str:
    """Set a text in bold or in colour, where there are colours."""
    return f"{code}{text}{PLAIN}" if style.color and text and code else text


def make_visible(word: str) -> str:
    """Write a word so that `measure_width` tells how many columns it takes, at least one."""
    if word and word.isascii() and word.isprintable():
        return word
    text = "".join(c if c in _JOINERS else escape_controls(c) for c in word)
    # Some characters are drawn onto the one before.
    is_loose = not text or measure_width(text[0]) == 0 or category(text[0]) == "Mc"
    return _DOTTED_CIRCLE + text if is_loose else text


def split_text(text: str, columns: int) -> list[str]:
    """Cut what `make_visible` wrote into pieces that take no more than this many columns."""
    pieces = [""]
    used = 0
    for c in text:
        size = measure_width(c)
        if used + size > columns and pieces[-1]:
            pieces.append("")
            used = 0
        pieces[-1] += c
        used += size
    return pieces


def shorten_text(text: str, longest: int) -> str:
    """Cut a text that takes more columns than `longest`, and say so with dots."""
    if measure_width(text) <= longest:
        return text
    return f"{split_text(text, longest - 1)[0]}…"


def isolate_text(text: str) -> str:
    """Keep right-to-left text from changing places with what stands beside it."""
    if any(bidirectional(c) in _RIGHT_TO_LEFT for c in text):
        return f"{_ISOLATE}{text}{_END_OF_ISOLATE}"
    return text


class MarkedText(NamedTuple):
    """Words with the same mark: the signs before and after them, and their colour."""

    text: str
    #: Whether white space follows.
    space: bool
    opening: str = ""
    closing: str = ""
    color: str = ""


def wrap_marked_text(
    stretches: Sequence[MarkedText], label: str, room: int, most: int, style: Style
) -> list[str]:
    """Set a text beside its label, broken at blanks, cut after so many lines.

    Neighbours that have the same marks stand under one pair of them, each in its colour.
    """
    size = max(room - len(label), 20)
    lines: list[str] = []
    line, used = "", 0
    atoms = list(_split_atoms(stretches, size))
    for at, (text, color, glued) in enumerate(atoms):
        gap = 0 if glued or not used else 1
        if used and used + gap + measure_width(text) > size:
            lines.append(line)
            if len(lines) == most:
                lines[-1] += f" … {len(atoms) - at:,} more words"
                break
            line, used, gap = "", 0, 0
        line += " " * gap + style_text(text, color, style)
        used += gap + measure_width(text)
    else:
        lines.append(line)
    indent = " " * len(label)
    return [
        f"{indent if at else label}{isolate_text(line)}".rstrip()
        for at, line in enumerate(lines)
    ]


def _split_atoms(
    stretches: Sequence[MarkedText], size: int
) -> Iterator[tuple[str, str, bool]]:
    """Cut into what must stay on one line: text, colour, whether it follows without blank."""
    glued = True
    signs = ["", *(stretch.opening for stretch in stretches), ""]
    for before, stretch, after in zip(signs, stretches, signs[2:], strict=False):
        words = stretch.text.split()
        for at, word in enumerate(words):
            text = make_visible(word)
            if at == 0 and before != stretch.opening:
                text = stretch.opening + text
            if at == len(words) - 1 and after != stretch.opening:
                text += stretch.closing
            for part in split_text(text, size):
                yield part, stretch.color, glued
                glued = True
            glued = False
        glued = glued if not words else not stretch.space
