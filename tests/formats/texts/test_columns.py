"""What a column is, by its name."""

import pytest
from tests.tables import load_cases

from metra.formats.texts.roles import recognise_fields


@pytest.mark.parametrize(("column", "role"), load_cases("columns: roles"))
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
