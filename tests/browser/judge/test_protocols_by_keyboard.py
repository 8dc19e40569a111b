"""Every protocol from the link to the completion code, without a mouse."""

import pytest
from playwright.sync_api import expect
from tests.browser.keys import press


def place(page, number: int, of: int) -> None:
    expect(page.locator("#place")).to_have_text(f"{number} of {of}")


# What is pressed on a screen, and the value that comes of it.
ANSWERS = {
    "ldc": (["4", "Enter", "wait", "2", "Enter"], {"fluency": 4, "adequacy": 2}),
    "adequacy": (["5", "Enter"], {"adequacy": 5}),
    "da": (["7", "3", "Enter"], {"da": 73.0}),
    "da-sqm": (
        ["Tab to slider", "ArrowRight", "ArrowRight", "Enter"],
        {"da-sqm": 51.0},
    ),
    "esa": (
        # the second and third words, what is missing (kept first), then the score
        ["ArrowRight", "Shift+ArrowRight", "2", "End", "1", "Enter", "6", "0", "Enter"],
        {"errors": ["minor", "major"], "esa": 60.0},
    ),
    "mqm": (
        ["[", "ArrowRight", "]", "2", "g", "r", "a", "Enter", "Enter"],
        {"mqm": ["minor fluency/grammar"]},
    ),
    "pairwise": (["d", "Enter"], {"pairwise": [2, 1]}),
    "ranking": (["2", "1", "2", "w", "Enter"], {"ranking": [2, 1, 1]}),
    "gold-standard": (["3", "2", "Enter"], {"gold": {"chosen": 2, "of": 3}}),
}


def shortened(value):
    """Marks as their severities and kinds; places have tests of their own."""
    return {
        step: [f"{m['severity']} {m.get('category', '')}".strip() for m in given]
        if isinstance(given, list) and given and isinstance(given[0], dict)
        else given
        for step, given in value.items()
    }


@pytest.mark.parametrize("protocol", ANSWERS)
def test_a_protocol_by_keyboard(server, visit, protocol):
    three = [("one two three four",) * 2, ("five six",) * 2, ("seven",) * 2]
    several = {"pairwise": three[:2], "ranking": three, "gold-standard": three}
    texts = several.get(protocol, three[:1])
    link = server.campaign(
        protocol,
        outputs=texts,
        sources=("un deux", "trois"),
        references=("a", "b"),
        guided=False,
    )
    page = visit().new_page()
    page.goto(link.url)
    expect(page.get_by_role("button", name="Start")).to_be_focused()
    press(page, "Enter")
    page.wait_for_url("**/judge/consent")
    page.locator("#target_level").focus()
    press(page, "N")
    if page.locator("#source_level").count():
        press(page, "Tab", "F")
    press(page, "Tab", "Space", "Tab", "Enter")
    page.wait_for_url("**/judge/guide")
    page.locator("form[action='/judge/guide'] button").focus()
    press(page, "Enter")
    keys, expected = ANSWERS[protocol]
    for number in (1, 2):
        place(page, number, 2)
        page.locator(".item").wait_for()
        for key in keys:
            if key == "wait":
                page.locator(".card.given").wait_for()
            elif key == "Tab to slider":
                tab_to(page, "input[type=range]")
            else:
                press(page, key)
    page.wait_for_url("**/judge/done")
    assert len(page.locator("#code").inner_text()) >= 8
    judgements = link.judgements()
    assert [shortened(one.value) for one in judgements] == [expected, expected]
    assert {one.revision for one in judgements} == {1}


def tab_to(page, selector: str) -> None:
    for _ in range(30):
        press(page, "Tab")
        if page.evaluate(f"document.activeElement.matches('{selector}')"):
            return
    pytest.fail(f"{selector} cannot be reached")


def test_keys_can_be_seen_and_switched_off(server, work):
    page = work(server.campaign("adequacy"))
    press(page, "?")
    shown = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(shown).to_contain_text("cannot judge")
    shown.get_by_label("Use single-key shortcuts").uncheck()
    press(page, "Escape")
    expect(shown).to_have_count(0)
    press(page, "3", "x", "c")
    assert page.locator("input:checked, dialog, textarea:visible").count() == 0
    tab_to(page, "input[type=radio]")
    press(page, "ArrowRight", "Enter")
    place(page, 2, 4)


def test_letters_in_a_comment_are_letters(server, work):
    link = server.campaign("adequacy")
    page = work(link)
    press(page, "c")
    page.keyboard.type("x 3 ? c")
    assert page.locator("input:checked, dialog").count() == 0
    press(page, "Tab", "Escape")
    page.locator(".item").focus()
    press(page, "5", "c", "Control+Enter")
    place(page, 2, 4)
    [judgement] = link.judgements()
    assert judgement.comment == "x 3 ? c"
    assert judgement.value == {"adequacy": 5}


def test_back_changes_an_answer_that_was_given(server, work):
    link = server.campaign("ldc")
    page = work(link)
    press(page, "1", "Enter")
    page.locator(".card.given").wait_for()
    press(page, "2", "Enter")
    place(page, 2, 4)
    press(page, "Backspace")
    place(page, 1, 4)
    expect(page.get_by_text("You have already answered this")).to_be_visible()
    expect(page.get_by_role("button", name="Continue without changes")).to_be_visible()
    press(page, "Backspace")
    press(page, "5", "Enter", "Enter")
    place(page, 2, 4)
    values = [(one.revision, one.value) for one in link.judgements()]
    assert values == [
        (1, {"fluency": 1, "adequacy": 2}),
        (2, {"fluency": 5, "adequacy": 2}),
    ]
    press(page, "Backspace")
    place(page, 1, 4)
    press(page, "Enter")
    place(page, 2, 4)
    assert len(link.judgements()) == 2


def test_what_cannot_be_judged_is_left_out_with_a_reason(server, work):
    link = server.campaign("mqm")
    page = work(link)
    press(page, "x", "ArrowDown", "ArrowDown", "ArrowDown", "Tab")
    page.keyboard.type("it is a table")
    press(page, "Tab", "Tab", "Enter")
    place(page, 2, 4)
    [judgement] = link.judgements()
    assert judgement.cannot == "other: it is a table"


def test_what_is_lacking_is_said(server, work):
    link = server.campaign("da")
    page = work(link)
    expect(page.get_by_text("not set yet")).to_be_visible()
    press(page, "Enter")
    expect(page.get_by_role("alert")).to_have_text(
        "Please choose a value from 0 to 100 first."
    )
    page.keyboard.type("170")
    expect(page.get_by_text("Please enter a number from 0 to 100.")).to_be_visible()
    assert link.judgements() == []
