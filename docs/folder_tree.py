"""The tree of the sources: every file with the first line of what it says of itself."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOMS = ("src/metra", "rust/src")


def tree(root: Path) -> str:
    """Draw the rooms, files before folders."""
    lines = [line for room in ROOMS for line in _room(root / room, room, 0)]
    left = max(len(name) for name, _ in lines)
    drawn = "\n".join(f"{name:{left}}  {says}".rstrip() for name, says in lines)
    return f"```text\n{drawn}\n```"


def _room(folder: Path, name: str, depth: int) -> Iterator[tuple[str, str]]:
    inside = [folder / file for file in ("__init__.py", "mod.rs", "lib.rs")]
    says = next((_says(file) for file in inside if file.exists()), "")
    yield f"{'  ' * depth}{name}/", says
    for path in sorted(folder.iterdir(), key=lambda path: (path.is_dir(), path.name)):
        if path.suffix in (".py", ".pyi", ".rs") and path not in inside:
            yield f"{'  ' * (depth + 1)}{path.name}", _says(path)
        elif path.is_dir() and any(path.glob("*.py")) | any(path.glob("*.rs")):
            yield from _room(path, path.name, depth + 1)


def _says(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rs":
        first = text.partition("\n")[0].removeprefix("//!")
    else:
        first = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return first.strip().rstrip(".")
