"""The tables, their migrations and transactions, stored JSON and secrets."""

import hashlib
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    MetaData,
    Table,
    Text,
    inspect,
    text,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.types import TypeEngine

from metra.errors import FormatError, MissingResourceError, OptionError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine import URL


# Two servers that start at once must not both migrate: "metra" in digits of a keypad.
_LOCK = 63872


def migrate(store: "Store", place: str) -> int:
    """Update the tables and return their version; refuse those of a newer metra."""
    steps = list_migrations()
    with store.reading() as db:
        version = _version(db)
    if version == len(steps):
        return version
    with store.transaction() as db:
        if not store.is_sqlite:
            db.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        version = _version(db)
        if version > len(steps):
            msg = (
                f"{place} was made by a newer metra (its tables have version {version}, "
                f"this metra knows {len(steps)}); update metra."
            )
            raise FormatError(msg)
        if version == 0:
            _refuse_foreign_tables(db, place)
            db.execute(text("CREATE TABLE schema_version (version INTEGER NOT NULL)"))
            db.execute(text("INSERT INTO schema_version VALUES (0)"))
        for sql in steps[version:]:
            for statement in _split_statements(sql):
                db.exec_driver_sql(statement)
        db.execute(text("UPDATE schema_version SET version = :to"), {"to": len(steps)})
    return len(steps)


def list_migrations() -> list[str]:
    """Return the SQL of all migrations, in the order of their numbers."""
    folder = resources.files("metra.store") / "migrations"
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")),
        key=lambda file: file.name,
    )
    return [file.read_text(encoding="utf-8") for file in files]


def _version(db: "Connection") -> int:
    if not inspect(db).has_table("schema_version"):
        return 0
    return int(db.execute(text("SELECT version FROM schema_version")).scalar_one())


def _refuse_foreign_tables(db: "Connection", place: str) -> None:
    tables = inspect(db).get_table_names()
    if tables:
        msg = (
            f"{place} holds tables of something else ({tables[0]}); "
            "expected an empty database or a store of metra's."
        )
        raise FormatError(msg)


def _split_statements(sql: str) -> list[str]:
    lines = (line for line in sql.split("\n") if not line.startswith("--"))
    return [part for part in "\n".join(lines).split(";") if part.strip()]


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
        """Open a transaction that writes: all or nothing, on the disk when it ends."""
        with self._turn, self.engine.connect() as connection:
            db = connection.execution_options(metra_writes=True)
            with db.begin():
                yield db

    @contextmanager
    def reading(self) -> Iterator["Connection"]:
        """Open a transaction that reads one state of the store."""
        with self.engine.connect() as db, db.begin():
            yield db

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open(url: str, *, create: bool = True) -> Store:
    """Open a store and bring its tables up to date.

    `url` is a path (SQLite), or an address such as postgresql://user@host/database.
    """
    address = _parse_url(url)
    if address.get_backend_name() == "sqlite":
        path = address.database
        if not path or path == ":memory:":
            msg = "A store in memory is lost with its connection; expected a path."
            raise OptionError(msg)
        if not create and not Path(path).is_file():
            msg = f"There is no store at {path}; make one with: metra judge init"
            raise FormatError(msg)
        store = Store(_create_sqlite_engine(address))
    else:
        store = Store(_create_postgresql_engine(address))
    try:
        migrate(store, str(address))
    except BaseException:
        store.close()
        raise
    return store


def _parse_url(url: str) -> "URL":
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


def _create_sqlite_engine(address: "URL") -> "Engine":
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


def _create_postgresql_engine(address: "URL") -> "Engine":
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


SCHEMA = MetaData()


def _define_table(of: str, /, **columns: type[TypeEngine[Any]]) -> Table:
    return Table(of, SCHEMA, *(Column(key, kind) for key, kind in columns.items()))


