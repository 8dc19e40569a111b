"""Templates filled from documents: who belongs to what, and who did what to whom.

A table with tabs between its columns has a line for each filler. Records have the columns
`document`, `template`, `instance`, `slot` and `value`: an instance, such as one person, is
of a template and has fillers in slots, as many as needed. Without the column `instance`,
each template has one instance in a document. A flat table has only `document`, `slot` and
`value`: all fillers of a document are one instance.

In a table with instances, a value such as `@p1` is a relation: it stands for the first
filler of the instance `p1` of the same document. `@@` begins a text with an @.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from metra.errors import FormatError
from metra.formats.annotations.table import (
    BETWEEN,
    AnnotationRow,
    AnnotationTable,
    read_annotation_table,
)
from metra.formats.stream import cache_by_file

FLAT_COLUMNS = ("document", "slot", "value")
COLUMNS = ("document", "template", "instance", "slot", "value")
#: What a value begins with that stands for another instance.
_POINTER = "@"


class Instance(NamedTuple):
    """One person, event or relation, whatever its template is for: fillers in slots."""

    #: The name of the template; "" in a flat table.
    template: str
    #: Slots and fillers in their order. A slot may occur several times.
    slots: tuple[tuple[str, str], ...]
    #: The slots in which values stand for other instances.
    relations: tuple[str, ...] = ()


class Templates(NamedTuple):
    """A file with the instances of each document."""

    path: str
    #: Whether the table names no templates: each document is one instance.
    is_flat: bool
    documents: Mapping[str, Sequence[Instance]]


@cache_by_file(64)
def read_templates(path: str) -> Templates:
    """Read the instances of every document; they are cached until the file changes."""
    table = read_annotation_table(path, FLAT_COLUMNS, COLUMNS)
    columns = [name for name in COLUMNS if name in table.columns]
    if "instance" in columns and "template" not in columns:
        msg = (
            f"{table.path} has a column 'instance' but no column 'template'; expected "
            f"{', '.join(COLUMNS)}, or a flat table of {', '.join(FLAT_COLUMNS)}."
        )
        raise FormatError(msg)
    by_document: dict[str, list[AnnotationRow]] = {}
    for row in table.rows:
        if not all(row.cells.values()):
            raise table.error(row, "an empty cell", f"expected {', '.join(columns)}")
        by_document.setdefault(row.cells["document"], []).append(row)
    documents = {
        document: _build_instances(table, rows, "instance" in columns)
        for document, rows in by_document.items()
    }
    return Templates(table.path, "template" not in columns, documents)


def split_alternatives(filler: str) -> tuple[str, ...]:
    """Return the accepted texts of a filler of the reference, `|` between them.

    >>> split_alternatives("Bob Stone | Robert Stone")
    ('Bob Stone', 'Robert Stone')
    """
    texts = tuple(filter(None, map(str.strip, filler.split(BETWEEN))))
    return texts or (filler,)


def build_entries(instances: Iterable[Instance]) -> list[Any]:
    """Return instances as plain JSON: pairs of slot and filler where they are flat."""
    entries: list[Any] = []
    for instance in instances:
        pairs = [list(pair) for pair in instance.slots]
        if instance.template:
            entries.append({"template": instance.template, "slots": pairs})
        else:
            entries += pairs
    return entries


def parse_entries(entries: Iterable[Any]) -> tuple[Instance, ...]:
    """Return the instances of `build_entries`; pairs together are one instance.

    >>> [one.template for one in parse_entries([["who", "Ann"], ["where", "Rome"]])]
    ['']
    """
    pairs: list[tuple[str, str]] = []
    instances = []
    for entry in entries:
        if isinstance(entry, Mapping):
            slots = tuple((slot, filler) for slot, filler in entry["slots"])
            instances.append(Instance(entry["template"], slots))
        else:
            slot, filler = entry
            pairs.append((slot, filler))
    return (*instances, Instance("", tuple(pairs))) if pairs else tuple(instances)


def _build_instances(
    table: AnnotationTable, rows: Sequence[AnnotationRow], has_names: bool
) -> list[Instance]:
    """Return the instances of a document; `has_names` says whether they have identifiers."""
    column = "instance" if has_names else "template"
    groups: dict[str, list[AnnotationRow]] = {}
    for row in rows:
        groups.setdefault(row.cells.get(column, ""), []).append(row)
    named = groups if has_names else {}
    return [_build_instance(table, group, named) for group in groups.values()]


def _build_instance(
    table: AnnotationTable,
    rows: Sequence[AnnotationRow],
    named: Mapping[str, Sequence[AnnotationRow]],
) -> Instance:
    template = rows[0].cells.get("template", "")
    slots: list[tuple[str, str]] = []
    relations: dict[str, None] = {}
    for row in rows:
        slot, value = row.cells["slot"], row.cells["value"]
        if row.cells.get("template", "") != template:
            name, other = row.cells["instance"], row.cells["template"]
            problem = (
                f"instance {name!r} has the template {other!r} here and {template!r} "
                "above"
            )
            raise table.error(row, problem, "expected one template for an instance")
        if named and _is_pointer(value):
            relations[slot] = None
            value = _find_first_filler(table, row, named)
        slots.append((slot, _unescape_text(value) if named else value))
    return Instance(template, tuple(slots), tuple(relations))


def _find_first_filler(
    table: AnnotationTable,
    row: AnnotationRow,
    named: Mapping[str, Sequence[AnnotationRow]],
) -> str:
    """Return the filler by which the instance that a value stands for is known."""
    name = row.cells["value"].removeprefix(_POINTER)
    if name not in named:
        problem = f"the value {row.cells['value']!r} refers to an unknown instance"
        names = ", ".join(named)
        expected = f"the document has {names}; a text with an @ begins with @@"
        raise table.error(row, problem, expected)
    filler = named[name][0].cells["value"]
    if _is_pointer(filler):
        problem = f"instance {name!r} has {filler!r} in its first line"
        raise table.error(row, problem, "expected a text there, such as a name")
    return filler


def _is_pointer(value: str) -> bool:
    return value.startswith(_POINTER) and not value.startswith(2 * _POINTER)


def _unescape_text(value: str) -> str:
    return value[1:] if value.startswith(2 * _POINTER) else value
