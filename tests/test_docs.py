"""What the documents say is so: their examples run, and their outputs are real."""

import doctest
import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import PATIENCE

import metra
from metra.corpus import examples

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    if not path.is_symlink()
)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

# Commands that change the machine or take the network; shown, not run.
NOT_RUN = ("pip", "make", "git", "cargo", "apt", "apt-get", "source", "python")


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [body for kind, body in FENCE.findall(text) if kind == language]


def pages_with(language: str) -> list[object]:
    return [
        pytest.param(page, id=str(page.relative_to(ROOT)))
        for page in PAGES
        if blocks(page, language)
    ]


@pytest.fixture
def beside_the_example(tmp_path, monkeypatch):
    """A folder with the example in it, as a reader of the documents has it."""
    shutil.copytree(examples.HOME, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def modules() -> list[str]:
    found = [entry.name for entry in pkgutil.walk_packages(metra.__path__, "metra.")]
    return ["metra", *(name for name in found if name != "metra.__main__")]


@pytest.mark.parametrize("name", modules())
def test_docstrings(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not name.startswith("metra.compat."):
            raise
        pytest.skip(f"needs {error.name}")
    failed, _ = doctest.testmod(module, optionflags=doctest.FAIL_FAST)
    assert failed == 0


def test_the_record_and_the_registry_have_examples():
    assert (
        doctest.testmod(importlib.import_module("metra.scoring.memory")).attempted > 0
    )


@pytest.mark.parametrize("page", pages_with("python"))
@pytest.mark.usefixtures("beside_the_example")
def test_python_blocks(page):
    """The blocks of a page go on from each other."""
    names: dict[str, object] = {"__name__": "__main__"}
    for at, block in enumerate(blocks(page, "python"), 1):
        where = f"{page.name}, Python block {at}"
        if block.lstrip().startswith(">>>"):
            run_as_doctest(block, names, where)
        else:
            exec(compile(block, where, "exec"), names)


def run_as_doctest(block: str, names: dict[str, object], where: str) -> None:
    test = doctest.DocTestParser().get_doctest(block, names, where, where, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, clear_globs=False)
    names.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("page", pages_with("console"))
def test_console_blocks(page, beside_the_example):
    for block in blocks(page, "console"):
        for command, expected in commands(block):
            if command.split()[0] in NOT_RUN:
                continue
            assert_like(run(command, beside_the_example), expected, command)


def commands(block: str) -> list[tuple[str, str]]:
    """Each command of a block with the lines that follow it."""
    found: list[tuple[str, str]] = []
    for line in block.removesuffix("\n").split("\n"):
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif found and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0][:-1] + line.lstrip("> "), "")
        elif found:
            found[-1] = (found[-1][0], f"{found[-1][1]}{line}\n")
    return found


def run(command: str, folder: Path) -> str:
    """What a reader sees who types the command in a terminal of no colours."""
    there = folder.parent / "bin"
    there.mkdir(exist_ok=True)
    metra_command = there / "metra"
    metra_command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m metra "$@"\n')
    metra_command.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ
        | {
            "PATH": f"{there}{os.pathsep}{os.environ['PATH']}",
            # Test sets are registered in the folder, not for whoever runs the tests.
            "METRA_TESTSETS": "testsets.json",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
        check=False,
    )
    return done.stdout.decode()


def assert_like(found: str, expected: str, command: str) -> None:
    """Compare output; an ellipsis stands for anything, on a line of its own for lines."""
    pattern = "\n".join(
        "(?s:.*)" if line in ("…", "...") else re.escape(line).replace("…", ".*")
        for line in expected.rstrip("\n").split("\n")
    )
    assert re.fullmatch(pattern, found.rstrip("\n")), (
        f"$ {command}\ngives\n{found}\nbut the page says\n{expected}"
    )


@pytest.mark.parametrize(
    ("expected", "found", "like"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a …\n", "a b c\n", True),
        ("a …\n", "a b\nc\n", False),
        ("a.c\n", "abc\n", False),
        ("", "a\n", False),
    ],
)
def test_outputs_are_compared_to_the_letter(expected, found, like):
    if like:
        assert_like(found, expected, "a command")
    else:
        with pytest.raises(AssertionError, match="but the page says"):
            assert_like(found, expected, "a command")


def test_commands_and_their_outputs_are_told_apart():
    block = "$ metra a \\\n    -b\none\n\ntwo\n$ metra c\n"
    assert commands(block) == [("metra a -b", "one\n\ntwo\n"), ("metra c", "")]


@pytest.mark.skipif(
    not (ROOT / "docs" / "generate.py").exists(), reason="no pages are generated"
)
def test_generated_pages_are_up_to_date():
    # Commands of pages are run by test_console_blocks.
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check", "--but-consoles"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
