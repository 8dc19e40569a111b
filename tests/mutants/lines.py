"""Which lines of metra each test executes, here and in the processes that it starts."""

import contextlib
import json
import os
import re
import sys
import threading
from collections import Counter, defaultdict
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

#: So many calls of a function, or lines within one call, are looked at; then it counts whole.
CALLS, STEPS = 15, 500
#: After so many calls, of whatever function, the rest of a test is not looked at.
MOST = 3_000_000
#: Left out of maps unless they are asked for; they start browsers, Spark, or many servers, or
#: stop threads, which do not stop while they are watched.
SLOW = re.compile(
    r"tests/browser/|test_spark|test_many_judges|test_real_server|test_odd_forms|"
    r"test_strings|llm/test_interruption|neural/|test_architecture|test_names|fuzz/|"
    r"test_parallel\.py::test_(whoever|a_signal|python_code|an_interrupt)"
)


class Tracer:
    """Records the lines of metra that are executed, as a mask of each file."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.codes: dict[int, CodeType] = {}
        self.calls: Counter[int] = Counter()
        self.lines: set[tuple[int, int]] = set()
        self.whole: set[int] = set()
        self.seen = 0

    def start(self) -> None:
        """Begin to record, in all threads that begin from now on."""
        threading.settrace(self.enter)
        sys.settrace(self.enter)

    def stop(self) -> None:
        """Record no more."""
        threading.settrace(None)  # type: ignore[arg-type]
        sys.settrace(None)

    def enter(self, frame: FrameType, *_: object) -> Any:
        """Look at a call."""
        self.seen += 1
        if self.seen == MOST:
            self.stop()
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
import atexit, importlib.util, json, os, sys
place = os.environ.get("METRA_MUTANTS_TRACE")
if place:
    spec = importlib.util.spec_from_file_location("metra_mutants", {script!r})
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tracer = module.Tracer({folder!r})
    def leave():
        tracer.stop()
        with open(os.path.join(place, str(os.getpid())), "w") as file:
            json.dump({{name: hex(mask) for name, mask in tracer.take().items()}}, file)
    atexit.register(leave)
    tracer.start()
"""


class Mapper:
    """A plugin of pytest that writes which lines each test executes."""

    def __init__(
        self,
        tracer: Tracer,
        children: Path,
        out: Path,
        left_out: re.Pattern[str] | None,
    ) -> None:
        self.tracer, self.children, self.out = tracer, children, out
        self.left_out = left_out
        self.tests: dict[str, dict[str, Any]] = {}
        self.spent = 0.0

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave out single tests that do not end while they are watched."""
        if self.left_out:
            items[:] = [one for one in items if not self.left_out.search(one.nodeid)]

    def pytest_runtest_logstart(self) -> None:
        """Begin to record, also if a test before this one was not recorded to its end."""
        self.tracer.seen = 0
        self.tracer.start()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Add the outcome of a part of a test."""
        test = self.tests.setdefault(report.nodeid, {"passed": True})
        test["passed"] = test["passed"] and report.passed

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Add the lines that this test has executed, and its time, children included."""
        spent = sum(os.times()[:4])
        self.tests[nodeid]["seconds"] = round(spent - self.spent, 2)
        self.spent = spent
        masks = self.tracer.take()
        for path in self.children.iterdir():
            with contextlib.suppress(ValueError):
                for name, mask in json.loads(path.read_text()).items():
                    masks[name] = masks.get(name, 0) | int(mask, 16)
            path.unlink()
        self.tests[nodeid]["lines"] = {name: hex(mask) for name, mask in masks.items()}
        # At once: a later test may not end while it is watched.
        self.out.write_text(json.dumps(self.tests))
