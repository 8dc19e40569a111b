"""Spelling dictionaries: found by name or path, looked up once a type."""

import hashlib
from pathlib import Path

import pytest

from metra.errors import FormatError, MissingResourceError
from metra.formats.resources import Dictionary, load_dictionaries


@pytest.fixture
def german(write):
    """A Hunspell dictionary of three words, in an old encoding and with endings."""
    write("de_XX.aff", "SET ISO8859-1\nSFX N Y 1\nSFX N 0 n .\n".encode("latin-1"))
    return write("de_XX.dic", "3\nStraße/N\nhalb\nBremse/N\n".encode("latin-1"))


def test_hunspell_by_path(german):
    pytest.importorskip("hunspell")
    found = load_dictionaries(str(german))
    known = ["Straße", "Straßen", "halb", "Halb", "halb-Bremse"]
    assert [word for word in known if not found.knows(word)] == []
    unknown = ["straße", "halbn", "中国", "halb-frein", "-"]
    assert [word for word in unknown if found.knows(word)] == []
    digest = hashlib.sha256(german.read_bytes()).hexdigest()[:12]
    assert found.version.startswith(f"{german}[sha256:{digest}, chunspell 2.")


def test_hunspell_by_name(german, monkeypatch):
    pytest.importorskip("hunspell")
    monkeypatch.setenv("DICPATH", f"/none:{german.parent}")
    assert load_dictionaries("de_XX").knows("Bremsen")
    assert load_dictionaries("de_XX").version.startswith("de_XX[sha256:")


def test_a_list_of_words(write):
    path = write("w.txt", b"\xef\xbb\xbfEau\ndon't\n\n")
    found = load_dictionaries(str(path))
    assert [found.knows(word) for word in ("eau", "EAU", "Don’t", "", "x")] == [
        *(True, True, True),
        *(False, False),
    ]


def test_several_as_one(write):
    one, other = write("a.txt", ["a"]), write("b.txt", ["b"])
    found = load_dictionaries(f"{one}+{other}")
    assert [found.knows(word) for word in ("a", "b", "c", "a-b")] == [1, 1, 0, 1]
    assert found.version.count("[sha256:") == 2


def test_each_type_is_looked_up_once():
    asked = []
    found = Dictionary(lambda word: bool(asked.append(word)), "v")
    for _ in range(3):
        assert not found.knows("a-b")
        assert not found.knows("c")
    assert asked == ["a-b", "a", "c"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param(
            "xx_YY",
            "No Hunspell dictionary named 'xx_YY' in "
            f"{Path.home()}/.local/share/hunspell, /usr/local/share/hunspell, "
            "/usr/share/hunspell, ",
            id="name",
        ),
        pytest.param(
            "/none/de.dic",
            "No Hunspell dictionary at /none/de.dic (a .dic and an .aff file);",
            id="path",
        ),
        pytest.param(
            "/none/w.txt",
            "No word list at /none/w.txt; expected a text with one word per line.",
            id="list",
        ),
    ],
)
def test_dictionaries_that_are_not_there(name, message):
    with pytest.raises(MissingResourceError) as caught:
        load_dictionaries(name)
    assert str(caught.value).startswith(message)


def test_without_the_reader(german, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "hunspell", None)
    with pytest.raises(MissingResourceError) as caught:
        load_dictionaries(str(german))
    assert str(caught.value) == (
        f"The dictionary {german} needs the package 'chunspell', which is not installed; "
        "install it with: pip install '.[spell]' in metra's source folder"
    )


def test_a_list_that_is_not_utf8(write):
    with pytest.raises(FormatError, match="line 1: byte 2 of the line is 0xff"):
        load_dictionaries(str(write("w.txt", b"a\xff")))
