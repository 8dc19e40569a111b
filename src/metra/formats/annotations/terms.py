"""Terms that a translation is to use: a table with a line for each."""

from collections.abc import Iterator
from typing import NamedTuple

from metra.formats.annotations.table import (
    AnnotationRow,
    AnnotationTable,
    PlacedAnnotations,
    place_annotations,
    read_annotation_table,
)

KNOWN = {"term", "variants", "source", "document", "segment"}


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
    table = read_annotation_table(path, ["term"], KNOWN)
    return place_annotations(table, _parse_terms(table))


def _parse_terms(table: AnnotationTable) -> Iterator[tuple[AnnotationRow, Term]]:
    for row in table.rows:
        term = row.cells["term"]
        if not term:
            raise table.error(row, "the term is empty", "every line needs one")
        variants = row.list_values("variants")
        yield row, Term(term, variants, row.cells.get("source", ""))
