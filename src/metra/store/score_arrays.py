"""Scores of runs: one compressed array of statistics for each run and metric."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, delete, insert, select

from metra.stats.arrays import Array
from metra.store import database
from metra.store.database import decode_json, encode_json

#: Whole numbers are kept in the shortest of these types that holds them.
_WHOLE = ("u1", "u2", "u4")


@dataclass(frozen=True, slots=True)
class RunScore:
    """The score of a run by a metric; None if it is undefined."""

    run: str
    spec: str
    signature: str
    score: float | None


def put_scores(db: Connection, score: RunScore, rows: Array) -> None:
    """Store the statistics of a run, one row for each segment, in place of older ones."""
    kind = choose_type(rows)
    table = database.score_array
    same = (table.c.run == score.run) & (table.c.spec == score.spec)
    db.execute(delete(table).where(same))
    values = {
        "run": score.run,
        "spec": score.spec,
        "signature": score.signature,
        "score": score.score,
        "layout_json": encode_json({"type": kind, "shape": list(rows.shape)}),
        # Column by column, because neighbours in a column are alike.
        "packed": zlib.compress(rows.astype(f"<{kind}").tobytes(order="F"), 1),
    }
    db.execute(insert(table), values)


def choose_type(rows: Array) -> str:
    """Return the shortest type that holds all numbers exactly.

    >>> choose_type(np.array([[3.0, 300.0]])), choose_type(np.array([[0.5]]))
    ('u2', 'f8')
    """
    largest = rows.max(initial=0.0)
    is_whole = (rows == np.floor(rows)).all() and not np.signbit(rows).any()
    for kind in _WHOLE if is_whole and np.isfinite(largest) else ():
        if largest <= np.iinfo(kind).max:
            return kind
    return "f8"


def list_scores(db: Connection, runs: Sequence[str]) -> list[RunScore]:
    """Return the scores of runs, without their statistics."""
    table = database.score_array.c
    query = select(table.run, table.spec, table.signature, table.score)
    query = query.where(table.run.in_(runs)).order_by(table.spec, table.run)
    return [RunScore(*row) for row in db.execute(query)]


def list_specs(db: Connection, test_set: str) -> list[str]:
    """Return the metrics by which any run on a test set is scored."""
    table, run = database.score_array.c, database.run.c
    query = select(table.spec).distinct().where(table.run == run.id)
    query = query.where(run.test_set == test_set).order_by(table.spec)
    return [*db.execute(query).scalars()]


def read_rows(
    db: Connection, runs: Sequence[str], specs: Sequence[str]
) -> dict[tuple[str, str], Array]:
    """Return the statistics of runs by metrics, as far as they are stored."""
    table = database.score_array.c
    query = select(table.run, table.spec, table.layout_json, table.packed)
    query = query.where(table.run.in_(runs), table.spec.in_(specs))
    arrays = {}
    for run, spec, layout_json, packed in db.execute(query):
        layout = decode_json(layout_json)
        flat = np.frombuffer(zlib.decompress(packed), f"<{layout['type']}")
        rows = flat.reshape(layout["shape"], order="F").astype(np.float64, order="C")
        arrays[run, spec] = rows
    return arrays
