"""What may pass: headers, hosts, origins, forms, cookies, sizes, links and logs."""

import asyncio
import logging
import re
from dataclasses import replace

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from tests.campaigns import made, opened
from tests.tables import load_cases
from tests.web.browsing import answer
from tests.web.routes import routes_of

from metra.errors import OptionError
from metra.store import audit, judges
from metra.web.middleware import Guard, MaskSecrets
from metra.web.server import LOGGING, ServerOptions, check_encryption, run_server

SITE = "https://judge.example.org"


@pytest.fixture
def house(light_house):
    return light_house


@pytest.fixture
def site(house):
    """The same house as it stands behind a proxy that encrypts."""
    more = {"base_url": SITE, "hosts": frozenset()}
    return replace(house, more=more, base=SITE)


#: As the OWASP secure headers project has them, for pages without frames, scripts of others
#: and search engines.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; frame-src 'none'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": (
        "camera=(), microphone=(), geolocation=(), payment=(), usb=(), "
        "browsing-topics=(), interest-cohort=()"
    ),
    "X-Robots-Tag": "noindex, nofollow",
}
PATHS = ["/", "/judge", "/api/work", "/j/nobody", "/nowhere", "/static/icon.svg"]


@pytest.mark.parametrize("path", PATHS)
def test_every_reply_carries_the_headers(house, path):
    headers = house.browser().get(path).headers
    assert {name: headers.get(name) for name in HEADERS} == HEADERS
    static = path.startswith("/static/")
    assert headers["Cache-Control"] == ("no-cache" if static else "no-store")
    assert "Strict-Transport-Security" not in headers


def test_a_busy_worker_is_not_taken_for_dead(monkeypatch):
    import uvicorn

    told = {}
    monkeypatch.setattr(uvicorn, "run", lambda *_, **options: told.update(options))
    monkeypatch.setenv("METRA_JUDGE_SERVING", "")
    run_server(ServerOptions("judge.db", workers=2))
    assert told["workers"] == 2
    assert (told["proxy_headers"], told["forwarded_allow_ips"]) == (False, "")
    assert told["timeout_worker_healthcheck"] == 60


def test_https_is_remembered(site):
    header = site.browser().get("/").headers["Strict-Transport-Security"]
    assert header == f"max-age={365 * 86400}"


def test_our_mistakes_are_told_to_the_log_alone(house, monkeypatch, caplog):
    from metra.web.judge import pages

    def fall(*_):
        msg = "the key is under the mat"
        raise RuntimeError(msg)

    browser = house.browser("judge 0")
    monkeypatch.setattr(pages.tasks, "list_screens", fall)
    reply = browser.get("/judge/done")
    assert reply.status_code == 500
    assert reply.json() == {
        "error": "An internal error occurred; try again in a moment."
    }
    assert reply.headers["Content-Security-Policy"]
    assert "under the mat" in caplog.text


#: What a middleware is told of a request.
SCOPE = {
    "type": "http",
    "path": "/",
    "method": "GET",
    "scheme": "http",
    "headers": [(b"host", b"localhost")],
}


def test_a_reply_that_has_begun_is_not_begun_again():
    import anyio

    sent = []

    async def fall(_, __, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError

    async def note(message):
        sent.append(message["type"])

    with pytest.raises(RuntimeError):
        anyio.run(Guard(fall), SCOPE, None, note)
    assert sent == ["http.response.start"]


def test_who_goes_away_is_in_the_log_and_no_mistake_of_ours(caplog):
    import anyio
    from starlette.requests import ClientDisconnect

    async def leave(*_):
        raise ClientDisconnect

    with caplog.at_level("INFO", "metra.web"):
        anyio.run(Guard(leave), SCOPE, None, None)
    [record] = caplog.records
    assert (record.levelname, record.exc_info) == ("INFO", None)
    assert record.getMessage() == "A client disconnected during a request."


def test_no_page_holds_script_or_style_of_its_own(house):
    browser = house.browser(enter=False)
    pages = [browser.get("/").text, browser.get(f"/j/{house.tokens['judge 0']}").text]
    browser.come_in(house.tokens["judge 0"])
    pages += [
        browser.get(f"/judge/{name}").text for name in ("consent", "guide", "work")
    ]
    for page in pages:
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page)
        for tag in re.findall(r"<script[^>]*>", page):
            assert "src=" in tag or 'type="application/json"' in tag


@pytest.mark.parametrize("host", ["evil.example", "", "127.0.0.1.evil.example"])
def test_other_names_are_not_ours(house, host):
    reply = house.browser().get("/", headers={"Host": host})
    assert reply.status_code == 400


@pytest.mark.parametrize("host", ["127.0.0.1", "LocalHost:1234", "[::1]:8000"])
def test_this_machine_goes_by_several_names(house, host):
    assert house.browser().get("/health", headers={"Host": host}).status_code == 200


