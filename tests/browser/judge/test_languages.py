"""A judge's way in other languages: right to left, without spaces, in long words."""

import pytest
from playwright.sync_api import expect
from tests.browser.accessibility import check_rules
from tests.browser.judge.test_pages import check_widths
from tests.browser.keys import press


def check(page) -> None:
    """No width scrolls sideways, and axe finds nothing; colours are those of test_pages."""
    check_widths(page)
    check_rules(page)


@pytest.mark.parametrize("language", ["ar", "ja", "de"])
def test_the_way_in_and_marking(server, visit, language):
    link = server.campaign("esa", guided=False, guide_language="judge")
    context = visit(language=language)
    context.add_cookies([link.cookie()])
    page = context.new_page()
    page.goto(f"{server.url}/judge/consent")
    check(page)
    page.locator("select").first.select_option("native")
    page.locator("select").nth(1).select_option("fluent")
    page.locator("#agree").check()
    page.locator("button.primary").click()
    page.wait_for_url("**/guide")
    page.locator(".example").nth(2).wait_for()
    assert page.locator(".lead").get_attribute("lang") == language
    check(page)
    page.locator("form .primary").click()
    page.locator(".item").wait_for()
    for key in ("Shift+ArrowRight", "1", "Shift+ArrowRight", "2"):
        page.keyboard.press(key)
    expect(page.locator(".marks li")).to_have_count(2)
    expect(page.locator(".question")).to_have_attribute("lang", language)
    check(page)


@pytest.mark.parametrize("language", ["ar", "ja", "de"])
@pytest.mark.parametrize("protocol", ["ldc", "da-sqm", "mqm", "ranking"])
def test_screens(server, work, protocol, language):
    count = {"ranking": 3}.get(protocol, 1)
    link = server.campaign(
        protocol, outputs=[("Ein Text.",) * 4] * count, guide_language="judge"
    )
    page = work(link, language=language)
    for key in {"ldc": "3 Enter", "da-sqm": "4", "mqm": "1", "ranking": "1"}[
        protocol
    ].split():
        page.keyboard.press(key)
    if protocol == "ldc":
        page.locator(".card.given").wait_for()
    check(page)
    page.keyboard.press("Escape")
    page.locator("#menu summary").click()
    page.locator("#open-keys").click()
    check(page)


def test_from_right_to_left_the_first_text_is_on_the_right(server, work):
    outputs = [("one",) * 4, ("two",) * 4]
    page = work(server.campaign("pairwise", outputs=outputs), language="ar")
    first, second = (card.bounding_box() for card in page.locator(".judged").all())
    assert first["x"] > second["x"]
    page.keyboard.press("ArrowRight")
    expect(page.locator("input[type=radio]").first).to_be_checked()
    page.keyboard.press("a")
    expect(page.locator("input[type=radio]").nth(2)).to_be_checked()
    page = work(server.campaign("pairwise", outputs=outputs), language="en")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("input[type=radio]").first).to_be_checked()


def test_a_hint_is_read_to_its_end_on_a_phone(server, work):
    page = work(
        server.campaign("esa", guide_language="judge"), language="de", width=320
    )
    hint = page.locator(".chosen-words")
    assert hint.evaluate("one => one.scrollHeight - one.clientHeight") <= 1


def test_a_pause_of_the_campaign_is_told_in_the_language_of_the_page(server, work):
    from metra.store import campaigns

    link = server.campaign("adequacy")
    page = work(link, language="de", allow=("409",))
    with server.store.transaction() as db:
        campaigns.set_state(db, link.campaign, "paused", now=server.now(), who="test")
    press(page, "4", "Enter")
    expect(page.locator("#trouble")).to_contain_text("Im Augenblick gibt es nichts")
    assert len(link.judgements()) == 1


def test_what_the_server_says_in_english_is_marked_as_english(server, work):
    link = server.campaign("adequacy")
    page = work(link, language="de", allow=("422",))
    page.route(
        "**/answer", lambda route: route.fulfill(status=422, body='{"error": "No."}')
    )
    press(page, "4", "Enter")
    expect(page.locator("#trouble")).to_contain_text("Etwas ist schiefgegangen.")
    expect(page.locator("#trouble [lang=en]")).to_have_text("No.")


def test_chosen_words_stand_in_the_quotation_marks_of_the_page(server, work):
    page = work(server.campaign("esa"), language="ar")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".chosen-words")).to_contain_text("«\u2068The")


def test_our_answer_runs_as_its_language_does(server, visit):
    from metra.store import judges

    link = server.campaign("mqm", guided=False, guide_language="judge")
    with server.store.transaction() as db:
        judges.record_consent(db, link.judge, now=server.now(), profile={})
    context = visit(language="ar")
    context.add_cookies([link.cookie()])
    page = context.new_page()
    page.goto(f"{server.url}/judge/guide")
    example = page.locator(".example").first
    example.locator("button.quiet").last.click()
    ours = example.locator(".verdict bdi")
    # It begins with English words, and yet it is an Arabic line.
    expect(ours).to_contain_text("3 April")
    assert ours.evaluate("one => getComputedStyle(one).direction") == "rtl"
