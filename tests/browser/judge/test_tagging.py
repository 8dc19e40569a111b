"""Names and terms by keyboard: places slice Python's strings, and files list them."""

import pytest
from playwright.sync_api import expect
from tests.browser.judge.measuring import frozen
from tests.browser.keys import press
from tests.campaigns import check_answer

from metra.campaign.assignment import assign
from metra.campaign.second_look import build_reconciliation, write_entities, write_terms

HARD = [
    pytest.param(
        "en", "👩‍👩‍👧 met Zoe\u0308 in Köln 👍🏽.", id="emoji and combining marks"
    ),
    pytest.param("ja", "田中さんは京都に住む。", id="Japanese"),
    pytest.param("ar", "سافر أحمد إلى القاهرة.", id="Arabic"),
    pytest.param("hi", "किरण दिल्ली में रहती है।", id="Devanagari"),
]


@pytest.mark.parametrize(("language", "text"), HARD)
def test_places_slice_the_string_exactly(server, work, language, text):
    made = frozen(
        "entity-tagging",
        {"s": ["x"]},
        references=[text],
        source=["s"],
        language=language,
    )
    mine = server.open(made)
    page = work(mine)
    towards = "ArrowLeft" if language == "ar" else "ArrowRight"
    page.keyboard.press("1")
    page.keyboard.press(towards)
    page.keyboard.press(f"Shift+{towards}")
    page.keyboard.press("3")
    expect(page.locator(".marks li")).to_have_count(2)
    shown = page.locator(".marks bdi").all_inner_texts()
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/done")
    [judgement] = mine.judgements()
    tags = judgement.value["tags"]["tags"]
    assert [tag["type"] for tag in tags] == ["PERSON", "LOCATION"]
    assert [text[tag["start"] : tag["end"]] for tag in tags] == shown
    assert [tag["text"] for tag in tags] == shown
    assert text.startswith(shown[0])


def tagged(made, choose):
    return [
        check_answer(
            made,
            task,
            {
                "tags": {
                    "tags": [
                        {"start": start, "end": start + len(word), "type": kind}
                        for word, kind in choose(task.judge)
                        if (start := task.items[0].text.find(word)) >= 0
                    ]
                }
            },
            id=task.id,
        )
        for task in assign(made, secret=b"s" * 32)
    ]


def test_terms_are_reconciled_by_keyboard(server, work):
    text = "The brake pad of the disc brake is worn."
    made = frozen(
        "term-marking",
        {"s": ["x"]},
        references=[text],
        source=["s"],
        judges=["ann", "bob"],
        each=2,
    )
    both = [("brake pad", ""), ("disc brake", "")]
    first = tagged(made, lambda judge: both if judge == "ann" else both[:1])
    second = build_reconciliation(made, first, judges=["zoe"])
    mine = server.open(second)
    page = work(mine)
    rows = page.locator(".reconcile li")
    expect(rows.nth(0)).to_contain_text("marked by 2 of 2")
    expect(rows.nth(1)).to_contain_text("marked by 1 of 2")
    assert not {"ann", "bob"} & set(page.locator("main").inner_text().split())
    boxes = page.locator(".reconcile input[type=checkbox]")
    assert [box.is_checked() for box in boxes.all()] == [True, False]
    boxes.nth(0).focus()
    page.keyboard.press("Tab")
    page.keyboard.type("pad | brake shoe")
    page.keyboard.press("Tab")
    page.keyboard.press(" ")  # keep the other one, too
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/done")
    table = write_terms(mine.judgements())
    assert table == (
        "term\tvariants\tsegment\nbrake pad\tpad|brake shoe\t1\ndisc brake\t\t1\n"
    )


MAYOR = "Mayor Bertrand Aufray spoke in Rome."


def mayor(server, other):
    """What two raters took for the mayor's name is to be reconciled."""
    made = frozen(
        "entity-tagging",
        {"s": ["x"]},
        references=[MAYOR],
        source=["s"],
        judges=["ann", "bob"],
        each=2,
    )
    first = tagged(
        made,
        lambda judge: [
            ("Bertrand" if judge == "ann" else other, "PERSON"),
            ("Rome", "LOCATION"),
        ],
    )
    return server.open(build_reconciliation(made, first, judges=["zoe"]))


def test_names_are_corrected_where_raters_disagree(server, work):
    mine = mayor(server, "Mayor Bertrand Aufray")
    page = work(mine)
    expect(page.locator(".reconcile li")).to_have_count(3)
    page.keyboard.press("t")  # into the text: the two words that both almost meant
    for key in ("ArrowRight", "Shift+ArrowRight", "1"):
        page.keyboard.press(key)
    expect(page.locator(".reconcile li")).to_have_count(4)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/done")
    table = write_entities(mine.judgements())
    assert table == (
        "segment\tdocument\ttype\ttext\n1\td\tPERSON\tBertrand Aufray\n"
        "1\td\tLOCATION\tRome\n"
    )


def test_two_halves_of_a_name_are_merged(server, work):
    mine = mayor(server, "Aufray")
    page = work(mine)
    merge = page.get_by_role("button", name="Merge with next")
    expect(merge).to_have_count(1)  # Rome does not touch them
    merge.focus()
    page.keyboard.press("Enter")
    boxes = page.locator(".reconcile input[type=checkbox]")
    assert [box.is_checked() for box in boxes.all()] == [False, True, False, True]
    expect(page.locator(".piece[data-label=PERSON]")).to_have_count(1)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/done")
    assert "PERSON\tBertrand Aufray\n" in write_entities(mine.judgements())


def test_missed_names_are_found_in_another_form_by_keyboard(server, work):
    names = {"1": [["PERSON", "Novak"], ["LOCATION", "Munich"], ["PERSON", "Ann"]]}
    made = frozen(
        "entity-check",
        {"secret-0": ["Mrs Nowak lives in München."]},
        material={"entities": names},
        references=["Ms Novak and Ann live in Munich."],
        source=["s"],
        complete=False,
    )
    mine = server.open(made)
    page = work(mine)
    expect(page.locator(".missed li")).to_have_count(3)
    expect(page.locator(".card.given")).to_contain_text("Ms Novak and Ann")
    assert "secret-0" not in page.content()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".hint")).to_contain_text("left to decide: 3")
    press(page, "t", "ArrowRight")
    page.keyboard.press("1")  # Nowak
    for key in ("End", "ArrowLeft", "2"):  # München
        page.keyboard.press(key)
    page.locator(".item").focus()
    page.keyboard.press("n")  # Ann is not there
    expect(page.locator(".missed li").nth(0)).to_contain_text("present as “Nowak”")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/done")
    [judgement] = mine.judgements()
    found = judgement.value["missed"]["found"]
    assert [one and one["text"] for one in found] == ["Nowak", "München", None]
    text = judgement.outputs[0]
    assert [text[one["start"] : one["end"]] for one in found[:2]] == [
        "Nowak",
        "München",
    ]
