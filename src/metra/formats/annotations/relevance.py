"""Queries, and which documents are relevant to them.

Queries: two columns with a tab between them, `query` and `text`, under a header. Relevance:
the form of TREC's qrels, four columns with blanks between them: query, 0, document, and
how relevant it is (0 if it is not).
"""

from collections.abc import Mapping

from metra.errors import FormatError
from metra.formats.annotations.table import read_annotation_table
from metra.formats.lines import read_lines
from metra.formats.table import BLANKS, split_rows

QREL_COLUMNS = 4


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
        if len(cells) != QREL_COLUMNS or not _is_number(cells[-1]):
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


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False
