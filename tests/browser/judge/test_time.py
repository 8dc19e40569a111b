"""How long judges work: what counts as active, idle, hidden and paused, and what follows."""

import pytest
from playwright.sync_api import expect
from tests.browser.keys import press
from tests.campaigns import list_screen_events

HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def timed(server, still):
    """A campaign whose clocks move only when they are told to."""
    begin, pass_by = still

    def begun(protocol: str, **more):
        link = server.campaign(protocol, **more)
        return link, begin(link)

    return begun, pass_by


def near(value: int, seconds: float) -> bool:
    """To the second, in which the page looks whether anybody is there."""
    return abs(value - 1000 * seconds) <= 1000


def answered(page, link):
    expect(page.locator("#place")).to_have_text("2 of 4")
    return link.judgements()[-1]


def test_active_idle_hidden_and_paused_time_reach_the_store(timed, server):
    begin, pass_by = timed
    link, page = begin("adequacy")
    pass_by(20)
    page.mouse.move(200, 200)
    # Thirty more seconds count as active, because reading moves nothing; the rest is idle.
    pass_by(50)
    page.mouse.move(300, 300)
    page.evaluate(HIDE, True)
    pass_by(40)
    page.evaluate(HIDE, False)
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("dialog", name="Pause")).to_be_visible()
    pass_by(300)
    press(page, "Enter")
    page.clock.fast_forward(3_600_000)  # a computer that sleeps is not work
    server.ahead += 3600
    pass_by(10)
    press(page, "4", "Enter")
    judgement = answered(page, link)
    assert near(judgement.active_ms, 20 + 30 + 10)
    assert near(judgement.idle_ms, 20)
    assert near(judgement.hidden_ms, 40 + 3600)
    assert near(judgement.paused_ms, 300)
    assert judgement.wall_ms >= judgement.active_ms + judgement.idle_ms


def test_keys_after_a_pause_are_for_the_text_before_the_browser_reports_it_closed(
    timed,
):
    begin, _ = timed
    link, page = begin("adequacy")
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("dialog", name="Pause").wait_for()
    page.evaluate("""() => {
      document.querySelector("dialog button").click();
      for (const key of ["2", "Enter"]) {
        const press = new KeyboardEvent("keydown", { key, bubbles: true });
        document.activeElement.dispatchEvent(press);
      }
    }""")
    assert answered(page, link).value == {"adequacy": 2}


def test_times_go_on_after_a_reload(timed):
    begin, pass_by = timed
    link, page = begin("adequacy")
    pass_by(15)
    page.keyboard.press("1")
    page.reload()
    page.locator(".item").wait_for()
    pass_by(10)
    page.keyboard.press("Enter")
    assert near(answered(page, link).active_ms, 25)


def test_the_bar_fills_in_half_a_minute_and_never_nags(timed):
    begin, pass_by = timed
    link, page = begin("ldc")
    bar = page.locator("#bar")
    pass_by(15)
    assert 0.45 < bar.evaluate("bar => bar.value") <= 0.5
    assert "full" not in (bar.get_attribute("class") or "")
    pass_by(16)
    expect(bar).to_have_class("full")
    assert bar.evaluate("bar => getComputedStyle(bar).height") == "3px"
    pass_by(300)
    assert page.locator("dialog").count() == 0
    assert page.locator("#trouble").is_hidden()
    press(page, "3", "Enter")
    page.locator(".card.given").wait_for()
    press(page, "3", "Enter")
    answered(page, link)
    expect(bar).not_to_have_class("full")


def test_a_break_is_offered_after_twenty_minutes_of_work(timed):
    begin, pass_by = timed
    link, page = begin("adequacy")
    for number in (2, 3):
        for at in range(22):
            pass_by(29)
            page.mouse.move(at, 300)
        press(page, "3", "Enter")
        if number == 2:
            answered(page, link)
    shown = page.get_by_role("dialog", name="Time for a break")
    expect(shown).to_contain_text("working for 2")
    page.keyboard.press("Enter")
    expect(page.locator("#place")).to_have_text("3 of 4")
    expect(shown).to_have_count(0)
    press(page, "3", "Enter")
    expect(page.locator("#place")).to_have_text("4 of 4")


def test_what_was_pressed_is_not_recorded(timed, server):
    begin, pass_by = timed
    link, page = begin("adequacy")
    page.keyboard.press("c")
    page.keyboard.type("a secret")
    page.evaluate(HIDE, True)
    pass_by(3)
    page.evaluate(HIDE, False)
    page.keyboard.press("Control+Enter")
    page.locator(".item").focus()
    press(page, "2", "Enter")
    judgement = answered(page, link)
    with server.store.reading() as db:
        kept = list_screen_events(db, judgement.task, 0)
    assert {"shown", "hidden", "active"} <= {one.kind for one in kept}
    assert [one.t_ms for one in kept] == sorted(one.t_ms for one in kept)
    assert all(one.data is None for one in kept)
