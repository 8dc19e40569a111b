"""Files of weights: salience lists of words, and information weights of n-grams.

A salience list is a table with a line for each word. Its columns, in any order, are word,
document, tf, df, N, P_doc, P_rest, P_corp, tf.idf and S. A reader needs the word and the
weight it is asked for, or counts from which that follows; without a document column there
is one list for all documents. Words are as the tokeniser leaves them. An empty weight says
that the word is not salient.

With a document column, tf is how often the document has the word; a list of counts is then
taken for the whole of its documents, and df, N and relative frequencies are counted. Without
one, tf, df and N give tf.idf alone.

A file of NIST's information weights has an n-gram, a tab and its weight on each line.
"""

import math
from collections import Counter
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
from metra.text.salience import (
    Array,
    BadLine,
    Frequencies,
    Information,
    Tokens,
    compute_s_scores,
    compute_tfidf,
)

COUNTS = ("tf", "df", "N")
SHARES = ("P_doc", "P_rest", "P_corp")
COLUMNS = ("word", "document", *COUNTS, *SHARES, "tf.idf", "S")
#: What each weight's column is called.
WEIGHTS = {"tfidf": "tf.idf", "s": "S"}

#: From which other columns a weight follows.
_FOLLOWS = {
    "tf.idf": " tf.idf is computed from tf, df and N, or from document and tf.",
    "S": " S is computed from document and tf.",
}
_NO_LIST = "No word list at {}; `metra weights build` writes one."
_NO_INFORMATION = "No file of information weights at {}."


@dataclass(frozen=True)
class SalienceList:
    """The words of a file with their weights, documents one after the other."""

    words: Frequencies
    salience: Array
    by_document: bool


def read_salience_list(path: str | Path, weight: str) -> SalienceList:
    """Read the words with one of their weights, tfidf or s."""
    column = WEIGHTS[weight]
    table = read_salience_table(path, ("word", column))
    word_index, weight_index = (table.header.index(name) for name in ("word", column))
    document_index = _find_documents(table)
    documents: dict[str, dict[str, float]] = {}
    for line, cells in table.rows:
        word = cells[word_index]
        document = "" if document_index is None else cells[document_index]
        weights = documents.setdefault(document, {})
        if word in weights:
            where = "" if document_index is None else f" of document {document!r}"
            msg = f"Line {line} of {path} has {word!r}{where} again; expected it once."
            raise FormatError(msg)
        weights[word] = _parse_weight(table, line, column, cells[weight_index])
    if not documents:
        msg = f"{path} has no words below its header; expected a line for each."
        raise FormatError(msg)
    tokens = Tokens([[*weights] for weights in documents.values()])
    salience = [value for weights in documents.values() for value in weights.values()]
    words = Frequencies([(tokens, [*documents])])
    return SalienceList(words, np.array(salience), document_index is not None)


def read_salience_table(path: str | Path, needed: Sequence[str]) -> DelimitedTable:
    """Read a list as a table that has these columns; weights may follow from counts."""
    _check_exists(path, _NO_LIST)
    table = read_table(str(path), skip_empty=True)
    filled = table
    if not {*needed} <= {*table.header}:
        filled = fill_salience(table)
    for name in needed:
        if name not in filled.header:
            msg = (
                f"Line {table.line} of {path} has no column {name!r}; it has: "
                f"{', '.join(table.header)}. A list has some of {', '.join(COLUMNS)}, "
                f"separated by tabs.{_FOLLOWS.get(name, '')}"
            )
            raise FormatError(msg)
    return filled


#: What can be computed, in the order of a list's columns.
COMPUTED = (*COUNTS[1:], *SHARES, "tf.idf", "S")


def fill_salience(table: DelimitedTable) -> DelimitedTable:
    """Add the columns of a list that follow from its counts; the others stay as they are."""
    if not {"word", "tf"} <= {*table.header} or {*COMPUTED} <= {*table.header}:
        return table
    rows = list(table.rows)
    columns = _compute_columns(table, rows, _read_columns(table, rows))
    added = [name for name in COMPUTED if name in columns and name not in table.header]
    if not added:
        return table._replace(rows=rows)
    numbers = zip(*(columns[name].tolist() for name in added), strict=True)
    filled = [
        Row(line, [*cells, *map(_format_number, more)])
        for (line, cells), more in zip(rows, numbers, strict=True)
    ]
    return table._replace(header=[*table.header, *added], rows=filled)


def _read_columns(table: DelimitedTable, rows: Sequence[Row]) -> dict[str, Array]:
    """Read the numbers that the list has, weights left out."""
    expected = dict.fromkeys(COUNTS, "a whole number of at least 1")
    expected |= dict.fromkeys(SHARES, "a share of at most 1")
    return {
        name: _read_numbers(table, rows, name, wanted)
        for name, wanted in expected.items()
        if name in table.header
    }


