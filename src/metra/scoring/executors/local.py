"""Tables scored on this machine, shard by shard, with totals kept for resumed work.

A kept file carries a fingerprint of all that its numbers depend on, so that resumed work
takes nothing from other data, other options or another version.
"""

import errno
import hashlib
import json
import os
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from metra import __version__
from metra.corpus.batch import Batch
from metra.errors import FormatError, MetraError, OptionError
from metra.formats.atomic import write_file
from metra.formats.remote import is_remote, open_remote
from metra.formats.stream import DAMAGE, UnreadableError, get_file_state
from metra.formats.texts import parquet
from metra.metrics.corpus_weights import Tables, TwoPassFit
from metra.metrics.record import Metric
from metra.scoring import table_totals
from metra.scoring.plan import ScoringPlan, build_unweighed, read_references
from metra.scoring.results import Results
from metra.scoring.statistics import choose_threads
from metra.scoring.table_totals import count_batch
from metra.scoring.tables import TableProgress, check_files
from metra.scoring.totals import Totals
from metra.stats.parallel import ordered_map

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

# Threads read row groups by themselves where each has at least so many of them to read.
_PIECES = 2


class ScoringInterrupt(KeyboardInterrupt):
    """Somebody pressed Ctrl-C; the message says what is kept."""


@dataclass
class _Shard:
    """One file, and where what comes of it is kept."""

    path: str
    #: The place, from the root, so that the file is known again from other folders, the size
    #: and the time of change: if one of them differs, it is another file.
    state: tuple[str, int, int]
    #: The name of what comes of it, by all that its digits depend on.
    fingerprint: str = ""
    #: The file that gets its rows with their scores.
    target: str | None = None
    #: The file that keeps its totals, and whether they are there already.
    cache: str = ""
    is_finished: bool = False
    #: How many rows each of its row groups has.
    row_groups: Sequence[int] = ()


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


def score_files(
    paths: Sequence[str],
    plan: ScoringPlan,
    *,
    scores_out: str | None = None,
    resume: str | None = None,
    progress: TableProgress | None = None,
) -> Results:
    """Score a table in Parquet files, each read once (twice for metrics of two passes).

    With `resume`, a folder, the totals of each finished shard are kept there, and shards
    that are finished already, by the same plan and unchanged, are not scored again; nor are
    weights counted again. With `scores_out`, each shard is written there with its segments'
    scores. `progress` is told how many rows were read, and what share of all that is.
    """
    check_files(paths, plan)
    shards = _list_shards(paths, plan, scores_out, resume)
    unfinished = [shard for shard in shards if not shard.is_finished]
    finished = len(shards) - len(unfinished)
    try:
        work = _Work(plan, progress)
        for shard in unfinished:
            shard.row_groups = parquet.list_row_groups(shard.path)
            work.rows += sum(shard.row_groups)
        if unfinished:
            work.metrics = _fit_metrics(shards, resume, work)
        totals = Totals()
        for shard in shards:
            if shard.is_finished:
                totals.add(_read_totals(shard))
        for shard, counted in _count_shards(unfinished, work, totals):
            if shard.cache:
                _write_totals(shard, counted, plan)
                totals.add(counted)
            finished += 1
        return table_totals.build_table_results(totals, plan)
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


def _list_shards(
    paths: Sequence[str], plan: ScoringPlan, scores_out: str | None, resume: str | None
) -> list[_Shard]:
    """Look at the files, and at what is kept of them."""
    shards = []
    for path in paths:
        state = get_file_state(path)
        if state is None:
            raise UnreadableError(path, os.strerror(errno.ENOENT))
        changed, size = state
        shards.append(_Shard(path, (_complete_path(path), size, changed)))
    # Where a metric weighs by the whole corpus, a shard's digits depend on all shards.
    everything = [shard.state for shard in shards] if plan.two_passes else []
    fingerprint = _hash([plan.fingerprint(), everything])
    targets = (
        _name_score_files(paths, scores_out) if scores_out else [None] * len(paths)
    )
    if resume:
        _make_folder(resume, resume, "totals")
    for shard, target in zip(shards, targets, strict=True):
        shard.fingerprint = _hash([shard.state, fingerprint])
        shard.target = target
        if resume:
            stem = re.sub(r"[^\w.-]", "_", Path(shard.path).stem)[:80]
            name = f"{stem}-{shard.fingerprint[:24]}{_TOTALS_ENDING}"
            shard.cache = os.path.join(resume, name)
            if target is None or _is_written(target, shard.fingerprint):
                shard.is_finished = _is_kept(shard)
    return shards


def _complete_path(path: str) -> str:
    """Return a path from the root, or an address."""
    return path if is_remote(path) else os.path.realpath(path)


