"""Every page of a judge: for everybody, on every screen, in both themes."""

import pytest
from playwright.sync_api import expect
from tests.browser.accessibility import check_themes
from tests.browser.keys import press

WIDTHS = (320, 390, 768, 1280)
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
LONG = "Unwahrscheinlichkeitsrechnungsgrundlagenforschungsinstitut " * 60
# A picture of what is under the fixed parts would be taken for text on a wrong ground.
STILL = """for (const part of document.querySelectorAll(".top, .dock, .actions, #bar"))
  part.style.position = "static";"""


def check(page) -> None:
    """No width scrolls sideways, and axe finds nothing in either theme."""
    check_widths(page)
    check_themes(page)


def check_widths(page) -> None:
    """No width scrolls sideways; then the page is made ready for axe."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 780})
        assert page.evaluate(SIDEWAYS) <= 0, f"{page.url} at {width}"
    page.evaluate(STILL)


def test_the_way_in_and_out(server, visit):
    texts = {"sources": ("s",), "references": ("r",), "outputs": [("o",)]}
    who = {"organiser": "The Institute", "contact": "ask@institute.example"}
    link = server.campaign("ldc", **texts, **who, guided=False)
    page = visit(allow=("404",)).new_page()
    page.goto(f"{server.url}/j/no-such-link")
    check(page)
    page.goto(link.url)
    check(page)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/consent")
    expect(page.locator("main")).to_contain_text("The Institute runs this study.")
    expect(page.locator("main")).to_contain_text("contact ask@institute.example.")
    check(page)
    page.get_by_label("How well do you know English?").select_option("fluent")
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Agree and continue").click()
    page.wait_for_url("**/guide")
    page.locator(".example").nth(2).wait_for()
    check(page)
    page.get_by_role("button", name="Start judging").click()
    page.locator(".item").wait_for()
    press(page, "5", "Enter")
    page.locator(".card.given").wait_for()
    press(page, "5", "Enter")
    page.wait_for_url("**/done")
    check(page)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()
    check(page)
    assert page.context.cookies(server.url) == []


OPEN = {
    "ldc": ["3", "Enter"],
    "da-sqm": ["4", "c"],
    "mqm": ["Shift+ArrowRight", "1", "Escape", "Shift+ArrowRight"],
    "pairwise": ["2"],
    "ranking": ["1", "3"],
}


@pytest.mark.parametrize("protocol", OPEN)
def test_work_on_long_texts(server, work, protocol):
    count = {"pairwise": 2, "ranking": 4}.get(protocol, 1)
    link = server.campaign(
        protocol,
        outputs=[(LONG, LONG, "")] * count,
        sources=(LONG,) * 3,
        references=(LONG,) * 3,
        documents=("d",) * 3,
    )
    page = work(link)
    for key in OPEN[protocol]:
        page.keyboard.press(key)
    if protocol == "ldc":
        page.locator(".card.given").wait_for()
    check(page)


def test_dialogs_and_the_document_so_far(server, work):
    link = server.campaign("esa", documents=("d",) * 4, unit="document")
    page = work(link)
    page.keyboard.press("Enter")
    page.keyboard.type("70")
    page.keyboard.press("Enter")
    expect(page.locator(".part")).to_have_text("Part 2 of 4")
    expect(page.locator(".earlier li")).to_have_count(1)
    expect(page.locator(".earlier")).to_contain_text("The market opens")
    page.get_by_text("The rest of the document").click()
    expect(page.locator(".context")).to_contain_text("Le train de Lyon")
    page.keyboard.press("?")
    check(page)
    press(page, "Escape", "x")
    check(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_text("More", exact=True).click()
    check(page)


@pytest.mark.parametrize("protocol", ["ldc", "da", "esa", "mqm", "pairwise", "ranking"])
def test_the_guide_lets_judges_try(server, visit, protocol):
    count = {"pairwise": 2, "ranking": 3}.get(protocol, 1)
    link = server.campaign(protocol, outputs=[("a",) * 4] * count, guided=False)
    context = visit()
    context.add_cookies([link.cookie()])
    page = context.new_page()
    with server.store.transaction() as db:
        from metra.store import judges

        judges.record_consent(db, link.judge, now=server.now(), profile={})
    page.goto(f"{server.url}/judge/guide")
    example = page.locator(".example").first
    example.get_by_role("button", name="Compare with our answer").click()
    verdict = example.locator(".verdict")
    if protocol != "mqm":  # without a mark it is an answer, and not ours
        expect(verdict).to_have_text("Answer first, then compare.")
    for group in range(2 if protocol == "ldc" else 3 if protocol == "ranking" else 1):
        answer(example, protocol, group)
    example.get_by_role("button", name="Compare with our answer").click()
    expect(verdict).to_contain_text(
        {"da": "Close to our answer.", "mqm": "Different from our answer."}.get(
            protocol, "Same as our answer."
        )
    )
    expect(verdict).to_contain_text("Our answer")


def answer(example, protocol: str, group: int) -> None:
    """Give our own answer to the first example; to DA one that is near, to MQM none."""
    if protocol == "ldc":
        example.locator("fieldset").nth(group).locator(
            f"input[value='{(3, 5)[group]}']"
        ).check()
    elif protocol == "da":
        example.locator(".number input").fill("85")
    elif protocol == "esa":
        example.locator(".piece", has_text="evening").click()
        example.get_by_role("button", name="major").click()
        example.locator(".judged").get_by_text("take", exact=True).click()
        example.get_by_role("button", name="minor").click()
        example.locator(".number input").fill("56")
    elif protocol == "pairwise":
        example.get_by_label("Text 1 is better").check()
    elif protocol == "ranking":
        ranks = example.locator(".ranks").nth(group)
        ranks.locator(f"input[value='{(1, 3, 2)[group]}']").check()


def test_the_reference_slides_in_unless_motion_is_unwelcome(server, work):
    for motion, name in (("no-preference", "arrive"), ("reduce", "none")):
        page = work(server.campaign("ldc"), motion=motion)
        press(page, "3", "Enter")
        card = page.locator(".card.given")
        card.wait_for()
        assert card.evaluate("one => getComputedStyle(one).animationName") == name


def test_the_slider_can_be_moved_dragged_and_typed(server, work):
    link = server.campaign("da")
    page = work(link)
    track = page.locator("input[type=range]")
    expect(track).to_have_attribute("aria-valuetext", "not set yet")
    box = track.bounding_box()
    # The very middle, where the browser thinks that nothing has changed.
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".number input")).to_have_value("50")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".number input")).to_have_value("49")
    page.locator(".number input").fill("72,5")
    page.keyboard.press("Enter")
    expect(page.locator("#place")).to_have_text("2 of 4")
    assert [one.value for one in link.judgements()] == [{"da": 72.5}]


def test_letters_are_dragged_into_places(server, work):
    link = server.campaign("ranking", outputs=[("a",) * 4, ("b",) * 4, ("c",) * 4])
    page = work(link)
    for letter, rank in (("A", 2), ("B", 1), ("C", 2)):
        chip = page.locator(".chip", has_text=letter).bounding_box()
        lane = page.locator(f".lane[data-rank='{rank}']").bounding_box()
        page.mouse.move(chip["x"] + 8, chip["y"] + 8)
        page.mouse.down()
        page.mouse.move(lane["x"] + 60, lane["y"] + 40, steps=4)
        page.mouse.up()
    page.keyboard.press("Enter")
    expect(page.locator("#place")).to_have_text("2 of 4")
    assert [one.value for one in link.judgements()] == [{"ranking": [2, 1, 2]}]


def test_arabic_runs_from_right_to_left(server, work):
    link = server.campaign(
        "da-sqm", languages=("fr", "ar"), outputs=[("نص قصير.",) * 4]
    )
    page = work(link, language="ar")
    assert page.evaluate("document.documentElement.dir") == "rtl"
    expect(page.locator("#place")).to_have_text("1 من 4")
    # The slider's low end is on the right, where one begins to read.
    track = page.locator("input[type=range]").bounding_box()
    page.mouse.click(track["x"] + track["width"] - 20, track["y"] + track["height"] / 2)
    assert int(page.locator(".number input").input_value()) < 5
    ticks = [tick.bounding_box()["x"] for tick in page.locator(".ticks i").all()]
    assert ticks == sorted(ticks, reverse=True)
    check(page)
