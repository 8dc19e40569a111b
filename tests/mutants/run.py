"""Change the code at random places, one at a time, and see whether the tests notice.

python tests/mutants/run.py --count 10 --seed 3                of each package, by its own tests
python tests/mutants/run.py --count 60 --seed 9 --all          then by all
python tests/mutants/run.py --only stats/agreement.py:30-60    every mutant of these lines
python tests/mutants/run.py --seed 3 --tests FILE …            by these tests

Everything happens in a copy of the tree. A run of each test file records which lines of the
package each of its tests executes; a mutant is then tried by the tests that execute its line,
the quickest first, until one fails. Each trial is a fork that loads these tests.
The lines of a version of the package are kept in .mutants. A failure counts if the test fails
again, and passes without the mutant. Tests in browsers, on Spark and of many judges are left
out unless --slow is given; neural metrics are left out, because their tests need torch.
"""

import argparse
import contextlib
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2]))

from tests import databases
from tests.mutants.changes import Mutant, find_mutants
from tests.mutants.lines import SLOW
from tests.mutants.tree import Tree

#: Sources by package, and the tests that are its own; what `meta` asks is computed by `stats`.
PACKAGES = {
    "metrics": ("tests/metrics",),
    "stats": ("tests/stats", "tests/meta"),
    "formats": ("tests/formats",),
    "campaign": ("tests/campaign",),
    "store": ("tests/store",),
    "meta": ("tests/meta",),
    "web": ("tests/web",),
}
LEFT_OUT = ("src/metra/metrics/neural/",)
#: Batches of tests, by the seconds that they take without a mutant.
BATCHES = (2.0, 8.0, 30.0, 120.0)


def list_mutants(package: str) -> list[Mutant]:
    """Return all mutants of a package."""
    paths = map(str, sorted(Path("src/metra", package).rglob("*.py")))
    return [
        mutant
        for path in paths
        if not path.startswith(LEFT_OUT)
        for mutant in find_mutants(path, read_source(path))
    ]


@cache
def read_source(path: str) -> bytes:
    """Return a file of the tree, as it is without a mutant."""
    return Path(path).read_bytes()