ORIGINS = load_cases("security: origins")


@pytest.mark.parametrize(("headers", "fits"), ORIGINS)
def test_changes_come_from_our_own_pages(house, headers, fits):
    path = f"/j/{house.tokens['judge 0']}"
    client = house.browser().client
    reply = client.post(path, headers=headers)
    assert reply.status_code == (303 if fits else 403)
    for method in ("PUT", "DELETE", "PATCH", "STRANGE"):
        reply = client.request(method, path, headers=headers)
        assert reply.status_code == (405 if fits else 403)
    assert client.head(path, headers=headers).status_code == 405


def test_without_an_address_of_its_own_the_app_goes_by_the_host(house):
    bare = replace(house, more={"base_url": None}, base="http://localhost:7777")
    path = f"/j/{house.tokens['judge 0']}"
    assert bare.browser().form(path).status_code == 303
    other = {"Origin": "http://localhost:8000"}
    assert bare.browser().client.post(path, headers=other).status_code == 403


def test_forms_need_their_token(house):
    browser = house.browser("judge 0")
    right = browser.csrf
    for wrong in ("", "x", right[:-1]):
        browser.csrf = wrong
        assert browser.form("/judge/guide").status_code == 403
        beat = browser.send("PUT", "/api/screens/x/0/draft", {})
        assert beat.status_code == 403
        assert "out of date" in beat.json()["error"]
    browser.csrf = right
    assert browser.form("/judge/guide").status_code == 303


def test_another_judges_token_does_not_do(house):
    one, other = house.browser("judge 0"), house.browser("judge 1")
    one.csrf = other.csrf
    assert one.form("/judge/guide").status_code == 403


def cookie_of(reply):
    return reply.headers["Set-Cookie"]


def test_cookies_are_out_of_reach(house, site):
    reply = house.browser().form(f"/j/{house.tokens['judge 0']}")
    plain = cookie_of(reply).lower()
    assert plain.startswith("metra-judge=")
    assert f"max-age={60 * 86400};" in plain
    reply = site.browser().form(f"/j/{house.tokens['judge 0']}")
    secure = cookie_of(reply)
    assert secure.startswith("__Host-metra-judge=")
    for part in ("httponly", "samesite=lax", "path=/"):
        assert part in plain
        assert part in secure.lower()
    assert "secure" in secure.lower()
    assert "domain" not in secure.lower()
    assert "secure" not in plain


def test_links_do_nothing_until_the_button_is_pressed(house):
    path = f"/j/{house.tokens['judge 0']}"
    for _ in range(3):
        reply = house.browser().get(path)
        assert reply.status_code == 200
        assert "Set-Cookie" not in reply.headers
    with house.store.reading() as db:
        assert [entry.what for entry in audit.list_entries(db)].count("sign in") == 0
    browser = house.browser()
    reply = browser.form(path)
    assert reply.headers["Location"] == "/judge"
    assert house.tokens["judge 0"] not in str(reply.headers)


def test_coming_in_again_ends_the_session_before(house):
    browser = house.browser("judge 0")
    old = browser.client.cookies["metra-judge"]
    browser.form(f"/j/{house.tokens['judge 0']}")
    new = browser.client.cookies["metra-judge"]
    assert old != new
    browser.client.cookies.clear()
    browser.client.cookies.set("metra-judge", old)
    assert browser.get("/api/work").status_code == 401


def test_a_revoked_judge_is_out_at_once(house):
    browser = house.browser("judge 0")
    assert browser.get("/api/work").status_code == 200
    with house.store.transaction() as db:
        key = judges.find_by_label(db, house.campaign, "judge 0").id
        judges.revoke_link(db, key, now=house.clock(), who="test")
    assert browser.get("/api/work").status_code == 401
    assert browser.get(f"/j/{house.tokens['judge 0']}").status_code == 404


def test_leaving_ends_the_session(house):
    browser = house.browser("judge 0")
    cookie = browser.client.cookies["metra-judge"]
    assert browser.form("/judge/leave").status_code == 200
    browser.client.cookies.set("metra-judge", cookie)
    assert browser.get("/api/work").status_code == 401


def test_guessing_links_is_slowed_down_and_shuts_nobody_out(house):
    browser = house.browser()
    replies = [browser.form(f"/j/guess{at}") for at in range(32)]
    assert [reply.status_code for reply in replies] == [404] * 30 + [429] * 2
    assert replies[-1].headers["Retry-After"] == "1"
    again = browser.send("POST", "/api/session", {"token": "guess"})
    assert again.status_code == 429
    assert browser.form(f"/j/{house.tokens['judge 0']}").status_code == 303
    house.clock.pass_by(1)
    assert browser.form("/j/guess").status_code == 404
    assert browser.form("/j/guess").headers["Retry-After"] == "2"


