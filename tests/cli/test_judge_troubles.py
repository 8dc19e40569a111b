"""What can be wrong with a store or an address: one sentence, and no traceback."""

import socket
import sqlite3
import subprocess
import sys

import pytest

pytest.importorskip("sqlalchemy", reason="needs metra[judge]")


def refused(ran, *words):
    """One line that says so, and the code of bad usage."""
    assert ran.code == 2, ran.err
    [line] = ran.err.strip().split("\n")
    assert line.startswith("metra: ")
    assert all(word in line for word in words), line


def test_no_folder_for_the_store(cli, tmp_path):
    ran = cli("judge", "init", "--store", tmp_path / "none" / "judge.db")
    refused(ran, "its folder does not exist", "--store")


def test_a_file_of_something_else(cli, tmp_path):
    (tmp_path / "notes.db").write_text("shopping list\n" * 100)
    ran = cli("judge", "status", "--store", tmp_path / "notes.db")
    refused(ran, "the file is not a SQLite database")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        pytest.param("://", "address is malformed", id="no address"),
        pytest.param("postgres://a@b/c", "cannot be kept in postgres", id="old name"),
    ],
)
def test_no_store_at_all(cli, url, words):
    refused(cli("judge", "status", "--store", url), words)


def test_no_server_of_postgresql(cli):
    pytest.importorskip("psycopg", reason="needs metra[postgresql]")
    ran = cli("judge", "status", "--store", "postgresql://x@127.0.0.1:1/y")
    refused(ran, "Connection refused", "that its server runs")


def test_a_damaged_store_is_not_served(cli, tmp_path, monkeypatch, root):
    monkeypatch.setenv("METRA_ADMIN_PASSWORD", "correct horse battery")
    url, new = tmp_path / "judge.db", tmp_path / "new.db"
    campaign = root / "src" / "metra" / "examples" / "campaign.toml"
    assert cli("judge", "init", campaign, "--store", url).code == 0
    content = bytearray(url.read_bytes())
    # The leaf of a table begins with 13; the judges are in one.
    pages = [content[at : at + 4096] for at in range(0, len(content), 4096)]
    leaves = [at for at, page in enumerate(pages) if page[0] == 13]
    [at] = (at for at in leaves if b"cleo" in pages[at] and b'"cleo"' not in pages[at])
    content[4096 * at : 4096 * at + 4096] = bytes(4096)
    url.write_bytes(content)
    ran = cli("judge", "serve", "--store", url)
    refused(ran, f"{url} is damaged", "metra judge restore BACKUP", ".recover")
    refused(cli("judge", "backup", tmp_path / "b.db", "--store", url), "is damaged")
    recovered = subprocess.run(
        f"sqlite3 {url} .recover | sqlite3 {new}", shell=True, check=False
    )
    if recovered.returncode == 0:
        ran = cli("judge", "status", "--store", new)
        assert (ran.code, ran.err) == (0, "")


def test_what_is_no_backup_leaves_no_store_behind(cli, tmp_path):
    new = tmp_path / "new.db"
    (tmp_path / "notes.db").write_text("shopping list\n" * 100)
    for name, words in (
        ("none.db", "none.db does not exist"),
        ("notes.db", "notes.db cannot be used: the file is not a SQLite database"),
    ):
        refused(cli("judge", "restore", tmp_path / name, "--store", new), words)
    assert [one.name for one in tmp_path.iterdir()] == ["notes.db"]


def test_a_full_disk_leaves_nothing_half_written(cli, tmp_path, monkeypatch, root):
    from metra.store import database as opening

    monkeypatch.setenv("METRA_ADMIN_PASSWORD", "correct horse battery")
    url = str(tmp_path / "judge.db")
    assert cli("judge", "init", "--store", url).code == 0
    made = opening._create_sqlite_engine

    def small(address):
        from sqlalchemy import event

        engine = made(address)

        @event.listens_for(engine, "connect")
        def _shrink(connection, _):
            connection.execute("PRAGMA max_page_count = 40")

        return engine

    monkeypatch.setattr(opening, "_create_sqlite_engine", small)
    campaign = root / "src" / "metra" / "examples" / "campaign.toml"
    refused(cli("judge", "init", campaign, "--store", url), "the disk is full")
    with sqlite3.connect(url) as database:
        [count] = database.execute("SELECT COUNT(*) FROM campaign").fetchone()
    database.close()
    assert count == 0


def test_a_port_that_is_taken(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("METRA_ADMIN_PASSWORD", "correct horse battery")
    url = str(tmp_path / "judge.db")
    cli("judge", "init", "--store", url)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        ran = cli("judge", "serve", "--store", url, "--port", port)
    refused(ran, f"Cannot listen on 127.0.0.1, port {port}", "--port")


@pytest.mark.parametrize("address", ["nonsense", "https://", "ftp://x", "http://[x"])
def test_links_that_lead_nowhere(cli, tmp_path, monkeypatch, address):
    monkeypatch.setenv("METRA_ADMIN_PASSWORD", "correct horse battery")
    url = str(tmp_path / "judge.db")
    cli("judge", "init", "--store", url)
    for command in ("serve", "links"):
        ran = cli("judge", command, "--store", url, "--base-url", address)
        refused(ran, f"--base-url is {address!r}", "expected https://NAME")


@pytest.mark.parametrize(
    "arguments",
    [["status"], ["init"], ["links", "x"], ["serve"], ["export"], ["admin"]],
)
def test_a_missing_package_is_named(arguments, tmp_path):
    """In a process of its own, in which the package cannot be imported."""
    code = "import sys; sys.modules['sqlalchemy'] = None; from metra.cli import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", code, "judge", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (
        2,
        "metra: metra judge needs the package 'sqlalchemy', which is not "
        "installed; install it with: pip install '.[judge]' in metra's source folder\n",
    )
    assert not any(tmp_path.iterdir())
