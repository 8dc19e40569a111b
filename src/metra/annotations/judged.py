"""Judged outputs: which output of which source sentence was given which score, by whom.

They live in a database, which judging fills bit by bit, or in a table.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import NamedTuple

from metra.annotations.judged_database import rows_of
from metra.annotations.table import Row, Table, read_table

COLUMNS = ("source", "output", "score", "judge", "time")
MOST = 10.0


class Judged(NamedTuple):
    """An output of a source sentence, its score from 0 to 10, who gave it, and when."""

    source: str
    output: str
    score: float
    judge: str = ""
    time: str = ""


def read_judged(path: str) -> list[Judged]:
    """Read judged outputs from a table (.tsv) or a database."""
    if path.lower().endswith(".tsv"):
        return list(read_judged_table(path))
    return [Judged(*row) for row in rows_of(path)]


def read_judged_table(path: str, *, now: str = "") -> Iterator[Judged]:
    """Read a table with the columns source, output and score, and perhaps judge and time.

    `now` is the time of judgements that have none.
    """
    table = read_table(path, ["source", "output", "score"], COLUMNS)
    for row in table.rows:
        cells = row.cells
        if not cells["source"]:
            raise table.refuse(
                row, "the source is empty", "every output has an id there"
            )
        yield Judged(
            cells["source"],
            cells["output"],
            _score(table, row),
            cells.get("judge", ""),
            cells.get("time", "") or now,
        )


def written(judged: Iterable[Judged]) -> Iterator[str]:
    """Write judged outputs as lines of a table, the header first."""
    yield "\t".join(COLUMNS)
    for entry in judged:
        yield "\t".join([*entry[:2], f"{entry.score:g}", *entry[3:]])


def version_of(path: str, judged: Sequence[Judged]) -> str:
    """Name a collection with its size and a digest of it, for signatures."""
    content = "\n".join(sorted("\t".join(map(str, entry[:4])) for entry in judged))
    digest = sha256(content.encode()).hexdigest()[:12]
    return f"{path}[{len(judged)} judgements, sha256:{digest}]"


def this_moment() -> str:
    """Say what time it is, in UTC to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _score(table: Table, row: Row) -> float:
    cell = row.cells["score"]
    try:
        score = float(cell)
    except ValueError:
        score = math.nan
    if not 0 <= score <= MOST:
        raise table.refuse(
            row, f"the score is {cell!r}", "expected a number from 0 to 10"
        )
    return score
