"""What a segment costs from ten thousand to a hundred million, and the memory that it takes.

    python bench/scale.py                       all parts: hours, 12 GB of temporary files
    python bench/scale.py --largest 1000000     up to a million pairs
    python bench/scale.py --only NIST           the lines whose names have this in them
    python bench/scale.py --part threads        1 thread beside 2 (files: many small files)
    python bench/scale.py --write-results       puts everything measured so far into SCALE.md

Each line is a command in a process of its own, as a user calls it. Up to a hundred thousand
pairs its times are those of a process that has scored ten pairs before, so that start-up is no
part of them. CPU time is what counts: wall time depends on who else is using the machine. What
is measured is kept in bench/results/scale.json, so that lines may be measured one by one.

Exit status: 0 flat, 1 not.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median
from threading import Timer
from typing import Any, NamedTuple

import diverse
import environment
import fresh
import pyarrow as pa
import pyarrow.parquet as pq
import table
import warm

from metra.metrics.record import MOST_WEIGHED

SIZES = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
#: Files of a table, and rows of each where there are more.
SHARDS = 10
SHARD_ROWS = 1_000_000
FILES = (500, 1_000, 2_000, 4_000, 8_000)
FILE_ROWS = 20
ROUNDS = 5  # for what is short
#: Rows of which the times of threads are measured, and how often.
THREAD_ROWS = 2_000_000
THREAD_ROUNDS = 10
#: With one thread, with two, and two processes with one thread each at the same time.
THREAD_CALLS = ("1", "2", "11")
PAGE = Path(__file__).parent / "SCALE.md"
KEPT = Path(__file__).parent / "results" / "scale.json"

# A segment may cost so much more or less than at a hundred thousand, and memory grow by so
# much from a million on.
STEADY = 1.25
MORE_MEMORY = 64


class Job(NamedTuple):
    """A command, by what it shows; `text` or `parquet` stands for the files."""

    name: str
    form: str
    options: tuple[str, ...]
    largest: int = 10_000_000
    smallest: int = 0
    #: The pairs from which costs are compared.
    steady_from: int = 100_000
    #: Seconds after which one of Spark's executors is killed; its scores must be local ones.
    kill_after: float = 0.0


_TABLE = ("--resume", "KEPT")
_TWO_METRICS = ("-m", "bleu", "-m", "chrf")
_FOUR_METRICS = (*_TWO_METRICS, "-m", "nist", "-m", "ltv", "--read", "doc=doc")
JOBS = (
    Job("lines, BLEU", "text", ()),
    Job("Parquet, BLEU", "parquet", ()),
    Job("Parquet, BLEU and chrF", "parquet", ("-m", "bleu", "-m", "chrf"), 100_000_000),
    Job(
        "Parquet, BLEU, chrF and TER",
        "parquet",
        ("-m", "bleu", "-m", "chrf", "-m", "ter"),
    ),
    Job("Parquet, BLEU by language pair", "parquet", ("--group-by", "lp")),
    Job("Parquet, BLEU by 100,000 users", "parquet", ("--group-by", "user")),
    Job(
        "Parquet, NIST",
        "parquet",
        ("-m", "nist", *_TABLE),
        1_000_000,
    ),
    Job(
        "Parquet, LTV",
        "parquet",
        ("-m", "ltv", "--read", "doc=doc", *_TABLE),
        1_000_000,
    ),
    Job(
        "Spark, local[2], NIST",
        "parquet",
        ("-m", "nist", "--engine", "spark:local[2]"),
        1_000_000,
        steady_from=1_000_000,
    ),
    Job(
        "Spark, local[2], BLEU and chrF",
        "parquet",
        ("-m", "bleu", "-m", "chrf", "--engine", "spark:local[2]"),
        100_000_000,
        steady_from=1_000_000,
    ),
    Job(
        "Spark, an executor killed, 4 metrics",
        "parquet",
        (*_FOUR_METRICS, "--engine", "spark:local-cluster[2,1,1024]"),
        smallest=1_000_000,
        steady_from=1_000_000,
        kill_after=60.0,
    ),
)


class Cost(NamedTuple):
    """What one command took for so many pairs; peak memory is in MB, of all its processes."""

    pairs: int
    cpu: float
    seconds: float
    peak: float
    load: float
    #: At most, of the processes of Java, and of the others.
    java: float = 0.0
    others: float = 0.0


def main() -> int:
    options = _options()
    parts: dict[str, Callable[[argparse.Namespace, Path], None]] = {
        "sizes": _measure_sizes,
        "files": _measure_files,
        "threads": _measure_threads,
    }
    with tempfile.TemporaryDirectory(prefix="metra-scale-", dir=options.folder) as name:
        for part, measure in parts.items():
            if options.part in ("all", part):
                measure(options, Path(name))
    report = _report(_read_kept())
    print(report)
    if options.write_results:
        PAGE.write_text(f"{report}\n", encoding="utf-8")
    return 0 if all(_is_flat(job, _costs(job.name)) for job in JOBS) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--largest", type=int, default=SIZES[-1], metavar="PAIRS")
    parser.add_argument("--smallest", type=int, default=0, metavar="PAIRS")
    parser.add_argument("--only", default="", metavar="NAME")
    parser.add_argument(
        "--part", choices=("all", "sizes", "files", "threads", "none"), default="all"
    )
    parser.add_argument("--folder", metavar="FOLDER", help="for temporary files")
    parser.add_argument("--write-results", action="store_true")
    return parser.parse_args()


def _measure_sizes(options: argparse.Namespace, folder: Path) -> None:
    few = _files(folder, 10, text=True)
    jobs = [job for job in JOBS if options.only in job.name]
    for size in SIZES:
        here = [job for job in jobs if job.smallest <= size <= job.largest]
        if not here or not options.smallest <= size <= options.largest:
            continue
        files = _files(folder, size, text=any(job.form == "text" for job in here))
        for job in here:
            _keep("sizes", job.name, _cost(job, few, files, size, folder))
        shutil.rmtree(files["folder"][0])


def _measure_files(options: argparse.Namespace, folder: Path) -> None:
    """Measure very many small files, the second time with everything kept."""
    del options
    here = folder / "files"
    here.mkdir()
    block = pa.Table.from_batches([diverse.make_rows(0)])
    for size in FILES:
        for number in range(len([*here.iterdir()]), size):
            rows = block.slice(number * FILE_ROWS % diverse.BLOCK, FILE_ROWS)
            pq.write_table(rows, here / f"part-{number:05}.parquet")
        kept = str(folder / "kept")
        command = ["score", str(here), "-m", "nist", "--resume", kept]
        for name in ("first", "again"):
            used = fresh.usage(fresh.script("metra"), *command)
            cost = Cost(size, used["cpu"], used["seconds"], used["peak"], _load())
            _keep("files", name, cost)
        shutil.rmtree(kept)


def _measure_threads(options: argparse.Namespace, folder: Path) -> None:
    """Measure the same commands with one thread, with two, and twice at the same time.

    Two processes share nothing but the machine: they show what its second core is worth.
    """
    del options
    few, files = (_files(folder, rows) for rows in (10, THREAD_ROWS))
    whole = folder / "whole.parquet"
    with pq.ParquetWriter(whole, diverse.SCHEMA, compression="zstd") as writer:
        for first in range(0, THREAD_ROWS, SHARD_ROWS):
            rows = [*_rows(first, min(first + SHARD_ROWS, THREAD_ROWS))]
            writer.write_table(pa.Table.from_batches(rows), SHARD_ROWS)
    shards = files["parquet"]
    commands = {
        f"{SHARDS} files, row groups of {diverse.BLOCK:,}": shards,
        f"one file, row groups of {SHARD_ROWS:,}": [str(whole), *shards[1:]],
        f"{SHARDS} files, by language pair": [*shards, "--group-by", "lp"],
    }

    def measure(full: list[str], threads: str) -> float:
        short = ["score", *few["parquet"]]
        return warm.cost(short, ["score", *full], 1, METRA_THREADS=threads)["seconds"]

    taken: dict[str, dict[str, list[float]]] = {}
    with ThreadPoolExecutor() as callers:
        for _ in range(THREAD_ROUNDS):
            for (name, full), calls in product(commands.items(), THREAD_CALLS):
                seconds = max(callers.map(partial(measure, full), calls))
                taken.setdefault(name, {}).setdefault(calls, []).append(seconds)
    _write_kept(_read_kept() | {"threads": taken})
    whole.unlink()
    shutil.rmtree(files["folder"][0])


def _files(folder: Path, size: int, *, text: bool = False) -> dict[str, list[str]]:
    """Write so many pairs as a table in shards, and as lines if asked."""
    here = folder / str(size)
    (here / "shards").mkdir(parents=True, exist_ok=True)
    hyp, ref = here / "hyp.txt", here / "ref.txt"
    per_shard = min(-(-size // SHARDS), SHARD_ROWS)
    firsts = range(0, size, per_shard)
    paths = [here / "shards" / f"part-{at:03}.parquet" for at in range(len(firsts))]
    lasts = [min(first + per_shard, size) for first in firsts]
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        list(workers.map(_write_shard, paths, firsts, lasts))
    if text:
        with hyp.open("w") as hyps, ref.open("w") as refs:
            for batch in _rows(0, size):
                for file, column in ((hyps, "hyp"), (refs, "ref")):
                    lines = batch.column(column).to_pylist()
                    file.writelines(line + "\n" for line in lines)
    return {
        "text": [str(hyp), "-r", str(ref)],
        "parquet": [str(here / "shards"), "--read", "hyp=hyp"],
        "folder": [str(here)],
    }


def _write_shard(path: Path, first: int, last: int) -> None:
    with pq.ParquetWriter(path, diverse.SCHEMA, compression="zstd") as writer:
        for batch in _rows(first, last):
            writer.write_batch(batch)


def _rows(first: int, last: int) -> Iterator[pa.RecordBatch]:
    """Give rows of the endless table, a part of a block at a time."""
    while first < last:
        block, start = divmod(first, diverse.BLOCK)
        count = min(last - first, diverse.BLOCK - start)
        yield diverse.make_rows(block).slice(start, count)
        first += count


def _cost(
    job: Job,
    few: dict[str, list[str]],
    files: dict[str, list[str]],
    pairs: int,
    folder: Path,
) -> Cost:
    kept = str(folder / "kept")
    options = [kept if option == "KEPT" else option for option in job.options]
    short, full = (["score", *of[job.form], *options] for of in (few, files))
    if job.kill_after:
        used = _use_with_kill(job, files[job.form], pairs, folder)
    else:
        used = fresh.usage(fresh.script("metra"), *full)
    taken = used
    shutil.rmtree(kept, ignore_errors=True)
    if pairs <= 100_000 and kept not in options and "spark" not in options:
        taken = warm.cost(short, full, ROUNDS)
    parts = used.get("java", 0.0), used.get("others", 0.0)
    return Cost(pairs, taken["cpu"], taken["seconds"], used["peak"], _load(), *parts)


def _use_with_kill(
    job: Job, files: list[str], pairs: int, folder: Path
) -> dict[str, float]:
    """Run a command on Spark, kill an executor meanwhile, and compare with local scores."""
    spark, local = folder / "spark.json", folder / "local.json"
    metra = fresh.script("metra")
    killed: list[str] = []
    timer = Timer(job.kill_after, _kill_executor, [killed])
    timer.start()
    try:
        used = fresh.usage(
            metra, "score", *files, *job.options, "--format", "json", "-o", str(spark)
        )
    finally:
        timer.cancel()
    if not killed:
        msg = f"No executor was running after {job.kill_after:.0f} s."
        raise RuntimeError(msg)
    metrics = _FOUR_METRICS if pairs <= MOST_WEIGHED else _TWO_METRICS
    fresh.usage(metra, "score", *files, *metrics, "--format", "json", "-o", str(local))
    on_spark, here = (_read_scores(path) for path in (spark, local))
    different = [name for name, score in here.items() if on_spark[name] != score]
    if different:
        msg = f"Spark's scores of {', '.join(different)} differ from local ones."
        raise RuntimeError(msg)
    return used


def _kill_executor(killed: list[str]) -> None:
    """Kill the first executor that Spark runs for this process, and note its number."""
    for number in fresh.family(os.getpid()):
        with suppress(OSError):  # it may have ended meanwhile
            command = Path(f"/proc/{number}/cmdline").read_bytes()
            if b"CoarseGrainedExecutorBackend" in command:
                os.kill(int(number), signal.SIGKILL)
                killed.append(number)
                return


def _read_scores(path: Path) -> dict[str, float]:
    system = json.loads(path.read_text())["systems"][0]
    return {name: entry["score"] for name, entry in system["scores"].items()}


def _load() -> float:
    return os.getloadavg()[0]


def _read_kept() -> dict[str, dict[str, Any]]:
    return json.loads(KEPT.read_text()) if KEPT.exists() else {}


def _keep(part: str, name: str, cost: Cost) -> None:
    """Keep a cost in place of the one for as many pairs."""
    print(part, name, cost, file=sys.stderr, flush=True)
    kept = _read_kept()
    lines = kept.setdefault(part, {}).setdefault(name, [])
    others = [line for line in lines if line[0] != cost.pairs]
    kept[part][name] = sorted([*others, list(cost)])
    _write_kept(kept)


def _write_kept(kept: dict[str, dict[str, Any]]) -> None:
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(kept, indent=1))


def _costs(name: str, part: str = "sizes") -> list[Cost]:
    return [Cost(*line) for line in _read_kept().get(part, {}).get(name, [])]


def _is_flat(job: Job, costs: list[Cost]) -> bool:
    """Whether large corpora cost no more a segment, and no more memory.

    Java uses what its heap may have before it collects garbage.
    """
    each = [cost.cpu / cost.pairs for cost in costs if cost.pairs >= job.steady_from]
    peaks = [
        cost.others if cost.java else cost.peak
        for cost in costs
        if cost.pairs >= 1_000_000
    ]
    steady = all(one <= STEADY * each[0] for one in each)
    return steady and (not peaks or max(peaks) - min(peaks) <= MORE_MEMORY)


def _report(kept: dict[str, dict[str, list[list[float]]]]) -> str:
    machine = environment.describe()
    rows = [
        [
            job.name,
            f"{cost.pairs:,}",
            f"{1e6 * cost.cpu / cost.pairs:.2f} µs",
            f"{cost.seconds:,.0f} s" if cost.pairs >= 1_000_000 else "",
            _describe_memory(cost),
            f"{cost.load:.1f}",
        ]
        for job in JOBS
        for cost in _costs(job.name)
    ]
    header = ["command", "pairs", "CPU a pair", "wall time", "peak memory", "load"]
    sections = [
        _INTRODUCTION.format(
            shard_rows=SHARD_ROWS, shards=SHARDS, local_terms=MOST_WEIGHED
        ),
        f"{date.today():%-d %B %Y}. {machine['cores']} cores of {machine['cpu']}, "
        f"{machine['system']}, Python {machine['python']}.",
        table.markdown(header, rows, left=(0,)),
    ]
    if "files" in kept:
        sections += _describe_files()
    if "threads" in kept:
        sections += _describe_threads()
    return "\n\n".join([*sections, *_describe_billion()])


def _describe_memory(cost: Cost) -> str:
    if not cost.java:
        return f"{cost.peak:.0f} MB"
    return f"{cost.peak:.0f} MB (Java {cost.java:.0f}, others {cost.others:.0f})"


_INTRODUCTION = """\
# A hundred million pairs on one machine

