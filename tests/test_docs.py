"""What the documents say is so: their examples run, and their outputs are real."""

import doctest
import importlib
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest
from tests.patience import PATIENCE

import metra
from metra.corpus import examples

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "docs" / "tools"))

import consoles  # noqa: E402 (docs is no package)

PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    if not path.is_symlink()
)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


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


#: What a shell would read in a command.
SHELL = re.compile(r"[|<>&;*$~`\\]|\A(?!metra )")


@pytest.fixture
def run_here(cli):
    """Run plain calls of metra in this process, which is quicker, and others in a shell."""

    def run(command: str, folder: Path) -> str:
        if SHELL.search(command):
            return consoles.run_command(command, folder)
        with chdir(folder):
            ran = cli(*shlex.split(command)[1:], merge=True)
        assert ran.code == 0, f"{command}\n{ran.out}"
        return ran.out

    return run


@pytest.mark.parametrize("page", pages_with("console"))
def test_console_blocks(page, run_here):
    text = page.read_text(encoding="utf-8")
    refreshed = consoles.refreshed(text, Path(examples.HOME), run_here)
    assert refreshed == text, "run: python docs/tools/generate.py"


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
    assert consoles.is_like(found, expected) == like


def test_stale_output_is_replaced(tmp_path):
    page = "```console\n$ echo one\nwon\n$ echo a b\na …\n$ git x\ny\n```\n"
    assert consoles.refreshed(page, tmp_path) == page.replace("won", "one")
    with pytest.raises(SystemExit, match="ended with 1"):
        consoles.refreshed("```console\n$ false\n```\n", tmp_path)


@pytest.mark.skipif(
    not (ROOT / "docs" / "tools" / "generate.py").exists(),
    reason="no pages are generated",
)
def test_generated_pages_are_up_to_date():
    # Commands of pages are run by test_console_blocks.
    done = subprocess.run(
        [sys.executable, "docs/tools/generate.py", "--check", "--but-consoles"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
