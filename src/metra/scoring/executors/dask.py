"""Scoring tables on Dask: a task for each Parquet file, on threads, processes or a cluster.

It also shows how little an executor needs: see `spark` for a large one.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from metra.errors import MissingResourceError, OptionError, missing_package
from metra.formats.texts import parquet
from metra.scoring import table_totals
from metra.scoring.plan import ScoringPlan
from metra.scoring.results import Results
from metra.scoring.table_totals import add_totals, sum_terms
from metra.scoring.tables import TableProgress, check_files

# So many answers are put together by one task.
_FAN = 16


def score_files(
    paths: Sequence[str],
    plan: ScoringPlan,
    *,
    scores_out: str | None = None,
    resume: str | None = None,
    progress: TableProgress | None = None,
    **compute: Any,
) -> Results:
    """Score a table in Parquet files.

    Where a `dask.distributed.Client` is there, its cluster does the work: files must be found
    there by the same names. `compute` is what `dask.compute` takes, such as
    `scheduler="processes"`.
    """
    for name, value in {"scores_out": scores_out, "resume": resume}.items():
        if value:
            msg = f"Dask has no `{name}`; leave it out, or score on this machine."
            raise OptionError(msg)
    try:
        from dask import delayed
    except ImportError:
        msg = missing_package("Scoring on Dask", "dask", "dask")
        raise MissingResourceError(msg) from None
    check_files(paths, plan)
    weights = None
    if plan.two_passes:
        terms = [delayed(count_file_terms)(path, plan) for path in paths]
        weights = delayed(table_totals.encode_weights)(
            _merge_parts(delayed(add_terms), terms)
        )
    totals = [delayed(count_file)(path, plan, weights) for path in paths]
    total = _merge_parts(delayed(add_totals), totals)
    results = table_totals.score_totals(total.compute(**compute), plan)
    if progress:
        progress(results.segments, 1.0)
    return results


def count_file(path: str, plan: ScoringPlan, weights: bytes | None) -> pa.RecordBatch:
    """Count one file."""
    schema = table_totals.totals_schema(plan, parquet.read_schema(path))
    nothing = pa.RecordBatch.from_pylist([], schema=schema)
    batches = parquet.read_batches(path, plan.columns)
    counted = (table_totals.count_totals(batch, plan, weights) for batch in batches)
    return add_totals([nothing, *counted])


def count_file_terms(path: str, plan: ScoringPlan) -> list[pa.RecordBatch]:
    """Count what one file's references have, for metrics of two passes."""
    batches = parquet.read_batches(path, plan.columns)
    return sum_terms(
        table_totals.count_terms(batch, plan) for batch in batches
    ).to_batches()


def add_terms(parts: Sequence[Sequence[pa.RecordBatch]]) -> list[pa.RecordBatch]:
    """Add up what was counted in several files."""
    return sum_terms(batch for part in parts for batch in part).to_batches()


def _merge_parts(add: Callable[[list[Any]], Any], parts: list[Any]) -> Any:
    """Have a few answers at a time added up, until there is one."""
    while True:
        starts = range(0, len(parts), _FAN)
        parts = [add(parts[start : start + _FAN]) for start in starts]
        if len(parts) == 1:
            return parts[0]
