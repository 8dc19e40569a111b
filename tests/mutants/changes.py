"""Small changes of code: every mutant of a file, found by its syntax tree."""

import ast
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mutant:
    """A change of the text of one file between two offsets."""

    path: str
    kind: str
    start: int
    end: int
    new: str
    lines: tuple[int, int]
    name: str | None = None
    """Outside functions, the names that are assigned or defined, with | between them."""

    def apply(self, content: bytes) -> bytes:
        """Return the changed file."""
        return content[: self.start] + self.new.encode() + content[self.end :]

    def describe(self, content: bytes) -> tuple[str, str, int]:
        """Return the line before and after, and its number."""
        first = content.rfind(b"\n", 0, self.start) + 1
        last = content.find(b"\n", self.end)
        changed = (
            content[first : self.start] + self.new.encode() + content[self.end : last]
        )
        before, after = (
            b" ".join(text.split()).decode() for text in (content[first:last], changed)
        )
        return before, after, content.count(b"\n", 0, self.start) + 1


INVERTED = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
SHIFTED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
EXCHANGED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
COMMUTATIVE = (
    *("max", "min", "maximum", "minimum", "logical_and", "logical_or"),
    *("compare_digest", "gcd", "and_", "or_"),
)
TEXT = (ast.JoinedStr, ast.List, ast.Tuple)
DELETED = (ast.Continue, ast.Break, ast.Raise, ast.Delete, ast.AugAssign)
#: A kind of change, what is put there, and the first and last node if it is put elsewhere.
Change = tuple[Any, ...]


def change_compare(node: ast.Compare) -> Iterator[Change]:
    """Invert each comparison, and shift those of sizes."""
    for table, kind in (
        (INVERTED, "comparison inverted"),
        (SHIFTED, "comparison shifted"),
    ):
        for place, op in enumerate(node.ops):
            if type(op) in table:
                other = deepcopy(node)
                other.ops[place] = table[type(op)]()
                yield kind, other


def change_operation(node: ast.BinOp | ast.BoolOp | ast.AugAssign) -> Iterator[Change]:
    """Exchange an operator, unless it joins texts or lists."""
    parts = [getattr(node, name, None) for name in ("left", "right", "value")]
    if type(node.op) not in EXCHANGED or any(map(is_text, parts)):
        return
    other = deepcopy(node)
    other.op = EXCHANGED[type(node.op)]()
    yield "and/or" if isinstance(node, ast.BoolOp) else "arithmetic", other


def is_text(node: ast.AST | None) -> bool:
    """Whether an operand is a text or a list, as far as the syntax says so."""
    return isinstance(node, TEXT) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def change_constant(node: ast.Constant) -> Iterator[Change]:
    """Add and subtract one; negate what is true or false."""
    if isinstance(node.value, bool):
        yield "constant", repr(not node.value)
    elif isinstance(node.value, int | float):
        yield "constant", repr(node.value + 1)
        yield "constant", f"({node.value - 1!r})"


def change_not(node: ast.UnaryOp) -> Iterator[Change]:
    """Leave out a negation or a sign."""
    if isinstance(node.op, ast.Not | ast.USub):
        yield "negation left out", node.operand


def change_condition(node: ast.If | ast.While | ast.IfExp) -> Iterator[Change]:
    """Negate what is neither compared nor negated, which others change."""
    if not isinstance(node.test, ast.Compare | ast.UnaryOp):
        new = ast.UnaryOp(ast.Not(), node.test)
        yield "condition negated", new, (node.test, node.test)


def change_return(node: ast.Return) -> Iterator[Change]:
    """Return nothing, unless what is returned counts as nothing."""
    if node.value is not None and not (
        isinstance(node.value, ast.Constant) and not node.value.value
    ):
        yield "return None", "return None"


def change_call(node: ast.Call) -> Iterator[Change]:
    """Swap the first two arguments, where their order matters."""
    first, second, *_ = [*node.args, None, None]
    if first is None or second is None or isinstance(first, ast.Starred):
        return
    owner, _, name = ast.unparse(node.func).rpartition(".")
    # Conditions of a query all hold, in any order; `np.where` chooses between values.
    if name in COMMUTATIVE or (name == "where" and owner != "np"):
        return
    if not isinstance(second, ast.Starred) and ast.dump(first) != ast.dump(second):
        other = deepcopy(node)
        other.args[:2] = other.args[1::-1]
        yield "arguments swapped", other


