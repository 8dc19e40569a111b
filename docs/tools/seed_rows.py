"""The page of the five papers: its last column comes from marks on the tests.

`@pytest.mark.seed("3.9", prints="8/18")` on a test says which row it proves, and what the
document prints there. A row without a test says so.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^(\| (\d+\.\d+) \| .+ \| .+ \|) (.+) \|$", re.MULTILINE)
UNCHECKED = "described, not checked"


class SeedMark(NamedTuple):
    """A row, the test that proves it, and the text or number that the document prints."""

    row: str
    test: str
    prints: str | None


def list_marks() -> list[SeedMark]:
    """List the marks of all tests, by reading their files."""
    marks = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.seed(" not in text:
            continue
        for function in ast.parse(text).body:
            for call in getattr(function, "decorator_list", []):
                if ast.unparse(call).startswith("pytest.mark.seed("):
                    [row] = (ast.literal_eval(value) for value in call.args)
                    named = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
                    test = f"{path.relative_to(ROOT).as_posix()}::{function.name}"
                    marks.append(SeedMark(row, test, named.get("prints")))
    return marks


def fill_rows(page: str) -> str:
    """Write into each row the tests that prove it; remarks after a semicolon stay."""
    marks = {mark.row: mark for mark in list_marks()}

    def fill(row: re.Match[str]) -> str:
        cell, *remarks = row[3].split("; ")
        mark = marks.get(row[2])
        if mark is not None:
            cell = f"{'exact' if mark.prints else 'equivalent'}: {mark.test}"
        elif cell.startswith(("exact", "equivalent", "TESTS")):
            cell = UNCHECKED
        return f"{row[1]} {'; '.join([cell, *remarks])} |"

    return ROW.sub(fill, page)
