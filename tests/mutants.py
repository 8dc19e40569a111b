"""Change the code at random places, one at a time, and see whether the tests notice.

python tests/mutants.py --count 10 --seed 3                 of each package, by its own tests
python tests/mutants.py --count 60 --seed 9 --all --write   by all tests, and bench/RELIABILITY.md
python tests/mutants.py --seed 3 --again                    what survived, once more
python tests/mutants.py --only stats/agreement.py:30-60     every mutant of these lines

Everything happens in a copy of the tree. A run of each test file records which lines of the
package each of its tests executes; a mutant is then tried by the tests that execute its line,
the quickest first. Each trial is a fork of this process, which has numpy and the like loaded
and nothing of metra. What is known is kept in .mutants, so that a run can be stopped and
continued. Tests in browsers, on Spark and of many judges are left out unless --slow is given;
neural metrics are left out, because their tests need torch.
"""

import argparse
import ast
import contextlib
import hashlib
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".mutants"
PAGE = ROOT / "bench" / "RELIABILITY.md"
#: Sources by package, and the tests that are its own.
PACKAGES = {
    "metrics": "tests/metrics",
    "stats": "tests/stats",
    "formats": "tests/formats",
    "campaign": "tests/campaign",
    "store": "tests/store",
    "meta": "tests/meta",
    "web/security": "tests/web",
}
LEFT_OUT = ("metrics/neural/",)
#: Left out of maps unless they are asked for; they start browsers, Spark, or many servers.
SLOW = re.compile(
    r"tests/browser/|test_spark|test_many_judges|test_real_server|test_odd_forms|"
    r"test_strings|neural/|test_architecture|test_names|fuzz/|postgresql"
)
#: Loaded before a fork, because most tests need them.
PRELOADED = [
    "pytest",
    "hypothesis.strategies",
    "hypothesis.extra",
    "numpy.random",
    "scipy.stats",
    "click",
    "sqlalchemy",
    "fastapi.testclient",
    "jinja2",
    "httpx2",
    "pandas",
]
#: So many calls of a function, or lines within one call, are looked at; then it counts whole.
CALLS, STEPS = 15, 500
#: Batches of tests, by the seconds that they take without a mutant.
BATCHES = (2.0, 8.0, 30.0, 120.0)


# -- Mutants ----------------------------------------------------------------------------------


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
    """The name that is assigned, outside functions; "" where there is none."""

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
TEXT = (ast.JoinedStr, ast.List, ast.Tuple)
DELETED = (ast.Continue, ast.Break, ast.Raise, ast.Delete, ast.AugAssign)
#: A kind of change, what takes the place of the node, and the first and last node of another place.
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
    """Return nothing."""
    if node.value is not None and ast.unparse(node.value) != "None":
        yield "return None", "return None"


def change_call(node: ast.Call) -> Iterator[Change]:
    """Swap the first two arguments."""
    first, second, *_ = [*node.args, None, None]
    if first is None or second is None or isinstance(first, ast.Starred):
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
    """Where a node stands: the lines of its statement, outside functions its name."""

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
        place = Place(
            cover_lines(node), None if place.name is None else place.name or name
        )
        if place.name is None:
            yield node, change_statement, place
    if isinstance(node, SKIPPED):
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
    """Return the name that a statement assigns, or nothing."""
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return getattr(targets[0], "id", "")


def is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is nothing but a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


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


def list_mutants(package: str) -> list[Mutant]:
    """Return all mutants of a package."""
    base = ROOT / "src" / "metra"
    paths = sorted((base / package).rglob("*.py"))
    names = [str(path.relative_to(base)) for path in paths]
    return [
        mutant
        for name in names
        if not name.startswith(LEFT_OUT)
        for mutant in find_mutants(
            f"src/metra/{name}", read_source(f"src/metra/{name}")
        )
    ]


@cache
def read_source(path: str) -> bytes:
    """Return a file of the tree."""
    return (ROOT / path).read_bytes()


# -- Which lines each test executes ---------------------------------------------------------


