"""Scoring tables on Apache Spark: its workers count batches, and totals are added up.

Totals are what tasks give back. Spark takes each task's answer once, however often the task
had to be tried, and the answers add up to the same digits in any order: so a worker that
dies, or tasks that are cut otherwise, change nothing.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate, chain
from typing import Any, TypeAlias
from urllib.parse import unquote

import pyarrow as pa

from metra import __version__
from metra.errors import FormatError, MissingResourceError
from metra.formats.stream import name_system
from metra.formats.texts.parquet import NullValueError, mark_partitions
from metra.formats.texts.reference_lists import add_element_fields, list_lists
from metra.scoring.executors.spark_session import (
    LOCAL,
    find_context,
    format_path,
    run_steps,
    silence_warnings,
    spark_session,
    translate_errors,
)
from metra.scoring.plan import ScoringPlan, check_metrics
from metra.scoring.results import Results
from metra.scoring.table_totals import (
    OWN_COLUMNS,
    TERMS,
    add_totals,
    count_terms,
    count_totals,
    encode_weights,
    list_signatures,
    score_rows,
    score_totals,
    scores_schema,
)
from metra.scoring.tables import PlanBuilder, TableProgress, check_schema

#: Where a column's metadata has the signature of the metric that its scores are by.
SIGNATURE = "metra.signature"
# Marks columns that are made of lists.
_ELEMENT = {"metra.added": "element"}
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
    progress: TableProgress | None = None,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
) -> Results:
    """Score a table in Parquet files wherever Spark finds it; see `score_frame`."""
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
        return score_frame(frame, plan, scores_to=scores_out, progress=progress)


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
) -> Results:
    """Score a DataFrame; if wished, write it with its segments' scores as Parquet.

    `scores_to` names a folder that is not there yet. Spark moves files into it when all of
    them are whole, and then puts `_SUCCESS` beside them. `progress` is told now and then how
    many tasks are done, and what share of the work that is.
    """
    check_metrics(plan)
    check_schema(plan, convert_schema(frame))

    weights: list[bytes | None] = [None]
    totals: list[pa.RecordBatch] = []

    def weigh() -> None:
        weights[0] = count_frame_weights(frame, plan)

    def count() -> None:
        totals.append(count_frame(frame, plan, weights[0]))

    def write() -> None:
        write_frame(add_scores(frame, plan, weights[0]), str(scores_to))

    steps = [count]
    if plan.two_passes:
        steps.insert(0, weigh)
    if scores_to is not None:
        steps.append(write)
    with silence_warnings(), locate_nulls(frame, plan), translate_errors():
        run_steps(frame.sparkSession, steps, progress)
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


def count_frame_weights(frame: Frame, plan: ScoringPlan) -> bytes | None:
    """Count what metrics of two passes weigh by.

    Equal terms are put together on the cluster: each comes here once. The weights travel to
    the workers with the function that needs them, which Spark broadcasts if it is large.
    """
    if not plan.two_passes:
        return None
    from pyspark.sql.types import BinaryType, LongType, StringType

    def count(batches: Batches) -> Batches:
        return (count_terms(batch, plan) for batch in batches)

    kinds = [StringType(), BinaryType(), LongType()]
    metric, term, number = names = _number_columns(kinds)
    counted = _map_batches(frame, plan.columns, count, kinds)
    added = counted.groupBy(metric, term).sum(number).toDF(*names)
    table = added.toArrow().rename_columns(TERMS.names).cast(TERMS)
    return encode_weights(table.to_batches())


def count_frame(
    frame: Frame, plan: ScoringPlan, weights: bytes | None = None
) -> pa.RecordBatch:
    """Count every partition where it lies, and add up what comes back."""
    from pyspark.sql.types import ArrayType, DoubleType, LongType, StringType

    def count(batches: Batches) -> Batches:
        return _add_partition(count_totals(batch, plan, weights) for batch in batches)

    names = [*plan.group_by, *OWN_COLUMNS]
    keys = [frame.schema[name].dataType for name in plan.group_by]
    own = [StringType(), StringType(), LongType(), LongType(), ArrayType(DoubleType())]
    kinds = [*keys, *own]
    counted = _map_batches(frame, plan.columns, count, kinds)
    if plan.group_by:
        # Every partition may have every group: they are added up on the cluster as well.
        together = counted.repartition(*_number_columns(keys)).toDF(*names)
        counted = _map_batches(together, names, _add_partition, kinds)
    table = counted.toArrow().rename_columns(names)
    nothing = pa.RecordBatch.from_pylist([], schema=table.schema)
    return add_totals([*table.to_batches(), nothing])


def add_scores(frame: Frame, plan: ScoringPlan, weights: bytes | None = None) -> Frame:
    """Give the DataFrame with a column of scores for each system and metric behind its own.

    Like every DataFrame it is computed when it is used. The metadata of a column of scores
    says how they are computed, `metra.signature`; Spark writes it into Parquet files.
    """
    from pyspark.sql.types import DoubleType

    def score(batches: Batches) -> Batches:
        return (score_rows(batch, plan, weights) for batch in batches)

    own = _list_own(frame)
    names = scores_schema(plan, convert_schema(frame)).names
    kinds = [field.dataType for field in frame.schema]
    kinds += [DoubleType()] * (len(names) - len(kinds))
    scored = _map_batches(frame, frame.columns, score, kinds).toDF(*names)
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
    with silence_warnings():
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
