"""Figures of a source tree that need no more than its syntax: sizes, imports and names.

`tests/test_names.py` enforces the names with these definitions.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import median

SMALL_FILE_LINES = 60
LONG_FUNCTION_LINES = 60


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
#: Words that end in -ing and are nouns of the field.
NOUNS = _words("encoding ranking resampling spring string")


@dataclass(frozen=True)
class Item:
    """Something that a figure counts; `key` names it whatever file it is in."""

    path: str
    line: int
    name: str
    key: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.name}"


@dataclass(frozen=True)
class Figure:
    """A figure, how it is defined, and what it counts where that can be listed."""

    name: str
    value: float
    definition: str
    items: list[Item] = field(default_factory=list)


@dataclass(frozen=True)
class Source:
    """One Python file of the package."""

    path: str
    parts: tuple[str, ...]
    text: str
    tree: ast.Module

    @property
    def module(self) -> str:
        parts = self.parts[:-1] if self.stem == "__init__" else self.parts
        return ".".join(("metra", *parts))

    @property
    def stem(self) -> str:
        return self.parts[-1]

    @property
    def is_special(self) -> bool:
        return self.stem in ("__init__", "__main__")

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    def item(self, line: int, name: str, key: str = "") -> Item:
        return Item(self.path, line, name, key)


def read_sources(checkout: Path) -> list[Source]:
    """Parse every Python file of `src/metra`."""
    package = checkout / "src" / "metra"
    sources = []
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        sources.append(
            Source(
                path.relative_to(checkout).as_posix(),
                path.relative_to(package).with_suffix("").parts,
                text,
                ast.parse(text),
            )
        )
    return sources


# Names


def list_participles(sources: Iterable[Source]) -> list[Item]:
    """List functions named by a bare participle; properties may be."""
    return [
        source.item(node.lineno, name, f"function {name}")
        for source in sources
        for name, node in _functions(source)
        if _is_participle(node.name, IRREGULAR) and not _is_property(node)
    ]


def list_common_participles(sources: Iterable[Source]) -> list[Item]:
    """List functions and properties named by a regular or common irregular participle."""
    return [
        source.item(node.lineno, name, f"function {name}")
        for source in sources
        for name, node in _functions(source)
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


def _functions(
    source: Source,
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield all functions; a method's name has its class before it."""
    for parent in source.nodes:
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                in_class = isinstance(parent, ast.ClassDef)
                yield f"{parent.name}.{node.name}" if in_class else node.name, node


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
    ]


# Imports


def list_single_importers(sources: Iterable[Source]) -> list[Item]:
    """List modules that exactly one other module imports, with that module."""
    sources = list(sources)
    modules = {source.module for source in sources}
    importers = defaultdict(set)
    for source in sources:
        for name in _imported_modules(source, modules):
            importers[name].add(source.module)
    return [
        source.item(1, f"{source.module} <- {min(importers[source.module])}")
        for source in sources
        if not source.is_special and len(importers[source.module]) == 1
    ]


def _imported_names(source: Source) -> Iterator[tuple[str, str]]:
    """Yield each import as a module and a name in it, which may be empty."""
    package = source.module.split(".")
    if source.stem != "__init__":
        package.pop()
    for node in source.nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                parents = package[: len(package) - node.level + 1]
                module = ".".join([*parents, module]).rstrip(".")
            yield from ((module, alias.name) for alias in node.names)


def _imported_modules(source: Source, modules: set[str]) -> Iterator[str]:
    for module, name in _imported_names(source):
        if f"{module}.{name}" in modules:
            yield f"{module}.{name}"
        elif module in modules:
            yield module


def list_units(checkout: Path) -> list[Item]:
    """List what lies directly in the package: its packages and modules, without __init__."""
    package = checkout / "src" / "metra"
    units = {}
    for path in sorted(package.iterdir()):
        if path.is_dir():
            if not any(path.rglob("*.py")):
                continue
        elif path.suffix not in (".py", ".pyi"):
            continue
        name = path.name.removesuffix(".pyi").removesuffix(".py")
        if name != "__init__":
            relative = path.relative_to(checkout).as_posix()
            units[name] = Item(relative + ("/" if path.is_dir() else ""), 1, name)
    return list(units.values())


def find_longest_chain(sources: Iterable[Source], units: set[str]) -> list[str]:
    """Find the longest chain of imports between packages; those in a cycle are one step."""
    reachable = _reachable(_package_imports(sources, units))
    members = {
        unit: frozenset(
            {unit} | {other for other in reachable[unit] if unit in reachable[other]}
        )
        for unit in units
    }
    chains: dict[frozenset[str], list[str]] = {}

    def chain(step: frozenset[str]) -> list[str]:
        if step not in chains:
            below = {members[other] for unit in step for other in reachable[unit]}
            longest = max(
                (chain(other) for other in below - {step}), key=len, default=[]
            )
            chains[step] = ["+".join(sorted(step)), *longest]
        return chains[step]

    return max((chain(step) for step in sorted(members.values(), key=sorted)), key=len)


def list_package_cycles(sources: Iterable[Source], units: set[str]) -> list[Item]:
    """List packages that import each other, directly or through others."""
    reachable = _reachable(_package_imports(sources, units))
    cycles = {
        tuple(sorted(other for other in reachable[unit] if unit in reachable[other]))
        for unit in units
        if unit in reachable[unit]
    }
    return [Item("src/metra", 1, " <-> ".join(cycle)) for cycle in sorted(cycles)]


