"""Scoring tables on Apache Spark: its workers count batches, and totals are added up.

Totals are what tasks give back. Spark takes each task's answer once, however often the task
had to be tried, and the answers add up to the same digits in any order. Neither a worker
that dies nor another partition of the rows changes a digit.
"""

import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from metra.errors import FormatError
from metra.formats.stream import name_system
from metra.formats.texts.parquet import mark_partitions
from metra.scoring.executors import frames
from metra.scoring.executors.frames import Counting
from metra.scoring.executors.spark_session import (
    LOCAL,
    Batches,
    Table,
    format_path,
    map_batches,
    number_columns,
    silence_warnings,
    spark_session,
    translate_errors,
)
from metra.scoring.executors.spark_terms import (
    BATCH,
    FittedRows,
    list_spark_fits,
    map_chunks,
)
from metra.scoring.plan import ScoringPlan
from metra.scoring.results import Results
from metra.scoring.table_totals import build_metrics, list_signatures, score_batch
from metra.scoring.tables import PlanBuilder, TableProgress

#: Where a column's metadata has the signature of the metric that its scores are by.
SIGNATURE = "metra.signature"
_GUESS = "spark.sql.sources.partitionColumnTypeInference.enabled"
# Answers of partitions, and how many tasks add them up.
_ANSWER = "c0 binary"
_FAN = 16


def score_files(
    paths: Sequence[str],
    build_plan: PlanBuilder,
    *,
    scores_out: str | None = None,
    progress: TableProgress | None = None,
    master: str | None = None,
) -> Results:
    """Score a table in Parquet files wherever Spark finds it; see `score_table`."""
    with spark_session(master or LOCAL) as session, read_folders_as_text(session):
        table = read_files(session, paths)
        files = table.inputFiles()
        # Of several files, Spark takes the columns of any one.
        where, system = f"The table that Spark makes of {len(files)} files", ""
        if len(files) == 1:
            where, system = paths[0], name_system(format_path(files[0]))
        frame = SparkFrame(table, where, system)
        frame.schema = mark_partitions(frame.schema, format_path(files[0]))
        return score_frame(frame, build_plan, progress, scores_out)


def score_frame(
    frame: "SparkFrame",
    build_plan: PlanBuilder,
    progress: TableProgress | None = None,
    scores_out: str | None = None,
) -> Results:
    """Score a table; if wished, write it with its segments' scores as Parquet.

    `scores_out` names a new folder. Spark moves files into it when all of
    them are whole, and then puts `_SUCCESS` beside them. `progress` is told the number of
    segments at the end: Spark itself shows how far it is.
    """
    with silence_warnings(), translate_errors():
        results = frames.score_frame(frame, build_plan, progress)
        if scores_out is not None:
            plan = frames.plan_frame(frame, build_plan)
            add_columns(frame, plan).write.parquet(scores_out)
    return results


class SparkFrame:
    """A DataFrame, whose partitions are counted where they lie."""

    #: Chunks of rows get metrics with the weights of their terms.
    fits_metrics = True

    def __init__(
        self, table: Table, where: str = "The DataFrame", system: str = ""
    ) -> None:
        self.table, self.where, self.system = table, where, system
        self.schema = convert_schema(table)

    def reduce(self, counting: Counting) -> Any:
        """Count every partition, and add up what comes back."""

        def count(fitted: Iterator[FittedRows]) -> Batches:
            answers = (
                counting.count(rows, metrics=metrics) for rows, metrics in fitted
            )
            yield _pack_answer(counting.add(answers))

        def add(answers: Batches) -> Batches:
            yield _pack_answer(counting.add(_read_answers(answers)))

        with translate_errors():
            answers = self.map_rows(counting, count, _ANSWER)
            if counting.plan.group_by:
                # Every partition may have every group: some are added up on the cluster.
                answers = map_batches(answers.repartition(_FAN), ["c0"], add, _ANSWER)
            return counting.add(_read_answers(answers.toArrow().to_batches()))

    def map_rows(
        self,
        counting: Counting,
        function: Callable[[Iterator[FittedRows]], Batches],
        schema: Any,
    ) -> Table:
        """Have workers call a function of rows with the metrics that score them."""
        plan = counting.plan
        if list_spark_fits(plan):
            return map_chunks(self.table, counting, plan, function, schema)

        def call(batches: Batches) -> Batches:
            metrics = build_metrics(plan)
            rows = counting.read(batches, BATCH)
            return function(FittedRows(batch, metrics) for batch in rows)

        return map_batches(self.table, counting.columns, call, schema)