class Tracer:
    """Records the lines of metra that are executed, as a mask of each file."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.codes: dict[int, CodeType] = {}
        self.calls: Counter[int] = Counter()
        self.lines: set[tuple[int, int]] = set()
        self.whole: set[int] = set()

    def start(self) -> None:
        """Begin to record, in all threads that begin from now on."""
        threading.settrace(self.enter)
        sys.settrace(self.enter)

    def enter(self, frame: FrameType, *_: object) -> Any:
        """Look at a call."""
        code = frame.f_code
        key = id(code)
        if key in self.whole or not code.co_filename.startswith(self.folder):
            return None
        self.codes[key] = code
        self.calls[key] += 1
        if self.calls[key] > CALLS:
            self.whole.add(key)
            return None
        self.lines.add((key, frame.f_lineno))
        steps = 0

        def step(frame: FrameType, *_: object) -> Any:
            nonlocal steps
            steps += 1
            self.lines.add((key, frame.f_lineno))
            if steps > STEPS:
                self.whole.add(key)
                frame.f_trace_lines = False
            return step

        return step

    def take(self) -> dict[str, int]:
        """Return the masks since the last time."""
        masks: dict[str, int] = defaultdict(int)
        for key, line in self.lines:
            masks[self.codes[key].co_filename] |= 1 << line
        for key in self.whole:
            for *_, line in self.codes[key].co_lines():
                masks[self.codes[key].co_filename] |= 1 << (line or 0)
        for record in (self.calls, self.lines, self.whole):
            record.clear()
        start = len(self.folder.removesuffix("src/metra"))
        return {name[start:]: mask for name, mask in masks.items()}


#: Python runs this at the start of each process that a test starts.
STARTED = """
import atexit, importlib.util, json, os
place = os.environ.get("METRA_MUTANTS_TRACE")
if place:
    spec = importlib.util.spec_from_file_location("metra_mutants", {script!r})
    module = importlib.util.module_from_spec(spec)
    import sys
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    tracer = module.Tracer({folder!r})
    def leave():
        sys.settrace(None)
        with open(os.path.join(place, str(os.getpid())), "w") as file:
            json.dump({{name: hex(mask) for name, mask in tracer.take().items()}}, file)
    atexit.register(leave)
    tracer.start()
"""


class Mapper:
    """A plugin of pytest that writes which lines each test executes."""

    def __init__(self, tracer: Tracer, tree: "Tree", out: Path) -> None:
        self.tracer, self.children, self.slow = tracer, tree.children, tree.slow
        self.out = out
        self.tests: dict[str, dict[str, Any]] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave out what is slow."""
        items[:] = [one for one in items if self.slow or not SLOW.search(one.nodeid)]

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Add the time and the outcome of a part of a test."""
        test = self.tests.setdefault(report.nodeid, {"seconds": 0.0, "passed": True})
        test["seconds"] = round(test["seconds"] + report.duration, 3)
        test["passed"] = test["passed"] and report.passed

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Add the lines that this test has executed, here and in other processes."""
        masks = self.tracer.take()
        for path in self.children.iterdir():
            with contextlib.suppress(ValueError):
                for name, mask in json.loads(path.read_text()).items():
                    masks[name] = masks.get(name, 0) | int(mask, 16)
            path.unlink()
        self.tests[nodeid]["lines"] = {name: hex(mask) for name, mask in masks.items()}

    def pytest_sessionfinish(self) -> None:
        """Write the map of this file."""
        sys.settrace(None)
        self.out.write_text(json.dumps(self.tests))


# -- A copy of the tree, and runs of tests in it ---------------------------------------------


