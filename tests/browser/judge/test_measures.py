"""The workbook's measures by keyboard: what is stored is what was done, and scores follow."""

import pytest
from playwright.sync_api import expect
from tests.browser.judge.measuring import OUTPUT, frozen, scores
from tests.browser.keys import press

from metra.campaign.judgement import score_outputs
from metra.campaign.second_look import apply_verdicts, build_verdict_campaign


def done(page):
    page.wait_for_url("**/done")


@pytest.mark.seed("5.32")
def test_one_deletion_and_three_moves_in_chips(server, work):
    text = "w x y z u a b c d"
    mine = server.open(
        frozen("minimal-correction", {"s": [text]}, source=["s"], references=["r"]),
    )
    page = work(mine)
    expect(page.locator(".word-chip")).to_have_count(9)
    press(page, "End", "ArrowLeft", "ArrowLeft", "Delete")  # b is gone, c has the focus
    press(page, "ArrowLeft", " ", "ArrowRight", " ", "ArrowRight", " ")
    press(page, *["Shift+ArrowLeft"] * 5)
    count = page.locator(".count")
    expect(count).to_have_text("Edits: 4 (1 deleted, 0 added, 0 replaced, 3 moved)")
    assert page.locator(".word-chip").all_inner_texts() == list("acdwxyzu")
    press(page, "Control+Enter")
    done(page)
    [judgement] = mine.judgements()
    key = judgement.value["syntax"]["key"]
    assert {name: key[name] for name in ("deletions", "moves", "insertions")} == {
        "deletions": 1,
        "moves": 3,
        "insertions": 0,
    }
    assert judgement.value["syntax"]["mode"] == "exact"
    assert scores(mine)["syntax"] == [pytest.approx(100 * 4 / 9)]


def test_chips_are_replaced_added_and_undone_and_form_is_free(server, work):
    mine = server.open(
        frozen(
            "minimal-correction",
            {"s": ["He go at home"]},
            source=["s"],
            references=["r"],
        ),
    )
    page = work(mine)
    press(page, "ArrowRight", "Enter")
    page.keyboard.type("goes")
    press(page, "Enter", "f")  # of another form only: free
    expect(page.locator(".count")).to_contain_text("Edits: 0")
    press(page, "ArrowRight", "F2")
    page.keyboard.type("back to")  # one word for another, and one more
    press(page, "Enter")
    expect(page.locator(".count")).to_contain_text("(0 deleted, 1 added, 1 replaced")
    press(page, "End", "i")
    page.keyboard.type("!")
    press(page, "Enter")
    press(page, "u", "Control+Enter")
    done(page)
    [judgement] = mine.judgements()
    chips = judgement.value["syntax"]["chips"]
    assert [(one["text"], one["change"]) for one in chips] == [
        ("He", "none"),
        ("goes", "inflection"),
        ("back", "substitution"),
        ("to", "none"),
        ("home", "none"),
    ]
    assert scores(mine)["syntax"] == [50]


def test_typed_corrections_and_fingers_on_chips(server, work):
    texts = ["市場が開く。", "one three two"]
    mine = server.open(
        frozen(
            "minimal-correction",
            {"s": texts},
            source=["s"] * 2,
            references=["r"] * 2,
            unit="document",
            language="ja",
        ),
    )
    page = work(mine, touch=True, width=390, height=800)
    page.get_by_role("button", name="Edit as text").tap()
    page.locator("textarea.whole").fill("市場は開く。")
    page.get_by_role("button", name="Save and continue").tap()
    page.locator(".word-chip").nth(1).tap()
    page.get_by_role("button", name="Move later").tap()
    page.get_by_role("button", name="Save and continue").tap()
    done(page)
    first, second = (one.value["syntax"] for one in mine.judgements())
    assert (first["mode"], second["mode"]) == ("inferred", "exact")
    assert scores(mine)["syntax"] == [pytest.approx(100 / 6), pytest.approx(100 / 3)]


def is_above(one, other) -> bool:
    return one.bounding_box()["y"] < other.bounding_box()["y"]


def test_cloze_and_the_second_look_at_close_answers(server, work):
    made = frozen("cloze", cloze={"every": 4})
    mine = server.open(made)
    page = work(mine)
    text = "\n".join(OUTPUT)  # gaps: open, whole, said
    assert page.locator("input.gap").count() == 3
    assert "whole" not in page.content()
    # On a phone, the question stands above the text, which may be long.
    question, card = page.locator(".question"), page.locator(".card.judged")
    assert is_above(card, question)
    page.set_viewport_size({"width": 390, "height": 780})
    assert is_above(question, card)
    page.keyboard.type("OPEN")
    press(page, "Tab")
    page.keyboard.type("a")
    press(page, "Enter", "Control+Enter")
    expect(page.locator(".hint")).to_contain_text("Empty gaps: 1")
    press(page, "Control+Enter")
    done(page)
    [judgement] = mine.judgements()
    value = judgement.value["cloze"]
    assert value["answers"] == ["OPEN", "a", ""]
    for start, word in zip(value["key"]["starts"], value["key"]["words"], strict=True):
        assert text[start : start + len(word)] == word
    exact, close = score_outputs(judgement)[0]
    assert exact.value == pytest.approx(100 / 3)
    assert close.reason == "waiting for a second judge"
    second = build_verdict_campaign(made, mine.judgements(), judges=["zoe"])
    theirs = server.open(second)
    page = work(theirs)
    assert "secret-0" not in page.content()
    expect(page.locator("mark.answer")).to_have_text("a")
    press(page, "y", "Enter")
    done(page)
    [finished] = apply_verdicts(mine.judgements(), second, theirs.judgements())
    assert score_outputs(finished)[0][1].value == 50


