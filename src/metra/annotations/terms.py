"""Terms that a translation is to use: a table with a line for each."""

from typing import NamedTuple

from metra.annotations.places import Placed, segment_of
from metra.annotations.table import read_table

KNOWN = {"term", "variants", "source", "document", "segment"}
BETWEEN = "|"


class Term(NamedTuple):
    """A term, what else may stand for it, and the source's term, empty if not given."""

    term: str
    variants: tuple[str, ...]
    source: str


def read_terms(path: str) -> Placed[Term]:
    """Read a table of terms.

    It has the column `term` and may have `variants` (`|` between them), `source` (the
    source's term), and `segment`, counted from 1, or `document`, where a term belongs to
    one of these only.
    """
    table = read_table(path, ["term"], KNOWN)
    segments: dict[int, list[Term]] = {}
    documents: dict[str, list[Term]] = {}
    everywhere: list[Term] = []
    for row in table.rows:
        if not row.cells["term"]:
            raise table.refuse(row, "the term is empty", "every line needs one")
        listed = [cell.strip() for cell in row.cells.get("variants", "").split(BETWEEN)]
        found = Term(
            row.cells["term"], tuple(filter(None, listed)), row.cells.get("source", "")
        )
        segment = segment_of(table, row)
        document = row.cells.get("document", "")
        if segment is not None:
            segments.setdefault(segment, []).append(found)
        elif document:
            documents.setdefault(document, []).append(found)
        else:
            everywhere.append(found)
    return Placed(path, segments, documents, everywhere)
