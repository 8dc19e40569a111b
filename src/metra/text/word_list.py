"""Lists of words with their salience: tab-separated, a header, a line for each word.

The columns, in any order, are word, document, tf, df, N, P_doc, P_rest, P_corp, tf.idf and
S. A reader needs the word and the weight it is asked for; without a document column there
is one list for all documents. Words are as the tokeniser leaves them. An empty weight says
that the word is not salient.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from metra._core import Tokens
from metra.errors import (
    FormatError,
    MissingResourceError,
    OptionError,
    UnknownNameError,
    no_such,
)
from metra.text.salience import Array, Frequencies

COLUMNS = (
    *("word", "document", "tf", "df", "N"),
    *("P_doc", "P_rest", "P_corp", "tf.idf", "S"),
)
#: What each weight's column is called.
WEIGHTS = {"tfidf": "tf.idf", "s": "S"}


@dataclass(frozen=True)
class GivenList:
    """The words of a file with their weights, documents one after the other."""

    words: Frequencies
    salience: Array
    by_document: bool


def lines(found: Frequencies) -> Iterator[str]:
    """Write the list, a line at a time, the header first."""
    yield "\t".join(COLUMNS)
    columns = zip(
        found.word.tolist(),
        found.document.tolist(),
        found.tf.tolist(),
        found.df.tolist(),
        *(
            column.tolist()
            for column in (
                *(found.p_doc, found.p_rest, found.p_corp),
                *(found.tfidf, found.s),
            )
        ),
        strict=True,
    )
    documents = len(found.documents)
    for word, document, tf, df, *numbers in columns:
        text, name = found.words[word], found.documents[document]
        if any(sign in text + name for sign in "\t\n"):
            msg = (
                f"The list cannot be written: {text!r} of document {name!r} has a tab or a "
                "newline in it; choose another tokeniser, or other names."
            )
            raise OptionError(msg)
        shown = (f"{number:.10g}" if number == number else "" for number in numbers)
        yield "\t".join([text, name, str(tf), str(df), str(documents), *shown])


def read_list(path: str | Path, weight: str) -> GivenList:
    """Read the words with one of their weights, tfidf or s."""
    column = WEIGHTS[weight]
    table = read_table(path, ("word", column))
    at = [table.header.index(name) for name in ("word", column)]
    by_document = "document" in table.header
    home = table.header.index("document") if by_document else None
    documents: dict[str, dict[str, float]] = {}
    for number, cells in table.rows:
        word, value = (cells[place] for place in at)
        document = "" if home is None else cells[home]
        words = documents.setdefault(document, {})
        if word in words:
            where = f" of document {document!r}" if by_document else ""
            msg = (
                f"Line {number} of {path} has {word!r}{where} again; expected it once."
            )
            raise FormatError(msg)
        words[word] = table.number(number, column, value)
    if not documents:
        msg = f"{path} has no words below its header; expected a line for each."
        raise FormatError(msg)
    tokens = Tokens([[*words] for words in documents.values()])
    salience = [value for words in documents.values() for value in words.values()]
    found = Frequencies([(tokens, [*documents])])
    return GivenList(found, np.array(salience), by_document)


@dataclass(frozen=True)
class Table:
    """The header and the numbered lines of a list."""

    path: str | Path
    header: list[str]
    rows: list[tuple[int, list[str]]]

    def number(self, line: int, column: str, cell: str) -> float:
        """Read a number; NaN where the cell is empty."""
        if not cell:
            return float("nan")
        try:
            found = float(cell)
        except ValueError:
            found = float("nan")
        if not np.isfinite(found):
            msg = f"Line {line} of {self.path} has {cell!r} as {column}; expected a number."
            raise FormatError(msg)
        return found


def read_table(path: str | Path, needed: tuple[str, ...]) -> Table:
    """Read a list and check that it has these columns, and as many cells on every line."""
    try:
        text = _content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 at byte {error.start}; expected a text file."
        raise FormatError(msg) from None
    first, *rest = (line.removesuffix("\r") for line in text.split("\n"))
    header = first.split("\t")
    for name in needed:
        if name not in header:
            msg = (
                f"Line 1 of {path} names no column {name!r}; it has: {', '.join(header)}. "
                f"A list has some of {', '.join(COLUMNS)}, with tabs between them."
            )
            raise FormatError(msg)
    rows = []
    for number, line in enumerate(rest, 2):
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) != len(header):
            msg = (
                f"Line {number} of {path} has {len(cells)} cells; expected "
                f"{len(header)}, as the header has."
            )
            raise FormatError(msg)
        rows.append((number, cells))
    return Table(path, header, rows)


def ranked(
    table: Table, by: str, document: str | None = None
) -> dict[str, list[list[str]]]:
    """Give the lines of each document, or of one, by a weight: the heaviest first.

    Words without the weight come last; equal ones stay in the order of the file.
    """
    column = WEIGHTS[by]
    place = table.header.index(column)
    home = table.header.index("document") if "document" in table.header else None
    found: dict[str, list[tuple[float, list[str]]]] = {}
    for line, cells in table.rows:
        name = "all documents" if home is None else cells[home]
        value = table.number(line, column, cells[place])
        entry = (-value if value == value else float("inf"), cells)
        found.setdefault(name, []).append(entry)
    if document is not None:
        if document not in found:
            raise UnknownNameError(no_such("document", document, found))
        found = {document: found[document]}
    return {
        name: [cells for _, cells in sorted(entries, key=lambda entry: entry[0])]
        for name, entries in found.items()
    }


def list_version(path: str | Path) -> str:
    """Name the file with a digest of what is in it, for signatures."""
    return f"{path}[sha256:{sha256(_content(path)).hexdigest()[:12]}]"


def _content(path: str | Path) -> bytes:
    if not Path(path).is_file():
        msg = f"There is no list of words at {path}; `metra weights build` makes one."
        raise MissingResourceError(msg)
    return Path(path).read_bytes()
