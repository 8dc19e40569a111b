"""What can be wrong with a store or an address: one sentence, and no traceback."""

import socket
import sqlite3

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
    refused(ran, "its folder is not there", "--store")


def test_a_file_of_something_else(cli, tmp_path):
    (tmp_path / "notes.db").write_text("shopping list\n" * 100)
    ran = cli("judge", "status", "--store", tmp_path / "notes.db")
    refused(ran, "the file holds something else")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        pytest.param("://", "address cannot be understood", id="no address"),
        pytest.param("postgres://a@b/c", "cannot be kept in postgres", id="old name"),
    ],
)
def test_no_store_at_all(cli, url, words):
    refused(cli("judge", "status", "--store", url), words)


def test_no_server_of_postgresql(cli):
    pytest.importorskip("psycopg", reason="needs metra[postgresql]")
    ran = cli("judge", "status", "--store", "postgresql://x@127.0.0.1:1/y")
    refused(ran, "Connection refused", "that its server runs")


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
    refused(ran, f"Nobody can listen at 127.0.0.1, port {port}", "--port")


@pytest.mark.parametrize("address", ["nonsense", "https://", "ftp://x", "http://[x"])
def test_links_that_lead_nowhere(cli, tmp_path, monkeypatch, address):
    monkeypatch.setenv("METRA_ADMIN_PASSWORD", "correct horse battery")
    url = str(tmp_path / "judge.db")
    cli("judge", "init", "--store", url)
    for command in ("serve", "links"):
        ran = cli("judge", command, "--store", url, "--base-url", address)
        refused(ran, f"--base-url is {address!r}", "expected https://NAME")
