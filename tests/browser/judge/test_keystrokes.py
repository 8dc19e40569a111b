"""Keys by kind and inputs by their own names, however text comes in; never which keys."""

import pytest
from tests.browser.judge.measuring import frozen, scores
from tests.tables import load_cases


@pytest.fixture
def editing(server, work):
    """A judge who has started to correct a text; `finish` gives what was stored."""

    def begin(text="A text of mine.", language="en", **how):
        made = frozen(
            "correction",
            {"s": [text]},
            source=["s"],
            references=["r"],
            language=language,
        )
        mine = server.open(made)
        page = work(mine, **how)
        page.get_by_role("button", name="Start").click()
        page.locator("textarea.whole:not([readonly])").wait_for()
        page.keyboard.press("Control+End")

        def finish():
            page.get_by_role("button", name="Finish").click()
            page.wait_for_url("**/done")
            [judgement] = mine.judgements()
            return judgement.value["correction"]

        return mine, page, finish

    return begin


def test_typing_is_counted_by_kind_and_modifiers_are_not(editing):
    mine, page, finish = editing()
    page.keyboard.type("Ab 1,é")
    for key in ("Shift+Home", "ArrowRight", "Backspace", "Delete", "Enter"):
        page.keyboard.press(key)
    page.keyboard.down("a")
    page.keyboard.down("a")  # held down: still one stroke
    page.keyboard.up("a")
    value = finish()
    assert value["keys"] == {
        "navigation": 3,  # Control+End at the start, Home, ArrowRight
        "letter": 3,  # é has no key here and comes as input alone
        "digit": 1,
        "space": 1,
        "punctuation": 1,
        "backspace": 1,
        "enter": 1,
        "delete": 1,
    }
    assert sum(value["keys"].values()) / 4 == scores(mine)["correction-keys"][0]
    assert "Ab" not in str(value["keys"]) + str(value["inputs"])


def test_pasting_cutting_and_undoing(editing):
    _, page, finish = editing()
    for key in ("Control+a", "Control+c", "Control+End", "Control+v", "Control+z"):
        page.keyboard.press(key)
    for key in ("Control+Shift+z", "Control+a", "Control+x", "Control+v"):
        page.keyboard.press(key)
    value = finish()
    assert value["keys"]["clipboard"] == 4
    assert value["keys"]["undo"] == 2
    assert value["keys"]["other"] == 2  # select all, twice
    assert value["inputs"] == {
        "insertFromPaste": 2,
        "historyUndo": 1,
        "historyRedo": 1,
        "deleteByCut": 1,
    }
    assert value["text"] == "A text of mine." * 2


def test_an_input_method_writes_japanese(editing):
    mine, page, finish = editing("市場", "ja")
    ime = page.context.new_cdp_session(page)
    for kana in ("に", "にほ", "にほん"):
        ime.send(
            "Input.dispatchKeyEvent",
            {"type": "rawKeyDown", "key": "Process", "windowsVirtualKeyCode": 229},
        )
        ime.send(
            "Input.imeSetComposition",
            {"text": kana, "selectionStart": len(kana), "selectionEnd": len(kana)},
        )
    ime.send("Input.insertText", {"text": "日本"})
    value = finish()
    assert value["text"] == "市場日本"
    assert value["keys"] == {"navigation": 1, "composition": 3}
    assert value["inputs"]["insertCompositionText"] >= 3
    assert value["key"]["words"] == 2  # each character is a word
    assert value["key"]["edits"] == 2  # so that two of four were added
    assert scores(mine)["hter"] == [50]


def test_a_phone_writes_without_naming_keys(editing):
    _, page, finish = editing(touch=True, width=390, height=800)
    phone = page.context.new_cdp_session(page)
    phone.send(
        "Input.dispatchKeyEvent",
        {"type": "rawKeyDown", "key": "Unidentified", "windowsVirtualKeyCode": 229},
    )
    phone.send("Input.insertText", {"text": " Done 👍🏽."})
    value = finish()
    assert value["text"] == "A text of mine. Done 👍🏽."
    assert value["keys"] == {"navigation": 1, "composition": 1}
    assert value["inputs"] == {"insertText": 1}


@pytest.mark.parametrize(
    ("names", "how"),
    [
        pytest.param(
            ["insertReplacementText"], "a spelling is put right", id="autocorrect"
        ),
        pytest.param([None], "a plain event without a name", id="autofill"),
        pytest.param(["insertText", "insertText"], "no key is named", id="dictation"),
        pytest.param(["insertFromYank"], "an old terminal's paste", id="yank"),
    ],
)
def test_what_comes_without_a_key_is_an_input_and_no_stroke(editing, names, how):
    _, page, finish = editing()
    page.evaluate(
        """(names) => {
          const field = document.querySelector("textarea.whole");
          for (const inputType of names) {
            field.value += "x";
            const named = inputType && new InputEvent("input", { inputType });
            field.dispatchEvent(named ?? new Event("input"));
          }
        }""",
        names,
    )
    value = finish()
    assert value["keys"] == {"navigation": 1}, how
    expected = [name or "insertReplacementText" for name in names]
    assert value["inputs"] == {name: expected.count(name) for name in expected}
    assert value["text"] == "A text of mine." + "x" * len(names)


KINDS = load_cases("keystrokes: kinds")


@pytest.fixture(scope="module")
def script(chromium, server):
    """A page from which the modules can be asked."""
    page = chromium.new_page()
    page.goto(f"{server.url}/")
    yield page
    page.close()


@pytest.mark.parametrize(("event", "kind"), KINDS)
def test_the_kind_of_a_key(script, event, kind):
    found = script.evaluate(
        """async (event) => {
          const { kindOfKey } = await import("/static/steps/keystrokes.js");
          return kindOfKey(new KeyboardEvent("keydown", event));
        }""",
        event,
    )
    assert found == kind
