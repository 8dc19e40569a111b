"""Tables of scores: how they are read, the names of their columns, and their numbers."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from metra.errors import FormatError
from metra.formats.headed_table import (
    MISSING,
    WITH_COMMA,
    is_number,
    is_workbook_name,
    read_headed_table,
)
from metra.formats.lines import read_lines
from metra.formats.recognise import FileHead, read_head
from metra.formats.stream import STDIN, format_path, parse_json
from metra.formats.table import BLANKS, DELIMITERS, DelimitedTable, read_table
from metra.formats.texts.columns import ID_HEADINGS
from metra.scores.table import ITEM_KINDS, ScoredItem
from metra.stats.arrays import Array

#: Headings of ids and numbers, which count if several systems have the same.
SEGMENT_NUMBERS = tuple(name for name in ID_HEADINGS if not name.startswith("seg"))
#: No scale of scores goes beyond; squares of larger numbers could not be added up.
LARGEST = 1e100

#: The names that a column goes by in files that we know.
ALIASES = {
    "system": (
        *("system", "sys", "sys_id", "system_id", "systemid", "system_name"),
        *("mt_system", "engine", "model"),
    ),
    "segment": (
        *("segment", "seg", "seg_id", "segid", "globalsegid", "global_seg_id"),
        *("sid", "item", "segment_id", *SEGMENT_NUMBERS),
    ),
    "document": ("document", "doc", "docid", "doc_id", "documentid"),
    "scorer": ("scorer", "metric", "protocol"),
    "value": ("value", "score"),
    "judge": ("judge", "rater", "annotator", "worker", "workerid", "evaluator"),
    "kind": ("kind",),
    "domain": ("domain", "genre", "domain_name"),
    "lang": ("lang", "lp", "language_pair", "lp_ref"),
    "direction": ("higher_is_better", "direction"),
    "check": ("item_type", "itemtype", "type", "is_control", "is_check", "control"),
    "hundred": ("hundred",),
    "flags": ("flags",),
    "answer": ("answer",),
    #: Only where a format says so.
    "reason": (),
}
#: Kinds of items by the words of a column of the role `check`, beside their own names.
_ITEM_TYPES = {
    **{kind: kind for kind in ITEM_KINDS},
    **dict.fromkeys(("", "tgt", "system", "no", "false", "0"), "judged"),
    **dict.fromkeys(("yes", "true", "1", "ref", "reference", "control"), "check"),
    **{"bad": "degraded", "bad_ref": "degraded", "chk": "repeat"},
}
#: Kinds that count in our own exports, but are checks in files of other programs.
_OWN_TYPES = _ITEM_TYPES | {"reference": "reference", "control": "control"}


#: Roles of columns that make the same row twice improbable.
_JUDGED = {"segment", "judge"}
#: Headings of the two languages, where they have a column each.
_SIDES = (("source_lang", "target_lang"), ("input.src", "input.trg"))


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """A table of scores by its columns, and which of them plays which role."""

    path: str
    header: list[str]
    columns: list[tuple[str, ...]]
    #: Number of rows, which all columns have.
    rows: int
    roles: dict[str, int]
    #: Line of the first row.
    first: int = 2

    def get(self, role: str) -> Sequence[str]:
        """Return the cells of a role; empty ones if no column plays it."""
        index = self.roles.get(role)
        return [""] * self.rows if index is None else self.columns[index]

    @property
    def item_kinds(self) -> list[str] | None:
        """The kind of each row's item; None if no column states it."""
        if "check" not in self.roles:
            return None
        return parse_item_kinds(self.get("check"), own="hundred" in self.roles)

    @property
    def languages(self) -> Sequence[str]:
        """The language pairs, from one column or from one for each side."""
        sides = next((each for each in _SIDES if all(map(self.find, each))), None)
        if "lang" in self.roles or sides is None:
            return self.get("lang")
        return list(map("{}-{}".format, *map(self.find, sides)))

    def find(self, name: str) -> tuple[str, ...]:
        """Return the cells below a heading in small letters; none if it is not there."""
        headings = [heading.strip().lower() for heading in self.header]
        return self.columns[headings.index(name)] if name in headings else ()

    def parse(self, role: str) -> Array | None:
        """Parse the numbers of a role; None if no column has it."""
        if role not in self.roles:
            return None
        name = self.header[self.roles[role]].strip()
        return parse_numbers(self.get(role), self.path, f"the {name}", self.first)

    def name_items(self, units: Sequence[str] = ()) -> list[ScoredItem]:
        """Return the scored item of each row; `units` are columns that tell more apart.

        In the place of a name, `all` is the whole, as in the tables of WMT 2025.
        """
        names = [self._name_segments(units), *map(self.get, ("document", "domain"))]
        if any("all" in cells for cells in names):
            names = [["" if c == "all" else c for c in cells] for cells in names]
        return list(map(ScoredItem, *names, self.languages))

    def _name_segments(self, units: Sequence[str]) -> Sequence[str]:
        names = [name.strip() for name in self.header]
        segments = self.get("segment")
        for unit in units:
            if unit not in names:
                place, headings = format_path(self.path), ", ".join(names)
                msg = f"{place} has no column {unit}; found: {headings}."
                raise FormatError(msg)
            pairs = zip(segments, self.columns[names.index(unit)], strict=True)
            segments = [" ".join(filter(None, pair)) for pair in pairs]
        return segments


