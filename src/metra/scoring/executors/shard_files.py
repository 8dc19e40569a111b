"""Files of a table that is scored in parts: shards, kept totals and weights, scores.

A kept file carries a fingerprint of all that its numbers depend on, so that work that is
resumed takes nothing from other data, other options or another version.
"""

import hashlib
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from metra import __version__
from metra.corpus.batch import Batch
from metra.errors import FormatError, OptionError
from metra.formats.atomic import write_file
from metra.formats.texts import parquet
from metra.metrics.record import Metric, Tables, TwoPassFit
from metra.scoring.plan import ScoringPlan
from metra.scoring.table_totals import (
    build_totals_batch,
    list_signatures,
    read_entries,
    scores_schema,
    totals_schema,
)
from metra.scoring.totals import Totals, add_entries

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
