"""Tables of test cases whose values and expected sentences are plain data: files cases.json."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest


@cache
def read_tables() -> dict[str, list[list[Any]]]:
    """Return the cases of each table: an id, or null, and the arguments."""
    tables: dict[str, list[list[Any]]] = {}
    for path in sorted(Path(__file__).parent.rglob("cases.json")):
        tables |= json.loads(path.read_text(encoding="utf-8"))
    return tables


def load_cases(name: str) -> list[Any]:
    """Return the cases of a table as parameters of a test."""
    return [pytest.param(*arguments, id=id_) for id_, *arguments in read_tables()[name]]