def read_columns(path: str, columns: Mapping[str, str] | None = None) -> ScoreColumns:
    """Read a table with a header, and find the roles of its columns.

    `columns` names the column of each role that its heading does not tell.
    """
    table = read_score_table(path)
    rows = [row.cells for row in table.rows]
    cells = list(zip(*rows, strict=True))
    check_headings(table.header, path, columns or {})
    if not rows:
        msg = f"{format_path(path)} has a header but no scores."
        raise FormatError(msg)
    roles = _drop_row_numbers(table.header, cells, find_columns(table.header, columns))
    if roles.keys() >= _JUDGED:
        refuse_repeats(rows, path)
    return ScoreColumns(path, table.header, cells, len(rows), roles)


def read_object_columns(
    path: str, columns: Mapping[str, str] | None = None
) -> ScoreColumns:
    """Read JSON lines as a table with a column a key; null is an empty cell."""
    placed = read_objects(path)
    entries = [entry for _, entry in placed]
    header = list(dict.fromkeys(key for entry in entries for key in entry))
    roles = find_columns(header, columns)
    for role in {"value", "hundred"} & roles.keys():
        for place, entry in placed:
            value = entry.get(header[roles[role]])
            if value is not None and type(value) not in (int, float):
                msg = f"{place}: the value is {value!r}; expected a number."
                raise FormatError(msg)
    values = [[entry.get(key) for entry in entries] for key in header]
    cells = [tuple("" if v is None else str(v) for v in column) for column in values]
    roles = _drop_row_numbers(header, cells, roles)
    if roles.keys() >= _JUDGED:
        refuse_repeats(zip(*cells, strict=True), path)
    return ScoreColumns(path, header, cells, len(entries), roles, first=1)


def _drop_row_numbers(
    header: Sequence[str], cells: Sequence[tuple[str, ...]], roles: dict[str, int]
) -> dict[str, int]:
    """Leave out numbers of rows, which no two systems share, as ids of segments."""
    if not {"system", "segment"} <= roles.keys():
        return roles
    systems, ids = (cells[roles[role]] for role in ("system", "segment"))
    is_number = _simplify(header[roles["segment"]]) in SEGMENT_NUMBERS
    if is_number and len({*systems}) > 1 and len({*ids}) == len(ids):
        return {role: at for role, at in roles.items() if role != "segment"}
    return roles


def _simplify(heading: str) -> str:
    return heading.strip().lower().rstrip(".")


