"""Raw frequency lists: words with their counts, and the salience that follows from them.

A list has columns word and tf, and some of document, df, N and the relative frequencies; the
columns are those of salience lists (`metra.formats.annotations.weights`). With a document
column tf is how often the document has the word; the list is then taken for the whole of its
documents, and what is not given is counted: df, N and relative frequencies. Without one, tf,
df and N give tf.idf alone.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from metra.errors import FormatError
from metra.formats.table import DelimitedTable, Row, read_table
from metra.text.salience import (
    Array,
    CorpusFrequencies,
    compute_s_scores,
    compute_tfidf,
)

#: What can be computed, in the order of a list's columns.
COMPUTED = ("df", "N", "P_doc", "P_rest", "P_corp", "tf.idf", "S")


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


def read_corpus_frequencies(path: str) -> CorpusFrequencies:
    """Read how often a corpus has words: tf, df and N, or tf by document."""
    table = read_table(path, skip_empty=True)
    by_document = "document" in table.header
    needed = ("word", "tf") if by_document else ("word", "tf", "df", "N")
    for name in needed:
        if name not in table.header:
            msg = (
                f"Line {table.line} of {path} has no column {name!r}; a frequency "
                "list has word, tf, df and N, or word, document and tf, separated by "
                "tabs."
            )
            raise FormatError(msg)
    table = fill_salience(table)
    rows = list(table.rows)
    word_index = table.header.index("word")
    tf, df, size = (_read_counts(table, rows, name) for name in ("tf", "df", "N"))
    documents = {*map(int, size.tolist())}
    if len(documents) != 1:
        listed = ", ".join(map(str, sorted(documents)[:3]))
        found = f"several N: {listed}" if documents else "no words"
        msg = f"{path} has {found}; expected words of one corpus, with one N."
        raise FormatError(msg)
    counts: dict[str, tuple[int, int]] = {}
    numbers = zip(map(int, tf.tolist()), map(int, df.tolist()), strict=True)
    for (line, cells), (count, spread) in zip(rows, numbers, strict=True):
        word = cells[word_index]
        before, _ = counts.get(word, (0, 0))
        if word in counts and not by_document:
            msg = f"Line {line} of {path} repeats {word!r}; expected it once."
            raise FormatError(msg)
        if spread > count and not by_document:
            msg = (
                f"Line {line} of {path} has {word!r} {count} times in {spread} documents; "
                "expected at most as many documents as times."
            )
            raise FormatError(msg)
        counts[word] = before + count, spread
    return CorpusFrequencies(counts, int(tf.sum()), documents.pop())


def _read_columns(table: DelimitedTable, rows: Sequence[Row]) -> dict[str, Array]:
    """Read the numbers that the list has, weights left out."""
    columns: dict[str, Array] = {
        name: _read_counts(table, rows, name)
        for name in ("tf", "df", "N")
        if name in table.header
    }
    for name in ("P_doc", "P_rest", "P_corp"):
        if name in table.header:
            columns[name] = _read_shares(table, rows, name)
    return columns


def _compute_columns(
    table: DelimitedTable, rows: Sequence[Row], given: dict[str, Array]
) -> dict[str, Array]:
    """Compute what follows from the columns that are given."""
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
    shares = [columns.get(name) for name in ("P_doc", "P_rest", "P_corp")]
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


def _read_counts(table: DelimitedTable, rows: Sequence[Row], name: str) -> Array:
    """Read a column of whole numbers from 1."""
    index = table.header.index(name)
    counts = []
    for line, cells in rows:
        cell = cells[index]
        if not (cell.isascii() and cell.isdecimal() and int(cell)):
            expected = "a whole number of at least 1"
            raise FormatError(_describe_cell(table, line, name, cell, expected))
        counts.append(float(cell))
    return np.array(counts)


def _read_shares(table: DelimitedTable, rows: Sequence[Row], name: str) -> Array:
    """Read a column of relative frequencies; only P_rest may be 0."""
    index = table.header.index(name)
    shares = []
    for line, cells in rows:
        cell = cells[index]
        try:
            share = float(cell)
        except ValueError:
            share = math.nan
        if not (0 < share <= 1 or (share == 0 and name == "P_rest")):
            expected = "a share of at most 1"
            raise FormatError(_describe_cell(table, line, name, cell, expected))
        shares.append(share)
    return np.array(shares)


def _describe_cell(
    table: DelimitedTable, line: int, name: str, cell: str, expected: str
) -> str:
    return f"Line {line} of {table.path} has {cell!r} as {name}; expected {expected}."


def _format_number(number: float) -> str:
    """Write a number as lists have them; nothing for one that is not there."""
    return f"{number:.10g}" if number == number else ""
