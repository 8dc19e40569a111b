"""Test sets that were found by their name, as columns beside the files of a call."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from metra.formats.recognise import TextFormat
from metra.formats.texts.columns import Columns, Field, Reader

if TYPE_CHECKING:
    from metra.formats.testsets.record import NamedSet
    from metra.formats.texts.sources import Source

#: Not among the formats of files: no file is in it.
NAMED_SET = TextFormat("test set", "named_set", is_written=False)


def build_source(texts: "NamedSet") -> "Source":
    """Return the texts as one of the files of a call."""
    from metra.formats.texts.sources import Source

    return Source(texts.title, "any", NAMED_SET, texts.title, texts=texts)


def open_reader(source: "Source", _: Sequence[Field] | None = None) -> Reader:
    """Read the texts, which are in memory, from their start."""
    texts = cast("NamedSet", source.texts)
    columns = texts.columns()
    start, count = 0, texts.segments

    def read(most: int) -> Columns:
        nonlocal start
        first, start = start, min(start + most, count)
        return {field: column[first:start] for field, column in columns.items()}

    def describe() -> str:
        references = [f"reference {name}" for name in texts.references]
        return ", ".join([texts.origin, *references, *texts.subset])

    share = (lambda: start / count) if count else (lambda: None)
    return Reader(list(columns), read, share, describe=describe)
