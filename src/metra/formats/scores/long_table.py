"""A long table: a line for each value, with its system, scorer, segment and more.

A table with a line for each system (and segment) and a column for each scorer.
JSON lines: an object for each value, with the names of a long table's columns.
A file that says one thing of each name: the name, a tab, and what is said.
"""

import json
import re
from collections.abc import Sequence

import numpy as np

from metra.errors import FormatError
from metra.formats.scores.record import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.formats.stream import format_path
from metra.formats.table import (
    ALIASES,
    LARGEST,
    MISSING,
    extend_segment_names,
    find_columns,
    is_number,
    parse_numbers,
    read_packed_lines,
    read_rows,
    require_columns,
)
from metra.stats.arrays import Array

#: Columns that say what a line is about rather than how good it is.
_ABOUT = ("system", "segment", "document", "judge", "domain", "lang", "kind")


def read_matrix(path: str, units: Sequence[str] = ()) -> Scores:
    """Read every column of numbers as a scorer, named by its heading.

    A column whose first entry is no number is a label, such as a comment; it is left
    alone. Once a column is one of numbers, anything else in it is an error.
    """
    header, rows = read_rows(path)
    found = {role: at for role, at in find_columns(header).items() if role in _ABOUT}
    if "judge" not in found:  # what judges judged need not be of several systems
        require_columns(found, ("system",), path, "a table of scores")
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(header)
    values = {
        Scorer(name.strip(), guess_scorer_kind(name.strip())): parse_numbers(
            columns[at], path, name
        )
        for at, name in enumerate(header)
        if at not in found.values()
        and name.strip() not in units
        and _is_scorer(columns[at])
    }
    if not rows:
        msg = f"{format_path(path)} has a header but no scores."
        raise FormatError(msg)
    if not values:
        msg = f"{format_path(path)} has no column of numbers; expected one for each scorer."
        raise FormatError(msg)

    def column(role: str) -> tuple[str, ...]:
        return columns[found[role]] if role in found else ("",) * len(rows)

    items = list(
        map(
            ScoredItem,
            extend_segment_names(column("segment"), units, header, columns, path),
            column("document"),
            column("domain"),
            column("lang"),
        )
    )
    return build_score_table(column("system"), items, values, column("judge"))


_KINDS = re.compile(
    r"(mqm|da|esa|esaai|sqm|adequacy|fluency|hter|human|raw|z)(?:[-_. ].*|\d*)",
    re.IGNORECASE,
)


def guess_scorer_kind(name: str) -> str:
    """Tell judgements from metrics by the names that judgements go by.

    >>> guess_scorer_kind("ESA-1"), guess_scorer_kind("da_z"), guess_scorer_kind("BLEU")
    ('esa', 'da', '')
    """
    known = _KINDS.fullmatch(name)
    return known[1].lower() if known else ""


def _is_scorer(cells: tuple[str, ...]) -> bool:
    first = next((cell for cell in cells if cell not in MISSING), "")
    # No score is infinite, but a column that begins so is one of scores.
    return is_number(first) or first.strip("+-").lower() in ("inf", "infinity")


#: How a direction is written.
DIRECTIONS = {
    "": True,
    "true": True,
    "yes": True,
    "1": True,
    "higher": True,
    "up": True,
    "false": False,
    "no": False,
    "0": False,
    "lower": False,
    "down": False,
}


def read_long_table(path: str, units: Sequence[str] = ()) -> Scores:
    """Read columns system, scorer, value and, as far as there, segment, document, judge,
    kind, domain, lang and higher_is_better; other columns are left alone, unless they are
    units, which tell segments apart.
    """
    header, rows = read_rows(path)
    found = find_columns(header)
    require_columns(found, ("system", "scorer", "value"), path, "a long table")
    if not rows:
        msg = f"{format_path(path)} has a header but no scores."
        raise FormatError(msg)
    columns = list(zip(*rows, strict=True))

    def column(role: str) -> Sequence[str]:
        return columns[found[role]] if role in found else [""] * len(rows)

    roles = {role: column(role) for role in ROLES}
    roles["segment"] = extend_segment_names(
        roles["segment"], units, header, columns, path
    )
    return build_scores(
        roles,
        parse_numbers(column("value"), path, "the value"),
        path,
    )


