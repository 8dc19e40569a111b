"""The names of the Python reference, from its pages."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

API = Path(__file__).parents[1] / "api"
SOURCE = Path(__file__).parents[2] / "src"
ENTRY = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
PAGES = ("scores", "metrics", "texts", "tables", "reports", "meta", "compat", "errors")
#: Where a name is documented, if not under itself.
HOMES = {"metra.report": "metra.report.html.page.write_report"}


def list_names(page: str) -> list[str]:
    """Return the names that a page of the reference documents."""
    text = (API / f"{page}.md").read_text(encoding="utf-8")
    shown = {home: name for name, home in HOMES.items()}
    return [shown.get(name, name) for name in ENTRY.findall(text)]


def write_tables() -> str:
    """List the names of every page with the first line of their docstrings."""
    blocks = []
    for page in PAGES:
        title = TITLE.search((API / f"{page}.md").read_text(encoding="utf-8"))
        rows = [
            f"| [`{name}`]({page}.md#{HOMES.get(name, name)}) | {_read_summary(name)} |"
            for name in list_names(page)
        ]
        head = f"## [{title[1] if title else page}]({page}.md)"
        blocks.append(
            "\n".join([f"{head}\n", "| name | what it is |", "| :-- | :-- |", *rows])
        )
    return "\n\n".join(blocks)


def _read_summary(name: str) -> str:
    """Return the first line of a docstring; that of a module is read, not imported."""
    home = HOMES.get(name, name)
    place = SOURCE.joinpath(*home.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return _take_line(ast.get_docstring(ast.parse(path.read_text("utf-8"))))
    module, _, attribute = home.rpartition(".")
    return _take_line(inspect.getdoc(getattr(import_module(module), attribute)))


def _take_line(docstring: str | None) -> str:
    return (docstring or "").partition("\n")[0].replace("|", "\\|")
