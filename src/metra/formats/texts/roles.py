"""Roles of the columns of a table: by names of the user, known headings, and content."""

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple, TypeAlias

from metra.errors import FormatError, TextWarning
from metra.formats.table import Row
from metra.formats.texts.columns import (
    TEXT_ROLES,
    ColumnNames,
    Field,
    Role,
    describe_missing_column,
    is_row_number,
    is_segment_id,
    recognise_field,
)
from metra.formats.texts.headings import classify_content, find_heading
from metra.limits import check_limit

HELP = (
    "source, doc, ref or ref:NAME, output or output:NAME, and label:NAME; if no column is "
    "named output, every other column of texts is the output of a system"
)
#: Gives the first cells of each column.
Sampler: TypeAlias = Callable[[], Sequence[Sequence[str | None]]]
#: So many rows tell what columns hold.
SAMPLE = 500
#: In so many rows, a column that is empty in most is no output without being named as one.
_ENOUGH = 8


class Header(NamedTuple):
    """The columns of a table: what each is, and words about those with other names."""

    fields: list[Field]
    #: `source: Quelle, outputs: MT A, MT B; ignored: Datum`; nothing if all names are ours.
    description: str


def read_header(
    header: Sequence[str],
    default_system: str,
    names: ColumnNames | None,
    where: str,
    sample: Sampler | None = None,
) -> Header:
    """Return what each column is, checked against the names that the user gave.

    A column without a heading, such as the row numbers that pandas writes, is no text.
    """
    check_limit("columns", len(header), where)
    check_column_names(header, names, where)
    filled = [
        name if name.strip() else f"column {number}"
        for number, name in enumerate(header, 1)
    ]
    names = names or ColumnNames()
    nameless = (name for name in filled if name not in header)
    names = names._replace(labels=(*names.labels, *nameless))
    roles = choose_roles(filled, default_system, names, where, sample)
    check_fields(roles.fields, where)
    return roles


def recognise_fields(
    header: Sequence[str],
    default_system: str,
    names: ColumnNames | None = None,
    where: str = "The table",
) -> list[Field]:
    """Return what each column is by its name.

    An `output` column without a name is called `default_system`. Columns of other names
    are outputs where no column has one of our names for outputs, else labels. Where the
    user has named the columns of a kind, there are no others of that kind.

    >>> [field.role for field in recognise_fields(["doc", "Human", "sysA"], "file")]
    ['document', 'reference', 'output']
    """
    return choose_roles(header, default_system, names or ColumnNames(), where).fields


def split_output_column(column: str) -> tuple[str, str]:
    """Return the system whose outputs are in a column, given as [NAME=]COLUMN, and it.

    >>> split_output_column("online=hyp_a"), split_output_column("output:ours")
    (('online', 'hyp_a'), ('ours', 'output:ours'))
    """
    name, equals, rest = column.partition("=")
    if equals and name and rest:
        return name, rest
    return name_output_column(column), column


def name_output_column(column: str) -> str:
    """Return the name of the system whose outputs are in a column.

    >>> name_output_column("output:ours"), name_output_column("hyp_a")
    ('ours', 'hyp_a')
    """
    return recognise_fields([column], column)[0].name


def check_column_names(
    header: Sequence[str], names: ColumnNames | None, where: str
) -> None:
    """Refuse names of columns that the table does not have, or that have two roles."""
    if names is None:
        return
    for name in (*names.get_fields(), *names.labels):
        if name not in header:
            raise FormatError(describe_missing_column(name, header, where))
    columns = [*(column for _, column in names.outputs), *names.references]
    columns += filter(None, (names.source, names.document))
    for name in columns:
        if columns.count(name) > 1:
            msg = f"The column {name!r} is given two roles; give it one."
            raise FormatError(msg)


def count_headings(header: Sequence[str]) -> int:
    """Count the known headings, if one of them is of a text.

    >>> count_headings(["source", "Human", "MT A"]), count_headings(["doc", "id"])
    (2, 0)
    """
    own = [recognise_field(name, "") for name in header]
    # A lone cell may be a text, as in a file without headings.
    others = [find_heading(name) for name in header] if len(header) > 1 else []
    exact = [heading for heading in others if heading and not heading.has_more]
    has_texts = any(field and field.role in TEXT_ROLES for field in own)
    if not has_texts and not any(heading.is_text for heading in exact):
        return 0
    return max(len(own) - own.count(None), len(exact))


def check_headings(
    header: Sequence[str], names: ColumnNames | None, where: str, title: str
) -> None:
    """Refuse a first line that may be texts where it should have headings.

    The one column of a table may have a known heading, or the title of its file.
    """
    if names is not None or any(recognise_field(name, "") for name in header):
        return
    is_lone = len(header) == 1
    for name in header:
        heading = find_heading(name)
        if heading and (
            not heading.has_more or (is_lone and not re.search(r"\s", name))
        ):
            return
    if [title] == header or (is_lone and header[0].strip().lower() in _LONE):
        return
    for name in header:
        is_long = len(name) > _LONGEST_HEADING
        if is_lone or is_long or name.rstrip().endswith(_ENDS_OF_SENTENCES):
            reason = "" if re.search(r"\W", name) else ", which is not a known heading"
            msg = (
                f"{where} has {name[:60]!r} in its first line{reason}; add a line of "
                "headings, such as source, ref, output, or give `input_format` "
                "plain."
            )
            raise FormatError(msg)


