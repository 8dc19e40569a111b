"""Meanings of the columns of a table, or of the keys of a JSON object."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from metra.text.columns import RepeatedValues, Text

Role: TypeAlias = Literal["output", "reference", "source", "document", "label"]


class Field(NamedTuple):
    """A column: what it is, and the name of the system, reference or label."""

    role: Role
    name: str


#: The roles of texts, in the order in which files are guides to each other's order.
TEXT_ROLES: tuple[Role, ...] = ("source", "reference", "output")

# The label that holds the segments' ids goes by several names; the first is ours.
SEGMENT_IDS = (
    *("seg", "segment", "seg_id", "segid", "segment_id", "segmentid", "id", "uid"),
    *("uuid", "guid", "sid", "sent_id", "sentence_id", "line_id", "row_id", "item_id"),
    *("unit_id", "tu_id", "tuid", "string_id", "example_id", "sample_id"),
    *("custom_id", "request_id", "satz_nr"),
)
# Row numbers that pandas and others write; its index has no heading, so ours is "column 1".
ROW_NUMBERS = ("column 1", "index", "idx", "unnamed: 0", "__index_level_0__")
# Spreadsheets have further headings; another column of such a name may be a text.
_MORE_NUMBERS = (
    *("#", "nr", "no", "number", "num", "nummer", "laufende nummer", "numéro"),
    *("numero", "row", "row number", "zeilennummer", "line", "lineno", "line number"),
)

#: All headings of ids and numbers of segments.
ID_HEADINGS = (*SEGMENT_IDS, *ROW_NUMBERS, *_MORE_NUMBERS)

DOCUMENT = Field("document", "doc")
SEGMENT_ID = Field("label", SEGMENT_IDS[0])


def simplify_heading(name: str) -> str:
    """Return a heading without case, spaces and marks.

    >>> simplify_heading(" Segment_ID"), simplify_heading("No."), simplify_heading("#")
    ('segmentid', 'no', '#')
    """
    return re.sub(r"[\W_]+", "", name).casefold() or name.strip()


_IDS = {*map(simplify_heading, SEGMENT_IDS)}
_NUMBERS = {*map(simplify_heading, (*ROW_NUMBERS, *_MORE_NUMBERS))}


def is_segment_id(field: Field) -> bool:
    """Return True if a column holds ids of segments."""
    return field.role == "label" and simplify_heading(field.name) in _IDS


def is_row_number(field: Field) -> bool:
    """Return True if a column numbers the rows."""
    return field.role == "label" and simplify_heading(field.name) in _NUMBERS


Values: TypeAlias = list[str | None] | Text | RepeatedValues[str | None]
Columns: TypeAlias = Mapping[Field, Values]


class Reader(NamedTuple):
    """A file's columns, and functions that read them."""

    fields: list[Field]
    #: Reads the next segments: fewer than it is asked for only where the file ends.
    read: Callable[[int], Columns]
    #: Tells the share of the file that has been read, None if it is not known.
    share: Callable[[], float | None]
    #: Closes the file before its end.
    close: Callable[[], None] = lambda: None
    #: Tells how a table is read, where that has to be recognised: `semicolons, quoted`.
    describe: Callable[[], str] = lambda: ""


def open_columns(
    columns: Mapping[Field, list[str | None]], describe: Callable[[], str] = lambda: ""
) -> Reader:
    """Return a reader of columns in memory, from their start."""
    start, count = 0, count_segments(columns)

    def read(most: int) -> Columns:
        nonlocal start
        first, start = start, min(start + most, count)
        return {field: values[first:start] for field, values in columns.items()}

    share = (lambda: start / count) if count else (lambda: None)
    return Reader(list(columns), read, share, describe=describe)


class Section(NamedTuple):
    """Consecutive segments of a file that can be read by themselves, from `first` on."""

    first: int
    open: Callable[[], Reader]


class ColumnNames(NamedTuple):
    """Columns that the user has named; the others go by what they are called."""

    #: Pairs of a system's name and the column of its outputs.
    outputs: tuple[tuple[str, str], ...] = ()
    references: tuple[str, ...] = ()
    source: str | None = None
    document: str | None = None
    #: Columns that are no texts, whatever they are called.
    labels: tuple[str, ...] = ()

    def get_fields(self) -> dict[str, Field]:
        """Return what each named column is."""
        fields = {column: Field("output", system) for system, column in self.outputs}
        fields |= {column: Field("reference", column) for column in self.references}
        if self.source:
            fields[self.source] = Field("source", self.source)
        if self.document:
            fields[self.document] = Field("document", self.document)
        return fields


