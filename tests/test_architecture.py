"""The structure of the code: which package imports which, and how large a file may grow."""

import ast
import os
import re
import sysconfig
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import metra

ROOT = Path(__file__).resolve().parent.parent

PACKAGE = ROOT / "src" / "metra"
KERNELS = ROOT / "rust" / "src"

# A package imports only from packages of lower layers, and from itself. Packages of the same
# layer do not import each other.
LAYERS = {
    "errors": 0,
    "_core": 0,
    "limits": 1,
    "text": 2,
    "stats": 2,
    "corpus": 3,
    "formats": 3,
    "scores": 4,
    "metrics": 5,
    "scoring": 6,
    "spark": 7,
    "analysis": 7,
    "meta": 7,
    "campaign": 7,
    "report": 8,
    "store": 8,
    "workbench": 9,
    "web": 10,
    "compat": 10,
    "cli": 10,
    "__main__": 10,
}
# `metra judge serve` starts the web app, `metra sacrebleu` sacreBLEU's command line, and
# `python -m metra` ours.
STARTS = {("cli", "web"), ("cli", "compat"), ("__main__", "cli")}
# Packages that may call the kernels.
KERNEL_CALLERS = ("text", "stats", "metrics", "campaign")
# Packages that show what others have computed.
PRESENTATION = ("report", "cli", "web")

FILES = sorted(PACKAGE.rglob("*.py"))


def list_packages() -> list[Path]:
    """List the folders of all packages below metra."""
    folders = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))
    return [folder for folder in folders if folder != PACKAGE]


def list_modules(package: Path) -> set[str]:
    """Return the names of the modules and packages inside a package."""
    modules = {path.stem for path in package.glob("*.py")} - {"__init__"}
    return modules | {path.parent.name for path in package.glob("*/__init__.py")}


def read_docstring(package: Path) -> str:
    """Return the docstring of a package."""
    source = (package / "__init__.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(source)) or ""


def package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports anywhere in it, by their full names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relative to itself"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def packages_imported(path: Path) -> set[str]:
    """Return the packages of metra that a file imports."""
    names = {name.split(".")[1] for name in imports(path) if name.startswith("metra.")}
    # `show_record` finds the writers of records in `report` by name.
    return names - {"__version__", "show_record"}


def id_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", FILES, ids=id_of)
def test_imports_point_downwards(path):
    here = package_of(path)
    if here == "__init__":
        return  # it knows where each public name lives, and loads none of them
    assert here in LAYERS, f"give {here} a layer"
    for other in packages_imported(path) - {here}:
        assert other in LAYERS, f"give {other} a layer"
        if (here, other) in STARTS:
            continue
        assert LAYERS[other] < LAYERS[here], f"{here} imports {other}"
        if other == "_core":
            assert here in KERNEL_CALLERS, f"{here} calls kernels"


@pytest.mark.parametrize(
    "path", [path for path in FILES if package_of(path) in PRESENTATION], ids=id_of
)
def test_what_is_shown_was_computed_elsewhere(path):
    assert not {"numpy", "scipy"} & {name.split(".")[0] for name in imports(path)}


@pytest.mark.parametrize("path", FILES, ids=id_of)
def test_rules_that_no_linter_knows(path):
    text = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    assert not any(isinstance(node, ast.Assert) for node in nodes), (
        "assert is for tests"
    )
    # It also cuts at U+2028 and U+0085, and shifts whole files by a line.
    assert ".splitlines(" not in text
    assert not re.search(r"\b(TODO|FIXME|XXX)\b", text)
    # Randomness comes in as a generator, never from a global.
    assert not re.search(r"np\.random\.(?!default_rng|Generator)\w", text)
    assert "random" not in {name.split(".")[0] for name in imports(path)}


@pytest.mark.parametrize("path", sorted(KERNELS.rglob("*.rs")), ids=id_of)
def test_kernels_know_no_python_and_no_threads(path):
    text = path.read_text(encoding="utf-8")
    if "python" not in path.relative_to(KERNELS).parts and path.name != "lib.rs":
        assert "pyo3" not in text
        assert "numpy::" not in text
    assert not re.search(r"std::thread::(?!LocalKey)", text)
    assert not re.search(r"\b(TODO|FIXME|todo!|unimplemented!|dbg!)", text)


@pytest.mark.parametrize(
    "path", [*FILES, PACKAGE / "_core.pyi", *sorted(KERNELS.rglob("*.rs"))], ids=id_of
)
def test_files_are_short_enough_to_read(path):
    assert path.read_text(encoding="utf-8").count("\n") <= 600


@pytest.mark.parametrize("package", list_packages(), ids=id_of)
def test_packages_list_their_modules(package):
    listed = [name for name, _ in entries(package)]
    assert len(listed) == len(set(listed))
    assert set(listed) == list_modules(package)


def entries(package: Path) -> list[tuple[str, str]]:
    return re.findall(r"^([a-z_]+): (.+)$", read_docstring(package), re.MULTILINE)


def test_names_say_what_is_in_a_file():
    vague = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}
    for folder in ("src", "rust", "tests", "docs", "bench"):
        for path in (ROOT / folder).rglob("*"):
            assert path.stem not in vague, path


def test_the_version_is_the_same_everywhere():
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())
    assert cargo["package"]["version"] == metra.__version__
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    locked = [entry for entry in lock["package"] if entry["name"] == "metra-core"]
    assert [entry["version"] for entry in locked] == [metra.__version__]


def test_the_package_is_typed():
    assert (Path(metra.__file__).parent / "py.typed").exists()


@pytest.mark.skipif(
    os.environ.get("METRA_TEST_INSTALLED") != "1",
    reason="only where the wheel is tested: METRA_TEST_INSTALLED=1",
)
def test_what_is_tested_is_what_is_installed():
    installed = Path(sysconfig.get_path("platlib")).resolve()
    from metra import _core

    for module in (metra, _core):
        assert installed in Path(module.__file__).resolve().parents
