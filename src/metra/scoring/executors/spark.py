"""Scoring tables on Apache Spark: its workers count batches, and totals are added up.

Totals are what tasks give back. Spark takes each task's answer once, however often the task
had to be tried, and the answers add up to the same digits in any order: so a worker that
dies, or tasks that are cut otherwise, change nothing.
"""

import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate, chain
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import unquote

import pyarrow as pa

from metra import __version__
from metra.errors import FormatError, MissingResourceError, OptionError
from metra.formats.stream import name_system
from metra.formats.texts.arrow_columns import (
    NullValueError,
    add_element_fields,
    list_lists,
)
from metra.formats.texts.parquet import mark_partitions
from metra.scoring.executors.spark_session import (
    LOCAL,
    find_context,
    format_path,
    run_steps,
    silence_warnings,
    skip_pandas_check,
    spark_session,
    translate_errors,
)
from metra.scoring.plan import ScoringPlan, build_metrics, check_metrics
from metra.scoring.results import Results
from metra.scoring.table_totals import (
    OWN_COLUMNS,
    add_totals,
    build_totals_batch,
    count_batch,
    list_signatures,
    score_totals,
    scores_schema,
    totals_schema,
)
from metra.scoring.tables import PlanBuilder, TableProgress, check_schema
from metra.scoring.term_exchange import choose_sizes
from metra.scoring.term_messages import FittedRows, MessageExchange

#: Where a column's metadata has the signature of the metric that its scores are by.
SIGNATURE = "metra.signature"
# Marks columns that are made of lists.
_ELEMENT = {"metra.added": "element"}
# Ends the name of a folder that says that another is whole.
_KEPT = "-kept"
_GUESS = "spark.sql.sources.partitionColumnTypeInference.enabled"

#: A pyspark.sql.DataFrame, classic or of Spark Connect, wherever its rows come from.
Frame: TypeAlias = Any
Batches: TypeAlias = Iterator[pa.RecordBatch]

_EVERY = 0.1  # seconds
_PATIENCE = 600  # times that
_CALM = 5  # looks
_TASK_THREAD = "Executor task launch worker for task"


def score_files(
    paths: Sequence[str],
    build_plan: PlanBuilder,
    *,
    scores_out: str | None = None,
    resume: str | None = None,
    progress: TableProgress | None = None,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
) -> Results:
    """Score a table in Parquet files wherever Spark finds it; see `score_frame`.

    `resume` is a folder that keeps the first pass of metrics of two passes, until there are
    scores: the same call goes on from there.
    """
    with spark_session(master or LOCAL, conf) as session, read_folders_as_text(session):
        if progress:
            progress(0, 0.0)  # what Java took to start is no scoring
        frame = expand_lists(read_files(session, paths))
        files = frame.inputFiles()
        # Of several files, Spark takes the columns of any one.
        where, system = f"The table that Spark makes of {len(files)} files", ""
        if len(files) == 1:
            where, system = paths[0], name_system(format_path(files[0]))
        schema = mark_partitions(convert_schema(frame), format_path(files[0]))
        plan = build_plan(schema, where, system)
        kept = None
        if resume:
            kept = _name_kept(session, paths, plan, resume)
        return score_frame(
            frame, plan, scores_to=scores_out, progress=progress, kept=kept
        )


def _name_kept(
    session: Any, paths: Sequence[str], plan: ScoringPlan, folder: str
) -> str:
    """Name the folder of a first pass by all that it depends on."""
    if not plan.two_passes:
        msg = (
            "On Spark, `resume` keeps the first pass of metrics that have two, such as nist "
            f"and ltv, but {', '.join(plan.metrics)} has one; leave it out."
        )
        raise OptionError(msg)
    with translate_errors():
        listed = session.read.format("binaryFile").load([*paths])
        rows = listed.select("path", "length", "modificationTime").collect()
    known = [plan.fingerprint(), *sorted(map(str, rows))]
    digest = hashlib.sha256("\n".join(known).encode()).hexdigest()
    return f"{folder.rstrip('/')}/terms-{digest[:24]}"


def score_dataframe(
    table: Frame,
    build_plan: PlanBuilder,
    *,
    scores_out: str | None = None,
    progress: TableProgress | None = None,
) -> Results:
    """Score a DataFrame, whose plan is made from its columns; see `score_frame`."""
    frame, plan = plan_frame(table, build_plan)
    return score_frame(frame, plan, scores_to=scores_out, progress=progress)


