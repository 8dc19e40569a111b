"""How much code a flow visits: functions, files, and how often it opens its inputs.

Each flow runs in a process of its own. The profiler sees every call in every thread. Two
counts are given:

- visited: named code objects of src/metra that ran, including class bodies and functions
  that run while a module is loaded within the flow (what a debugger steps through);
- called: functions that were called outside the loading of a module.

Comprehensions, generator expressions and lambdas belong to the function around them.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

#: Where the internals are that the flows use: the first place that has the name counts.
PLACES = {
    "main": ["metra.cli:main"],
    "open_store": ["metra.store:open", "metra.store:open_store"],
    "create_app": ["metra.web.app:create_app"],
    **{
        name: [
            f"{module}:{choice}"
            for module in (
                "metra.engine",
                "metra.scoring.plan",
                "metra.scoring.tables",
                "metra.scoring.table_totals",
                "metra.scoring.executors",
                "metra.scoring",
            )
            for choice in (name, *others)
        ]
        for name, others in {
            "Plan": ("ScoringPlan",),
            "check_schema": (),
            "check_measures": ("check_metrics",),
            "total_rows": ("count_totals",),
            "add_totals": (),
            "results_of": ("score_totals",),
            "score_rows": (),
        }.items()
    },
}

HYPOTHESES = {
    "a": ["the cat sat on mat", "hello world", "it is very good"],
    "b": ["a cat sat on the mat", "hi world today", "it was good"],
}
REFERENCE = ["the cat sat on the mat", "hello world today", "it is good"]

CAMPAIGN = """
name = "test"
protocol = "ldc"
source_language = "fr"
target_language = "en"
judges = ["ann", "bob", "cleo", "dan"]

