"""What the first of two passes found, kept beside the totals of finished shards."""

import hashlib
import json
import os
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from metra import __version__
from metra.corpus import Batch
from metra.engine.plan import Plan
from metra.engine.shards import Shard
from metra.errors import FormatError
from metra.io.whole import whole_file
from metra.measure import Metric, Tables, Weighing

_ENDING = ".weights"
_FINGERPRINT = "fingerprint"


def kept_weights(
    folder: str,
    fingerprint: str,
    metric: Metric,
    weighing: Weighing,
    batches: Iterable[Batch],
) -> Metric:
    """Give the measure with the weights that are kept; else count them, and keep them."""
    path = _path(folder, metric, fingerprint)
    if os.path.exists(path):
        return _restored(path, fingerprint, weighing)
    tables = weighing.tables(batches)
    named: dict[str, Any] = {_FINGERPRINT: np.array(fingerprint), **tables}
    with whole_file(path) as file:
        # Without compression: a resumed run is to go on at once.
        np.savez(file, **named)
    return weighing.restored(tables)


def are_kept(folder: str, metric: Metric, fingerprint: str) -> bool:
    """Whether weights need not be counted."""
    return os.path.exists(_path(folder, metric, fingerprint))


def weights_fingerprint(shards: Sequence[Shard], plan: Plan, metric: Metric) -> str:
    """Name weights by all that they depend on: every file, and what is counted in it."""
    known = [
        __version__,
        metric.signature(),
        [plan.references, plan.documents, plan.nulls],
        [shard[1:] for shard in shards],
    ]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def _path(folder: str, metric: Metric, fingerprint: str) -> str:
    return os.path.join(folder, f"{metric.name}-{fingerprint[:24]}{_ENDING}")


def _restored(path: str, fingerprint: str, weighing: Weighing) -> Metric:
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            tables: Tables = dict(arrays)
        if str(tables[_FINGERPRINT]) != fingerprint:
            raise ValueError(_FINGERPRINT)
        return weighing.restored(tables)
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile):
        msg = f"{path} is damaged; remove it, and its weights are counted again."
        raise FormatError(msg) from None
