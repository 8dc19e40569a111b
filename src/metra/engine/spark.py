"""Scoring on Apache Spark: its workers call the shared functions, and totals are added up.

Totals are what tasks give back. Spark takes each task's answer once, however often the task
had to be tried, and the answers add up to the same digits in any order: so a worker that
dies, or tasks that are cut otherwise, change nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

import pyarrow as pa

from metra import __version__
from metra.engine.checks import check_schema
from metra.engine.measures import check_measures
from metra.engine.plan import Plan
from metra.engine.segment_scores import score_rows, scores_schema, signatures
from metra.engine.spark_messages import sentences
from metra.engine.spark_places import located
from metra.engine.spark_session import quietly
from metra.engine.spark_watch import Watcher, run
from metra.engine.spark_write import write_frame
from metra.engine.terms import TERMS, term_rows, weights_of
from metra.engine.totals import OWN_COLUMNS, add_totals, results_of, total_rows
from metra.errors import MissingResourceError
from metra.results import Results

#: Where a column's metadata has the signature of the measure that its scores are by.
SIGNATURE = "metra.signature"

#: A pyspark.sql.DataFrame, wherever its rows come from.
Frame: TypeAlias = Any
#: A broadcast variable that holds the weights of measures of two passes.
Weights: TypeAlias = Any
Batches: TypeAlias = Iterator[pa.RecordBatch]


def score_frame(
    frame: Frame,
    plan: Plan,
    *,
    scores_to: str | None = None,
    progress: Watcher | None = None,
) -> Results:
    """Score a DataFrame; if wished, write it with its segments' scores as Parquet.

    `scores_to` names a folder that is not there yet. Spark moves files into it when all of
    them are whole, and then puts `_SUCCESS` beside them. `progress` is told now and then how
    many tasks are done, and what share of the work that is.
    """
    check_measures(plan)
    check_schema(plan, arrow_schema(frame))

    weights: list[Weights] = [None]
    totals: list[pa.RecordBatch] = []

    def weigh() -> None:
        weights[0] = weights_for(frame, plan)

    def count() -> None:
        totals.append(totals_of(frame, plan, weights[0]))

    def write() -> None:
        write_frame(scores_of(frame, plan, weights[0]), str(scores_to))

    steps = [count]
    if plan.two_passes:
        steps.insert(0, weigh)
    if scores_to is not None:
        steps.append(write)
    with quietly(), located(frame, plan), sentences():
        run(frame.sparkSession, steps, progress)
    if weights[0] is not None:
        weights[0].destroy()
    return results_of(totals[0], plan)


def arrow_schema(frame: Frame) -> pa.Schema:
    """Give the DataFrame's columns as Arrow's; what Arrow does not know is no text."""
    with quietly():
        from pyspark.errors import PySparkTypeError
        from pyspark.sql.pandas.types import to_arrow_type

    def kind(field: Any) -> Any:
        try:
            return to_arrow_type(field.dataType)
        except PySparkTypeError:
            return pa.binary()

    return pa.schema(pa.field(field.name, kind(field)) for field in frame.schema)


def weights_for(frame: Frame, plan: Plan) -> Weights | None:
    """Count what measures of two passes weigh by, and send it to all workers.

    Equal terms are put together on the cluster: each comes here once.
    """
    if not plan.two_passes:
        return None
    from pyspark.sql.types import BinaryType, LongType, StringType

    def count(batches: Batches) -> Batches:
        return (term_rows(batch, plan) for batch in batches)

    kinds = [StringType(), BinaryType(), LongType()]
    metric, term, number = names = _numbered(kinds)
    counted = _mapped(frame, plan.columns, count, kinds)
    added = counted.groupBy(metric, term).sum(number).toDF(*names)
    table = added.toArrow().rename_columns(TERMS.names).cast(TERMS)
    return frame.sparkSession.sparkContext.broadcast(weights_of(table.to_batches()))


def totals_of(
    frame: Frame, plan: Plan, weights: Weights | None = None
) -> pa.RecordBatch:
    """Count every partition where it lies, and add up what comes back."""
    from pyspark.sql.types import ArrayType, DoubleType, LongType, StringType

    def count(batches: Batches) -> Batches:
        value = None if weights is None else weights.value
        return _added(total_rows(batch, plan, value) for batch in batches)

    names = [*plan.group_by, *OWN_COLUMNS]
    keys = [frame.schema[name].dataType for name in plan.group_by]
    own = [StringType(), StringType(), LongType(), LongType(), ArrayType(DoubleType())]
    kinds = [*keys, *own]
    counted = _mapped(frame, plan.columns, count, kinds)
    if plan.group_by:
        # Every partition may have every group: they are added up on the cluster as well.
        together = counted.repartition(*_numbered(keys)).toDF(*names)
        counted = _mapped(together, names, _added, kinds)
    table = counted.toArrow().rename_columns(names)
    nothing = pa.RecordBatch.from_pylist([], schema=table.schema)
    return add_totals([*table.to_batches(), nothing])


def scores_of(frame: Frame, plan: Plan, weights: Weights | None = None) -> Frame:
    """Give the DataFrame with a column of scores for each system and measure behind its own.

    Like every DataFrame it is computed when it is used. The metadata of a column of scores
    says how they are computed, `metra.signature`; Spark writes it into Parquet files.
    """
    from pyspark.sql.types import DoubleType

    def score(batches: Batches) -> Batches:
        value = None if weights is None else weights.value
        return (score_rows(batch, plan, value) for batch in batches)

    names = scores_schema(plan, arrow_schema(frame)).names
    kinds = [field.dataType for field in frame.schema]
    kinds += [DoubleType()] * (len(names) - len(kinds))
    scored = _mapped(frame, frame.columns, score, kinds).toDF(*names)
    for name, signature in signatures(plan).items():
        scored = scored.withMetadata(name, {SIGNATURE: signature})
    return scored


def _mapped(
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

    known = dict(zip(frame.columns, _numbered(frame.columns), strict=True))
    numbers = _numbered(kinds)
    here = __version__

    def call(batches: Batches) -> Batches:
        _check_version(here)
        named = (batch.rename_columns(list(columns)) for batch in batches)
        return (batch.rename_columns(numbers) for batch in function(named))

    schema = StructType(
        [StructField(*pair) for pair in zip(numbers, kinds, strict=True)]
    )
    chosen = frame.toDF(*known.values()).select(*(known[name] for name in columns))
    with quietly():
        return chosen.mapInArrow(call, schema)


def _numbered(columns: Sequence[object]) -> list[str]:
    return [f"c{at}" for at in range(len(columns))]


def _check_version(expected: str) -> None:
    """Refuse to count by another version than the one that will close the formulas."""
    if __version__ != expected:
        msg = (
            f"A worker of Spark has metra {__version__}, but this is metra {expected}; "
            "install the same version everywhere."
        )
        raise MissingResourceError(msg)


def _added(totals: Batches) -> Batches:
    """Add up a partition's totals; an empty one has none."""
    first = next(totals, None)
    if first is not None:
        yield add_totals(chain([first], totals))
