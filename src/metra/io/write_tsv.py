"""Tab-separated tables, written: a header line, then one segment a line."""

from collections.abc import Iterable, Iterator, Sequence

from metra.io.carried import Chunk, check_names, present, refuse
from metra.io.fields import Field, column_name


def pieces(fields: Sequence[Field], chunks: Iterable[Chunk]) -> Iterator[bytes]:
    """Give the file's bytes, a chunk at a time."""
    check_names(fields, "tsv")
    yield ("\t".join(map(column_name, fields)) + "\n").encode()
    for chunk in chunks:
        columns = [list(_cells(chunk, field)) for field in fields]
        rows = zip(*columns, strict=True)
        yield "".join("\t".join(row) + "\n" for row in rows).encode()


def _cells(chunk: Chunk, field: Field) -> Iterator[str]:
    if field.role not in ("reference", "label"):
        yield from present(chunk, field, "tsv", _problem)
        return
    for at, text in enumerate(chunk.rows[field]):
        # An empty cell stands for a missing reference.
        if text == "" and field.role == "reference":
            refuse(chunk, at, field, "is empty but not missing", "tsv")
        found = _problem(text or "")
        if found:
            refuse(chunk, at, field, found, "tsv")
        yield text or ""


def _problem(text: str) -> str | None:
    if "\t" in text:
        return "holds a tab"
    if "\n" in text:
        return "holds a line break"
    # A carriage return before the end of a line is taken for a part of it.
    return "ends in a carriage return" if text.endswith("\r") else None