def _hash(known: object) -> str:
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def _make_folder(folder: str, given: str, purpose: str) -> None:
    """Make a folder, which messages call what was given; stores have none to be made."""
    if is_remote(folder):
        return
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        msg = f"{given} cannot be made a folder for {purpose}: {error.strerror}."
        raise FormatError(msg) from None


def _name_score_files(paths: Sequence[str], out: str) -> list[str]:
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
        targets = [os.path.join(out, _name_in_folder(path)) for path in paths]
    counts = Counter(targets)
    for path, target in zip(paths, targets, strict=True):
        if counts[target] > 1:
            msg = f"Two files are called {os.path.basename(path)}; score them apart."
            raise OptionError(msg)
        if _complete_path(path) == _complete_path(target):
            msg = f"{out} would overwrite {path}; give the name of another folder."
            raise OptionError(msg)
    for folder in dict.fromkeys(os.path.dirname(target) or "." for target in targets):
        _make_folder(folder, out, "scores")
    return targets


def _name_in_folder(path: str) -> str:
    """Return a file's name, with the folders before it that name a part of the table."""
    *folders, name = path.split("/")
    return "/".join([*(folder for folder in folders if "=" in folder), name])


def _is_written(target: str, fingerprint: str) -> bool:
    """Whether a file is there with the scores of this shard, by this plan."""
    if get_file_state(target) is None:
        return False
    try:
        metadata = parquet.read_schema(target).metadata or {}
    except FormatError:
        return False  # something else by this name, which is written anew
    return metadata.get(FINGERPRINT) == fingerprint.encode()


def _is_kept(shard: _Shard) -> bool:
    """Whether the totals of the shard are kept, with this plan and unchanged."""
    if get_file_state(shard.cache) is None:
        return False
    with _open_totals(shard):
        return True


def _read_totals(shard: _Shard) -> Totals:
    """Read the totals of a shard that was finished."""
    totals = Totals()
    with _open_totals(shard) as reader:
        for at in range(reader.num_record_batches):
            totals.add(table_totals.read_totals(reader.get_batch(at)))
    return totals


@contextmanager
def _open_totals(shard: _Shard) -> Iterator[Any]:
    try:
        with (
            open_remote(shard.cache)
            if is_remote(shard.cache)
            else pa.OSFile(shard.cache) as file,
            pa.ipc.open_file(file) as reader,
        ):
            metadata = reader.schema.metadata or {}
            if metadata.get(FINGERPRINT) != shard.fingerprint.encode():
                raise pa.ArrowInvalid(FINGERPRINT.decode())
            yield reader
    except (pa.ArrowException, OSError):
        msg = f"{shard.cache} is damaged; remove it, and its shard is scored again."
        raise FormatError(msg) from None


def _write_totals(shard: _Shard, totals: Totals, plan: ScoringPlan) -> None:
    """Keep the totals of a shard that is finished."""
    schema = table_totals.totals_schema(plan, parquet.read_schema(shard.path))
    schema = schema.with_metadata({FINGERPRINT: shard.fingerprint.encode()})
    batch = table_totals.build_totals_batch(totals, schema)
    with write_file(shard.cache) as file, pa.ipc.new_file(file, schema) as writer:
        writer.write_batch(batch)


def _fit_metrics(
    shards: Sequence[_Shard], resume: str | None, work: _Work
) -> Mapping[str, Metric]:
    """Walk through all references first, for metrics that weigh by them."""
    plan = work.plan
    metrics = dict(build_unweighed(plan))
    rows = sum(parquet.count_rows(shard.path) for shard in shards)
    columns = [plan.references, plan.documents, plan.nulls]
    kept: dict[str, tuple[str, str]] = {}
    for spec, metric in metrics.items():
        # By all that the weights depend on: every file, and what is counted in it.
        states = [shard.state for shard in shards]
        fingerprint = _hash([__version__, metric.signature(), columns, states])
        name = f"{metric.name}-{fingerprint[:24]}{_WEIGHTS_ENDING}"
        kept[spec] = os.path.join(resume or "", name), fingerprint
        if metric.fit and not (resume and get_file_state(kept[spec][0])):
            work.rows += rows

    def read_all() -> Iterator[Batch]:
        for shard in shards:
            for rows in _read_rows(shard.path, plan, plan.columns):
                yield from read_references(rows, plan)
                work.add(rows.num_rows)

    for spec, metric in metrics.items():
        if metric.weighing and resume:
            metrics[spec] = _load_weights(*kept[spec], metric.weighing, read_all())
        elif metric.fit:
            metrics[spec] = metric.fit(read_all())
    return metrics