def plan_frame(frame: Frame, build_plan: PlanBuilder) -> tuple[Frame, ScoringPlan]:
    """Give the DataFrame with lists of references as columns, and the plan for it."""
    with translate_errors():
        frame = expand_lists(frame)
    return frame, build_plan(convert_schema(frame), "The DataFrame", "")


def score_frame(
    frame: Frame,
    plan: ScoringPlan,
    *,
    scores_to: str | None = None,
    progress: TableProgress | None = None,
    kept: str | None = None,
) -> Results:
    """Score a DataFrame; if wished, write it with its segments' scores as Parquet.

    `scores_to` names a folder that is not there yet. Spark moves files into it when all of
    them are whole, and then puts `_SUCCESS` beside them. `progress` is told now and then how
    many tasks are done, and what share of the work that is. `kept` names a folder for what
    metrics of two passes count first, or one that has it.
    """
    check_metrics(plan)
    check_schema(plan, convert_schema(frame))

    rows: list[MetricRows] = []
    totals: list[pa.RecordBatch] = []

    def count() -> None:
        columns = plan.columns if scores_to is None else frame.columns
        rows.append(fit_rows(frame, plan, columns, kept))
        if scores_to is not None and plan.two_passes:
            rows[0].frame.persist(StorageLevel.DISK_ONLY)
        totals.append(count_rows(frame, plan, rows[0]))

    def write() -> None:
        write_frame(_add_columns(frame, plan, rows[0]), str(scores_to))

    steps = [count]
    if scores_to is not None:
        steps.append(write)
    with silence_warnings(), locate_nulls(frame, plan), translate_errors():
        from pyspark import StorageLevel

        try:
            run_steps(frame.sparkSession, steps, progress)
        finally:
            for each in rows:
                each.frame.unpersist()
        if kept:
            _remove_kept(frame.sparkSession, kept)
    return score_totals(totals[0], plan)


def convert_schema(frame: Frame) -> pa.Schema:
    """Give the DataFrame's columns as Arrow's; what Arrow does not know is no text."""
    with silence_warnings():
        from pyspark.errors import PySparkTypeError
        from pyspark.sql.pandas.types import to_arrow_type

    def kind(field: Any) -> Any:
        try:
            return to_arrow_type(field.dataType)
        except PySparkTypeError:
            return pa.binary()

    return pa.schema(pa.field(field.name, kind(field)) for field in frame.schema)


class MetricRows(NamedTuple):
    """A DataFrame, and how workers read batches of rows from it, each with its metrics."""

    frame: Frame
    columns: Sequence[str]
    read: Callable[[Batches], Iterator[FittedRows]]


def fit_rows(
    frame: Frame, plan: ScoringPlan, columns: Sequence[str], kept: str | None = None
) -> MetricRows:
    """Bring rows and metrics together; those of two passes get the weights of their rows.

    No process holds the terms of a large table: chunks of rows send theirs to partitions, by
    which they are added up, and get back the numbers of their own. Chunks travel along, so
    that the table is read once.
    """
    if not plan.two_passes:
        return MetricRows(
            frame,
            columns,
            lambda rows: (FittedRows(each, build_metrics(plan)) for each in rows),
        )
    from pyspark.sql.types import BinaryType, StringType

    sizes = choose_sizes(frame.count() * len(plan.references))
    exchange = MessageExchange(plan, *sizes)
    kinds = [StringType(), StringType(), StringType(), BinaryType()]

    def ask(batches: Batches) -> Batches:
        from pyspark import TaskContext

        return exchange.ask(batches, TaskContext.get().partitionId())

    messages = _map_batches(frame, columns, ask, kinds)
    for _ in range(exchange.rounds):
        mail = _deliver(messages, exchange.partitions)
        messages = _map_batches(mail, mail.columns, exchange.read_mail, kinds)
    if kept:
        messages = _keep_frame(messages, kept)
    mail = _deliver(messages, exchange.partitions)
    return MetricRows(mail, mail.columns, exchange.fit_chunks)


def _keep_frame(frame: Frame, folder: str) -> Frame:
    """Write a DataFrame into a folder, unless a folder beside it says that it is there."""
    from pyspark.errors import AnalysisException

    session = frame.sparkSession
    try:
        session.read.parquet(f"{folder}{_KEPT}")
    except AnalysisException:
        frame.write.mode("overwrite").parquet(folder)
        session.range(1).write.mode("overwrite").parquet(f"{folder}{_KEPT}")
    return session.read.parquet(folder)


def _remove_kept(session: Any, folder: str) -> None:
    """Remove what is no longer needed, where this process has Spark's Java."""
    context = find_context(session)
    if context is None:
        return
    for place in (f"{folder}{_KEPT}", folder):
        path = context._jvm.org.apache.hadoop.fs.Path(place)
        path.getFileSystem(context._jsc.hadoopConfiguration()).delete(path, True)


