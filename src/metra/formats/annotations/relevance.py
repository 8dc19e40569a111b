"""Queries, and which documents are relevant to them.

Queries: two columns with a tab between them, `query` and `text`, under a header. Relevance:
the form of TREC's qrels, four columns with blanks between them: query, 0, document, and
how relevant it is (0 if it is not).
"""

from collections.abc import Mapping

from metra.errors import FormatError
from metra.formats.table import read_lines, read_table

QREL_COLUMNS = 4


def read_queries(path: str) -> dict[str, str]:
    """Read the queries by name."""
    table = read_table(path, ("query", "text"), ("query", "text"))
    queries: dict[str, str] = {}
    for row in table.rows:
        name, text = row.cells["query"], row.cells["text"]
        if not name or not text:
            raise table.refuse(row, "an empty cell", "expected a name and a text")
        if name in queries:
            raise table.refuse(row, f"a second query {name!r}", "expected another name")
        queries[name] = text
    if not queries:
        msg = f"{path} has no queries under its header; expected at least one."
        raise FormatError(msg)
    return queries


def read_qrels(path: str) -> dict[str, Mapping[str, float]]:
    """Read how relevant documents are to queries: by query, then by document."""
    found: dict[str, dict[str, float]] = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        cells = line.split()
        if len(cells) != QREL_COLUMNS or not _is_number(cells[-1]):
            msg = (
                f"{path}, line {number}: {line!r}; expected query, 0, document and a "
                "number that says how relevant it is."
            )
            raise FormatError(msg)
        query, _, document, degree = cells
        if document in found.setdefault(query, {}):
            msg = f"{path}, line {number}: {document} is judged twice for {query}."
            raise FormatError(msg)
        found[query][document] = max(float(degree), 0.0)
    return dict(found)


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False
