"""Tables of other libraries, scored where their rows are: polars, DuckDB, pandas, Dask, Ray.

A kind of table needs a class with two things, see `Frame`: the columns as Arrow's, and
`reduce`, which has batches of rows counted somewhere and the answers added up.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Protocol

import pyarrow as pa

from metra.errors import (
    CorpusError,
    MetraError,
    OptionError,
)
from metra.formats.texts import arrow_columns, parquet
from metra.scoring import table_totals
from metra.scoring.plan import ScoringPlan, check_metrics, list_fits
from metra.scoring.results import Results
from metra.scoring.tables import (
    PlanBuilder,
    TableProgress,
    check_schema,
)
from metra.stats.parallel import ordered_map, thread_count


@dataclass(frozen=True)
class Counting:
    """A function of batches of a table, and one that adds its answers up.

    It can be pickled, and run anywhere.
    """

    #: The columns to read.
    columns: tuple[str, ...]
    count: Callable[..., Any]
    add: Callable[[Iterable[Any]], Any]
    #: The plan whose nulls are refused.
    plan: ScoringPlan

    def read(
        self, batches: Iterable[pa.RecordBatch], where: str
    ) -> Iterator[pa.RecordBatch]:
        """Go through the rows of a place, ready to be counted; refuse nulls by their rows."""
        return table_totals.refuse_nulls(batches, self.plan, where)

    def run(self, batches: Iterable[pa.RecordBatch], where: str) -> Any:
        """Count the rows of a place, in this thread."""
        return self.add(map(self.count, self.read(batches, where)))


class Frame(Protocol):
    """A table, wherever its rows are."""

    schema: pa.Schema
    #: True if the engine gives `count` the metrics with corpus weights, as `metrics`.
    fits_metrics: bool
    #: What messages call the table, and the system of a lone column of outputs.
    where: str
    system: str

    def reduce(self, counting: Counting) -> Any:
        """Have all rows counted, and the answers added up."""


#: So many answers are put together by one task of Dask.
FAN = 16


def score_frame(
    frame: Frame, build_plan: PlanBuilder, progress: TableProgress | None = None
) -> Results:
    """Score a table by its columns."""
    plan = plan_frame(frame, build_plan)
    columns, weights = tuple(plan.columns), None
    if list_fits(plan) and not frame.fits_metrics:
        part = plan.select_references()
        keep, join = partial(_keep_references, part), partial(_join_references, part)
        references = frame.reduce(Counting(tuple(part.columns), keep, join, part))
        weights = table_totals.encode_weights(references, part)
    count = partial(table_totals.count_totals, plan=plan, weights=weights)
    schema = table_totals.totals_schema(plan, frame.schema)
    add = partial(_add_totals, pa.RecordBatch.from_pylist([], schema))
    totals = frame.reduce(Counting(columns, count, add, plan))
    results = table_totals.score_totals(totals, plan)
    if progress:
        progress(results.segments, 1.0)
    return results


def plan_frame(frame: Frame, build_plan: PlanBuilder) -> ScoringPlan:
    """Plan the scoring of a table by its columns."""
    plan = build_plan(frame.schema, frame.where, frame.system)
    check_metrics(plan)
    check_schema(plan, frame.schema)
    return plan


def _keep_references(plan: ScoringPlan, batch: pa.RecordBatch) -> list[pa.RecordBatch]:
    return [batch.select([name for name in batch.schema.names if name in plan.columns])]


def _join_references(
    plan: ScoringPlan, parts: Iterable[list[pa.RecordBatch]]
) -> list[pa.RecordBatch]:
    """List batches of references, as long as their terms fit into memory."""
    fits, batches, rows = list_fits(plan), list[pa.RecordBatch](), 0
    for batch in chain.from_iterable(parts):
        rows += batch.num_rows
        for fit in fits.values():
            fit.check_size(rows * len(plan.references))
        batches.append(batch)
    return batches


def _add_totals(
    nothing: pa.RecordBatch, totals: Iterable[pa.RecordBatch]
) -> pa.RecordBatch:
    return table_totals.add_totals(chain([nothing], totals))


class ArrowFrame:
    """A table in this process that gives Arrow's batches, once or several times.

    Tables of pyarrow, pandas, polars and DuckDB have `__arrow_c_stream__` in common. Lazy
    tables of polars and queries of DuckDB run for each pass and are read as they come.
    """

    fits_metrics, where, system = False, "The table", ""

    def __init__(self, table: Any) -> None:
        self._table = table
        self._library = type(table).__module__.partition(".")[0]
        self._is_stream = isinstance(table, pa.RecordBatchReader)
        self._is_used = False
        if self._library == "polars":
            lazy = table.lazy()
            with self._translate_errors():
                empty = lazy.head(0).collect()
            self.schema = empty.to_arrow().schema
        else:
            self.schema = self._open(table).schema

    def reduce(self, counting: Counting) -> Any:
        """Count all rows on this machine's threads."""
        rows = counting.read(self._read(counting.columns), "the table")
        return counting.add(ordered_map(counting.count, rows, thread_count()))

    def _read(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Read some columns, a few thousand rows at a time."""
        if self._is_stream and self._is_used:
            msg = (
                "The stream of batches can be read only once, but scoring needs two "
                "passes; give a table, or a query that can be run again."
            )
            raise OptionError(msg)
        self._is_used = True
        with self._translate_errors():
            for batch in self._list_batches([*columns]):
                for start in range(0, batch.num_rows, parquet.ROWS):
                    yield batch.slice(start, parquet.ROWS)

    def _list_batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        table = self._table
        if self._library == "polars":
            chunks = table.lazy().select(columns)
            for frame in chunks.collect_batches(chunk_size=8 * parquet.ROWS):
                yield from frame.to_arrow().to_batches()
            return
        if self._library == "duckdb":
            quoted = ('"{}"'.format(name.replace('"', '""')) for name in columns)
            table = table.project(", ".join(quoted))
        for batch in self._open(table):
            yield batch.select(columns)

    def _open(self, table: Any) -> pa.RecordBatchReader:
        with self._translate_errors():
            if self._library == "duckdb":  # as it comes, rather than whole
                name = "to_arrow_reader"  # `fetch_record_batch` before DuckDB 1.4
                read = getattr(table, name, None) or table.fetch_record_batch
                return read(8 * parquet.ROWS)
            return pa.RecordBatchReader.from_stream(table)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Raise what the library raises as an error of ours, in one sentence."""
        try:
            yield
        except Exception as error:
            library = type(error).__module__.partition(".")[0].lstrip("_")
            is_theirs = library in (self._library, "pyarrow")
            if not is_theirs and not isinstance(error, OSError):
                raise
            reason = str(error).strip().split("\n", 1)[0].rstrip(".")
            msg = f"The {self._library} table cannot be read: {reason}."
            raise CorpusError(msg) from None


def open_dataframe(table: Any, **compute: Any) -> "DaskFrame":
    """Open a `dask.dataframe.DataFrame`, which is counted partition by partition."""
    parts = table.to_delayed()
    places = [f"partition {number}" for number in range(1, len(parts) + 1)]
    rows = table._meta
    if any(kind == "object" for kind in rows.dtypes):  # texts or lists: a row tells
        rows = table.head(1, npartitions=-1, compute=False).compute(**compute)
    schema = pa.Schema.from_pandas(rows, preserve_index=False)
    return DaskFrame(schema, parts, places, compute)


@dataclass
class DaskFrame:
    """A table in parts, each of which is counted by a task."""

    schema: pa.Schema
    parts: Sequence[Any]
    places: Sequence[str]
    compute: dict[str, Any]
    fits_metrics: bool = False
    where: str = "The table"
    system: str = ""

    def reduce(self, counting: Counting) -> Any:
        """Count the parts, and add a few answers at a time up until there is one."""
        from dask import delayed

        shared = delayed(counting)  # sent once to whoever counts
        answers = [
            delayed(count_part)(part, place, shared)
            for part, place in zip(self.parts, self.places, strict=True)
        ]
        while len(answers) > 1:
            starts = range(0, len(answers), FAN)
            answers = [
                delayed(counting.add)(answers[start : start + FAN]) for start in starts
            ]
        return answers[0].compute(**self.compute)


def count_part(part: Any, place: str, counting: Counting) -> Any:
    """Count one part of a table."""
    return counting.run(convert_partition(part, counting.columns), place)


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


class RayFrame:
    """A dataset of Ray Data."""

    fits_metrics, where, system = False, "The table", ""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self.schema = _read_schema(dataset)

    def reduce(self, counting: Counting) -> Any:
        """Count each block by a task, and add the answers up here."""
        blocks = self._dataset.select_columns([*counting.columns]).map_batches(
            count_block,
            fn_kwargs={"counting": counting},
            batch_size=None,
            batch_format="pyarrow",
        )
        # In the order of the blocks, so that rows have their numbers.
        blocks.context.execution_options.preserve_order = True
        answers = blocks.iter_batches(batch_size=None, batch_format="pyarrow")
        return counting.add(_read_answers(answers))


def count_block(block: pa.Table, counting: Counting) -> pa.Table:
    """Count a block; give the answer as a table of one row. Errors of ours are answers, too."""
    try:
        answer = counting.run(block.to_batches(), "")
    except MetraError as error:
        answer = error
    return pa.table({"answer": [pickle.dumps((block.num_rows, answer))]})


def _read_answers(tables: Iterable[pa.Table]) -> Iterator[Any]:
    first = 0
    for table in tables:
        for pickled in table.column("answer").to_pylist():
            rows, answer = pickle.loads(pickled)
            if isinstance(answer, arrow_columns.NullValueError):
                row = first + answer.row
                raise arrow_columns.NullValueError(answer.column, row, "the dataset")
            if isinstance(answer, MetraError):
                raise answer
            first += rows
            yield answer


def _read_schema(dataset: Any) -> pa.Schema:
    """Return a dataset's columns as Arrow's."""
    given = dataset.schema()
    schema = given.base_schema if given is not None else pa.schema([])
    if isinstance(schema, pa.Schema):
        return schema
    # Blocks of pandas: the first rows tell.
    return next(iter(dataset.limit(1).iter_batches(batch_format="pyarrow"))).schema
