"""Forms and addresses that nobody would fill in so, on every page: never a 500."""

import pytest
from tests.campaigns import made, opened
from tests.web.browsing import answer
from tests.web.routes import routes_of

from metra.store import access

ODD = [
    "",
    "\0",
    "a\0b",
    "-1",
    "9" * 30,
    "1e999",
    "nan",
    "<b>'\"",
    "../..",
    "ü\u202e\U0010ffff",
]
FIELDS = [
    "agree",
    "back",
    "campaign",
    "each",
    "exclude",
    "go",
    "judge",
    "judges",
    "kind",
    "language",
    "level",
    "name",
    "note",
    "only",
    "by",
    "password",
    "protocol",
    "repeats",
    "seed",
    "since",
    "state",
    "system",
    "target_level",
    "text",
    "texts",
    "unit",
    "until",
    "scorer",
    "flagged",
    "document",
    "trials",
]


@pytest.fixture
def house(store):
    house = opened(store, made("da"))
    browser = house.browser("judge 0")
    screen = browser.work()["screen"]
    place = f"/api/screens/{screen['task']}/0/answer"
    assert browser.send("POST", place, answer({"da": 40})).status_code == 200
    return house


def admin(house):
    browser = house.browser("judge 1")
    with house.store.transaction() as db:
        by = {"now": house.clock(), "name": "ann"}
        access.set_password(db, password="a long password", who="ann", **by)
        token, session = access.begin_session(db, "admin", **by)
    browser.client.cookies.set("metra-admin", token)
    return browser, session.csrf


@pytest.mark.slow
def test_odd_fields_and_addresses_get_an_answer(house):
    browser, csrf = admin(house)
    judge_csrf = browser.csrf
    for method, path in routes_of(house.app):
        if method not in ("GET", "POST") or path in ("/admin/logout", "/judge/leave"):
            continue
        for at, odd in enumerate(ODD):
            keys = [house.campaign, "x", "%00", "a%2Fb", odd.encode().hex()]
            filled = path.format(
                key=keys[at % len(keys)],
                form=["jsonl", "tsv", "csv", "%00", "none"][at % 5],
                token=["x", "%00", "a%2Fb"][at % 3],
                task=["x", "%00"][at % 2],
                number=[0, 10**20, -1][at % 3],
                workspace=["main", "x", "%00"][at % 3],
                run=["x", "%00"][at % 2],
                name=["x", "%00", "a%2Fb"][at % 3],
                secret=["x", "%00", "%ff"][at % 3],
            )
            fields = dict.fromkeys(FIELDS, odd)
            if method == "GET":
                reply = browser.client.get(filled, params=fields)
            else:
                is_admin = path.startswith(("/admin", "/w"))
                token = csrf if is_admin else judge_csrf
                reply = browser.client.post(
                    filled,
                    data=fields | {"csrf": token},
                    headers={"Origin": house.base},
                )
            assert reply.status_code < 500, (method, filled, odd)
            assert reply.headers["X-Content-Type-Options"] == "nosniff"