def read_objects(path: str) -> list[tuple[str, dict[str, Any]]]:
    """Read JSON lines: the place of each for messages, and its object."""
    entries = []
    for number, line in enumerate(read_lines(path), 1):
        place = f"{format_path(path)}, line {number}"
        entry = parse_json(line, place)
        if not isinstance(entry, dict):
            msg = f"{place} is not a JSON object; expected {{…}}."
            raise FormatError(msg)
        entries.append((place, entry))
    if not entries:
        msg = f"{format_path(path)} is empty; expected one JSON object per line."
        raise FormatError(msg)
    return entries


def read_score_table(path: str) -> DelimitedTable:
    """Read a table of scores with a header: delimited as its content tells, or a sheet."""
    if not is_workbook_name(path) and _has_blanks_between(read_head(path)):
        return read_table(path, BLANKS)
    return read_headed_table(path, lambda header: len(find_columns(header)))


def read_score_head(path: str) -> FileHead:
    """Read the beginning of a file of scores, by which its format is recognised.

    Of a workbook, and of a table with blanks between its cells, the first lines as a table.
    """
    if path == STDIN or not is_workbook_name(path):
        head = read_head(path)
        if not _has_blanks_between(head):
            return head
        lines = [line.split() for line in head.text.split("\n")]
    else:
        table = read_score_table(path)
        lines = [table.header, *(row.cells for row in islice(table.rows, 1))]
    return FileHead(path, "\n".join(map("\t".join, lines)).encode())


def _has_blanks_between(head: FileHead) -> bool:
    """Return True if only blanks separate the cells of a table of scores."""
    lines = head.text.split("\n")[:20]
    whole = lines[:-1] if len(lines) > 1 else lines
    header = lines[0].split()
    if len(header) < 2 or any(mark in lines[0] for mark in DELIMITERS.values()):
        return False
    widths = {len(line.split()) for line in whole}
    return "system" in find_columns(header) and widths == {len(header)}


def check_headings(
    header: Sequence[str], path: str, columns: Mapping[str, str]
) -> None:
    """Refuse a missing column that was given for a role."""
    names = [name.strip().lower() for name in header]
    for role, heading in columns.items():
        if heading.strip().lower() not in names:
            headings = ", ".join(name.strip() for name in header)
            msg = (
                f"{format_path(path)} has no column {heading}, which was given for "
                f"the {role}; found: {headings}."
            )
            raise FormatError(msg)


def find_columns(
    header: Sequence[str], columns: Mapping[str, str] | None = None
) -> dict[str, int]:
    """Find the columns that we know, by any of their names, or by that in `columns`."""
    names = [*map(_simplify, header)]
    chosen = {role: _simplify(name) for role, name in (columns or {}).items()}
    roles = {role: names.index(name) for role, name in chosen.items() if name in names}
    for role, aliases in ALIASES.items():
        places = [names.index(alias) for alias in aliases if alias in names]
        free = [place for place in places if place not in roles.values()]
        if free and role not in chosen:
            roles[role] = free[0]
    return {role: roles[role] for role in ALIASES if role in roles}


def refuse_repeats(rows: Iterable[Sequence[str]], path: str) -> None:
    """Refuse a table that was appended to itself: most of its rows stand there twice.

    A judge may give the same answer twice, or mark the same error twice, but rarely does.
    """
    counts = Counter(map(tuple, rows))
    repeated = sum(count > 1 for count in counts.values())
    if repeated > 1 and 2 * repeated > len(counts):
        msg = (
            f"{format_path(path)} has {repeated:,} of its {len(counts):,} different rows "
            "more than once, so judgements would count twice; give each row once."
        )
        raise FormatError(msg)


def require_columns(
    columns: dict[str, int], roles: Sequence[str], path: str, what: str
) -> None:
    """Refuse a table that lacks a column."""
    for role in roles:
        if role not in columns:
            names = " or ".join(ALIASES[role][:3])
            msg = f"{format_path(path)} has no column {names}, which {what} needs."
            raise FormatError(msg)


