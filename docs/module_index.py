"""The page of modules: every package with its docstring, which lists its modules."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from page_blocks import EXAMPLE

PACKAGE = Path(__file__).parent.parent / "src" / "metra"
#: A line of a package's docstring that names a module and says what it holds.
ENTRY = re.compile(r"^([a-z_]+): (.+)$", re.MULTILINE)


def page() -> str:
    """Return the page of all packages and their modules."""
    sections = [_section(package) for package in list_packages()]
    head = (
        "# Modules\n\nEvery package with its modules, from their docstrings. The layers "
        "and the data flow are in [Architecture](ARCHITECTURE.md).\n"
    )
    return "\n".join([head, *sections])


def list_packages() -> Iterator[Path]:
    """Yield the folders of all packages below metra, parents first."""
    for init in sorted(PACKAGE.rglob("__init__.py"), key=lambda path: path.parts[:-1]):
        if init.parent != PACKAGE:
            yield init.parent


def list_modules(package: Path) -> set[str]:
    """Return the names of the modules and packages inside a package."""
    modules = {path.stem for path in package.glob("*.py")} - {"__init__"}
    return modules | {path.parent.name for path in package.glob("*/__init__.py")}


def read_docstring(package: Path) -> str:
    """Return the docstring of a package."""
    source = (package / "__init__.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(source)) or ""


def _section(package: Path) -> str:
    name = ".".join(("metra", *package.relative_to(PACKAGE).parts))
    # Continuation lines of an entry are indented in the docstring.
    text = re.sub(r"\n +", " ", EXAMPLE.sub("", read_docstring(package)))
    text = re.sub(r"\n{3,}", "\n\n", text)
    return f"## {name}\n\n" + ENTRY.sub(r"- `\1`: \2", text) + "\n"