Written by `python bench/scale.py --write-results`; do not edit.

`metra score` on all cores: two text files, or a table in {shards} Parquet files, and in files
of {shard_rows:,} rows beyond that. The texts are words of an artificial language with 400,000
word forms, drawn by Zipf's law from fixed seeds (`bench/diverse.py`), with about 20 words per
segment; three of ten words of each output are replaced. No text occurs twice. CPU time is the
sum over cores. Up to 100,000 pairs, it is that of a process that has scored ten pairs before,
except on Spark and for commands that save their state. Peak memory is that of all processes
of the command; on Spark also of Java, whose heap may grow to 1 GB (`spark.driver.memory`),
and of the others, each at its own peak. Wall time depends on other work on the machine, and
the load next to each line shows how much there was. CPU time depends on it a little, because
processes share caches. The four metrics are BLEU, chrF, NIST and LTV, on a local cluster of two
executors with one core and 1 GB each, one of which is killed while it works; its scores are
equal to those without Spark: all up to {local_terms:,} pairs, BLEU and chrF beyond."""


def _describe_files() -> list[str]:
    rows = []
    again = {cost.pairs: cost for cost in _costs("again", "files")}
    for cost in _costs("first", "files"):
        second = again[cost.pairs]
        rows.append(
            [
                f"{cost.pairs:,}",
                f"{1e3 * cost.cpu / cost.pairs:.2f} ms",
                f"{1e3 * second.cpu / second.pairs:.2f} ms",
                f"{cost.peak:.0f} MB",
            ]
        )
    header = ["files", "CPU per file", "CPU per file, all resumed", "peak memory"]
    return [
        "## Many small files",
        f"NIST with `--resume`, files of {FILE_ROWS} rows: a first run, and one that resumes.",
        table.markdown(header, rows, left=()),
    ]


def _describe_threads() -> list[str]:
    rows = []
    for name, taken in _read_kept()["threads"].items():
        one, two, both = (taken[calls] for calls in THREAD_CALLS)
        gains = [a / b for a, b in zip(one, two, strict=True)]
        worth = [2 * a / b for a, b in zip(one, both, strict=True)]
        rows.append(
            [
                name,
                f"{median(one):.2f} s",
                f"{median(two):.2f} s",
                f"{median(one) / median(two):.2f}",
                f"{min(gains):.2f} to {max(gains):.2f}",
                f"{median(worth):.2f}",
            ]
        )
    header = [
        "table",
        "one thread",
        "two threads",
        "times as fast",
        "single rounds",
        "two processes",
    ]
    return [
        "## Threads",
        f"BLEU of {THREAD_ROWS:,} pairs in Parquet, start-up left out, the medians of "
        f"{THREAD_ROUNDS} rounds. The last column shows what the machine's second core is "
        "worth: the work of two processes of one thread each at the same time, by that of one.",
        table.markdown(header, rows, left=(0,)),
    ]


def _describe_billion() -> list[str]:
    """Say what a billion pairs would cost by the largest sizes that were measured."""
    rows = []
    for job in JOBS[1:]:
        costs = _costs(job.name)
        if costs:
            largest = costs[-1]
            hours = 1e9 * largest.cpu / largest.pairs / 3600
            rows.append([job.name, f"{largest.pairs:,}", f"{hours:.1f}"])
    header = ["command", "measured to", "core-hours for a billion pairs"]
    return ["## A billion pairs", _BILLION, table.markdown(header, rows, left=(0,))]


_BILLION = """\
These figures are extrapolated: the cost per pair at the largest measured size, times 10⁹. They
assume that the cost per pair stays constant, for these reasons:

- **Memory.** metra reads, counts and drops one chunk of rows at a time, and keeps one row of
  sums per group, system and metric. The table above shows the same memory at every size,
  except for the heap of Java.
- **Sums.** Fractions are summed on fixed grids, exact for 10⁹ segments, and counts are exact up
  to 2⁵³. The digits therefore do not depend on how the rows are split.
- **Weights (NIST, LTV).** On one machine, terms are kept in memory for up to 4,000,000
  references; beyond that, Spark's shuffle adds them up.
- **Checkpoints.** `--resume` saves the totals of each finished file.
- **Spark.** A task returns one row of sums per group, so the work of the driver does not depend
  on the number of rows. Spark shuffles nothing without groups, and one row per group and task
  with groups."""


if __name__ == "__main__":
    sys.exit(main())
