"""The Python files of a checkout, parsed, and the records of figures about them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path


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


def list_functions(
    source: Source,
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield all functions; a method's name has its class before it."""
    for parent in source.nodes:
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                in_class = isinstance(parent, ast.ClassDef)
                yield f"{parent.name}.{node.name}" if in_class else node.name, node