QUESTIONS = {
    "questions": {
        "d": [
            ["What is open?", ["The market"], ["The market", "The school"]],
            ["How long did it rain?", ["all night", "the whole night"], []],
            ["Who opened it?", ["nobody says"], []],
        ]
    }
}


def test_questions_by_keyboard_and_not_to_know_is_an_answer(server, work):
    made = frozen("comprehension", material=QUESTIONS, comprehension={"control": False})
    mine = server.open(made)
    page = work(mine)
    assert "nobody says" not in page.content()
    page.locator("input[type=radio]").first.focus()
    press(page, " ", "Tab")
    page.keyboard.type("All night.")
    press(page, "Enter")
    press(page, "Control+Enter")
    expect(page.locator(".hint")).to_contain_text("Unanswered questions: 1")
    press(page, "Tab", " ", "Control+Enter")
    done(page)
    assert mine.judgements()[0].value["comprehension"]["answers"] == [
        "The market",
        "All night.",
        None,
    ]
    assert scores(mine)["comprehension"] == [pytest.approx(200 / 3)]


STAFF = [
    {"template": "person", "slots": [["name", "Ann"], ["works for", "bank"]]},
    {"template": "person", "slots": [["name", "Bob"], ["works for", "union"]]},
]


def test_several_instances_are_filled_by_keyboard(server, work):
    mine = server.open(frozen("templates", material={"templates": {"d": STAFF}}))
    page = work(mine)
    # How many persons there are is not told.
    assert page.locator(".templates fieldset").count() == 1
    page.locator(".slots input").first.focus()
    page.keyboard.type("Bob")
    press(page, "Enter")
    page.keyboard.type("union")
    more = page.get_by_role("button", name="Add another: person")
    more.focus()
    press(page, "Enter")
    page.keyboard.type("Ann")
    press(page, "Enter")
    # The names of others are offered, where one of them may be meant.
    options = page.locator("datalist option")
    assert [one.get_attribute("value") for one in options.all()] == ["Bob", "Ann"]
    page.keyboard.type("Bank.")
    more.focus()
    press(page, "Enter")
    page.keyboard.type("Zoe")
    page.get_by_role("button", name="Delete: person 3").click()
    assert page.locator(".templates legend").all_inner_texts() == [
        "person 1",
        "person 2",
    ]
    # What was removed by mistake comes back.
    press(page, "Enter")
    third = page.get_by_role("group", name="person 3").locator("input")
    expect(third.first).to_have_value("Zoe")
    page.get_by_role("button", name="Delete: person 3").click()
    press(page, "Control+Enter")
    done(page)
    assert scores(mine)["template"] == [100]
    [judgement] = mine.judgements()
    assert [len(one["slots"]) for one in judgement.value["template"]["filled"]] == [
        2,
        2,
    ]


def test_a_draft_keeps_its_instances(server, work):
    mine = server.open(frozen("templates", material={"templates": {"d": STAFF}}))
    page = work(mine)
    page.locator(".slots input").first.fill("Ann")
    page.get_by_role("button", name="Add another: person").click()
    page.keyboard.type("Bob")
    expect(page.locator("#saved")).to_have_text("saved")
    page.reload()
    for number, name in enumerate(("Ann", "Bob"), 1):
        form = page.get_by_role("group", name=f"person {number}")
        expect(form.locator("input").first).to_have_value(name)


def test_evaltrans_beside_what_was_judged(server, work):
    judged = {"judged": {"1": [["The market is closed.", 3], ["Nonsense here.", 0]]}}
    outputs = {"a": [OUTPUT[0]], "b": [OUTPUT[0]]}
    mine = server.open(
        frozen("evaltrans", outputs, material=judged, source=["s"], references=["r"]),
    )
    page = work(mine)
    near = page.locator(".near li")
    expect(near.first).to_contain_text("3")
    expect(near.first.locator("del")).to_have_text("closed.")
    expect(near.first.locator("ins")).to_have_text("open.")
    press(page, "9", "Enter")
    # The other system says the same: it has the score already, and Enter keeps it.
    expect(page.locator("[role=status]", has_text="was scored 9")).to_be_visible()
    press(page, "Enter")
    done(page)
    assert scores(mine)["evaltrans"] == [9, 9]


def chips_of(server, work, text, **more):
    made = frozen(
        "minimal-correction", {"s": [text]}, source=["s"], references=["r"], **more
    )
    mine = server.open(made)
    return mine, work(mine)


@pytest.mark.parametrize(
    ("text", "language", "after"),
    [
        pytest.param(
            'He said "go", (then) left.',
            "en",
            'said "go", (then) left.',
            id="signs stay close",
        ),
        pytest.param("市場が開く。", "ja", "場が開く。", id="no blanks in Japanese"),
    ],
)
def test_chips_become_a_text_with_the_blanks_that_belong_there(
    server, work, text, language, after
):
    _, page = chips_of(server, work, text, language=language)
    press(page, "Delete")
    page.get_by_role("button", name="Edit as text").click()
    expect(page.locator("textarea.whole")).to_have_value(after)


def test_neither_chips_nor_typing_is_lost_by_a_look_at_the_other(server, work):
    mine, page = chips_of(server, work, "one two three")
    press(page, "Delete")
    page.get_by_role("button", name="Edit as text").click()
    page.locator("textarea.whole").fill("two four three")
    page.get_by_role("button", name="Edit word by word").click()
    expect(page.locator(".count")).to_contain_text("1 deleted")
    page.get_by_role("button", name="Edit as text").click()
    expect(page.locator("textarea.whole")).to_have_value("two four three")
    press(page, "Control+Enter")
    done(page)
    value = mine.judgements()[0].value["syntax"]
    assert (value["mode"], value["text"]) == ("inferred", "two four three")
