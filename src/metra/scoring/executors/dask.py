"""Scoring tables on Dask: a task for each Parquet file, or for each partition of a DataFrame.

Tasks run on threads, processes or a cluster.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from metra.errors import CorpusError, MissingResourceError, missing_package
from metra.formats.texts import parquet
from metra.scoring.executors.frames import Counting, TablePlan, reduce_frame
from metra.scoring.plan import ScoringPlan
from metra.scoring.results import Results
from metra.scoring.tables import TableProgress, check_files

# So many answers are put together by one task.
_FAN = 16

#: Gives the batches of a part of a table, where a task counts them.
PartReader = Callable[[Any, Sequence[str]], Iterable[pa.RecordBatch]]


def score_files(
    paths: Sequence[str],
    plan: ScoringPlan,
    *,
    progress: TableProgress | None = None,
    **compute: Any,
) -> Results:
    """Score a table in Parquet files.

    Where a `dask.distributed.Client` is there, its cluster does the work: files must be found
    there by the same names. `compute` is what `dask.compute` takes, such as
    `scheduler="processes"`.
    """
    check_files(paths, plan)
    planned = TablePlan(plan, parquet.read_union(paths), tuple(plan.columns))
    frame = DaskFrame(planned.schema, paths, paths, parquet.read_batches, compute)
    return reduce_frame(frame, planned, progress)


def open_dataframe(table: Any, **compute: Any) -> "DaskFrame":
    """Open a `dask.dataframe.DataFrame`, which is counted partition by partition."""
    parts = table.to_delayed()
    places = [f"partition {number}" for number in range(1, len(parts) + 1)]
    rows = table._meta
    if any(kind == "object" for kind in rows.dtypes):  # texts or lists: a row tells
        rows = table.head(1, npartitions=-1, compute=False).compute(**compute)
    schema = pa.Schema.from_pandas(rows, preserve_index=False)
    return DaskFrame(schema, parts, places, convert_partition, compute)


@dataclass
class DaskFrame:
    """A table in parts, each of which is counted by a task."""

    schema: pa.Schema
    parts: Sequence[Any]
    places: Sequence[str]
    read: PartReader
    compute: dict[str, Any]
    fits_metrics: bool = False
    where: str = "The table"
    system: str = ""

    def reduce(self, counting: Counting) -> Any:
        """Count the parts, and add a few answers at a time up until there is one."""
        try:
            from dask import delayed
        except ImportError:
            msg = missing_package("Scoring on Dask", "dask", "dask")
            raise MissingResourceError(msg) from None
        shared = delayed(counting)  # sent once to whoever counts
        answers = [
            delayed(count_part)(part, place, self.read, shared)
            for part, place in zip(self.parts, self.places, strict=True)
        ]
        while len(answers) > 1:
            starts = range(0, len(answers), _FAN)
            answers = [
                delayed(counting.add)(answers[start : start + _FAN]) for start in starts
            ]
        return answers[0].compute(**self.compute)


def count_part(part: Any, place: str, read: PartReader, counting: Counting) -> Any:
    """Count one part of a table."""
    return counting.run(read(part, counting.columns), place)


def convert_partition(frame: Any, columns: Sequence[str]) -> list[pa.RecordBatch]:
    """Give a partition of a DataFrame, which is one of pandas, as Arrow's batches."""
    try:
        table = pa.Table.from_pandas(frame[[*columns]], preserve_index=False)
    except pa.ArrowException as error:
        msg = (
            f"A partition cannot be converted to an Arrow table: {str(error).strip()}."
        )
        raise CorpusError(msg) from None
    return table.to_batches()