def test_too_much_is_not_even_read(house):
    browser = house.browser("judge 0")

    def endless():
        for _ in range(400):
            yield b"x" * 10_000

    headers = {"Origin": house.base, "X-CSRF-Token": browser.csrf}
    headers["Content-Type"] = "application/json"
    announced = browser.client.put(
        "/api/screens/x/0/draft",
        content=b"",
        headers=headers | {"Content-Length": "5000000"},
    )
    assert announced.status_code == 413
    assert "The request is too large" in announced.json()["error"]
    chunked = browser.client.put(
        "/api/screens/x/0/draft", content=endless(), headers=headers
    )
    assert chunked.status_code == 413
    assert "The request is too large" in chunked.json()["error"]
    form = browser.form("/judge/consent", agree="y" * 100_000)
    assert form.status_code == 413
    for path, most in (("/api/screens/x/0/draft", 1_000_000), ("/judge/guide", 64_000)):
        replies = [
            browser.client.put(path, headers=headers | {"Content-Length": str(size)})
            for size in (most, most + 1)
        ]
        assert [reply.status_code == 413 for reply in replies] == [False, True]
    # Only answers of judges need much.
    reply = browser.send("POST", "/api/session", {"token": "y" * 70_000})
    assert reply.status_code == 413
    # Whatever cookie is sent along, only uploads of campaigns may be large.
    browser.client.cookies.set("metra-admin", "x")
    for path in ("/admin/login", "/admin/login/code", "/admin/account/password"):
        form = browser.form(path, name="y" * 100_000)
        assert form.status_code == 413
    form = browser.form("/admin/campaigns/new/files", name="y" * 100_000)
    assert form.status_code == 401
    strange = browser.client.post(
        "/judge/guide", content=b"", headers=headers | {"Content-Length": "-5"}
    )
    assert strange.status_code == 413


def test_nothing_is_read_before_it_is_known_who_sends_it(house, monkeypatch):
    read, stream = [], Request.stream

    def note(request):
        read.append(request.url.path)
        return stream(request)

    monkeypatch.setattr(Request, "stream", note)
    stranger, known = house.browser(), house.browser("judge 0")
    for role in ("judge", "admin"):
        stranger.client.cookies.set(f"metra-{role}", "made up")
    unsafe = [one for one in routes_of(house.app) if one[0] in ("POST", "PUT")]
    read.clear()
    free = set()
    for method, path in unsafe:
        for body in ({"json": {}}, {"data": {"csrf": "x"}}, {"files": {"file": b"x"}}):
            headers = {"Origin": house.base}
            reply = stranger.client.request(method, path, headers=headers, **body)
            if reply.status_code != 401 or read:
                free.add(path)
            read.clear()
    assert free == {
        "/j/{token}",
        "/judge/language",
        "/admin/login",
        "/admin/login/code",
        "/api/session",
    }
    # Nor is an answer that comes without the token of the judge's page.
    known.csrf = "made up"
    assert known.send("PUT", "/api/screens/x/0/draft", {}).status_code == 403
    assert read == []


def test_only_so_many_events_at_once(house):
    browser = house.browser("judge 0")
    screen = browser.work()["screen"]
    place = f"/api/screens/{screen['task']}/0"
    event = {"seq": 1, "t_ms": 1, "kind": "k"}
    draft = {"rev": 1, "value": {}, "comment": "", "events": [event] * 2001}
    assert browser.send("PUT", f"{place}/draft", draft).status_code == 422


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *load_cases("security: the public is reached with encryption only"),
        *(
            pytest.param({"proxy": wrong}, "expected the address", id=f"proxy {wrong}")
            for wrong in ("*", "localhost", "0.0.0.0/0", "127.0.0.1,::1", "")
        ),
    ],
)
def test_the_public_is_reached_with_encryption_only(change, message):
    serving = ServerOptions("judge.db", **change)
    if message is None:
        check_encryption(serving)
    else:
        with pytest.raises(OptionError, match=message):
            check_encryption(serving)


def test_logs_hold_no_secret():
    assert LOGGING["handlers"]["error"]["filters"] == ["secrets"]
    line = ("127.0.0.1:5", "GET", "/j/secret?x=1", "1.1", 200)
    record = logging.LogRecord("x", 20, "", 0, '%s - "%s %s HTTP/%s" %d', line, None)
    assert MaskSecrets().filter(record)
    assert record.getMessage() == '127.0.0.1:5 - "GET /j/***?x=1 HTTP/1.1" 200'


