"""Who may do what: every route of the app, for each kind of visitor.

A route without a line here fails; so does a line without a route.
"""

import uuid

import pytest
from tests.campaigns import made, opened
from tests.web import test_workbench
from tests.web.routes import routes_of

from metra.store import access, campaigns, judges

#: Method, path: the status for (nobody, another judge, the judge, an admin).
JUDGING = {
    ("GET", "/"): (200, 200, 200, 200),
    ("GET", "/health"): (200, 200, 200, 200),
    ("MOUNT", "/static"): (200, 200, 200, 200),
    ("MOUNT", "/static/kit"): (200, 200, 200, 200),
    # The link itself is the key, whoever holds it.
    ("GET", "/j/{token}"): (200, 200, 200, 200),
    ("POST", "/j/{token}"): (303, 303, 303, 303),
    ("POST", "/api/session"): (200, 200, 200, 200),
    ("POST", "/judge/language"): (303, 303, 303, 303),
    ("GET", "/judge"): (401, 303, 303, 401),
    ("GET", "/judge/consent"): (401, 200, 200, 401),
    ("POST", "/judge/consent"): (401, 303, 303, 401),
    ("GET", "/judge/guide"): (401, 200, 200, 401),
    ("POST", "/judge/guide"): (401, 303, 303, 401),
    ("GET", "/judge/work"): (401, 200, 200, 401),
    ("GET", "/judge/done"): (401, 303, 303, 401),
    ("GET", "/judge/parts"): (401, 200, 200, 401),
    ("POST", "/judge/parts"): (401, 404, 404, 401),  # without one of their own
    ("POST", "/judge/remark"): (401, 404, 404, 401),
    ("POST", "/judge/leave"): (401, 200, 200, 401),
    ("GET", "/api/work"): (401, 200, 200, 401),
    ("GET", "/api/screens/{task}/{number}"): (401, 404, 200, 401),
    ("POST", "/api/screens/{task}/{number}/reveal"): (401, 404, 200, 401),
    ("PUT", "/api/screens/{task}/{number}/draft"): (401, 404, 200, 401),
    ("POST", "/api/screens/{task}/{number}/answer"): (401, 404, 200, 401),
}
#: The same; who is no admin is sent to where admins come in, or refused.
ADMINISTERING = {
    ("GET", "/admin/login"): (200, 200, 200, 303),
    ("POST", "/admin/login"): (401, 401, 401, 401),  # with a wrong password
    ("POST", "/admin/login/code"): (401, 401, 401, 401),  # without a password
    ("POST", "/admin/logout"): (401, 401, 401, 303),
    # Without the password, or with nothing but a new secret.
    ("POST", "/admin/account/password"): (401, 401, 401, 401),
    ("POST", "/admin/account/second-factor"): (401, 401, 401, 200),
    ("POST", "/admin/account/second-factor/remove"): (401, 401, 401, 401),
    ("POST", "/admin/account/sessions"): (401, 401, 401, 303),
    **{
        ("GET", path): (303, 303, 303, 200)
        for path in (
            "/admin",
            "/admin/account",
            "/admin/log",
            "/admin/exercise",
            "/admin/campaigns/new",
            "/admin/campaigns/{key}/disagreements",
            "/admin/campaigns/{key}",
            "/admin/campaigns/{key}/export",
            "/admin/campaigns/{key}/judges",
            "/admin/campaigns/{key}/log",
            "/admin/campaigns/{key}/measures",
            "/admin/campaigns/{key}/preview",
            "/admin/campaigns/{key}/results",
        )
    },
    # In no such form.
    ("GET", "/admin/campaigns/{key}/results/figures.{form}"): (303, 303, 303, 404),
    # Nothing is judged yet.
    ("GET", "/admin/campaigns/{key}/export/{form}"): (303, 303, 303, 422),
    **{
        ("POST", path): (401, 401, 401, 303)
        for path in (
            "/admin/campaigns/{key}/judges/note",
            "/admin/campaigns/{key}/judges/revoke",
            "/admin/campaigns/{key}/release",
            "/admin/campaigns/{key}/state",
        )
    },
    # The links are in the reply, this once.
    ("POST", "/admin/campaigns/{key}/judges/issue"): (401, 401, 401, 200),
    # Forms with nothing in them.
    ("POST", "/admin/campaigns/new/files"): (401, 401, 401, 422),
    ("POST", "/admin/campaigns/new/settings"): (401, 401, 401, 422),
    ("POST", "/admin/campaigns/{key}/second-look"): (401, 401, 401, 422),
    ("POST", "/admin/campaigns/{key}/disagreements"): (401, 401, 401, 422),
    ("POST", "/admin/campaigns/{key}/judges/forget"): (401, 401, 401, 422),
    ("POST", "/admin/campaigns/{key}/unblind"): (401, 401, 401, 303),
}
MATRIX = JUDGING | ADMINISTERING | test_workbench.ROUTES | test_workbench.API
VISITORS = ("nobody", "another judge", "the judge", "an admin")


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    from metra import store as stores

    store = stores.open(str(tmp_path_factory.mktemp("store") / "judge.db"))
    house = opened(store, made("da"))
    for label in LABELS.values():
        house.browser(label)
    yield house
    store.close()


@pytest.fixture
def place(house):
    """The screen that the judge has reached."""
    return visitor(house, "the judge").work()["screen"]


@pytest.fixture(scope="module")
def untouched(house):
    """A campaign that nobody changes."""
    return opened(house.store, made("da", name="untouched"))


