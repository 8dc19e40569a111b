"""A store by its address, and transactions in it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metra.errors import FormatError, MissingResourceError, OptionError
from metra.store.migrating import migrate

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine import URL

_BUSY_SECONDS = 30


class Store:
    """An open store; threads and processes may share the database behind it."""

    def __init__(self, engine: "Engine") -> None:
        self.engine = engine
        self.is_sqlite = engine.dialect.name == "sqlite"
        # SQLite has one writer at a time. Threads of a process wait for each other here,
        # instead of asking SQLite again after ever longer pauses.
        self._turn = threading.Lock() if self.is_sqlite else nullcontext()

    @contextmanager
    def transaction(self) -> Iterator["Connection"]:
        """Write: all of it or nothing, on the disk when the block ends."""
        with self._turn, self.engine.connect() as connection:
            db = connection.execution_options(metra_writes=True)
            with db.begin():
                yield db

    @contextmanager
    def reading(self) -> Iterator["Connection"]:
        """Read one state of the store, whatever others write meanwhile."""
        with self.engine.connect() as db, db.begin():
            yield db

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()


def open(url: str, *, create: bool = True) -> Store:
    """Open a store and bring its tables up to date.

    `url` is a path (SQLite), or an address such as postgresql://user@host/database.
    """
    address = _address(url)
    if address.get_backend_name() == "sqlite":
        path = address.database
        if not path or path == ":memory:":
            msg = "A store in memory is lost with its connection; expected a path."
            raise OptionError(msg)
        if not create and not Path(path).is_file():
            msg = f"There is no store at {path}; make one with: metra judge init"
            raise FormatError(msg)
        store = Store(_sqlite(address))
    else:
        store = Store(_postgresql(address))
    try:
        migrate(store, str(address))
    except BaseException:
        store.close()
        raise
    return store


def _address(url: str) -> "URL":
    from sqlalchemy.engine import URL, make_url

    if "://" not in url:
        return URL.create("sqlite", database=url)
    address = make_url(url)
    known = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
    kind = address.get_backend_name()
    if kind not in known:
        msg = f"A store cannot be kept in {kind}; expected a path or postgresql://…."
        raise OptionError(msg)
    return address.set(drivername=known[kind])


def _sqlite(address: "URL") -> "Engine":
    from sqlalchemy import create_engine, event

    # Messages of errors go to logs, which need not know what judges wrote.
    engine = create_engine(
        address,
        connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False},
        pool_size=10,
        max_overflow=50,
        hide_parameters=True,
    )

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _: object) -> None:
        # The driver would begin transactions where it sees fit; we do, below.
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode = WAL")
        # NORMAL could forget the last answers when the power fails; nothing may be lost.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def _begin(db: "Connection") -> None:
        # A writer that begins as a reader can be refused half-way through.
        writes = db.get_execution_options().get("metra_writes")
        db.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgresql(address: "URL") -> "Engine":
    from importlib.util import find_spec

    from sqlalchemy import create_engine

    if find_spec("psycopg") is None:
        msg = "PostgreSQL needs a driver; install it with: pip install 'metra[postgresql]'"
        raise MissingResourceError(msg)
    return create_engine(
        address,
        pool_size=10,
        max_overflow=30,
        pool_pre_ping=True,
        hide_parameters=True,
    )
