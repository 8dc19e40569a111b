"""Tables whose rows belong to systems or language pairs, as a column says.

Rows of one pair are chosen. Rows of several systems become a column for each system, matched
by ids or texts, in memory: rows may come in any order.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import compress
from typing import NamedTuple, NoReturn, TypeAlias

from metra.errors import CorpusError, FormatError
from metra.formats.stream import cache_by_file, format_path, get_file_state
from metra.formats.texts.columns import (
    SEGMENT_IDS,
    Columns,
    Field,
    Reader,
    Section,
    list_values,
    name_output_column,
    open_columns,
)
from metra.formats.texts.language_pairs import (
    LanguagePair,
    choose_pair,
    find_document_pair,
    parse_pair,
)
from metra.formats.texts.sources import Source
from metra.limits import LimitError, check_limit
from metra.text.columns import RepeatedValues

#: Headings of columns that name systems, and language pairs, in one column or two.
SYSTEMS = ("system", "system_id", "sys_id", "sysid", "engine", "model")
PAIRS = ("lp", "language_pair", "lang_pair", "langpair", "lang")
_LANGUAGES = (
    ("src_lang", "source_lang", "src_language", "source_language", "srclang"),
    ("tgt_lang", "target_lang", "tgt_language", "target_language", "trglang"),
)
#: Ids of documents that may name the pair.
_DOCUMENT_IDS = ("doc_id", "docid")

# Rows that are read at a time, and the longest name of a system.
_ROWS = 4096
_LONGEST_NAME = 100

Table: TypeAlias = dict[Field, list[str | None]]
#: The ids or texts of a segment.
_Key: TypeAlias = tuple[str | None, ...]


class RowGroups(NamedTuple):
    """Columns that say which system and which pair a row belongs to."""

    system: Field | None
    pair: tuple[Field, ...]
    #: The outputs, of one system or of several below each other.
    output: Field | None


class _Groups(NamedTuple):
    """The systems and pairs of a table's rows, in the order in which they appear."""

    systems: tuple[str, ...]
    pairs: tuple[LanguagePair, ...]


def arrange_rows(
    source: Source, reader: Reader, wanted: Sequence[Field] | None
) -> Reader:
    """Return a reader of one pair, with a column for each system."""
    groups = _find_groups(source, reader.fields)
    if groups is None:
        return reader
    reader.close()
    system, is_streamed = _plan(source, groups)
    if not is_streamed:
        table = _read_table(source.path, source, groups, _get_state(source))
        how = f"systems by {groups.system.name!r}" if groups.system else ""
        layout = ", ".join(filter(None, (reader.describe(), how)))
        return open_columns(table, lambda: layout)
    changes = _rename_output(groups, system)
    return _rename_fields(_open_raw(source, _rename_back(wanted, changes)), changes)


def arrange_sections(
    source: Source, sections: list[Section], wanted: Sequence[Field]
) -> list[Section]:
    """Return the sections of a table if all of its rows are of one pair and system."""
    if len(sections) < 2:
        return sections
    with closing(sections[0].open()) as reader:
        groups = _find_groups(source, reader.fields)
    if groups is None:
        return sections
    system, is_streamed = _plan(source, groups)
    if not is_streamed:
        return []
    changes = _rename_output(groups, system)
    raw = source.format.load().list_sections(source, _rename_back(wanted, changes))

    def rename(open_section: Callable[[], Reader]) -> Callable[[], Reader]:
        return lambda: _rename_fields(open_section(), changes)

    return [each._replace(open=rename(each.open)) for each in raw]


def has_pairs(source: Source) -> bool:
    """Return True if the rows of a file name their language pair."""
    if not source.format.has_column_names:
        return False
    with closing(_open_raw(source, None)) as reader:
        groups = _find_groups(source, reader.fields)
    return bool(groups and _scan(source.path, source, groups, _get_state(source)).pairs)


