"""Parquet files without names: parts of one table, or tables of one system each."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing

from metra.errors import FormatError, MetraError
from metra.formats.stream import format_path, name_system
from metra.formats.texts.columns import Field, count_segments, is_segment_id
from metra.formats.texts.join import join_cells
from metra.formats.texts.sources import Source
from metra.limits import LimitError, get_limits

#: Names that programs give to the parts of a table.
_PART = re.compile(
    r"(?:part|shard|chunk|batch|block)?[-_.]?\d+(?:[-_.].*)?|.*[-_.]\d+[-_.]of[-_.]\d+.*",
    re.IGNORECASE,
)

# So many rows are looked at where files have different numbers of them.
_ROWS = 8192

#: Whether ids and texts of two files are the same.
_SYSTEMS = {("same", "same"), ("same", "mixed"), ("same", "none"), ("none", "same")}
_PARTS = {(ids, "different") for ids in ("none", "same", "different")}
_PARTS.add(("different", "none"))


def are_systems(files: Sequence[Source], *, are_listed: bool) -> bool:
    """Return True if files have the same segments, each with outputs of its own.

    Parts of a table have other segments. What may be either is refused if files are listed;
    of a folder or pattern, the first two files tell.
    """
    if any(_PART.fullmatch(name_system(file.path)) for file in files):
        return False
    if not are_listed and any("=" in file.path for file in files):
        return False
    try:
        matches = _match_files(files if are_listed else files[:2], are_listed)
    except LimitError:
        raise
    except MetraError:  # reported by who reads the table
        return False
    if matches <= _PARTS:
        return False
    if matches <= _SYSTEMS or not are_listed:
        return matches <= _SYSTEMS
    first, second, *_ = (format_path(file.path) for file in files)
    msg = (
        f"{first} and {second} may be two systems or two parts of one table: they have "
        "some segments in common, or nothing to tell; name systems as NAME=FILE, and "
        "give parts as a folder or a pattern in quotes."
    )
    raise FormatError(msg)


def _match_files(files: Sequence[Source], are_listed: bool) -> set[tuple[str, str]]:
    """Compare ids and texts of files with the first; nothing if outputs are the same."""
    by_file: list[list[Field]] = []
    for file in files:
        with closing(file.open()) as reader:
            by_file.append(reader.fields)
    outputs = [field for own in by_file for field in own if field.role == "output"]
    if len({*outputs}) < len(outputs) or len(outputs) < len(files):
        return set()
    shared = [field for field in by_file[0] if all(field in own for own in by_file)]
    ids = [f for f in shared if f.role == "document" or is_segment_id(f)]
    texts = [field for field in shared if field.role in ("source", "reference")]
    spans = (file.format.load().list_spans(file.path) for file in files)
    counts = {sum(span.rows for span in own) for own in spans}
    if not ids and not texts:
        return {("none", "none" if len(counts) == 1 else "different")}
    most = get_limits().rows if len(counts) == 1 and are_listed else _ROWS
    keys = []
    for file in files:
        with closing(file.open([*ids, *texts])) as reader:
            columns = reader.read(most)
        if count_segments(columns):  # a file without rows says nothing
            keys.append([join_cells(columns, own) for own in (ids, texts)])
    return {
        (_compare_rows(keys[0][0], own), _compare_rows(keys[0][1], others))
        for own, others in keys[1:]
    }


def _compare_rows(first: Sequence[str], second: Sequence[str]) -> str:
    """Classify rows of two files; fewer than half in common may be chance."""
    if not first:
        return "none"
    counts, others = Counter(first), Counter(second)
    if counts == others:
        return "same"
    common = (counts & others).total()
    return "different" if 2 * common < min(len(first), len(second)) else "mixed"
