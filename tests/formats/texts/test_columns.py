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
NAMES = {
    "source": "source src",
    "document": "document doc docid doc_id",
    "output": "output hyp hypothesis mt translation",
    "label": "seg segment seg_id segid id domain lang lp",
}


def test_names_of_columns():
    """Beside an output, a column of another name would be a label; alone, an output."""
    for role, names in NAMES.items():
        for name in names.split():
            beside = "output:x" if role != "label" else "ref"
            (field, _) = recognise_fields([name.upper(), beside], "file")
            assert field.role == role, name
    assert recognise_fields(["other", "ref"], "file")[0].role == "output"
    assert recognise_fields(["other", "output:x"], "file")[0].role == "label"


@pytest.mark.parametrize(("column", "role"), CASES)
def test_role(column, role):
    (field,) = recognise_fields([column], "file")
    assert field.role == role
