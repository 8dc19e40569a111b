"""A store that cannot be written: everybody is told so, and nothing is lost."""

import re
import shutil
import sqlite3
from contextlib import contextmanager

import pytest
from sqlalchemy import event
from tests.tables import load_cases
from tests.web.browsing import answer

from metra.store import access

PASSWORD = "correct horse battery"
VALUE = {"fluency": 4, "adequacy": 2}


@contextmanager
def failing(store, message):
    """Let the database refuse to write, with its own words."""

    def refuse(_cursor, statement, _parameters, _context):
        if re.match("INSERT|UPDATE|DELETE", statement):
            raise sqlite3.OperationalError(message)

    event.listen(store.engine, "do_execute", refuse)
    try:
        yield
    finally:
        event.remove(store.engine, "do_execute", refuse)


TROUBLES = load_cases("store trouble: troubles")


@pytest.mark.parametrize(("message", "status", "kind", "words"), TROUBLES)
def test_an_answer_waits_until_it_can_be_saved(
    light_house, message, status, kind, words, caplog
):
    browser = light_house.browser("judge 0")
    work = browser.work()
    screen = work["screen"]
    place = f"/api/screens/{screen['task']}/{screen['number']}"
    reveal = {"step": 1, "rev": 1, "value": VALUE}
    assert browser.send("POST", f"{place}/reveal", reveal).status_code == 200
    given = answer(VALUE)
    with failing(light_house.store, message):
        reply = browser.send("POST", f"{place}/answer", given)
        assert browser.get("/health").status_code == status
    assert reply.status_code == status
    told = reply.json()
    assert (told["reason"], told["store"]) == ("store", kind)
    assert words in told["error"]
    assert "secret.example" not in reply.text
    assert "secret.example" in caplog.text or "secret" not in message
    assert reply.headers["Retry-After"] == "5"
    assert light_house.judgements() == []
    assert browser.get("/health").json() == {"ok": True}
    for _ in range(2):
        assert browser.send("POST", f"{place}/answer", given).status_code == 200
    assert [one.id for one in light_house.judgements()] == [given["id"]]


def test_judges_and_organisers_are_told_on_their_pages(light_house):
    store = light_house.store
    with store.transaction() as db:
        access.set_password(db, "admin", PASSWORD, now=0, who="t")
    organiser, judge = light_house.browser(), light_house.browser()
    organiser.get("/admin/login")
    form = {"name": "admin", "password": PASSWORD}
    assert organiser.form("/admin/login", **form).status_code == 303
    link = f"/j/{light_house.tokens['judge 0']}"
    with failing(store, "database or disk is full"):
        reply = judge.client.post(
            link, headers={"Origin": judge.origin, "Accept-Language": "de"}
        )
        refused = light_house.browser().form("/admin/login", **form)
    assert reply.status_code == 507
    assert "Der Server kann gerade nicht speichern" in reply.text
    assert refused.status_code == 507
    assert "disk is full; its operator must free some space." in refused.text
    # Whoever can still read sees it above every page, until something can be saved.
    page = organiser.get("/admin").text
    assert re.search('role="alert">Nothing can be saved.*the disk is full', page)
    assert judge.form(link).status_code == 303
    assert "Nothing can be saved" not in organiser.get("/admin").text


def test_health_looks_at_the_room_that_is_left(light_house, monkeypatch):
    browser = light_house.browser()
    assert browser.get("/health").json() == {"ok": True}
    left = shutil._ntuple_diskusage(10**9, 10**9 - 1000, 1000)
    monkeypatch.setattr("metra.store.database.disk_usage", lambda _: left)
    assert browser.get("/health").status_code == 507


def test_a_fault_of_ours_is_no_trouble_of_the_store(light_house, caplog):
    browser = light_house.browser("judge 0")
    with light_house.store.transaction() as db:
        db.exec_driver_sql("DROP TABLE draft")
        db.exec_driver_sql("CREATE TABLE draft (task TEXT CHECK (task IS NULL))")
    reply = browser.get("/api/work")
    assert (reply.status_code, reply.json()["store"]) == (503, "unreachable")
    with light_house.store.transaction() as db:
        db.exec_driver_sql("DROP TABLE draft")
        db.exec_driver_sql(
            "CREATE TABLE draft (task TEXT, number, rev, payload_json, at, CHECK (at IS NULL))"
        )
    screen = browser.work()["screen"]
    place = f"/api/screens/{screen['task']}/{screen['number']}"
    draft = {"rev": 1, "value": {}, "comment": "", "events": []}
    reply = browser.send("PUT", f"{place}/draft", draft)
    assert (reply.status_code, reply.json()["store"]) == (500, "fault")
    assert "Traceback" in caplog.text
    assert light_house.store.trouble is None
