"""Names in a text: a table that lists them, or the text itself with the names marked."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from metra.errors import FormatError
from metra.formats.annotations.places import Placed, placed
from metra.formats.annotations.terms import BETWEEN
from metra.formats.table import Row, Table, read_lines, read_table

MARKED = re.compile(r"\[\[(.*?)\|([^\[\]|]*)\]\]")

KNOWN = {"segment", "document", "type", "text", "variants"}
EXPECTED = "expected [[the name|TYPE]]"


class Entity(NamedTuple):
    """A name as it is written, and its type, such as PERSON."""

    type: str
    text: str
    #: Other forms that will do.
    variants: tuple[str, ...] = ()


def read_entities(path: str) -> Placed[Entity]:
    """Read names: a table (.tsv), or a text with a line a segment and marked names.

    The table has the columns `type` and `text` and one or both of `segment`, counted
    from 1, and `document`; `variants` may list other forms, `|` between them.
    """
    return _table(path) if path.lower().endswith(".tsv") else _marked_text(path)


def _table(path: str) -> Placed[Entity]:
    table = read_table(path, ["type", "text"], KNOWN)
    if not {"segment", "document"} & set(table.columns):
        msg = (
            f"{path} does not say where its names belong; expected a column segment or "
            "document beside type and text."
        )
        raise FormatError(msg)
    return placed(table, _listed(table), somewhere=True)


def _listed(table: Table) -> Iterator[tuple[Row, Entity]]:
    for row in table.rows:
        variants = map(str.strip, row.cells.get("variants", "").split(BETWEEN))
        entity = Entity(
            row.cells["type"], row.cells["text"], tuple(filter(None, variants))
        )
        if not entity.type or not entity.text:
            empty = "text" if entity.type else "type"
            raise table.refuse(row, f"the {empty} is empty", "every name needs both")
        yield row, entity


def _marked_text(path: str) -> Placed[Entity]:
    segments: dict[int, list[Entity]] = {}
    for at, line in enumerate(read_lines(path)):
        left = MARKED.sub("", line)
        if "[[" in left or "]]" in left:
            msg = f"{path}, line {at + 1}: there is [[ or ]] outside of a mark; {EXPECTED}."
            raise FormatError(msg)
        for found in MARKED.finditer(line):
            entity = Entity(found[2].strip(), found[1].strip())
            if not entity.type or not entity.text:
                msg = f"{path}, line {at + 1}: {found[0]!r} is incomplete; {EXPECTED}."
                raise FormatError(msg)
            segments.setdefault(at, []).append(entity)
    if not segments:
        msg = f"{path} has no marked names; {EXPECTED}, or a table whose name ends in .tsv."
        raise FormatError(msg)
    return Placed(path, segments, {})
