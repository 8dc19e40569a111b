"""Parquet files as Spark reads them, but none passed over in silence."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from metra.engine.spark import arrow_schema, score_frame
from metra.engine.spark_messages import sentences, shown_path
from metra.engine.spark_watch import Watcher
from metra.engine.table_plan import plan_of
from metra.errors import FormatError
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
    # Of several files, Spark takes the columns of any one.
    many = f"The table that Spark makes of {len(files)} files"
    plan = plan_of(
        arrow_schema(frame),
        metrics,
        names,
        where=paths[0] if len(files) == 1 else many,
        default_system=stem(shown_path(files[0])) if len(files) == 1 else "",
        group_by=group_by,
        segments=scores_to is not None,
    )
    return score_frame(frame, plan, scores_to=scores_to, progress=progress)


def read_files(session: Any, paths: Sequence[str]) -> Any:
    """Read Parquet files, or folders of them, as a DataFrame."""
    _refuse_twice(paths)
    with sentences():
        frame = session.read.parquet(*paths)
        _refuse_empty(session, frame.inputFiles())
    return frame


def _refuse_twice(paths: Sequence[str]) -> None:
    """Refuse what is named twice, or lies in a folder that is named too."""
    known = [path.rstrip("/") for path in paths]
    for path in known:
        folders = accumulate(path.split("/")[:-1], "{}/{}".format)
        if known.count(path) > 1 or not set(known).isdisjoint(folders):
            msg = f"{path} is given twice, so that its rows would count twice; give it once."
            raise FormatError(msg)


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
