"""Tests that are loaded once and run in forks, where a mutant replaces functions in place."""

import contextlib
import gc
import json
import os
import resource
import signal
import sys
import time
import traceback
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import IO, Any

from tests.mutants.lines import SLOW, Mapper, Tracer

#: The exit status of a fork in which a mutant cannot be put in place.
ELSEWHERE = 77


def wait_for(pid: int, seconds: float) -> int | None:
    """Wait for a process and end its group; return its exit status, None after too long."""
    end = time.monotonic() + 120 + 20 * seconds
    done, status = 0, 0
    while not done and time.monotonic() < end:
        time.sleep(0.01)
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
    limit = int(10 + 5 * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))


class Server:
    """A plugin of pytest that runs tests as it is asked to, instead of all of them."""

    def __init__(self, folder: Path, log: Path, requests: IO[str], answers: IO[str]):
        self.folder, self.log = folder, log
        self.requests, self.answers = requests, answers
        self.early: set[tuple[str, int]] = set()
        self.functions: dict[str, list[FunctionType]] = {}
        self.note: Path | None = None

    def watch(self) -> None:
        """Remember the functions of metra that run while tests are loaded."""
        start = str(self.folder / "src/metra")

        def enter(frame: FrameType, *_: object) -> None:
            code = frame.f_code
            if code.co_filename.startswith(start):
                self.early.add((code.co_filename, code.co_firstlineno))

        sys.settrace(enter)

    def pytest_runtestloop(self, session: Any) -> bool:
        """Answer until nobody asks any more."""
        sys.settrace(None)
        items = {item.nodeid: item for item in session.items}
        self.functions = list_functions(str(self.folder / "src/metra"))
        # A fork copies the memory that it touches: it shall not walk over all objects.
        gc.freeze()
        self.answer("ready")
        for line in self.requests:
            request = json.loads(line)
            pid = os.fork()
            if not pid:
                try:
                    self.run(request, items)
                except BaseException:
                    traceback.print_exc()
                finally:
                    sys.stderr.flush()
                    os._exit(3)
            status = wait_for(pid, request["seconds"])
            self.answer(status)
        return True

    def answer(self, word: Any) -> None:
        """Write a line to whoever asked."""
        self.answers.write(json.dumps(word) + "\n")
        self.answers.flush()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note the test that fails, and end this fork."""
        if report.failed and self.note:
            self.note.write_text(report.nodeid)
            self.log.write_text(report.longreprtext)
            os._exit(1)

    def run(self, request: dict[str, Any], items: dict[str, Any]) -> None:
        """Run tests in this fork."""
        limit_process(self.log, request["seconds"])
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        mapper = None
        if request.get("map"):
            chosen = [
                item
                for name, item in items.items()
                if name.partition("::")[0] == request["map"]
                and (request["slow"] or not SLOW.search(name))
            ]
            children = Path(request["children"])
            os.environ["METRA_MUTANTS_TRACE"] = str(children)
            tracer = Tracer(str(self.folder / "src/metra"))
            mapper = Mapper(tracer, children, Path(request["out"]))
            chosen[0].config.pluginmanager.register(mapper)
        else:
            chosen = [items[name] for name in request["tests"] if name in items]
            self.note = Path(request["note"])
            if not self.replace(**request):
                os._exit(ELSEWHERE)
        for item, following in zip_longest(chosen, chosen[1:]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if mapper:
            mapper.tracer.stop()
        sys.stdout.flush()
        os._exit(0)

    def replace(self, path: str = "", old: str = "", **_: Any) -> bool:
        """Put a mutant in place, if there is one."""
        name = str(self.folder / path)
        functions = self.functions.get(name, [])
        return not path or replace_functions(
            name, Path(old).read_bytes(), functions, self.early
        )


def list_functions(folder: str) -> dict[str, list[FunctionType]]:
    """Return the functions that are loaded from files of a folder, by file."""
    gc.collect()
    functions: dict[str, list[FunctionType]] = {}
    for one in gc.get_objects():
        if isinstance(one, FunctionType):
            path = one.__code__.co_filename
            if path.startswith(folder):
                functions.setdefault(path, []).append(one)
    return functions


def replace_functions(
    path: str, old: bytes, functions: list[FunctionType], early: set[tuple[str, int]]
) -> bool:
    """Put the functions of a changed file in place; return False if that would not be all.

    It would not be all where the change is outside functions, or where a function that it
    changes has run already.
    """
    before = list_codes(compile(old, path, "exec"))
    after = list_codes(compile(Path(path).read_bytes(), path, "exec"))
    if len(before) != len(after):
        return False
    replaced = {}
    for one, other in zip(before, after, strict=True):
        if describe_code(one) != describe_code(other):
            is_function = one.co_flags & 1
            if not is_function or (path, one.co_firstlineno) in early:
                return False
        replaced[one] = other
    for function in functions:
        try:
            function.__code__ = replaced[function.__code__]
        except (KeyError, ValueError):
            return False
    return True


def list_codes(code: CodeType) -> list[CodeType]:
    """Return a code object and all in it."""
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return [code, *(found for one in inner for found in list_codes(one))]


def describe_code(code: CodeType) -> tuple[Any, ...]:
    """Return what a code object does itself."""
    consts = [repr(one) for one in code.co_consts if not isinstance(one, CodeType)]
    return code.co_code, consts, code.co_names, code.co_varnames, code.co_freevars
