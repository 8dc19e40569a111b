"""Tables scored on this machine, shard by shard, with totals kept for resumed work.

A kept file carries a fingerprint of all that its numbers depend on, so that resumed work
takes nothing from other data, other options or another version.
"""

import hashlib
import json
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from threading import Lock

import pyarrow as pa
import pyarrow.parquet as pq

from metra.corpus.batch import Batch
from metra.errors import FormatError, MetraError, OptionError
from metra.formats.atomic import write_file
from metra.formats.remote import is_remote, open_remote
from metra.formats.stream import get_file_state
from metra.formats.texts import parquet
from metra.formats.texts.arrow_columns import gather_batches
from metra.metrics.record import Metric
from metra.scoring import table_totals
from metra.scoring.plan import ScoringPlan, build_unweighed, list_fits
from metra.scoring.results import Results
from metra.scoring.statistics import choose_threads
from metra.scoring.table_totals import count_pieces, read_references, score_batch
from metra.scoring.tables import TableProgress, check_files
from metra.scoring.totals import Totals
from metra.stats.parallel import ordered_map

#: Where a file of scores keeps the fingerprint of what it was made of.
FINGERPRINT = b"metra.fingerprint"
#: What each column of scores was computed by, as JSON.
_SIGNATURES = b"metra.signatures"


class ScoringInterrupt(KeyboardInterrupt):
    """Somebody pressed Ctrl-C; the message names the results kept so far."""


@dataclass
class _Shard:
    """One file, and where what comes of it is kept."""

    path: str
    #: The name of what comes of it, by all that its digits depend on.
    fingerprint: str
    #: The file that gets its rows with their scores.
    target: str | None
    #: The file that keeps its totals; empty if none does.
    cache: str
    #: What threads read by themselves.
    spans: Sequence[parquet.RowSpan] = ()

    @cached_property
    def is_finished(self) -> bool:
        """True if its totals were kept, and its scores written, by the same plan."""
        if not self.cache or get_file_state(self.cache) is None:
            return False
        return self.target is None or _is_written(self.target, self.fingerprint)


@dataclass
class _Work:
    """Metrics and progress of counting; a first pass, for weights, reads all rows once more."""

    plan: ScoringPlan
    progress: TableProgress
    metrics: dict[str, Metric]
    rows: int = 0
    done: int = 0
    _lock: Lock = field(default_factory=Lock)  # threads read as well

    def add(self, rows: int) -> None:
        """Count rows that were read."""
        with self._lock:
            self.done += rows
            self.progress(self.done, self.done / max(self.rows, 1))


def score_files(
    paths: Sequence[str],
    plan: ScoringPlan,
    *,
    scores_out: str | None = None,
    resume: str | None = None,
    progress: TableProgress | None = None,
) -> Results:
    """Score a table in Parquet files, each read once (twice for corpus weights).

    With `resume`, a folder, the totals of each finished shard are kept there, and shards
    finished before, by the same plan and unchanged, are not scored again. With
    `scores_out`, each shard is written there with its segments' scores. `progress` is told
    the number of rows read, and their share of all rows.
    """
    check_files(paths, plan)
    shards = _list_shards(paths, plan, scores_out, resume)
    unfinished = [shard for shard in shards if not shard.is_finished]
    totals = Totals()
    for shard in shards:
        if shard.is_finished:
            totals.add(_read_totals(shard.cache))
    finished = len(shards) - len(unfinished)
    try:
        work = _Work(plan, progress or (lambda *_: None), dict(build_unweighed(plan)))
        if unfinished:
            _fit_metrics(shards, unfinished, work)
        for shard, counted in _count_shards(unfinished, work, totals):
            if shard.cache:
                _write_totals(shard, counted, plan)
                totals.add(counted)
            finished += 1
        return table_totals.score_totals(totals, plan)
    except (KeyboardInterrupt, MetraError) as error:
        is_error = isinstance(error, MetraError)
        if is_error and not finished:
            raise
        msg = f"{error} Of" if is_error else "interrupted; of"
        msg += f" the files, {finished} of {len(shards)} are finished"
        msg += _describe_kept(resume, scores_out)
        raise (MetraError if is_error else ScoringInterrupt)(msg) from None


