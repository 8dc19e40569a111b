"""Tables whose rows belong to systems or language pairs, as a column says.

Rows of one pair are chosen. Rows of several systems become a column for each system, matched
by ids or texts, in memory: rows may come in any order.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import compress
from typing import NamedTuple

from metra.errors import CorpusError, FormatError, MetraError
from metra.formats.stream import cache_by_file, format_path, get_file_state
from metra.formats.texts import join
from metra.formats.texts.columns import (
    Columns,
    Field,
    Reader,
    Section,
    is_segment_id,
    list_values,
    open_columns,
)
from metra.formats.texts.language_pairs import (
    LanguagePair,
    choose_pair,
    find_document_pair,
    parse_pair,
)
from metra.formats.texts.pooled import check_rows
from metra.formats.texts.roles import name_output_column
from metra.formats.texts.sources import Source
from metra.limits import LimitError
from metra.text.columns import RepeatedValues

#: Headings of columns that name systems, and language pairs, in one column or two. Blanks
#: and underscores in headings do not matter.
SYSTEMS = (
    *("system", "systemid", "sysid", "sys", "systemname", "mtsystem", "engine"),
    *("enginename", "mtengine", "model", "modelname"),
)
#: They name systems if segments occur once for each of them.
_MAYBE_SYSTEMS = ("provider", "run", "vendor", "mtprovider", "runname", "runid")
PAIRS = (
    *("lp", "languagepair", "langpair", "lang", "langs", "languagepairs", "langpairs"),
)
_LANGUAGES = (
    ("srclang", "sourcelang", "srclanguage", "sourcelanguage"),
    ("tgtlang", "targetlang", "tgtlanguage", "targetlanguage", "trglang"),
)
#: Ids of documents that may name the pair.
_DOCUMENT_IDS = ("docid",)

# So many rows tell whether segments are repeated.
_ROWS = 4096
# The longest name of a system; a prompt for a language model is none.
_LONGEST_NAME = 100


class RowGroups(NamedTuple):
    """Columns that say which system and which pair a row belongs to, and their values."""

    #: The names of systems, and their outputs.
    columns: tuple[Field, Field] | None
    pair: tuple[Field, ...]
    systems: tuple[str, ...] = ()
    pairs: tuple[LanguagePair, ...] = ()


def arrange_rows(
    source: Source, reader: Reader, wanted: Sequence[Field] | None
) -> Reader:
    """Return a reader of one pair, with a column for each system."""
    try:
        groups = _find_groups(source, reader.fields)
        renamed = _rename_output(source, groups)
        if source.use == "output":
            named = (*(groups.columns or ())[:1], *groups.pair)
            states = _get_states(source)
            check_rows(source.path, source, (*reader.fields,), named, states)
    except MetraError:
        reader.close()
        raise
    if renamed == {}:
        return reader
    reader.close()
    if renamed is not None:
        own = None if wanted is None else [*wanted, *renamed]
        return _rename_fields(_open_raw(source, own), renamed)
    table = _read_table(source.path, source, groups, _get_states(source))
    by_system = f"systems by {groups.columns[0].name!r}" if groups.columns else ""
    layout = ", ".join(filter(None, (reader.describe(), by_system)))
    return open_columns(table, lambda: layout)


def arrange_sections(
    source: Source, sections: list[Section], wanted: Sequence[Field]
) -> list[Section]:
    """Return the sections of a table if all of its rows are of one pair and system."""
    if len(sections) < 2:
        return sections
    with closing(sections[0].open()) as reader:
        renamed = _rename_output(source, _find_groups(source, reader.fields))
    if not renamed:
        return [] if renamed is None else sections

    def open_section(section: Section) -> Reader:
        return _rename_fields(section.open(), renamed)

    raw = source.format.load().list_sections(source, [*wanted, *renamed])
    return [each._replace(open=partial(open_section, each)) for each in raw]


def has_pairs(source: Source) -> bool:
    """Return True if the rows of a file name their language pair."""
    if not source.format.has_column_names:
        return source.format.name in ("tmx", "ttx")
    source = source._replace(columns=None)
    with closing(_open_raw(source)) as reader:
        return bool(_find_groups(source, reader.fields).pairs)


def is_plain_table(source: Source, exempt: Sequence[str]) -> bool:
    """Return True for Parquet whose rows are of one system and pair, as they stand.

    Columns in `exempt` are labels. What cannot be read is reported by who reads it.
    """
    if not source.format.has_shards:
        return False
    try:
        with closing(_open_raw(source)) as reader:
            fields = [field for field in reader.fields if field.name not in exempt]
            is_complete = len(fields) + len({*exempt}) == len(reader.fields)
    except FormatError:
        return True
    if not is_complete:
        return True
    return _rename_output(source, _find_groups(source, fields)) is not None


def _find_groups(source: Source, fields: Sequence[Field]) -> RowGroups:
    """Find the columns of systems and pairs; those that the user calls labels are none."""
    exempt = source.columns.labels if source.columns else ()
    by_heading = {
        re.sub(r"[\s_]", "", field.name.lower()): field
        for field in fields
        if field.role in ("label", "document") and field.name not in exempt
    }

    def find(headings: Sequence[str]) -> list[Field]:
        return [by_heading[name] for name in headings if name in by_heading][:1]

    outputs = [field for field in fields if field.role == "output"]
    names = find(SYSTEMS) if len(outputs) == 1 else []
    maybe = find(_MAYBE_SYSTEMS) if len(outputs) == 1 else []
    if maybe and not names and _has_repeats(source, fields):
        names = maybe
    languages = [field for names in _LANGUAGES for field in find(names)]
    pair = find(PAIRS) or languages or find(_DOCUMENT_IDS)
    groups = RowGroups((names[0], outputs[0]) if names else None, tuple(pair))
    if not any(groups):
        return groups
    return _scan(source.path, source, groups, _get_states(source))


def _has_repeats(source: Source, fields: Sequence[Field]) -> bool:
    """Return True if all sources, or references, occur more than once in the first rows."""
    texts = [field for field in fields if field.role in ("source", "reference")][:1]
    if not texts:
        return False
    with closing(_open_raw(source, texts)) as reader:
        counts = Counter(list_values(reader.read(_ROWS)[texts[0]]))
    return min(counts.values(), default=0) > 1


def _rename_output(source: Source, groups: RowGroups) -> dict[Field, Field] | None:
    """Return the output's name by its column's, or None if rows do not stay as they are."""
    systems, pairs = groups.systems, groups.pairs
    if pairs:
        choose_pair(pairs, source.pair, format_path(source.path))
    # The user may have named the system.
    given = source.columns.outputs if source.columns else ()
    defaults = (source.name, *(name_output_column(column) for _, column in given))
    is_named = source.named or any(name not in defaults for name, _ in given)
    if len(systems) > 1 and is_named:
        msg = (
            f"{format_path(source.path)} has {len(systems)} systems, such as "
            f"{systems[0]} and {systems[1]}, but one name is given; leave the name out."
        )
        raise FormatError(msg)
    if len(pairs) > 1 or len(systems) > 1:
        return None
    if not groups.columns or not systems or is_named:
        return {}
    return {groups.columns[1]: Field("output", systems[0])}


def _get_states(source: Source) -> tuple[object, ...]:
    """Return fingerprints of the files of a table beside its first."""
    return tuple(map(get_file_state, source.shards))


def _open_raw(source: Source, wanted: Sequence[Field] | None = None) -> Reader:
    reader: Reader = source.format.load().open_reader(source, wanted)
    return reader


def _rename_fields(reader: Reader, renamed: Mapping[Field, Field]) -> Reader:
    def read(most: int) -> Columns:
        columns = reader.read(most)
        return {renamed.get(field, field): each for field, each in columns.items()}

    fields = [renamed.get(field, field) for field in reader.fields]
    return reader._replace(fields=fields, read=read)


@cache_by_file(16)
def _scan(_: str, source: Source, groups: RowGroups, __: object) -> RowGroups:
    """Add the systems and pairs of a table; of ids without a pair, only the first count."""
    systems: dict[str, None] = {}
    pairs: dict[LanguagePair, None] = {}
    fields = [*groups.pair, *(groups.columns or ())[:1]]
    is_named, has_pair = groups.columns is not None, bool(groups.pair)
    for columns in join.read_chunks(_open_raw(source, fields)):
        if groups.columns and is_named:
            values = columns[groups.columns[0]]
            if isinstance(values, RepeatedValues):
                values = [*values.distinct]
            systems |= dict.fromkeys(filter(None, list_values(values)))
            is_named = not any("\n" in s or len(s) > _LONGEST_NAME for s in systems)
        if has_pair:
            pairs |= dict.fromkeys(filter(None, _list_pairs(columns, groups)))
            has_pair = bool(pairs)
        if not (is_named or has_pair):
            break
    return groups._replace(systems=tuple(systems if is_named else ()), pairs=(*pairs,))


def _list_pairs(columns: Columns, groups: RowGroups) -> Iterator[LanguagePair | None]:
    """Yield the pair of each row."""
    texts = [[text or "" for text in list_values(columns[f])] for f in groups.pair]
    find = find_document_pair if groups.pair[0].role == "document" else parse_pair
    return map(find, *texts)


@cache_by_file(2)
def _read_table(path: str, source: Source, groups: RowGroups, _: object) -> join.Table:
    """Read the rows of a pair, and give each system a column."""
    place = format_path(path)
    chunks: Iterator[Columns] = join.read_chunks(_open_raw(source))
    if len(groups.pairs) > 1:
        chosen = choose_pair(groups.pairs, source.pair, place)
        place = f"{place} ({chosen})"
        chunks = (_choose_rows(columns, groups, chosen) for columns in chunks)
    try:
        table = join.read_whole(chunks, place)
    except LimitError as error:
        split = "rows of systems and language pairs are sorted in memory"
        msg = f"{error} Or split the file by them: {split}."
        raise LimitError(msg) from None
    # Other pairs may have more references.
    table = {
        field: values
        for field, values in table.items()
        if field.role != "reference" or any(value is not None for value in values)
    }
    if not groups.columns or not groups.systems:
        return table
    return _spread_systems(table, *groups.columns, place)


def _choose_rows(columns: Columns, groups: RowGroups, chosen: LanguagePair) -> Columns:
    kept = [pair == chosen for pair in _list_pairs(columns, groups)]
    return {f: [*compress(list_values(column), kept)] for f, column in columns.items()}


def _spread_systems(
    table: join.Table, column: Field, output: Field, place: str
) -> join.Table:
    """Return a table with one row for each segment, and a column for each system.

    Labels stay where systems agree about them, which they do not about scores.
    """
    rows: dict[str, list[int]] = {}
    for number, name in enumerate(table.pop(column)):
        if not name:
            msg = (
                f"{place}, row {number + 1} has no name in the column {column.name!r}; "
                "name the system of every row, or of none."
            )
            raise FormatError(msg)
        rows.setdefault(name, []).append(number)
    if len(rows) > 1:
        rows = _match_systems(table, rows, place)
    spread: join.Table = {}
    for field, values in table.items():
        own = {name: [values[at] for at in rows[name]] for name in rows}
        (first_name, first), *others = own.items()
        different = [name for name, each in others if each != first]
        if field == output:
            spread |= {Field("output", name): texts for name, texts in own.items()}
        elif not different:
            spread[field] = first
        elif field.role != "label":
            texts = zip(first, own[different[0]], strict=True)
            at, pair = next((at, (a, b)) for at, (a, b) in enumerate(texts) if a != b)
            numbers = [str(rows[name][at] + 1) for name in (first_name, different[0])]
            shown = ["missing" if each is None else repr(each[:60]) for each in pair]
            msg = (
                f"{place}, rows {' and '.join(numbers)} are one segment, but the "
                f"{field.role} is {' and '.join(shown)}; they must agree."
            )
            raise CorpusError(msg)
    return spread


def _match_systems(
    table: join.Table, rows: Mapping[str, list[int]], place: str
) -> dict[str, list[int]]:
    """Return the rows of each system in the order of the first one's, by the best keys."""
    refusal: MetraError = FormatError(
        f"{place} has rows of {len(rows)} systems, but no ids, sources or references by "
        "which they belong together; add a column seg with the segment."
    )
    for fields in _list_keys(table, next(iter(rows.values()))):
        names = [field.name for field in fields]
        cells = join.join_cells(table, fields)
        keys = {
            name: join.RowKeys(
                f"{place}, system {name!r},", names, [cells[at] for at in own]
            )
            for name, own in rows.items()
        }
        first = next(iter(keys.values()))
        try:
            if fields[-1].role == "label":  # sentences may repeat, in the same order
                join.refuse_repeats(first)
            return {
                name: [
                    rows[name][at]
                    for at in join.match_rows(first, own)
                    if at is not None
                ]
                for name, own in keys.items()
            }
        except CorpusError as error:
            refusal = error
    raise refusal


def _list_keys(table: join.Table, first: Sequence[int]) -> list[list[Field]]:
    """List columns that may tell which rows are of one segment, the best first.

    A number of the segment that no two systems share is that of the row.
    """
    documents = [field for field in table if field.role == "document"][:1]
    texts = [field for field in table if field.role == "source"]
    texts = texts or [field for field in table if field.role == "reference"]
    for field in filter(is_segment_id, table):
        fields = [*documents, field]
        cells = [*zip(*(table[each] for each in fields), strict=True)]
        if len({*cells}) < len(cells):
            return [fields]
    own = [table[documents[0]][at] for at in first] if documents else []
    is_unique = documents and texts and len({*own}) == len(own)
    choices = [documents if is_unique else [], [*documents, *texts]]
    return [fields for fields in choices if fields]
