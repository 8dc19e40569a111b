"""Scoring tables on this machine: shards one after the other, batches on all cores."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import pyarrow as pa

from metra.corpus.batch import Batch
from metra.errors import MetraError
from metra.formats.texts import parquet
from metra.formats.texts.parquet import (
    NullValueError,
    get_references,
    get_required_column,
)
from metra.metrics.record import Metric
from metra.scoring.executors.shard_files import (
    Shard,
    TotalsCache,
    compute_fingerprints,
    fingerprint_weights,
    has_weights,
    is_whole,
    load_weights,
    name_score_files,
    open_score_file,
)
from metra.scoring.plan import ScoringPlan, build_unweighed, read_references
from metra.scoring.results import Results
from metra.scoring.table_totals import count_and_score, count_batch, score_entries
from metra.scoring.tables import PlanBuilder, TableProgress, check_files, plan_files
from metra.scoring.totals import Totals, add_entries
from metra.stats.parallel import ordered_map, thread_count


def score_files(
    paths: Sequence[str],
    build_plan: PlanBuilder,
    *,
    scores_out: str | None = None,
    resume: str | None = None,
    progress: TableProgress | None = None,
) -> Results:
    """Score a table in Parquet files on this machine."""
    plan = plan_files(paths, build_plan)
    return score_shards(
        paths, plan, resume=resume, scores_out=scores_out, progress=progress
    )


class ScoringInterrupt(KeyboardInterrupt):
    """Somebody pressed Ctrl-C; the message says what is kept."""


def score_shards(
    paths: Sequence[str],
    plan: ScoringPlan,
    *,
    resume: str | None = None,
    scores_out: str | None = None,
    progress: TableProgress | None = None,
) -> Results:
    """Score a table in Parquet files, each read once (twice for metrics of two passes).

    With `resume`, a folder, the totals of each finished shard are kept there, and shards
    that are finished already, by the same plan and unchanged, are not scored again; nor are
    weights counted again. With `scores_out`, each shard is written there with its segments'
    scores. `progress` is told how many rows were read, and what share of all that is.
    """
    check_files(paths, plan)
    shards = [Shard.at(path) for path in paths]
    names = compute_fingerprints(shards, plan)
    targets: Sequence[str | None] = [None] * len(paths)
    if scores_out:
        targets = name_score_files(paths, scores_out)
    cache = TotalsCache(resume) if resume else None
    kept = [
        cache.find(shard, name)
        if cache and (target is None or is_whole(target, name))
        else None
        for shard, name, target in zip(shards, names, targets, strict=True)
    ]
    finished = sum(totals is not None for totals in kept)
    try:
        work = _Work(plan, progress)
        for shard, known in zip(shards, kept, strict=True):
            if known is None:
                work.rows += parquet.count_rows(shard.path)
        if finished < len(shards):
            work.metrics = _fit_metrics(shards, resume, work)
        totals: Totals = {}
        for shard, name, target, known in zip(
            shards, names, targets, kept, strict=True
        ):
            if known is None:
                known = _score_shard(shard, name, target, work)
                if cache:
                    cache.keep(shard, name, known, plan)
                finished += 1
            add_entries(totals, known.items())
        return score_entries(totals, plan)
    except KeyboardInterrupt:
        note = _describe_kept(finished, len(shards), resume, scores_out)
        msg = f"interrupted; of the files, {note}"
        raise ScoringInterrupt(msg) from None
    except MetraError as error:
        if not finished:
            raise
        note = _describe_kept(finished, len(shards), resume, scores_out)
        msg = f"{error} Of the files, {note}"
        raise MetraError(msg) from None


@dataclass
class _Work:
    """What is counted, and how far: a first pass, for weights, reads all rows once more."""

    plan: ScoringPlan
    progress: TableProgress | None
    metrics: Mapping[str, Metric] | None = None
    done: int = 0
    rows: int = 0

    def add(self, rows: int) -> None:
        """Count rows that were read."""
        self.done += rows
        if self.progress:
            self.progress(self.done, self.done / max(self.rows, 1))


def _describe_kept(
    finished: int, shards: int, resume: str | None, out: str | None
) -> str:
    """Say what is kept, and how to go on."""
    done = f"{finished} of {shards} are finished"
    if resume:
        return f"{done} and kept in {resume}; the same command goes on from there."
    if out:
        return (
            f"{done}, with their scores in {out}; give `resume` FOLDER to go on later."
        )
    return f"{done}, but their totals are lost; give `resume` FOLDER to keep them."


def _fit_metrics(
    shards: Sequence[Shard], resume: str | None, work: _Work
) -> Mapping[str, Metric]:
    """Walk through all references first, for metrics that weigh by them."""
    metrics = dict(build_unweighed(work.plan))
    names = {
        spec: fingerprint_weights(shards, work.plan, metric)
        for spec, metric in metrics.items()
    }
    rows = sum(parquet.count_rows(shard.path) for shard in shards)
    for spec, metric in metrics.items():
        if metric.fit and not (resume and has_weights(resume, metric, names[spec])):
            work.rows += rows

    def read_all() -> Iterator[Batch]:
        for shard in shards:
            for rows in _read_rows(shard.path, work.plan, work.plan.columns):
                yield from read_references(rows, work.plan)
                work.add(rows.num_rows)

    for spec, metric in metrics.items():
        if metric.weighing and resume:
            metrics[spec] = load_weights(
                resume, names[spec], metric, metric.weighing, read_all()
            )
        elif metric.fit:
            metrics[spec] = metric.fit(read_all())
    return metrics


def _score_shard(
    shard: Shard, fingerprint: str, target: str | None, work: _Work
) -> Totals:
    schema = parquet.read_schema(shard.path)
    plan, metrics = work.plan, work.metrics or {}

    def count(rows: pa.RecordBatch) -> tuple[int, Totals, pa.RecordBatch | None]:
        if target:
            return rows.num_rows, *count_and_score(rows, plan, metrics)
        return rows.num_rows, count_batch(rows, plan, metrics), None

    totals: Totals = {}
    with ExitStack() as stack:
        write: Callable[[pa.RecordBatch], None] | None = None
        if target:
            write = stack.enter_context(
                open_score_file(target, plan, schema, fingerprint)
            )
        parts = _read_rows(shard.path, plan, schema.names if target else plan.columns)
        for rows, counted, scored in ordered_map(count, parts, thread_count()):
            add_entries(totals, counted.items())
            if write:
                write(scored)
            work.add(rows)
    return totals


def _read_rows(
    path: str, plan: ScoringPlan, columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """Read a shard's rows; refuse nulls where they are."""
    first = 0
    for rows in parquet.read_batches(path, columns):
        try:
            _refuse_nulls(rows, plan)
        except NullValueError as null:
            raise NullValueError(null.column, first + null.row, path) from None
        yield rows
        first += rows.num_rows


def _refuse_nulls(rows: pa.RecordBatch, plan: ScoringPlan) -> None:
    required = [*(name for _, name in plan.outputs), plan.source, plan.documents]
    for name in filter(None, required):
        get_required_column(rows, name, plan.nulls)
    get_references(rows, plan.references, plan.nulls)
