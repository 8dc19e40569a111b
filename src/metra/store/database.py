"""The tables, their migrations and transactions, stored JSON and secrets."""

import hashlib
import json
import os
import secrets
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib.util import find_spec
from pathlib import Path
from shutil import disk_usage
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InternalError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from metra.errors import (
    FormatError,
    MissingResourceError,
    OptionError,
    StoreError,
    missing_package,
)

# Two servers that start at once must not both migrate: "metra" in digits of a keypad.
_LOCK = 63872
_BUSY_SECONDS = 30
# A disk with less room, in bytes, counts as full.
_LEAST_FREE = 4_000_000
# Whoever waits for a database that does not answer gives up after some seconds.
_PATIENCE = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "tcp_user_timeout": "20000",
}


def migrate(store: "Store", place: str) -> None:
    """Update the tables; refuse those of a newer metra and of other programs."""
    steps = list_migrations()
    with store.reading() as db:
        if _read_version(db) == len(steps):
            return
    with store.transaction() as db:
        if not store.is_sqlite:
            db.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        version = _read_version(db)
        if version > len(steps):
            msg = (
                f"{place} was created by a newer metra (its schema version is "
                f"{version}, this metra supports {len(steps)}); update metra."
            )
            raise FormatError(msg)
        if version == 0:
            if tables := sa.inspect(db).get_table_names():
                msg = (
                    f"{place} holds tables of another program ({tables[0]}); "
                    "expected an empty database or a metra store."
                )
                raise FormatError(msg)
            db.exec_driver_sql("CREATE TABLE schema_version (version INTEGER NOT NULL)")
            db.exec_driver_sql("INSERT INTO schema_version VALUES (0)")
        for sql in steps[version:]:
            lines = (line for line in sql.split("\n") if not line.startswith("--"))
            if store.is_sqlite:
                lines = (line.replace("BYTEA", "BLOB") for line in lines)
            for statement in "\n".join(lines).split(";"):
                if statement.strip():
                    db.exec_driver_sql(statement)
        db.exec_driver_sql(f"UPDATE schema_version SET version = {len(steps)}")


def list_migrations() -> list[str]:
    """Return the SQL of all migrations, in the order of their numbers."""
    files = sorted((Path(__file__).parent / "migrations").glob("*.sql"))
    return [file.read_text(encoding="utf-8") for file in files]


def _read_version(db: sa.Connection) -> int:
    if not sa.inspect(db).has_table("schema_version"):
        return 0
    return int(db.exec_driver_sql("SELECT version FROM schema_version").scalar_one())


class Store:
    """An open store; threads and processes may share the database behind it.

    Errors of the database are raised as `StoreError`.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        self.is_sqlite = engine.dialect.name == "sqlite"
        # SQLite has one writer at a time. Threads of a process wait for each other here,
        # instead of asking SQLite again after ever longer pauses.
        self._turn = threading.Lock() if self.is_sqlite else nullcontext()
        # A transaction of SQLite reads one state anyway.
        options = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        self._reader = engine.execution_options(**options)
        #: Why the last transaction could not be written, if it could not.
        self.trouble: StoreError | None = None

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """Open a transaction that writes: all or nothing, on the disk when it ends."""
        try:
            with self._turn, self.engine.connect() as connection:
                db = connection.execution_options(metra_writes=True)
                with db.begin():
                    yield db
        except SQLAlchemyError as error:
            trouble = convert_error(error)
            if trouble.kind != "fault":
                self.trouble = trouble
            raise trouble from error
        self.trouble = None

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a transaction that reads one state of the store."""
        try:
            with self._reader.connect() as db, db.begin():
                yield db
        except SQLAlchemyError as error:
            raise convert_error(error) from error

    def check_writable(self) -> None:
        """Write and read a row; raise an error if that fails or the disk is almost full.

        A row may still fit into the space that a full disk has left to a file.
        """
        with self.transaction() as db:
            db.exec_driver_sql("UPDATE schema_version SET version = version")
            _read_version(db)
        path = self.engine.url.database
        if self.is_sqlite and disk_usage(Path(path or "").parent).free < _LEAST_FREE:
            raise convert_error(Exception("database or disk is full"))

    def check_integrity(self, path: str | None = None) -> None:
        """Raise an error if the file of the store is damaged; PostgreSQL has no file.

        `path` is the file that the store is a copy of, which the error then names.
        """
        if not self.is_sqlite:
            return
        with self.reading() as db:
            [result] = db.exec_driver_sql("PRAGMA integrity_check(1)").scalars()
        if result != "ok":
            path = path or self.engine.url.database
            msg = (
                f"{path} is damaged ({' '.join(result.split())}); restore a backup into a "
                "new store with: metra judge restore BACKUP --store NEW, or save its "
                f"readable rows with: sqlite3 {path} .recover | sqlite3 NEW"
            )
            raise StoreError(msg, "damaged")

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open(url: str, *, create: bool = True) -> Store:
    """Open a store and bring its tables up to date.

    `url` is a path (SQLite), or an address such as postgresql://user@host/database.
    """
    try:
        return _open(url, create=create)
    except SQLAlchemyError as error:
        raise convert_error(error) from error


