"""A DataFrame written as Parquet by Spark: whole, or not there."""

import time
from typing import Any

_EVERY = 0.1  # seconds
_PATIENCE = 600  # times that


def write_frame(frame: Any, folder: str) -> None:
    """Write a DataFrame into a folder that is not there yet.

    Spark moves files into it when all of them are whole. Of work that is stopped before
    that, it leaves the folder, with nothing that is of use in it: that is taken away.
    """
    context = frame.sparkSession.sparkContext
    path = context._jvm.org.apache.hadoop.fs.Path(folder)
    files = path.getFileSystem(context._jsc.hadoopConfiguration())
    there = files.exists(path)
    try:
        frame.write.parquet(folder)
    except BaseException:
        if not there:
            _remove_unfinished(context, files, path)
        raise


def _remove_unfinished(context: Any, files: Any, path: Any) -> None:
    """Take the folder away, again and again while tasks that were told to stop make it anew."""
    tracker = context._jsc.sc().statusTracker()
    for _ in range(_PATIENCE):
        busy = any(info.numRunningTasks() for info in tracker.getExecutorInfos())
        if files.exists(path):
            names = [status.getPath().getName() for status in files.listStatus(path)]
            if any(name != "_temporary" for name in names):
                return
            files.delete(path, True)
        if not busy:
            return
        time.sleep(_EVERY)
