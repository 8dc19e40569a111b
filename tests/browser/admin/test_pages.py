"""Every page of the admin: usable by everybody, on every width, in both themes."""

import time

import pytest
from tests.browser.accessibility import check_themes
from tests.browser.admin.conftest import administered

from metra.store import access
from metra.store.demo import fill_store

WIDTHS = (320, 390, 768, 1280)
PAGES = {
    "login": "/admin/login",
    "campaigns": "/admin",
    "new": "/admin/campaigns/new",
    "exercise": "/admin/exercise",
    "log": "/admin/log",
    "monitor": "{key}",
    "judges": "{key}/judges",
    "preview": "{key}/preview",
    "results": "{key}/results",
    "filtered": "{key}/results?judge=Ann&judge=Bob&by=document&holm=yes&metrics=yes",
    "disagreements": "{key}/disagreements",
    "measures": "{key}/measures",
    "export": "{key}/export",
    "account": "/admin/account",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with administered(str(tmp_path_factory.mktemp("store") / "judge.db")) as made:
        [made.filled] = fill_store(made.store, ["ldc"], now=time.time())
        yield made


@pytest.fixture
def admin(server, visit):
    """Open a page with an admin's cookie."""

    def open_page(name, **how):
        context = visit(**how)
        if name != "login":
            with server.store.transaction() as db:
                token, _ = access.begin_session(
                    db, "admin", now=server.now(), name="admin"
                )
            cookie = {"name": "metra-admin", "value": token, "url": server.url}
            context.add_cookies([cookie])
        page = context.new_page()
        key = f"/admin/campaigns/{server.filled.id}"
        reply = page.goto(server.url + PAGES.get(name, name).format(key=key))
        assert reply.status == 200
        page.wait_for_load_state("networkidle")
        return page

    return open_page


@pytest.mark.parametrize("name", PAGES)
def test_no_sideways_scroll_and_nothing_for_axe(admin, name):
    page = admin(name)
    page.evaluate(
        "for (const one of document.querySelectorAll('details')) one.open = true"
    )
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is {wide} wide at {width}"
        if width in (320, 1280):
            check_themes(page)


def test_a_new_link_can_be_copied(admin, server):
    page = admin("judges")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="New link for Ann").click()
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"{server.url}/j/")


def test_the_preview_asks_the_next_question(admin, server):
    before = len(server.link(server.filled.id, "", "").judgements())
    page = admin("preview")
    first = page.locator(".example").first
    first.get_by_role("radio").first.check()
    first.get_by_text("How much of the meaning").wait_for()
    assert len(server.link(server.filled.id, "", "").judgements()) == before


@pytest.mark.parametrize("protocol", ["mqm", "ranking", "cloze", "minimal-correction"])
def test_every_kind_of_question_can_be_previewed(admin, server, protocol):
    texts = [("one two three four five six seven eight nine ten",) * 4] * 2
    link = server.campaign(protocol, outputs=texts, documents=("d",) * 4)
    page = admin(f"/admin/campaigns/{link.campaign}/preview")
    page.locator(".example .step").first.wait_for()
    assert page.locator(".example").count() >= 1
