"""Units of a translation tool's file as columns: texts, documents, ids and states.

As an output or a reference such a file gives its translations, and its originals beside an
output; as the source, its originals. A unit without translation is a missing text.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import NamedTuple

from metra.errors import FormatError, format_count
from metra.formats.stream import cache_by_file, format_path
from metra.formats.texts.columns import (
    DOCUMENT,
    SEGMENT_ID,
    Field,
    Reader,
    ReadingOptions,
    open_columns,
)
from metra.formats.texts.documents import join_lines
from metra.formats.texts.sources import Source
from metra.limits import check_limit

#: States of a translation that is not done.
_OPEN = frozenset(
    ["new", "needs-translation", "initial", "fuzzy", "unfinished", "draft"]
)
#: Formats by the modules that read them, and those with texts in one language.
_MODULES = {
    **dict.fromkeys(["xliff", "tmx", "ttx", "txml", "qt", "resx", "android"], "markup"),
    **dict.fromkeys(["po", "properties", "strings", "arb"], "catalogues"),
    "subtitles": "subtitles",
}
_MONOLINGUAL = ["resx", "android", "properties", "strings", "arb", "subtitles"]


class Unit(NamedTuple):
    """One segment; a file in one language has no sources."""

    id: str
    source: str | None
    target: str | None
    document: str = ""
    state: str = ""


@dataclass(slots=True)
class UnitFile:
    """The units of a file that count, and numbers of those that do not, by reason."""

    path: str
    has_sources: bool
    units: list[Unit] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    _ids: Counter[str] = field(default_factory=Counter)

    def add(self, unit: Unit) -> None:
        """Add a unit; one without any words is nothing to translate."""
        key = join_lines(unit.id)
        source, target = (text and join_lines(text) for text in unit[1:3])
        if self.has_sources:
            source = source if source and source.strip() else None
            target = target if target and target.strip() else None
            if source is target is None:
                return
        place = format_path(self.path)
        check_limit("rows", len(self.units), place)
        check_limit("cell", max(len(source or ""), len(target or "")), place)
        self._ids[key] += 1
        if key and self._ids[key] > 1:
            key = f"{key}#{self._ids[key]}"
        self.units.append(unit._replace(id=key, source=source, target=target))

    def describe(self, field: Field, codes: str) -> str:
        """Count units left out, missing or not final, for a note."""
        notes = [
            f"{number} {reason} left out" for reason, number in self.left_out.items()
        ]
        if field.role != "source":
            states = Counter(
                unit.state for unit in self.units if unit.state.lower() in _OPEN
            )
            notes += [f"{number} in state {state}" for state, number in states.items()]
            if missing := len(self.list_missing()):
                notes.append(f"{missing} without translation")
        if codes != "drop":
            notes.append({"keep": "codes kept"}.get(codes, f"codes as {codes}"))
        return ", ".join(notes)

    def list_missing(self) -> list[str]:
        """List the ids of the units without translation, numbers where there are none."""
        numbered = enumerate(self.units, 1)
        return [
            unit.id or str(number) for number, unit in numbered if unit.target is None
        ]


@cache_by_file(4)
def read_units(path: str, form: str, codes: str, encoding: str) -> UnitFile:
    """Read the units of a file in a format, with their inline codes as said."""
    module = import_module(f"{__package__}.{_MODULES[form]}")
    file = UnitFile(path, form not in _MONOLINGUAL)
    for entry in module.list_units(path, form, codes, encoding):
        if isinstance(entry, Unit):
            file.add(entry)
        else:
            file.left_out[entry] += 1
    if not file.units:
        reasons = [f"; {number} {reason}" for reason, number in file.left_out.items()]
        problem = f"{format_path(path)} contains no units with texts{''.join(reasons)}"
        msg = f"{problem}; expected {form} with at least one."
        raise FormatError(msg)
    return file


def open_reader(source: Source, _: Sequence[Field] | None = None) -> Reader:
    """Open a file from its start: its texts, documents, ids and states."""
    reading = source.reading or ReadingOptions()
    file = read_units(source.path, source.format.name, reading.codes, reading.encoding)
    units, field = file.units, source.field
    columns: dict[Field, list[str | None]] = {}
    if file.has_sources:
        own = field if field.role == "source" else Field("source", "source")
        columns[own] = [unit.source for unit in units]
    if field.role != "source" or not file.has_sources:
        columns[field] = [unit.target for unit in units]
        is_converted = source.use == "any" and reading.untranslated == "refuse"
        if field.role == "output" and not is_converted:
            columns[field] = _fill_targets(file, reading.untranslated)
    if len({unit.document for unit in units}) > 1:
        columns[DOCUMENT] = [unit.document for unit in units]
    if all(unit.id for unit in units):
        columns[SEGMENT_ID] = [unit.id for unit in units]
    if any(unit.state for unit in units):
        columns[Field("label", f"state {field.name}")] = [unit.state for unit in units]
    return open_columns(columns, lambda: file.describe(field, reading.codes))


def _fill_targets(file: UnitFile, untranslated: str) -> list[str | None]:
    """Return the outputs; missing ones are refused, or empty."""
    missing = file.list_missing()
    if missing and untranslated != "empty":
        ids = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
        number = f"{len(missing)} of {format_count(len(file.units), 'unit')}"
        problem = f"{format_path(file.path)} has no translation for {number}: {ids}"
        msg = f"{problem}; translate them, or give `untranslated` for empty outputs."
        raise FormatError(msg)
    return [unit.target or "" for unit in file.units]
