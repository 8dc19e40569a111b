"""Coming in as an admin: right, wrong, too often, with a code, and out again."""

import re

import pytest
from tests.web.admin.conftest import PASSWORD
from tests.web.browsing import Browser

from metra.store import access, audit


def browse_from(house, address):
    """A new browser at an address."""
    from starlette.testclient import TestClient

    where = {"base_url": house.base, "client": (address, 50000)}
    return Browser(TestClient(house.app, follow_redirects=False, **where))


def sign_in(browser, password=PASSWORD, name="ann"):
    return browser.form("/admin/login", name=name, password=password)


def guess(browser, times, name="ann"):
    return [sign_in(browser, "no", name).status_code for _ in range(times)]


def test_in_and_out(light_admin):
    browser = light_admin.browser
    assert browser.get("/admin").status_code == 200
    assert browser.get("/admin/login").headers["location"] == "/admin"
    browser.get("/admin")
    assert browser.form("/admin/logout").headers["location"] == "/admin/login"
    assert "metra-admin" not in browser.client.cookies
    assert browser.get("/admin").headers["location"] == "/admin/login"
    with light_admin.house.store.reading() as db:
        first = audit.list_entries(db, what="sign in")[-1]
    assert first.data == {
        "by": "password",
        "address": "testclient",
        "browser": "testclient",
    }


def test_a_wrong_password_says_no_more_than_that(light_admin):
    browser = light_admin.house.browser()
    wrong, nobody = sign_in(browser, "no"), sign_in(browser, "no", "who")
    assert wrong.status_code == nobody.status_code == 401
    said = "Wrong name or password."
    assert said in wrong.text
    assert said in nobody.text
    assert not browser.client.cookies
    # Names that do not exist wait as those that do.
    assert guess(browser, 5, "who") == guess(browser, 5) == [401] * 4 + [429]


def test_wrong_passwords_wait_ever_longer_and_asking_costs_nothing(light_admin):
    house = light_admin.house
    browser = house.browser()
    assert guess(browser, 6) == [401] * 5 + [429]
    late = sign_in(browser)
    assert late.status_code == 429
    assert "Too many wrong passwords; try again in 1 second." in late.text
    assert late.headers["Retry-After"] == "1"
    for wait in (1, 2, 4):
        house.clock.pass_by(wait)
        assert guess(browser, 20) == [401] + [429] * 19
    house.clock.pass_by(7.5)
    assert "in 1 second." in sign_in(browser).text
    house.clock.pass_by(-86400)
    assert "in 8 seconds." in sign_in(browser).text
    house.clock.pass_by(8)
    assert sign_in(browser).status_code == 303
    assert guess(house.browser(), 6) == [401] * 5 + [429], "it forgave earlier ones"


def test_nobody_can_shut_the_admin_out(light_admin):
    house = light_admin.house
    ann = browse_from(house, "192.0.2.1")
    assert sign_in(ann).status_code == 303
    ann.get("/admin")
    assert ann.form("/admin/logout").status_code == 303
    # Somebody in the same office, and somebody far away, never stop guessing.
    for address in ("192.0.2.1", "198.51.100.7"):
        assert guess(browse_from(house, address), 6)[-1] == 429
    assert sign_in(browse_from(house, "192.0.2.1")).status_code == 429
    assert sign_in(ann).status_code == 303, "a browser that was in before"
    assert sign_in(browse_from(house, "203.0.113.5")).status_code == 303
    assert sign_in(browse_from(house, "192.0.2.1"), name="bob").status_code == 401


def test_many_names_from_one_address_wait_too(light_admin):
    """Each check takes time, so that nobody may ask for as many as they like."""
    house = light_admin.house
    stranger = house.browser()
    tried = []
    for at in range(31):
        stranger.client.cookies.set("metra-device", f"mark{at}.made-up")
        tried.append(sign_in(stranger, "no", f"name {at}").status_code)
    assert tried == [401] * 30 + [429]
    assert sign_in(stranger).status_code == 429
    assert sign_in(light_admin.browser).status_code == 303
    assert sign_in(browse_from(house, "192.0.2.1"), "no").status_code == 401
    house.clock.pass_by(1)
    assert sign_in(stranger).status_code == 303
    assert guess(house.browser(), 2, "who") == [401] * 2, "it forgave the others"


def test_the_mark_of_a_browser_opens_nothing_and_cannot_be_made_up(light_admin):
    house = light_admin.house
    mark = light_admin.browser.client.cookies["metra-device"]
    stranger = house.browser()
    assert guess(stranger, 6)[-1] == 429
    end = "1" if mark[-1] == "0" else "0"
    for wrong in ("", "x", "x.y", mark[:-1] + end, "." + mark.partition(".")[2]):
        stranger.client.cookies.clear()
        stranger.client.headers["Cookie"] = f"metra-device={wrong}"
        assert sign_in(stranger).status_code == 429, wrong
    stranger.client.headers["Cookie"] = f"metra-device={mark}"
    assert sign_in(stranger, "no").status_code == 401
    assert stranger.get("/admin").status_code == 303
    assert sign_in(stranger, "no", "bob").status_code == 401
    with house.store.transaction() as db:
        access.set_password(db, "ann", PASSWORD, now=house.clock(), who="test")
    assert sign_in(stranger).status_code == 429, "a new password forgets browsers"


