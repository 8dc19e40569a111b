"""Files of weights: salience lists of words, and information weights of n-grams.

A salience list is a table with a line for each word. Its columns, in any order, are word,
document, tf, df, N, P_doc, P_rest, P_corp, tf.idf and S. A reader needs the word and the
weight it is asked for, or counts from which that follows (`frequencies`); without a document
column there is one list for all documents. Words are as the tokeniser leaves them. An empty
weight says that the word is not salient.

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
from metra.formats.annotations.frequencies import fill_salience
from metra.formats.lines import read_lines
from metra.formats.stream import compute_file_version
from metra.formats.table import DelimitedTable, read_table
from metra.text.salience import (
    Array,
    BadLine,
    Frequencies,
    Information,
    OutsideSalience,
    Tokens,
)

COLUMNS = (
    *("word", "document", "tf", "df", "N"),
    *("P_doc", "P_rest", "P_corp", "tf.idf", "S"),
)
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
    try:
        weight = float(cell)
    except ValueError:
        weight = math.nan
    if not math.isfinite(weight):
        place = f"Line {line} of {table.path}"
        msg = f"{place} has {cell!r} as {column}; expected a number."
        raise FormatError(msg)
    return weight


def format_salience_list(words: Frequencies | OutsideSalience) -> Iterator[str]:
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
        shown = (f"{number:.10g}" if number == number else "" for number in numbers)
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