campaign = _define_table(
    "campaign",
    id=Text,
    name=Text,
    content_json=Text,
    version=Text,
    secret=Text,
    state=Text,
    unblinded_at=Double,
    created_at=Double,
    imported_json=Text,
)
judge = _define_table(
    "judge",
    id=Text,
    campaign=Text,
    label=Text,
    place=Integer,
    token_hash=Text,
    revoked_at=Double,
    released_at=Double,
    consent_at=Double,
    guide_at=Double,
    seen_at=Double,
    profile_json=Text,
    note=Text,
    completion_code=Text,
    anonymised_at=Double,
)
task = _define_table(
    "task",
    id=Text,
    campaign=Text,
    judge=Text,
    position=Integer,
    kind=Text,
    original=Text,
    items_json=Text,
    screens=Integer,
    state=Text,
    lease_until=Double,
    topped_up_from=Text,
    called=Text,
)
shown = _define_table("shown", task=Text, number=Integer, step=Integer, at=Double)
draft = _define_table(
    "draft", task=Text, number=Integer, rev=BigInteger, payload_json=Text, at=Double
)
judgement = _define_table(
    "judgement",
    id=Text,
    called=Text,
    task=Text,
    number=Integer,
    revision=Integer,
    supersedes=Text,
    judge=Text,
    value_json=Text,
    comment=Text,
    cannot=Text,
    shown_at=Double,
    first_action_at=Double,
    submitted_at=Double,
    wall_ms=BigInteger,
    active_ms=BigInteger,
    hidden_ms=BigInteger,
    idle_ms=BigInteger,
    paused_ms=BigInteger,
    protocol_version=Text,
    wording=Text,
    wording_version=Text,
)
event = _define_table(
    "event",
    task=Text,
    number=Integer,
    client=Text,
    seq=BigInteger,
    t_ms=Double,
    kind=Text,
    data_json=Text,
)
session = _define_table(
    "session",
    token_hash=Text,
    role=Text,
    judge=Text,
    name=Text,
    csrf=Text,
    created_at=Double,
    seen_at=Double,
    expires_at=Double,
)
admin = _define_table("admin", name=Text, scrypt=Text)
audit = _define_table(
    "audit", id=Text, at=Double, who=Text, what=Text, campaign=Text, data_json=Text
)
attempt = _define_table("attempt", id=Text, key=Text, at=Double)


#: What databases say, and what to do about it.
_REMEDIES = {
    "unable to open database file": (
        "its folder is not there, or may not be read and written",
        "name another place with --store",
    ),
    "readonly database": (
        "it may not be written",
        "check the rights of the file and of its folder",
    ),
    "disk is full": ("the disk is full", "make room; nothing was half-written"),
    "disk i/o error": ("the disk fails", "check the disk and its rights"),
    "not a database": ("the file holds something else", "name a store of metra's"),
    "malformed": ("the file is damaged", "go back to a copy of it"),
    "locked": (
        "another program has held it for half a minute",
        "end that program, or try again",
    ),
}


def describe_error(error: SQLAlchemyError) -> str:
    """Return what is wrong with the store, in one sentence.

    >>> describe_error(DBAPIError(None, None, Exception("database or disk is full")))
    'The store cannot be used: the disk is full; make room; nothing was half-written.'
    """
    if isinstance(error, ArgumentError):
        return (
            "The store's address cannot be understood; expected a path or "
            "postgresql://USER@HOST/DATABASE."
        )
    said = str(error.orig if isinstance(error, DBAPIError) else error)
    for words, (reason, remedy) in _REMEDIES.items():
        if words in said.lower():
            return f"The store cannot be used: {reason}; {remedy}."
    first = " ".join(said.split("\n")[0].split())
    return (
        f"The store cannot be used: {first.rstrip('.')}; check its address and that its "
        "server runs."
    )


def encode_json(value: object) -> str:
    """Return a value as JSON in ASCII, so that any character may be in it."""
    try:
        return json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        msg = "The value cannot be written as JSON; expected finite numbers and plain lists."
        raise OptionError(msg) from None


#: Reads a stored value.
decode_json = json.loads


def strip_unstorable(text: str) -> str:
    """Return text without what PostgreSQL cannot store: NUL and lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode()


def new_token() -> str:
    """Draw a secret that nobody can guess."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return the hash of a secret, which is random enough for one round."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def new_id() -> str:
    """Draw an id that tells nothing."""
    return secrets.token_hex(10)


def new_code() -> str:
    """Draw a completion code that can be read aloud."""
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return "".join(secrets.choice(letters) for _ in range(8))
