"""File of scores, and of digests of files, in the cache folder."""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager

from metra.errors import FormatError
from metra.metrics.llm.cache import NO_CACHE, find_cache_folder

_TABLE = (
    "CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, score TEXT) WITHOUT ROWID"
)


class ScoreStore:
    """A file of scores in the cache folder; without a folder, nothing is kept."""

    def __init__(self, name: str) -> None:
        folder = find_cache_folder()
        self.path = "" if folder is None else str(folder / "neural" / f"{name}.sqlite")

    def read(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """Return the stored scores of some keys."""
        if not os.path.exists(self.path):
            return {}
        query = "SELECT key, score FROM scores WHERE key = ?"
        with self._open() as db:
            rows = (db.execute(query, (key,)).fetchone() for key in keys)
            return dict(row for row in rows if row)

    def write(self, scores: Mapping[bytes, str]) -> None:
        """Store scores, in the place of older ones of the same keys."""
        if self.path:
            with self._open() as db:
                command = "INSERT OR REPLACE INTO scores VALUES (?, ?)"
                db.executemany(command, scores.items())

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            # Another process may write at the same time.
            with closing(sqlite3.connect(self.path, timeout=60)) as db, db:
                db.execute(_TABLE)
                yield db
        except (sqlite3.Error, OSError) as error:
            msg = (
                f"The score cache {self.path} cannot be used: {error}; delete it, "
                "name another folder with METRA_CACHE, or set "
                f"METRA_CACHE={NO_CACHE}."
            )
            raise FormatError(msg) from None
