"""An admin's own page: sessions, password, second factor; and the log of exports."""

import re

import pytest
import segno
from tests.web.admin.conftest import PASSWORD, rows
from tests.web.admin.test_entering import browse_from, sign_in

from metra.store import access, audit

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
ACCOUNT = "/admin/account"


@pytest.fixture
def admin(light_admin):
    return light_admin


def come_in(house, address, agent=FIREFOX):
    browser = browse_from(house, address)
    browser.client.headers["User-Agent"] = agent
    assert sign_in(browser).status_code == 303
    browser.get("/admin")
    return browser


def is_in(browser):
    return browser.client.get("/admin").status_code == 200


def test_sessions_are_listed_and_ended_one_by_one(admin):
    house = admin.house
    house.clock.pass_by(60)
    firefox = come_in(house, "192.0.2.1")
    house.clock.pass_by(60)
    other = come_in(house, "192.0.2.2", "curl/8")
    table = rows(other.get(ACCOUNT).text, "Sessions")
    assert [row[:2] for row in table[1:]] == [
        ["curl/8 this browser", "192.0.2.2"],
        [FIREFOX, "192.0.2.1"],
        ["testclient", "testclient"],
    ]
    keys = re.findall(r'name="key" value="(\w+)"', other.get(ACCOUNT).text)
    assert other.form(f"{ACCOUNT}/sessions", key=keys[1]).status_code == 303
    assert [is_in(one) for one in (admin.browser, firefox, other)] == [
        True,
        False,
        True,
    ]
    assert other.form(f"{ACCOUNT}/sessions", key="nothing").status_code == 303
    reply = other.form(f"{ACCOUNT}/sessions", key=keys[0])
    assert reply.headers["location"] == "/admin/login"
    assert [is_in(one) for one in (admin.browser, firefox, other)] == [
        True,
        False,
        False,
    ]


def test_all_other_sessions_end_at_once_and_those_of_others_stay(admin):
    house = admin.house
    with house.store.transaction() as db:
        access.set_password(db, "bob", PASSWORD, now=house.clock(), who="test")
    bob = browse_from(house, "192.0.2.9")
    assert sign_in(bob, name="bob").status_code == 303
    judge = house.browser("judge 0")
    mine, other = come_in(house, "192.0.2.1"), come_in(house, "192.0.2.2")
    key = re.findall(r'name="key" value="(\w+)"', bob.get(ACCOUNT).text)
    assert len(key) == 1
    mine.form(f"{ACCOUNT}/sessions", key=key[0])
    assert is_in(bob)
    assert mine.form(f"{ACCOUNT}/sessions").headers["location"] == ACCOUNT
    assert [is_in(one) for one in (mine, other, admin.browser, bob)] == [1, 0, 0, 1]
    assert judge.get("/api/work").status_code == 200
    with house.store.reading() as db:
        ended = audit.list_entries(db, what="end sessions")
    assert {entry.data["sessions"] for entry in ended} == {0, 2}


def test_a_new_password_ends_the_sessions_everywhere_else(admin):
    house, new = admin.house, "another horse battery"
    mine, other = come_in(house, "192.0.2.1"), come_in(house, "192.0.2.2")
    old = mine.client.cookies["metra-admin"]
    wrong = mine.form(f"{ACCOUNT}/password", password="no", new=new)
    assert wrong.status_code == 401
    short = mine.form(f"{ACCOUNT}/password", password=PASSWORD, new="short")
    assert short.status_code == 422
    assert "has 5 characters; expected 10 or more" in short.text
    assert is_in(other)
    done = mine.form(f"{ACCOUNT}/password", password=PASSWORD, new=new)
    assert done.headers["location"] == ACCOUNT
    assert mine.client.cookies["metra-admin"] != old
    assert [is_in(one) for one in (mine, other, admin.browser)] == [True, False, False]
    assert sign_in(other).status_code == 401
    assert sign_in(other, new).status_code == 303


def test_wrong_passwords_on_the_page_wait_too(admin):
    forms = ("password", "second-factor/remove")
    for at in range(6):
        reply = admin.browser.form(f"{ACCOUNT}/{forms[at % 2]}", password="no")
        assert reply.status_code == (401 if at < 5 else 429)
    assert reply.headers["Retry-After"] == "1"


def begin_setup(browser):
    page = browser.form(f"{ACCOUNT}/second-factor").text
    return re.search(r'name="secret" value="([A-Z2-7]{32})"', page)[1], page


def test_a_second_factor_is_set_up_and_removed(admin):
    house, browser = admin.house, admin.browser
    secret, page = begin_setup(browser)
    assert begin_setup(browser)[0] != secret
    uri = f"otpauth://totp/metra:ann%40127.0.0.1?secret={secret}&amp;issuer=metra"
    assert f'href="{uri}"' in page
    qr = segno.make_qr(uri.replace("&amp;", "&"), error="l")
    assert (
        re.search(r'class="dark".* d="([^"]+)"', qr.svg_inline(lineclass="dark"))[1]
        in page
    )
    code = access.compute_code(secret, int(house.clock() // 30))

    def send(**fields):
        sent = {"secret": secret, "code": code, "password": PASSWORD} | fields
        return browser.form(f"{ACCOUNT}/second-factor", **sent)

    assert send(secret="A").status_code == 422
    assert send(password="no").status_code == 401
    wrong = send(code="000000")
    assert wrong.status_code == 422
    assert secret in wrong.text, "the app knows this one"
    assert "Off: you sign in with your password only" in browser.get(ACCOUNT).text
    done = send()
    codes = re.findall(r"<code>([A-Z2-7]{4}(?:-[A-Z2-7]{4}){3})</code>", done.text)
    assert len(set(codes)) == 10
    assert "You have 10 recovery codes left" in browser.get(ACCOUNT).text
    assert "Code" in sign_in(house.browser()).text

    browser.form(f"{ACCOUNT}/second-factor/remove", password="no")
    with house.store.reading() as db:
        assert access.has_second_factor(db, "ann")
    gone = browser.form(f"{ACCOUNT}/second-factor/remove", password=PASSWORD)
    assert gone.headers["location"] == ACCOUNT
    assert sign_in(house.browser()).status_code == 303


def test_exports_are_in_the_log_with_their_size(admin):
    house, browser = admin.house, admin.browser
    judge = house.browser("judge 0")
    work = judge.work()
    judge.answer(work, work["screen"])
    sizes = {}
    for form in ("jsonl", "tsv"):
        reply = browser.get(f"{admin.place}/export/{form}")
        sizes[form] = str(len(reply.content))
    assert browser.get(f"{admin.place}/export/nothing").status_code == 404
    exports = browser.get(f"{admin.place}/log", params={"what": "export"}).text
    whole = browser.get("/admin/log", params={"what": "export"}).text
    for page in (exports, whole):
        table = rows(page, "Log")[1:]
        assert [row[1:3] for row in table] == [["ann", "export"]] * 2
        told = {row[-1] for row in table}
        assert told == {
            f"format: {form}; blind: yes; rows: 1; bytes: {size}"
            for form, size in sizes.items()
        }
    assert len(rows(browser.get("/admin/log").text, "Log")) > 3
    assert browser.get("/admin/log", params={"what": "\0"}).status_code == 200
