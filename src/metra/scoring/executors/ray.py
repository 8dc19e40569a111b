"""Scoring tables on Ray: blocks of a dataset of Ray Data, or a task for each Parquet file."""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from metra.errors import MetraError, MissingResourceError, missing_package
from metra.formats.texts import parquet
from metra.formats.texts.arrow_columns import NullValueError
from metra.scoring.executors.frames import Counting, reduce_frame, score_frame
from metra.scoring.plan import ScoringPlan
from metra.scoring.results import Results
from metra.scoring.tables import PlanBuilder, TableProgress, check_files

_ANSWER = "answer"
_PATH = "path"


def score_dataframe(
    table: Any, build_plan: PlanBuilder, *, progress: TableProgress | None = None
) -> Results:
    """Score a `ray.data.Dataset`."""
    return score_frame(RayFrame(table), build_plan, progress)


def score_files(
    paths: Sequence[str],
    plan: ScoringPlan,
    *,
    progress: TableProgress | None = None,
) -> Results:
    """Score a table in Parquet files, a task for each; nodes must find them by their names."""
    try:
        from ray import data
    except ImportError:
        msg = missing_package("Scoring on Ray", "ray", "ray")
        raise MissingResourceError(msg) from None
    schema = parquet.read_union(paths)
    check_files(paths, plan)
    rows = [{_PATH: path} for path in paths]
    frame = RayFrame(
        data.from_items(rows, override_num_blocks=len(rows)), is_paths=True
    )
    return reduce_frame(frame, plan, schema, plan.columns, progress=progress)


class RayFrame:
    """A dataset whose rows are those of a table, or name the files of one."""

    def __init__(self, dataset: Any, *, is_paths: bool = False) -> None:
        self._dataset = dataset
        self._is_paths = is_paths
        self.schema = pa.schema([]) if is_paths else _read_schema(dataset)

    def reduce(self, counting: Counting) -> Any:
        """Count each block by a task, and add the answers up here."""
        columns = [_PATH] if self._is_paths else [*counting.columns]
        count = count_files if self._is_paths else count_block
        blocks = self._dataset.select_columns(columns).map_batches(
            count,
            fn_kwargs={"counting": counting},
            batch_size=1 if self._is_paths else None,
            batch_format="pyarrow",
        )
        # In the order of the blocks, so that rows have their numbers.
        blocks.context.execution_options.preserve_order = True
        answers = blocks.iter_batches(batch_size=None, batch_format="pyarrow")
        return counting.add(_read_answers(answers))


def count_block(block: pa.Table, counting: Counting) -> pa.Table:
    """Count a block of rows."""
    return _count(block.to_batches(), counting, "", block.num_rows)


def count_files(block: pa.Table, counting: Counting) -> pa.Table:
    """Count a file, which the block names."""
    (path,) = block.column(_PATH).to_pylist()
    return _count(parquet.read_batches(path, counting.columns), counting, path, 0)


def _count(
    batches: Iterable[pa.RecordBatch], counting: Counting, where: str, rows: int
) -> pa.Table:
    """Give an answer as a table of one row; errors of ours are answers, too."""
    try:
        answer = counting.run(batches, where)
    except MetraError as error:
        answer = error
    return pa.table({_ANSWER: [pickle.dumps((rows, answer))]})


def _read_answers(tables: Iterable[pa.Table]) -> Iterator[Any]:
    first = 0
    for table in tables:
        for pickled in table.column(_ANSWER).to_pylist():
            rows, answer = pickle.loads(pickled)
            if isinstance(answer, NullValueError) and not answer.where:
                row = first + answer.row
                raise NullValueError(answer.column, row, "the dataset")
            if isinstance(answer, MetraError):
                raise answer
            first += rows
            yield answer


def _read_schema(dataset: Any) -> pa.Schema:
    """Return a dataset's columns as Arrow's."""
    known = dataset.schema()
    schema = known.base_schema if known is not None else pa.schema([])
    if isinstance(schema, pa.Schema):
        return schema
    # Blocks of pandas: the first rows tell.
    return next(iter(dataset.limit(1).iter_batches(batch_format="pyarrow"))).schema
