"""What Spark costs beside this machine alone: the same table, the same digits, two engines.

python bench/spark_overhead.py ROWS... writes tables of these sizes and prints the seconds that
each engine takes for each, and those that it takes to start Spark, once. Spark comes second, so
that the files have been read before.
"""

import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from metra.corpus import examples
from metra.scoring.executors import local
from metra.scoring.executors.spark import SparkFrame, read_files, score_frame
from metra.scoring.executors.spark_session import spark_session
from metra.scoring.plan import ScoringPlan

FILES = 8
PLANS = {
    "bleu, chrf, ter": ("bleu", "chrf", "ter"),
    "nist (two passes)": ("nist",),
}


def table(rows: int) -> pa.Table:
    def lines(name: str) -> list[str]:
        return (examples.HOME / name).read_text(encoding="utf-8").split("\n")[:-1]

    few = pa.table({"hyp": lines("outputs/solid.txt"), "ref": lines("reference.1.txt")})
    return (
        pa.concat_tables([few] * (rows // len(few) + 1)).slice(0, rows).combine_chunks()
    )


def main(sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            where = Path(folder) / str(rows)
            where.mkdir()
            whole, step = table(rows), -(-rows // FILES)
            for at in range(FILES):
                pq.write_table(whole.slice(at * step, step), where / f"{at}.parquet")
        began = time.perf_counter()
        with spark_session() as session:
            session.range(1).count()
            print(f"starting Spark: {time.perf_counter() - began:.1f} s")
            print("| segments | metrics | here, s | Spark, s |")
            print("| --: | :-- | --: | --: |")
            for rows in sizes:
                paths = sorted(
                    str(path) for path in (Path(folder) / str(rows)).iterdir()
                )
                for label, metrics in PLANS.items():
                    plan = ScoringPlan(
                        metrics=metrics, outputs=(("A", "hyp"),), references=("ref",)
                    )
                    start = time.perf_counter()
                    expected = local.score_files(paths, plan)
                    middle = time.perf_counter()
                    frame = read_files(session, paths)
                    found = score_frame(SparkFrame(frame), lambda *_, plan=plan: plan)
                    end = time.perf_counter()
                    if found != expected:
                        sys.exit(f"{rows} segments by {label}: the results differ")
                    print(
                        f"| {rows:,} | {label} | {middle - start:.2f} | {end - middle:.2f} |"
                    )


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [1_000, 100_000, 1_000_000])
