"""Tables scored on this machine, shard by shard, with totals kept for resumed work.

A kept file carries a fingerprint of all that its numbers depend on, so that resumed work
takes nothing from other data, other options or another version.
"""

import hashlib
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from metra import __version__
from metra.corpus.batch import Batch
from metra.errors import FormatError, MetraError, OptionError
from metra.formats.atomic import write_file
from metra.formats.texts import parquet
from metra.formats.texts.parquet import (
    NullValueError,
    get_references,
    get_required_column,
)
from metra.metrics.corpus_weights import Tables, TwoPassFit
from metra.metrics.record import Metric
from metra.scoring.plan import ScoringPlan, build_unweighed, read_references
from metra.scoring.results import Results
from metra.scoring.table_totals import (
    build_totals_batch,
    count_and_score,
    count_batch,
    list_signatures,
    read_entries,
    score_entries,
    scores_schema,
    totals_schema,
)
from metra.scoring.tables import PlanBuilder, TableProgress, check_files, plan_files
from metra.scoring.totals import Totals, add_entries
from metra.stats.parallel import ordered_map, thread_count

#: Where a file keeps the fingerprint of what it was made of.
FINGERPRINT = b"metra.fingerprint"
_TOTALS_ENDING = ".totals"
_WEIGHTS_ENDING = ".weights"
_WEIGHTS_FINGERPRINT = "fingerprint"

#: What each column of scores was computed by, as JSON.
_SIGNATURES = b"metra.signatures"
_PARQUET_ENDINGS = (".parquet", ".pq")

# A row group of the result holds at least so many rows, where there are as many.
_ROW_GROUP = 64 * 1024


class Shard(NamedTuple):
    """One file as it is now: another size or time, and it is another one."""

    path: str
    #: From the root, so that the same file is known again from other folders.
    place: str
    size: int
    modified: int

    @classmethod
    def at(cls, path: str) -> "Shard":
        """Look at a file."""
        try:
            status = os.stat(path)
        except OSError as error:
            msg = f"{path} cannot be read: {error.strerror}; check the name and its rights."
            raise FormatError(msg) from None
        place = os.path.abspath(path)
        return cls(path, place, status.st_size, status.st_mtime_ns)


def compute_fingerprints(shards: Sequence[Shard], plan: ScoringPlan) -> list[str]:
    """Name what comes of each shard by all that its digits depend on.

    Where a metric weighs by the whole corpus, that is all shards.
    """
    known = [shard[1:] for shard in shards]
    rest = [plan.fingerprint(), known if plan.two_passes else []]
    return [
        hashlib.sha256(json.dumps([entry, *rest]).encode()).hexdigest()
        for entry in known
    ]


class TotalsCache:
    """A folder with the totals of finished shards: a small file for each."""

    def __init__(self, folder: str) -> None:
        """Make the folder, if it is not there."""
        self.folder = folder
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            msg = f"{folder} cannot be made a folder for totals: {error.strerror}."
            raise FormatError(msg) from None

    def find(self, shard: Shard, fingerprint: str) -> Totals | None:
        """Give the totals of a shard that was finished, with this plan and unchanged."""
        path = self._path(shard, fingerprint)
        if not os.path.exists(path):
            return None
        try:
            with pa.OSFile(path) as file, pa.ipc.open_file(file) as reader:
                metadata = reader.schema.metadata or {}
                batches = [
                    reader.get_batch(at) for at in range(reader.num_record_batches)
                ]
        except (pa.ArrowException, OSError):
            metadata, batches = {}, []
        if metadata.get(FINGERPRINT) != fingerprint.encode():
            msg = f"{path} is damaged; remove it, and its shard is scored again."
            raise FormatError(msg)
        totals: Totals = {}
        for batch in batches:
            add_entries(totals, read_entries(batch))
        return totals

    def keep(
        self, shard: Shard, fingerprint: str, totals: Totals, plan: ScoringPlan
    ) -> None:
        """Write the totals of a shard that is finished."""
        schema = totals_schema(plan, parquet.read_schema(shard.path))
        schema = schema.with_metadata({FINGERPRINT: fingerprint.encode()})
        batch = build_totals_batch(totals, schema)
        with (
            write_file(self._path(shard, fingerprint)) as file,
            pa.ipc.new_file(file, schema) as writer,
        ):
            writer.write_batch(batch)

    def _path(self, shard: Shard, fingerprint: str) -> str:
        stem = re.sub(r"[^\w.-]", "_", Path(shard.path).stem)[:80]
        return os.path.join(self.folder, f"{stem}-{fingerprint[:24]}{_TOTALS_ENDING}")


