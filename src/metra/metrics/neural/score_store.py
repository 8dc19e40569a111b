"""Scores on disk, by model and texts, so that a second run computes nothing."""

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TypeVar

from metra.errors import FormatError
from metra.metrics.llm.cache import NO_CACHE, find_cache_folder

T = TypeVar("T")

_TABLE = (
    "CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, score TEXT) WITHOUT ROWID"
)
# SQLite takes so many parameters in every version.
_AT_ONCE = 900


class ScoreStore:
    """A file of scores in the cache folder; without a folder, nothing is kept."""

    def __init__(self, name: str) -> None:
        folder = find_cache_folder()
        self.path = "" if folder is None else str(folder / "neural" / f"{name}.sqlite")

    def read(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """Return what is stored of some keys."""

        def select(db: sqlite3.Connection) -> dict[bytes, str]:
            stored: dict[bytes, str] = {}
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                stored.update(
                    db.execute(f"SELECT * FROM scores WHERE key IN ({marks})", some)
                )
            return stored

        return self._use(select) if self.path and os.path.exists(self.path) else {}

    def write(self, scores: Mapping[bytes, str]) -> None:
        """Store scores, in the place of older ones of the same keys."""

        def insert(db: sqlite3.Connection) -> None:
            db.executemany(
                "INSERT OR REPLACE INTO scores VALUES (?, ?)", scores.items()
            )

        if self.path:
            self._use(insert)

    def _use(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            # Another process may write at the same time.
            with closing(sqlite3.connect(self.path, timeout=60)) as db, db:
                db.execute(_TABLE)
                return work(db)
        except (sqlite3.Error, OSError) as error:
            msg = (
                f"The score cache {self.path} cannot be used: {error}; delete it, "
                "name another folder with METRA_CACHE, or set "
                f"METRA_CACHE={NO_CACHE}."
            )
            raise FormatError(msg) from None
