"""A copy of the tree, and runs of tests in it, each in a fork of this process."""

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
from typing import Any

from tests.mutants.lines import STARTED, Mapper, Tracer

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".mutants"
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
        # Whatever changes in the tree from now on, the copy is what counts.
        os.chdir(self.root)
        for name in PRELOADED:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        for plugin in entry_points(group="pytest11"):
            plugin.load()

    def test(self, files: list[str], plugin: object, seconds: float) -> int | None:
        """Run tests in a fork; return its exit status, None where it took too long."""
        pid = os.fork()
        if not pid:
            self._run(files, plugin, seconds)
        end = time.monotonic() + 300 + 30 * seconds
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
        status = self.test([name], Mapper(tracer, self.children, out, self.slow), 120)
        tests = json.loads(out.read_text())
        failed = [nodeid for nodeid, test in tests.items() if not test["passed"]]
        if status or not tests:
            print(f"  exit status {status}; {len(failed)} of {len(tests)} do not pass")
        paths = {path for test in tests.values() for path in test.get("lines", {})}
        sources = {path: digest(self.root / path) for path in sorted(paths)}
        place.write_text(json.dumps({"sources": sources, "tests": tests}))


@cache
def digest(place: Path) -> str:
    """Return a checksum of a file, or nothing where there is none."""
    content = place.read_bytes() if place.is_file() else b""
    return hashlib.sha256(content).hexdigest()[:12]