#: Headings of texts in the one column of a table.
_LONE = ("text", "texts", "sentence", "sentences", "content", "string", "segment text")


def check_rows(
    rows: Sequence[Row], fields: Sequence[Field], place: str, noun: str
) -> None:
    """Refuse rows with a lone cell and no reference; warn of ends without a numeric id."""
    roles = [field.role for field in fields]
    lone = []
    for number, cells in rows if "reference" in roles and len(fields) > 2 else ():
        filled = [*filter(str.strip, cells)]
        if len(filled) == 1 and roles[cells.index(filled[0])] != "reference":
            lone.append(f"{noun} {number}: {filled[0][:60]!r} stands alone")
    if lone:
        listed = "; ".join(lone[:3]) + ("; …" if lone[3:] else "")
        msg = f"{place}, {listed}; remove the {noun}, or give its texts."
        raise FormatError(msg)
    for number, cells in list_odd_rows(rows, fields):
        shown = " | ".join(cell[:20] for cell in cells)
        msg = (
            f"{place}, {noun} {number} ({shown}) has no number among numbered {noun}s; "
            "remove it if it is not a segment."
        )
        warnings.warn(msg, TextWarning, stacklevel=2)


def list_odd_rows(rows: Sequence[Row], fields: Sequence[Field]) -> list[Row]:
    """List the first and the last row, if only they have no number in the column of ids."""
    numbered = [
        at for at, x in enumerate(fields) if is_segment_id(x) or is_row_number(x)
    ]
    if not numbered or len(rows) < _ENOUGH:
        return []
    odd = [x for x in rows if not re.fullmatch(r"[\d.]+", x.cells[numbered[0]].strip())]
    is_end = all(row in (rows[0], rows[-1]) for row in odd)
    return odd if is_end else []


_LONGEST_HEADING = 60
_ENDS_OF_SENTENCES = (".", "!", "?", "。", "！", "？", "।", "؟", "…")


def check_fields(fields: Sequence[Field], where: str) -> None:
    """Refuse a table without columns, or with two columns of one role and name."""
    if not fields:
        problem = f"{where} has no text columns"
        msg = f"{problem}; expected headings, such as source, ref, output."
        raise FormatError(msg)
    for index, field in enumerate(fields):
        if field in fields[:index]:
            problem = f"{where} has two columns for the {field.role} {field.name!r}"
            msg = f"{problem}; give each column its own name."
            raise FormatError(msg)


@dataclass(slots=True)
class _OpenColumn:
    """A column while its role is chosen."""

    heading: str
    #: What it is by a name of the user's or of ours.
    own: Field | None
    #: A role, or a kind of headings.tsv, or nothing if it is not known.
    kind: str
    #: Whether the heading names a system beside a known name.
    is_variant: bool = False
    #: The kind of content, if it is no text.
    content: str = ""
    is_known: bool = True


def choose_roles(
    header: Sequence[str],
    default_system: str,
    names: ColumnNames,
    where: str,
    sample: Sampler | None = None,
) -> Header:
    """Choose the role of each column, or say which may be several things."""
    given = names.get_fields()
    taken = {field.role for field in given.values()}
    columns = [
        _find_own(heading, default_system, names, given, taken) for heading in header
    ]
    references = [c for c in columns if c.kind == "reference"]
    for column in references if len(references) > 1 else ():
        if column.heading not in given and _VARIANT.search(column.heading.lower()):
            column.own, column.kind = Field("label", column.heading), "label"
    generic = Field("output", default_system)
    own_outputs = [c for c in columns if c.kind == "output"]
    for column in own_outputs if len(own_outputs) > 1 else ():
        if column.heading.strip().lower() == "translation" and column.own == generic:
            column.own, column.kind = None, "target"
    if any(column.own is None for column in columns):
        has_own_output = any(c.own and c.kind == "output" for c in columns)
        _find_kinds(columns, taken, not has_own_output, sample)
        _settle(columns, taken, has_own_output, where)
    fields = _name_fields(columns, generic)
    return Header(fields, _describe(columns, fields))


#: Ends of names of columns that are no further references.
_VARIANT = re.compile(r"[_.-](?:url|uri|link|id|lang|file|len|lower|lc|lowercased?)$")


def _find_own(
    heading: str,
    default_system: str,
    names: ColumnNames,
    given: dict[str, Field],
    taken: set[Role],
) -> _OpenColumn:
    own = given.get(heading)
    if own is None:
        own = recognise_field(heading, default_system)
        if own.role in taken if own else heading in names.labels:
            own = Field("label", heading)
    return _OpenColumn(heading, own, own.role if own else "")


