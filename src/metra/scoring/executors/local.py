"""Tables scored on this machine, shard by shard, with totals kept for resumed work.

A kept file carries a fingerprint of all that its numbers depend on, so that resumed work
takes nothing from other data, other options or another version.
"""

import errno
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from metra import __version__
from metra.corpus.batch import Batch, CorpusChunk
from metra.errors import FormatError, MetraError, OptionError
from metra.formats.atomic import write_file
from metra.formats.remote import is_remote, list_remote, open_remote
from metra.formats.stream import UnreadableError, get_file_state
from metra.formats.texts import parquet
from metra.metrics.record import Metric
from metra.scoring import table_totals
from metra.scoring.executors.term_files import Part, TermFiles, exchange_terms
from metra.scoring.plan import (
    ScoringPlan,
    build_unweighed,
    pack_chunks,
    read_references,
)
from metra.scoring.results import Results
from metra.scoring.statistics import choose_threads
from metra.scoring.table_totals import count_batch, count_pieces
from metra.scoring.tables import TableProgress, check_files
from metra.scoring.term_exchange import choose_sizes, cut_rows, release_memory
from metra.scoring.totals import Totals
from metra.stats.parallel import ordered_map, share_sections

#: Where a file keeps the fingerprint of what it was made of.
FINGERPRINT = b"metra.fingerprint"
_TOTALS_ENDING = ".totals"
# The files that say that a part was begun, and that it is finished.
_BEGUN_ENDING = ".begun"
_PART_ENDING = ".part"

#: What each column of scores was computed by, as JSON.
_SIGNATURES = b"metra.signatures"
_PARQUET_ENDINGS = (".parquet", ".pq")

# A row group of the result holds at least so many rows, where there are as many.
_ROW_GROUP = 64 * 1024

#: The terms of so many rows are held in memory; those of more go through files.
HELD_ROWS = 500_000


class ScoringInterrupt(KeyboardInterrupt):
    """Somebody pressed Ctrl-C; the message says what is kept."""


@dataclass
class _Shard:
    """One file, and where what comes of it is kept."""

    path: str
    number: int
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
    #: What threads read by themselves.
    spans: Sequence[parquet.RowSpan] = ()

    @property
    def rows(self) -> int:
        """Number of rows."""
        return sum(span.rows for span in self.spans)


@dataclass
class _Work:
    """Progress of counting; a first pass, for weights, reads all rows once more."""

    plan: ScoringPlan
    progress: TableProgress | None
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    #: The files of metrics whose terms are too many for one memory, and the rows of a chunk.
    term_files: dict[str, TermFiles] = field(default_factory=dict)
    chunk_rows: int | None = None
    done: int = 0
    rows: int = 0
    _lock: Lock = field(default_factory=Lock)  # threads read as well

    def expect(self, rows: int) -> None:
        """Expect to read so many rows more."""
        with self._lock:
            self.rows += rows

    def add(self, rows: int) -> None:
        """Count rows that were read."""
        with self._lock:
            self.done += rows
            if self.progress:
                self.progress(self.done, self.done / max(self.rows, 1))

    def fit(
        self, shard: _Shard, number: int, chunks: Sequence[CorpusChunk]
    ) -> Mapping[str, Metric]:
        """Give the metrics with the weights of the terms of some rows, packed before."""
        fitted = {
            spec: files.fit(shard.number, number, chunks)
            for spec, files in self.term_files.items()
        }
        return {**self.metrics, **fitted}


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
    if resume:
        _check_parts(shards, resume)
    unfinished = [shard for shard in shards if not shard.is_finished]
    finished = len(shards) - len(unfinished)
    with ExitStack() as stack:
        try:
            work = _Work(plan, progress)
            totals = Totals()
            if unfinished:
                folder = resume or stack.enter_context(TemporaryDirectory("-metra"))
                _fit_metrics(shards, unfinished, folder, work)
            for shard in shards:
                if shard.is_finished:
                    totals.add(_read_totals(shard))
            for shard, counted in _count_shards(unfinished, work, totals):
                if shard.cache:
                    _write_totals(shard, counted, plan)
                    totals.add(counted)
                finished += 1
            release_memory()
            results = table_totals.build_table_results(totals, plan)
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
    for files in work.term_files.values():
        files.remove()
    return results


