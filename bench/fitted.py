"""NIST and LTV over millions of different pairs: this machine, and a Spark cluster of two.

    python bench/fitted.py                          ten million pairs, 1 GB and more
    python bench/fitted.py --pairs 1000000,3000000  other sizes
    python bench/fitted.py --write-results          puts the figures into bench/SCALE.md

`metra score` runs on this machine and on `local-cluster[2,1,1024]`, where an executor is killed
by SIGKILL while it works. Every half second the resident memory
of the driver is read, its Python and its Java apart. What became of tasks is taken from Spark's
own event log. The two outputs must be the same bytes.

Exit status: 0 equal, and a running task was lost; 1 not.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import diverse
import environment
import table
from fresh import HERE

MASTER = "local-cluster[2,1,1024]"
RESULTS = HERE / "SCALE.md"
TITLE = "## NIST and LTV over different pairs, on Spark"
EVERY = 0.5  # seconds
# What is in the command lines of Python's workers, and of executors.
WORKER = "pyspark.daemon"
EXECUTOR = "CoarseGrainedExecutorBackend"
# The driver plans and adds up totals, so a small heap is enough for it.
JAVA = (
    "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss512k -Xms40m -Xmn16m "
    "-Dio.netty.allocator.numDirectArenas=1 -Dio.netty.allocator.numHeapArenas=1 "
    "-XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=20 -XX:ReservedCodeCacheSize=48m"
)
SETTINGS = {
    "spark.driver.memory": "512m",
    "spark.driver.extraJavaOptions": JAVA,
    # The plan is simple: what Spark would compile for it, and replan, costs 30 MB.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.ui.retainedJobs": "10",
    "spark.ui.retainedStages": "10",
    "spark.ui.retainedTasks": "100",
    "spark.sql.ui.retainedExecutions": "1",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.rolling.enabled": "false",
    "spark.eventLog.compress": "false",
}

EXPLANATION = f"""
`metra score -m nist -m ltv --format json` on a table of Parquet files: on all cores of one
machine, and on `{MASTER}`, two executors with one core and 1 GB each. `bench/diverse.py` makes
the text. CPU time is per pair, over all processes. Memory is the maximum resident set size
(RSS), sampled every half second; for the Spark driver, that of Python, of Java, and of both
together. In the last run, an executor is killed with SIGKILL during the work. Tasks are counted
in the event log of Spark: those that each executor finished, including the replacement of the
killed one, and those that ended with `ExecutorLostFailure`.
"""


class Run(NamedTuple):
    """What one call printed and took; memory in MB."""

    out: str
    seconds: float
    cpu: float
    python: float
    java: float
    both: float


class Events(NamedTuple):
    """What Spark's event log says of tasks, by executor."""

    finished: dict[str, int]
    lost: dict[str, int]
    removed: dict[str, str]


def main() -> int:
    options = _options()
    rows, passed = [], True
    for pairs in options.pairs:
        with tempfile.TemporaryDirectory("-fitted", dir=options.folder) as name:
            found, is_right = _measure(Path(name), pairs)
        rows.append(found)
        passed &= is_right
        print(found, flush=True)
    report = _report(rows)
    print(report)
    if options.write_results:
        before = RESULTS.read_text(encoding="utf-8").partition(f"\n{TITLE}\n")[0]
        RESULTS.write_text(f"{before.rstrip()}\n\n{report}\n", encoding="utf-8")
    return 0 if passed else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    sizes = parser.add_argument("--pairs", default="10000000", metavar="N,N")
    sizes.type = lambda text: [*map(int, text.split(","))]
    parser.add_argument("--folder", help="Where temporary files go.")
    parser.add_argument("--write-results", action="store_true")
    return parser.parse_args()


def _measure(folder: Path, pairs: int) -> tuple[list[str], bool]:
    """Score so many pairs on both engines; give a row of the table."""
    write_pairs(folder / "data", pairs)
    columns = ["--hyp-column", "hyp", "--ref-column", "ref", "--doc-column", "doc"]
    asked = ["score", str(folder / "data"), *columns, "-m", "nist", "-m", "ltv"]
    asked += ["--format", "json"]
    here = run_metra([*asked, "--resume", str(folder / "kept")])
    print(f"{pairs:,} here: {here._replace(out='')}", flush=True)
    (folder / "events").mkdir()
    settings = SETTINGS | {
        "spark.eventLog.dir": f"file://{folder}/events",
        "spark.local.dir": str(folder / "scratch"),
    }
    there = [f"{name}={value}" for name, value in settings.items()]
    confs = [word for entry in there for word in ("--spark-conf", entry)]
    with _spark_home(folder / "home") as home:
        spark = run_metra(
            [*asked, "--engine", "spark", "--master", MASTER, *confs],
            # Early, so that little has to be done again.
            kill_at=here.cpu / 8,
            SPARK_HOME=home,
            MALLOC_ARENA_MAX="2",
            SPARK_LOCAL_IP="127.0.0.1",
            SPARK_LOCAL_HOSTNAME="localhost",
        )
    (log,) = (folder / "events").iterdir()
    events = read_events(log)
    is_equal = here.out == spark.out
    lost = [f"{count} of executor {name}" for name, count in events.lost.items()]
    done = [f"{count:,}" for count in events.finished.values()]
    row = [
        f"{pairs:,}",
        f"{1e6 * here.cpu / pairs:.0f} µs",
        f"{here.seconds:.0f} s",
        f"{here.python:.0f} MB",
        f"{1e6 * spark.cpu / pairs:.0f} µs",
        f"{spark.seconds:.0f} s",
        f"{spark.python:.0f} + {spark.java:.0f} MB",
        f"{spark.both:.0f} MB",
        ", ".join(done),
        ", ".join(lost) or "none",
        "equal" if is_equal else "**different**",
    ]
    print(events, flush=True)
    return row, is_equal and bool(lost)