def change_statement(node: ast.stmt) -> Iterator[Change]:
    """Delete a statement that binds no name."""
    targets = getattr(node, "targets", [])
    if (
        isinstance(node, DELETED)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await))
        or any(isinstance(one, ast.Attribute | ast.Subscript) for one in targets)
    ):
        yield "statement deleted", "pass"


def change_table(node: ast.Dict) -> Iterator[Change]:
    """Leave out a row of a table, or change a word in it."""
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None and len(node.values) > 1:
            yield "row deleted", "**{}", (key, value)
        for part in ast.walk(value):
            if is_word(part):
                yield "word changed", repr(f"{part.value}x"), (part, part)


def is_word(node: ast.AST) -> bool:
    """Whether a node is a short text without blanks: a name rather than a sentence."""
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and 0 < len(node.value) < 40
        and not re.search(r"\s", node.value)
    )


CHANGES: dict[type, list[Callable[..., Iterator[Change]]]] = {
    ast.Compare: [change_compare],
    ast.BinOp: [change_operation],
    ast.BoolOp: [change_operation],
    ast.AugAssign: [change_operation],
    ast.Constant: [change_constant],
    ast.UnaryOp: [change_not],
    ast.If: [change_condition],
    ast.While: [change_condition],
    ast.IfExp: [change_condition],
    ast.Return: [change_return],
    ast.Call: [change_call],
    ast.Dict: [change_table],
}


def find_mutants(path: str, content: bytes) -> list[Mutant]:
    """Return all mutants of a file, in their order."""
    offsets = [0]
    for line in content.split(b"\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    mutants = []
    for node, change, place in walk(ast.parse(content), Place()):
        for kind, new, *span in change(node):
            first, last = span[0] if span else (node, node)
            start = offsets[first.lineno - 1] + first.col_offset
            end = offsets[last.end_lineno - 1] + last.end_col_offset
            text = new if isinstance(new, str) else ast.unparse(new)
            if isinstance(new, ast.expr):
                text = f"({text})"
            mutants.append(
                Mutant(path, kind, start, end, text, place.lines, place.name)
            )
    return mutants


@dataclass(frozen=True)
class Place:
    """Where a node stands: the lines of its statement, outside functions its names."""

    lines: tuple[int, int] = (0, 0)
    name: str | None = ""


def walk(
    node: ast.AST, place: Place
) -> Iterator[tuple[Any, Callable[..., Iterator[Change]], Place]]:
    """Yield the nodes that can be changed, but not annotations, messages and docstrings."""
    if isinstance(node, ast.stmt):
        name = name_target(node)
        if name in ("msg", "__all__") or is_docstring(node):
            return
        names = (
            None if place.name is None else "|".join(filter(None, [place.name, name]))
        )
        place = Place(cover_lines(node), names)
        if place.name is None:
            yield node, change_statement, place
    if isinstance(node, SKIPPED) or is_check(node):
        return
    yield from ((node, change, place) for change in CHANGES.get(type(node), []))
    for part, value in ast.iter_fields(node):
        if part in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        inside = isinstance(node, FUNCTIONS) and part == "body"
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from walk(child, Place(place.lines, None) if inside else place)


def name_target(node: ast.stmt) -> str:
    """Return the name that a statement assigns or defines, or nothing."""
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return getattr(targets[0], "id", getattr(node, "name", ""))


def is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is nothing but a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_check(node: ast.AST) -> bool:
    """Whether a node is the argument `strict` of `zip`, which asserts what holds."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def cover_lines(node: ast.stmt) -> tuple[int, int]:
    """Return the first and last line of a statement, without the statements in it."""
    ends = [
        child.end_lineno
        for child in ast.iter_child_nodes(node)
        if isinstance(child, ast.expr) and child.end_lineno
    ]
    whole = [] if hasattr(node, "body") else [node.end_lineno or 0]
    return node.lineno, max([node.lineno, *ends, *whole])


SKIPPED = (ast.JoinedStr, ast.Raise, ast.Import, ast.ImportFrom, ast.Assert)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
