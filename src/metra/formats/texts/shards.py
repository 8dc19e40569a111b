"""Parquet files without names: parts of one table, or tables of one system each."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import Literal, TypeAlias

from metra.errors import FormatError, MetraError
from metra.formats.stream import format_path, name_system
from metra.formats.texts.columns import Field, is_segment_id, list_values
from metra.formats.texts.sources import Source
from metra.limits import LimitError, get_limits

#: Names that programs give to the parts of a table.
_PART = re.compile(
    r"(?:part|shard|chunk|batch|block)?[-_.]?\d+(?:[-_.].*)?|.*[-_.]\d+[-_.]of[-_.]\d+.*",
    re.IGNORECASE,
)

# So many rows are looked at where files have different numbers of them.
_ROWS = 8192

_Match: TypeAlias = Literal["none", "same", "different", "mixed"]


def are_systems(files: Sequence[Source]) -> bool:
    """Return True if files have the same segments, each with outputs of its own.

    Parts of a table have other segments. What may be either is refused.
    """
    if any(_PART.fullmatch(name_system(file.path)) for file in files):
        return False
    try:
        matches = _match_files(files)
    except LimitError:
        raise
    except MetraError:  # reported by who reads the table
        return False
    if not matches or matches <= _PARTS:
        return False
    if matches <= _SYSTEMS:
        return True
    first, second, *_ = (format_path(file.path) for file in files)
    msg = (
        f"{first} and {second} may be two systems or two parts of one table: they have "
        "some segments in common, or nothing to tell; name systems as NAME=FILE, and "
        "give parts as a folder or a pattern in quotes."
    )
    raise FormatError(msg)


#: What ids and texts of two files tell.
_SYSTEMS = {("same", "same"), ("same", "mixed"), ("same", "none"), ("none", "same")}
_PARTS = {(ids, "different") for ids in ("none", "same", "different")}
_PARTS.add(("different", "none"))


def _match_files(files: Sequence[Source]) -> set[tuple[_Match, _Match]]:
    """Compare ids and texts of files with the first; nothing if outputs are the same."""
    by_file: list[list[Field]] = []
    for file in files:
        with closing(file.open()) as reader:
            by_file.append(reader.fields)
    outputs = [field for own in by_file for field in own if field.role == "output"]
    if len({*outputs}) < len(outputs) or len(outputs) < len(files):
        return set()
    shared = [field for field in by_file[0] if all(field in own for own in by_file)]
    ids = [
        field for field in shared if field.role == "document" or is_segment_id(field)
    ]
    texts = [field for field in shared if field.role in ("source", "reference")]
    counts = {_count_rows(file) for file in files}
    if not ids and not texts:
        return {("none", "none" if len(counts) == 1 else "different")}
    most = get_limits().rows if len(counts) == 1 else _ROWS
    rows = [_read_rows(file, [*ids, *texts], most) for file in files]
    # A file without rows says nothing.
    keys = [
        ([row[: len(ids)] for row in own], [row[len(ids) :] for row in own])
        for own in rows
        if own
    ]
    return {
        (_match_rows(keys[0][0], own), _match_rows(keys[0][1], others))
        for own, others in keys[1:]
    }


def _count_rows(file: Source) -> int:
    return sum(span.rows for span in file.format.load().list_spans(file.path))


def _read_rows(
    file: Source, fields: Sequence[Field], most: int
) -> list[tuple[str | None, ...]]:
    with closing(file.open(fields)) as reader:
        columns = reader.read(most)
    return [*zip(*(list_values(columns[field]) for field in fields), strict=True)]


def _match_rows(
    first: Sequence[tuple[str | None, ...]], second: Sequence[tuple[str | None, ...]]
) -> _Match:
    """Tell whether rows are the same; fewer than half in common may be chance."""
    if not (first and second and first[0]):
        return "none"
    counts, others = Counter(first), Counter(second)
    if counts == others:
        return "same"
    common = (counts & others).total()
    return "different" if 2 * common < min(len(first), len(second)) else "mixed"