def is_plain_table(source: Source, exempt: Sequence[str]) -> bool:
    """Return True for Parquet whose rows are of one system and pair, as they stand.

    Columns in `exempt` are labels. What cannot be read is reported by who reads it.
    """
    if not source.format.has_shards:
        return False
    try:
        with closing(_open_raw(source, None)) as reader:
            fields = [field for field in reader.fields if field.name not in exempt]
            if len(fields) + len({*exempt}) > len(reader.fields):
                return True
    except FormatError:
        return True
    groups = _find_groups(source, fields)
    return groups is None or _plan(source, groups)[1]


def _find_groups(source: Source, fields: Sequence[Field]) -> RowGroups | None:
    """Find the columns of systems and pairs; those that the user calls labels are none."""
    exempt = source.columns.labels if source.columns else ()
    by_heading = {
        field.name.strip().lower(): field
        for field in fields
        if field.role in ("label", "document") and field.name not in exempt
    }

    def find(headings: Sequence[str]) -> Field | None:
        return next(filter(None, map(by_heading.get, headings)), None)

    outputs = [field for field in fields if field.role == "output"]
    output = outputs[0] if len(outputs) == 1 else None
    system = find(SYSTEMS) if output else None
    pair = find(PAIRS)
    pairs = [pair] if pair else [*map(find, _LANGUAGES)]
    pairs = pairs if any(pairs) else [find(_DOCUMENT_IDS)]
    groups = RowGroups(system, tuple(filter(None, pairs)), output)
    return groups if groups.system or groups.pair else None


def _plan(source: Source, groups: RowGroups) -> tuple[str | None, bool]:
    """Return the one system that a column names, and whether rows stay as they are."""
    systems, pairs = _scan(source.path, source, groups, _get_state(source))
    asked = source.reading.pair if source.reading else None
    if pairs:
        choose_pair(pairs, asked, format_path(source.path))
    if len(systems) > 1 and _is_named(source):
        msg = (
            f"{source.name}={format_path(source.path)} gives one name to a file with "
            f"{len(systems)} systems ({', '.join(systems[:3])}, …); leave the name out."
        )
        raise FormatError(msg)
    system = systems[0] if len(systems) == 1 else None
    is_named = system is None or _is_named(source)
    return None if is_named else system, max(len(pairs), len(systems)) < 2


def _is_named(source: Source) -> bool:
    """Return True if the user has named the system."""
    given = source.columns.outputs if source.columns else ()
    own = (source.name, *(name_output_column(column) for _, column in given))
    return source.named or any(name not in own for name, _ in given)


def _get_state(source: Source) -> tuple[object, ...]:
    """Return fingerprints of the files of a table beside its first."""
    return tuple(map(get_file_state, source.shards))


def _open_raw(source: Source, wanted: Sequence[Field] | None) -> Reader:
    reader: Reader = source.format.load().open_reader(source, wanted)
    return reader


def _rename_output(groups: RowGroups, system: str | None) -> dict[Field, Field]:
    if system is None or groups.output is None:
        return {}
    return {groups.output: Field("output", system)}


def _rename_back(
    wanted: Sequence[Field] | None, changes: Mapping[Field, Field]
) -> list[Field] | None:
    back = {new: old for old, new in changes.items()}
    return None if wanted is None else [back.get(field, field) for field in wanted]


def _rename_fields(reader: Reader, changes: Mapping[Field, Field]) -> Reader:
    if not changes:
        return reader
    read = reader.read

    def rename(columns: Columns) -> Columns:
        return {changes.get(field, field): each for field, each in columns.items()}

    fields = [changes.get(field, field) for field in reader.fields]
    return reader._replace(fields=fields, read=lambda most: rename(read(most)))


def _read_chunks(source: Source, fields: Sequence[Field] | None) -> Iterator[Columns]:
    """Yield the rows of a table as they are, some at a time."""
    with closing(_open_raw(source, fields)) as reader:
        while True:
            columns = reader.read(_ROWS)
            count = len(next(iter(columns.values())))
            if count:
                yield columns
            if count < _ROWS:
                return


