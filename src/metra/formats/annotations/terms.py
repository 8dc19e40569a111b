"""Terms that a translation is to use: a table with a line for each."""

from collections.abc import Iterator
from typing import NamedTuple

from metra.formats.annotations.places import PlacedAnnotations, place_annotations
from metra.formats.table import AnnotationTable, TableRow, read_table

KNOWN = {"term", "variants", "source", "document", "segment"}
BETWEEN = "|"


class Term(NamedTuple):
    """A term, what else may stand for it, and the source's term, empty if not given."""

    term: str
    variants: tuple[str, ...]
    source: str


def read_terms(path: str) -> PlacedAnnotations[Term]:
    """Read a table of terms.

    It has the column `term` and may have `variants` (`|` between them), `source` (the
    source's term), and `segment`, counted from 1, or `document`, where a term belongs to
    one of these only.
    """
    table = read_table(path, ["term"], KNOWN)
    return place_annotations(table, _parse_terms(table))


def _parse_terms(table: AnnotationTable) -> Iterator[tuple[TableRow, Term]]:
    for row in table.rows:
        cells = row.cells
        if not cells["term"]:
            raise table.refuse(row, "the term is empty", "every line needs one")
        variants = map(str.strip, cells.get("variants", "").split(BETWEEN))
        yield (
            row,
            Term(cells["term"], tuple(filter(None, variants)), cells.get("source", "")),
        )
