"""Terms that a translation is to use: a table with a line for each."""

from typing import NamedTuple

from metra.formats.annotations.table import (
    AnnotationRow,
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

    def parse(row: AnnotationRow) -> Term:
        term = row.cells["term"]
        if not term:
            raise table.error(row, "the term is empty", "every line needs one")
        return Term(term, row.list_values("variants"), row.cells.get("source", ""))

    return place_annotations(table, parse)