@dataclass
class Tree:
    """A copy of the tree, in which tests run in forks of this process."""

    home: Path
    slow: bool
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        listing = [
            "git",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]
        names = subprocess.check_output(listing, cwd=ROOT).decode().split("\0")
        names += [str(path.relative_to(ROOT)) for path in ROOT.glob("src/metra/*.so")]
        self.root = self.home / "tree"
        for name in names:
            if name and (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        shared = ROOT.parent / "shared"
        if shared.is_dir():
            (self.home / "shared").symlink_to(shared.resolve())
        self.log = self.home / "log"
        self.children = self.home / "children"
        self.children.mkdir()
        site = self.home / "site"
        site.mkdir()
        folder = str(self.root / "src" / "metra")
        (site / "sitecustomize.py").write_text(
            STARTED.format(script=str(Path(__file__).resolve()), folder=folder)
        )
        sys.path[:0] = [str(self.root / "src"), str(self.root)]
        os.environ["PYTHONPATH"] = os.pathsep.join([str(self.root / "src"), str(site)])
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(self.home)
        os.environ["PYTHONHASHSEED"] = "0"
        for name in PRELOADED:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)

    def test(self, files: list[str], plugin: object, seconds: float) -> int | None:
        """Run tests in a fork; return its exit status, None where it took too long."""
        pid = os.fork()
        if not pid:
            self._run(files, plugin, seconds)
        end = time.monotonic() + 60 + 10 * seconds
        done, status = 0, 0
        while not done and time.monotonic() < end:
            time.sleep(0.01)
            done, status = os.waitpid(pid, os.WNOHANG)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        if not done:
            _, status = os.waitpid(pid, 0)
        for left in self.home.glob("pytest-of-*"):
            shutil.rmtree(left, ignore_errors=True)
        code = os.waitstatus_to_exitcode(status)
        return None if code in (-signal.SIGKILL, -signal.SIGXCPU) else code

    def _run(self, files: list[str], plugin: object, seconds: float) -> None:
        os.setsid()
        os.chdir(self.root)
        log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(log, stream)
        limit = int(10 + 5 * seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))
        code = 3
        try:
            import pytest

            words = ["-x", "-q", "--tb=short", "-p", "no:cacheprovider"]
            words += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
            if isinstance(plugin, Mapper):
                words.remove("-x")
                os.environ["METRA_MUTANTS_TRACE"] = str(self.children)
                plugin.tracer.start()
            code = int(pytest.main([*words, *files], plugins=[plugin]))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def map(self, files: list[str]) -> dict[str, dict[str, Any]]:
        """Return the tests of some files, with their lines; what is not known is run."""
        tests: dict[str, dict[str, Any]] = {}
        for number, name in enumerate(files):
            key = digest(self.root / name)
            place = CACHE / "map" / f"{name.replace('/', '.')}.{key}.json"
            if not place.exists():
                print(f"map {number + 1}/{len(files)} {name}", flush=True)
                place.parent.mkdir(parents=True, exist_ok=True)
                for old in place.parent.glob(f"{name.replace('/', '.')}.*"):
                    old.unlink()
                self._map_file(name, place)
            known = json.loads(place.read_text())
            for test in known["tests"].values():
                if test["passed"] and "lines" in test:
                    test["lines"] = {
                        path: int(mask, 16)
                        if known["sources"].get(path) == digest(self.root / path)
                        else -1
                        for path, mask in test["lines"].items()
                    }
            tests |= {
                nodeid: test
                for nodeid, test in known["tests"].items()
                if test["passed"] and "lines" in test
            }
        return tests

    def _map_file(self, name: str, place: Path) -> None:
        out = self.home / "map.json"
        out.write_text("{}")
        tracer = Tracer(str(self.root / "src" / "metra"))
        status = self.test([name], Mapper(tracer, self, out), 120)
        tests = json.loads(out.read_text())
        failed = [nodeid for nodeid, test in tests.items() if not test["passed"]]
        if status or not tests:
            print(
                f"  exit status {status}; {self.log.read_text()[-1500:]} {len(failed)} of {len(tests)} do not pass"
            )
        paths = {path for test in tests.values() for path in test.get("lines", {})}
        sources = {path: digest(self.root / path) for path in sorted(paths)}
        place.write_text(json.dumps({"sources": sources, "tests": tests}))


@cache
def digest(place: Path) -> str:
    """Return a checksum of a file, or nothing where there is none."""
    content = place.read_bytes() if place.is_file() else b""
    return hashlib.sha256(content).hexdigest()[:12]


# -- Trials -----------------------------------------------------------------------------------


