"""A copy of the tree, and runs of tests in it, each in a fork that loads them."""

import contextlib
import hashlib
import importlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import traceback
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NoReturn

from tests.databases import PostgreSQL
from tests.mutants.lines import SLOW, STARTED, Mapper, Tracer

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".mutants"
#: Loaded before a fork, because most tests need them.
PRELOADED = (
    *("pytest", "hypothesis.strategies", "hypothesis.extra", "numpy.random"),
    *("scipy.stats", "click", "sqlalchemy", "fastapi.testclient", "jinja2", "httpx2"),
    "pandas",
)


@dataclass
class Tree:
    """A copy of the tree, in which tests run in forks of this process."""

    home: Path
    slow: bool
    postgresql: PostgreSQL | None = None
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
        self.root = self.home / "tree"
        for name in names:
            if name and os.path.lexists(ROOT / name):
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name, follow_symlinks=False)
        # The kernels, from the sources or else from the package that is installed.
        installed = Path(sysconfig.get_path("platlib"), "metra")
        for folder in (installed, ROOT / "src" / "metra"):
            for kernels in folder.glob("_core*.so"):
                shutil.copy2(kernels, self.root / "src" / "metra" / "_core.abi3.so")
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
            STARTED.format(
                script=str(self.root / "tests/mutants/lines.py"), folder=folder
            )
        )
        sys.path[:0] = [str(self.root / "src"), str(self.root)]
        os.environ["PYTHONPATH"] = os.pathsep.join([str(self.root / "src"), str(site)])
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(self.home)
        os.environ["PYTHONHASHSEED"] = "0"
        if self.postgresql:
            os.environ["METRA_TEST_POSTGRESQL"] = str(self.postgresql.folder)
        # Whatever changes in the tree from now on, the copy is what counts.
        os.chdir(self.root)
        for name in PRELOADED:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        for plugin in entry_points(group="pytest11"):
            plugin.load()

    def test(self, files: list[str], plugin: object, seconds: float) -> int | None:
        """Run tests in a fork that loads them; return its status, None if it took too long."""
        pid = os.fork()
        if not pid:
            limit_process(self.log, seconds)
            run_pytest(files, plugin)
        status = wait_for(pid, seconds)
        for left in self.home.glob("pytest-of-*"):
            shutil.rmtree(left, ignore_errors=True)
        if self.postgresql:
            self.postgresql.drop_databases()
        return status

    def map(self, files: list[str]) -> dict[str, dict[str, Any]]:
        """Return the tests of some files, with their lines; what is not known is run."""
        tests: dict[str, dict[str, Any]] = {}
        folder = CACHE / "map"
        folder.mkdir(parents=True, exist_ok=True)
        for number, name in enumerate(files):
            title = name.replace("/", ".")
            place = folder / f"{title}.{digest(self.root, name)}.json"
            if not place.exists():
                print(f"map {number + 1}/{len(files)} {name}", flush=True)
                for old in folder.glob(f"{title}.*"):
                    old.unlink()
                self._map_file(name, place)
            for nodeid, test in json.loads(place.read_text()).items():
                if test["passed"] and "lines" in test:
                    masks = {
                        path: int(mask, 16) for path, mask in test["lines"].items()
                    }
                    tests[nodeid] = test | {"lines": masks}
        return tests

    def _map_file(self, name: str, place: Path) -> None:
        out = self.home / "map.json"
        out.write_text("{}")
        os.environ["METRA_MUTANTS_TRACE"] = str(self.children)
        tracer = Tracer(str(self.root / "src" / "metra"))
        left_out = None if self.slow else SLOW
        status = self.test([name], Mapper(tracer, self.children, out, left_out), 120)
        del os.environ["METRA_MUTANTS_TRACE"]
        tests = json.loads(out.read_text())
        failed = [nodeid for nodeid, test in tests.items() if not test["passed"]]
        if status or failed or not tests:
            print(f"  exit status {status}; {len(failed)} of {len(tests)} do not pass")
        place.write_text(json.dumps(tests))


def wait_for(pid: int, seconds: float) -> int | None:
    """Wait for a process and end its group; return its exit status, None after too long."""
    # Looks are counted, not seconds: a run that was paused for a while has lost none.
    looks, done, status = int(100 * (120 + 20 * seconds)), 0, 0
    while not done and looks > 0:
        time.sleep(0.01)
        looks -= 1
        done, status = os.waitpid(pid, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    if not done:
        _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return None if code in (-signal.SIGKILL, -signal.SIGXCPU) else code


def limit_process(log: Path, seconds: float) -> None:
    """Give this process a group, a log, and a limit by what it takes without a mutant."""
    os.setsid()
    stream = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for number in (1, 2):
        os.dup2(stream, number)
    # Half a minute is for loading the tests.
    limit = int(30 + 5 * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))


def run_pytest(files: list[str], plugin: object) -> NoReturn:
    """Run pytest in this process, and end it."""
    code = 3
    try:
        import pytest

        words = ["-x", "-q", "--tb=short", "-p", "no:cacheprovider"]
        words += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        code = int(pytest.main([*words, *files], plugins=[plugin]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


@cache
def digest(root: Path, name: str) -> str:
    """Return a checksum of a test file and of the package: lines are of this version."""
    paths = [root / name, *sorted((root / "src").rglob("*.py"))]
    return hashlib.sha256(b"\0".join(map(Path.read_bytes, paths))).hexdigest()[:12]