def _load_weights(
    path: str, fingerprint: str, weighing: TwoPassFit, batches: Iterable[Batch]
) -> Metric:
    """Give the metric with the weights that are kept; else count them, and keep them."""
    if get_file_state(path) is None:
        counted = weighing.tables(batches)
        named: dict[str, Any] = {_WEIGHTS_FINGERPRINT: np.array(fingerprint), **counted}
        with write_file(path) as file:
            # Without compression: a resumed run is to go on at once.
            np.savez(file, **named)
        return weighing.restore(counted)
    try:
        with (
            open_remote(path) if is_remote(path) else open(path, "rb") as file,
            np.load(file, allow_pickle=False) as arrays,
        ):
            tables: Tables = dict(arrays)
        if str(tables[_WEIGHTS_FINGERPRINT]) != fingerprint:
            raise ValueError(_WEIGHTS_FINGERPRINT)
        return weighing.restore(tables)
    except (*DAMAGE, OSError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error):
        msg = f"{path} is damaged; remove it, and its weights are counted again."
        raise FormatError(msg) from None


def _count_shards(
    shards: Sequence[_Shard], work: _Work, together: Totals
) -> Iterator[tuple[_Shard, Totals]]:
    """Count shards, and write their scores if asked; they come in their order.

    What is not kept for each shard by itself is added to the totals of all at once.

    Row groups are read on all threads where there are enough of them. Otherwise, or where
    rows have to be written in their order, one thread reads and the others count.
    """
    plan, metrics = work.plan, work.metrics or {}
    threads = choose_threads(metrics)
    pieces = [
        (shard, number, first)
        for shard in shards
        for number, first in enumerate(accumulate([0, *shard.row_groups[:-1]]))
        if shard.row_groups
    ]
    totals = {s.path: Totals() if s.cache else together for s in shards}
    is_written = any(shard.target for shard in shards)
    if threads == 1 or is_written or len(pieces) < _PIECES * threads:
        for shard in shards:
            _score_shard(shard, work, totals[shard.path])
            yield shard, totals.pop(shard.path)
        return

    lock = Lock()

    def count(piece: tuple[_Shard, int, int]) -> int:
        shard, number, first = piece
        for rows in _read_rows(shard.path, plan, plan.columns, number, first):
            counted, _ = count_batch(rows, plan, metrics)
            with lock:  # in any order: sums are exact
                totals[shard.path].add(counted)
        return shard.row_groups[number]

    counted = ordered_map(count, pieces, threads, alone=0)
    for shard in shards:
        for rows in islice(counted, len(shard.row_groups)):
            work.add(rows)
        yield shard, totals.pop(shard.path)


def _score_shard(shard: _Shard, work: _Work, totals: Totals) -> None:
    """Count a shard in the order of its rows, and write them with their scores if asked."""
    schema = parquet.read_schema(shard.path)
    added = parquet.list_added(schema)
    plan, metrics, keep = work.plan, work.metrics or {}, shard.target is not None

    def count(rows: pa.RecordBatch) -> tuple[int, Totals, pa.RecordBatch | None]:
        return rows.num_rows, *count_batch(rows, plan, metrics, keep=keep)

    with _open_score_file(shard, plan, schema) if keep else nullcontext() as write:
        parts = _read_rows(shard.path, plan, schema.names if keep else plan.columns)
        for rows, counted, scored in ordered_map(count, parts, choose_threads(metrics)):
            totals.add(counted)
            if write and scored is not None:
                write(scored.drop_columns(added))
            work.add(rows)


@contextmanager
def _open_score_file(
    shard: _Shard, plan: ScoringPlan, schema: pa.Schema
) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """Write a shard with its scores; the file is whole or not there."""
    schema = table_totals.scores_schema(plan, schema)
    for name in parquet.list_added(schema):
        schema = schema.remove(schema.get_field_index(name))
    metadata = {
        **(schema.metadata or {}),
        FINGERPRINT: shard.fingerprint.encode(),
        _SIGNATURES: json.dumps(table_totals.list_signatures(plan)).encode(),
    }
    schema = schema.with_metadata(metadata)
    with (
        write_file(str(shard.target)) as file,
        pq.ParquetWriter(file, schema) as writer,
    ):
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


def _read_rows(
    path: str,
    plan: ScoringPlan,
    columns: Sequence[str],
    row_group: int | None = None,
    first: int = 0,
) -> Iterator[pa.RecordBatch]:
    """Read a shard's rows, or those of a row group; refuse nulls where they are."""
    batches = parquet.read_batches(path, columns, row_group)
    return table_totals.refuse_nulls(batches, plan, path, first)
