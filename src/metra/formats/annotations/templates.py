"""Templates filled from documents: who did what to whom, as slots and their values.

A table with tabs between the columns `document`, `slot` and `value`, under a header. A slot
may have several values: a line for each.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from metra.formats.annotations.table import read_annotation_table
from metra.formats.stream import get_file_state

COLUMNS = ("document", "slot", "value")

#: By document, how often each pair of slot and value was filled in.
Templates = Mapping[str, Counter[tuple[str, str]]]


def read_templates(path: str) -> Templates:
    """Read the templates of every document; a file is kept until it changes."""
    return _read_templates(path, get_file_state(path))


@lru_cache(maxsize=64)
def _read_templates(path: str, _: object) -> Templates:
    templates: dict[str, Counter[tuple[str, str]]] = {}
    for document, slot, value in read_filled_slots(path):
        filled = templates.setdefault(document, Counter())
        filled[slot, _normalise_value(value)] += 1
    return templates


def read_filled_slots(path: str) -> Iterator[tuple[str, str, str]]:
    """Read document, slot and value of each line, as they are written."""
    table = read_annotation_table(path, COLUMNS, COLUMNS)
    for row in table.rows:
        document, slot, value = (row.cells[name] for name in COLUMNS)
        if not document or not slot or not value:
            raise table.error(row, "an empty cell", "expected document, slot and value")
        yield document, slot, value


def _normalise_value(value: str) -> str:
    """Leave letter case and white space out of the comparison."""
    return " ".join(value.casefold().split())
