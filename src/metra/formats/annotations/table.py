"""Tables of annotations: named columns, and the segment or document each row is about.

Terms that a translation is to use, names in a text, in a table or marked in the text, and
queries with their relevant documents. TREC's qrels have four columns with blanks between
them: query, 0, document and a degree of relevance, 0 for none.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from metra.errors import FormatError
from metra.formats.headed_table import is_number, read_headed_table
from metra.formats.lines import read_lines
from metra.formats.stream import split_file_name
from metra.formats.table import BLANKS, split_rows

T = TypeVar("T")

#: What separates several values in one cell.
BETWEEN = "|"


class AnnotationRow(NamedTuple):
    """A row of the table: the number of its line, counted from 1, and its cells by column."""

    line: int
    cells: dict[str, str]

    def list_values(self, column: str) -> tuple[str, ...]:
        """Return the values of a cell that may hold several, `|` between them."""
        values = map(str.strip, self.cells.get(column, "").split(BETWEEN))
        return tuple(filter(None, values))


class AnnotationTable(NamedTuple):
    """A file's columns and its rows."""

    path: str
    columns: Sequence[str]
    rows: Sequence[AnnotationRow]

    def error(self, row: AnnotationRow, problem: str, expected: str) -> FormatError:
        """Build the error for a row: where, what was found and what was expected."""
        return FormatError(f"{self.path}, line {row.line}: {problem}; {expected}.")


@dataclass(frozen=True, slots=True)
class PlacedAnnotations(Generic[T]):
    """Annotations of a text: by segment, counted from 0, by document, or of all of it."""

    path: str
    segments: Mapping[int, Sequence[T]]
    documents: Mapping[str, Sequence[T]]
    everywhere: Sequence[T] = ()


def read_annotation_table(
    path: str, needed: Sequence[str], known: Collection[str]
) -> AnnotationTable:
    """Read a table that has the needed columns and, of the others, only known ones.

    Names of columns are compared without letter case; blanks around cells and empty lines
    are left out.
    """
    expected = f"a header with the columns {', '.join(needed)}"

    def count_known(header: Sequence[str]) -> int:
        return len({cell.strip().lower() for cell in header} & {*known})

    table = read_headed_table(path, count_known, skip_empty=True, expected=expected)
    columns = [cell.strip().lower() for cell in table.header]
    _check_header(f"{table.path}, line {table.line}", columns, needed, known)
    rows = []
    for line, cells in table.rows:
        by_column = dict(zip(columns, map(str.strip, cells), strict=True))
        rows.append(AnnotationRow(line, by_column))
    return AnnotationTable(table.path, columns, rows)


def _check_header(
    place: str, columns: list[str], needed: Sequence[str], known: Collection[str]
) -> None:
    listed = f"the header is: {', '.join(columns)}"
    for name in needed:
        if name not in columns:
            expected = f"Expected {', '.join(needed)}"
            msg = f"{place}: the column {name!r} is missing; {listed}. {expected}."
            raise FormatError(msg)
    for name in columns:
        if columns.count(name) > 1:
            msg = f"{place}: two columns are named {name!r}; {listed}."
            raise FormatError(msg)
        if name not in known:
            problem = f"{place}: the column {name!r} is unknown"
            msg = f"{problem}; known columns are {', '.join(sorted(known))}."
            raise FormatError(msg)


def place_annotations(
    table: AnnotationTable,
    parse: Callable[[AnnotationRow], T],
    *,
    somewhere: bool = False,
) -> PlacedAnnotations[T]:
    """Put each row where its columns say; with `somewhere`, each has to say that."""
    segments: dict[int, list[T]] = {}
    documents: dict[str, list[T]] = {}
    everywhere: list[T] = []
    for row in table.rows:
        entry = parse(row)
        segment = _parse_segment_index(table, row)
        document = row.cells.get("document", "")
        if segment is not None:
            segments.setdefault(segment, []).append(entry)
        elif document:
            documents.setdefault(document, []).append(entry)
        elif somewhere:
            problem = "segment and document are both missing"
            raise table.error(row, problem, "every line needs one")
        else:
            everywhere.append(entry)
    return PlacedAnnotations(table.path, segments, documents, everywhere)


def _parse_segment_index(table: AnnotationTable, row: AnnotationRow) -> int | None:
    """Parse the number of a segment, counted from 1 in files and from 0 inside."""
    cell = row.cells.get("segment", "")
    if not cell:
        return None
    if not (cell.isascii() and cell.isdecimal() and 0 < int(cell[:16]) < 10**15):
        expected = "expected its number, counted from 1"
        raise table.error(row, f"the segment is {cell!r}", expected)
    return int(cell) - 1


_TERM_COLUMNS = {"term", "variants", "source", "document", "segment"}