class Chooser:
    """A plugin of pytest that runs chosen tests, in an order, and notes which one fails."""

    def __init__(self, wanted: dict[str, int], note: Path) -> None:
        self.wanted, self.note = wanted, note
        self.functions = {nodeid.partition("[")[0] for nodeid in wanted}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep what is wanted; a test whose name depends on the mutant comes last."""

        def place(item: Any) -> int:
            return self.wanted.get(item.nodeid, len(self.wanted))

        names = {item.nodeid for item in items}
        renamed = {one.partition("[")[0] for one in self.wanted.keys() - names}
        items[:] = sorted(
            (
                item
                for item in items
                if item.nodeid in self.wanted
                or item.nodeid.partition("[")[0] in renamed
            ),
            key=place,
        )

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note the test that fails."""
        if report.failed:
            self.note.write_text(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        """Note what cannot be loaded."""
        if report.failed:
            self.note.write_text(report.nodeid or "collection")


def choose_tests(mutant: Mutant, tests: dict[str, dict[str, Any]]) -> list[str]:
    """Return the tests that may notice a mutant, by file, the quickest first."""
    first, last = mutant.lines
    mask = ((1 << (last - first + 1)) - 1) << first
    chosen = {}
    users = list_users(mutant.name) if mutant.name else {}
    for nodeid, test in tests.items():
        lines = test["lines"]
        if mutant.name is None:
            if lines.get(mutant.path, 0) & mask:
                chosen[nodeid] = 0
        elif any(lines.get(path, 0) & users[path] for path in users):
            chosen[nodeid] = 0
        elif mutant.path in lines:
            chosen[nodeid] = 1
    costs: Counter[tuple[int, str]] = Counter()
    for nodeid, rank in chosen.items():
        costs[rank, nodeid.partition("::")[0]] += tests[nodeid]["seconds"] + 0.2

    def place(nodeid: str) -> tuple[int, float, str, float, str]:
        file, rank = nodeid.partition("::")[0], chosen[nodeid]
        return rank, costs[rank, file], file, tests[nodeid]["seconds"], nodeid

    return sorted(chosen, key=place)


@cache
def list_users(name: str) -> dict[str, int]:
    """Return the lines of the package where a name occurs, as a mask of each file."""
    masks = {}
    for place in (ROOT / "src" / "metra").rglob("*.py"):
        path = str(place.relative_to(ROOT))
        lines = read_source(path).decode().split("\n")
        mask = sum(
            1 << number
            for number, line in enumerate(lines, 1)
            if re.search(rf"\b{name}\b", line)
        )
        if mask:
            masks[path] = mask
    return masks


def cut_batches(
    chosen: list[str], tests: dict[str, dict[str, Any]], limit: float
) -> Iterator[tuple[list[str], float]]:
    """Yield tests in batches that take longer and longer, up to a limit in all."""
    sizes = iter(BATCHES)
    size, batch, taken, total = next(sizes), list[str](), 0.0, 0.0
    for nodeid in chosen:
        seconds = tests[nodeid]["seconds"] + 0.01
        if total + seconds > limit:
            continue
        if batch and taken + seconds > size:
            yield batch, taken
            size, batch, taken = next(sizes, size), [], 0.0
        batch.append(nodeid)
        taken += seconds
        total += seconds
    if batch:
        yield batch, taken


def try_mutant(
    tree: Tree, mutant: Mutant, tests: dict[str, dict[str, Any]], limit: float
) -> dict[str, Any]:
    """Run the tests that may notice a mutant; return what happened."""
    place, note = tree.root / mutant.path, tree.home / "note"
    content = read_source(mutant.path)
    note.unlink(missing_ok=True)
    begin, count, outcome = time.monotonic(), 0, "survived"
    for cached in place.parent.glob(f"__pycache__/{place.stem}.*"):
        cached.unlink()
    place.write_bytes(mutant.apply(content))
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ.pop("METRA_MUTANTS_TRACE", None)
    try:
        compile(mutant.apply(content), mutant.path, "exec")
        for batch, seconds in cut_batches(choose_tests(mutant, tests), tests, limit):
            files = list(dict.fromkeys(nodeid.partition("::")[0] for nodeid in batch))
            wanted = {nodeid: rank for rank, nodeid in enumerate(batch)}
            status = tree.test(files, Chooser(wanted, note), seconds)
            count += len(batch)
            if status not in (0, 5):
                outcome = "time-out" if status is None else "killed"
                break
    except SyntaxError:
        outcome = "no mutant"
    finally:
        place.write_bytes(content)
    return {
        "outcome": outcome,
        "tests": count,
        "by": note.read_text() if note.exists() else "",
        "seconds": round(time.monotonic() - begin, 1),
    }


def list_files(folder: str, slow: bool) -> list[str]:
    """Return the test files of a folder, but not the slow ones unless they are asked for."""
    paths = sorted((ROOT / folder).rglob("test_*.py"))
    names = [str(path.relative_to(ROOT)) for path in paths]
    return [name for name in names if slow or not SLOW.search(name)]


@dataclass
class Run:
    """Mutants of several packages, and what became of them, kept in a file."""

    tree: Tree
    options: argparse.Namespace
    results: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        CACHE.mkdir(exist_ok=True)
        self.place = CACHE / f"results-{self.options.seed}.jsonl"
        if self.place.exists() and not self.options.only:
            for line in self.place.read_text().split("\n")[:-1]:
                result = json.loads(line)
                self.results[result["key"]] = result

    def try_package(self, package: str) -> None:
        """Try a sample of a package's mutants, by its own tests, then by all."""
        mutants = self.choose_mutants(package)
        if not mutants:
            return
        own = self.tree.map(list_files(PACKAGES[package], self.options.slow))
        others = {}
        if self.options.all:
            files = list_files("tests", self.options.slow)
            rest = [name for name in files if not name.startswith(PACKAGES[package])]
            others = self.tree.map(rest)
        for mutant in mutants:
            self.try_once(package, mutant, own, others)

    def choose_mutants(self, package: str) -> list[Mutant]:
        """Return the mutants of a package that are to be tried."""
        mutants = list_mutants(package)
        if self.options.only:
            name, _, lines = self.options.only.partition(":")
            first, _, last = lines.partition("-")
            wanted = range(int(first or 1), int(last or first or 10**6) + 1)
            return [
                mutant
                for mutant in mutants
                if mutant.path == f"src/metra/{name}"
                and read_source(mutant.path).count(b"\n", 0, mutant.start) + 1 in wanted
            ]
        rng = random.Random(f"{self.options.seed} {package}")
        return rng.sample(mutants, min(self.options.count, len(mutants)))

    def try_once(
        self,
        package: str,
        mutant: Mutant,
        own: dict[str, dict[str, Any]],
        others: dict[str, dict[str, Any]],
    ) -> None:
        """Try a mutant, unless what becomes of it is known."""
        before, after, line = mutant.describe(read_source(mutant.path))
        key = f"{mutant.path} {mutant.start} {mutant.new} {digest(ROOT / mutant.path)}"
        known = self.results.get(key)
        if known is not None and not self.is_open(known):
            return
        result = try_mutant(self.tree, mutant, own, self.options.limit)
        stage = "own"
        if result["outcome"] == "survived" and others:
            first = result
            result, stage = (
                try_mutant(self.tree, mutant, others, self.options.limit),
                "all",
            )
            result["tests"] += first["tests"]
            result["seconds"] = round(result["seconds"] + first["seconds"], 1)
        result |= {
            "key": key,
            "package": package,
            "path": mutant.path,
            "line": line,
            "kind": mutant.kind,
            "before": before,
            "after": after,
            "stage": stage,
        }
        self.results[key] = result
        if not self.options.only:
            with self.place.open("a") as file:
                file.write(json.dumps(result) + "\n")
        print(describe(result), flush=True)

    def is_open(self, result: dict[str, Any]) -> bool:
        """Whether a mutant that was tried is to be tried again."""
        if result["outcome"] != "survived":
            return False
        return self.options.again or (self.options.all and result["stage"] == "own")


def describe(result: dict[str, Any]) -> str:
    """Return what became of a mutant, with the line before and after."""
    head = (
        f"{result['outcome']} {result['path']}:{result['line']} ({result['kind']}; "
        f"{result['tests']} tests, {result['seconds']} s)"
    )
    if result["outcome"] != "survived":
        return f"{head} {result['by']}"
    return f"{head}\n  - {result['before']}\n  + {result['after']}"


# -- The page ---------------------------------------------------------------------------------


def format_section(results: list[dict[str, Any]], seed: int, page: str) -> str:
    """Return the section in Markdown; reasons that somebody wrote on the page stay."""
    survivors = [one for one in results if one["outcome"] == "survived"]
    reasons = dict(
        re.findall(r"^\| (`[^|]*` \| `[^|]*`) \| (.*) \|$", page, re.MULTILINE)
    )
    rows, listed = Counter[tuple[str, str]](), []
    for result in results:
        name = result["package"]
        rows[
            name, result["stage"] if result["outcome"] != "survived" else "survived"
        ] += 1
        rows[name, "all mutants"] += 1
    for result in survivors:
        place = f"{result['path'].removeprefix('src/metra/')}: {result['kind']}"
        change = f"{result['before']} → {result['after']}".replace("|", "¦")
        key = f"`{place}` | `{change.replace('`', chr(39))}`"
        reason = reasons.get(key, "")
        rows[result["package"], "equivalent"] += reason.startswith("equivalent")
        listed.append(f"| {key} | {reason} |")
    lines = [format_row(name, [name], rows) for name in PACKAGES]
    lines.append(format_row("all", list(PACKAGES), rows))
    return SECTION.format(
        seed=seed,
        rows="\n".join(lines),
        survivors="\n".join(sorted(listed)),
        seconds=f"{sum(one['seconds'] for one in results):,.0f}",
    )


def format_row(title: str, packages: list[str], rows: Counter[tuple[str, str]]) -> str:
    """Return a line of the table."""
    columns = ("all mutants", "own", "all", "survived", "equivalent")
    total, own, other, survived, equal = (
        sum(rows[name, column] for name in packages) for column in columns
    )
    share = (own + other) / max(total - equal, 1)
    return (
        f"| {title} | {total} | {own} | {other} | {survived} | {equal} | {share:.1%} |"
    )


SECTION = """\
Random changes of the code, one at a time, seed {seed}: a comparison inverted or shifted, an operator
exchanged, a constant one larger or smaller, a condition negated, arguments swapped, a statement or a
row of a table deleted, nothing returned. `make mutants` draws others; the changes below were drawn
after the tests had been improved with other seeds. {seconds} seconds in all.

| package | mutants | killed by its own tests | by other tests | survived | of these equivalent | killed, of those not equivalent |
| :-- | --: | --: | --: | --: | --: | --: |
{rows}

What survived, and why. Equivalent changes alter nothing that a caller could see.

| place | change | reason |
| :-- | :-- | :-- |
{survivors}
"""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=20, help="mutants of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packages", default=",".join(PACKAGES))
    parser.add_argument(
        "--only", help="FILE:FIRST-LAST below src/metra, all mutants there"
    )
    parser.add_argument(
        "--all", action="store_true", help="then the tests of other packages"
    )
    parser.add_argument("--slow", action="store_true", help="browsers and Spark too")
    parser.add_argument("--again", action="store_true", help="try survivors again")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a mutant")
    parser.add_argument("--map", action="store_true", help="only map the tests")
    parser.add_argument(
        "--write", action="store_true", help="write bench/RELIABILITY.md"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        run = Run(Tree(Path(folder), options.slow), options)
        for package in options.packages.split(","):
            if options.map:
                run.tree.map(list_files(PACKAGES[package], options.slow))
            else:
                run.try_package(package)
        if options.map and options.all:
            run.tree.map(list_files("tests", options.slow))
    results = [one for one in run.results.values() if one["outcome"] != "no mutant"]
    print(Counter((one["package"], one["outcome"]) for one in results))
    if options.write:
        sys.path.insert(0, str(ROOT))
        from bench.results import replace_section

        text = format_section(results, options.seed, PAGE.read_text())
        replace_section(PAGE, "Mutation testing", text)


if __name__ == "__main__":
    main()
