"""A campaign's file: texts are found beside it, and errors name it."""

import pytest
from tests.tables import load_cases

from metra.campaign.creation import open_campaign
from metra.errors import FormatError

HEAD = """name = "spring"
protocol = "adequacy"
source_language = "fr"
target_language = "en"
judges = ["ann", "bob"]
each = 1
"""


def test_files_are_found_from_the_folder_of_the_campaign(write):
    write("a/one.txt", ["one"])
    write("a/two.txt", ["two"])
    write("a/ref.txt", ["ref"])
    write("a/src.txt", ["src"])
    write("a/docs.txt", ["doc"])
    write("a/b/base.txt", ["natural words"])
    write("a/b/names.tsv", ["segment\ttype\ttext", "1\tperson\tAnn"])
    files = (
        '[files]\noutputs = ["first=one.txt", "two.txt"]\nreferences = ["ref.txt"]\n'
        'source = "src.txt"\ndocuments = "docs.txt"\nbaseline = "b/base.txt"\n'
        'entities = "b/names.tsv"\n'
    )
    found = open_campaign(str(write("a/c.toml", (HEAD + files).encode())))
    assert found.material["baseline"] == "natural words"
    assert set(found.material["entities"]) == {"1"}
    assert [system.name for system in found.systems] == ["first", "two"]
    [segment] = found.segments
    assert (segment.document, segment.source, segment.references) == (
        "doc",
        "src",
        ("ref",),
    )


WRONG = load_cases("opening: wrong")


@pytest.mark.parametrize(("files", "says"), WRONG)
def test_what_is_wrong_with_the_file(write, files, says):
    path = write("c.toml", (HEAD + files).encode())
    with pytest.raises(FormatError, match=says) as error:
        open_campaign(str(path))
    assert "c.toml" in str(error.value)