class Term(NamedTuple):
    """A term, what else may stand for it, and the source's term, empty if not given."""

    term: str
    variants: tuple[str, ...]
    source: str


def read_terms(path: str) -> PlacedAnnotations[Term]:
    """Read a table of terms.

    It has the column `term` and may have `variants` (`|` between them), `source` (the
    source's term), and `segment`, counted from 1, or `document`, where a term belongs to
    one of these only.
    """
    table = read_annotation_table(path, ["term"], _TERM_COLUMNS)

    def parse(row: AnnotationRow) -> Term:
        term = row.cells["term"]
        if not term:
            raise table.error(row, "the term is empty", "every line needs one")
        return Term(term, row.list_values("variants"), row.cells.get("source", ""))

    return place_annotations(table, parse)


_MARKED = re.compile(r"\[\[(.*?)\|([^\[\]|]*)\]\]")

_ENTITY_COLUMNS = {"segment", "document", "type", "text", "variants"}
_EXPECTED = "expected [[the name|TYPE]]"


class Entity(NamedTuple):
    """A name as it is written, and its type, such as PERSON."""

    type: str
    text: str
    #: Other forms that will do.
    variants: tuple[str, ...] = ()


def read_entities(path: str) -> PlacedAnnotations[Entity]:
    """Read names: a table (.tsv), or a text with a line a segment and marked names.

    The table has the columns `type` and `text` and one or both of `segment`, counted
    from 1, and `document`; `variants` may list other forms, `|` between them.
    """
    is_table = split_file_name(path)[1].lower() == ".tsv"
    return (_read_entity_table if is_table else _read_marked_text)(path)


def _read_entity_table(path: str) -> PlacedAnnotations[Entity]:
    table = read_annotation_table(path, ["type", "text"], _ENTITY_COLUMNS)
    if not {"segment", "document"} & set(table.columns):
        problem = f"{path} does not give the place of its names"
        msg = f"{problem}; expected a column segment or document beside type and text."
        raise FormatError(msg)

    def parse(row: AnnotationRow) -> Entity:
        for name in ("type", "text"):
            if not row.cells[name]:
                raise table.error(row, f"the {name} is empty", "every name needs both")
        variants = row.list_values("variants")
        return Entity(row.cells["type"], row.cells["text"], variants)

    return place_annotations(table, parse, somewhere=True)


def _read_marked_text(path: str) -> PlacedAnnotations[Entity]:
    segments: dict[int, list[Entity]] = {}
    for segment, line in enumerate(read_lines(path)):
        place = f"{path}, line {segment + 1}"
        left = _MARKED.sub("", line)
        if "[[" in left or "]]" in left:
            msg = f"{place}: [[ or ]] occurs outside a mark; {_EXPECTED}."
            raise FormatError(msg)
        for mark in _MARKED.finditer(line):
            entity = Entity(mark[2].strip(), mark[1].strip())
            if not entity.type or not entity.text:
                msg = f"{place}: {mark[0]!r} is incomplete; {_EXPECTED}."
                raise FormatError(msg)
            segments.setdefault(segment, []).append(entity)
    if not segments:
        msg = f"{path} has no marked names; {_EXPECTED}, or a table whose name ends in .tsv."
        raise FormatError(msg)
    return PlacedAnnotations(path, segments, {})


def read_queries(path: str) -> dict[str, str]:
    """Read the queries by name."""
    table = read_annotation_table(path, ("query", "text"), ("query", "text"))
    queries: dict[str, str] = {}
    for row in table.rows:
        name, text = row.cells["query"], row.cells["text"]
        if not name or not text:
            raise table.error(row, "an empty cell", "expected a name and a text")
        if name in queries:
            raise table.error(row, f"a second query {name!r}", "expected another name")
        queries[name] = text
    if not queries:
        msg = f"{path} has no queries below its header; expected at least one."
        raise FormatError(msg)
    return queries


def read_qrels(path: str) -> dict[str, Mapping[str, float]]:
    """Read how relevant documents are to queries: by query, then by document."""
    degrees: dict[str, dict[str, float]] = {}
    lines = read_lines(path)
    for number, cells in split_rows(lines, BLANKS):
        if not cells:
            continue
        if len(cells) != 4 or not is_number(cells[-1]):
            msg = (
                f"{path}, line {number}: {lines[number - 1]!r}; expected query, 0, "
                "document and a degree of relevance."
            )
            raise FormatError(msg)
        query, _, document, degree = cells
        if document in degrees.setdefault(query, {}):
            msg = f"{path}, line {number}: {document} is judged twice for {query}."
            raise FormatError(msg)
        degrees[query][document] = max(float(degree), 0.0)
    return dict(degrees)
