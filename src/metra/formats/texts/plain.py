"""Plain text, written: a folder with a file for each text, one segment a line.

Plain text: a line is a segment, and nothing else is.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from metra.errors import FormatError
from metra.formats.texts.columns import SEGMENT_IDS, Field
from metra.formats.texts.parts import describe_field
from metra.formats.texts.rows import RowChunk, check_names, check_values, refuse_value

_SEGMENT_ID = Field("label", SEGMENT_IDS[0])


def write_plain_files(
    folder: Path, fields: Sequence[Field], chunks: Iterable[RowChunk]
) -> None:
    """Write source.txt, docs.txt, reference.NAME.txt, outputs/NAME.txt, label.NAME.txt.

    The ids of segments stand behind those of documents, after a tab.
    """
    check_names(fields, "plain")
    with_documents = any(field.role == "document" for field in fields)
    own = [field for field in fields if not (with_documents and field == _SEGMENT_ID)]
    with ExitStack() as stack:
        files = {}
        for field in own:
            path = folder / _name_file(field)
            path.parent.mkdir(exist_ok=True)
            files[field] = stack.enter_context(open(path, "wb"))
        for chunk in chunks:
            for field, file in files.items():
                lines = _format_lines(chunk, field)
                if field.role == "document" and _SEGMENT_ID in fields:
                    ids = _format_lines(chunk, _SEGMENT_ID)
                    lines = map("\t".join, zip(lines, ids, strict=True))
                file.write("".join(line + "\n" for line in lines).encode())


def _format_lines(chunk: RowChunk, field: Field) -> Iterator[str]:
    if field.role == "label":
        rows = {field: [text or "" for text in chunk.rows[field]]}
        chunk = chunk._replace(rows={**chunk.rows, **rows})
    for at, line in enumerate(check_values(chunk, field, "plain", _find_problem)):
        if "\t" in line and (field.role == "document" or field == _SEGMENT_ID):
            refuse_value(chunk, at, field, "holds a tab", "plain")
        if chunk.first + at == 0 and line.startswith("\ufeff"):
            refuse_value(chunk, at, field, "begins with a byte order mark", "plain")
        yield line


def _find_problem(text: str) -> str | None:
    if "\n" in text:
        return "holds a line break"
    # A carriage return before the end of a line is taken for a part of it.
    return "ends in a carriage return" if text.endswith("\r") else None


def _name_file(field: Field) -> str:
    if field.role == "source":
        return "source.txt"
    if field.role == "document":
        return "docs.txt"
    name = f"{field.name}.txt"
    if "/" in name or len(name.encode()) > 200:
        msg = (
            f"The name {field.name!r} of {describe_field(field)} cannot be a file's "
            "name; give a short name without a slash, for an output as NAME=FILE."
        )
        raise FormatError(msg)
    return f"outputs/{name}" if field.role == "output" else f"{field.role}.{name}"
