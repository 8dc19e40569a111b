"""Lists of words with their salience: tab-separated, a header, a line for each word.

The columns, in any order, are word, document, tf, df, N, P_doc, P_rest, P_corp, tf.idf and
S. A reader needs the word and the weight it is asked for; without a document column there
is one list for all documents. Words are as the tokeniser leaves them. An empty weight says
that the word is not salient.

How salient words are in their documents: counts, tf.idf and S-scores.
Files of NIST's information weights: an n-gram, a tab and its weight on each line.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra._core import BadLine, Information, Salience, Tokens, WordWeights
from metra.errors import (
    CorpusError,
    FormatError,
    MissingResourceError,
    OptionError,
    UnknownNameError,
    no_such,
)

__all__ = ["Frequencies", "Tokens", "WordWeights"]


Array: TypeAlias = NDArray[np.float64]
Index: TypeAlias = NDArray[np.int64]


class Frequencies:
    """How often each word occurs in each document: one entry for each pair that occurs.

    The entries of a document are together, documents in order of first appearance.

    >>> found = Frequencies([(Tokens([["a", "b", "b"], ["a"]]), ["one", "two"])])
    >>> found.tf.tolist(), found.df.tolist(), found.tfidf.round(4).tolist()
    ([1, 2, 1], [2, 1, 2], [0.0, 1.1736, 0.0])
    """

    def __init__(self, texts: Iterable[tuple[Tokens, list[str]]]) -> None:
        """Count the words of segments, given with the name of each segment's document."""
        self.salience = Salience(texts)

    @classmethod
    def from_terms(cls, terms: tuple[bytes, Index, Index]) -> "Frequencies":
        """Take what `salience.terms()` gave, added up, those of a document together."""
        return cls._wrap(Salience.learnt(*terms))

    def tables(self) -> dict[str, Any]:
        """Return everything that was counted as arrays, for `from_tables` to take back."""
        (words, ends), documents, starts, entries = self.salience.tables()
        encoded = [name.encode() for name in documents]
        return {
            "words": words,
            "ends": ends,
            "documents": np.frombuffer(b"".join(encoded), np.uint8),
            "document_ends": np.cumsum([len(name) for name in encoded], dtype=np.int64),
            "starts": starts,
            "entries": entries,
        }

    @classmethod
    def from_tables(cls, tables: Mapping[str, Any]) -> "Frequencies":
        """Take such arrays back, which is quicker than to count again."""
        data = tables["documents"].tobytes()
        ends = tables["document_ends"].tolist()
        documents = [data[a:b].decode() for a, b in pairwise([0, *ends])]
        words = tables["words"], tables["ends"]
        return cls._wrap(
            Salience.of_tables(words, documents, tables["starts"], tables["entries"])
        )

    @classmethod
    def _wrap(cls, salience: Salience) -> "Frequencies":
        frequencies = cls.__new__(cls)
        frequencies.salience = salience
        return frequencies

    @cached_property
    def documents(self) -> list[str]:
        """The names of the documents, by number."""
        return self.salience.documents

    @cached_property
    def words(self) -> list[str]:
        """The words, by number."""
        return self.salience.words

    @cached_property
    def word(self) -> Index:
        """For each entry the number of its word."""
        return self.salience.column("word").astype(np.int64)

    @cached_property
    def document(self) -> Index:
        """For each entry the number of its document."""
        return self.salience.column("document").astype(np.int64)

    @cached_property
    def tf(self) -> Index:
        """For each entry how often its word occurs in its document."""
        return self.salience.column("tf").astype(np.int64)

    @cached_property
    def df(self) -> Index:
        """For each entry the number of documents that have its word."""
        return self.salience.column("df").astype(np.int64)

    @cached_property
    def p_doc(self) -> Array:
        """The relative frequency of each entry's word in its document."""
        return self.salience.column("P_doc")

    @cached_property
    def p_rest(self) -> Array:
        """The same in the other documents together; 0 where there are no others."""
        return self.salience.column("P_rest")

    @cached_property
    def p_corp(self) -> Array:
        """The same in the whole corpus."""
        return self.salience.column("P_corp")

    @cached_property
    def tfidf(self) -> Array:
        """The tf.idf of each entry: (1 + ln tf) · ln(N / df)."""
        return self.salience.column("tf.idf")

    @cached_property
    def s(self) -> Array:
        """The S-score of each entry: ln[(p_doc - p_rest) · (N - df)/N / p_corp].

        NaN where the product is not above 0: the word is no more frequent in this document
        than in the rest, or every document has it.
        """
        return self.salience.column("S")


