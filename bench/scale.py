"""The cost of a segment from ten thousand to ten million, and the memory that it takes.

    python bench/scale.py                     up to ten million pairs, 6 GB of temporary files
    python bench/scale.py --largest 1000000   up to a million
    python bench/scale.py --only NIST         the lines whose names have this in them
    python bench/scale.py --write-results     puts the table into bench/SCALE.md

Each line is `metra score`, on all cores: its times in a process that has scored ten pairs
before, so that start-up is no part of them, its memory in a process of its own, as a user calls
it. CPU time is what counts: wall time depends on who else is using the machine.

Exit status: 0 flat, 1 not.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

import environment
import fresh
import table
import warm
from inputs import corpus

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
DIFFERENT = 100_000
SHARDS = 10
ROUNDS = 9  # for what is short
RESULTS = Path(__file__).parent / "SCALE.md"

# A segment may cost so much more or less than at a hundred thousand, and memory grow by so
# much from a million on.
STEADY = 1.25
MORE_MEMORY = 64


class Job(NamedTuple):
    """A command, by what it shows; `text` or `parquet` stands for the files."""

    name: str
    form: str
    options: tuple[str, ...]


JOBS = (
    Job("lines, BLEU", "text", ()),
    Job("Parquet, BLEU", "parquet", ()),
    Job("Parquet, BLEU by language pair", "parquet", ("--group-by", "lp")),
    Job(
        "Parquet, BLEU, chrF and TER",
        "parquet",
        ("-m", "bleu", "-m", "chrf", "-m", "ter"),
    ),
    Job("Parquet, NIST, in two passes", "parquet", ("-m", "nist")),
)


class Cost(NamedTuple):
    """What one command took for so many pairs."""

    pairs: int
    cpu: float
    seconds: float
    peak: float


def main() -> int:
    options = _options()
    sizes = [size for size in SIZES if size <= options.largest]
    jobs = [job for job in JOBS if options.only in job.name]
    found: dict[str, list[Cost]] = {job.name: [] for job in jobs}
    with tempfile.TemporaryDirectory(prefix="metra-scale-") as name:
        folder = Path(name)
        few = _files(folder, 10)
        for size in sizes:
            files = _files(folder, size)
            for job in jobs:
                found[job.name].append(_cost(job, few, files, size))
                print(job.name, found[job.name][-1], file=sys.stderr, flush=True)
            if size != sizes[-1]:
                _remove(files)
    report = _report(found)
    print(report)
    if options.write_results:
        RESULTS.write_text(report + "\n", encoding="utf-8")
    return 0 if all(map(_is_flat, found.values())) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--largest", type=int, default=SIZES[-1], metavar="PAIRS")
    parser.add_argument("--only", default="", metavar="NAME")
    parser.add_argument("--write-results", action="store_true")
    options = parser.parse_args()
    if options.only and options.write_results:
        parser.error("--write-results is for the whole table; leave --only out")
    return options


def _files(folder: Path, size: int) -> dict[str, list[str]]:
    """Write so many pairs as lines, and as a table in shards."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    here = folder / str(size)
    (here / "shards").mkdir(parents=True)
    hyp, ref = here / "hyp.txt", here / "ref.txt"
    per_shard = -(-size // SHARDS)
    with hyp.open("w") as hyps, ref.open("w") as refs:
        for shard in range(SHARDS):
            rows = min(per_shard, size - shard * per_shard)
            if rows <= 0:
                break
            path = here / "shards" / f"part-{shard}.parquet"
            schema = pa.schema([(c, pa.string()) for c in ("hyp", "ref", "lp")])
            with pq.ParquetWriter(path, schema) as writer:
                for columns in _pairs(shard * per_shard, rows):
                    hyps.writelines(line + "\n" for line in columns["hyp"])
                    refs.writelines(line + "\n" for line in columns["ref"])
                    writer.write_table(pa.table(columns, schema))
    return {
        "text": [str(hyp), "-r", str(ref)],
        "parquet": [str(here / "shards"), "--hyp-column", "hyp"],
        "folder": [str(here)],
    }


def _pairs(first: int, rows: int) -> Iterator[dict[str, list[str]]]:
    """Give the pairs from `first` on: different ones, and then these again."""
    known = corpus("examples", DIFFERENT)
    languages = ("de-en", "fr-en", "ja-en", "zh-en", "cs-en")
    while rows:
        start = first % DIFFERENT
        count = min(rows, DIFFERENT - start)
        yield {
            "hyp": known.hyps[start : start + count],
            "ref": known.refs[0][start : start + count],
            "lp": [languages[at // 100 % 5] for at in range(start, start + count)],
        }
        first += count
        rows -= count


def _cost(
    job: Job, few: dict[str, list[str]], files: dict[str, list[str]], pairs: int
) -> Cost:
    short, full = (["score", *of[job.form], *job.options] for of in (few, files))
    taken = warm.cost(short, full, ROUNDS if pairs <= 100_000 else 1)
    used = fresh.usage(fresh.script("metra"), *full)
    return Cost(pairs, taken["cpu"], taken["seconds"], used["peak"])


def _remove(files: dict[str, list[str]]) -> None:
    import shutil

    shutil.rmtree(files["folder"][0])


def _is_flat(costs: list[Cost]) -> bool:
    """Whether large corpora cost no more a segment, and no more memory."""
    each = [cost.cpu / cost.pairs for cost in costs if cost.pairs >= 100_000]
    peaks = [cost.peak for cost in costs if cost.pairs >= 1_000_000]
    steady = all(one <= STEADY * each[0] for one in each)
    return steady and (not peaks or max(peaks) - min(peaks) <= MORE_MEMORY)


def _report(found: dict[str, list[Cost]]) -> str:
    machine = environment.describe()
    load = machine["load"]
    rows = [
        [
            name,
            f"{cost.pairs:,}",
            f"{1e6 * cost.cpu / cost.pairs:.2f} µs",
            f"{cost.seconds:.0f} s" if cost.pairs >= 1_000_000 else "",
            f"{cost.peak:.0f} MB",
        ]
        for name, costs in found.items()
        for cost in costs
    ]
    header = ["command", "pairs", "CPU a pair", "wall time", "peak memory"]
    return "\n".join(
        [
            "# Ten million pairs on one machine",
            "",
            "Written by `python bench/scale.py --write-results`; do not edit.",
            "",
            "`metra score` on all cores: two files of lines, or a table in "
            f"{SHARDS} Parquet files. The texts\nare metra's own examples with seeded "
            f"changes, {DIFFERENT:,} different pairs and then these\nagain. Times are those "
            "of a process that has scored ten pairs before, so start-up is no part of\nthem; "
            "peak memory is that of the command by itself, all of it. CPU time is the sum over "
            "cores;\nwall time suffers from other work on the machine. NIST keeps weights of "
            "the different n-grams\nthat references have, so its memory depends on how many "
            "texts differ.",
            "",
            f"{date.today():%-d %B %Y}. {machine['cores']} cores of {machine['cpu']}, "
            f"{machine['system']}, Python {machine['python']}, load "
            f"{load[0]:.1f}.",  # type: ignore[index]
            "",
            table.markdown(header, rows, left=(0,)),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