def count_part(
    paths: Sequence[str],
    plan: ScoringPlan,
    part: tuple[int, int],
    *,
    resume: str,
    scores_out: str | None = None,
    progress: TableProgress | None = None,
) -> str:
    """Count one part of a table's files, and say what there is to do next.

    Parts may be counted by any processes that find the files by the same names, and see the
    folder `resume`. When all parts are finished, `score_files` adds up what they kept.
    """
    share = Part(*part)
    if not 1 <= share.number <= share.parts:
        msg = f"{share} does not exist; expected parts from 1 to {share.parts}."
        raise OptionError(msg)
    check_files(paths, plan)
    shards = _list_shards(paths, plan, scores_out, resume)
    unfinished = [s for s in shards if share.takes(s.number) and not s.is_finished]
    _mark_part(shards, share, resume, _BEGUN_ENDING)
    work = _Work(plan, progress)
    if unfinished or (plan.two_passes and not all(s.is_finished for s in shards)):
        waiting = _fit_metrics(shards, unfinished, resume, work, share)
        if waiting:
            return f"{str(share).capitalize()}: {waiting}"
    for shard, counted in _count_shards(unfinished, work, Totals()):
        _write_totals(shard, counted, plan)
    _mark_part(shards, share, resume, _PART_ENDING)
    return (
        f"{str(share).capitalize()} is finished; when all parts are, run the same "
        "command without the part for the scores."
    )


def _mark_part(shards: Sequence[_Shard], part: Part, folder: str, ending: str) -> None:
    """Write the file that says that a part was begun, or that it is finished."""
    with write_file(os.path.join(folder, _name_part(shards, part, ending))) as file:
        file.write(f"{part}\n".encode())


def _name_part(shards: Sequence[_Shard], part: Part, ending: str) -> str:
    known = _hash([shard.fingerprint for shard in shards])[:24]
    return f"part-{part.number}-of-{part.parts}-{known}{ending}"


def _check_parts(shards: Sequence[_Shard], folder: str) -> None:
    """Refuse to do work that parts have left open, if work was shared out.

    A folder in which no part was begun is one that a single process resumes from.
    """
    lacking = [shard for shard in shards if not shard.is_finished]
    if not lacking:
        return
    paths = list_remote(folder) or () if is_remote(folder) else os.listdir(folder)
    names = [path.rpartition("/")[2] for path in paths]
    known = {name for name in names if name.endswith((_BEGUN_ENDING, _PART_ENDING))}
    if not known:
        return
    counts = {int(name.split("-")[3]) for name in known}
    for parts in sorted(counts):
        numbers = range(1, parts + 1)
        begun, finished = (
            {n for n in numbers if _name_part(shards, Part(n, parts), ending) in known}
            for ending in (_BEGUN_ENDING, _PART_ENDING)
        )
        if begun:
            open_parts = [n for n in numbers if n not in finished]
            first = open_parts[0] if open_parts else lacking[0].number % parts + 1
            missing = f"part {first} of {parts} is not finished"
            msg = (
                f"{folder} is not complete: {missing}; finish it, then run this "
                "command again."
            )
            raise OptionError(msg)
    msg = (
        f"{folder} contains parts from other files, options or another version of "
        "metra; use the same for all parts, or another folder."
    )
    raise OptionError(msg)


def _describe_kept(
    finished: int, shards: int, resume: str | None, out: str | None
) -> str:
    """Say what is kept, and how to go on."""
    done = f"{finished} of {shards} are finished"
    if resume:
        return f"{done} and stored in {resume}; run the same command to resume."
    if out:
        return (
            f"{done}, with their scores in {out}; give `resume` FOLDER to be able to "
            "resume."
        )
    return f"{done}, but their totals are lost; give `resume` FOLDER to keep them."


