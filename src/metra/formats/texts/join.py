"""Rows of several files that belong together, by ids, documents or sources.

Files in one order are compared in step and streamed afterwards; others are read at once and
reordered.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from itertools import chain, combinations, count
from typing import TYPE_CHECKING, NamedTuple

from metra.errors import CorpusError, format_count
from metra.formats.stream import format_path
from metra.formats.texts.columns import (
    Columns,
    Field,
    Reader,
    Values,
    count_segments,
    list_values,
    open_columns,
    simplify_heading,
)
from metra.limits import check_limit, get_limits

if TYPE_CHECKING:
    from metra.formats.texts.parallel import KeyColumns, Side

#: For each row, the row of another file that belongs to it; None if it lacks one.
Order = list[int | None]
#: Key columns of two files that hold the same.
KeyPairs = list[tuple[Field, Field]]

#: Columns in memory.
Table = dict[Field, list[str | None]]

#: Stands between the cells of a key.
MARK = "\x1f"

# Rows are matched by their hashes from so many on.
_MANY = 50_000
# So many rows are read at a time.
_STEP = 4096


class RowKeys(NamedTuple):
    """The keys of rows, with the names of the columns, and whose they are."""

    place: str
    names: Sequence[str]
    rows: Sequence[str]

    def describe(self, rows: Sequence[str]) -> str:
        """Count rows, and name the first of them."""
        cells = (zip(self.names, row.split(MARK), strict=False) for row in rows[:3])
        first = (", ".join(f"{name} {cell[:60]!r}" for name, cell in c) for c in cells)
        more = "; …" if len(rows) > 3 else ""
        return f"{format_count(len(rows), 'segment')} ({'; '.join(first)}{more})"


def match_rows(first: RowKeys, second: RowKeys, *, may_lack: bool = False) -> Order:
    """Find the row of the second file for each of the first, or refuse to.

    Where documents may be lacking, segments of other documents still may not.
    """
    if first.rows == second.rows:
        return [*range(len(first.rows))]
    if len(first.rows) == len(second.rows) >= _MANY and (
        complete := _match_hashes(first.rows, second.rows)
    ):
        return complete
    refuse_repeats(first)
    refuse_repeats(second)
    places = {row: at for at, row in enumerate(second.rows)}
    expected = {*first.rows}
    order = [places.get(row) for row in first.rows]
    pairs = zip(first.rows, order, strict=True) if None in order else ()
    missing = [row for row, at in pairs if at is None]
    if may_lack:
        documents = {row.partition(MARK)[0] for row in second.rows}
        missing = [row for row in missing if row.partition(MARK)[0] in documents]
    if missing:
        problem = f"{second.place} lacks {second.describe(missing)}"
        msg = f"{problem}, which {first.place} has; every segment is required."
        raise CorpusError(msg)
    if len(places) + order.count(None) > len(order):
        unknown = [row for row in places if row not in expected]
        problem = f"{second.place} has {second.describe(unknown)}"
        msg = f"{problem}, which {first.place} does not have; ids must agree."
        raise CorpusError(msg)
    return order


def _match_hashes(first: Sequence[str], second: Sequence[str]) -> Order | None:
    """Find the order of many rows by sorting their hashes; None if not all rows agree.

    Looking up rows at random is slow where they do not fit into the processor's cache.
    """
    import numpy as np

    hashes = [
        np.fromiter(map(hash, rows), np.int64, len(rows)) for rows in (first, second)
    ]
    places = [each.argsort() for each in hashes]
    ordered, others = (each[at] for each, at in zip(hashes, places, strict=True))
    if (ordered != others).any() or (ordered[1:] == ordered[:-1]).any():
        return None
    order = np.empty_like(places[0])
    order[places[0]] = places[1]
    rows = order.tolist()
    return rows if [second[at] for at in rows] == [*first] else None


def join_cells(columns: Columns, fields: Sequence[Field]) -> list[str]:
    """Join the cells of some columns, as a key of each row."""
    cells = ([cell or "" for cell in list_values(columns[field])] for field in fields)
    return [*map(MARK.join, zip(*cells, strict=True))]


def join_sides(sides: Sequence["Side"]) -> tuple[list["Side"], str]:
    """Bring files into one order by their keys; return them, and a sentence about it."""
    ranked = sorted(sides, key=lambda side: side.rank)
    links = list(_link_sides(ranked))
    apart = {*range(len(sides))} - {link.side for link in links}
    pairs = [(link.side, link.partner) for link in links if link.by_document]
    for number in {*(apart if len(apart) > 1 else ()), *chain.from_iterable(pairs)}:
        check_order(ranked[number])
    if not links:
        return [*sides], ""
    equal, rows, documents = _compare_in_step(ranked, links)
    joined = {id(side): side for side in sides}
    orders: dict[int, Order | None] = {}
    names, remarks = list[str](), list[str]()
    for link, is_equal in zip(links, equal, strict=True):
        side, partner = ranked[link.side], ranked[link.partner]
        order, base, used = orders.get(link.partner), None, link.keys[0]
        opener = partial(_open_in_order, side, order, {}) if order else side.open
        if not is_equal:
            match = _find_match(side, partner, link, order)
            order, base, used, opener = match.order, match.base, match.keys, match.open
            if not rows:
                rows = len(match.rows)
                documents = {row.partition(MARK)[0] for row in match.rows}
        orders[link.side] = order
        # Keys that both have are in the table once.
        others = {own: partner.columns.get(other) for other, own in used}
        columns = {own: f for own, f in side.columns.items() if others.get(own) != f}
        joined[id(side)] = side._replace(columns=columns, open=opener)
        names.append(" and ".join(field.name for field, _ in used))
        if names[-1] != names[0]:
            remarks.append(f"{format_path(side.path)} by {names[-1]}")
        if base is not None:
            remarks.append(f"{format_path(side.path)} counts from {base}")
    noun, by_order = "segment", ""
    if links[0].by_document:
        noun, by_order = (
            ("document", "") if len(documents) == rows else (noun, " and order")
        )
    sentence = f"{format_count(rows, noun)} joined by {names[0]}{by_order}"
    return [joined[id(side)] for side in sides], "; ".join([sentence, *remarks])


def add_keys(sides: Sequence["Side"]) -> list["Side"]:
    """Add labels to the keys of files that have the same values in another order.

    Such a label tells rows apart by itself, or as a document in which ids begin anew.
    """
    keys = [side.keys for side in sides]
    for at, to in combinations(range(len(sides)), 2):
        first, second = sides[at], sides[to]
        names = {simplify_heading(field.name): field for field in second.labels}
        ids = _list_keys(first.keys, second.keys)[1][:1]
        if ids and (first.keys.document or second.keys.document):
            continue
        for label in first.labels:
            twin = names.get(simplify_heading(label.name))
            if twin and _is_moved(first, second, [(label, twin), *ids]):
                for number, own in ((at, label), (to, twin)):
                    old = keys[number]
                    keys[number] = (
                        old._replace(document=own) if ids else old._replace(ids=(own,))
                    )
                break
    return [side._replace(keys=own) for side, own in zip(sides, keys, strict=True)]


def _is_moved(first: "Side", second: "Side", pairs: KeyPairs) -> bool:
    """Return True if keys tell all rows apart, as ids alone do not, in another order."""
    if pairs[1:] and _read_distinct(first, [pairs[1][0]]):
        return False
    rows = _read_distinct(first, [pair[0] for pair in pairs])
    others = _read_distinct(second, [pair[1] for pair in pairs]) if rows else []
    return rows != others and sorted(rows) == sorted(others)


def _read_distinct(side: "Side", fields: Sequence[Field]) -> list[str]:
    """Read the keys of rows; none if some are repeated, or if they are too many."""
    rows: dict[str, None] = {}
    total, most = 0, get_limits().rows
    for columns in read_chunks(side.open(fields)):
        total += count_segments(columns)
        cells = zip(*(_clean(each, columns[each]) for each in fields), strict=True)
        rows |= dict.fromkeys(map(MARK.join, cells))
        if len(rows) < total or total > most:
            return []
    return [*rows]


def refuse_repeats(keys: RowKeys) -> None:
    """Refuse keys of which some occur twice."""
    repeated = [row for row, times in Counter(keys.rows).items() if times > 1]
    if repeated:
        problem = f"{keys.place} repeats {keys.describe(repeated)}"
        msg = f"{problem}; ids must differ, or files be in the same order."
        raise CorpusError(msg)


class _Link(NamedTuple):
    """Two files by their places, and the key columns to match them by, best first."""

    side: int
    partner: int
    keys: Sequence[KeyPairs]
    #: Whether documents are the keys, with the order of the segments inside of each.
    by_document: bool


def _link_sides(sides: Sequence["Side"]) -> Iterator[_Link]:
    """Link each file to one before it, by the best keys that both of them have."""
    for number, side in enumerate(sides):
        choices = [
            (strength, place, keys)
            for place, other in enumerate(sides[:number])
            for strength, keys in enumerate(_list_keys(other.keys, side.keys))
            if keys
        ]
        if not choices:
            continue
        strength, place, keys = min(choices, key=lambda choice: choice[:2])
        # Ids of different tools may have nothing in common.
        sources = _pair_fields(sides[place].keys.source, side.keys.source)
        others = [sources] if sources and sources != keys else []
        yield _Link(number, place, [keys, *others], by_document=strength == 2)


def _list_keys(first: "KeyColumns", second: "KeyColumns") -> list[KeyPairs]:
    """List the pairs of columns that can be keys, the strongest first."""
    documents = _pair_fields(first.document, second.document)
    names = {simplify_heading(field.name): field for field in second.ids}
    ids = [
        (field, names[name])
        for field in first.ids
        if (name := simplify_heading(field.name)) in names
    ] or [*zip(first.ids[:1], second.ids[:1], strict=False)]
    numbers = _pair_fields(first.row_number, second.row_number)
    sources = _pair_fields(first.source, second.source)
    return [
        documents + ids if documents and ids else [],
        ids,
        documents,
        numbers + sources if numbers else [],
        sources,
    ]


def _pair_fields(first: Field | None, second: Field | None) -> KeyPairs:
    return [(first, second)] if first and second else []


def _compare_in_step(
    sides: Sequence["Side"], links: Sequence[_Link]
) -> tuple[list[bool], int, set[str]]:
    """Read the key columns of all files, some rows at a time, until all of them differ.

    Returns for each link if its files have the same keys, and if one has, the number of
    rows and the documents.
    """
    fields: dict[int, list[Field]] = {}
    for link in links:
        fields.setdefault(link.partner, []).extend(pair[0] for pair in link.keys[0])
        fields.setdefault(link.side, []).extend(pair[1] for pair in link.keys[0])
    equal, rows, documents = [True] * len(links), 0, set[str]()
    with ExitStack() as stack:
        readers = {
            place: stack.enter_context(closing(sides[place].open(own)))
            for place, own in fields.items()
        }
        while any(equal):
            parts = {place: reader.read(_STEP) for place, reader in readers.items()}
            if not any(map(count_segments, parts.values())):
                return equal, rows, documents
            rows += count_segments(parts[links[0].partner])
            if links[0].by_document:
                field = links[0].keys[0][0][0]
                documents.update(_clean(field, parts[links[0].partner][field]))
            for number, link in enumerate(links):
                first, second = parts[link.partner], parts[link.side]
                equal[number] = equal[number] and all(
                    _is_same(field, first[field], own, second[own])
                    for field, own in link.keys[0]
                )
    return equal, 0, set()


def _is_same(field: Field, values: Values, own_field: Field, own: Values) -> bool:
    first, second = list_values(values), list_values(own)
    return first == second or _clean(field, first) == _clean(own_field, second)


_WHOLE_FRACTION = re.compile(r"(-?\d+)\.0+")


def _clean(field: Field, values: Values) -> list[str]:
    """Trim ids; 7.0 is 7, but 007 is not."""
    cells = [value or "" for value in list_values(values)]
    if field.role == "source":
        return cells
    return [
        whole[1] if "." in cell and (whole := _WHOLE_FRACTION.fullmatch(cell)) else cell
        for cell in map(str.strip, cells)
    ]


class _Match(NamedTuple):
    """A file that belongs to another by some of their keys, and its order, if it differs."""

    order: Order | None
    open: Callable[[Sequence[Field]], Reader]
    #: Where its ids count from, if that differs.
    base: int | None
    keys: KeyPairs
    #: The keys of the other file.
    rows: Sequence[str]


def _find_match(
    side: "Side", partner: "Side", link: _Link, order: Order | None
) -> _Match:
    """Find the order of a file by its keys; it is read once, with its texts."""
    texts = [field for field in side.columns if field.role != "label"]
    fields = (own for pairs in link.keys for _, own in pairs)
    table = _read_columns(side, [*dict.fromkeys([*texts, *fields])])
    refusal = None
    for pairs in link.keys:
        others = [other for other, _ in pairs]
        first = _build_keys(partner, others, _read_columns(partner, others), link)
        second = _build_keys(side, [own for _, own in pairs], table, link)
        if order:
            rows = ["" if at is None else first.rows[at] for at in order]
            first = first._replace(rows=rows)
        for keys, base in _list_countings(first, second):
            try:
                matched = match_rows(first, keys, may_lack=side.may_lack)
            except CorpusError as error:
                refusal = refusal or error
            else:
                if matched == [*range(len(keys.rows))]:
                    return _Match(None, side.open, base, pairs, first.rows)
                kept = {field: table[field] for field in texts}
                opener = partial(_open_in_order, side, matched, kept)
                return _Match(matched, opener, base, pairs, first.rows)
    raise refusal or AssertionError


def _build_keys(
    side: "Side", fields: Sequence[Field], columns: Table, link: _Link
) -> RowKeys:
    """Build keys of key columns; segments of a document without ids are counted."""
    rows, *others = (_clean(field, columns[field]) for field in fields)
    if others:
        rows = [*map(MARK.join, zip(rows, *others, strict=True))]
    names = [field.name for field in fields]
    if link.by_document:
        counters = {name: count(1) for name in rows}
        rows = [f"{name}{MARK}{next(counters[name])}" for name in rows]
        names.append("segment")
    return RowKeys(format_path(side.path), names, rows)


def _list_countings(
    first: RowKeys, second: RowKeys
) -> Iterator[tuple[RowKeys, int | None]]:
    """Yield the second keys, and then as if they counted from where the first ones do."""
    yield second, None
    target, base = _find_base(first), _find_base(second)
    if target is not None and base is not None and target != base:
        splits = (row.rpartition(MARK) for row in second.rows)
        rows = [
            f"{head}{mark}{int(last) - base + target}" for head, mark, last in splits
        ]
        yield second._replace(rows=rows), base


def _find_base(keys: RowKeys) -> int | None:
    """Return 0 or 1 if the ids count from it, without gaps, in every document."""
    numbers: dict[str, set[int]] = {}
    for row in keys.rows:
        document, _, number = row.rpartition(MARK)
        if not _is_number(number):
            return None
        numbers.setdefault(document, set()).add(int(number))
    bases = {min(own) for own in numbers.values()}
    has_gaps = any(max(own) - min(own) >= len(own) for own in numbers.values())
    return bases.pop() if len(bases) == 1 and bases <= {0, 1} and not has_gaps else None


def _is_number(cell: str) -> bool:
    """Return True for a whole number, as it is usually written."""
    is_padded = cell.startswith("0") and cell != "0"
    return cell.isascii() and cell.isdecimal() and len(cell) < 19 and not is_padded


def _open_in_order(
    side: "Side", order: Order, table: Table, wanted: Sequence[Field] | None = None
) -> Reader:
    """Open the wanted columns of a file in another order, those of the table or read anew."""
    wanted = wanted or [*side.columns]
    if not table.keys() >= {*wanted}:
        table = _read_columns(side, wanted)
    columns: Table = {}
    for field in wanted:
        values = table[field]
        columns[field] = [None if at is None else values[at] for at in order]
    return open_columns(columns)


def _read_columns(side: "Side", fields: Sequence[Field]) -> Table:
    chunks = read_chunks(side.open(fields))
    own = ({field: columns[field] for field in fields} for columns in chunks)
    return read_whole(own, format_path(side.path))


def read_chunks(reader: Reader) -> Iterator[Columns]:
    """Yield the rows of a file, some at a time, the last ones fewer or none; close it."""
    with closing(reader):
        while count_segments(columns := reader.read(_STEP)) == _STEP:
            yield columns
        yield columns


def read_whole(chunks: Iterable[Columns], place: str) -> Table:
    """Put rows together in memory, within its limits."""
    table: Table = {}
    size = 0
    for columns in chunks:
        for field, values in columns.items():
            cells = list_values(values)
            table.setdefault(field, []).extend(cells)
            size += sum(map(len, filter(None, cells)))
        check_limit("whole", size, place)
        check_limit("rows", count_segments(table), place)
    return table


def check_order(side: "Side") -> None:
    """Refuse a file whose rows are numbered out of order."""
    numbers = side.keys.row_number
    disorders = [
        disorder
        for field in side.keys.ids or ((numbers,) if numbers else ())
        if (disorder := _find_disorder(side, field)) is not None
    ]
    if disorders and all(disorders):
        msg = (
            f"{format_path(side.path)} has {disorders[0]}, so that it may have been "
            "shuffled or sorted, but its rows cannot be matched with those of another "
            "file by ids; put the rows into order, or give all files ids."
        )
        raise CorpusError(msg)


def _find_disorder(side: "Side", field: Field) -> str | None:
    """Describe the first number below the one before it in its document.

    The result is empty for ascending numbers, None if ids are no numbers or repeated.
    """
    document = side.keys.document
    fields = [document, field] if document else [field]
    last: dict[str, int] = {}
    disorder, row = "", 0
    for part in read_chunks(side.open(fields)):
        cells = _clean(field, part[field])
        names = _clean(document, part[document]) if document else [""] * len(cells)
        if not all(map(_is_number, cells)):
            return None
        for name, number in zip(names, map(int, cells), strict=True):
            row += 1
            before = last.get(name, number)
            if number < before and not disorder:
                disorder = f"{field.name} {number} after {before} in row {row:,}"
            last[name] = number
    columns = _read_columns(side, fields).values() if disorder else ()
    keys = [*zip(*columns, strict=True)]
    return disorder if len({*keys}) == len(keys) else None
