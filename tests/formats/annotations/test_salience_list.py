"""Lists of words: there and back again, and what is wrong with a file."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import load_cases

from metra.errors import (
    FormatError,
    MissingResourceError,
    OptionError,
    UnknownNameError,
)
from metra.formats.annotations.weights import (
    COLUMNS,
    format_salience_list,
    rank_words,
    read_salience_list,
    read_salience_table,
)
from metra.text.salience import Salience, Tokens

SENTENCES = st.lists(st.sampled_from("abcdé"), min_size=1, max_size=8)


@pytest.fixture
def found():
    tokens = Tokens([["a", "a", "b", "c"], ["a", "b", "b", "d"], ["a", "e"]])
    return Salience([(tokens, ["one", "two", "three"])])


def test_what_is_written_is_read(found, write):
    path = write("list.tsv", list(format_salience_list(found)))
    header, first, *_ = path.read_text().split("\n")
    assert header.split("\t") == list(COLUMNS)
    assert first == "a\tone\t2\t3\t3\t0.5\t0.3333333333\t0.4\t0\t"
    for weight, expected in (
        ("tfidf", found.column("tf.idf")),
        ("s", found.column("S")),
    ):
        given = read_salience_list(path, weight)
        assert given.by_document
        assert given.words.documents == ["one", "two", "three"]
        assert given.words.column("word").tolist() == found.column("word").tolist()
        assert np.allclose(given.salience, expected, rtol=1e-9, equal_nan=True)


BAD = [
    pytest.param(["word\tx", "a\t1"], "Line 1 of .* has no column 'S'", id="header"),
    pytest.param(
        ["word\tS", "a"], "line 2 has 1 column but the header has 2", id="cells"
    ),
    pytest.param(
        ["word\tS", "a\t1", "", "b\tx"],
        "Line 4 of .* has 'x' as S; expected a number",
        id="no number",
    ),
    pytest.param(["word\tS", "a\tinf"], "has 'inf' as S", id="infinite"),
    pytest.param(
        ["word\tdocument\tS", "a\td\t1", "a\td\t2"],
        "Line 3 of .* has 'a' of document 'd' again",
        id="twice",
    ),
    pytest.param(["word\tS", "a\t1", "a\t2"], "has 'a' again", id="twice in all"),
    pytest.param(["word\tS"], "has no words below its header", id="nothing"),
    pytest.param(
        b"word\tS\n\xff\t1\n", "line 2: byte 1 of the line is 0xff", id="encoding"
    ),
]


BAD_COUNTS = load_cases("lists of counts: refused")


@pytest.mark.parametrize(("lines", "message"), BAD_COUNTS)
def test_what_is_wrong_with_a_list_of_counts(lines, message, write):
    rows = [f"{word}\t{line}" for word, line in zip(("word", "a"), lines, strict=True)]
    weight = "s" if message.endswith("'S'") else "tfidf"
    with pytest.raises(FormatError, match=message):
        read_salience_list(write("list.tsv", rows), weight)


@given(documents=st.dictionaries(st.sampled_from("xyz"), SENTENCES, min_size=1))
def test_weights_of_counts_are_those_of_the_texts(documents, tmp_path_factory):
    tokens = Tokens([list(words) for words in documents.values()])
    texts = Salience([(tokens, [*documents])])
    path = tmp_path_factory.mktemp("lists") / "list.tsv"
    rows = ("\t".join(row.split("\t")[:3]) for row in format_salience_list(texts))
    path.write_text("\n".join(rows), encoding="utf-8")
    for weight, expected in (
        ("tfidf", texts.column("tf.idf")),
        ("s", texts.column("S")),
    ):
        salience = read_salience_list(path, weight).salience
        assert np.array_equal(salience, expected, equal_nan=True)


def test_a_list_of_counts_without_documents(write):
    path = write("list.tsv", ["tf\tword\tN\tdf", "3\thafen\t9\t2", "1\tder\t9\t9"])
    salience = read_salience_list(path, "tfidf").salience
    assert salience == pytest.approx([(1 + np.log(3)) * np.log(9 / 2), 0], abs=1e-9)


@pytest.mark.parametrize(("content", "message"), BAD)
def test_what_is_wrong_with_a_list(content, message, write):
    path = write("list.tsv", content)
    with pytest.raises(FormatError, match=message) as error:
        read_salience_list(path, "s")
    assert str(path) in str(error.value)


def test_there_is_no_list(tmp_path):
    with pytest.raises(MissingResourceError, match=r"No word list at .*weights build"):
        read_salience_list(tmp_path / "none.tsv", "s")


def test_words_that_a_list_cannot_hold():
    tokens = Tokens([["a\tb"], ["c"]])
    with pytest.raises(OptionError, match="'a\\\\tb' of document 'x' contains a tab"):
        list(format_salience_list(Salience([(tokens, ["x", "y"])])))


def test_a_file_from_windows(write):
    path = write("list.tsv", b"\xef\xbb\xbfword\tS\r\na\t1\r\nb\t\r\n")
    given = read_salience_list(path, "s")
    assert given.words.words == ["a", "b"]
    assert not given.by_document
    assert given.salience[0] == 1
    assert np.isnan(given.salience[1])


def test_words_are_ranked_and_those_without_a_weight_come_last(write):
    content = ["word\tdocument\tS", "a\tx\t", "b\tx\t-1", "c\tx\t2", "d\ty\t1"]
    table = read_salience_table(write("list.tsv", content), ("word", "S"))
    order = {
        name: [row[0] for row in rows] for name, rows in rank_words(table, "s").items()
    }
    assert order == {"x": ["c", "b", "a"], "y": ["d"]}
    assert list(rank_words(table, "s", "y")) == ["y"]
    message = re.escape("No document named 'z'.")
    with pytest.raises(UnknownNameError, match=message):
        rank_words(table, "s", "z")