ROLES = (
    "system",
    "scorer",
    "segment",
    "document",
    "judge",
    "kind",
    "domain",
    "lang",
    "direction",
)


def build_scores(columns: dict[str, Sequence[str]], values: Array, path: str) -> Scores:
    """Make a table of parallel columns, one line a value."""
    by_scorer: dict[Scorer, list[int]] = {}
    named = zip(columns["scorer"], columns["kind"], columns["direction"], strict=True)
    for at, (name, kind, direction) in enumerate(named):
        if direction.lower() not in DIRECTIONS:
            msg = (
                f"{format_path(path)}, line {at + 2}: the direction is {direction!r}; "
                "expected true or false, higher or lower."
            )
            raise FormatError(msg)
        scorer = Scorer(
            name, kind or guess_scorer_kind(name), DIRECTIONS[direction.lower()]
        )
        by_scorer.setdefault(scorer, []).append(at)
    return concatenate_scores(
        [
            build_score_table(
                [columns["system"][at] for at in places],
                [
                    ScoredItem(
                        columns["segment"][at],
                        columns["document"][at],
                        columns["domain"][at],
                        columns["lang"][at],
                    )
                    for at in places
                ],
                {scorer: values[places]},
                [columns["judge"][at] for at in places],
            )
            for scorer, places in by_scorer.items()
        ]
    )


def read_jsonl(path: str, units: Sequence[str] = ()) -> Scores:
    """Read objects with system, scorer and value; null is a missing value."""
    columns: dict[str, list[str]] = {role: [] for role in ROLES}
    values = []
    for at, line in enumerate(read_packed_lines(path), 1):
        try:
            entry = json.loads(line)
        except ValueError as error:
            msg = f"{format_path(path)}, line {at} is no JSON: {error}."
            raise FormatError(msg) from None
        if not isinstance(entry, dict):
            msg = f"{format_path(path)}, line {at} is no JSON object; expected {{…}}."
            raise FormatError(msg)
        lower = {str(key).lower(): value for key, value in entry.items()}
        for role in ROLES:
            columns[role].append(_format_value(_find_value(lower, role)))
        closer = [
            columns["segment"][-1],
            *(_format_value(entry.get(unit)) for unit in units),
        ]
        columns["segment"][-1] = " ".join(filter(None, closer))
        for role in ("system", "scorer"):
            if not columns[role][-1]:
                msg = f"{format_path(path)}, line {at} has no {role}."
                raise FormatError(msg)
        values.append(_parse_number(_find_value(lower, "value"), path, at))
    if not values:
        msg = f"{format_path(path)} is empty; expected a JSON object a line."
        raise FormatError(msg)
    return build_scores(dict(columns), np.array(values), path)


def _find_value(entry: dict[str, object], role: str) -> object:
    return next((entry[name] for name in ALIASES[role] if name in entry), None)


def _format_value(value: object) -> str:
    return "" if value is None else str(value)


def _parse_number(value: object, path: str, line: int) -> float:
    if value is None:
        return np.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"{format_path(path)}, line {line}: the value is {value!r}; expected a number."
        raise FormatError(msg)
    if not abs(value) <= LARGEST:
        msg = f"{format_path(path)}, line {line}: the value is {value}; no scale goes so far."
        raise FormatError(msg)
    return float(value)


def read_named_pairs(path: str) -> dict[str, str]:
    """Read names with what is said of them; each name once."""
    found: dict[str, str] = {}
    for at, line in enumerate(read_packed_lines(path), 1):
        name, tab, said = line.partition("\t")
        if not tab or name in found:
            what = "names a system twice" if tab else "has no tab"
            msg = f"{format_path(path)}, line {at} {what}; expected NAME, a tab, CLASS."
            raise FormatError(msg)
        found[name] = said.strip()
    return found
