"""Limits on input files, for all readers, on the command line and on the server.

The environment variable METRA_LIMITS changes single limits (`line=1GB,depth=200`), and
`use_limits` changes them in Python. docs/guards.md lists them.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import NamedTuple, NoReturn

from metra.errors import FormatError, OptionError, no_such

VARIABLE = "METRA_LIMITS"
_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9}
#: So many bytes may unpack from any file before its ratio is looked at.
RATIO_FROM = 32 * 10**6


class Limits(NamedTuple):
    """The maximum values; the defaults are those of the command line."""

    unpacked: int = 64 * 10**9
    ratio: int = 500
    whole: int = 10**9
    line: int = 128 * 10**6
    cell: int = 128 * 10**6
    rows: int = 20_000_000
    columns: int = 20_000
    tokens: int = 50_000_000
    depth: int = 100
    digits: int = 40
    upload: int = 64 * 10**6


#: The defaults of the server, whose memory is shared with everybody.
SERVED = Limits(
    unpacked=256 * 10**6,
    ratio=250,
    whole=64 * 10**6,
    line=16 * 10**6,
    cell=4 * 10**6,
    rows=1_000_000,
    columns=2_000,
    tokens=2_000_000,
)

#: What each limit is about, as messages and docs/guards.md say it.
EXPLANATIONS = {
    "unpacked": "bytes unpacked from a file or archive",
    "ratio": "unpacked bytes for each packed byte",
    "whole": "bytes, read at once",
    "line": "bytes in a line",
    "cell": "characters in a cell",
    "rows": "lines or rows, read at once",
    "columns": "columns in a table",
    "tokens": "cells, values or tags, read at once",
    "depth": "levels of nesting in a JSON, TOML or XML text",
    "digits": "digits in a whole number",
    "upload": "bytes in an organiser's request to the server",
}

_DEFAULTS = Limits()
_CHOSEN: ContextVar[Limits | None] = ContextVar("limits", default=None)


def get_limits() -> Limits:
    """Return the current limits."""
    return _CHOSEN.get() or _change_limits(_DEFAULTS, os.environ.get(VARIABLE, ""))


@contextmanager
def use_limits(limits: Limits) -> Iterator[None]:
    """Use other limits inside a `with` block.

    >>> with use_limits(Limits(depth=3)):
    ...     get_limits().depth
    3
    """
    token = _CHOSEN.set(limits)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def apply_variable(limits: Limits) -> Limits:
    """Return limits with the changes that the environment variable asks for."""
    return _change_limits(limits, os.environ.get(VARIABLE, ""))


@lru_cache(maxsize=16)
def _change_limits(limits: Limits, text: str) -> Limits:
    """Change limits as a text says.

    >>> _change_limits(Limits(), "line=2GB, depth=7")[3::5]
    (2000000000, 7)
    """
    changes = {}
    for entry in filter(None, map(str.strip, text.split(","))):
        name, _, value = map(str.strip, entry.partition("="))
        if name not in Limits._fields:
            raise OptionError(no_such("limit", name, Limits._fields, owner=VARIABLE))
        number, unit = value, 1
        if value[-2:].upper() in _UNITS:
            number, unit = value[:-2].strip(), _UNITS[value[-2:].upper()]
        if not (number.isascii() and number.isdecimal() and 0 < len(number) < 16):
            problem = f"{VARIABLE} has {entry!r}"
            msg = f"{problem}; expected a name and a whole number, such as line=1GB."
            raise OptionError(msg)
        changes[name] = int(number) * unit
    return limits._replace(**changes)


def check_limit(name: str, size: int, place: str) -> None:
    """Refuse input larger than its limit; `place` names the file."""
    if size > getattr(get_limits(), name):
        refuse_excess(name, place)


def check_unpacked(unpacked: int, packed: int, place: str) -> None:
    """Refuse what unpacks to too many bytes, or to too many for its size."""
    check_limit("unpacked", unpacked, place)
    if unpacked > max(RATIO_FROM, get_limits().ratio * packed):
        refuse_excess("ratio", place)


class LimitError(FormatError):
    """A file that exceeds a limit."""


def refuse_excess(name: str, place: str) -> NoReturn:
    """Refuse a file, or a place in it, that exceeds a limit."""
    most = getattr(get_limits(), name)
    problem = f"{place} has more than {most:,} {EXPLANATIONS[name]}"
    remedy = "if you trust the file, allow more with the environment variable"
    msg = f"{problem}; {remedy} {VARIABLE}={name}=NUMBER."
    raise LimitError(msg) from None
