"""Figures of a source tree that need no more than its syntax: sizes and imports."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import mean, median, quantiles

from name_figures import (
    COMMON_IRREGULAR,
    EMPTY_NAMES,
    NOUNS,
    list_common_participles,
    list_docstring_clauses,
    list_docstring_starts,
    list_duplicate_classes,
    list_empty_names,
    list_gerunds,
    list_participles,
)
from source_tree import Figure, Item, Source, list_functions, read_sources

SMALL_FILE_LINES = 60
LONG_FUNCTION_LINES = 60
#: Folders of Rust that count.
RUST = ("src", "tests", "examples", "fuzz/fuzz_targets")
#: Syntax that adds a path through a function.
BRANCHES = (
    *(ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While),
    *(ast.ExceptHandler, ast.Assert, ast.match_case),
)


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
        for name, node in list_functions(source)
    ]
    functions.sort(key=lambda entry: -entry[0])
    return [
        source.item(node.lineno, f"{name} ({lines} lines)")
        for lines, source, name, node in functions
        if lines > LONG_FUNCTION_LINES
    ]


def count_code_lines(source: Source) -> int:
    """Count lines that hold code: no blank line, comment or docstring."""
    docstrings = {
        line
        for node in source.nodes
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    return sum(
        bool(line.strip()) and not line.strip().startswith("#")
        for number, line in enumerate(source.text.split("\n"), start=1)
        if number not in docstrings
    )


def count_paths(function: ast.AST) -> int:
    """Count the cyclomatic complexity, as radon does: conditions of comprehensions too."""
    paths = 1
    for node in ast.walk(function):
        if isinstance(node, BRANCHES):
            paths += 1
        elif isinstance(node, ast.BoolOp):
            paths += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            paths += 1 + len(node.ifs)
    return paths


def count_lines_by_package(sources: Iterable[Source]) -> dict[str, int]:
    """Count the lines of each package; modules directly in src/metra are one."""
    lines: dict[str, int] = Counter()
    for source in sources:
        lines[source.parts[0] if len(source.parts) > 1 else "metra"] += source.lines
    return dict(lines)


def count_text(checkout: Path, folder: str, pattern: str) -> int:
    """Count the lines of the files of a folder."""
    files = (checkout / folder).rglob(pattern)
    return sum(file.read_text("utf-8").count("\n") for file in files if file.is_file())


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
    functions = [node for source in sources for _, node in list_functions(source)]
    lengths = [(node.end_lineno or 0) - node.lineno + 1 for node in functions]
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
        Figure(
            "code_lines",
            sum(map(count_code_lines, sources)),
            "lines without blank lines, comments and docstrings",
        ),
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
        Figure("function_median", median(lengths), "median lines of a function"),
        Figure(
            "function_p90", quantiles(lengths, n=10)[-1], "90th percentile of the same"
        ),
        Figure(
            "complexity",
            round(mean(map(count_paths, functions)), 2),
            "mean cyclomatic complexity of functions, as radon counts it",
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
            "docstring_starts",
            list_docstring_starts(sources),
            "docstrings that begin with What, How, Whether or Where",
        ),
        figure(
            "docstring_clauses",
            list_docstring_clauses(sources),
            "docstrings with a clause what/that (there) is/are",
        ),
        figure(
            "empty_names",
            list_empty_names(sources),
            "variables outside comprehensions named " + ", ".join(sorted(EMPTY_NAMES)),
        ),
        figure("isinstance", list_isinstance_calls(sources), "calls of isinstance"),
        Figure("test_lines", count_text(checkout, "tests", "*.py"), "lines of tests"),
        Figure(
            "golden_lines",
            count_text(checkout, "tests/golden_run/expected", "*"),
            "lines of expected output",
        ),
        Figure(
            "rust_lines",
            sum(count_text(checkout, f"rust/{part}", "*.rs") for part in RUST),
            f"lines of Rust in {', '.join(RUST)}",
        ),
    ]
