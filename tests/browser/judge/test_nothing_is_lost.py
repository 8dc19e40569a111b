"""Whatever happens to the connection, the session or the page: one answer, and all of it."""

import pytest
from playwright.sync_api import Error, expect
from tests.browser.judge.holding import Held
from tests.browser.keys import press

OFFLINE = ("ERR_INTERNET_DISCONNECTED", "ERR_FAILED")


def saved(page) -> None:
    expect(page.locator("#saved")).to_have_text("saved")


def place(page, number: int, of: int = 4) -> None:
    expect(page.locator("#place")).to_have_text(f"{number} of {of}")


def cut_off(page) -> None:
    """Without a connection, whatever the page becomes; a browser that is set offline lets a
    page send once more while it leaves it."""
    page.context.route("**/*", lambda route: route.abort("internetdisconnected"))


def connect(page) -> None:
    page.context.unroute("**/*")


def test_a_draft_made_offline_outlives_a_reload(server, work):
    link = server.campaign("esa")
    page = work(link, allow=OFFLINE)
    saved(page)
    cut_off(page)
    press(page, "Shift+ArrowRight", "2", "c")
    page.keyboard.type("written in a tunnel")
    expect(page.locator("#saved")).to_have_text("not sent yet")
    expect(page.locator("#trouble")).to_contain_text("kept on this device")
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        page.reload()
    connect(page)
    page.goto(f"{server.url}/judge/work")
    expect(page.locator(".marks li")).to_have_count(1)
    expect(page.locator("textarea")).to_have_value("written in a tunnel")
    saved(page)
    page.keyboard.press("Enter")
    page.keyboard.type("44")
    page.keyboard.press("Enter")
    place(page, 2)
    [judgement] = link.judgements()
    assert judgement.comment == "written in a tunnel"
    assert judgement.value["esa"] == 44
    [mark] = judgement.value["errors"]
    words = judgement.outputs[0].split()
    assert judgement.outputs[0][mark["start"] : mark["end"]] == " ".join(words[:2])


def test_an_answer_given_offline_arrives_once_after_a_reload(server, work):
    link = server.campaign("adequacy")
    page = work(link, allow=OFFLINE)
    cut_off(page)
    press(page, "3", "Enter", "Enter")
    expect(page.locator("#saved")).to_have_text("not sent yet")
    assert link.judgements() == []
    page.goto("about:blank")
    connect(page)
    page.goto(f"{server.url}/judge/work")
    place(page, 2)
    assert [one.value for one in link.judgements()] == [{"adequacy": 3}]
    page.reload()
    place(page, 2)
    assert len(link.judgements()) == 1


def test_the_connection_comes_back_by_itself(server, work):
    link = server.campaign("ldc")
    page = work(link, allow=OFFLINE)
    page.context.set_offline(True)
    page.wait_for_function("fetch('/health').then(() => false, () => true)")
    press(page, "2", "Enter")
    expect(page.locator("#saved")).to_have_text("not sent yet")
    # The reference comes from the server only after fluency, so it has to wait.
    assert page.locator(".card.given").count() == 0
    page.context.set_offline(False)
    page.locator(".card.given").wait_for()
    saved(page)
    assert page.locator("#trouble").is_hidden()
    press(page, "4", "Enter")
    place(page, 2)
    assert [one.value for one in link.judgements()] == [{"fluency": 2, "adequacy": 4}]


def test_an_answer_waits_while_the_server_cannot_save(server, work):
    link = server.campaign("adequacy")
    page = work(link, allow=("507",))
    asked = []

    def refuse(route) -> None:
        asked.append(route.request.post_data_json["id"])
        if len(asked) > 1:
            route.continue_()
            return
        told = {"ok": False, "error": "The disk is full.", "reason": "store"}
        route.fulfill(status=507, json=told)

    page.route("**/answer", refuse)
    press(page, "2", "Enter")
    expect(page.locator("#saved")).to_have_text("not sent yet")
    expect(page.locator("#trouble")).to_contain_text("cannot save at the moment")
    place(page, 2)
    assert page.locator("#trouble").is_hidden()
    assert asked[0] == asked[1]
    assert [one.id for one in link.judgements()] == [asked[0]]


def test_a_reply_that_is_lost_makes_no_second_answer(server, work):
    link = server.campaign("adequacy")
    page = work(link, allow=("ERR_FAILED",))
    cut = []

    def lose(route) -> None:
        route.fetch()
        cut.append(route.request.post_data_json["id"])
        route.abort() if len(cut) == 1 else route.continue_()

    page.route("**/answer", lose)
    press(page, "2", "Enter")
    place(page, 2)
    assert len(cut) == 2
    assert cut[0] == cut[1]
    assert [one.id for one in link.judgements()] == [cut[0]]


def test_who_was_signed_out_signs_in_on_the_spot(server, work):
    link = server.campaign("adequacy")
    page = work(link, allow=("401", "404"))
    saved(page)
    link.end_sessions()
    # Nothing is sent while she types: the dialog would take the letters.
    sent = Held(page, "**/api/**")
    press(page, "4", "c")
    page.keyboard.type("still here")
    sent.end()
    shown = page.get_by_role("dialog", name="Please sign in again")
    shown.get_by_label("Your link or code").fill("not-my-link")
    page.keyboard.press("Enter")
    expect(shown.get_by_text("not valid")).to_be_visible()
    shown.get_by_label("Your link or code").fill(f" {link.url}?utm=mail ")
    page.keyboard.press("Enter")
    expect(shown).to_have_count(0)
    saved(page)
    page.keyboard.press("Control+Enter")
    place(page, 2)
    [judgement] = link.judgements()
    assert (judgement.value, judgement.comment) == ({"adequacy": 4}, "still here")


