"""JSON lines, written: one object a line and a segment; this format carries everything."""

import json
from collections.abc import Iterable, Iterator, Sequence

from metra.io.carried import Chunk, check_names
from metra.io.fields import Field, column_name


def pieces(fields: Sequence[Field], chunks: Iterable[Chunk]) -> Iterator[bytes]:
    """Give the file's bytes, a chunk at a time; what is missing is null."""
    check_names(fields, "jsonl")
    keys = [column_name(field) for field in fields]
    for chunk in chunks:
        rows = zip(*(chunk.rows[field] for field in fields), strict=True)
        objects = (dict(zip(keys, row, strict=True)) for row in rows)
        yield "".join(
            json.dumps(entry, ensure_ascii=False) + "\n" for entry in objects
        ).encode()