def _deliver(messages: Frame, tasks: int) -> Frame:
    """Bring all messages to a receiver into one task, in order."""
    receiver, kind, sender, _ = messages.columns
    delivered = messages.repartition(tasks, receiver)
    return delivered.sortWithinPartitions(receiver, kind, sender)


def count_frame(frame: Frame, plan: ScoringPlan) -> pa.RecordBatch:
    """Count every partition where it lies, and add up what comes back."""
    return count_rows(frame, plan, fit_rows(frame, plan, plan.columns))


def count_rows(frame: Frame, plan: ScoringPlan, rows: MetricRows) -> pa.RecordBatch:
    """Count the rows of a DataFrame, whose columns name groups."""
    from pyspark.sql.types import ArrayType, DoubleType, LongType, StringType

    read = rows.read

    def count(batches: Batches) -> Batches:
        return _add_partition(
            build_totals_batch(
                count_batch(batch, plan, metrics, chunks=chunks)[0],
                totals_schema(plan, batch.schema),
            )
            for batch, metrics, chunks in read(batches)
        )

    names = [*plan.group_by, *OWN_COLUMNS]
    keys = [frame.schema[name].dataType for name in plan.group_by]
    own = [StringType(), StringType(), LongType(), LongType(), ArrayType(DoubleType())]
    kinds = [*keys, *own]
    counted = _map_batches(rows.frame, rows.columns, count, kinds)
    if plan.group_by:
        # Every partition may have every group: they are added up on the cluster as well.
        together = counted.repartition(*_number_columns(keys)).toDF(*names)
        counted = _map_batches(together, names, _add_partition, kinds)
    table = counted.toArrow().rename_columns(names)
    # Without `pa.array`, which would load pandas.
    columns = [pa.nulls(0, field.type) for field in table.schema]
    nothing = pa.record_batch(columns, schema=table.schema)
    return add_totals([*table.to_batches(), nothing])


def add_scores(frame: Frame, plan: ScoringPlan) -> Frame:
    """Give the DataFrame with a column of scores for each system and metric behind its own.

    Like every DataFrame it is computed when it is used. The metadata of a column of scores
    says how they are computed, `metra.signature`; Spark writes it into Parquet files. Metrics
    of two passes bring rows into another order.
    """
    return _add_columns(frame, plan, fit_rows(frame, plan, frame.columns))


def _add_columns(frame: Frame, plan: ScoringPlan, rows: MetricRows) -> Frame:
    from pyspark.sql.types import DoubleType

    read = rows.read

    def score(batches: Batches) -> Batches:
        for batch, metrics, chunks in read(batches):
            yield count_batch(batch, plan, metrics, keep=True, chunks=chunks)[1]

    own = _list_own(frame)
    names = scores_schema(plan, convert_schema(frame)).names
    kinds = [field.dataType for field in frame.schema]
    kinds += [DoubleType()] * (len(names) - len(kinds))
    scored = _map_batches(rows.frame, rows.columns, score, kinds).toDF(*names)
    if len(own) < len(frame.columns):
        made = [name for name in frame.columns if name not in own]
        scored = scored.drop(*made)
    for name, signature in list_signatures(plan).items():
        scored = scored.withMetadata(name, {SIGNATURE: signature})
    return scored


def _map_batches(
    frame: Frame,
    columns: Sequence[str],
    function: Callable[[Batches], Batches],
    kinds: Sequence[Any],
) -> Frame:
    """Have workers call a function of the batches of these columns, partition by partition.

    Columns travel under numbers, because Spark takes a dot in a name for a path into it. The
    answer's columns keep theirs.
    """
    from pyspark.sql.types import StructField, StructType

    known = dict(zip(frame.columns, _number_columns(frame.columns), strict=True))
    numbers = _number_columns(kinds)
    here = __version__

    def call(batches: Batches) -> Batches:
        _check_version(here)
        named = (batch.rename_columns(list(columns)) for batch in batches)
        return (batch.rename_columns(numbers) for batch in function(named))

    schema = StructType(
        [StructField(*pair) for pair in zip(numbers, kinds, strict=True)]
    )
    chosen = frame.toDF(*known.values()).select(*(known[name] for name in columns))
    with silence_warnings(), skip_pandas_check():
        return chosen.mapInArrow(call, schema)


def _number_columns(columns: Sequence[object]) -> list[str]:
    return [f"c{number}" for number in range(len(columns))]


