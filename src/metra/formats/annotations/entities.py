"""Names in a text: a table that lists them, or the text itself with the names marked."""

import re
from typing import NamedTuple

from metra.errors import FormatError
from metra.formats.annotations.table import (
    AnnotationRow,
    PlacedAnnotations,
    place_annotations,
    read_annotation_table,
)
from metra.formats.lines import read_lines
from metra.formats.stream import split_file_name

MARKED = re.compile(r"\[\[(.*?)\|([^\[\]|]*)\]\]")

KNOWN = {"segment", "document", "type", "text", "variants"}
EXPECTED = "expected [[the name|TYPE]]"


class Entity(NamedTuple):
    """A name as it is written, and its type, such as PERSON."""

    type: str
    text: str
    #: Other forms that will do.
    variants: tuple[str, ...] = ()


def read_entities(path: str) -> PlacedAnnotations[Entity]:
    """Read names: a table (.tsv), or a text with a line a segment and marked names.

    The table has the columns `type` and `text` and one or both of `segment`, counted
    from 1, and `document`; `variants` may list other forms, `|` between them.
    """
    is_table = split_file_name(path)[1].lower() == ".tsv"
    return (_read_entity_table if is_table else _read_marked_text)(path)


def _read_entity_table(path: str) -> PlacedAnnotations[Entity]:
    table = read_annotation_table(path, ["type", "text"], KNOWN)
    if not {"segment", "document"} & set(table.columns):
        problem = f"{path} does not give the place of its names"
        msg = f"{problem}; expected a column segment or document beside type and text."
        raise FormatError(msg)

    def parse(row: AnnotationRow) -> Entity:
        for name in ("type", "text"):
            if not row.cells[name]:
                raise table.error(row, f"the {name} is empty", "every name needs both")
        variants = row.list_values("variants")
        return Entity(row.cells["type"], row.cells["text"], variants)

    return place_annotations(table, parse, somewhere=True)


def _read_marked_text(path: str) -> PlacedAnnotations[Entity]:
    segments: dict[int, list[Entity]] = {}
    for segment, line in enumerate(read_lines(path)):
        place = f"{path}, line {segment + 1}"
        left = MARKED.sub("", line)
        if "[[" in left or "]]" in left:
            msg = f"{place}: [[ or ]] occurs outside a mark; {EXPECTED}."
            raise FormatError(msg)
        for mark in MARKED.finditer(line):
            entity = Entity(mark[2].strip(), mark[1].strip())
            if not entity.type or not entity.text:
                msg = f"{place}: {mark[0]!r} is incomplete; {EXPECTED}."
                raise FormatError(msg)
            segments.setdefault(segment, []).append(entity)
    if not segments:
        msg = f"{path} has no marked names; {EXPECTED}, or a table whose name ends in .tsv."
        raise FormatError(msg)
    return PlacedAnnotations(path, segments, {})
