"""Marks by mouse, finger and keyboard, in texts that are hard to count."""

import pytest
from playwright.sync_api import expect
from tests.browser.keys import press
from tests.tables import load_cases

JAPANESE = "猫が好きです。犬も好き。"
EMOJI = "Well done 👩‍👩‍👧‍👦 and 🎉 to all e\u0301te\u0301"


def marks_of(link) -> list[dict]:
    [judgement] = link.judgements()
    return next(iter(judgement.value.values()))


def finish(page, score: str = "50") -> None:
    page.keyboard.press("Escape")
    page.locator(".actions .primary").click()
    page.locator("input[type=range]").wait_for()
    page.keyboard.type(score)
    page.keyboard.press("Enter")
    expect(page.locator("#place")).to_have_text("2 of 2")


def campaign(server, text: str, language: str, protocol: str = "esa", **more):
    texts = {
        "outputs": [(text, text)],
        "sources": (text, "b"),
        "references": ("a", "b"),
    }
    return server.campaign(protocol, **texts | more, languages=("fr", language))


def sweep(page, quote: str, selector: str = ".judged .text") -> None:
    """Select a quote with the mouse, as one does by hand: press, draw, let go."""
    box = page.evaluate(
        """([selector, quote]) => {
          const whole = document.querySelector(selector);
          const walker = document.createTreeWalker(whole, NodeFilter.SHOW_TEXT);
          const nodes = [];
          let all = "";
          while (walker.nextNode()) {
            nodes.push([walker.currentNode, all.length]);
            all += walker.currentNode.data;
          }
          const place = (at, last) => {
            const [node, begin] = nodes.findLast(([, begin]) => begin <= at - (last ? 1 : 0));
            return [node, at - begin];
          };
          const range = document.createRange();
          range.setStart(...place(all.indexOf(quote), false));
          range.setEnd(...place(all.indexOf(quote) + quote.length, true));
          const rects = [...range.getClientRects()];
          const [first, last] = [rects[0], rects.at(-1)];
          const middle = (rect) => rect.top + rect.height / 2;
          return [first.left, middle(first), last.right, middle(last)];
        }""",
        [selector, quote],
    )
    left, top, right, bottom = box
    page.mouse.move(left + 1, top)
    page.mouse.down()
    page.mouse.move(right - 1, bottom, steps=4)
    page.mouse.up()


@pytest.mark.parametrize(
    ("text", "language", "quote"),
    [
        pytest.param(
            EMOJI, "en", "👩‍👩‍👧‍👦 and 🎉", id="emoji take two units and are joined"
        ),
        pytest.param(
            EMOJI, "en", "te\u0301", id="accents that are characters of their own"
        ),
        pytest.param(JAPANESE, "ja", "好きです", id="no spaces between words"),
        pytest.param("x 𝒜𝒷𝒸𝒹 y", "en", "𝒷𝒸", id="within a word of two units a letter"),
        pytest.param("a\tb  c\nd e", "en", "b  c\nd", id="white space stays as it was"),
    ],
)
def test_a_mark_by_mouse_slices_the_text(server, work, text, language, quote):
    link = campaign(server, text, language)
    page = work(link)
    sweep(page, quote)
    expect(page.locator(".chosen-words")).to_contain_text(quote.split()[0])
    page.get_by_role("button", name="major").click()
    finish(page)
    [mark] = marks_of(link)
    assert text[mark["start"] : mark["end"]] == quote
    assert mark["side"] == "output"


@pytest.mark.parametrize(
    ("text", "language", "keys", "quote"),
    load_cases("marking: a mark by keyboard slices the text"),
)
def test_a_mark_by_keyboard_slices_the_text(server, work, text, language, keys, quote):
    link = campaign(server, text, language)
    page = work(link)
    for key in [*keys, "1"]:
        page.keyboard.press(key)
    finish(page)
    [mark] = marks_of(link)
    assert text[mark["start"] : mark["end"]] == quote
    assert mark["severity"] == "minor"


def test_marks_by_finger_on_a_phone(server, work):
    text = "The train to Lyon leaves early."
    link = campaign(server, text, "en")
    page = work(link, width=390, height=780, touch=True)
    words = page.locator(".judged .piece")
    words.get_by_text("train", exact=True).tap()
    words.get_by_text("Lyon", exact=True).tap()
    page.get_by_role("button", name="major").tap()
    words.get_by_text("[missing]").tap()
    page.get_by_role("button", name="minor").tap()
    page.locator(".actions .primary").tap()
    page.locator(".number input").fill("30")
    page.locator(".actions .primary").tap()
    expect(page.locator("#place")).to_have_text("2 of 2")
    missing, mark = marks_of(link)
    assert text[mark["start"] : mark["end"]] == "train to Lyon"
    assert missing == {"side": "missing", "start": 0, "end": 0, "severity": "minor"}


