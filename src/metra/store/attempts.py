"""Failed attempts to come in, counted for all workers together."""

from sqlalchemy import Connection, delete, func, insert, select

from metra.store import tables
from metra.store.encoding import storable
from metra.store.tokens import new_id

WINDOW_SECONDS = 300.0


def count(db: Connection, key: str, *, now: float) -> int:
    """How often this key failed lately."""
    attempt = tables.attempt.c
    query = select(func.count()).where(
        attempt.key == storable(key), attempt.at > now - WINDOW_SECONDS
    )
    return int(db.execute(query).scalar_one())


def add(db: Connection, key: str, *, now: float) -> None:
    """Count a failure, and forget those that are long past."""
    attempt = tables.attempt
    db.execute(delete(attempt).where(attempt.c.at < now - WINDOW_SECONDS))
    db.execute(insert(attempt).values(id=new_id(), key=storable(key), at=now))


def forget(db: Connection, key: str) -> None:
    """Forget the failures of a key that came in after all."""
    attempt = tables.attempt
    db.execute(delete(attempt).where(attempt.c.key == storable(key)))