def _list_shards(
    paths: Sequence[str], plan: ScoringPlan, scores_out: str | None, resume: str | None
) -> list[_Shard]:
    """Look at the files, and at what is kept of them."""
    shards: list[_Shard] = []
    for path in paths:
        state = get_file_state(path)
        if state is None:
            raise UnreadableError(path, os.strerror(errno.ENOENT))
        changed, size = state
        place = _complete_path(path), size, changed
        shards.append(_Shard(path, len(shards), place))
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
        msg = f"Folder {given} for {purpose} cannot be created: {error.strerror}."
        raise FormatError(msg) from None


def _name_score_files(paths: Sequence[str], out: str) -> list[str]:
    """Name the file for each shard's scores: in a folder by the same names, or one file."""
    if out.endswith(_PARQUET_ENDINGS) and not os.path.isdir(out):
        if len(paths) > 1:
            msg = (
                f"{out} is one file, but there are {len(paths)} to score; give the "
                "name of a folder."
            )
            raise OptionError(msg)
        targets = [out]
    else:
        targets = [os.path.join(out, _name_in_folder(path)) for path in paths]
    counts = Counter(targets)
    for path, target in zip(paths, targets, strict=True):
        if counts[target] > 1:
            msg = (
                f"Two files are named {os.path.basename(path)}; score them separately."
            )
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
    """Return True if a file has the scores of this shard, by this plan."""
    if get_file_state(target) is None:
        return False
    try:
        metadata = parquet.read_schema(target).metadata or {}
    except FormatError:
        return False  # something else by this name, which is written anew
    return metadata.get(FINGERPRINT) == fingerprint.encode()


def _is_kept(shard: _Shard) -> bool:
    """Return True if the totals of the shard are saved, with this plan and unchanged."""
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
        msg = f"{shard.cache} is damaged; delete it to score its shard again."
        raise FormatError(msg) from None


def _write_totals(shard: _Shard, totals: Totals, plan: ScoringPlan) -> None:
    """Keep the totals of a shard that is finished."""
    schema = table_totals.totals_schema(plan, parquet.read_schema(shard.path))
    schema = schema.with_metadata({FINGERPRINT: shard.fingerprint.encode()})
    batch = table_totals.build_totals_batch(totals, schema)
    with write_file(shard.cache) as file, pa.ipc.new_file(file, schema) as writer:
        writer.write_batch(batch)


