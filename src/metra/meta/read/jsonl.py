"""JSON lines: an object for each value, with the names of a long table's columns."""

import json
from collections.abc import Sequence

import numpy as np

from metra.errors import FormatError
from metra.io.stream import shown
from metra.meta.read.cells import ALIASES, LARGEST, lines_of
from metra.meta.read.long_table import ROLES, assembled
from metra.meta.scores import Scores


def read(path: str, units: Sequence[str] = ()) -> Scores:
    """Read objects with system, scorer and value; null is a missing value."""
    columns: dict[str, list[str]] = {role: [] for role in ROLES}
    values = []
    for at, line in enumerate(lines_of(path), 1):
        try:
            entry = json.loads(line)
        except ValueError as error:
            msg = f"{shown(path)}, line {at} is no JSON: {error}."
            raise FormatError(msg) from None
        if not isinstance(entry, dict):
            msg = f"{shown(path)}, line {at} is no JSON object; expected {{…}}."
            raise FormatError(msg)
        lower = {str(key).lower(): value for key, value in entry.items()}
        for role in ROLES:
            columns[role].append(_text(_first(lower, role)))
        closer = [columns["segment"][-1], *(_text(entry.get(unit)) for unit in units)]
        columns["segment"][-1] = " ".join(filter(None, closer))
        for role in ("system", "scorer"):
            if not columns[role][-1]:
                msg = f"{shown(path)}, line {at} has no {role}."
                raise FormatError(msg)
        values.append(_number(_first(lower, "value"), path, at))
    if not values:
        msg = f"{shown(path)} is empty; expected a JSON object a line."
        raise FormatError(msg)
    return assembled(dict(columns), np.array(values), path)


def _first(entry: dict[str, object], role: str) -> object:
    return next((entry[name] for name in ALIASES[role] if name in entry), None)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _number(value: object, path: str, line: int) -> float:
    if value is None:
        return np.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"{shown(path)}, line {line}: the value is {value!r}; expected a number."
        raise FormatError(msg)
    if not abs(value) <= LARGEST:
        msg = f"{shown(path)}, line {line}: the value is {value}; no scale goes so far."
        raise FormatError(msg)
    return float(value)