def _package_imports(sources: Iterable[Source], units: set[str]) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {unit: set() for unit in units}
    for source in sources:
        here = source.parts[0]
        if here in units:
            for module, name in _imported_names(source):
                parts = f"{module}.{name}".split(".")
                if parts[0] == "metra" and parts[1] in units and parts[1] != here:
                    graph[here].add(parts[1])
    return graph


def _reachable(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    reachable = {}
    for unit in graph:
        reached: set[str] = set()
        waiting = list(graph[unit])
        while waiting:
            other = waiting.pop()
            if other not in reached:
                reached.add(other)
                waiting += graph[other]
        reachable[unit] = reached
    return reachable


def count_declared_layers(checkout: Path) -> int:
    """Count the layers that `tests/test_architecture.py` declares as LAYERS."""
    path = checkout / "tests" / "test_architecture.py"
    if path.exists():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign):
                targets = [node.target]
            if node_value := getattr(node, "value", None):
                names = {ast.unparse(target) for target in targets}
                if "LAYERS" in names:
                    layers = ast.literal_eval(node_value)
                    is_mapping = isinstance(layers, dict)
                    return len(set(layers.values()) if is_mapping else layers)
    return 0


# Sizes and idioms


def list_small_files(sources: Iterable[Source]) -> list[Item]:
    """List files of fewer than 60 lines."""
    return [
        source.item(1, f"{source.lines} lines")
        for source in sources
        if source.lines < SMALL_FILE_LINES
    ]


def list_long_functions(sources: Iterable[Source]) -> list[Item]:
    """List functions of more than 60 lines, without their decorators, longest first."""
    functions = [
        ((node.end_lineno or 0) - node.lineno + 1, source, name, node)
        for source in sources
        for name, node in _functions(source)
    ]
    functions.sort(key=lambda entry: -entry[0])
    return [
        source.item(node.lineno, f"{name} ({lines} lines)")
        for lines, source, name, node in functions
        if lines > LONG_FUNCTION_LINES
    ]


def list_found_assignments(sources: Iterable[Source]) -> list[Item]:
    """List every place that binds a variable named `found`."""
    return [
        source.item(node.lineno, "found")
        for source in sources
        for node in source.nodes
        if isinstance(node, ast.Name)
        and node.id == "found"
        and isinstance(node.ctx, ast.Store)
    ]


def list_isinstance_calls(sources: Iterable[Source]) -> list[Item]:
    """List calls of isinstance."""
    return [
        source.item(node.lineno, ast.unparse(node))
        for source in sources
        for node in source.nodes
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance"
    ]


def measure_code(checkout: Path) -> list[Figure]:
    """Compute all figures of a checkout, in the order of the table."""
    sources = read_sources(checkout)
    units = list_units(checkout)
    names = {unit.name for unit in units}
    packages = [unit for unit in units if unit.path.endswith("/")]
    packages = [unit for unit in packages if unit.name not in ("examples", "compat")]
    modules = [unit for unit in units if unit.path.endswith(".py")]
    modules = [unit for unit in modules if unit.name != "__main__"]
    chain = find_longest_chain(sources, names)
    sizes = [source.lines for source in sources]
    largest = sorted(sources, key=lambda source: -source.lines)[:20]
    classes = list_duplicate_classes(sources)

    def figure(name: str, items: list[Item], definition: str) -> Figure:
        return Figure(name, len(items), definition, items)

    return [
        figure(
            "units",
            units,
            "everything directly in src/metra with code, without __init__: packages, "
            "modules, examples, __main__ and _core",
        ),
        figure("packages", packages, "folders with code, without examples and compat"),
        figure("modules", modules, "modules directly in src/metra, without __main__"),
        Figure(
            "layers",
            len(chain),
            "longest chain of imports between units; a cycle is one step",
            [Item("src/metra", at, name) for at, name in enumerate(reversed(chain))],
        ),
        Figure(
            "declared_layers",
            count_declared_layers(checkout),
            "different levels in LAYERS of tests/test_architecture.py",
        ),
        figure(
            "cycles",
            list_package_cycles(sources, names),
            "groups of units that import each other",
        ),
        Figure("files", len(sources), "Python files in src/metra"),
        Figure("lines", sum(sizes), "newlines in them"),
        Figure("median_lines", median(sizes), "median of the newlines in a file"),
        Figure(
            "longest_file",
            max(sizes),
            "newlines in the longest file",
            [source.item(1, f"{source.lines} lines") for source in largest],
        ),
        figure("small_files", list_small_files(sources), "files under 60 lines"),
        figure(
            "single_importer",
            list_single_importers(sources),
            "modules that exactly one module of src/metra imports, without __init__ and "
            "__main__",
        ),
        figure(
            "long_functions",
            list_long_functions(sources),
            "functions and methods over 60 lines, decorators not counted",
        ),
        figure(
            "participles",
            list_common_participles(sources),
            "functions, methods and properties whose name without underscores at its ends "
            "is one word in -ed (not feed and the like) or one of "
            + ", ".join(sorted(COMMON_IRREGULAR)),
        ),
        figure(
            "participles_checked",
            list_participles(sources),
            "what tests/test_names.py enforces: the same without properties, and with "
            "further irregular participles (chosen, told, hidden …)",
        ),
        Figure(
            "duplicate_classes",
            len({item.name for item in classes}),
            f"class names that occur more than once ({len(classes)} definitions)",
            classes,
        ),
        figure(
            "gerund_modules",
            list_gerunds(sources),
            "modules whose name ends in -ing, without the nouns "
            + ", ".join(sorted(NOUNS)),
        ),
        figure(
            "found",
            list_found_assignments(sources),
            "places that bind a variable `found` (assignments, loops, with)",
        ),
        figure("isinstance", list_isinstance_calls(sources), "calls of isinstance"),
    ]
