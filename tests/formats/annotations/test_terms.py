"""Terms from a table: what is due everywhere, in a document, in a segment."""

import pytest
from tests.tables import load_cases

from metra.errors import FormatError
from metra.formats.annotations.table import Term, read_terms


def test_all_columns(write):
    path = write(
        "t.tsv",
        [
            "source\tterm\tvariants\tdocument\tsegment",
            "frein\tbrake\tbrakes | the brake|\t\t",
            "\tpad\t\td1\t",
            "disque\tdisc\t\t\t4",
        ],
    )
    found = read_terms(str(path))
    assert list(found.everywhere) == [Term("brake", ("brakes", "the brake"), "frein")]
    assert found.documents == {"d1": [Term("pad", (), "")]}
    assert found.segments == {3: [Term("disc", (), "disque")]}


def test_a_list_of_terms_is_enough(write):
    assert list(read_terms(str(write("t.tsv", ["term", "a", "b"]))).everywhere) == [
        Term("a", (), ""),
        Term("b", (), ""),
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    load_cases("terms: refused"),
)
def test_refusals(lines, message, write):
    path = str(write("t.tsv", lines))
    with pytest.raises(FormatError) as caught:
        read_terms(path)
    assert str(caught.value) == message.format(path)
