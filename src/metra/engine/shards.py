"""The files of a table, and what is kept of those that are finished."""

import hashlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from metra.engine.plan import Plan
from metra.engine.tally import Totals, add
from metra.engine.totals import as_batch, entries, totals_schema
from metra.errors import FormatError
from metra.io import parquet
from metra.io.whole import whole_file

#: Where a file keeps the fingerprint of what it was made of.
FINGERPRINT = b"metra.fingerprint"
_ENDING = ".totals"


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
            found = os.stat(path)
        except OSError as error:
            msg = f"{path} cannot be read: {error.strerror}; check the name and its rights."
            raise FormatError(msg) from None
        place = os.path.abspath(path)
        return cls(path, place, found.st_size, found.st_mtime_ns)


def fingerprints(shards: Sequence[Shard], plan: Plan) -> list[str]:
    """Name what comes of each shard by all that its digits depend on.

    Where a measure weighs by the whole corpus, that is all shards.
    """
    known = [shard[1:] for shard in shards]
    rest = [plan.fingerprint(), known if plan.two_passes else []]
    return [
        hashlib.sha256(json.dumps([entry, *rest]).encode()).hexdigest()
        for entry in known
    ]


class KeptTotals:
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
            add(totals, entries(batch))
        return totals

    def keep(self, shard: Shard, fingerprint: str, totals: Totals, plan: Plan) -> None:
        """Write the totals of a shard that is finished."""
        schema = totals_schema(plan, parquet.schema_of(shard.path))
        schema = schema.with_metadata({FINGERPRINT: fingerprint.encode()})
        batch = as_batch(totals, schema)
        with (
            whole_file(self._path(shard, fingerprint)) as file,
            pa.ipc.new_file(file, schema) as writer,
        ):
            writer.write_batch(batch)

    def _path(self, shard: Shard, fingerprint: str) -> str:
        stem = re.sub(r"[^\w.-]", "_", Path(shard.path).stem)[:80]
        return os.path.join(self.folder, f"{stem}-{fingerprint[:24]}{_ENDING}")
