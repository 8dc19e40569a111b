"""Parquet files as Spark reads them: what it would pass over in silence, and where rows are."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from metra.engine.plan import Plan
from metra.engine.spark import arrow_schema, score_frame
from metra.engine.spark_messages import sentences, shown_path
from metra.engine.spark_watch import Watcher
from metra.engine.table_plan import plan_of
from metra.errors import FormatError
from metra.io.arrow_rows import NullValueError
from metra.io.fields import ColumnNames
from metra.io.stream import stem
from metra.results import Results


def score_parquet(
    session: Any,
    paths: Sequence[str],
    metrics: Sequence[str],
    names: ColumnNames,
    *,
    group_by: Sequence[str] = (),
    scores_to: str | None = None,
    progress: Watcher | None = None,
) -> Results:
    """Score a table in Parquet files; see `score_frame`."""
    frame = read_files(session, paths)
    files = frame.inputFiles()
    plan = plan_of(
        arrow_schema(frame),
        metrics,
        names,
        where=paths[0],
        default_system=stem(shown_path(files[0])) if len(files) == 1 else "",
        group_by=group_by,
        segments=scores_to is not None,
    )
    with located(frame, plan):
        return score_frame(frame, plan, scores_to=scores_to, progress=progress)


def read_files(session: Any, paths: Sequence[str]) -> Any:
    """Read Parquet files, or folders of them, as a DataFrame."""
    with sentences():
        frame = session.read.parquet(*paths)
        _refuse_empty(session, frame.inputFiles())
    return frame


def _refuse_empty(session: Any, files: Sequence[str]) -> None:
    """Refuse files without a byte: Spark passes over them, as if they had never been written.

    Folders are listed, rather than file after file looked at: on distant storage that is slow.
    """
    java = session.sparkContext._jvm
    settings = session.sparkContext._jsc.hadoopConfiguration()
    by_folder: dict[str, set[str]] = {}
    for file in files:
        by_folder.setdefault(file.rpartition("/")[0], set()).add(
            file.rpartition("/")[2]
        )
    for folder, names in by_folder.items():
        path = java.org.apache.hadoop.fs.Path(java.java.net.URI(folder))
        for status in path.getFileSystem(settings).listStatus(path):
            name = status.getPath().toUri().getRawPath().rpartition("/")[2]
            if status.getLen() == 0 and name in names:
                msg = (
                    f"{shown_path(f'{folder}/{name}')} cannot be read as Parquet: it is "
                    "empty; write it again, or leave it out."
                )
                raise FormatError(msg)


@contextmanager
def located(frame: Any, plan: Plan) -> Iterator[None]:
    """Say of a null in which row of which file it is."""
    try:
        yield
    except NullValueError as error:
        place = _place_of_null(frame, plan, error.column)
        if place is None:
            raise
        path, row = place
        raise NullValueError(error.column, row, shown_path(path)) from None


def _place_of_null(frame: Any, plan: Plan, column: str) -> tuple[str, int] | None:
    """Find the first row at fault, in the order of files; None where there are no files."""
    from pyspark.errors import PySparkException

    numbers = [f"c{at}" for at in range(len(frame.columns))]
    known = dict(zip(frame.columns, numbers, strict=True))
    # A reference may be null where another one is there.
    together = plan.references if column in plan.references else [column]
    gaps = " and ".join(f"{known[name]} is null" for name in together)
    where = ("_metadata.file_path", "_metadata.row_index")
    try:
        rows = frame.toDF(*numbers).where(gaps).select(*where)
        found = rows.sort("file_path", "row_index").first()
    except PySparkException:
        return None
    return None if found is None else (found.file_path, found.row_index)