@cache_by_file(16)
def _scan(_: str, source: Source, groups: RowGroups, __: object) -> _Groups:
    """Read the columns of groups to the end; ids without a pair only to the first."""
    systems: dict[str, None] = {}
    pairs: dict[LanguagePair, None] = {}
    fields = [*groups.pair, *filter(None, [groups.system])]
    is_named, has_pair = groups.system is not None, bool(groups.pair)
    for columns in _read_chunks(source, fields):
        if groups.system and is_named:
            values = columns[groups.system]
            if isinstance(values, RepeatedValues):
                values = [*values.distinct]
            systems |= dict.fromkeys(filter(None, list_values(values)))
            # A prompt for a language model is no name.
            is_named = all(
                len(name) <= _LONGEST_NAME and "\n" not in name for name in systems
            )
        if has_pair:
            own = _list_pairs(columns, groups)
            pairs |= dict.fromkeys(filter(None, own))
            has_pair = bool(pairs)
        if not (is_named or has_pair):
            break
    return _Groups(tuple(systems) if is_named else (), tuple(pairs))


def _list_pairs(
    columns: Mapping[Field, object], groups: RowGroups
) -> list[LanguagePair | None]:
    """Return the pair of each row."""
    texts = [
        [value or "" for value in list_values(columns[field])]  # type: ignore[arg-type]
        for field in groups.pair
    ]
    if groups.pair[0].role == "document":
        return [*map(find_document_pair, *texts)]
    return [*map(parse_pair, *texts)]


@cache_by_file(2)
def _read_table(path: str, source: Source, groups: RowGroups, state: object) -> Table:
    """Read the rows of a pair, and give each system a column."""
    place = format_path(path)
    systems, pairs = _scan(path, source, groups, state)
    asked = source.reading.pair if source.reading else None
    chosen = choose_pair(pairs, asked, place) if pairs else None
    if chosen and len(pairs) > 1:
        place = f"{place} ({chosen})"
    table: Table = {}
    size = 0
    for columns in _read_chunks(source, None):
        lists = {field: list_values(values) for field, values in columns.items()}
        if chosen and len(pairs) > 1:
            kept = [pair == chosen for pair in _list_pairs(lists, groups)]
            lists = {field: [*compress(each, kept)] for field, each in lists.items()}
        for field, values in lists.items():
            table.setdefault(field, []).extend(values)
            size += sum(map(len, filter(None, values)))
        _check_size(size, len(next(iter(table.values()))), place)
    # Other pairs may have more references.
    table = {
        field: values
        for field, values in table.items()
        if field.role != "reference" or any(value is not None for value in values)
    }
    return _spread_systems(table, groups, place) if systems else table


def _check_size(size: int, rows: int, place: str) -> None:
    try:
        check_limit("whole", size, place)
        check_limit("rows", rows, place)
    except LimitError as error:
        msg = (
            f"{error} Rows of several systems or language pairs are put together in "
            "memory; or split the file by them."
        )
        raise LimitError(msg) from None


def _spread_systems(table: Table, groups: RowGroups, place: str) -> Table:
    """Return a table with one row for each segment, and a column for each system.

    Labels stay where systems agree about them, which they do not about scores.
    """
    column, output = groups.system, groups.output
    if column is None or output is None:
        return table
    rows: dict[str, list[int]] = {}
    for index, name in enumerate(table[column]):
        if not name:
            msg = (
                f"{place}, row {index + 1} has no name in the column {column.name!r}; "
                "name the system of every row, or of none."
            )
            raise FormatError(msg)
        rows.setdefault(name, []).append(index)
    rows = _match_rows(table, rows, place)
    spread: Table = {}
    for field, values in table.items():
        own = {name: [values[index] for index in at] for name, at in rows.items()}
        first = next(iter(own.values()))
        if field == output:
            spread |= {Field("output", name): texts for name, texts in own.items()}
        elif field == column:
            continue
        elif all(each == first for each in own.values()):
            spread[field] = first
        elif field.role != "label":
            _refuse_difference(field, own, rows, place)
    return spread


