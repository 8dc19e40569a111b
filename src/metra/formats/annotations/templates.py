"""Templates filled from documents: who did what to whom, as slots and their values.

A table with tabs between the columns `document`, `slot` and `value`, under a header. A slot
may have several values: a line for each.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from metra.formats.annotations.table import read_annotation_table
from metra.formats.stream import cache_by_file
from metra.text.normalisation import fold_text

COLUMNS = ("document", "slot", "value")

#: By document, how often each pair of slot and value was filled in.
Templates = Mapping[str, Counter[tuple[str, str]]]


@cache_by_file
def read_templates(path: str) -> Templates:
    """Read the templates of every document; they are cached until the file changes."""
    templates: dict[str, Counter[tuple[str, str]]] = {}
    for document, slot, value in read_filled_slots(path):
        filled = templates.setdefault(document, Counter())
        filled.update(count_slots([(slot, value)]))
    return templates


def count_slots(pairs: Iterable[Sequence[str]]) -> Counter[tuple[str, str]]:
    """Count pairs of slot and value; values are equal whatever their case and blanks.

    >>> count_slots([("who", "Ann  Lee"), ("who", "ann lee")])
    Counter({('who', 'ann lee'): 2})
    """
    return Counter((slot, fold_text(value)) for slot, value in pairs)


def read_filled_slots(path: str) -> Iterator[tuple[str, str, str]]:
    """Read document, slot and value of each line, as they are written."""
    table = read_annotation_table(path, COLUMNS, COLUMNS)
    for row in table.rows:
        document, slot, value = (row.cells[name] for name in COLUMNS)
        if not document or not slot or not value:
            raise table.error(row, "an empty cell", "expected document, slot and value")
        yield document, slot, value
