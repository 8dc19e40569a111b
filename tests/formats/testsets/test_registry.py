"""The file of registered test sets: where it lies, what it keeps, many at once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import PATIENCE

from metra.errors import FormatError, OptionError
from metra.formats.testsets import registry
from metra.formats.testsets.folders import recognise_folder
from metra.formats.testsets.lookup import load_test_set
from metra.formats.testsets.record import SetLocation
from metra.formats.testsets.registry import (
    add_sets,
    find_registry,
    read_registry,
    remove_sets,
)

from .conftest import write_text


@pytest.fixture
def location(tmp_path):
    source = write_text(tmp_path / "src.txt", ["a"])
    reference = write_text(tmp_path / "ref.txt", ["b"])
    files = {"src": str(source), "ref:A": str(reference)}
    return SetLocation("mine", "en-de", "", files)


PLACES = [
    pytest.param("linux", {}, ".config/metra/testsets.json", id="linux"),
    pytest.param("linux", {"XDG_CONFIG_HOME": "x"}, "x/metra/testsets.json", id="xdg"),
    pytest.param(
        "darwin", {}, "Library/Application Support/metra/testsets.json", id="macos"
    ),
    pytest.param("win32", {"APPDATA": "y"}, "y/metra/testsets.json", id="windows"),
    pytest.param("linux", {"METRA_TESTSETS": "z.json"}, "z.json", id="variable"),
]


@pytest.mark.parametrize(("platform", "variables", "expected"), PLACES)
def test_the_registry_lies_where_the_platform_keeps_settings(
    home, monkeypatch, platform, variables, expected
):
    monkeypatch.setattr(registry.sys, "platform", platform)
    for name, value in variables.items():
        monkeypatch.setenv(name, str(home / value))
    assert find_registry() == home / expected


def test_what_is_added_comes_back(location):
    add_sets([location])
    add_sets([location._replace(pair="en-fr", references=("A",))])
    entry, other = read_registry()
    assert entry == location._replace(origin="registered")
    assert other.references == ("A",)
    assert load_test_set("mine", "en-de").references == {"A": ["b"]}


def test_relative_paths_hold_from_everywhere(location, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    add_sets([location._replace(files={"src": "src.txt", "ref": "ref.txt"})])
    monkeypatch.chdir("/")
    assert load_test_set("mine").source == ["a"]


def test_a_name_is_taken_once_per_pair(location):
    add_sets([location])
    add_sets([location._replace(pair="en-fr")])
    with pytest.raises(OptionError, match="mine:en-de is already registered"):
        add_sets([location])
    add_sets([location._replace(files={"src": location.files["src"]})], replace=True)
    assert [len(entry.files) for entry in read_registry()] == [1, 2]


def test_sets_are_removed_by_pair_or_all(location):
    add_sets([location._replace(pair=pair) for pair in ("en-de", "en-fr", "en-cs")])
    assert [each.pair for each in remove_sets("mine", "en-fr")] == ["en-fr"]
    assert [each.pair for each in remove_sets("mine")] == ["en-cs", "en-de"]
    with pytest.raises(OptionError, match=r"mine is not registered; .* has: nothing"):
        remove_sets("mine")


@pytest.mark.parametrize("name", ["", "a b", "a,b", "a:b", "../a", "/a", "-a", "a//b"])
def test_names_that_cannot_be(location, name):
    with pytest.raises(OptionError, match="cannot be the name of a test set"):
        add_sets([location._replace(name=name)])
    assert not find_registry().exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "testsets.json is not JSON"),
        ("[]", "its schema is None, expected 1"),
        ('{"schema": 2}', "its schema is 2, expected 1"),
        ('{"schema": 1, "testsets": [{}]}', "is damaged .KeyError: 'name'"),
    ],
)
def test_damaged_registries_are_refused_and_stay(location, text, message):
    path = find_registry()
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        add_sets([location])
    assert path.read_text() == text


def test_a_folder_that_cannot_be_made(location, home):
    (home / ".config").write_text("a file")
    with pytest.raises(
        FormatError, match=r"cannot be created: .*; nothing was registered"
    ):
        add_sets([location])


def test_sets_of_mt_metrics_eval_keep_their_domains(metrics_eval):
    add_sets(recognise_folder(metrics_eval / "wmt23", "general", ""))
    texts = load_test_set("general", "en-de")
    assert texts.labels["domain"] == ["news", "social"]


ADD = """
import sys
from metra.formats.testsets.record import SetLocation
from metra.formats.testsets.registry import add_sets
for number in range(5):
    name = f"{sys.argv[1]}-{number}"
    add_sets([SetLocation(name, "en-de", "", {"src": sys.argv[2]})])
"""


def test_several_programs_add_at_once_and_nothing_is_lost(location):
    arguments = [sys.executable, "-c", ADD]
    source = location.files["src"]
    running = [
        subprocess.Popen([*arguments, f"set{index}", source]) for index in range(4)
    ]
    assert [each.wait(PATIENCE) for each in running] == [0, 0, 0, 0]
    names = sorted(entry.name for entry in read_registry())
    assert names == [f"set{i}-{number}" for i in range(4) for number in range(5)]
    json.loads(Path(find_registry()).read_text(encoding="utf-8"))
