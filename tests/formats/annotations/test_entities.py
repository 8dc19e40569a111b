"""Names from files: a table, or the text with its names marked."""

import pytest

from metra.corpus.batch import Batch, BatchPosition
from metra.errors import CorpusError, FormatError
from metra.formats.annotations.table import Entity, read_entities
from metra.metrics.units import check_places

MARY = Entity("PERSON", "Mary Ann")


def test_by_segment(write):
    path = write(
        "e.tsv", ["segment\ttype\ttext", "1\tPERSON\tMary Ann", "3\tDATE\t1956"]
    )
    found = read_entities(str(path))
    assert found.segments == {0: [MARY], 2: [Entity("DATE", "1956")]}
    assert found.documents == {}


def test_by_document(write):
    path = write("e.tsv", ["document\ttype\ttext", "d1\tPERSON\tMary Ann"])
    assert read_entities(str(path)).documents == {"d1": [MARY]}


def test_marked_in_the_text(write):
    path = write(
        "e.txt", ["[[Mary Ann|PERSON]] came in [[ 1956 | DATE ]].", "", "a [b] | c"]
    )
    found = read_entities(str(path))
    assert found.segments == {0: [MARY, Entity("DATE", "1956")]}


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        pytest.param(
            "e.tsv",
            ["type\ttext", "X\ty"],
            "{} does not give the place of its names; expected a column segment or "
            "document beside type and text.",
            id="no place",
        ),
        pytest.param(
            "e.tsv",
            ["segment\ttype\ttext", "0\tX\ty"],
            "{}, line 2: the segment is '0'; expected its number, counted from 1.",
            id="segment 0",
        ),
        pytest.param(
            "e.tsv",
            ["segment\ttype\ttext", "\tX\ty"],
            "{}, line 2: segment and document are both missing; every line needs one.",
            id="no place in a line",
        ),
        pytest.param(
            "e.tsv",
            ["segment\ttype\ttext", "1\tX\t"],
            "{}, line 2: the text is empty; every name needs both.",
            id="no text",
        ),
        pytest.param(
            "e.tsv",
            ["segment\ttype\ttext", "1\t\ty"],
            "{}, line 2: the type is empty; every name needs both.",
            id="no type",
        ),
        pytest.param(
            "e.txt",
            ["fine", "a [[b c"],
            "{}, line 2: [[ or ]] occurs outside a mark; expected [[the name|TYPE]].",
            id="a mark that does not end",
        ),
        pytest.param(
            "e.txt",
            ["a [[b|]]"],
            "{}, line 1: '[[b|]]' is incomplete; expected [[the name|TYPE]].",
            id="a mark without a type",
        ),
        pytest.param(
            "e.txt",
            ["a"],
            "{} has no marked names; expected [[the name|TYPE]], or a table whose name ends "
            "in .tsv.",
            id="no marks",
        ),
    ],
)
def test_refusals(name, lines, message, write):
    path = str(write(name, lines))
    with pytest.raises(FormatError) as caught:
        read_entities(path)
    assert str(caught.value) == message.format(path)


def test_annotations_of_another_text(write):
    path = str(write("e.tsv", ["segment\ttype\ttext", "3\tX\ty"]))
    with pytest.raises(CorpusError) as caught:
        check_places(read_entities(path), [Batch(["a"]), Batch(["b"])])
    assert str(caught.value) == (
        f"{path} refers to segment 3, but the text has 2 segments; the annotations "
        "must belong to the text."
    )
    path = str(write("e.tsv", ["document\ttype\ttext", "d\tX\ty"]))
    with pytest.raises(CorpusError) as caught:
        check_places(
            read_entities(path), [Batch(["a"], place=BatchPosition("s", 0, ["c"]))]
        )
    assert str(caught.value) == (
        f"{path} refers to document 'd', which is not in the text; it has: c."
    )
    with pytest.raises(CorpusError) as caught:
        check_places(read_entities(path), [Batch(["a"])])
    assert str(caught.value) == (
        f"{path} assigns its lines to documents, but documents are missing; give "
        "`documents`."
    )