def _compute_columns(
    table: DelimitedTable, rows: Sequence[Row], given: dict[str, Array]
) -> dict[str, Array]:
    """Compute the columns that follow from the given ones."""
    columns = dict(given)
    if "document" in table.header:
        columns = _count_documents(table, rows, given["tf"]) | columns
    if not {"df", "N"} <= {*columns}:
        return columns
    df, size = columns["df"], columns["N"]
    for (line, _), spread, documents in zip(
        rows, df.tolist(), size.tolist(), strict=True
    ):
        if spread > documents:
            msg = (
                f"Line {line} of {table.path} has df {spread:g} of N {documents:g}; a word "
                "cannot be in more documents than there are."
            )
            raise FormatError(msg)
    columns["tf.idf"] = compute_tfidf(columns["tf"], df, size)
    shares = [columns.get(name) for name in SHARES]
    if all(share is not None for share in shares):
        p_doc, p_rest, p_corp = (np.asarray(share) for share in shares)
        columns["S"] = compute_s_scores(p_doc, p_rest, p_corp, df, size)
    return columns


def _count_documents(
    table: DelimitedTable, rows: Sequence[Row], tf: Array
) -> dict[str, Array]:
    """Count what the lists of all documents together say about each word."""
    places = [table.header.index(name) for name in ("word", "document")]
    pairs = [(row.cells[places[0]], row.cells[places[1]]) for row in rows]
    repeated = next((at for at, times in Counter(pairs).items() if times > 1), None)
    if repeated:
        word, document = repeated
        msg = f"{table.path} has {word!r} of document {document!r} again; expected it once."
        raise FormatError(msg)
    spread = Counter(word for word, _ in pairs)
    counts: Counter[str] = Counter()
    lengths: Counter[str] = Counter()
    for (word, document), count in zip(pairs, tf.tolist(), strict=True):
        counts[word] += int(count)
        lengths[document] += int(count)
    everywhere = np.array([counts[word] for word, _ in pairs], np.float64)
    here = np.array([lengths[document] for _, document in pairs], np.float64)
    total = lengths.total()
    rest = total - here
    return {
        "df": np.array([spread[word] for word, _ in pairs], np.float64),
        "N": np.full(len(pairs), len(lengths), np.float64),
        "P_doc": tf / here,
        "P_rest": np.where(
            rest > 0, (everywhere - tf) / np.where(rest > 0, rest, 1), 0
        ),
        "P_corp": everywhere / max(total, 1),
    }


def _read_numbers(
    table: DelimitedTable, rows: Sequence[Row], name: str, expected: str
) -> Array:
    """Read a column of counts, or of shares, of which only P_rest may be 0."""
    index, is_count = table.header.index(name), name in COUNTS
    numbers = []
    for line, cells in rows:
        cell = cells[index]
        number = _parse_number(cell)
        if is_count:
            is_valid = cell.isascii() and cell.isdecimal() and number >= 1
        else:
            is_valid = 0 < number <= 1 or (number == 0 and name == "P_rest")
        if not is_valid:
            raise FormatError(_describe_cell(table, line, name, cell, expected))
        numbers.append(number)
    return np.array(numbers)


def _describe_cell(
    table: DelimitedTable, line: int, name: str, cell: str, expected: str
) -> str:
    return f"Line {line} of {table.path} has {cell!r} as {name}; expected {expected}."


def _parse_number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


def _format_number(number: float) -> str:
    """Write a number as lists have them; nothing for NaN."""
    return f"{number:.10g}" if number == number else ""


def rank_words(
    table: DelimitedTable, by: str, document: str | None = None
) -> dict[str, list[list[str]]]:
    """Return the rows of each document, or of one, by a weight: the heaviest first.

    Words without the weight come last; equal ones stay in the order of the file.
    """
    column = WEIGHTS[by]
    weight_index = table.header.index(column)
    document_index = _find_documents(table)
    entries: dict[str, list[tuple[float, list[str]]]] = {}
    for line, cells in table.rows:
        name = "all documents" if document_index is None else cells[document_index]
        weight = _parse_weight(table, line, column, cells[weight_index])
        order = math.inf if math.isnan(weight) else -weight
        entries.setdefault(name, []).append((order, cells))
    if document is not None:
        if document not in entries:
            raise UnknownNameError(no_such("document", document, entries))
        entries = {document: entries[document]}
    for rows in entries.values():
        rows.sort(key=itemgetter(0))
    return {name: [cells for _, cells in rows] for name, rows in entries.items()}


def _find_documents(table: DelimitedTable) -> int | None:
    return table.header.index("document") if "document" in table.header else None


def _parse_weight(table: DelimitedTable, line: int, column: str, cell: str) -> float:
    """Parse a weight; NaN where the cell is empty."""
    if not cell:
        return math.nan
    weight = _parse_number(cell)
    if not math.isfinite(weight):
        raise FormatError(_describe_cell(table, line, column, cell, "a number"))
    return weight


def format_salience_list(words: Frequencies) -> Iterator[str]:
    """Yield the lines of a list, the header first."""
    yield "\t".join(COLUMNS)
    counts = (words.word, words.document, words.tf, words.df)
    weights = (words.p_doc, words.p_rest, words.p_corp, words.tfidf, words.s)
    columns = zip(*(each.tolist() for each in (*counts, *weights)), strict=True)
    documents = words.size
    for word, document, tf, df, *numbers in columns:
        text, name = words.words[word], words.documents[document]
        if any(sign in text + name for sign in "\t\n"):
            msg = (
                f"The list cannot be written: {text!r} of document {name!r} contains "
                "a tab or a newline; choose another tokeniser, or other names."
            )
            raise OptionError(msg)
        shown = map(_format_number, numbers)
        yield "\t".join([text, name, str(tf), str(df), str(documents), *shown])


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
