"""Judges who are quicker than the connection: no key is lost, doubled or taken for another."""

import re

from playwright.sync_api import expect
from tests.browser.judge.holding import Held
from tests.browser.judge.test_nothing_is_lost import OFFLINE, place, saved
from tests.browser.keys import press


def test_what_was_handed_in_stays_as_it_was(server, work):
    link = server.campaign("adequacy")
    page = work(link)
    answers = Held(page, "**/answer")
    press(page, "3", "Enter")
    expect(page.locator("article.item")).to_have_js_property("inert", True)
    page.keyboard.press("5")
    answers.wait()
    page.keyboard.press("5")
    expect(page.locator("input:checked")).to_have_value("3")
    answers.let_go()
    place(page, 2)
    assert page.locator("input:checked").count() == 0
    assert [one.value for one in link.judgements()] == [{"adequacy": 3}]


def test_a_key_between_two_screens_is_nobodys(server, work):
    link = server.campaign("adequacy", documents=("d",) * 4, unit="document")
    page = work(link)
    parts = Held(page, re.compile("/api/screens/[^/]+/0$"))
    press(page, "2", "Enter")
    parts.wait()
    press(page, "4", "Enter")
    place(page, 1)
    parts.let_go()
    place(page, 2)
    assert page.locator("input:checked").count() == 0
    press(page, "1", "Enter")
    place(page, 3)
    assert [one.value["adequacy"] for one in link.judgements()] == [2, 1]


def test_a_key_before_the_next_question_is_nobodys(server, work):
    link = server.campaign("ldc")
    page = work(link)
    reveals = Held(page, "**/reveal")
    press(page, "4", "Enter")
    reveals.wait()
    press(page, "2", "Enter")
    reveals.let_go()
    page.locator(".card.given").wait_for()
    press(page, "1", "Enter")
    place(page, 2)
    assert [one.value for one in link.judgements()] == [{"fluency": 4, "adequacy": 1}]


def test_a_question_that_came_late_is_no_trouble_any_more(server, work):
    page = work(server.campaign("ldc"), allow=OFFLINE)
    cut = []

    def lose(route) -> None:
        cut.append(route)
        route.abort() if len(cut) == 1 else route.continue_()

    page.route("**/reveal", lose)
    press(page, "4", "Enter")
    page.locator(".card.given").wait_for()
    assert len(cut) == 2
    saved(page)
    expect(page.locator("#trouble")).to_be_hidden()


def test_a_question_that_is_refused_is_said(server, work):
    from metra.store import campaigns

    link = server.campaign("ldc")
    page = work(link, allow=("409", "403"))
    with server.store.transaction() as db:
        campaigns.set_state(db, link.campaign, "closed", now=server.now(), who="test")
    press(page, "4", "Enter")
    expect(page.locator("#trouble")).to_contain_text("Judging has ended")
    expect(page.locator(".actions .primary")).not_to_have_attribute("aria-busy", "true")
    assert page.locator(".card.given").count() == 0
    expect(page.locator("article.item")).to_have_js_property("inert", False)


def test_what_was_changed_on_the_way_is_not_called_saved(server, work):
    page = work(server.campaign("adequacy"))
    drafts = Held(page, "**/draft")
    page.keyboard.press("1")
    drafts.wait()
    page.keyboard.press("2")
    # By then it would be sent, were the other not on its way.
    page.wait_for_timeout(1000)
    drafts.let_go()
    drafts.wait()
    assert page.locator("#saved").inner_text() == "saving…"
    drafts.let_go()
    saved(page)


def test_what_is_handed_in_counts_more_than_a_draft_from_elsewhere(server, work):
    link = server.campaign("adequacy")
    desk = work(link, allow=("409",))
    phone = work(link)
    drafts = Held(desk, "**/draft")
    desk.keyboard.press("1")
    drafts.wait()
    press(phone, "5", "4")
    saved(phone)
    desk.keyboard.press("Enter")
    drafts.let_go()
    place(desk, 2)
    assert desk.locator("#trouble").is_hidden()
    assert [one.value for one in link.judgements()] == [{"adequacy": 1}]


def test_no_screen_begins_with_the_answer_to_the_last(server, work):
    link = server.campaign("adequacy")
    page = work(link)
    # As if the window were closed while the next screen is looked up on the device.
    page.evaluate(
        """() => {
          const get = IDBObjectStore.prototype.get;
          IDBObjectStore.prototype.get = function (...key) {
            dispatchEvent(new Event("pagehide"));
            return get.apply(this, key);
          };
        }"""
    )
    press(page, "3", "Enter")
    place(page, 2)
    page.reload()
    place(page, 2)
    assert page.locator("input:checked").count() == 0