def _describe_kept(resume: str | None, out: str | None) -> str:
    """Describe the results kept so far, and how to go on."""
    if resume:
        return f" and stored in {resume}; run the same command to resume."
    if out:
        return (
            f", with their scores in {out}; give `resume` FOLDER to be able to resume."
        )
    return ", but their totals are lost; give `resume` FOLDER to keep them."


def _list_shards(
    paths: Sequence[str], plan: ScoringPlan, scores_out: str | None, resume: str | None
) -> list[_Shard]:
    """List the files, with the results kept of them."""
    # By its place, from the root, a file is known again from other folders; if its size or
    # time of change differs, it is another file.
    states = [[_complete_path(p), *(get_file_state(p) or (0, 0))[::-1]] for p in paths]
    # Where a metric weighs by the whole corpus, a shard's digits depend on all shards.
    whole = _hash([plan.fingerprint(), states if list_fits(plan) else []])
    targets = _name_score_files(paths, scores_out) if scores_out else None
    if resume:
        _make_folder(resume, resume, "totals")
    shards = []
    for number, (path, state) in enumerate(zip(paths, states, strict=True)):
        fingerprint, cache = _hash([state, whole]), ""
        if resume:
            stem = re.sub(r"[^\w.-]", "_", Path(path).stem)[:80]
            cache = os.path.join(resume, f"{stem}-{fingerprint[:24]}.totals")
        target = targets[number] if targets else None
        shards.append(_Shard(path, fingerprint, target, cache))
    return shards


def _complete_path(path: str) -> str:
    """Return a path from the root, or an address."""
    return path if is_remote(path) else os.path.realpath(path)


def _hash(content: object) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _make_folder(folder: str, given: str, purpose: str) -> None:
    """Make a folder, which messages call what was given; stores have none to be made."""
    if is_remote(folder):
        return
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        msg = f"Folder {given} for {purpose} cannot be created: {error.strerror}."
        raise FormatError(msg) from None


def _name_score_files(paths: Sequence[str], out: str) -> list[str]:
    """Name the file for each shard's scores, below the folders that name parts of a table."""
    parts = [path.split("/") for path in paths]
    named = [[*(each for each in p[:-1] if "=" in each), p[-1]] for p in parts]
    targets = [os.path.join(out, *names) for names in named]
    for path, target in zip(paths, targets, strict=True):
        if targets.count(target) > 1:
            msg = (
                f"Two files are named {os.path.basename(path)}; score them separately."
            )
            raise OptionError(msg)
        if _complete_path(path) == _complete_path(target):
            msg = f"{out} would overwrite {path}; give the name of another folder."
            raise OptionError(msg)
    for folder in {os.path.dirname(target) or "." for target in targets}:
        _make_folder(folder, out, "scores")
    return targets


def _is_written(target: str, fingerprint: str) -> bool:
    """Return True if a file has the scores of this shard, by this plan."""
    if get_file_state(target) is None:
        return False
    try:
        metadata = parquet.read_schema(target).metadata or {}
    except FormatError:
        return False  # something else by this name, which is written anew
    return metadata.get(FINGERPRINT) == fingerprint.encode()


def _read_totals(path: str) -> Totals:
    """Read the totals of a shard that was finished."""
    totals = Totals()
    try:
        with open_remote(path) if is_remote(path) else pa.OSFile(path) as file:
            for batch in pa.ipc.open_file(file).read_all().to_batches():
                totals.add(table_totals.read_totals(batch))
    except (pa.ArrowException, OSError):
        msg = f"{path} is damaged; delete it to score its shard again."
        raise FormatError(msg) from None
    return totals


def _write_totals(shard: _Shard, totals: Totals, plan: ScoringPlan) -> None:
    """Keep the totals of a finished shard."""
    schema = table_totals.totals_schema(plan, parquet.read_schema(shard.path))
    batch = table_totals.build_totals_batch(totals, schema)
    with write_file(shard.cache) as file, pa.ipc.new_file(file, schema) as writer:
        writer.write_batch(batch)