def _open(url: str, *, create: bool) -> Store:
    address = make_url(url) if "://" in url else URL.create("sqlite", database=url)
    kind = address.get_backend_name()
    if kind == "sqlite":
        path = address.database
        if not path or path == ":memory:":
            msg = "A store in memory is lost with its connection; expected a path."
            raise OptionError(msg)
        if not create and not Path(path).is_file():
            msg = f"There is no store at {path}; create one with: metra judge init"
            raise FormatError(msg)
        _create_private_file(path)
        address = address.set(drivername="sqlite")
        store = Store(_create_sqlite_engine(address))
    elif kind == "postgresql":
        if find_spec("psycopg") is None:
            msg = missing_package("PostgreSQL", "psycopg", "postgresql")
            raise MissingResourceError(msg)
        address = address.set(drivername="postgresql+psycopg")
        patience = {k: v for k, v in _PATIENCE.items() if k not in address.query}
        engine = _create_engine(
            address, max_overflow=30, pool_pre_ping=True, connect_args=patience
        )
        store = Store(engine)
    else:
        msg = f"A store cannot be kept in {kind}; expected a path or postgresql://…."
        raise OptionError(msg)
    try:
        migrate(store, str(address))
    except BaseException:
        store.close()
        raise
    return store


def _create_private_file(path: str) -> None:
    """Create the file of a new store for its owner only; SQLite keeps these permissions."""
    # Whatever is wrong with the path, SQLite says it when it opens the file.
    with suppress(OSError, ValueError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _create_engine(address: URL, **options: Any) -> sa.Engine:
    # Messages of errors go to logs, which need not know what judges wrote.
    return sa.create_engine(address, pool_size=10, hide_parameters=True, **options)


def _create_sqlite_engine(address: URL) -> sa.Engine:
    arguments = {"timeout": _BUSY_SECONDS, "check_same_thread": False}
    engine = _create_engine(address, connect_args=arguments, max_overflow=50)

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: Any, _: object) -> None:
        # The driver would begin transactions where it sees fit; we do, below.
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode = WAL")
        # NORMAL could forget the last answers when the power fails; nothing may be lost.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    @sa.event.listens_for(engine, "begin")
    def _begin(db: sa.Connection) -> None:
        # A writer that begins as a reader can be refused half-way through.
        writes = db.get_execution_options().get("metra_writes")
        db.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


SCHEMA = sa.MetaData()
_TYPES = {
    "text": sa.Text,
    "integer": sa.Integer,
    "bigint": sa.BigInteger,
    "double": sa.Double,
    "binary": sa.LargeBinary,
}


def _define_table(of: str, /, **columns: str) -> sa.Table:
    """Define a table by the names of its columns, for each of their types."""
    typed = ((name, kind) for kind, names in columns.items() for name in names.split())
    return sa.Table(of, SCHEMA, *(sa.Column(key, _TYPES[kind]) for key, kind in typed))


