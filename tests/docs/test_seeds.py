"""The page about the five papers: its commands run, and the tests that it names exist."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from metra.corpus import examples

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\d)\.(\d+) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE)
#: A whole command, or options that follow BASE.
COMMAND = re.compile(r"`(metra [^`]+|(?:-[^`]* )?-m [^`]+)`")
BASE = "score outputs/solid.txt -r reference.1.txt"
TEST = re.compile(r"tests/[\w/]+\.py(?:::\w+)?")
AGREEMENTS = (
    "exact",
    "equivalent",
    "implemented",
    "superset",
    "differs",
    "not implemented",
    "study",
    "[study]",
)
PAPERS = range(1, 6)


def list_commands(text: str) -> list[str]:
    written = dict.fromkeys(COMMAND.findall(text))
    return [
        command.removeprefix("metra ") if command[0] == "m" else f"{BASE} {command}"
        for command in written
    ]


def prepare_folder(folder: Path, monkeypatch, cli) -> None:
    """Make what the top of the page makes; the example is copied, not reported on."""
    shutil.copytree(examples.HOME, folder, dirs_exist_ok=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("METRA_ADMIN_PASSWORD", "a password for tests only")
    preparation = re.search(r"```text\n(metra demo .*?)```", PAGE, re.DOTALL)
    assert preparation is not None
    first, *others = preparation[1].strip().split("\n")
    assert first == "metra demo example && cd example"
    for line in others:
        run_command(line.removeprefix("metra "), cli)


def run_command(command: str, cli) -> None:
    arguments = [
        name
        for word in shlex.split(command)
        for name in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
    ]
    ran = cli(*arguments)
    assert ran.code == 0, f"metra {command}\n{ran.err}"


def test_the_page_names_what_options_follow():
    assert f"`metra {BASE}`" in PAGE


def test_rows_are_numbered_and_there_are_enough():
    numbers = [(int(paper), int(row)) for paper, row, *_ in ROWS]
    assert numbers == [
        (paper, row)
        for paper in PAPERS
        for row in range(1, 1 + sum(number[0] == paper for number in numbers))
    ]
    assert len(numbers) >= 100
    assert len(numbers) == len(re.findall(r"^\| \d", PAGE, re.MULTILINE))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}.{row[1]}")
def test_each_row_has_a_place_and_an_agreement(row):
    _, _, _, place, agreement = row
    assert COMMAND.search(place) or re.search(r"\]\(|`|\d\.\d|protocol|holds", place)
    assert agreement.startswith(AGREEMENTS)
    if agreement.startswith(("exact", "equivalent")):
        assert TEST.search(agreement)


@pytest.mark.parametrize("name", sorted(set(TEST.findall(PAGE))))
def test_tests_that_the_page_names_exist(name):
    path, _, function = name.partition("::")
    text = (ROOT / path).read_text(encoding="utf-8")
    assert f"def {function}(" in text if function else "def test_" in text


def test_pages_that_the_page_links_to_exist():
    links = {link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", PAGE)}
    assert len(links) >= 5
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []


@pytest.mark.parametrize("paper", PAPERS)
def test_commands_of_a_paper_run(paper, tmp_path, monkeypatch, cli):
    prepare_folder(tmp_path, monkeypatch, cli)
    commands = list_commands(
        "\n".join(place for number, _, _, place, _ in ROWS if number == str(paper))
    )
    assert len(commands) >= 10
    for command in commands:
        run_command(command, cli)
