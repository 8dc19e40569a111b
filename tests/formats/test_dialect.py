"""The delimiter and the quotes of a table are recognised from its content."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import load_cases

from metra.errors import FormatError
from metra.formats.headed_table import recognise_dialect
from metra.formats.table import Dialect, split_rows
from metra.formats.texts.roles import count_headings


def recognise(lines: list[str], preferred: str = "\t", **known) -> Dialect:
    return recognise_dialect(lambda: lines, preferred, count_headings, **known)


DELIMITERS = load_cases("dialects: delimiters")


@pytest.mark.parametrize(("lines", "expected"), DELIMITERS)
def test_delimiters(lines, expected):
    assert recognise(lines).delimiter == expected


def test_a_line_about_the_delimiter_is_no_header():
    assert recognise(["sep=;", "ref;hyp", "a;b"], ",") == Dialect(";", skipped=1)


def test_two_delimiters_that_fit():
    with pytest.raises(FormatError) as raised:
        recognise(["a,b;c", "d,e;f"], ",")
    assert str(raised.value) == (
        "its cells may be separated by commas or semicolons; choose one with "
        "`delimiter`."
    )
    assert recognise(["a,b;c", "d,e;f"], delimiter=";").delimiter == ";"


# What is a text in quotes, and what are quotes of a text?
QUOTES = load_cases("dialects: quotes")


@pytest.mark.parametrize(("lines", "expected"), QUOTES)
def test_quotes(lines, expected):
    assert recognise(lines).quoted is expected


def test_both_kinds_of_quotes():
    lines = ["ref\thyp", 'say "a"\t"say ""b"""']
    with pytest.raises(FormatError) as raised:
        recognise(lines)
    assert str(raised.value) == (
        "some cells are quoted and some contain quotes; set `quotes` to say whether "
        "quotes belong to the text."
    )
    assert recognise(lines, quoted=False) == Dialect("\t")


CELLS = st.text(st.sampled_from('ab "\t,;|'), max_size=6)


@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5),
    st.sampled_from("\t,;|"),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_whatever_python_writes_is_read_back(rows, mark, quoting):
    out = io.StringIO()
    written = [["ref", "hyp"], *map(list, rows)]
    csv.writer(out, delimiter=mark, quoting=quoting, lineterminator="\n").writerows(
        written
    )
    lines = out.getvalue().removesuffix("\n").split("\n")
    dialect = recognise(lines)
    assert dialect.delimiter == mark
    assert [row.cells for row in split_rows(lines, dialect)] == written


BARE = st.text(st.sampled_from('ab ",;|'), max_size=6)


@given(st.lists(st.tuples(BARE, BARE), min_size=1, max_size=5))
def test_a_table_without_quoting_is_read_as_it_is_or_refused(rows):
    # A text that looks as a writer of quotes would have written it cannot be told.
    hard = {
        cell for row in rows for cell in row if cell.startswith('"') and '""' in cell
    }
    bare = not any(cell.startswith('"') for row in rows for cell in row)
    lines = ["ref\thyp", *map("\t".join, rows)]
    try:
        dialect = recognise(lines)
    except FormatError:
        assert hard
        return
    if bare:
        assert [row.cells for row in split_rows(lines, dialect)][1:] == list(
            map(list, rows)
        )
