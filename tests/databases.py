"""A real PostgreSQL for the tests, from Debian's package, in a folder of its own."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

_numbers = count(1)


class PostgreSQL:
    """A server; each database that is asked for is empty."""

    def __init__(self, folder: Path, command: Sequence[str] = (), **process: Any):
        self.folder = folder
        self.emptied: list[str] = []
        self._command, self._process = command, process

    def start(self) -> None:
        """Start the server and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            self.server = subprocess.Popen(
                self._command, stdout=log, stderr=log, cwd=self.folder, **self._process
            )
        _wait_for(self.folder, self.server)

    def stop(self, with_signal: int = signal.SIGTERM) -> None:
        """End it: when all are done (SIGTERM), for all (SIGINT), or at once (SIGQUIT)."""
        self.server.send_signal(with_signal)
        try:
            self.server.wait(5)
        except subprocess.TimeoutExpired:
            self.server.send_signal(signal.SIGQUIT)
            self.server.wait(20)

    def new_database(self) -> str:
        if self.emptied:
            return self.emptied.pop()
        name = f"metra_{os.getpid()}_{next(_numbers)}"
        self._execute("postgres", f"CREATE DATABASE {name}")
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def take_back(self, url: str) -> None:
        """Empty a database for whoever asks next: that is quicker than a new one."""
        import psycopg

        name = url.partition("@/")[2].partition("?")[0]
        try:
            self._execute(
                name,
                "SET lock_timeout = '1s'",
                "DROP SCHEMA public CASCADE",
                "CREATE SCHEMA public",
            )
        except psycopg.errors.LockNotAvailable:
            return  # somebody still reads in it
        self.emptied.append(url)

    def drop_databases(self) -> None:
        """Drop what processes that have ended have left."""
        query = "SELECT datname FROM pg_database WHERE datname LIKE 'metra%'"
        for (name,) in self._execute("postgres", query):
            self._execute("postgres", f"DROP DATABASE {name} WITH (FORCE)")

    def _execute(self, database: str, *commands: str) -> list[tuple[Any, ...]]:
        """Execute commands one after the other; return the rows of the last one."""
        import psycopg

        with psycopg.connect(
            host=str(self.folder), user="postgres", dbname=database, autocommit=True
        ) as connection:
            for command in commands:
                cursor = connection.execute(command)
            return cursor.fetchall() if cursor.description else []


def missing() -> str | None:
    """Why there can be no PostgreSQL here, or None if there can."""
    if programs() is None:
        return (
            "needs PostgreSQL: apt-get install postgresql, or set METRA_POSTGRESQL_BIN"
        )
    if os.getuid() == 0 and _user() is None:
        return "needs the user postgres: PostgreSQL refuses to be run by root"
    return None


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; METRA_POSTGRESQL_BIN may name another one."""
    given = os.environ.get("METRA_POSTGRESQL_BIN")
    found = [Path(given)] if given else [*Path("/usr/lib/postgresql").glob("*/bin")]
    on_path = shutil.which("initdb")
    if on_path:
        found.append(Path(on_path).parent)
    there = [folder for folder in found if (folder / "initdb").exists()]
    return max(there, default=None)


@contextmanager
def running(*, durable: bool = False, **more: str) -> Iterator[PostgreSQL]:
    """Start a server that listens on a socket in its own folder, and stop it in the end.

    One that is not durable is quicker: it would not survive a failing machine. `more` are
    settings; `folder` is where its folder is made.
    """
    # A socket's path is short.
    place = more.pop("folder", "/tmp")
    folder = Path(tempfile.mkdtemp(prefix="metra-pg-", dir=place))
    user = _user() if os.getuid() == 0 else None
    process = {} if user is None else {"user": user.pw_uid, "group": user.pw_gid}
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    where = programs()
    assert where is not None
    data = folder / "data"
    initdb = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync"]
    subprocess.run(
        [where / "initdb", "--pgdata", data, *initdb],
        check=True,
        capture_output=True,
        cwd=folder,
        **process,
    )
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(folder),
        "fsync": "on" if durable else "off",
        "full_page_writes": "on" if durable else "off",
        "synchronous_commit": "on" if durable else "off",
        "max_connections": "150",
    }
    options = [f"--{name}={value}" for name, value in (settings | more).items()]
    server = PostgreSQL(
        folder, [str(where / "postgres"), "-D", str(data), *options], **process
    )
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(folder: Path, server: "subprocess.Popen[bytes]") -> None:
    import psycopg

    for _ in range(300):
        try:
            psycopg.connect(
                host=str(folder), user="postgres", dbname="postgres"
            ).close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None:
                break
            time.sleep(0.1)
    raise RuntimeError((folder / "log").read_text())


def _user() -> "pwd.struct_passwd | None":
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return None