campaign = _define_table(
    "campaign",
    text="id name content_json version secret state imported_json test_set",
    double="unblinded_at created_at",
)
judge = _define_table(
    "judge",
    text="id campaign label token_hash profile_json note completion_code person remark",
    integer="place",
    double="revoked_at released_at consent_at guide_at seen_at anonymised_at",
)
task = _define_table(
    "task",
    text="id campaign judge kind original items_json state topped_up_from called",
    integer="position screens",
    double="lease_until",
)
shown = _define_table("shown", text="task", integer="number step", double="at")
draft = _define_table(
    "draft", text="task payload_json", integer="number", bigint="rev", double="at"
)
judgement = _define_table(
    "judgement",
    text="id called task supersedes judge value_json comment cannot "
    "protocol_version wording wording_version",
    integer="number revision",
    bigint="wall_ms active_ms hidden_ms idle_ms paused_ms",
    double="shown_at first_action_at submitted_at",
)
event = _define_table(
    "event",
    text="task client kind data_json",
    integer="number",
    bigint="seq",
    double="t_ms",
)
session = _define_table(
    "session",
    text="token_hash role judge name csrf address client",
    double="created_at seen_at expires_at",
)
outside_scores = _define_table(
    "outside_scores", text="campaign metric content_json", double="added_at"
)
admin = _define_table("admin", text="name scrypt totp_secret", bigint="totp_period")
recovery_code = _define_table("recovery_code", text="admin code_hash")
audit = _define_table("audit", text="id who what campaign data_json", double="at")
attempt = _define_table("attempt", text="key", integer="failures", double="at")
workspace = _define_table("workspace", text="id name", double="created_at")
member = _define_table("member", text="workspace admin role")
access_token = _define_table(
    "access_token",
    text="id workspace name token_hash role created_by",
    double="created_at used_at revoked_at",
)
content = _define_table("content", text="digest", binary="packed")
test_set = _define_table(
    "test_set",
    text="id workspace name digest parts_json baseline created_by",
    integer="version segments",
    double="created_at",
)
run = _define_table(
    "run",
    text="id test_set system content note tags_json created_by",
    double="created_at",
)
score_array = _define_table(
    "score_array",
    text="run spec signature layout_json",
    double="score",
    binary="packed",
)
job = _define_table(
    "job",
    text="id workspace kind subject payload_json state error created_by",
    integer="tries",
    double="share lease_until created_at ended_at",
)


#: What databases say, which kind of trouble that is, and what to do about it.
_REMEDIES = tomllib.loads(Path(__file__).with_name("remedies.toml").read_text("utf-8"))


def convert_error(error: Exception, name: str = "The store") -> StoreError:
    """Return an error that describes the trouble with the store in one sentence.

    >>> print(convert_error(Exception("database or disk is full")))
    The store cannot be used: the disk is full; free some space; no partial data was written.
    """
    if isinstance(error, ArgumentError):
        msg = (
            "The store's address is malformed; expected a path or "
            "postgresql://USER@HOST/DATABASE."
        )
        return StoreError(msg)
    said = str(error.orig if isinstance(error, DBAPIError) else error)
    for words, about in _REMEDIES.items():
        if words in said.lower():
            msg = f"{name} cannot be used: {about['reason']}; {about['remedy']}."
            return StoreError(msg, about["kind"])
    first = " ".join(said.split("\n")[0].split())
    msg = (
        f"{name} cannot be used: {first.rstrip('.')}; check its address and that its "
        "server runs."
    )
    lost = getattr(error, "connection_invalidated", False)
    is_down = lost or isinstance(error, OperationalError | InternalError | PoolTimeout)
    return StoreError(msg, "unreachable" if is_down else "fault")


def insert_new(db: sa.Connection, table: sa.Table) -> Any:
    """Return an insert that leaves rows as they are whose keys are there already."""
    dialect = postgresql if db.dialect.name == "postgresql" else sqlite
    return dialect.insert(table).on_conflict_do_nothing()


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