def _pack_answer(answer: Any) -> pa.RecordBatch:
    return pa.record_batch([pa.array([pickle.dumps(answer)], pa.binary())], ["c0"])


def _read_answers(batches: Iterable[pa.RecordBatch]) -> Iterator[Any]:
    for batch in batches:
        yield from map(pickle.loads, batch.column(0).to_pylist())


def add_columns(frame: SparkFrame, plan: ScoringPlan) -> Table:
    """Give the DataFrame of a plan with columns of scores behind its own."""
    from pyspark.sql.types import DoubleType, StructField, StructType

    table = frame.table
    names = [*table.columns, *plan.score_columns.values()]
    numbers = number_columns(names)

    def score(fitted: Iterator[FittedRows]) -> Batches:
        for rows, metrics in fitted:
            _, scored = score_batch(rows, plan, metrics)
            yield scored.select(names).rename_columns(numbers)

    kinds = [field.dataType for field in table.schema]
    kinds += [DoubleType()] * len(plan.score_columns)
    pairs = zip(numbers, kinds, strict=True)
    schema = StructType([StructField(*pair) for pair in pairs])
    counting = Counting(tuple(table.columns), score, iter, plan)
    scored = frame.map_rows(counting, score, schema)
    signatures = list_signatures(plan)
    for number, name in zip(numbers, names, strict=True):
        if name in signatures:
            scored = scored.withMetadata(number, {SIGNATURE: signatures[name]})
    return scored.toDF(*names)


def convert_schema(table: Table) -> pa.Schema:
    """Give the DataFrame's columns as Arrow's; what Arrow does not know is no text."""
    with silence_warnings():
        from pyspark.errors import PySparkTypeError
        from pyspark.sql.pandas.types import to_arrow_type

    def kind(field: Any) -> Any:
        try:
            return to_arrow_type(field.dataType)
        except PySparkTypeError:
            return pa.binary()

    return pa.schema(pa.field(field.name, kind(field)) for field in table.schema)


def read_files(session: Any, paths: Sequence[str]) -> Table:
    """Read Parquet files, or folders of them, as a DataFrame.

    Folders named after a column, such as `lp=en-de`, count wherever they are in a path.
    """
    _refuse_duplicates(paths)
    bases = {re.split(r"(?:^|/)[^/=]+=", path, maxsplit=1)[0] or "." for path in paths}
    options = {}
    if len(bases) == 1 and not bases.issubset(paths):
        options["basePath"] = bases.pop()
    with translate_errors():
        _refuse_empty(session.read.options(**options), paths)
        return session.read.options(**options).parquet(*paths)


@contextmanager
def read_folders_as_text(session: Any) -> Iterator[None]:
    """Let values in the names of folders be texts, as on this machine: 2024, 007 and all."""
    before = session.conf.get(_GUESS, "true")
    session.conf.set(_GUESS, "false")
    try:
        yield
    finally:
        session.conf.set(_GUESS, before)


def _refuse_duplicates(paths: Sequence[str]) -> None:
    """Refuse paths given twice, or inside another given folder."""
    counts = Counter(path.rstrip("/") for path in paths)
    for path, count in counts.items():
        folders = accumulate(path.split("/")[:-1], "{}/{}".format)
        if count > 1 or any(folder in counts for folder in folders):
            msg = f"{path} is given twice, so its rows would count twice; give it once."
            raise FormatError(msg)


def _refuse_empty(reader: Any, paths: Sequence[str]) -> None:
    """Refuse files without a byte: Spark lists them, but passes over them in silence."""
    listed = reader.format("binaryFile").load([*paths])
    read = {
        re.sub("^file:/+", "/", row.path) for row in listed.select("path").collect()
    }
    for file in map(format_path, listed.inputFiles()):
        if file not in read and unquote(file) not in read:
            msg = (
                f"{file} cannot be read as Parquet: it is empty; write it again, or leave "
                "it out."
            )
            raise FormatError(msg)