class Chooser:
    """A plugin of pytest that runs chosen tests, in an order, and notes which one fails."""

    def __init__(self, wanted: dict[str, int], note: Path) -> None:
        self.wanted, self.note = wanted, note

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep what is wanted; a test whose name depends on the mutant comes last."""

        def place(item: Any) -> int:
            return self.wanted.get(item.nodeid, len(self.wanted))

        names = {item.nodeid for item in items}
        renamed = {one.partition("[")[0] for one in self.wanted.keys() - names}
        chosen = {name for name in names if name.partition("[")[0] in renamed}
        chosen |= self.wanted.keys()
        items[:] = sorted((one for one in items if one.nodeid in chosen), key=place)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note the test that fails."""
        if report.failed:
            self.note.write_text(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        """Note what cannot be loaded."""
        if report.failed:
            self.note.write_text(report.nodeid or "collection")


def choose_tests(mutant: Mutant, tests: dict[str, dict[str, Any]]) -> list[str]:
    """Return the tests that may notice a mutant: files named like it, then the quickest.

    Outside functions: tests of lines with its name or in files with it, tests of its file, then
    of files that import it.
    """
    first, last = mutant.lines
    mask = ((1 << (last - first + 1)) - 1) << first
    chosen = {}
    users = list_users(mutant.name) if mutant.name else {}
    importers = list_users(name_module(mutant.path))
    for nodeid, test in tests.items():
        lines = test["lines"]
        if mutant.name is None:
            if lines.get(mutant.path, 0) & mask:
                chosen[nodeid] = 0
        elif any(lines.get(path, 0) & users[path] for path in users) or (
            mutant.name
            and is_named(nodeid.partition("::")[0], mutant.path, mutant.name)
        ):
            chosen[nodeid] = 0
        elif mutant.path in lines:
            chosen[nodeid] = 1
        elif importers.keys() & lines.keys():
            chosen[nodeid] = 2
    costs: Counter[tuple[int, str]] = Counter()
    for nodeid, rank in chosen.items():
        costs[rank, nodeid.partition("::")[0]] += tests[nodeid]["seconds"] + 0.2

    def place(nodeid: str) -> tuple[int | float | str, ...]:
        file, rank = nodeid.partition("::")[0], chosen[nodeid]
        is_other = Path(mutant.path).stem not in file
        seconds = tests[nodeid]["seconds"]
        # What is declared outside functions shows in the help and output of commands.
        if mutant.name is not None and file.startswith("tests/golden_run"):
            return is_other, 0, 0.0, file, seconds, nodeid
        return is_other, rank, costs[rank, file], file, seconds, nodeid

    return sorted(chosen, key=place)


def name_module(path: str) -> str:
    """Return the name by which others import a file."""
    return path.removeprefix("src/").removesuffix(".py").replace("/", r"\.")


@cache
def is_named(file: str, path: str, names: str) -> bool:
    """Whether a test file has one of the names, and that of their module."""
    text = read_source(file).decode()
    module = (
        Path(path).stem if Path(path).stem != "__init__" else Path(path).parent.name
    )
    return all(re.search(rf"\b(?:{name})\b", text) for name in (names, module))


@cache
def list_users(name: str) -> dict[str, int]:
    """Return the lines of the package where a name occurs, as a mask of each file."""
    masks = {}
    for path in map(str, Path("src/metra").rglob("*.py")):
        lines = read_source(path).decode().split("\n")
        mask = sum(
            1 << number
            for number, line in enumerate(lines, 1)
            if re.search(rf"\b(?:{name})\b", line)
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


def run_tests(tree: Tree, batch: list[str], seconds: float) -> tuple[int | None, str]:
    """Run tests; return their exit status, and which one has failed."""
    note = tree.home / "note"
    note.unlink(missing_ok=True)
    files = list(dict.fromkeys(one.partition("::")[0] for one in batch))
    wanted = {nodeid: rank for rank, nodeid in enumerate(batch)}
    status = tree.test(files, Chooser(wanted, note), seconds)
    if status in (0, 5):
        return 0, ""
    return status, note.read_text() if note.exists() else f"exit status {status}"


def is_noticed(tree: Tree, mutant: Mutant, suspects: list[str], seconds: float) -> bool:
    """Whether tests that failed or took too long pass without the mutant."""
    place, changed = Path(mutant.path), Path(mutant.path).read_bytes()
    place.write_bytes(read_source(mutant.path))
    try:
        return run_tests(tree, suspects, seconds)[0] == 0
    finally:
        place.write_bytes(changed)


def try_mutant(
    tree: Tree, mutant: Mutant, tests: dict[str, dict[str, Any]], limit: float
) -> dict[str, Any]:
    """Run the tests that may notice a mutant; return what happened."""
    place, content = Path(mutant.path), read_source(mutant.path)
    begin, count, outcome, failed = time.monotonic(), 0, "survived", ""
    chosen: list[str] = []
    for cached in place.parent.glob(f"__pycache__/{place.stem}.*"):
        cached.unlink()
    place.write_bytes(mutant.apply(content))
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        compile(mutant.apply(content), mutant.path, "exec")
        chosen = choose_tests(mutant, tests)
        for batch, seconds in cut_batches(chosen, tests, limit):
            status, failed = run_tests(tree, batch, seconds)
            while status != 0:
                # A test may fail by itself, now and then or always: it has to fail again,
                # and to pass without the mutant.
                suspects = [failed] if failed in batch else batch
                again, _ = run_tests(tree, suspects, seconds)
                if again != 0 and is_noticed(tree, mutant, suspects, seconds):
                    break
                print(f"  not by {', '.join(suspects)}:", flush=True)
                print("\n  ".join(tree.log.read_text().split("\n")[-12:]))
                batch = [one for one in batch if one not in suspects]
                status, failed = 0, ""
                if batch:
                    status, failed = run_tests(tree, batch, seconds)
            count += len(batch)
            if status != 0:
                outcome = "time-out" if status is None else "killed"
                break
    except SyntaxError:
        outcome = "no mutant"
    finally:
        place.write_bytes(content)
    seconds = round(time.monotonic() - begin, 1)
    result = {"outcome": outcome, "tests": count, "of": len(chosen)}
    return result | {"by": failed, "seconds": seconds}


def list_files(folders: tuple[str, ...], slow: bool) -> list[str]:
    """Return the test files of folders, but not the slow ones unless they are asked for."""
    paths = [path for folder in folders for path in Path(folder).rglob("test_*.py")]
    names = sorted(map(str, paths))
    return [name for name in names if slow or not SLOW.search(name)]


def choose_mutants(package: str, options: argparse.Namespace) -> list[Mutant]:
    """Return the mutants of a package that are to be tried."""
    mutants = list_mutants(package)
    if options.only:
        name, _, lines = options.only.partition(":")
        first, _, last = lines.partition("-")
        wanted = range(int(first or 1), int(last or first or 10**6) + 1)
        return [
            mutant
            for mutant in mutants
            if mutant.path == f"src/metra/{name}"
            and read_source(mutant.path).count(b"\n", 0, mutant.start) + 1 in wanted
        ]
    rng = random.Random(f"{options.seed} {package}")
    return rng.sample(mutants, min(options.count, len(mutants)))


def try_package(
    tree: Tree, package: str, options: argparse.Namespace
) -> Counter[tuple[str, str]]:
    """Try mutants of a package, by its own tests, then by all; count what happens."""
    outcomes: Counter[tuple[str, str]] = Counter()
    mutants = choose_mutants(package, options)
    if not mutants:
        return outcomes
    files = options.tests or list_files(PACKAGES[package], options.slow)
    every = list_files(("tests",) if options.all else (), options.slow)
    own = tree.map(files)
    others = tree.map([name for name in every if name not in files])
    for mutant in mutants:
        result, stage = try_mutant(tree, mutant, own, options.limit), "own tests"
        if result["outcome"] == "survived" and others:
            result, stage = try_mutant(tree, mutant, others, options.limit), "others"
        print(describe(mutant, result), flush=True)
        survived = result["outcome"] in ("survived", "no mutant")
        outcomes[package, result["outcome"] if survived else f"killed by {stage}"] += 1
    return outcomes


def describe(mutant: Mutant, result: dict[str, Any]) -> str:
    """Return what became of a mutant, with the line before and after."""
    before, after, line = mutant.describe(read_source(mutant.path))
    head = (
        f"{result['outcome']} {mutant.path}:{line} ({mutant.kind}; "
        f"{result['tests']} of {result['of']} tests, {result['seconds']} s)"
    )
    if result["outcome"] != "survived":
        return f"{head} {result['by']}"
    return f"{head}\n  - {before}\n  + {after}"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=20, help="mutants of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packages", default=",".join(PACKAGES))
    parser.add_argument("--only", help="FILE:FIRST-LAST below src/metra, all mutants")
    parser.add_argument("--tests", nargs="*", help="files instead of the package's")
    parser.add_argument("--all", action="store_true", help="then other packages' tests")
    parser.add_argument("--slow", action="store_true", help="browsers and Spark too")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a mutant")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = tempfile.TemporaryDirectory(prefix="mutants-")
        home = Path(stack.enter_context(folder))
        server = None
        if databases.missing() is None:
            server = stack.enter_context(databases.running())
        tree = Tree(home, options.slow, server)
        outcomes: Counter[tuple[str, str]] = Counter()
        for package in options.packages.split(","):
            outcomes += try_package(tree, package, options)
    for (package, outcome), count in sorted(outcomes.items()):
        print(f"{package}: {count} {outcome}")


if __name__ == "__main__":
    main()
