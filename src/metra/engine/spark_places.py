"""Where in which file a row is, for sentences about it: rows on a cluster have no numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from metra.engine.plan import Plan
from metra.engine.spark_messages import shown_path
from metra.io.arrow_rows import NullValueError


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