def parse_item_kinds(cells: Sequence[str], *, own: bool = False) -> list[str] | None:
    """Parse kinds of items, in the words of our `own` exports; None if a cell is unknown."""
    types = _OWN_TYPES if own else _ITEM_TYPES
    words = [cell.strip().lower() for cell in cells]
    return [types[word] for word in words] if {*words} <= types.keys() else None


def parse_numbers(cells: Sequence[str], path: str, name: str, first: int = 2) -> Array:
    """Parse a column of numbers; a missing one is NaN, one beyond all scales an error."""
    try:
        numbers = np.array([math.nan if c in MISSING else float(c) for c in cells])
        is_wrong = np.abs(numbers) > LARGEST
    except ValueError:
        is_wrong = np.array([c not in MISSING and not is_number(c) for c in cells])
    if is_wrong.any():
        wrong = int(is_wrong.argmax())
        has_comma = WITH_COMMA.fullmatch(cells[wrong])
        point = " with a decimal point (a comma only between semicolons)"
        more = point if has_comma else ""
        msg = (
            f"{format_path(path)}, line {first + wrong}: {name} is {cells[wrong]!r}; "
            f"expected a number{more}, or an empty cell if the value is missing."
        )
        raise FormatError(msg)
    return numbers


_OVERLAPS = ("bleu", "sacrebleu", "spbleu", "f200spbleu", "chrf", "meteor", "nist")
#: Only as whole words: terminology is no TER.
_RATES = ("ter", "wer", "cer", "per", "cder")
_COSTS = ("hter", "metricx", "perplexity", "penalty", "errors", "errorcount")
#: Well-known metrics, by the beginning of their names in small letters and without marks:
#: whether higher is better, and whether they have no negative values by definition.
_KNOWN: Mapping[str, tuple[bool, bool]] = {
    **dict.fromkeys(("comet", "bleurt", "bertscore", "yisi", "prism"), (True, False)),
    **dict.fromkeys(("wmt20comet", "wmt21comet", "wmt22comet"), (True, False)),
    **dict.fromkeys(("wmt23comet", "gemba"), (True, False)),
    **dict.fromkeys(("xcomet", *_OVERLAPS), (True, True)),
    **dict.fromkeys((*_COSTS, "numerrors", "edits", "editdistance"), (False, True)),
    **dict.fromkeys(_RATES, (False, True)),
}
_STRING_METRICS = (*_OVERLAPS, *_RATES, "rouge", "tokengramf")


def guess_direction(name: str, values: Array) -> bool | None:
    """Return True if higher values of a known metric are better, None if it is unknown.

    Mostly negative values of a metric without negative values have the opposite sign, as
    WMT publishes MetricX; then the other direction is the better one.
    """
    key = _find_known(name)
    if key not in _KNOWN:
        return None
    higher, is_positive = _KNOWN[key]
    values = values[np.isfinite(values)]
    # Predictions of models may lie a little outside the range.
    is_turned = is_positive and len(values) > 0 and np.median(values) < 0
    return higher != bool(is_turned)


def is_string_metric(name: str) -> bool:
    """Return True for the name of a well-known metric that compares strings."""
    return _find_known(name) in _STRING_METRICS


def are_different(name: str, other: str) -> bool:
    """Return True if two names belong to well-known metrics of different families.

    >>> are_different("ter", "COMET"), are_different("xcomet", "COMET")
    (True, False)
    """
    one, two = _find_known(name), _find_known(other)
    return not (one.endswith(two) or two.endswith(one))


def _find_known(name: str) -> str:
    """Return the longest known beginning of a name, or nothing: BLEURT is not BLEU."""
    words = re.findall(r"[a-z]+", name.lower())
    if words and words[0] in _RATES:
        return words[0]
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    keys = {*_KNOWN, *_STRING_METRICS} - {*_RATES}
    return max(filter(plain.startswith, keys), key=len, default="")
