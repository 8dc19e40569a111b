"""The page about the five papers: its commands run, and the tests that it names exist."""

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from metra.corpus import examples

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs" / "tools"))

import seed_rows  # noqa: E402 (docs is no package)

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
    "described, not checked",
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


MARKS = seed_rows.list_marks()


def test_the_last_column_is_that_of_the_marks():
    assert seed_rows.fill_rows(PAGE) == PAGE, "run: python docs/tools/generate.py"
    rows = {f"{paper}.{row}" for paper, row, *_ in ROWS}
    assert [mark.row for mark in MARKS if mark.row not in rows] == []
    assert len({mark.row for mark in MARKS}) == len(MARKS) > 100


@pytest.mark.parametrize("mark", [m for m in MARKS if m.prints], ids=lambda m: m.row)
def test_exact_rows_compare_with_what_the_document_prints(mark, shared):
    [document] = (shared / "seeds").glob(f"00{int(mark.row[0]) - 1}_*.txt")
    printed = " ".join(document.read_text(encoding="utf-8").split())
    assert " ".join(mark.prints.split()) in printed
    tokens = re.compile(r"\d+(?:\.\d+)?|[A-Za-z]{2,}")
    path = ROOT / mark.test.partition("::")[0]
    test = path.read_text(encoding="utf-8")
    for name in re.findall(r'with_name\("([^"]+)"\)', test):  # its table of cases
        test += path.with_name(name).read_text(encoding="utf-8")
    without_marks = re.sub(r"@pytest\.mark\.seed\((?:[^()]|\([^()]*\))*\)", "", test)
    known = {*tokens.findall(without_marks)}
    numbers = {float(one) for one in known if one[0].isdigit()}
    wanted = tokens.findall(mark.prints)
    # A score may be tested in per cent.
    compared = [
        float(one) in numbers or round(100 * float(one), 6) in numbers
        if one[0].isdigit()
        else one in known
        for one in wanted
    ]
    if any(one[0].isdigit() for one in wanted):
        pairs = zip(wanted, compared, strict=True)
        compared = [same for one, same in pairs if one[0].isdigit()]
    assert all(compared), wanted


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
