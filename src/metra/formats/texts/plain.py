"""Plain text: one segment a line; it is written as a folder with a file for each text."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from metra.errors import FormatError, OptionError, format_count
from metra.formats.lines import LineReader, has_other_ends, list_strings, read_lines
from metra.formats.stream import format_path
from metra.formats.texts import columns
from metra.formats.texts.columns import Columns, Field, Reader
from metra.formats.texts.sources import Source

if TYPE_CHECKING:
    from pathlib import Path

    from metra.formats.texts.rows import Chunks, Fields, RowChunk


def open_reader(source: Source, _: Sequence[Field] | None = None) -> Reader:
    """Open a file from its start: a text, or a list of documents."""
    lines = LineReader(source.path, source.encoding)
    if source.use == "document":
        return _open_document_list(lines)
    field = source.field
    return Reader(
        [field], lambda most: {field: lines.read(most)}, lines.share, lines.close
    )


def _open_document_list(lines: LineReader) -> Reader:
    """Open a list with a document id a line; behind a tab there may be the segment's id."""
    from metra.formats.table import split_rows

    with closing(LineReader(lines.path, lines.encoding)) as head:
        first = list_strings(head.read(1))
    has_segment_ids = any(len(row.cells) > 1 for row in split_rows(first))
    fields = [columns.DOCUMENT, columns.SEGMENT_ID][: 1 + has_segment_ids]

    def read_columns(most: int) -> Columns:
        rows = split_rows(list_strings(lines.read(most)))
        cells = [[*row.cells, None] for row in rows]
        return {f: [row[index] for row in cells] for index, f in enumerate(fields)}

    return Reader(fields, read_columns, lines.share, lines.close)


def read_domains(path: str) -> list[list[str]]:
    """Read the domain and the document of each segment, as mt-metrics-eval lists them."""
    from metra.formats.table import BLANKS, TABS, split_rows

    lines = read_lines(path)
    # With tabs a document may be empty.
    dialect = TABS if all("\t" in line for line in lines) else BLANKS
    rows = [row.cells for row in split_rows(lines, dialect)]
    for number, row in enumerate(rows, 1):
        if len(row) != 2:
            place = f"{format_path(path)}, line {number}"
            msg = (
                f"{place} has {format_count(len(row), 'column')}; expected the domain and "
                "the document of a segment."
            )
            raise FormatError(msg)
    return rows


def write(out: str, fields: "Fields", chunks: "Chunks") -> None:
    """Write source.txt, docs.txt, reference.NAME.txt, outputs/NAME.txt, label.NAME.txt.

    The ids of segments stand behind those of documents, after a tab.
    """
    from metra.formats.atomic import is_folder_name, write_folder

    if not is_folder_name(out):
        msg = (
            f"Plain text needs a folder, with one file per text, but {out} is the "
            "name of a file; give `out` FOLDER."
        )
        raise OptionError(msg)
    with_documents = any(field.role == "document" for field in fields)
    behind = columns.SEGMENT_ID if with_documents else None
    own = [field for field in fields if field != behind]
    with write_folder(out) as folder, ExitStack() as stack:
        files = {}
        for field in own:
            path = folder / _name_file(field)
            path.parent.mkdir(exist_ok=True)
            files[field] = stack.enter_context(open(path, "wb"))
        for chunk in chunks:
            for field, file in files.items():
                lines = _format_lines(chunk, field)
                if field.role == "document" and columns.SEGMENT_ID in fields:
                    ids = _format_lines(chunk, columns.SEGMENT_ID)
                    lines = map("\t".join, zip(lines, ids, strict=True))
                file.write("".join(line + "\n" for line in lines).encode())


def _format_lines(chunk: "RowChunk", field: Field) -> Iterator[str]:
    from metra.formats.texts.rows import check_values, find_line_problem, refuse_value

    if field.role == "label":
        chunk = chunk.fill_missing(field)
    lines = check_values(chunk, field, "plain", find_line_problem)
    for index, line in enumerate(lines):
        if "\t" in line and (field.role == "document" or field == columns.SEGMENT_ID):
            refuse_value(chunk, index, field, "holds a tab", "plain")
        if chunk.first + index == 0 and line.startswith("\ufeff"):
            refuse_value(chunk, index, field, "starts with a byte order mark", "plain")
        if chunk.first == 0 and len(chunk.rows[field]) == 1 and has_other_ends(line):
            refuse_value(chunk, 0, field, "is one line with carriage returns", "plain")
        yield line


def _name_file(field: Field) -> "Path":
    from pathlib import Path  # not for reading

    if field.role in ("source", "document"):
        return Path("source.txt" if field.role == "source" else "docs.txt")
    name = f"{field.name}.txt"
    if "/" in name or len(name.encode()) > 200:
        msg = (
            f"The name {field.name!r} of {columns.describe_field(field)} cannot be a "
            "file name; give a short name without a slash, for an output as "
            "NAME=FILE."
        )
        raise FormatError(msg)
    is_output = field.role == "output"
    return Path("outputs", name) if is_output else Path(f"{field.role}.{name}")