def test_pages_are_sent_back_only_within_the_site(house):
    browser = house.browser()
    wishes = {
        "/j/abc": "/j/abc",
        "//evil.example": "/judge",
        "https://evil.example": "/judge",
        "/\\evil.example": "/judge",
        "/ü": "/judge",
        "/a\r\nSet-Cookie: x": "/judge",
    }
    for wish, place in wishes.items():
        reply = browser.form("/judge/language", language="en", back=wish)
        assert reply.headers["Location"] == place
    assert "metra-language=en" in cookie_of(reply)
    assert f"Max-Age={365 * 86400};" in cookie_of(reply)
    reply = browser.form("/judge/language", language="<script>", back="/")
    assert "Set-Cookie" not in reply.headers


def test_an_address_of_version_six_counts_by_its_network():
    from types import SimpleNamespace

    from metra.web.middleware import get_client_address

    def seen(host):
        return get_client_address(SimpleNamespace(client=SimpleNamespace(host=host)))

    assert seen("2001:db8::1") == seen("2001:db8::ffff") == "2001:db8::/64"
    assert seen("::ffff:1.2.3.4") == "::ffff:102:304"
    assert (seen("1.2.3.4"), seen("testclient")) == ("1.2.3.4", "testclient")
    assert seen("x" * 101) == "x" * 100
    assert get_client_address(SimpleNamespace(client=None)) == ""


def test_wrong_json_is_told_in_a_sentence(house):
    browser = house.browser("judge 0")
    headers = {"Origin": house.base, "X-CSRF-Token": browser.csrf}
    headers["Content-Type"] = "application/json"
    for content in (b"{", b"[1,", b"\xff", b"[" * 100_000, b'{"rev": 1e999}', b"1"):
        reply = browser.client.put(
            "/api/screens/x/0/draft", content=content, headers=headers
        )
        assert reply.status_code in (400, 422)
        assert set(reply.json()) == {"error"}
    place = browser.work()["screen"]["task"]
    odd = b'{"rev": 1, "value": {"fluency": NaN, "x": "\\ud800"}}'
    reply = browser.client.put(
        f"/api/screens/{place}/0/draft", content=odd, headers=headers
    )
    assert reply.status_code == 422


def test_half_a_character_comes_back_as_it_went(house):
    browser = house.browser("judge 0")
    task = browser.work()["screen"]["task"]
    headers = {"Origin": house.base, "X-CSRF-Token": browser.csrf}
    headers["Content-Type"] = "application/json"
    body = b'{"rev": 1, "value": {"x": "\\ud800\\u0000"}, "comment": "a\\u0000b"}'
    path = f"/api/screens/{task}/0"
    reply = browser.client.put(f"{path}/draft", content=body, headers=headers)
    assert reply.status_code == 200
    draft = browser.get(path).json()["draft"]
    assert draft == {"rev": 1, "value": {"x": "\ud800\0"}, "comment": "ab"}


def test_answers_wait_for_consent_and_guide(house):
    browser = house.browser()
    browser.form(f"/j/{house.tokens['judge 0']}")
    browser.get("/judge/consent")
    reply = browser.get("/api/work")
    assert (reply.status_code, reply.json()["reason"]) == (403, "stage")
    sent = browser.send("POST", "/api/screens/x/0/answer", answer({}))
    assert sent.status_code == 403
    assert browser.get("/judge/guide").headers["Location"] == "/judge/consent"
    assert browser.form("/judge/guide").headers["Location"] == "/judge/consent"
    assert browser.get("/judge/work").headers["Location"] == "/judge"
    assert browser.form("/judge/consent").headers["Location"] == "/judge/consent"


def test_health_looks_into_the_store(store):
    house = opened(store, made())
    assert house.browser().get("/health").json() == {"ok": True}


def test_a_sign_of_life_is_written_down_once_a_minute(house):
    browser = house.browser("judge 0")
    begun = house.clock()

    def read_last_sign():
        query = "SELECT max(seen_at) FROM session"
        with house.store.reading() as db:
            return db.exec_driver_sql(query).scalar_one() - begun

    seen = []
    for seconds in (60, 1, 60, 1):
        house.clock.pass_by(seconds)
        browser.get("/judge/work")
        seen.append(read_last_sign())
    assert seen == [0, 61, 61, 122]


@pytest.mark.parametrize("limit", [64_000, 1_000_000])
@pytest.mark.parametrize("more", [0, 1])
def test_a_body_that_is_not_announced_may_be_as_large_as_the_limit(limit, more):
    path = "/api/screens/x" if limit == 1_000_000 else "/login"
    pieces = [b"x" * (limit - 10), b"y" * (10 + more)]
    read = []

    async def app(_scope, receive, _send):
        try:
            for _ in range(2):
                read.append((await receive())["body"])
        except HTTPException as error:
            read.append(error.status_code)

    async def receive():
        return {"type": "http.request", "body": pieces[len(read)]}

    asyncio.run(Guard(app)(SCOPE | {"path": path}, receive, None))
    assert read == ([pieces[0], 413] if more else pieces)
