"""`metra judge` at the keyboard: from the campaign's file to links, status and forgetting."""

import os
import re
import time

import pytest

from metra.corpus import examples

access = pytest.importorskip("metra.store.access", reason="needs the extra judge")

CAMPAIGN = str(examples.HOME / "campaign.toml")
PASSWORD = "correct horse"


@pytest.fixture
def judge(cli, tmp_path, monkeypatch):
    """Run `metra judge` on a store of this test's own."""
    monkeypatch.setenv("METRA_STORE", str(tmp_path / "judge.db"))
    monkeypatch.setenv("METRA_ADMIN_PASSWORD", PASSWORD)
    monkeypatch.setitem(access._COST, "n", 2**4)
    return lambda *arguments: cli("judge", *arguments)


def test_from_a_file_to_links_and_status(judge):
    made = judge("init", CAMPAIGN)
    assert made.code == 0, made.err
    assert "The password of admin is set." in made.out
    assert "6 judges × 32 screens ≈ 14 min each" in made.out
    links = judge("links", "--base-url", "https://judge.example.org/")
    rows = [line.split("\t") for line in links.out.rstrip().split("\n")]
    assert [row[0] for row in rows] == ["ann", "bob", "cleo", "dan", "eve", "finn"]
    for _, link in rows:
        assert re.fullmatch(r"https://judge\.example\.org/j/[\w-]{43}", link)
    assert len({link for _, link in rows}) == 6
    again = judge("links")
    assert again.out == "Every judge has a link; --judge replaces one.\n"
    status = judge("status").out
    assert status.startswith("market and brake: open\n")
    assert re.search(r"^ann +0 +32 +0 +14 +not begun$", status, re.M)


def test_a_password_needs_a_terminal_a_file_or_a_variable(judge, monkeypatch, tmp_path):
    monkeypatch.delenv("METRA_ADMIN_PASSWORD")
    ran = judge("init", CAMPAIGN)
    assert ran.code == 2
    assert "no terminal to ask for it; give --password-file" in ran.err
    assert not (tmp_path / "judge.db").exists()


def test_a_store_without_campaigns_says_how_to_add_one(judge):
    judge("init")
    ran = judge("links")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "metra: The store has no campaign; add one with `metra judge init FILE`.\n"
    )


def test_links_are_made_anew_and_taken_back(judge):
    judge("init", CAMPAIGN)
    judge("links")
    one = judge("links", "--judge", "ann").out
    assert one.startswith("ann\thttp://127.0.0.1:8000/j/")
    gone = judge("links", "market and brake", "--judge", "ann", "--revoke").out
    assert gone == "ann\trevoked\n"
    assert "link revoked" in judge("status").out


def test_states_are_set_at_the_keyboard(judge):
    judge("init", CAMPAIGN, "--draft")
    assert judge("status").out.startswith("market and brake: draft")
    assert judge("status", "--set", "open").out.startswith("market and brake: open")
    assert judge("status", "--set", "paused").out.startswith("market and brake: paused")


def test_several_campaigns_in_one_store(judge, write):
    judge("init", CAMPAIGN)
    text = (examples.HOME / "campaign.toml").read_text().replace("market", "mart")
    for name in ("outputs", "reference.1.txt", "source.fr.txt", "docs.txt"):
        os.symlink(examples.HOME / name, write("x", [""]).parent / name)
    other = write("other.toml", text.encode())
    added = judge("init", other)
    assert added.code == 0, added.err
    assert "password" not in added.out
    status = judge("status").out
    assert "mart and brake    open" in status
    assert judge("links").code == 2
    assert "The store holds 2 campaigns; name one of" in judge("links").err
    twice = judge("init", CAMPAIGN)
    assert (twice.code, "named 'market and brake' already" in twice.err) == (2, True)


def test_a_store_is_backed_up_and_restored(judge, tmp_path):
    judge("init", CAMPAIGN)
    path = tmp_path / "copy.db"
    counts = "1 campaign, 6 judges, 0 answers;"
    assert judge("backup", path).out.startswith(f"{path}: {counts}")
    (tmp_path / "copies").mkdir()
    judge("backup", tmp_path / "copies")
    [named] = (tmp_path / "copies").iterdir()
    assert re.fullmatch(r"judge-\d{8}-\d{6}\.db", named.name)
    ran = judge("restore", path)
    assert (ran.code, "give --replace" in ran.err) == (2, True)
    judge("forget", "market and brake", "ann", "--yes")
    assert "ann" not in judge("status").out
    assert judge("restore", path, "--replace").out.startswith(f"Restored {counts}")
    assert "ann" in judge("status").out


