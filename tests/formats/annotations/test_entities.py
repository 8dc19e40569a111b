"""Names from files: a table, or the text with its names marked."""

import pytest
from tests.tables import load_cases

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
    load_cases("entities: refused"),
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