def build_word_weights(
    found: Frequencies,
    salience: str | Array,
    *,
    floor: float,
    least: float | None,
    most: float | None,
    oov: float | None,
) -> WordWeights:
    """Make weights of salience, given by its column's name or as a number for each entry.

    None is below the floor, those outside the range are 0, and a word that is not in its
    document's list weighs `oov`, or what the lightest word of that list weighs.
    """
    weights = found.salience.weighed(
        salience, floor=floor, least=least, most=most, unknown=oov
    )
    if weights is None:
        raise CorpusError(WEIGHTLESS)
    return weights


WEIGHTLESS = (
    "No word weighs anything; S-scores need more documents, since they are at most "
    "ln(N - 1) or thereabouts, and min_salience and max_salience must leave some words."
)


COLUMNS = (
    *("word", "document", "tf", "df", "N"),
    *("P_doc", "P_rest", "P_corp", "tf.idf", "S"),
)
#: What each weight's column is called.
WEIGHTS = {"tfidf": "tf.idf", "s": "S"}


@dataclass(frozen=True)
class SalienceList:
    """The words of a file with their weights, documents one after the other."""

    words: Frequencies
    salience: Array
    by_document: bool


def format_salience_list(found: Frequencies) -> Iterator[str]:
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


def read_salience_list(path: str | Path, weight: str) -> SalienceList:
    """Read the words with one of their weights, tfidf or s."""
    column = WEIGHTS[weight]
    table = read_salience_table(path, ("word", column))
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
    return SalienceList(found, np.array(salience), by_document)


@dataclass(frozen=True)
class SalienceTable:
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


def read_salience_table(path: str | Path, needed: tuple[str, ...]) -> SalienceTable:
    """Read a list and check that it has these columns, and as many cells on every line."""
    try:
        text = _read_content(path).decode("utf-8-sig")
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
    return SalienceTable(path, header, rows)


def rank_words(
    table: SalienceTable, by: str, document: str | None = None
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


def compute_list_version(path: str | Path) -> str:
    """Name the file with a digest of what is in it, for signatures."""
    return f"{path}[sha256:{sha256(_read_content(path)).hexdigest()[:12]}]"


def _read_content(path: str | Path) -> bytes:
    if not Path(path).is_file():
        msg = f"There is no list of words at {path}; `metra weights build` makes one."
        raise MissingResourceError(msg)
    return Path(path).read_bytes()


def read_information(path: str | Path, order: int) -> Information:
    """Read the weights of the n-grams of up to `order` words."""
    try:
        lines = _read_information_content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 at byte {error.start}; expected a text file."
        raise FormatError(msg) from None
    try:
        return Information.given(lines, order)
    except BadLine as error:
        line, text = error.args
        msg = f"Line {line} of {path} is {text!r}; expected an n-gram, a tab and its weight."
        raise FormatError(msg) from None


def write_information(information: Information, path: str | Path) -> None:
    """Write the weights so that `read_information`, and `nist:info=FILE`, reads them."""
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        for n in range(1, information.order + 1):
            lines = information.lines(n)
            if lines is None:
                msg = (
                    "The weights cannot be written: a word has a blank, a tab or a "
                    "newline in it; choose a tokeniser that cuts at white space."
                )
                raise OptionError(msg)
            file.write(lines)


def compute_information_version(path: str | Path) -> str:
    """Name the file with a digest of what is in it, for signatures."""
    return f"{path}[sha256:{sha256(_read_information_content(path)).hexdigest()[:12]}]"


def _read_information_content(path: str | Path) -> bytes:
    if not Path(path).is_file():
        msg = f"There is no file of information weights at {path}."
        raise MissingResourceError(msg)
    return Path(path).read_bytes()