[files]
outputs = ["a", "b"]
references = ["r"]
"""
BASE_URL = "http://127.0.0.1:8000"


def find(name: str) -> Any:
    """Find an internal function by its old or its new place."""
    for place in PLACES[name]:
        module, _, attribute = place.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except (ImportError, AttributeError):
            continue
    msg = f"no {name} at any of {', '.join(PLACES[name])}; add its place to PLACES"
    raise LookupError(msg)


class Recorder:
    """Record which code of a folder runs, and which files are opened."""

    def __init__(self, folder: Path) -> None:
        self.prefix = f"{folder}{os.sep}"
        self.visited: set[CodeType] = set()
        self.called: set[CodeType] = set()
        self.opened: Counter[str] = Counter()
        self.recording = False
        self._loading = threading.local()
        sys.addaudithook(self._audit)

    @contextmanager
    def record(self) -> Iterator[None]:
        """Record what this block does, in this thread and in those that it starts."""
        self.recording = True
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            self.recording = False

    def _profile(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if code.co_name == "<module>":
            step = {"call": 1, "return": -1}.get(event, 0)
            self._loading.depth = getattr(self._loading, "depth", 0) + step
        elif (
            event == "call"
            and not code.co_name.startswith("<")
            and code.co_filename.startswith(self.prefix)
        ):
            self.visited.add(code)
            is_function = code.co_flags & 1  # CO_OPTIMIZED, which a class body lacks
            if is_function and not getattr(self._loading, "depth", 0):
                self.called.add(code)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.recording or event != "open":
            return
        if isinstance(arguments[0], str | bytes | os.PathLike):
            self.opened[os.path.realpath(os.fsdecode(arguments[0]))] += 1

    def summarise(self, inputs: list[Path]) -> dict[str, Any]:
        """Count what was recorded."""

        def count(codes: set[CodeType]) -> list[int]:
            return [len(codes), len({code.co_filename for code in codes})]

        opens = {path.name: self.opened[str(path.resolve())] for path in inputs}
        names = (
            f"{code.co_filename.removeprefix(self.prefix)}:{code.co_firstlineno} "
            f"{code.co_qualname}"
            for code in self.visited
        )
        return {
            "visited": count(self.visited),
            "called": count(self.called),
            "opens": opens,
            "names": sorted(names),
        }


def _command(*arguments: str) -> None:
    """Run the command line in this process, without its output."""
    main = find("main")
    sys.argv = ["metra", *arguments]
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        try:
            main()
        except SystemExit as end:
            if end.code:
                msg = f"metra {' '.join(arguments)} ended with status {end.code}"
                raise RuntimeError(msg) from None


def trace_score(recorder: Recorder) -> None:
    """`metra score a b -r r`."""
    find("main")
    with recorder.record():
        _command("score", "a", "b", "-r", "r")


def trace_report(recorder: Recorder) -> None:
    """`metra report a b -r r -o x.html`."""
    find("main")
    with recorder.record():
        _command("report", "a", "b", "-r", "r", "-o", "x.html")


def trace_answer(recorder: Recorder) -> None:
    """The request that saves a judge's answer, the second in the app's life."""
    import re

    from starlette.testclient import TestClient

    Path("campaign.toml").write_text(CAMPAIGN, encoding="utf-8")
    os.environ["METRA_ADMIN_PASSWORD"] = uuid.uuid4().hex
    _command("judge", "init", "campaign.toml", "--store", "judge.db")
    links = _capture("judge", "links", "--store", "judge.db")
    token = re.search(r"/j/([\w-]+)", links)
    if token is None:
        msg = f"`metra judge links` printed no link: {links}"
        raise RuntimeError(msg)
    app = find("create_app")(find("open_store")("judge.db"), base_url=BASE_URL)
    client = TestClient(app, base_url=BASE_URL, follow_redirects=False)
    csrf = ""

    def get(path: str) -> Any:
        nonlocal csrf
        reply = client.get(path)
        if tag := re.search(r'name="csrf-token" content="([^"]+)"', reply.text):
            csrf = tag[1]
        return reply

    def submit(path: str, **fields: str) -> None:
        data = {"csrf": csrf} | fields
        reply = client.post(path, data=data, headers={"Origin": BASE_URL})
        _expect(reply, 303)

    def send(path: str, body: object) -> Any:
        headers = {"Origin": BASE_URL, "X-CSRF-Token": csrf}
        return client.post(path, json=body, headers=headers)

    get(token[0])
    submit(token[0])
    get("/judge/consent")
    submit("/judge/consent", agree="yes", target_level="native")
    get("/judge/guide")
    submit("/judge/guide")
    get("/judge/work")
    for is_measured in (False, True):
        work = get("/api/work").json()
        screen = work["screen"]
        place = f"/api/screens/{screen['task']}/{screen['number']}"
        value = {}
        for number, step in enumerate(work["protocol"]["steps"]):
            if number > screen["step"] and step["shows"]:
                body = {"step": number, "rev": 10 * number, "value": value}
                _expect(send(f"{place}/reveal", body), 200)
            value[step["name"]] = 3
        times = ["active_ms", "idle_ms", "hidden_ms", "paused_ms", "first_action_ms"]
        body = {
            "id": str(uuid.uuid4()),
            "value": value,
            "comment": "",
            "cannot": None,
            "times": dict.fromkeys(times, 0) | {"active_ms": 1000},
            "events": [],
            "wording": work["protocol"]["wording"],
        }
        if is_measured:
            with recorder.record():
                reply = send(f"{place}/answer", body)
        else:
            reply = send(f"{place}/answer", body)
        _expect(reply, 200)


def _expect(reply: Any, status: int) -> None:
    if reply.status_code != status:
        msg = f"{reply.url} gave {reply.status_code}: {reply.text}"
        raise RuntimeError(msg)


def _capture(*arguments: str) -> str:
    """Run the command line in another process and return its output."""
    command = [sys.executable, "-m", "metra", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def trace_batch(recorder: Recorder) -> None:
    """One batch through the functions of batches: check, total, add, results, scores."""
    import pyarrow as pa

    names = ("Plan", "check_schema", "check_measures", "total_rows")
    names += ("add_totals", "results_of", "score_rows")
    (
        plan_type,
        check_schema,
        check_metrics,
        total_rows,
        add_totals,
        results_of,
        score,
    ) = (find(name) for name in names)
    columns = {"hyp": HYPOTHESES["a"], "ref": REFERENCE, "lp": ["x", "y", "x"]}
    batch = pa.RecordBatch.from_pydict(columns)
    with recorder.record():
        plan = plan_type(
            metrics=("bleu",),
            outputs=(("A", "hyp"),),
            references=("ref",),
            group_by=("lp",),
        )
        check_schema(plan, batch.schema)
        check_metrics(plan)
        results_of(add_totals([total_rows(batch, plan, None)]), plan)
        score(batch, plan, None)


def trace_parquet(recorder: Recorder) -> None:
    """`metra score table.parquet`, the whole command."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"hyp": HYPOTHESES["a"], "ref": REFERENCE})
    pq.write_table(table, "table.parquet")
    find("main")
    with recorder.record():
        _command("score", "table.parquet")


FLOWS: dict[str, Callable[[Recorder], None]] = {
    "score": trace_score,
    "report": trace_report,
    "answer": trace_answer,
    "batch": trace_batch,
    "parquet": trace_parquet,
}


def measure_flow(checkout: Path, flow: str) -> dict[str, Any]:
    """Trace a flow of a checkout in a new process and a new folder."""
    environment = os.environ | {
        "PYTHONPATH": str(checkout / "src"),
        "PYTHONHASHSEED": "0",
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in {**HYPOTHESES, "r": REFERENCE}.items():
            text = "".join(f"{line}\n" for line in lines)
            Path(folder, name).write_text(text, encoding="utf-8")
        process = subprocess.run(
            [sys.executable, __file__, flow, str(checkout)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    if process.returncode:
        last = process.stderr.strip().rpartition("\n")[2]
        return {"error": last or f"status {process.returncode}"}
    return json.loads(process.stdout)


def main() -> None:
    """Trace the flow that the command line names, and print its counts as JSON."""
    flow, checkout = sys.argv[1], Path(sys.argv[2])
    package = checkout / "src" / "metra"
    if not any(package.glob("_core*.so")) and not any(package.glob("_core*.pyd")):
        sys.exit(
            f"{package} has no compiled _core; copy it there from an installed wheel"
        )
    recorder = Recorder(package)
    FLOWS[flow](recorder)
    inputs = [Path(name).resolve() for name in (*HYPOTHESES, "r")]
    print(json.dumps(recorder.summarise(inputs)))


if __name__ == "__main__":
    main()