def write_pairs(folder: Path, pairs: int) -> None:
    """Write different pairs as Parquet files, a block in each."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    for block, first in enumerate(range(0, pairs, diverse.BLOCK)):
        rows = diverse.make_rows(block, min(diverse.BLOCK, pairs - first))
        path = folder / f"part-{block:04}.parquet"
        pq.write_table(pa.Table.from_batches([rows]), path)


@contextmanager
def _spark_home(folder: Path) -> Iterator[str]:
    """Give a home for Spark in which executors may leave their logs."""
    import pyspark

    folder.mkdir()
    for part in ("bin", "jars", "python"):
        (folder / part).symlink_to(Path(pyspark.__file__).parent / part)
    yield str(folder)


def run_metra(words: list[str], kill_at: float | None = None, **variables: str) -> Run:
    """Run metra; watch memory and CPU time.

    When workers have used so many seconds of CPU time, kill the executor of a busy one.
    """
    variables |= {"PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, "-m", "metra", *words]
    began = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            command, stdout=out, env=os.environ | variables, start_new_session=True
        )
        # Linux shares time out among sessions first: give this one the priority that we have.
        with suppress(OSError):
            Path(f"/proc/{process.pid}/autogroup").write_text(str(os.nice(0)))
        cpu: dict[int, float] = {}
        peaks = [0.0, 0.0, 0.0]
        while process.poll() is None:
            seen = list_processes(process.pid)
            busy = find_busy(seen, cpu)
            cpu |= {pid: entry["cpu"] for pid, entry in seen.items()}
            python = seen.get(process.pid, {}).get("memory", 0.0)
            java = sum(e["memory"] for e in seen.values() if "SparkSubmit" in e["line"])
            now = (python, java, python + java)
            peaks = [*map(max, peaks, now)]
            used = sum(e["cpu"] for e in seen.values() if WORKER in e["line"])
            if kill_at is not None and used > kill_at and busy:
                os.kill(busy[0], signal.SIGKILL)
                kill_at = None
            time.sleep(EVERY)
        seconds = time.monotonic() - began
        if process.returncode:
            sys.exit(f"metra ended with exit code {process.returncode}")
        out.seek(0)
        text = out.read().decode()
    return Run(text, seconds, sum(cpu.values()), *peaks)


def find_busy(seen: dict[int, dict[str, Any]], before: dict[int, float]) -> list[int]:
    """Find executors whose Python workers have used CPU time since the last look."""
    found = []
    for pid, entry in seen.items():
        if WORKER in entry["line"] and entry["cpu"] > before.get(pid, 0.0):
            while pid in seen and EXECUTOR not in seen[pid]["line"]:
                pid = seen[pid]["parent"]
            found += [pid] if pid in seen else []
    return found


def list_processes(session: int) -> dict[int, dict[str, Any]]:
    """Read what Linux says of the processes of a session: command line, memory, CPU time."""
    found = {}
    tick = os.sysconf("SC_CLK_TCK")
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(") ")[2].split()
            status = (place / "status").read_text()
            line = (place / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue  # it has just ended
        memory = re.search(r"VmRSS:\s+(\d+) kB", status)
        if fields[3] == str(session) and memory:
            found[int(place.name)] = {
                "line": line,
                "parent": int(fields[1]),
                "memory": int(memory[1]) * 1024 / 1e6,
                "cpu": (int(fields[11]) + int(fields[12])) / tick,
            }
    return found


def read_events(log: Path) -> Events:
    """Read which executors finished tasks, lost running ones, and went."""
    finished: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    removed = {}
    with log.open(encoding="utf-8") as lines:
        for event in map(json.loads, lines):
            if event["Event"] == "SparkListenerExecutorRemoved":
                removed[event["Executor ID"]] = event["Removed Reason"]
            if event["Event"] != "SparkListenerTaskEnd":
                continue
            reason = event["Task End Reason"]["Reason"]
            executor = event["Task Info"]["Executor ID"]
            finished[executor] += reason == "Success"
            if reason == "ExecutorLostFailure":
                lost[executor] += 1
    return Events(dict(sorted(finished.items())), dict(lost), removed)


def _report(rows: list[list[str]]) -> str:
    machine = environment.describe()
    header = ["pairs", "CPU here", "time", "memory", "CPU on Spark", "time"]
    header += ["driver: Python + Java", "together", "tasks by executor", "tasks lost"]
    header += ["output"]
    return "\n".join(
        [
            TITLE,
            "",
            "Written by `python bench/fitted.py --write-results`; do not edit.",
            "",
            textwrap.fill(EXPLANATION.strip(), 100),
            "",
            f"{date.today():%-d %B %Y}. {machine['cores']} cores of {machine['cpu']}, "
            f"{machine['system']}, Python {machine['python']}, load "
            f"{machine['load'][0]:.1f}.",  # type: ignore[index]
            "",
            table.markdown(header, rows, left=()),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