def _refuse_difference(
    field: Field,
    own: Mapping[str, list[str | None]],
    rows: Mapping[str, list[int]],
    place: str,
) -> None:
    first, *others = own
    for other in others:
        pairs = zip(own[first], own[other], strict=True)
        for at, (value, another) in enumerate(pairs):
            if value != another:
                numbers = f"{rows[first][at] + 1} and {rows[other][at] + 1}"
                msg = (
                    f"{place}, rows {numbers} are the same segment of {first!r} and "
                    f"{other!r}, but the {field.role} is {_shorten(value)} and "
                    f"{_shorten(another)}; they must agree."
                )
                raise CorpusError(msg)


def _shorten(text: str | None) -> str:
    if text is None:
        return "missing"
    return repr(text if len(text) <= 50 else f"{text[:50]}…")


def _match_rows(
    table: Table, rows: Mapping[str, list[int]], place: str
) -> dict[str, list[int]]:
    """Return the rows of each system in the order of the first one's."""
    if len(rows) == 1:
        return dict(rows)
    candidates = _list_keys(table)
    if not candidates:
        msg = (
            f"{place} has rows of {len(rows)} systems, but no ids, sources or references "
            "by which they belong together; add a column seg with the segment."
        )
        raise FormatError(msg)
    for names, keys in candidates:
        own = {name: [keys[index] for index in at] for name, at in rows.items()}
        places = {
            name: dict(zip(each, rows[name], strict=True)) for name, each in own.items()
        }
        if all(len(places[name]) == len(each) for name, each in own.items()):
            _check_complete(names, places, place)
            first = next(iter(own.values()))
            return {name: [at[key] for key in first] for name, at in places.items()}
    if names[-1].role == "label" or len(set(map(tuple, own.values()))) > 1:
        _refuse_doubles(names, own, place)
    # Sentences repeat, in the same order for every system.
    return dict(rows)


def _refuse_doubles(
    names: Sequence[Field], own: Mapping[str, Sequence[_Key]], place: str
) -> NoReturn:
    problems = (
        f"{_describe_key(names, key)} of {name!r} {count} times"
        for name, each in own.items()
        for key, count in Counter(each).items()
        if count > 1
    )
    _refuse_keys(problems, place)


def _check_complete(
    names: Sequence[Field], places: Mapping[str, Mapping[_Key, int]], place: str
) -> None:
    """Refuse systems that lack segments of others."""
    keys = dict.fromkeys(key for own in places.values() for key in own)
    problems = [
        f"{name!r} lacks {_describe_key(names, key)}"
        for name, own in places.items()
        for key in keys
        if key not in own
    ]
    if problems:
        _refuse_keys(problems, place)


def _refuse_keys(problems: Iterable[str], place: str) -> NoReturn:
    first, *others = problems
    more = "".join(f", {problem}" for problem in others[:2])
    rest = f" and {len(others) - 2} more" if len(others) > 2 else ""
    msg = (
        f"{place} has rows of several systems, but {first}{more}{rest}; every system "
        "needs each segment once."
    )
    raise CorpusError(msg)


def _describe_key(names: Sequence[Field], key: _Key) -> str:
    pairs = zip(names, key, strict=True)
    return ", ".join(
        f"{'segment' if field.role == 'label' else field.role} {_shorten(value)}"
        for field, value in pairs
    )


def _list_keys(table: Table) -> list[tuple[tuple[Field, ...], list[_Key]]]:
    """List columns that may tell which rows are of one segment, the best first.

    A number of the segment that no two systems share is that of the row.
    """
    documents = [field for field in table if field.role == "document"][:1]
    texts = [field for field in table if field.role == "source"]
    texts = texts or [field for field in table if field.role == "reference"]
    ids = [
        field
        for field in table
        if field.role == "label" and field.name.lower() in SEGMENT_IDS
    ]
    for field in ids:
        names = (*documents, field)
        keys = [*zip(*(table[name] for name in names), strict=True)]
        if len(set(keys)) < len(keys):
            return [(names, keys)]
    choices = [documents, [*documents, *texts]] if documents else [texts]
    different = dict.fromkeys(tuple(names) for names in choices if names)
    return [
        (names, [*zip(*(table[name] for name in names), strict=True)])
        for names in different
    ]
