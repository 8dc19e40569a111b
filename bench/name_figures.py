"""Names and docstrings against the house style, and the list of exceptions.

`tests/test_names.py` enforces them with these definitions.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from source_tree import Item, Source, list_functions


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Words that end in -ed and are no participles.
NOT_PARTICIPLES = _words("""
    bed bleed breed creed deed embed exceed feed greed indeed need proceed red reed seed
    shed speed succeed tweed weed
""")
#: The irregular participles that the first count of participles knew.
COMMON_IRREGULAR = _words(
    "built drawn found given kept left made said shown taken written"
)
#: Without words that are as often a noun or a verb: read, set, cut, put, split, run, bound.
IRREGULAR = COMMON_IRREGULAR | _words("""
    begun blown born borne bought broken brought caught chosen dealt done driven eaten
    fallen felt flown forgotten frozen gone gotten grown heard held hidden hung known laid
    learnt led lent lost meant met paid rewritten risen seen sent sold sought spelt spent
    spoilt spoken stolen struck stuck sworn taught thought thrown told torn unbroken
    understood withdrawn won worn
""")
#: A docstring begins with a verb or a noun, and has no such clause.
DOCSTRING_START = re.compile(r"(What|How|Whether|Where)\b")
DOCSTRING_CLAUSE = re.compile(r"\b(what|that)\s+(there\s+)?(is|are)\b", re.IGNORECASE)
#: Names of local variables that say nothing about their content.
EMPTY_NAMES = _words("found known mine there told worth")
#: Words that end in -ing and are nouns of the field.
NOUNS = _words("encoding ranking resampling spring string")


def list_participles(sources: Iterable[Source]) -> list[Item]:
    """List functions named by a bare participle; properties may be."""
    return [
        source.item(node.lineno, name, f"function {name}")
        for source in sources
        for name, node in list_functions(source)
        if _is_participle(node.name, IRREGULAR) and not _is_property(node)
    ]


def list_common_participles(sources: Iterable[Source]) -> list[Item]:
    """List functions and properties named by a regular or common irregular participle."""
    return [
        source.item(node.lineno, name, f"function {name}")
        for source in sources
        for name, node in list_functions(source)
        if _is_participle(node.name, COMMON_IRREGULAR)
    ]


def list_gerunds(sources: Iterable[Source]) -> list[Item]:
    """List modules whose last word is a gerund."""
    return [
        source.item(1, source.module, f"module {source.stem}")
        for source in sources
        if source.stem.endswith("ing") and source.stem.split("_")[-1] not in NOUNS
    ]


def list_duplicate_classes(sources: Iterable[Source]) -> list[Item]:
    """List the definitions of classes whose name occurs more than once."""
    classes = [
        source.item(node.lineno, node.name, f"class {node.name}")
        for source in sources
        for node in source.nodes
        if isinstance(node, ast.ClassDef)
    ]
    counts = Counter(item.name for item in classes)
    repeated = [item for item in classes if counts[item.name] > 1]
    return sorted(repeated, key=lambda item: (item.name, item.path))


def list_docstring_starts(sources: Iterable[Source]) -> list[Item]:
    """List docstrings that begin with a question word."""
    return [item for item in _docstrings(sources) if DOCSTRING_START.match(item.name)]


def list_docstring_clauses(sources: Iterable[Source]) -> list[Item]:
    """List docstrings with a clause such as "what there is"."""
    return [item for item in _docstrings(sources) if DOCSTRING_CLAUSE.search(item.name)]


def list_empty_names(sources: Iterable[Source]) -> list[Item]:
    """List variables whose name says nothing, but not in comprehensions or as fields."""
    items = []
    for source in sources:
        left_out = {
            id(name)
            for node in source.nodes
            if isinstance(node, ast.comprehension)
            for name in ast.walk(node.target)
        } | {
            id(field.target)
            for node in source.nodes
            if isinstance(node, ast.ClassDef)
            for field in node.body
            if isinstance(field, ast.AnnAssign)
        }
        items += [
            source.item(node.lineno, node.id, f"local {node.id}")
            for node in source.nodes
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and node.id in EMPTY_NAMES
            and id(node) not in left_out
        ]
    return items


def _docstrings(sources: Iterable[Source]) -> Iterator[Item]:
    """Yield all docstrings; the key names the module and its definition."""
    kinds = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module
    for source in sources:
        for node in source.nodes:
            if isinstance(node, kinds) and (text := ast.get_docstring(node)):
                name = getattr(node, "name", "module")
                line = getattr(node, "lineno", 1)
                yield source.item(line, text, f"docstring {source.module}:{name}")


def _is_participle(name: str, irregular: frozenset[str]) -> bool:
    word = name.strip("_")
    if not re.fullmatch("[a-z]+", word):
        return False
    if word.endswith("ed"):
        return word not in NOT_PARTICIPLES
    return word in irregular


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        ast.unparse(decorator).endswith("property") for decorator in node.decorator_list
    )


# The list of names that are allowed for now


@dataclass(frozen=True)
class Allowed:
    """A line of the list: a key, how often it may occur, and why."""

    key: str
    count: int
    reason: str = ""

    def __str__(self) -> str:
        text = self.key if self.count == 1 else f"{self.key} {self.count}"
        return f"{text}  # {self.reason}" if self.reason else text


def read_allowed(path: Path) -> dict[str, Allowed]:
    """Read lines of the form `KIND NAME [COUNT] [# REASON]`."""
    allowed = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        entry, _, reason = line.partition("#")
        if words := entry.split():
            count = int(words[2]) if len(words) == 3 else 1
            key = f"{words[0]} {words[1]}"
            if key in allowed:
                msg = f"{path} lists {key} twice"
                raise ValueError(msg)
            allowed[key] = Allowed(key, count, reason.strip())
    return allowed


def shrink_allowed(path: Path, items: Iterable[Item]) -> int:
    """Take what no longer occurs off the list; return how many entries changed."""
    counts = Counter(item.key for item in items)
    lines, changes = [], 0
    for line in path.read_text(encoding="utf-8").split("\n"):
        entry, _, reason = line.partition("#")
        words = entry.split()
        if not words:
            lines.append(line)
            continue
        key, before = f"{words[0]} {words[1]}", int(words[2]) if words[2:] else 1
        now = min(before, counts[key])
        changes += now != before
        if now:
            lines.append(str(Allowed(key, now, reason.strip())))
    path.write_text("\n".join(lines), encoding="utf-8")
    return changes


def list_names(sources: Iterable[Source]) -> list[Item]:
    """List everything that the list of allowed names has to know."""
    sources = list(sources)
    return [
        *list_participles(sources),
        *list_gerunds(sources),
        *list_duplicate_classes(sources),
        *list_docstring_starts(sources),
        *list_docstring_clauses(sources),
        *list_empty_names(sources),
    ]
