"""Reading and correcting against the clock: pauses, sleep and odd clocks do not count."""

import pytest
from playwright.sync_api import expect
from tests.browser.judge.measuring import frozen, scores

from metra.campaign.judgement import score_outputs

HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
BASELINE = " ".join(["word"] * 40)
TEXT = " ".join(["word"] * 60)


@pytest.fixture
def timed(server, still):
    """A campaign whose clocks move only when they are told to."""
    begin, pass_by = still

    def begun(made):
        mine = server.open(made)
        return mine, begin(mine)

    return begun, pass_by


def reading(material=None, **more):
    return frozen(
        "reading",
        {"s": [TEXT]},
        material={"baseline": BASELINE} | (material or {}),
        source=["s"],
        references=["r"],
        **more,
    )


def near(value, seconds):
    return abs(value - 1000 * seconds) <= 1000


def on(page, label):
    page.get_by_role("button", name=label).wait_for()
    page.keyboard.press("Enter")


def test_speed_is_words_by_minutes_and_relative_to_the_baseline(timed):
    begin, pass_by = timed
    questions = {"questions": {"d": [["What is it?", ["word"], []]]}}
    mine, page = begin(reading(questions))
    assert "word" not in page.locator(".outputs").inner_text()
    on(page, "Start")
    expect(page.locator(".outputs")).to_contain_text("word word")
    pass_by(20)  # 40 words in 20 seconds: 120 a minute
    on(page, "I understand it well enough")
    expect(page.locator("#place")).to_have_text("2 of 2")
    on(page, "Start")
    pass_by(60)  # 60 a minute; no sign of life is still reading
    on(page, "I understand it well enough")
    expect(page.locator(".outputs")).to_contain_text("hidden while you answer")
    assert TEXT not in page.locator("main").inner_text()
    page.locator(".questions input").first.focus()
    page.keyboard.type("word")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/done")
    first, second = scores(mine)["reading-speed"]
    assert first == pytest.approx(120, rel=0.1)
    assert second == pytest.approx(60, rel=0.05)
    assert scores(mine)["comprehension"] == [100]
    from metra.campaign.judgement import keep_latest

    judgement = keep_latest(mine.judgements())[1]
    assert score_outputs(judgement)[0][0].hundred == pytest.approx(50, rel=0.15)
    value = judgement.value["reading-speed"]
    assert (value["pauses"], value["hidden_ms"]) == (0, 0)
    assert value["idle_ms"] > 20_000


def test_hidden_paused_and_slept_away_time_is_flagged_and_does_not_count(timed, server):
    begin, pass_by = timed
    mine, page = begin(reading(reading={"natural": 100}))
    on(page, "Start")
    pass_by(10)
    page.evaluate(HIDE, True)
    pass_by(100)
    page.evaluate(HIDE, False)
    page.keyboard.press("p")
    expect(page.locator(".outputs")).to_contain_text("hidden during the pause")
    pass_by(200)
    on(page, "Continue")
    pass_by(5)
    page.clock.fast_forward(3_600_000)  # the lid was closed
    server.ahead += 3600
    page.clock.set_system_time("2031-01-01T00:00:00Z")  # and somebody set the date
    pass_by(5)
    on(page, "I understand it well enough")
    expect(page.locator("#place")).to_have_text("2 of 2")
    [judgement] = mine.judgements()
    value = judgement.value["reading-speed"]
    assert near(value["ms"], 20)
    assert value["pauses"] == 2
    assert near(value["hidden_ms"], 3700)
    assert near(judgement.paused_ms, 200)
    assert judgement.wall_ms >= judgement.active_ms + judgement.hidden_ms


def test_a_page_that_is_loaded_again_comes_back_paused(timed):
    begin, pass_by = timed
    mine, page = begin(reading())
    on(page, "Start")
    pass_by(12)
    expect(page.locator("#saved")).to_have_text("saved")
    page.reload()
    on(page, "Continue")
    pass_by(8)
    on(page, "I understand it well enough")
    expect(page.locator("#place")).to_have_text("2 of 2")
    [judgement] = mine.judgements()
    value = judgement.value["reading-speed"]
    assert value["pauses"] == 1
    assert 10_000 < value["ms"] < 23_000


def test_reading_aloud_asks_for_the_first_paragraph(timed):
    begin, pass_by = timed
    made = frozen(
        "reading-aloud",
        {"s": ["One two three.", "Not this."]},
        **{"reading-aloud": {"first": 1, "natural": 180}},
    )
    mine, page = begin(made)
    expect(page.locator(".step.current")).to_contain_text("not your voice")
    on(page, "Start")
    expect(page.locator(".outputs")).to_contain_text("One two three.")
    assert "Not this" not in page.content()
    pass_by(2)
    on(page, "I have finished reading")
    page.wait_for_url("**/done")
    assert scores(mine)["oral-reading-speed"][0] == pytest.approx(90, rel=0.25)


def test_correction_is_timed_from_start_to_finish(timed):
    begin, pass_by = timed
    made = frozen(
        "correction",
        {"s": [" ".join(["good"] * 19) + " bad"]},
        source=["s"],
        references=["r"],
        correction={"brief": "For the notice board."},
    )
    mine, page = begin(made)
    expect(page.locator(".brief")).to_contain_text("For the notice board.")
    assert page.locator("textarea.whole").get_attribute("readonly") is not None
    # Neither the text nor what stands beside it is read off the clock.
    assert page.locator("textarea.whole").is_hidden()
    assert page.locator(".card.given .text").is_hidden()
    on(page, "Start")
    assert page.locator(".card.given .text").is_visible()
    page.keyboard.press("Control+End")
    for _ in range(3):
        page.keyboard.press("Backspace")
    page.keyboard.type("good")
    pass_by(60)
    page.get_by_role("button", name="Pause").click()
    assert page.locator("textarea.whole").is_hidden()
    pass_by(500)
    on(page, "Continue")
    pass_by(60)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/done")
    [judgement] = mine.judgements()
    value = judgement.value["correction"]
    assert value["key"]["brief"] == "For the notice board."
    assert value["text"].split() == ["good"] * 20
    assert value["pauses"] == 1
    found = scores(mine)
    assert found["correction-time"][0] == pytest.approx(
        1.0, rel=0.05
    )  # 2 min, 20 words
    assert found["hter"] == [5]
    assert value["keys"]["backspace"] == 3
    assert value["keys"]["letter"] == 4


def test_a_menu_of_the_page_does_not_stop_the_clock_but_a_break_does(timed):
    begin, pass_by = timed
    mine, page = begin(reading(reading={"natural": 100}))
    on(page, "Start")
    pass_by(10)
    page.get_by_text("More", exact=True).click()
    pass_by(5)
    page.get_by_role("button", name="Pause").last.click()
    pass_by(100)
    page.keyboard.press("Enter")
    pass_by(5)
    on(page, "I understand it well enough")
    expect(page.locator("#place")).to_have_text("2 of 2")
    [judgement] = mine.judgements()
    assert near(judgement.value["reading-speed"]["ms"], 20)
    assert near(judgement.paused_ms, 100)
    assert judgement.value["reading-speed"]["pauses"] == 1
