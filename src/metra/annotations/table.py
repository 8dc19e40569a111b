"""Tables of annotations: columns by name, tabs between them, no quoting, line numbers kept."""

from collections.abc import Collection, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from metra.errors import FormatError


class Row(NamedTuple):
    """A line of the table: its number, counted from 1, and its cells by column."""

    line: int
    cells: dict[str, str]


class Table(NamedTuple):
    """A file's columns and its rows."""

    path: str
    columns: Sequence[str]
    rows: Sequence[Row]

    def refuse(self, row: Row, found: str, expected: str) -> FormatError:
        """Word what is wrong with a row."""
        return FormatError(f"{self.path}, line {row.line}: {found}; {expected}.")


def read_table(path: str, needed: Sequence[str], known: Collection[str]) -> Table:
    """Read a table that has the needed columns and, of the others, only known ones.

    Empty lines are left out.
    """
    lines = read_lines(path)
    columns: list[str] = []
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        cells = line.split("\t")
        if not columns:
            columns = _header(path, number, cells, needed, known)
            continue
        if len(cells) != len(columns):
            msg = (
                f"{path}, line {number} has {len(cells)} columns, but the header has "
                f"{len(columns)}; each line needs as many tabs as the header."
            )
            raise FormatError(msg)
        rows.append(Row(number, dict(zip(columns, map(str.strip, cells), strict=True))))
    if not columns:
        msg = (
            f"{path} is empty; expected a header with the columns {', '.join(needed)}."
        )
        raise FormatError(msg)
    return Table(path, columns, rows)


def file_version(path: str) -> str:
    """Name a file with a digest of what is in it, for signatures."""
    return f"{path}[sha256:{sha256(_content(path)).hexdigest()[:12]}]"


def read_lines(path: str) -> list[str]:
    """Read a small UTF-8 text whole; a line ends at a newline only."""
    lines = _content(path).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(line.removesuffix(b"\r").decode())
        except UnicodeDecodeError as error:
            msg = (
                f"{path}, line {number}: byte {error.start + 1} of the line is "
                f"0x{line[error.start]:02x}, which is not UTF-8; convert the file to UTF-8."
            )
            raise FormatError(msg) from None
    return found


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; check the name and its rights."
        raise FormatError(msg) from None


def _header(
    path: str,
    line: int,
    cells: list[str],
    needed: Sequence[str],
    known: Collection[str],
) -> list[str]:
    columns = [cell.strip().lower() for cell in cells]
    listed = f"the header is: {', '.join(columns)}"
    for name in needed:
        if name not in columns:
            msg = (
                f"{path}, line {line}: there is no column {name!r}; {listed}. Expected "
                f"{', '.join(needed)}, tabs between them."
            )
            raise FormatError(msg)
    for name in columns:
        if columns.count(name) > 1:
            msg = f"{path}, line {line}: two columns are called {name!r}; {listed}."
            raise FormatError(msg)
        if name not in known:
            msg = (
                f"{path}, line {line}: there is a column {name!r}, which means nothing "
                f"here; known columns are {', '.join(sorted(known))}."
            )
            raise FormatError(msg)
    return columns
