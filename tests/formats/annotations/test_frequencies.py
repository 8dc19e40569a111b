"""Raw frequency lists: what follows from counts equals what the kernel counts."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.errors import FormatError
from metra.formats.annotations.weights import (
    COLUMNS,
    fill_salience,
    format_salience_list,
    read_salience_list,
    read_salience_table,
)
from metra.formats.table import parse_table
from metra.text.salience import Frequencies, Tokens

SENTENCES = st.lists(st.sampled_from("abcdé"), min_size=1, max_size=8)


def count(documents):
    tokens = Tokens([list(words) for words in documents.values()])
    return Frequencies([(tokens, [*documents])])


def drop_columns(lines, dropped):
    header, *rows = (line.split("\t") for line in lines)
    kept = [at for at, name in enumerate(header) if name not in dropped]
    return ["\t".join(row[at] for at in kept) for row in (header, *rows)]


@pytest.mark.parametrize(
    "dropped",
    [
        pytest.param({"tf.idf", "S"}, id="all counts are there"),
        pytest.param({"df", "N", "tf.idf", "S"}, id="numbers of documents are counted"),
        pytest.param({*COLUMNS[3:]}, id="word, document and tf alone"),
    ],
)
@given(documents=st.dictionaries(st.sampled_from("xyz"), SENTENCES, min_size=1))
def test_what_was_left_out_is_computed(documents, dropped):
    whole = list(format_salience_list(count(documents)))
    table = fill_salience(parse_table(drop_columns(whole, dropped), "list"))
    again = {name: [row.cells[at] for row in table.rows]
             for at, name in enumerate(table.header)}  # fmt: skip
    for at, name in enumerate(COLUMNS):
        for cell, line in zip(again[name], whole[1:], strict=True):
            expected, p_doc, p_rest = (line.split("\t")[i] for i in (at, 5, 6))
            if name == "S" and math.isclose(float(p_doc), float(p_rest)):
                continue  # rounding decides whether there is one
            if not expected or at < 2:
                assert cell == expected
            else:
                # The relative frequencies of a list have ten digits.
                assert float(cell) == pytest.approx(float(expected), rel=1e-7, abs=1e-8)


def test_a_list_without_documents(write):
    path = write("list.tsv", ["tf\tword\tN\tdf", "3\thafen\t9\t2", "1\tder\t9\t9"])
    salience = read_salience_list(path, "tfidf").salience
    assert salience == pytest.approx([(1 + math.log(3)) * math.log(9 / 2), 0], abs=1e-9)


BAD = [
    pytest.param(["word\ttf\tdf", "a\t1\t1"], "has no column 'tf.idf'; it has: "
                 "word, tf, df", id="no N"),
    pytest.param(["word\ttf\tdf\tN", "a\t0\t1\t2"], "Line 2 of .* has '0' as tf; expected "
                 "a whole number of at least 1", id="never"),
    pytest.param(["word\ttf\tdf\tN", "a\t1.5\t1\t2"], "has '1.5' as tf", id="a fraction"),
    pytest.param(["word\ttf\tdf\tN", "a\t3\t3\t2"], "Line 2 of .* has df 3 of N 2; a word "
                 "cannot be in more documents", id="too many documents"),
    pytest.param(["word\tdocument\ttf", "a\td\t1", "a\td\t1"], "has 'a' of document 'd' "
                 "again", id="twice in a document"),
    pytest.param(["word\ttf\tdf\tN\tP_corp", "a\t1\t1\t2\t0"], "has '0' as P_corp; expected "
                 "a share of at most 1", id="no share"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "message"), BAD)
def test_what_is_wrong_with_a_frequency_list(write, lines, message):
    path = write("list.tsv", lines)
    with pytest.raises(FormatError, match=message) as error:
        read_salience_table(path, ("word", "tf.idf"))
    assert re.search(re.escape(str(path)), str(error.value))
