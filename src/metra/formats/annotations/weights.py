"""Files of weights: salience lists of words, and information weights of n-grams.

A salience list is a table with a line for each word. Its columns, in any order, are word,
document, tf, df, N, P_doc, P_rest, P_corp, tf.idf and S. A reader needs the word and the
weight it is asked for, or counts from which that follows; without a document column there
is one list for all documents. Words are as the tokeniser leaves them. An empty weight says
that the word is not salient.

A list may hold counts instead: tf, df and N give tf.idf. With a document column, word and
tf are the counts of whole documents, from which both weights follow.

A file of NIST's information weights has an n-gram, a tab and its weight on each line.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

import numpy as np

from metra.errors import (
    FormatError,
    MissingResourceError,
    OptionError,
    UnknownNameError,
    no_such,
)
from metra.formats.lines import read_lines
from metra.formats.stream import compute_file_version
from metra.formats.table import DelimitedTable, Row, read_table
from metra.limits import check_limit
from metra.text.salience import (
    Array,
    BadLine,
    Information,
    Salience,
    Tokens,
    compute_tfidf,
)

COUNTS = ("tf", "df", "N")
SHARES = ("P_doc", "P_rest", "P_corp")
COLUMNS = ("word", "document", *COUNTS, *SHARES, "tf.idf", "S")
#: What each weight's column is called.
WEIGHTS = {"tfidf": "tf.idf", "s": "S"}

#: From which other columns a weight follows.
_FOLLOWS = {
    "tf.idf": " tf.idf is computed from tf, df and N, or from document and tf alone.",
    "S": " S is computed from document and tf alone.",
}
_NO_LIST = "No word list at {}; `metra weights build` writes one."
_NO_INFORMATION = "No file of information weights at {}."


@dataclass(frozen=True)
class SalienceList:
    """The words of a file with their weights, documents one after the other."""

    words: Salience
    salience: Array
    by_document: bool


def read_salience_list(path: str | Path, weight: str) -> SalienceList:
    """Read the words with one of their weights, tfidf or s, or compute it from counts."""
    column = WEIGHTS[weight]
    table = _read_list(path)
    entries = _index_words(table)
    rows = [row for words in entries.values() for row in words.values()]
    tokens = Tokens([[*words] for words in entries.values()])
    words = Salience([(tokens, [*entries])])
    by_document = "document" in table.header
    if column in table.header:
        salience = np.array([_parse_weight(table, row, column) for row in rows])
        return SalienceList(words, salience, by_document)
    if column == "tf.idf" and {*COUNTS} <= {*table.header}:
        tf, df, size = (_read_counts(table, rows, name) for name in COUNTS)
        _check_spread(table, rows, df, size)
        return SalienceList(words, compute_tfidf(tf, df, size), by_document)
    if not by_document or {*table.header} != {"word", "document", "tf"}:
        _check_columns(table, (column,))
    tf = _read_counts(table, rows, "tf")
    check_limit("tokens", int(tf.sum()), table.path)
    counts = iter(tf.tolist())
    repeated = [
        [word for word in words for _ in range(int(next(counts)))]
        for words in entries.values()
    ]
    words = Salience([(Tokens(repeated), [*entries])])
    return SalienceList(words, words.column(column), True)


def read_salience_table(path: str | Path, needed: Sequence[str]) -> DelimitedTable:
    """Read a list as a table that has these columns."""
    table = _read_list(path)
    _check_columns(table, needed)
    return table


def _read_list(path: str | Path) -> DelimitedTable:
    _check_exists(path, _NO_LIST)
    table = read_table(str(path), skip_empty=True)
    _check_columns(table, ("word",))
    return table


def _check_columns(table: DelimitedTable, needed: Sequence[str]) -> None:
    for name in needed:
        if name not in table.header:
            msg = (
                f"Line {table.line} of {table.path} has no column {name!r}; it has: "
                f"{', '.join(table.header)}. A list has some of {', '.join(COLUMNS)}, "
                f"separated by tabs.{_FOLLOWS.get(name, '')}"
            )
            raise FormatError(msg)


def _index_words(table: DelimitedTable) -> dict[str, dict[str, Row]]:
    """Return the row of each word of each document; no word may come twice."""
    word_index, document_index = table.header.index("word"), _find_documents(table)
    entries: dict[str, dict[str, Row]] = {}
    for row in table.rows:
        word = row.cells[word_index]
        document = "" if document_index is None else row.cells[document_index]
        words = entries.setdefault(document, {})
        if word in words:
            where = "" if document_index is None else f" of document {document!r}"
            place = f"Line {row.line} of {table.path}"
            msg = f"{place} has {word!r}{where} again; expected it once."
            raise FormatError(msg)
        words[word] = row
    if not entries:
        msg = f"{table.path} has no words below its header; expected a line for each."
        raise FormatError(msg)
    return entries


def _read_counts(table: DelimitedTable, rows: Sequence[Row], name: str) -> Array:
    """Read a column of counts."""
    index = table.header.index(name)
    for line, cells in rows:
        cell = cells[index]
        if not (cell.isascii() and cell.isdecimal() and 0 < int(cell[:16]) < 10**15):
            expected = "a whole number of at least 1"
            raise FormatError(_describe_cell(table, line, name, cell, expected))
    return np.array([float(row.cells[index]) for row in rows])


def _check_spread(
    table: DelimitedTable, rows: Sequence[Row], df: Array, size: Array
) -> None:
    """Refuse a word with more documents than the corpus has."""
    for at in np.flatnonzero(df > size)[:1]:
        msg = (
            f"Line {rows[at].line} of {table.path} has df {df[at]:g} of N {size[at]:g}; a "
            "word cannot be in more documents than there are."
        )
        raise FormatError(msg)


def _describe_cell(
    table: DelimitedTable, line: int, name: str, cell: str, expected: str
) -> str:
    return f"Line {line} of {table.path} has {cell!r} as {name}; expected {expected}."


def rank_words(
    table: DelimitedTable, by: str, document: str | None = None
) -> dict[str, list[list[str]]]:
    """Return the rows of each document, or of one, by a weight: the heaviest first.

    Words without the weight come last; equal ones stay in the order of the file.
    """
    document_index = _find_documents(table)
    entries: dict[str, list[tuple[float, list[str]]]] = {}
    for row in table.rows:
        name = "all documents" if document_index is None else row.cells[document_index]
        weight = _parse_weight(table, row, WEIGHTS[by])
        order = math.inf if math.isnan(weight) else -weight
        entries.setdefault(name, []).append((order, row.cells))
    if document is not None:
        if document not in entries:
            raise UnknownNameError(no_such("document", document, entries))
        entries = {document: entries[document]}
    for rows in entries.values():
        rows.sort(key=itemgetter(0))
    return {name: [cells for _, cells in rows] for name, rows in entries.items()}


def _find_documents(table: DelimitedTable) -> int | None:
    return table.header.index("document") if "document" in table.header else None


def _parse_weight(table: DelimitedTable, row: Row, column: str) -> float:
    """Parse a weight; NaN where the cell is empty."""
    cell = row.cells[table.header.index(column)]
    if not cell:
        return math.nan
    try:
        weight = float(cell)
    except ValueError:
        weight = math.nan
    if not math.isfinite(weight):
        raise FormatError(_describe_cell(table, row.line, column, cell, "a number"))
    return weight


def format_salience_list(counts: Salience) -> Iterator[str]:
    """Yield the lines of a list, the header first."""
    yield "\t".join(COLUMNS)
    words, documents = counts.words, counts.documents
    whole = (counts.column(name) for name in ("word", "document", "tf", "df"))
    shares = (counts.column(name) for name in (*SHARES, *WEIGHTS.values()))
    columns = (*(column.astype(np.int64) for column in whole), *shares)
    entries = zip(*(column.tolist() for column in columns), strict=True)
    for word, document, tf, df, *numbers in entries:
        text, name = words[word], documents[document]
        if any(sign in text + name for sign in "\t\n"):
            msg = (
                f"The list cannot be written: {text!r} of document {name!r} contains "
                "a tab or a newline; choose another tokeniser, or other names."
            )
            raise OptionError(msg)
        shown = (f"{number:.10g}" if number == number else "" for number in numbers)
        yield "\t".join([text, name, str(tf), str(df), str(len(documents)), *shown])


def compute_list_version(path: str | Path) -> str:
    """Return a list's path with a digest of its bytes, for signatures."""
    _check_exists(path, _NO_LIST)
    return compute_file_version(str(path))


def _check_exists(path: str | Path, message: str) -> None:
    if not Path(path).is_file():
        raise MissingResourceError(message.format(path))


def read_information(path: str | Path, order: int) -> Information:
    """Read the weights of the n-grams of up to `order` words."""
    _check_exists(path, _NO_INFORMATION)
    try:
        return Information.given("\n".join(read_lines(str(path))), order)
    except BadLine as error:
        line, text = error.args
        problem = f"Line {line} of {path} is {text!r}"
        msg = f"{problem}; expected an n-gram, a tab and its weight."
        raise FormatError(msg) from None


def write_information(information: Information, path: str | Path) -> None:
    """Write the weights so that `read_information`, and `nist:info=FILE`, reads them."""
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        for n in range(1, information.order + 1):
            lines = information.lines(n)
            if lines is None:
                msg = (
                    "The weights cannot be written: a word contains a space, a tab "
                    "or a newline; choose a tokeniser that splits at white space."
                )
                raise OptionError(msg)
            file.write(lines)


def compute_information_version(path: str | Path) -> str:
    """Return the file's path with a digest of its bytes, for signatures."""
    _check_exists(path, _NO_INFORMATION)
    return compute_file_version(str(path))