def _fit_metrics(
    shards: Sequence[_Shard],
    unfinished: Sequence[_Shard],
    folder: str,
    work: _Work,
    part: Part | None = None,
) -> str:
    """Walk through all references first, for metrics that weigh by them.

    Terms of large tables are exchanged through files of the folder. If other parts have to
    do their share before this one can go on, it is said what is to be done.
    """
    plan = work.plan
    metrics = work.metrics = dict(build_unweighed(plan))
    for shard in shards if plan.two_passes else unfinished:
        shard.spans = parquet.list_spans(shard.path)
    work.expect(sum(shard.rows for shard in unfinished))
    rows = sum(shard.rows for shard in shards)

    def read_all() -> Iterator[Batch]:
        for shard in shards:
            for rows in _read_rows(shard.path, plan, plan.columns):
                yield from read_references(rows, plan)
                work.add(rows.num_rows)

    is_large = rows > HELD_ROWS
    for spec, metric in metrics.items():
        exchange = metric.fit and metric.fit.exchange
        if is_large and exchange:
            work.chunk_rows, partitions = choose_sizes(rows * len(plan.references))
            chunks = [-(-shard.rows // work.chunk_rows) for shard in shards]
            work.term_files[spec] = TermFiles(
                os.path.join(folder, metric.name),
                _identify_terms(shards, work, metric),
                exchange,
                chunks=chunks,
                partitions=partitions,
            )
        elif metric.fit:
            work.expect(rows)
            metrics[spec] = metric.fit(read_all())

    def read_chunks(number: int) -> Iterator[pa.RecordBatch]:
        work.expect(shards[number].rows)
        rows = _read_rows(shards[number].path, plan, plan.columns)
        for chunk in cut_rows(rows, work.chunk_rows):
            yield chunk
            work.add(chunk.num_rows)

    return exchange_terms([*work.term_files.values()], plan, read_chunks, part)


def _identify_terms(shards: Sequence[_Shard], work: _Work, metric: Metric) -> str:
    """Name files of terms by all that is in them: of which files and columns, and how cut."""
    plan = work.plan
    columns = [plan.outputs, plan.references, plan.documents, plan.nulls]
    states = [shard.state for shard in shards]
    known = [__version__, metric.signature(), columns, states, work.chunk_rows]
    return _hash(known)


def _count_shards(
    shards: Sequence[_Shard], work: _Work, together: Totals
) -> Iterator[tuple[_Shard, Totals]]:
    """Count shards, and write their scores if asked; they come in their order.

    What is not kept for each shard by itself is added to the totals of all at once.

    All threads read. Where rows are needed in their order, because they are written or have
    weights in files, one thread reads and the others count.
    """
    plan, metrics = work.plan, work.metrics
    totals = {s.path: Totals() if s.cache else together for s in shards}
    if work.term_files or any(shard.target for shard in shards):
        for shard in shards:
            _score_shard(shard, work, totals[shard.path])
            yield shard, totals.pop(shard.path)
        return

    lock = Lock()

    def read(
        shard: _Shard, span: parquet.RowSpan
    ) -> Iterator[tuple[_Shard, pa.RecordBatch]]:
        for rows in _read_rows(shard.path, plan, plan.columns, span):
            yield shard, rows

    def count(item: tuple[_Shard, pa.RecordBatch]) -> None:
        shard, rows = item
        for counted, _ in count_pieces(rows, plan, metrics):
            with lock:  # in any order: sums are exact
                totals[shard.path].add(counted)
        work.add(rows.num_rows)

    spans = [read(shard, span) for shard in shards for span in shard.spans]
    finished = share_sections(count, spans, choose_threads(metrics))
    for shard in shards:
        for _ in islice(finished, len(shard.spans)):
            pass
        yield shard, totals.pop(shard.path)


def _score_shard(shard: _Shard, work: _Work, totals: Totals) -> None:
    """Count a shard in the order of its rows, and write them with their scores if asked."""
    schema = parquet.read_schema(shard.path)
    added = parquet.list_added(schema)
    plan, keep = work.plan, shard.target is not None

    def count(
        chunk: tuple[int, pa.RecordBatch],
    ) -> tuple[int, Totals, pa.RecordBatch | None]:
        number, rows = chunk
        chunks = pack_chunks(rows, plan) if work.term_files else None
        metrics = work.fit(shard, number, chunks or ())
        counted = count_batch(rows, plan, metrics, keep=keep, chunks=chunks)
        return rows.num_rows, *counted

    with _open_score_file(shard, plan, schema) if keep else nullcontext() as write:
        columns = schema.names if keep else plan.columns
        chunks = enumerate(
            cut_rows(_read_rows(shard.path, plan, columns), work.chunk_rows)
        )
        threads = choose_threads(work.metrics)
        for rows, counted, scored in ordered_map(count, chunks, threads):
            totals.add(counted)
            if write and scored is not None:
                write(scored.drop_columns(added))
            work.add(rows)
            if work.term_files:
                release_memory()


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
    span: parquet.RowSpan | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read a shard's rows, or those of a span; refuse nulls where they are."""
    batches = parquet.read_batches(path, columns, span and span.row_groups)
    first = span.first if span else 0
    return table_totals.refuse_nulls(batches, plan, path, first)