LABELS = {"the judge": "judge 0", "another judge": "judge 1"}


def visitor(house, who):
    """A browser with a session of its own; judges have consented in another one."""
    browser = house.browser()
    if who == "nobody":
        return browser
    role, more = "admin", {"name": "ann"}
    with house.store.transaction() as db:
        access.forget_attempts(db)
        if who in LABELS:
            judge = judges.find_by_label(db, house.campaign, LABELS[who])
            role, more = "judge", {"judge": judge.id}
        begun = access.begin_session(db, role, now=house.clock(), **more)
    browser.client.cookies.set(f"metra-{role}", begun[0])
    browser.csrf = begun[1].csrf
    return browser


def bodies(house):
    value = {"da": 50}
    return {
        "/api/session": {"token": house.tokens["judge 0"]},
        "/api/screens/{task}/{number}/reveal": {"step": 0, "rev": 99, "value": value},
        "/api/screens/{task}/{number}/draft": {"rev": 99, "value": value},
        "/api/screens/{task}/{number}/answer": {
            "id": str(uuid.uuid4()),
            "value": value,
        },
    }


def test_every_route_is_in_the_matrix(house):
    assert routes_of(house.app) == sorted(MATRIX)


@pytest.mark.parametrize("who", VISITORS)
@pytest.mark.parametrize(("method", "path"), JUDGING)
def test_judging_is_for_judges(house, place, method, path, who):
    browser = visitor(house, who)
    filled = path.format(
        token=house.tokens["judge 0"], task=place["task"], number=place["number"]
    )
    if method == "MOUNT":
        place = {"/static": "icon.svg", "/static/kit": "kit.css"}[path]
        reply = browser.get(f"{path}/{place}")
    elif method == "GET":
        reply = browser.get(filled)
    elif path.startswith("/api/"):
        reply = browser.send(method, filled, bodies(house)[path])
    else:
        reply = browser.form(filled, agree="yes")
    assert reply.status_code == MATRIX[method, path][VISITORS.index(who)], reply.text


@pytest.mark.parametrize("who", VISITORS)
@pytest.mark.parametrize(("method", "path"), ADMINISTERING)
def test_administering_is_for_admins(house, untouched, method, path, who):
    second = untouched
    if who == "an admin" and method == "POST" and "{key}" in path:
        second = opened(house.store, made("da", name=str(uuid.uuid4())))
    with house.store.reading() as db:
        spare = judges.find_by_label(db, second.campaign, "judge 3")
    browser = visitor(house, who)
    filled = path.format(key=second.campaign, form="jsonl")
    if method == "GET":
        reply = browser.get(filled)
        if reply.status_code == 303 and who != "an admin":
            assert reply.headers["Location"] == "/admin/login"
    else:
        reply = browser.form(filled, judge=spare.id, state="paused", name="ann")
    assert reply.status_code == MATRIX[method, path][VISITORS.index(who)], reply.text
    if who != "an admin" and method == "POST":
        with house.store.reading() as db:
            assert campaigns.get_campaign(db, second.campaign).state == "open"
            assert campaigns.get_campaign(db, second.campaign).unblinded_at is None
            assert judges.find_judge(db, spare.id) == spare


def test_an_admin_of_yesterday_is_nobody(house):
    browser = visitor(house, "an admin")
    assert browser.get("/admin").status_code == 200
    now = house.clock.now
    house.clock.pass_by(13 * 3600)
    assert browser.get("/admin").status_code == 303
    house.clock.now = now


@pytest.mark.parametrize(
    "path", [path for method, path in ADMINISTERING if "{key}" in path]
)
def test_a_campaign_that_is_not_there(house, path):
    method = next(method for method, place in ADMINISTERING if place == path)
    browser = visitor(house, "an admin")
    filled = path.format(key="none", form="jsonl")
    reply = browser.get(filled) if method == "GET" else browser.form(filled)
    assert reply.status_code == 404


@pytest.mark.parametrize(
    "deed", ["release", "judges/issue", "judges/revoke", "judges/note"]
)
def test_an_admin_names_judges_of_the_campaign_only(house, deed):
    one, other = (opened(house.store, made("da", name=str(uuid.uuid4()))) for _ in "ab")
    with house.store.reading() as db:
        stranger = judges.list_judges(db, other.campaign)[0].id
    browser = visitor(house, "an admin")
    for judge in (stranger, "none"):
        reply = browser.form(f"/admin/campaigns/{one.campaign}/{deed}", judge=judge)
        assert reply.status_code == 404


def test_an_admins_form_needs_its_token(house):
    browser = visitor(house, "an admin")
    browser.csrf = "wrong"
    for method, path in ADMINISTERING:
        if method == "POST" and not path.startswith("/admin/login"):
            reply = browser.form(path.format(key=house.campaign))
            assert reply.status_code == 403, path


def test_others_screens_are_as_if_they_were_not_there(house, place):
    other = house.browser("judge 1")
    theirs = other.get(f"/api/screens/{place['task']}/0")
    none = other.get("/api/screens/0123456789abcdef0123/0")
    assert theirs.status_code == none.status_code == 404
    assert theirs.text == none.text


def test_a_judge_of_one_campaign_is_nobody_in_another(house):
    second = opened(house.store, made("da", name="second"))
    mine = second.browser("judge 0").work()["screen"]
    reply = house.browser("judge 0").get(f"/api/screens/{mine['task']}/0")
    assert reply.status_code == 404
