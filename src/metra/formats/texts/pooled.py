"""Rows of several systems, or of repeated segments, that would be scored as one system."""

import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import gcd

from metra.errors import FormatError, TextWarning
from metra.formats.stream import cache_by_file, format_path
from metra.formats.texts import columns, join
from metra.formats.texts.columns import Field
from metra.formats.texts.sources import Source

# So many rows are looked at; after fewer, a table where hardly any is repeated is fine.
_MOST, _ENOUGH = 100_000, 16_384
# So many segments that all occur equally often are no chance.
_LEAST = 8


@cache_by_file(16)
def check_rows(
    path: str,
    source: Source,
    fields: Sequence[Field],
    named: Sequence[Field],
    _: object,
) -> None:
    """Refuse a table if a column not `named` says that its rows are of several systems.

    Warn where segments are repeated without such a column, or their ids are.
    """
    exempt = source.columns.labels if source.columns else ()
    named = (*named, *(field for field in fields if field.name in exempt))
    texts = [field for field in fields if field.role in ("source", "reference")]
    if not texts or all(field.role != "output" for field in fields):
        return
    groups = [f for f in fields if f.role == "document" or f in named]
    ids = [*filter(columns.is_segment_id, fields)][:1]
    table = _read_columns(source, [*texts, *groups, *ids], [*texts, *groups])
    segments = join.join_cells(table, [*texts, *groups])
    counts = Counter(segments)
    if len(counts) in (1, len(segments)):
        return
    rest = [f for f in fields if f not in table and not columns.is_row_number(f)]
    place, others = format_path(path), _read_columns(source, rest)
    if (times := gcd(*counts.values())) > 1:
        _refuse_systems(place, others, segments, times, named)
        if len(counts) >= _LEAST and {*counts.values()} == {times}:
            msg = (
                f"{place} has each segment {times} times, and each time counts; if the "
                "rows are of several systems, add a column system with their names."
            )
            warnings.warn(msg, TextWarning, stacklevel=2)
    elif ids:
        names = [field.name for field in (*ids, *groups)]
        keys = join.RowKeys(place, names, join.join_cells(table, [*ids, *groups]))
        _check_ids(keys, segments, others)


def _read_columns(
    source: Source, fields: Sequence[Field], keys: Sequence[Field] = ()
) -> join.Table:
    """Read columns; none of the rows of a long table whose keys differ, or nearly all."""
    table: join.Table = {field: [] for field in fields}
    seen = set[str]()
    with warnings.catch_warnings():
        # Who reads the table for its texts warns of it.
        warnings.simplefilter("ignore", TextWarning)
        reader = source.format.load().open_reader(source, fields)
        for chunk in join.read_chunks(reader):
            part = {field: columns.list_values(chunk[field]) for field in fields}
            for field, values in part.items():
                table[field] += values
            seen.update(join.join_cells(part, keys))
            count = len(table[fields[0]]) if keys else 0
            if count > _MOST or (count > _ENOUGH and 10 * len(seen) > 9 * count):
                return {field: [] for field in fields}
    return table


def _refuse_systems(
    place: str,
    table: join.Table,
    segments: Sequence[str],
    times: int,
    named: Sequence[Field],
) -> None:
    """Refuse rows that one column, or two, splits into as many complete sets."""
    labels = [f for f in table if f.role == "label" and times % len({*table[f]}) == 0]
    for fields in [*combinations(labels, 1), *combinations(labels, 2)]:
        sets: dict[str, Counter[str]] = {}
        for value, segment in zip(
            join.join_cells(table, fields), segments, strict=True
        ):
            sets.setdefault(value, Counter())[segment] += 1
        first, *others = sets.values()
        if others and all(each == first for each in others):
            names = [f.name for f in (*named, *fields) if f.role == "label"]
            values = (value.replace(join.MARK, " ")[:40] for value in [*sets][:4])
            msg = (
                f"{place} has each segment once for each value of the column "
                f"{' and '.join(names)} ({', '.join(values)}{', …' * (len(sets) > 4)}), "
                "which would be scored as one system; name the systems in one column "
                "system, or keep the rows of one."
            )
            raise FormatError(msg)


def _check_ids(keys: join.RowKeys, segments: Sequence[str], table: join.Table) -> None:
    """Warn of repeated ids, unless with other texts; refuse rows of only other outputs."""
    first: dict[str, int] = {}
    rows = [(first.setdefault(key, at), at) for at, key in enumerate(keys.rows)]
    pairs = [(one, at) for one, at in rows if one != at]
    if not pairs or any(segments[one] != segments[at] for one, at in pairs):
        return
    repeated = [*dict.fromkeys(keys.rows[at] for _, at in pairs)]
    problem = f"{keys.place} repeats {keys.describe(repeated)}"
    for one, at in pairs:
        if {f.role for f, own in table.items() if own[one] != own[at]} == {"output"}:
            msg = f"{problem}, with another output in row {at + 1}; keep one of each."
            raise FormatError(msg)
    msg = f"{problem}, and each row counts; keep one of each if a run was resumed."
    warnings.warn(msg, TextWarning, stacklevel=2)