def _check_version(expected: str) -> None:
    """Refuse to count by another version than the one that will close the formulas."""
    if __version__ != expected:
        msg = (
            f"A Spark worker has metra {__version__}, but this is metra {expected}; "
            "install the same version everywhere."
        )
        raise MissingResourceError(msg)


def _add_partition(totals: Batches) -> Batches:
    """Add up a partition's totals; an empty one has none."""
    first = next(totals, None)
    if first is not None:
        yield add_totals(chain([first], totals))


def expand_lists(frame: Frame) -> Frame:
    """Give the DataFrame with a column for each element of lists of references."""
    for lists in list_lists(convert_schema(frame)):
        longest = frame.selectExpr(f"max(size(`{lists}`)) as longest").first().longest
        wanted = add_element_fields(pa.schema([]), max(longest or 0, 0)).names
        names = [name for name in wanted if name not in frame.columns]
        elements = [
            f"get(`{lists}`, {wanted.index(name)}) as `{name}`" for name in names
        ]
        frame = frame.selectExpr("*", *elements)
        for name in names:
            frame = frame.withMetadata(name, _ELEMENT)
    return frame


def _list_own(frame: Frame) -> list[str]:
    """List the columns that are not made of lists."""
    return [field.name for field in frame.schema if field.metadata != _ELEMENT]


def read_files(session: Any, paths: Sequence[str]) -> Frame:
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
    """Refuse what is named twice, or lies in a folder that is named too."""
    known = Counter(path.rstrip("/") for path in paths)
    for path, count in known.items():
        folders = accumulate(path.split("/")[:-1], "{}/{}".format)
        if count > 1 or any(folder in known for folder in folders):
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


@contextmanager
def locate_nulls(frame: Any, plan: ScoringPlan) -> Iterator[None]:
    """Say of a null in which row of which file it is."""
    try:
        yield
    except NullValueError as error:
        place = _find_null(frame, plan, error.column)
        if place is None:
            raise
        path, row = place
        raise NullValueError(error.column, row, format_path(path)) from None


def _find_null(frame: Any, plan: ScoringPlan, column: str) -> tuple[str, int] | None:
    """Find the first row at fault, in the order of files; None where there are no files."""
    from pyspark.errors import PySparkException

    numbers = _number_columns(frame.columns)
    known = dict(zip(frame.columns, numbers, strict=True))
    # A reference may be null where another one is there.
    together = plan.references if column in plan.references else [column]
    gaps = " and ".join(f"{known[name]} is null" for name in together)
    where = ("_metadata.file_path", "_metadata.row_index")
    try:
        rows = frame.toDF(*numbers).where(gaps).select(*where)
        first = rows.sort("file_path", "row_index").first()
    except PySparkException:
        return None
    return None if first is None else (first.file_path, first.row_index)


def write_frame(frame: Frame, folder: str) -> None:
    """Write a DataFrame into a folder that is not there yet.

    Spark moves files into it when all of them are whole. Of work that is stopped before
    that, it leaves the folder, with nothing that is of use in it: that is taken away, where
    this process has Spark's Java, which Spark Connect keeps elsewhere.
    """
    context = find_context(frame.sparkSession)
    if context is None:
        frame.write.parquet(folder)
        return
    path = context._jvm.org.apache.hadoop.fs.Path(folder)
    files = path.getFileSystem(context._jsc.hadoopConfiguration())
    existed = files.exists(path)
    try:
        frame.write.parquet(folder)
    except BaseException:
        if not existed:
            _remove_unfinished(context, files, path)
        raise


def _remove_unfinished(context: Any, files: Any, path: Any) -> None:
    """Take the folder away, again and again while tasks that were told to stop make it anew."""
    tracker = context._jsc.sc().statusTracker()
    calm = 0  # looks in a row that found no task and no folder
    for _ in range(_PATIENCE):
        busy = any(info.numRunningTasks() for info in tracker.getExecutorInfos())
        busy = busy or _has_task_threads(context)
        if files.exists(path):
            names = [status.getPath().getName() for status in files.listStatus(path)]
            if any(name != "_temporary" for name in names):
                return
            files.delete(path, True)
            busy = True
        calm = 0 if busy else calm + 1
        # A task that Spark no longer counts may still be on its way out.
        if calm == _CALM:
            return
        time.sleep(_EVERY)


def _has_task_threads(context: Any) -> bool:
    """Whether a task still runs in the driver's own Java, even one that Spark no longer counts.

    Spark forgets a task that it has told to stop before the task's thread has ended.
    """
    threads = context._jvm.java.lang.Thread.getAllStackTraces().keySet()
    return any(thread.getName().startswith(_TASK_THREAD) for thread in threads)
