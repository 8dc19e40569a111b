"""Shards with their segments' scores, written beside the ones that were read."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from metra.engine.plan import Plan
from metra.engine.segment_scores import scores_schema, signatures
from metra.engine.shards import FINGERPRINT
from metra.errors import FormatError, OptionError
from metra.io import parquet
from metra.io.whole import whole_file

#: What each column of scores was computed by, as JSON.
_SIGNATURES = b"metra.signatures"
_ENDINGS = (".parquet", ".pq")

# A row group of the result holds at least so many rows, where there are as many.
_ROW_GROUP = 64 * 1024


def score_paths(paths: Sequence[str], out: str) -> list[str]:
    """Name the file for each shard's scores: in a folder by the same names, or one file."""
    if out.endswith(_ENDINGS) and not os.path.isdir(out):
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
        metadata = parquet.schema_of(target).metadata or {}
    except FormatError:
        return False  # something else by this name, which is written anew
    return metadata.get(FINGERPRINT) == fingerprint.encode()


@contextmanager
def score_file(
    target: str, plan: Plan, schema: pa.Schema, fingerprint: str
) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """Write a shard with its scores; the file is whole or not there."""
    schema = scores_schema(plan, schema)
    metadata = {
        **(schema.metadata or {}),
        FINGERPRINT: fingerprint.encode(),
        _SIGNATURES: json.dumps(signatures(plan)).encode(),
    }
    schema = schema.with_metadata(metadata)
    with whole_file(target) as file, pq.ParquetWriter(file, schema) as writer:
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