def test_a_judge_is_forgotten(judge):
    judge("init", CAMPAIGN)
    done = judge("forget", "market and brake", "ann", "--yes")
    assert re.match(r"ann is forgotten; the answers are judge-\w{8}'s now\.", done.out)
    assert "ann" not in judge("status").out.replace("anonymised", "")
    more = judge("forget", "market and brake", "bob", "--answers", "--yes")
    assert "and 0 answers deleted" in more.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["status"], "There is no store at", id="no store"),
        pytest.param(["links"], "There is no store at", id="no store for links"),
        pytest.param(["serve"], "There is no store at", id="nothing to serve"),
        pytest.param(["init", "none.toml"], "none.toml", id="no file"),
        pytest.param(["links", "--revoke"], "name them with --judge", id="revoke whom"),
        pytest.param(["admin"], "There is no store at", id="no admins"),
        pytest.param(
            ["admin", "--end-sessions"],
            "needs an admin; write: metra judge admin NAME --end-sessions",
            id="whose sessions",
        ),
    ],
)
def test_what_goes_wrong_is_said(judge, arguments, message):
    ran = judge(*arguments)
    assert ran.code == 2
    assert message in ran.err


def test_unknown_names_are_said(judge):
    judge("init", CAMPAIGN)
    assert (
        "No judge named 'anne'. Did you mean 'ann'?"
        in judge("links", "--judge", "anne").err
    )
    assert "No campaign named 'market'" in judge("links", "market").err
    assert (
        "No admin named 'admit'. Did you mean 'admin'?" in judge("admin", "admit").err
    )


def test_the_public_needs_encryption(judge):
    judge("init", CAMPAIGN)
    ran = judge("serve", "--host", "0.0.0.0")
    assert ran.code == 2
    assert "--base-url https://" in ran.err


def test_passwords_come_from_a_file_and_are_long_enough(judge, write, monkeypatch):
    from metra import store as stores

    monkeypatch.delenv("METRA_ADMIN_PASSWORD")
    file = write("password", ["battery staple", "more"])
    assert judge("init", "--password-file", file).code == 0
    short = write("short", ["short"])
    refused = judge("init", "--new-password", "--password-file", short)
    assert "has 5 characters; expected 10 or more" in refused.err
    store = stores.open(os.environ["METRA_STORE"])
    with store.reading() as db:
        assert access.check_password(
            "battery staple", access.find_password_hash(db, "admin")
        )
    store.close()


def test_admins_are_let_in_again(judge):
    from metra import store as stores
    from metra.store import access, audit

    for name in ("ann", "bob"):
        judge("init", "--admin", name)
    secret = access.new_secret()
    store, now = stores.open(os.environ["METRA_STORE"]), time.time()
    with store.transaction() as db:
        for name in ("ann", "bob", "bob"):
            code = access.compute_code(secret, int(now // 30))
            access.enable_second_factor(db, name, secret, code, now=now)
            access.begin_session(db, "admin", now=now, name=name)
        access.begin_attempt(db, {"bob": 1}, now=now)
        assert access.begin_attempt(db, {"bob": 1}, now=now) > 0

    def show(*arguments):
        shown = judge("admin", *arguments).out.rstrip().split("\n")[2:]
        return [line.split() for line in shown]

    assert show() == [["ann", "on", "10", "1"], ["bob", "on", "10", "2"]]
    assert show("ann", "--reset-second-factor") == [["ann", "off", "0", "1"]]
    assert show("bob", "--end-sessions") == [["bob", "on", "10", "0"]]
    assert show("--end-waits") == [["ann", "off", "0", "1"], ["bob", "on", "10", "0"]]
    with store.transaction() as db:
        assert access.begin_attempt(db, {"bob": 1}, now=now) == 0
        done = {one.what: one.data for one in audit.list_entries(db)}
    store.close()
    assert done["remove second factor"] == {"admin": "ann"}
    assert done["end sessions"] == {"admin": "bob", "sessions": 2}
    assert "end waits" in done


def test_no_option_takes_a_password(metra_command):
    words = metra_command("judge", "init", "--help").out
    assert "--password-file" in words
    assert not re.search(r"--password\s", words)


def test_help_loads_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys; from metra.cli.judge import judge; "
        "judge(['--help'], standalone_mode=False); "
        "sys.exit(bool({'sqlalchemy', 'fastapi', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
