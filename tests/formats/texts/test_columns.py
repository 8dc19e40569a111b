"""What a column is, by its name."""

import pytest

from metra.formats.texts.columns import recognise_fields

CASES = [
    pytest.param("ref", "reference", id="plain"),
    pytest.param("Reference", "reference", id="capital"),
    pytest.param("ref2", "reference", id="numbered"),
    pytest.param("refA", "reference", id="lettered"),
    pytest.param("ref:human", "reference", id="named"),
    pytest.param("reference_1", "reference", id="underscore"),
    pytest.param("reformer", "output", id="a system whose name begins alike"),
    pytest.param("refined", "output", id="another one"),
    pytest.param("src", "source", id="source"),
    pytest.param("doc_id", "document", id="document"),
    pytest.param("sys:x", "output", id="output by its name"),
]


@pytest.mark.parametrize(("column", "role"), CASES)
def test_role(column, role):
    (field,) = recognise_fields([column], "file")
    assert field.role == role


def test_columns_of_other_names():
    """A lone output goes by the file; beside it, other columns are labels."""
    for header, expected in {
        "output": "output file",
        "A B": "output A, output B",
        "output A": "output file, label A",
        "output:A hyp:B sys:C": "output A, output B, output C",
        "src REF ref:2": "source src, reference REF, reference 2",
    }.items():
        fields = recognise_fields(header.split(), "file")
        assert ", ".join(f"{field.role} {field.name}" for field in fields) == expected
