"""Names: functions are no bare participles, modules no gerunds, classes named once; prose.

`names_allowed.txt` lists the exceptions, and only shrinks: an entry whose name no longer
occurs has to go (`python bench/structure.py --shrink-names` takes it off).
"""

import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = Path(__file__).with_name("names_allowed.txt")

sys.path.append(str(ROOT / "bench"))

from name_figures import (  # noqa: E402 (bench is no package)
    list_docstring_clauses,
    list_docstring_starts,
    list_duplicate_classes,
    list_empty_names,
    list_gerunds,
    list_names,
    list_participles,
    read_allowed,
)
from source_tree import Item, Source, read_sources  # noqa: E402


@pytest.fixture(scope="module")
def sources() -> list[Source]:
    return read_sources(ROOT)


def find_problems(kind: str, items: list[Item], path: Path = ALLOWED) -> list[str]:
    """Compare names with the list; describe what is missing from it or too much on it."""
    allowed = {
        key: entry.count
        for key, entry in read_allowed(path).items()
        if key.split()[0] == kind
    }
    places = defaultdict(list)
    for item in items:
        places[item.key].append(f"{item.path}:{item.line}")
    problems = []
    for key in sorted(allowed.keys() | places.keys()):
        count, limit = len(places[key]), allowed.get(key, 0)
        if count > limit:
            where = ", ".join(places[key])
            problems.append(f"{key}: {count} times, {limit} allowed: {where}")
        elif count < limit:
            problems.append(
                f"{key}: {limit} allowed, but {count} left; shorten the list"
            )
    return problems


def test_functions_are_no_bare_participles(sources):
    assert not find_problems("function", list_participles(sources))


def test_modules_are_no_gerunds(sources):
    assert not find_problems("module", list_gerunds(sources))


def test_class_names_occur_once(sources):
    assert not find_problems("class", list_duplicate_classes(sources))


def test_docstrings_begin_with_a_verb_or_a_noun(sources):
    items = [*list_docstring_starts(sources), *list_docstring_clauses(sources)]
    assert not find_problems("docstring", items)


def test_variables_name_their_content(sources):
    assert not find_problems("local", list_empty_names(sources))


def test_the_list_has_no_other_entries():
    kinds = Counter(key.split()[0] for key in read_allowed(ALLOWED))
    assert kinds.keys() <= {"function", "module", "class", "docstring", "local"}


CODE = """
class Table:
    "What there is."
    def sorted(self): ...
    def sort_rows(self):
        "Where rows go."
        found = [known for known in self]
    @property
    def paired(self): ...

def _found(): ...
def feed(): ...
def read_told():
    def told(): ...
"""


@pytest.fixture
def small_checkout(tmp_path: Path) -> Path:
    package = tmp_path / "src" / "metra"
    package.mkdir(parents=True)
    for name in ("comparing", "ranking", "own_wording"):
        (package / f"{name}.py").write_text(CODE)
    return tmp_path


def test_what_counts_as_such_a_name(small_checkout):
    counts = Counter(item.key for item in list_names(read_sources(small_checkout)))
    assert counts == {
        "function Table.sorted": 3,
        "function _found": 3,
        "function told": 3,
        "module comparing": 1,
        "module own_wording": 1,
        "class Table": 3,
        **{
            f"docstring metra.{module}:{name}": times
            for module in ("comparing", "ranking", "own_wording")
            for name, times in (("Table", 2), ("sort_rows", 1))
        },
        "local found": 3,
    }