def _find_kinds(
    columns: Sequence[_OpenColumn],
    taken: set[Role],
    needs_outputs: bool,
    sample: Sampler | None,
) -> None:
    """Find the kinds of columns with other names than ours."""
    others = [column for column in columns if column.own is None]
    by_name = {column.heading: find_heading(column.heading) for column in others}
    cells = []
    if sample and (needs_outputs or any(by_name.values())):
        cells = [*sample()]
        contents = [*map(classify_content, cells)]
        guides = [c.kind in ("source", "reference") for c in columns]
        # Where nothing is known to be text, all columns may be alike.
        if not all([*compress(contents, guides)] or contents):
            for column, content in zip(columns, contents, strict=True):
                column.content = content
    for column in others:
        heading = by_name[column.heading]
        if heading is not None:
            is_open = heading.is_doubtful and bool(cells) and not column.content
            column.kind = "" if is_open or heading.kind == "language" else heading.kind
            column.is_variant = heading.has_more
        if column.content or column.kind in taken or column.kind == "comment":
            column.kind = "label"
        column.is_known = column.kind != ""
    for column, own_cells in zip(columns, cells, strict=bool(cells)):
        filled = sum(bool(cell and cell.strip()) for cell in own_cells)
        if (
            not column.kind
            and len(own_cells) >= _ENOUGH
            and filled * 2 < len(own_cells)
        ):
            column.content = "mostly empty"


def _settle(
    columns: Sequence[_OpenColumn], taken: set[Role], has_own_output: bool, where: str
) -> None:
    """Choose a role for each column whose heading or content allows several."""
    unknown = [column for column in columns if not column.kind]
    is_open = bool(unknown) and not has_own_output
    if is_open and (doubtful := [column for column in unknown if column.content]):
        _refuse_doubts(columns, doubtful, where)
    for kind in ("human", "target"):
        kinds = {column.kind for column in columns}
        if "reference" in kinds | taken:
            role = "label" if has_own_output else "output"
        elif kind == "human":
            has_others = is_open or not kinds.isdisjoint(("output", "target"))
            role = "reference" if has_others else "output"
        else:
            role = "reference" if "output" in kinds else "output"
            if kind in kinds and role == "output" and is_open:
                _refuse_doubts(columns, unknown, where)
        _change_kind(columns, kind, role)
    _change_kind(columns, "", "label" if has_own_output else "output")
    for role in ("source", "document"):
        same = [column for column in columns if column.kind == role]
        first = [column for column in same if column.own] or same[: role == "document"]
        for column in same if first else ():
            if column.own is None and column not in first:
                column.kind = "label"


def _change_kind(columns: Sequence[_OpenColumn], kind: str, role: str) -> None:
    for column in columns:
        if column.kind == kind:
            column.kind = role


def _refuse_doubts(
    columns: Sequence[_OpenColumn], doubtful: Sequence[_OpenColumn], where: str
) -> None:
    names = ", ".join(repr(column.heading) for column in doubtful)
    listed = ", ".join(f"{c.heading} ({c.content or c.kind or '?'})" for c in columns)
    msg = (
        f"{where} has {names}, which may be the output of a system or something else; it "
        f"has: {listed}. Name the columns with `columns.outputs`=NAME=COLUMN and "
        f"`columns.references`=COLUMN, or rename them: {HELP}."
    )
    raise FormatError(msg)


def _name_fields(columns: Sequence[_OpenColumn], generic: Field) -> list[Field]:
    """Name the columns; a lone output goes by its file, several by their headings."""
    unnamed = [
        column
        for column in columns
        if column.kind == "output" and column.own in (None, generic)
    ]
    is_lone = len(unnamed) == 1 and unnamed[0].is_known and not unnamed[0].is_variant
    fields: list[Field] = []
    for column in columns:
        field = column.own or Field(column.kind, column.heading)  # type: ignore[arg-type]
        if column in unnamed:
            field = generic if is_lone else Field("output", column.heading)
        if column.own is None and field.role == "label":
            number = fields.count(field) + 1
            field = (
                field._replace(name=f"{field.name} ({number})") if number > 1 else field
            )
        fields.append(field)
    return fields


_NAMES: dict[Role, str] = {
    "source": "source",
    "reference": "ref",
    "output": "outputs",
    "document": "doc",
}
_MOST = 8


def _describe(columns: Sequence[_OpenColumn], fields: Sequence[Field]) -> str:
    """Say what columns were taken for, where their names do not tell."""
    roles = {
        role: [
            c.heading for c, f in zip(columns, fields, strict=True) if f.role == role
        ]
        for role in _NAMES
    }
    by_name = [Field("output", column.heading) for column in columns]
    is_plain = all(
        column.own or column.kind == "label" or field == output
        for column, field, output in zip(columns, fields, by_name, strict=True)
    )
    ignored = [c.heading for c in columns if c.own is None and c.kind == "label"]
    shown = ", ".join(ignored[:_MOST])
    if len(ignored) > _MOST:
        shown += f" and {len(ignored) - _MOST} more"
    named = (
        f"{_NAMES[role]}: {', '.join(roles[role])}" for role in roles if roles[role]
    )
    texts = "" if is_plain else ", ".join(named)
    return "; ".join(filter(None, [texts, shown and f"ignored: {shown}"]))