def _fit_metrics(
    shards: Sequence[_Shard], unfinished: Sequence[_Shard], work: _Work
) -> None:
    """Walk through all references first, for metrics that weigh by them."""
    plan, fits = work.plan, list_fits(work.plan)
    for shard in shards if fits else unfinished:
        shard.spans = parquet.list_spans(shard.path)

    def count_rows(files: Iterable[_Shard]) -> int:
        return sum(span.rows for file in files for span in file.spans)

    rows = count_rows(shards)
    work.rows = count_rows(unfinished) + rows * len(fits)

    def read_all() -> Iterator[Batch]:
        for shard in shards:
            for batch in _read_rows(shard.path, plan, plan.columns):
                yield from read_references(batch, plan)
                work.add(batch.num_rows)

    for spec, fit in fits.items():
        fit.check_size(rows * len(plan.references))
        work.metrics[spec] = fit(read_all())


def _count_shards(
    shards: Sequence[_Shard], work: _Work, together: Totals
) -> Iterator[tuple[_Shard, Totals]]:
    """Count shards, and write their scores if asked; they come in their order.

    Without a folder for totals of shards, totals are added to `together`.

    Each thread reads spans of its own. Where rows are needed in their order, because they
    are written, or spans are few, one thread reads and the others count.
    """
    plan, metrics = work.plan, work.metrics
    totals = {s.path: Totals() if s.cache else together for s in shards}
    if any(shard.target for shard in shards):
        for shard in shards:
            _score_shard(shard, work, totals[shard.path])
            yield shard, totals.pop(shard.path)
        return

    lock = Lock()

    def count(shard: _Shard, rows: pa.RecordBatch) -> None:
        for counted, _ in count_pieces(rows, plan, metrics):
            with lock:  # in any order: sums are exact
                totals[shard.path].add(counted)
        work.add(rows.num_rows)

    def count_span(item: tuple[_Shard, parquet.RowSpan]) -> None:
        shard, span = item
        for rows in _read_rows(shard.path, plan, plan.columns, span):
            count(shard, rows)

    threads = choose_threads(metrics)
    spans = [(shard, span) for shard in shards for span in shard.spans]
    finished = ordered_map(count_span, spans, threads, alone=0)
    for shard in shards:
        if len(spans) < 2 * threads:
            batches = _read_rows(shard.path, plan, plan.columns)
            finished = ordered_map(partial(count, shard), batches, threads)
            deque(finished, maxlen=0)
        else:
            deque(islice(finished, len(shard.spans)), maxlen=0)
        yield shard, totals.pop(shard.path)


def _score_shard(shard: _Shard, work: _Work, totals: Totals) -> None:
    """Count a shard in the order of its rows, and write them with their scores."""
    plan, schema = work.plan, parquet.read_schema(shard.path)
    added = parquet.list_added(schema)
    batches = _read_rows(shard.path, plan, schema.names)

    def count(rows: pa.RecordBatch) -> tuple[Totals, pa.RecordBatch]:
        return score_batch(rows, plan, work.metrics)

    def score() -> Iterator[pa.RecordBatch]:
        threads = choose_threads(work.metrics)
        for counted, scored in ordered_map(count, batches, threads):
            totals.add(counted)
            yield scored.drop_columns(added)
            work.add(scored.num_rows)

    schema = table_totals.scores_schema(plan, schema)
    metadata = {
        **(schema.metadata or {}),
        FINGERPRINT: shard.fingerprint.encode(),
        _SIGNATURES: json.dumps(table_totals.list_signatures(plan)).encode(),
    }
    own = [field for field in schema if field.name not in added]
    schema = pa.schema(own, metadata)
    with (
        write_file(str(shard.target)) as file,
        pq.ParquetWriter(file, schema) as writer,
    ):
        for table in gather_batches(score(), parquet.ROW_GROUP):
            writer.write_table(table.replace_schema_metadata(metadata))


def _read_rows(
    path: str,
    plan: ScoringPlan,
    columns: Sequence[str],
    span: parquet.RowSpan | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read a shard's rows, or those of a span; refuse nulls where they are."""
    batches = parquet.read_batches(path, columns, span and span.row_groups)
    first = span.first if span else 0
    return table_totals.refuse_nulls(batches, plan, path, first)