class ReadingOptions(NamedTuple):
    """Settings for reading files; those on auto are recognised."""

    encoding: str = "auto"
    #: A character, or a name such as `semicolon`.
    delimiter: str = "auto"
    quotes: Literal["auto", "yes", "no"] = "auto"
    #: The name or the number, counted from 1, of a workbook's sheet.
    sheet: str | None = None
    #: The language pair of the rows of tables that have several, such as en-de.
    pair: str | None = None
    #: Kinds of marks that are removed from outputs, see `metra.formats.texts.furniture`.
    clean: str = ""
    #: What becomes of inline codes in files of translation tools.
    codes: str = "drop"
    #: Whether a unit without translation is refused as an output, or empty.
    untranslated: str = "refuse"


# Keys of WMT's test sets and submissions since 2025 that hold no segments.
_WMT_LABELS = (
    *("dataset_id", "collection_id", "src_lang", "tgt_lang", "video", "screenshot"),
    *("audio", "gold_transcript", "prompt_instruction", "multimodal_instruction"),
    *("evaluation_instruction", "metadata", "paragraphs_match"),
)

_EXACT: dict[str, Role] = {
    **dict.fromkeys(("source", "src", "src_text"), "source"),
    **dict.fromkeys(("document", "doc", "docid", "doc_id"), "document"),
    **dict.fromkeys(("output", "hyp", "hypothesis", "mt", "translation"), "output"),
    **dict.fromkeys((*SEGMENT_IDS, *ROW_NUMBERS, *_WMT_LABELS), "label"),
    **dict.fromkeys(("domain", "lang", "lp"), "label"),
}

# ref, reference, ref2, refA, ref:NAME: not reformer, which is a system.
_REFERENCE = re.compile(r"ref(?:erence)?(?:\d+|[a-z]|[:_.-].+)?", re.DOTALL)
_NAMED: dict[Role, re.Pattern[str]] = {
    "output": re.compile(r"(?:output|hyp|sys|system):(.+)", re.DOTALL),
    "reference": re.compile(r"(?:ref|reference):(.+)", re.DOTALL),
    "label": re.compile(r"label:(.+)", re.DOTALL),
}


def describe_missing_column(name: str, known: Sequence[str], where: str) -> str:
    """Describe a column that does not exist, with the nearest name and all that do."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1, cutoff=0.5)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    names = ", ".join(known) or "none"
    return f"{where} has no column {name!r}.{guess} It has: {names}."


def recognise_field(column: str, default_system: str) -> Field | None:
    """Return what a column with one of our own names is, None for other names."""
    name = column.strip()
    role = _EXACT.get(name.lower())
    if role:
        return Field(role, default_system if role == "output" else name)
    for role, pattern in _NAMED.items():
        named = pattern.fullmatch(name)
        if named:
            return Field(role, named[1])
    if _REFERENCE.fullmatch(name.lower()):
        return Field("reference", name)
    return None


def is_document_column(column: str) -> bool:
    """Return True if a column of this name holds documents."""
    return _EXACT.get(column.lower()) == "document"


def format_column_name(field: Field) -> str:
    """Name the column of a table so that `recognise_field` knows it again.

    >>> format_column_name(Field("output", "online-A"))
    'output:online-A'
    """
    if field.role in ("source", "document"):
        return "source" if field.role == "source" else "doc"
    if field.role == "label" and _EXACT.get(field.name) == "label":
        return field.name
    return f"{'ref' if field.role == 'reference' else field.role}:{field.name}"


def describe_field(field: Field) -> str:
    """Name a column in a message.

    >>> describe_field(Field("source", "source")), describe_field(Field("output", "online-A"))
    ('the source', "the output 'online-A'")
    """
    name = "" if field.role == "source" else f" {field.name!r}"
    return f"the {field.role}{name}"


def list_values(values: Values) -> list[str | None]:
    """Return a column's values as a list, whatever they are packed in."""
    if isinstance(values, Text):
        return [values[index] for index in range(len(values))]
    return [*values] if isinstance(values, RepeatedValues) else values


def count_segments(columns: Columns) -> int:
    """Return the number of segments of columns, which is the same in all of them."""
    return len(next(iter(columns.values())))