def test_marks_can_be_changed_and_deleted(server, work):
    link = campaign(server, "one two three four", "en")
    page = work(link)
    for key in ["1", "ArrowRight", "2", "ArrowRight", "1"]:
        page.keyboard.press(key)
    rows = page.locator(".marks li")
    expect(rows).to_have_count(3)
    rows.nth(0).get_by_role("combobox").select_option("major")
    rows.nth(1).get_by_role("button", name="Delete").click()
    expect(rows).to_have_count(2)
    page.locator(".judged .piece", has_text="three").click()
    expect(rows.nth(1).get_by_role("combobox")).to_be_focused()
    press(page, "Escape", "Home", "Delete")
    expect(rows).to_have_count(1)
    finish(page)
    [mark] = marks_of(link)
    assert ("one two three four"[mark["start"] : mark["end"]], mark["severity"]) == (
        "three",
        "minor",
    )


def test_backspace_takes_back_the_last_mark_wherever_the_focus_is(server, work):
    link = campaign(server, "one two three four", "en")
    page = work(link)
    rows = page.locator(".marks li")
    for key in ["1", "ArrowRight", "2", "ArrowRight", "1", "ArrowRight"]:
        page.keyboard.press(key)
    expect(rows).to_have_count(3)
    page.keyboard.press("Backspace")  # the caret stands in no mark
    expect(rows.locator("bdi")).to_have_text(["one", "two"])
    rows.nth(0).get_by_role("combobox").focus()
    page.keyboard.press("Backspace")
    expect(rows.locator("bdi")).to_have_text(["two"])
    page.locator(".question").first.click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Backspace")
    expect(rows).to_have_count(0)


def test_mqm_takes_five_marks_with_kinds_also_in_the_source(server, work):
    link = campaign(
        server, "a b c d e f", "en", "mqm", sources=("le chat 🐈 dort",) * 2
    )
    page = work(link)
    sweep(page, "🐈 dort", ".given .text")
    page.get_by_role("button", name="neutral").click()
    page.keyboard.type("omi")
    press(page, "Enter", "t")
    for _ in range(4):
        page.keyboard.press("1")
        page.keyboard.type("spel")
        press(page, "Enter", "ArrowRight")
    expect(
        page.get_by_text("You have marked 5 errors, which is the maximum.")
    ).to_be_visible()
    page.keyboard.press("2")
    expect(page.locator(".marks li")).to_have_count(5)
    page.locator(".marks select").first.select_option("")
    page.locator(".actions .primary").click()
    expect(page.get_by_text("Please choose a category for every error")).to_be_visible()
    page.locator(".marks select").first.select_option("accuracy/omission")
    page.locator(".actions .primary").click()
    expect(page.locator("#place")).to_have_text("2 of 2")
    marks = marks_of(link)
    source = next(mark for mark in marks if mark["side"] == "source")
    assert "le chat 🐈 dort"[source["start"] : source["end"]] == "🐈 dort"
    assert source["category"] == "accuracy/omission"
    spelling = [mark for mark in marks if mark["category"] == "fluency/spelling"]
    assert [(mark["start"], mark["end"]) for mark in spelling] == [
        (at, at + 1) for at in (0, 2, 4, 6)
    ]


def test_words_are_found_without_the_browsers_help(server, work):
    page = work(server.campaign("adequacy"))
    found = page.evaluate(
        """async (texts) => {
          const { wordsOf } = await import("/static/steps/words.js");
          return texts.map((text) => {
            const points = Array.from(text);
            const words = wordsOf(text, "en", null);
            return words.map(({ start, end }) => points.slice(start, end).join(""));
          });
        }""",
        ["It's 3.50, e\u0301te\u0301!", "猫が好き", "👩‍👩‍👧‍👦 ok", " \n"],
    )
    assert found == [
        ["It's", "3.50", ",", "e\u0301te\u0301", "!"],
        ["猫", "が", "好", "き"],
        ["👩‍👩‍👧‍👦", "ok"],
        [],
    ]


def test_a_judge_begins_with_the_marks_of_a_program(server, work):
    text = "The train to Lyon leaves early."
    there = [
        {"side": "output", "start": 4, "end": 9, "severity": "minor"},
        {"side": "output", "start": 25, "end": 30, "severity": "major"},
    ]
    marks = {"secret-0": {"1": there, "2": there}}
    link = campaign(server, text, "en", material={"marks": marks})
    page = work(link)
    # They stand in the text and in the list, and the first question is still asked.
    expect(page.locator("ol.marks li")).to_have_count(2)
    expect(page.locator(".judged .piece.error")).to_have_text(["train", "early"])
    assert page.locator("input[type=range]").count() == 0
    page.get_by_role("button", name="Delete").first.click()
    page.locator(".actions .primary").click()
    page.locator("input[type=range]").wait_for()
    page.keyboard.type("70")
    page.keyboard.press("Enter")
    expect(page.locator("#place")).to_have_text("2 of 2")
    assert marks_of(link) == there[1:]