def test_an_answer_is_sent_again_after_signing_in(server, work):
    link = server.campaign("adequacy")
    page = work(link, allow=("401",))
    page.keyboard.press("1")
    saved(page)
    link.end_sessions()
    page.keyboard.press("Enter")
    page.get_by_label("Your link or code").fill(link.token)
    page.keyboard.press("Enter")
    place(page, 2)
    assert len(link.judgements()) == 1


def test_a_double_click_gives_one_answer(server, work):
    link = server.campaign("adequacy")
    page = work(link)
    page.locator(".choice input").nth(4).click()
    page.locator(".actions .primary").dblclick()
    place(page, 2)
    page.wait_for_timeout(300)
    place(page, 2)
    assert [one.value for one in link.judgements()] == [{"adequacy": 5}]


def test_who_can_judge_after_all_goes_on_where_she_was(server, work):
    link = server.campaign("adequacy")
    page = work(link)
    page.keyboard.press("x")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    # A closed dialog that is still in the page would take the next keys.
    expect(page.locator("dialog")).to_have_count(0)
    press(page, "4", "Enter")
    place(page, 2)
    assert [one.value for one in link.judgements()] == [{"adequacy": 4}]


def test_of_two_tabs_the_newer_works(server, work):
    link = server.campaign("adequacy")
    first = work(link)
    first.keyboard.press("2")
    second = first.context.new_page()
    second.goto(f"{server.url}/judge/work")
    expect(second.locator("input:checked")).to_have_value("2")
    stopped = first.get_by_role("dialog", name="You are working in another window")
    expect(stopped).to_be_visible()
    press(first, "Escape", "Escape")
    expect(stopped).to_be_visible()
    second.keyboard.press("5")
    saved(second)
    stopped.get_by_role("button").click()
    expect(first.locator("input:checked")).to_have_value("5")
    expect(second.get_by_role("dialog")).to_be_visible()
    first.keyboard.press("Enter")
    place(first, 2)
    assert [one.value for one in link.judgements()] == [{"adequacy": 5}]


def test_another_device_that_was_ahead_is_shown(server, work):
    link = server.campaign("adequacy")
    desk = work(link, allow=("409",))
    phone = work(link)
    for key in "1234":
        phone.keyboard.press(key)
    saved(phone)
    desk.keyboard.press("1")
    expect(desk.locator("#trouble")).to_contain_text("newer version")
    expect(desk.locator("input:checked")).to_have_value("4")
    desk.keyboard.press("Enter")
    place(desk, 2)
    assert [one.value for one in link.judgements()] == [{"adequacy": 4}]


def test_a_week_later_everything_is_there(server, work):
    link = server.campaign("ldc")
    page = work(link)
    press(page, "3", "Enter")
    page.locator(".card.given").wait_for()
    page.keyboard.press("2")
    saved(page)
    page.context.close()
    server.ahead += 7 * 24 * 3600
    later = work(link)
    expect(later.locator(".past").first).to_contain_text("3 Non-native")
    expect(later.locator(".card.given")).to_be_visible()
    expect(later.locator("input:checked").last).to_have_value("2")
    later.keyboard.press("Enter")
    place(later, 2)
    assert [one.value for one in link.judgements()] == [{"fluency": 3, "adequacy": 2}]


def test_what_the_server_refuses_is_said(server, work):
    from metra.store import campaigns

    link = server.campaign("adequacy")
    page = work(link, allow=("409", "403"))
    with server.store.transaction() as db:
        campaigns.set_state(db, link.campaign, "closed", now=server.now(), who="test")
    press(page, "3", "Enter")
    expect(page.locator("#trouble")).to_contain_text("Judging has ended")
    assert link.judgements() == []


def test_a_draft_that_is_refused_is_said_and_the_page_lives_on(server, work):
    from metra.store import campaigns

    link = server.campaign("adequacy")
    page = work(link, allow=("409", "403"))

    def switch(state: str) -> None:
        now = server.now()
        with server.store.transaction() as db:
            campaigns.set_state(db, link.campaign, state, now=now, who="test")

    switch("closed")
    page.keyboard.press("3")
    expect(page.locator("#trouble")).to_contain_text("Judging has ended")
    switch("open")
    page.keyboard.press("4")
    saved(page)
    page.keyboard.press("Enter")
    place(page, 2)
    assert [one.value for one in link.judgements()] == [{"adequacy": 4}]


def test_an_unsent_answer_waits_for_its_judge(server, work):
    hers = server.campaign("adequacy")
    his = server.campaign("da")
    page = work(hers, allow=(*OFFLINE, "404"))
    cut_off(page)
    press(page, "5", "Enter")
    expect(page.locator("#saved")).to_have_text("not sent yet")
    page.goto("about:blank")
    connect(page)
    page.context.add_cookies([his.cookie()])
    page.goto(f"{server.url}/judge/work")
    page.locator("input[type=range]").wait_for()
    page.context.add_cookies([hers.cookie()])
    page.goto(f"{server.url}/judge/work")
    place(page, 2)
    assert his.judgements() == []
    assert [one.value for one in hers.judgements()] == [{"adequacy": 5}]


def test_a_change_to_an_answer_is_kept_when_going_further_back(server, work):
    link = server.campaign("adequacy")
    page = work(link)
    for number in (2, 3):
        press(page, "3", "Enter")
        place(page, number)
    page.keyboard.press("Backspace")
    place(page, 2)
    press(page, "1", "Backspace")
    place(page, 1)
    values = [(one.revision, one.value["adequacy"]) for one in link.judgements()]
    assert sorted(values) == [(1, 3), (1, 3), (2, 1)]
