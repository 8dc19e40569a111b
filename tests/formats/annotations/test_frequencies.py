"""Raw frequency lists: what follows from counts equals what the kernel counts."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.errors import FormatError
from metra.formats.annotations.frequencies import (
    fill_salience,
    read_corpus_frequencies,
)
from metra.formats.annotations.weights import (
    COLUMNS,
    format_salience_list,
    read_salience_list,
)
from metra.formats.table import parse_table
from metra.text.salience import Frequencies, Tokens, compare_with_corpus

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


@given(st.dictionaries(st.sampled_from("uvwxyz"), SENTENCES, min_size=2))
def test_a_document_is_weighed_as_if_it_were_in_the_corpus(tmp_path_factory, documents):
    *others, new = documents
    rest = {name: documents[name] for name in others}
    by_document = tmp_path_factory.mktemp("lists") / "by-document.tsv"
    by_document.write_text("\n".join(format_salience_list(count(rest))))
    plain = by_document.with_name("plain.tsv")
    frequencies = count(rest)
    corpus = {
        word: (
            int(frequencies.tf[frequencies.word == number].sum()),
            int((frequencies.word == number).sum()),
        )
        for number, word in enumerate(frequencies.words)
    }
    lines = [f"{word}\t{tf}\t{df}\t{len(rest)}" for word, (tf, df) in corpus.items()]
    plain.write_text("\n".join(["word\ttf\tdf\tN", *lines]))
    whole = count(documents)
    own = whole.document == whole.documents.index(new)
    for path in (by_document, plain):
        listed = read_corpus_frequencies(str(path))
        assert listed.counts == corpus
        found = compare_with_corpus(count({new: documents[new]}), listed)
        assert found.size == len(documents)
        order = [found.words.index(whole.words[at]) for at in whole.word[own]]
        places = [found.word.tolist().index(at) for at in order]
        for name in ("tf", "df", "p_doc", "p_rest", "p_corp", "tfidf"):
            expected = getattr(whole, name)[own]
            assert getattr(found, name)[places] == pytest.approx(expected), name
        # A word as frequent here as elsewhere may come out a hair above or below.
        near = np.isclose(found.p_doc[places], found.p_rest[places])
        expected = np.where(near, np.nan, whole.s[own])
        s = np.where(near, np.nan, found.s[places])
        assert np.allclose(s, expected, equal_nan=True)


BAD = [
    pytest.param(["word\ttf\tdf", "a\t1\t1"], "has no column 'N'; a frequency list "
                 "has word, tf, df and N, or word, "
                 "document and tf", id="no N"),
    pytest.param(["word\ttf\tdf\tN", "a\t0\t1\t2"], "Line 2 of .* has '0' as tf; expected "
                 "a whole number of at least 1", id="never"),
    pytest.param(["word\ttf\tdf\tN", "a\t1.5\t1\t2"], "has '1.5' as tf", id="a fraction"),
    pytest.param(["word\ttf\tdf\tN", "a\t3\t3\t2"], "Line 2 of .* has df 3 of N 2; a word "
                 "cannot be in more documents", id="too many documents"),
    pytest.param(["word\ttf\tdf\tN", "a\t1\t2\t2"], "has 'a' 1 times in 2 documents",
                 id="more documents than times"),
    pytest.param(["word\ttf\tdf\tN", "a\t1\t1\t2", "b\t1\t1\t3"], "has several N: 2, 3",
                 id="two corpora"),
    pytest.param(["word\ttf\tdf\tN", "a\t1\t1\t2", "a\t2\t1\t2"], "Line 3 of .* repeats 'a'",
                 id="twice"),
    pytest.param(["word\tdocument\ttf", "a\td\t1", "a\td\t1"], "has 'a' of document 'd' "
                 "again", id="twice in a document"),
    pytest.param(["word\ttf\tdf\tN"], "has no words", id="nothing"),
    pytest.param(["word\ttf\tdf\tN\tP_corp", "a\t1\t1\t2\t0"], "has '0' as P_corp; expected "
                 "a share of at most 1", id="no share"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "message"), BAD)
def test_what_is_wrong_with_a_frequency_list(write, lines, message):
    path = write("list.tsv", lines)
    with pytest.raises(FormatError, match=message) as error:
        read_corpus_frequencies(str(path))
    assert re.search(re.escape(str(path)), str(error.value))