def name_score_files(paths: Sequence[str], out: str) -> list[str]:
    """Name the file for each shard's scores: in a folder by the same names, or one file."""
    if out.endswith(_PARQUET_ENDINGS) and not os.path.isdir(out):
        if len(paths) > 1:
            msg = (
                f"{out} is one file, but there are {len(paths)} to be scored; give the name "
                "of a folder, which gets a file for each."
            )
            raise OptionError(msg)
        targets = [out]
    else:
        targets = [os.path.join(out, os.path.basename(path)) for path in paths]
    for path, target in zip(paths, targets, strict=True):
        if targets.count(target) > 1:
            msg = f"Two files are called {os.path.basename(path)}; score them apart."
            raise OptionError(msg)
        if os.path.realpath(path) == os.path.realpath(target):
            msg = f"{out} would overwrite {path}; give the name of another folder."
            raise OptionError(msg)
    try:
        os.makedirs(os.path.dirname(os.path.abspath(targets[0])), exist_ok=True)
    except OSError as error:
        msg = f"{out} cannot be made a folder for scores: {error.strerror}."
        raise FormatError(msg) from None
    return targets


def is_whole(target: str, fingerprint: str) -> bool:
    """Whether a file is there with the scores of this shard, by this plan."""
    if not os.path.exists(target):
        return False
    try:
        metadata = parquet.read_schema(target).metadata or {}
    except FormatError:
        return False  # something else by this name, which is written anew
    return metadata.get(FINGERPRINT) == fingerprint.encode()


@contextmanager
def open_score_file(
    target: str, plan: ScoringPlan, schema: pa.Schema, fingerprint: str
) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """Write a shard with its scores; the file is whole or not there."""
    schema = scores_schema(plan, schema)
    metadata = {
        **(schema.metadata or {}),
        FINGERPRINT: fingerprint.encode(),
        _SIGNATURES: json.dumps(list_signatures(plan)).encode(),
    }
    schema = schema.with_metadata(metadata)
    with write_file(target) as file, pq.ParquetWriter(file, schema) as writer:
        held: list[pa.RecordBatch] = []

        def write(batch: pa.RecordBatch) -> None:
            held.append(batch)
            if sum(entry.num_rows for entry in held) >= _ROW_GROUP:
                flush()

        def flush() -> None:
            table = pa.Table.from_batches(held).replace_schema_metadata(metadata)
            writer.write_table(table)
            held.clear()

        yield write
        if held:
            flush()


def load_weights(
    folder: str,
    fingerprint: str,
    metric: Metric,
    weighing: TwoPassFit,
    batches: Iterable[Batch],
) -> Metric:
    """Give the metric with the weights that are kept; else count them, and keep them."""
    path = _name_weights_file(folder, metric, fingerprint)
    if os.path.exists(path):
        return _read_weights(path, fingerprint, weighing)
    tables = weighing.tables(batches)
    named: dict[str, Any] = {_WEIGHTS_FINGERPRINT: np.array(fingerprint), **tables}
    with write_file(path) as file:
        # Without compression: a resumed run is to go on at once.
        np.savez(file, **named)
    return weighing.restore(tables)


def has_weights(folder: str, metric: Metric, fingerprint: str) -> bool:
    """Whether weights need not be counted."""
    return os.path.exists(_name_weights_file(folder, metric, fingerprint))


def fingerprint_weights(
    shards: Sequence[Shard], plan: ScoringPlan, metric: Metric
) -> str:
    """Name weights by all that they depend on: every file, and what is counted in it."""
    known = [
        __version__,
        metric.signature(),
        [plan.references, plan.documents, plan.nulls],
        [shard[1:] for shard in shards],
    ]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def _name_weights_file(folder: str, metric: Metric, fingerprint: str) -> str:
    return os.path.join(folder, f"{metric.name}-{fingerprint[:24]}{_WEIGHTS_ENDING}")


def _read_weights(path: str, fingerprint: str, weighing: TwoPassFit) -> Metric:
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            tables: Tables = dict(arrays)
        if str(tables[_WEIGHTS_FINGERPRINT]) != fingerprint:
            raise ValueError(_WEIGHTS_FINGERPRINT)
        return weighing.restore(tables)
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile):
        msg = f"{path} is damaged; remove it, and its weights are counted again."
        raise FormatError(msg) from None


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