def test_coming_in_again_ends_the_session_before(light_admin):
    browser = light_admin.browser
    old = browser.client.cookies["metra-admin"]
    reply = sign_in(browser)
    assert reply.status_code == 303
    assert "Max-Age=43200;" in reply.headers["Set-Cookie"]
    device = next(c for c in reply.headers.get_list("Set-Cookie") if "device" in c)
    assert f"Max-Age={365 * 86400};" in device
    assert browser.client.cookies["metra-admin"] != old
    thief = light_admin.house.browser()
    thief.client.cookies.set("metra-admin", old)
    assert thief.get("/admin").status_code == 303


def test_a_judge_is_no_admin_and_an_admin_no_judge(light_admin):
    judge = light_admin.house.browser("judge 0")
    cookies = {
        "metra-admin": judge.client.cookies["metra-judge"],
        "metra-judge": light_admin.browser.client.cookies["metra-admin"],
    }
    thief = light_admin.house.browser()
    for name, value in cookies.items():
        thief.client.cookies.set(name, value)
    assert thief.get("/admin").headers["location"] == "/admin/login"
    assert thief.get("/api/work").status_code == 401


def test_the_name_is_shown_as_text(light_admin):
    browser = light_admin.house.browser()
    reply = sign_in(browser, "no", '"><b>x')
    assert "<b>x" not in reply.text
    assert sign_in(browser, "\0", "\0").status_code == 401


# The second factor.

SECRET = access.new_secret()


def compute(house, shift=0):
    return access.compute_code(SECRET, int(house.clock() // 30) + shift)


@pytest.fixture
def guarded(light_admin):
    """An admin with a second factor, and its recovery codes."""
    house = light_admin.house
    with house.store.transaction() as db:
        codes = access.enable_second_factor(
            db, "ann", SECRET, compute(house), now=house.clock()
        )
    house.clock.pass_by(60)
    light_admin.codes = codes
    return light_admin


def ask_for_code(browser):
    page = sign_in(browser)
    assert page.status_code == 200
    assert "metra-admin" not in browser.client.cookies
    return re.search(r'name="ticket" value="([^"]+)"', page.text)[1]


def send_code(browser, ticket, code, name="ann"):
    return browser.form("/admin/login/code", name=name, ticket=ticket, code=code)


def test_a_password_needs_its_code(guarded):
    house = guarded.house
    browser = house.browser()
    ticket = ask_for_code(browser)
    assert browser.get("/admin").status_code == 303
    wrong = send_code(browser, ticket, "000000")
    assert wrong.status_code == 401
    assert "This code is wrong or was already used" in wrong.text
    assert send_code(browser, ticket, compute(house)).status_code == 303
    assert browser.get("/admin").status_code == 200
    again = send_code(house.browser(), ticket, compute(house))
    assert again.status_code == 401, "a code is used once"
    assert send_code(house.browser(), ticket, guarded.codes[3]).status_code == 303
    assert send_code(house.browser(), ticket, guarded.codes[3]).status_code == 401
    with house.store.reading() as db:
        kinds = [one.data["by"] for one in audit.list_entries(db, what="sign in")]
    assert sorted(kinds) == ["code", "password", "recovery code"]


def test_a_code_needs_its_password(guarded):
    house = guarded.house
    browser = house.browser()
    with house.store.transaction() as db:
        access.set_password(db, "bob", PASSWORD, now=house.clock(), who="test")
    ticket = ask_for_code(browser)
    moment, _, signature = ticket.partition(".")
    later = f"{int(moment) + 1}.{signature}"
    for wrong in (
        "",
        ".",
        signature,
        later,
        ticket[:-1],
        "-1.x",
        f"{'9' * 30}.x",
        "².",
    ):
        reply = send_code(browser, wrong, compute(house))
        assert reply.status_code == 401
        assert "Enter the password again." in reply.text
    assert send_code(browser, ticket, compute(house), "bob").status_code == 401
    assert send_code(browser, ticket, compute(house), "who").status_code == 401
    house.clock.pass_by(301)
    assert "Enter the password" in send_code(browser, ticket, compute(house)).text
    house.clock.pass_by(-600)
    assert "Enter the password" in send_code(browser, ticket, compute(house)).text
    assert not browser.client.cookies


def test_guesses_of_codes_count_for_all_unknown_browsers_together(guarded):
    house = guarded.house
    ticket = ask_for_code(browse_from(house, "198.51.100.7"))
    tried = [
        send_code(browse_from(house, f"198.51.100.{at}"), ticket, "000000")
        for at in range(6)
    ]
    assert [reply.status_code for reply in tried] == [401] * 5 + [429]
    assert "Too many wrong codes; try again in 1 second." in tried[-1].text
    assert tried[-1].headers["Retry-After"] == "1"
    stranger = browse_from(house, "203.0.113.5")
    assert send_code(stranger, ticket, compute(house)).status_code == 429
    known = guarded.browser
    assert send_code(known, ticket, compute(house)).status_code == 303


def test_checks_of_passwords_do_not_fill_the_memory(light_admin, monkeypatch):
    """However many come at once, two are checked at a time; each takes 64 MB."""
    import threading
    from concurrent.futures import ThreadPoolExecutor

    running, most, lock = 0, 0, threading.Lock()

    def check(*_):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.01)
        with lock:
            running -= 1
        return False

    monkeypatch.setattr(access, "check_password", check)
    house = light_admin.house
    with house.browser().client as client, ThreadPoolExecutor(8) as pool:
        browser = Browser(client)
        names = [f"name {at}" for at in range(8)]
        replies = list(pool.map(lambda name: sign_in(browser, "no", name), names))
    assert {reply.status_code for reply in replies} == {401}
    assert most == 2
