"""The engine that needs nothing: shards one after the other, batches on all cores."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple

import pyarrow as pa

from metra.corpus import Batch
from metra.engine import score_files
from metra.engine.checks import check_same_groups, check_schema
from metra.engine.columns import batches_of, chunk_of, pieces
from metra.engine.kept_weights import are_kept, kept_weights, weights_fingerprint
from metra.engine.measures import check_measures, unweighed
from metra.engine.outcome import outcome
from metra.engine.plan import Plan
from metra.engine.segment_scores import counted_and_scored
from metra.engine.shards import KeptTotals, Shard, fingerprints
from metra.engine.tally import Totals, add
from metra.engine.totals import count_rows, shape_of
from metra.errors import MetraError
from metra.io import parquet
from metra.io.arrow_rows import NullValueError, references, required
from metra.measure import Metric
from metra.parallel import ordered_map, thread_count
from metra.results import Results


class Interrupted(KeyboardInterrupt):
    """Somebody pressed Ctrl-C; the message says what is kept."""


class Work(NamedTuple):
    """How far the work has come: rows that were read, and all that this call has to read.

    A first pass, for weights, reads all rows once more.
    """

    done: int
    rows: int

    def plus(self, rows: int) -> "Work":
        """Count rows that were read."""
        return self._replace(done=self.done + rows)


def score_shards(
    paths: Sequence[str],
    plan: Plan,
    *,
    resume: str | None = None,
    scores_out: str | None = None,
    progress: Callable[[Work], None] = lambda _: None,
) -> Results:
    """Score a table in Parquet files, each read once (twice for measures of two passes).

    With `resume`, a folder, the totals of each finished shard are kept there, and shards
    that are finished already, by the same plan and unchanged, are not scored again; nor are
    weights counted again. With
    `scores_out`, each shard is written there with its segments' scores.
    """
    check_measures(plan)
    schemas = {path: parquet.schema_of(path) for path in paths}
    for path, schema in schemas.items():
        check_schema(plan, schema, path)
    check_same_groups(plan, schemas)
    shards = [Shard.at(path) for path in paths]
    names = fingerprints(shards, plan)
    targets: Sequence[str | None] = [None] * len(paths)
    if scores_out:
        targets = score_files.score_paths(paths, scores_out)
    kept = KeptTotals(resume) if resume else None
    found = [
        kept.find(shard, name)
        if kept and (target is None or score_files.is_whole(target, name))
        else None
        for shard, name, target in zip(shards, names, targets, strict=True)
    ]
    finished = sum(totals is not None for totals in found)
    try:
        metrics = unweighed(plan)
        rows = [parquet.row_count(path) for path in paths]
        left = [
            count for count, known in zip(rows, found, strict=True) if known is None
        ]
        work = Work(0, sum(left))
        if left:
            metrics, work = _fitted(shards, plan, resume, work, progress)
        totals: Totals = {}
        for shard, name, target, known in zip(
            shards, names, targets, found, strict=True
        ):
            if known is None:
                known, work = _shard(shard, name, target, plan, metrics, work, progress)
                if kept:
                    kept.keep(shard, name, known, plan)
                finished += 1
            add(totals, known.items())
        return outcome(totals, shape_of(plan), metrics)
    except KeyboardInterrupt:
        note = _note(finished, len(shards), resume, scores_out)
        msg = f"interrupted; of the files, {note}"
        raise Interrupted(msg) from None
    except MetraError as error:
        if not finished:
            raise
        note = _note(finished, len(shards), resume, scores_out)
        msg = f"{error} Of the files, {note}"
        raise MetraError(msg) from None


def _note(finished: int, shards: int, resume: str | None, out: str | None) -> str:
    """Say what is kept, and how to go on."""
    done = f"{finished} of {shards} are finished"
    if resume:
        return f"{done} and kept in {resume}; the same command goes on from there."
    if out:
        return (
            f"{done}, with their scores in {out}; give --resume FOLDER to go on later."
        )
    return f"{done}, but their totals are lost; give --resume FOLDER to keep them."


def _fitted(
    shards: Sequence[Shard],
    plan: Plan,
    resume: str | None,
    work: Work,
    progress: Callable[[Work], None],
) -> tuple[Mapping[str, Metric], Work]:
    """Walk through all references first, for measures that weigh by them."""
    metrics = dict(unweighed(plan))
    names = {
        spec: weights_fingerprint(shards, plan, metric)
        for spec, metric in metrics.items()
    }
    counted = [
        spec
        for spec, metric in metrics.items()
        if metric.fit and not (resume and are_kept(resume, metric, names[spec]))
    ]
    rows = sum(parquet.row_count(shard.path) for shard in shards)
    work = work._replace(rows=work.rows + len(counted) * rows)

    def references_of() -> Iterator[Batch]:
        nonlocal work
        for shard in shards:
            for rows in _rows(shard.path, plan, plan.columns):
                for piece in pieces(rows):
                    yield next(batches_of(chunk_of(piece, plan)))[1]
                work = work.plus(rows.num_rows)
                progress(work)

    for spec, metric in metrics.items():
        if metric.weighing and resume:
            batches = references_of()
            metrics[spec] = kept_weights(
                resume, names[spec], metric, metric.weighing, batches
            )
        elif metric.fit:
            metrics[spec] = metric.fit(references_of())
    return metrics, work


def _shard(
    shard: Shard,
    fingerprint: str,
    target: str | None,
    plan: Plan,
    metrics: Mapping[str, Metric],
    work: Work,
    progress: Callable[[Work], None],
) -> tuple[Totals, Work]:
    totals: Totals = {}
    schema = parquet.schema_of(shard.path)
    columns = schema.names if target else plan.columns

    def counted(rows: pa.RecordBatch) -> tuple[int, Totals, pa.RecordBatch | None]:
        if target:
            return rows.num_rows, *counted_and_scored(rows, plan, metrics)
        return rows.num_rows, count_rows(rows, plan, metrics), None

    with ExitStack() as stack:
        if target:
            write = stack.enter_context(
                score_files.score_file(target, plan, schema, fingerprint)
            )
        parts = _rows(shard.path, plan, columns)
        for rows, found, result in ordered_map(counted, parts, thread_count()):
            add(totals, found.items())
            if result is not None:
                write(result)
            work = work.plus(rows)
            progress(work)
    return totals, work


def _rows(path: str, plan: Plan, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Read a shard's rows; refuse nulls where they are."""
    first = 0
    for rows in parquet.batches(path, columns):
        try:
            _refuse_nulls(rows, plan)
        except NullValueError as null:
            raise NullValueError(null.column, first + null.row, path) from None
        yield rows
        first += rows.num_rows


def _refuse_nulls(rows: pa.RecordBatch, plan: Plan) -> None:
    wanted = [*(name for _, name in plan.outputs), plan.source, plan.documents]
    for name in filter(None, wanted):
        required(rows, name, plan.nulls)
    references(rows, plan.references, plan.nulls)
