"""Units of a translation tool's file as columns: texts, documents, ids and states.

As an output or a reference such a file gives its translations, and its originals beside an
output; as the source, its originals. A unit without translation is a missing text.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import NamedTuple, NoReturn

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
from metra.formats.texts.language_pairs import parse_pair
from metra.formats.texts.sources import Source
from metra.limits import check_limit

#: States of a translation that is not done.
_OPEN = frozenset(
    ["new", "needs-translation", "initial", "fuzzy", "unfinished", "draft"]
)
#: Modules that read formats other than XML, and formats with texts in many languages or in one.
_MODULES = {
    **dict.fromkeys(["po", "properties", "strings", "arb"], "catalogues"),
    "subtitles": "subtitles",
}
_MULTILINGUAL = ["tmx", "ttx"]
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
            source, target = (x if x and x.strip() else None for x in (source, target))
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
        notes = [f"{count} {why} left out" for why, count in self.left_out.items()]
        if field.role != "source":
            states = Counter(unit.state for unit in self.units)
            is_open = {state: state.lower() in _OPEN for state in states}
            notes += [f"{states[s]} in state {s}" for s in states if is_open[s]]
            if missing := len(self.list_missing()):
                notes.append(f"{missing} without translation")
        if codes != "drop":
            notes.append({"keep": "codes kept"}.get(codes, f"codes as {codes}"))
        return ", ".join(notes)

    def list_missing(self) -> list[str]:
        """List the ids of the units without translation, numbers where there are none."""
        units = enumerate(self.units, 1)
        return [unit.id or str(at) for at, unit in units if unit.target is None]


def refuse(path: str, problem: str, place: str = "") -> NoReturn:
    """Raise an error that names a file, and a place in it."""
    msg = f"{format_path(path)}{place and f', {place}'} {problem}"
    raise FormatError(msg) from None


@cache_by_file(4)
def read_units(
    path: str, form: str, codes: str, encoding: str, pair: str | None = None
) -> UnitFile:
    """Read the units of a file in a format, with their inline codes as said."""
    module = import_module(f"{__package__}.{_MODULES.get(form, 'markup')}")
    file = UnitFile(path, form not in _MONOLINGUAL)
    languages = parse_pair(pair).codes if pair and form in _MULTILINGUAL else ()
    for entry in module.list_units(path, form, codes, encoding, *languages):
        if isinstance(entry, Unit):
            file.add(entry)
        else:
            file.left_out[entry] += 1
    if not file.units:
        reasons = [f"; {number} {reason}" for reason, number in file.left_out.items()]
        problem = f"contains no units with texts{''.join(reasons)}"
        refuse(path, f"{problem}; expected {form} with at least one.")
    return file


def open_reader(source: Source, _: Sequence[Field] | None = None) -> Reader:
    """Open a file from its start: its texts, documents, ids and states."""
    reading = source.reading or ReadingOptions()
    choices = reading.codes, reading.encoding, source.pair
    file = read_units(source.path, source.format.name, *choices)
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
        remedy = "translate them, or give `untranslated` for empty outputs."
        refuse(file.path, f"has no translation for {number}: {ids}; {remedy}")
    return [unit.target or "" for unit in file.units]
