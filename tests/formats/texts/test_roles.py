"""Roles of columns whose headings are not ours: by known headings, and by content."""

import pytest
from tests.tables import load_cases

from metra.errors import FormatError
from metra.formats.texts.columns import ColumnNames
from metra.formats.texts.roles import read_header

#: Headings between bars, and what they are taken for; the file is called `file`.
BY_NAME = load_cases("roles: by name")


def describe(header, sample=None, names=None) -> str:
    """Return the roles and names of columns, those of labels in brackets."""
    fields = read_header(header.split("|"), "file", names, "t.xlsx", sample).fields
    shown = {"source": "src", "reference": "ref", "output": "out", "document": "doc"}
    return " ".join(
        f"{shown[f.role]}:{f.name}" if f.role in shown else f"({f.name})"
        for f in fields
    )


@pytest.mark.parametrize(("header", "expected"), BY_NAME)
def test_roles_by_name(header, expected):
    assert describe(header) == expected


TEXTS = [f"the text number {at} of many" for at in "abcdefghijkl"]
CONTENTS = {
    "numbers": [str(at / 2) for at in range(12)],
    "shares": [f"{at} %" for at in range(12)],
    "dates": [f"2024-03-{at + 10}" for at in range(12)],
    "German dates": [f"{at + 10}.3.2024" for at in range(12)],
    "times": [f"{at + 10}:30" for at in range(12)],
    "ids": [f"seg_{at:03}" for at in range(12)],
    "one value": ["DeepL Pro"] * 12,
    "codes": ["ok", "not ok"] * 6,
    "nothing": [None] * 12,
}


@pytest.mark.parametrize("name", CONTENTS)
def test_what_is_no_text(name):
    """The same heading is a system with texts below it."""
    for cells, role in ((CONTENTS[name], "(x)"), (TEXTS, "out:x")):
        columns = [TEXTS, TEXTS, TEXTS, cells]
        described = describe("source|ref|A|x", lambda columns=columns: columns)
        assert described == f"src:source ref:ref out:A {role}"


def test_where_everything_is_numbers():
    columns = [CONTENTS["numbers"]] * 3
    assert describe("source|A|B", lambda: columns) == "src:source out:A out:B"


def test_headings_decide_about_texts_only():
    """A known heading of texts over numbers is a label; en-id over texts is a system."""
    columns = [TEXTS, TEXTS, CONTENTS["numbers"], TEXTS]
    described = describe("source|ref|Human|en-id", lambda: columns)
    assert described == "src:source ref:ref (Human) out:en-id"


def refuse(header, columns=None) -> str:
    with pytest.raises(FormatError) as raised:
        read_header(header.split("|"), "file", None, "t.xlsx", columns)
    return str(raised.value).partition(" Name the columns with ")[0]


def test_doubts():
    """Nothing is guessed: a column that may be a comment, a target beside systems."""
    remarks = ["a free text"] * 2 + ["another"] + [""] * 9
    assert refuse("source|ref|A|x", lambda: [TEXTS, TEXTS, TEXTS, remarks]) == (
        "t.xlsx has 'x', which may be the output of a system or something else; it has: "
        "source (source), ref (reference), A (?), x (mostly empty)."
    )
    assert refuse("Quelle|Target|Foo") == (
        "t.xlsx has 'Foo', which may be the output of a system or something else; it has: "
        "Quelle (source), Target (target), Foo (?)."
    )


def test_columns_that_the_user_names():
    names = ColumnNames(outputs=(("mine", "Foo"),), references=("Bar",))
    assert describe("Quelle|Target|Human|Foo|Bar", names=names) == (
        "src:Quelle (Target) (Human) out:mine ref:Bar"
    )
    names = ColumnNames(outputs=(("mine", "Foo"),))
    assert describe("Quelle|Human|Foo|Bar", names=names) == (
        "src:Quelle ref:Human out:mine (Bar)"
    )


@pytest.mark.parametrize(("header", "expected"), load_cases("roles: described"))
def test_description(header, expected):
    header = header.split("|")
    assert read_header(header, "file", None, "t.xlsx").description == expected


def test_no_reference(write, cli):
    """The message names what was found, and the option."""
    path = write("t.tsv", ["Quelle\tZieltext\tNotiz", "a\tb\tc", "d\te\t"])
    assert cli.refusal("score", path) == (
        "metra: bleu needs a reference; give one with -r FILE, or a table with a column "
        f"named ref. Read: {path} (tabs, not quoted; source: Quelle, outputs: Zieltext; "
        "ignored: Notiz), with the outputs t; name another column with --read ref=COLUMN.\n"
    )


def test_the_named_columns(write, cli):
    path = write("t.tsv", ["Quelle\tTarget\tFoo", "a\tb\tb", "d\te\te"])
    refused = cli.refusal("score", path)
    assert (
        "Name the columns with --read hyp=NAME=COLUMN and --read ref=COLUMN" in refused
    )
    ran = cli.ok("score", path, "--read", "hyp=x=Target,ref=Foo")
    assert (
        "t.tsv (tabs, not quoted; source: Quelle, ref: Foo, outputs: Target)" in ran.out
    )
