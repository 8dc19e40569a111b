"""Every key, by a campaign's switch only: what is replayed is what was handed in."""

import json
import random

from playwright.sync_api import expect
from tests.browser.judge.measuring import frozen
from tests.browser.keys import press

from metra.store import campaigns
from metra.store.events import write_key_log

SIGNS = ["a", "b", " ", "é", "e\u0301", "👍🏽", "市", "ا", "\n", "👩‍👩‍👧", "ไ"]


def made(text="A text of mine.", *, log_keys=True, name="correction", **more):
    return frozen(
        name, {"s": [text]}, source=["s"], references=["r"], log_keys=log_keys, **more
    )


def log_of(server, mine):
    with server.store.reading() as db:
        text = write_key_log(db, campaigns.get_campaign(db, mine.campaign))
    return [json.loads(line) for line in text.split("\n")[:-1]]


def play(log):
    """Return every text that a log of one field went through."""
    states = []
    for entry in log:
        data = entry["data"]
        if entry["kind"] == "text":
            states.append(data["text"])
        elif entry["kind"] == "write":
            old, at = states[-1], data["at"]
            assert at + data["gone"] <= len(old)
            states.append(old[:at] + data["text"] + old[at + data["gone"] :])
    return states


def start(page):
    page.get_by_role("button", name="Start").click()
    page.locator("textarea.whole:not([readonly])").wait_for()
    page.keyboard.press("Control+End")


def finish(page):
    page.get_by_role("button", name="Finish").click()
    page.wait_for_url("**/done")


def test_what_is_replayed_is_what_was_handed_in(server, work):
    mine = server.open(made())
    page = work(mine)
    expect(page.locator(".keys-note")).to_contain_text("recorded key by key")
    start(page)
    page.keyboard.type(" Yes.")
    for key in ("Control+a", "Control+c", "Control+End", "Control+v", "Control+z"):
        page.keyboard.press(key)
    press(page, "Home", "Delete")
    page.keyboard.insert_text("👩‍👩‍👧市")
    press(page, "Enter", "Backspace")
    expect(page.locator("#saved")).to_have_text("saved")
    page.reload()  # the log goes on with the text as it was kept
    page.get_by_role("button", name="Continue").click()
    page.keyboard.type("Now ")
    finish(page)
    [judgement] = mine.judgements()
    log = log_of(server, mine)
    handed_in = judgement.value["correction"]["text"]
    assert "👩‍👩‍👧市" in handed_in
    states = play(log)
    assert states[-1] == handed_in
    assert "A text of mine. Yes." in states
    assert log[-1]["kind"] == "answer"
    assert log[-1]["data"] == {"id": judgement.id}
    assert [one["seq"] for one in log] == sorted({one["seq"] for one in log})
    how = {one["data"]["how"] for one in log if one["kind"] == "write"}
    assert {"insertText", "insertFromPaste", "historyUndo"} <= how
    assert "secret-0" not in str(log)


def test_random_changes_are_replayed(server, work):
    mine = server.open(made())
    page = work(mine)
    rng = random.Random(5)
    pairs = [
        ["".join(rng.choices(SIGNS, k=rng.randrange(8))) for _ in range(2)]
        for _ in range(400)
    ]
    found = page.evaluate(
        """async (pairs) => {
          const { changeBetween } = await import("/static/steps/key_log.js");
          return pairs.map(([one, other]) => changeBetween(Array.from(one), Array.from(other)));
        }""",
        pairs,
    )
    for (one, other), change in zip(pairs, found, strict=True):
        entries = [
            {"kind": "text", "data": {"text": one}},
            {"kind": "write", "data": change},
        ]
        assert play(entries)[-1] == other


def test_a_second_version_is_logged_after_the_first_and_on_any_device(server, work):
    """Numbers of events began again at 0, so that nothing more was kept of a screen."""
    both = frozen(
        "minimal-correction",
        {"s": ["one two", "three four"]},
        source=["s"] * 2,
        references=["r"] * 2,
        unit="document",
        log_keys=True,
    )
    mine = server.open(both)
    page = work(mine)
    page.get_by_role("button", name="Edit as text").click()
    page.locator("textarea.whole").press_sequentially("zero ")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#place")).to_have_text("2 of 2")
    page.get_by_role("button", name="Change").click()
    field = page.locator("textarea.whole")
    expect(field).to_be_visible()
    field.press("Control+End")
    field.press_sequentially("!")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#place")).to_have_text("2 of 2")
    last = [one for one in mine.judgements() if one.segment == 1]
    assert [one.revision for one in last] == [1, 2]
    log = [one for one in log_of(server, mine) if one["number"] == 0]
    ends = [one for one in log if one["kind"] == "answer"]
    assert [one["data"]["id"] for one in ends] == [one.id for one in last]
    assert play(log)[-1] == last[-1].value["syntax"]["text"]


def test_nothing_that_is_typed_is_recorded_without_the_switch(server, work):
    mine = server.open(made(log_keys=False))
    page = work(mine)
    expect(page.locator(".keys-note")).to_contain_text("counted by kind")
    start(page)
    page.keyboard.type("Geheimnis")
    # Not even a browser that sends it is listened to.
    page.evaluate(
        """async () => {
          const { work } = { work: await (await fetch("/api/work")).json() };
          const { task, number, draft } = work.screen;
          const csrf = document.querySelector("meta[name=csrf-token]").content;
          await fetch(`/api/screens/${task}/${number}/draft`, {
            method: "PUT",
            headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
            body: JSON.stringify({ rev: 1e6, value: draft?.value ?? {}, comment: "",
              events: [{ seq: 99999, t_ms: 1, kind: "key", data: { key: "Geheimnis" } }] }),
          });
        }"""
    )
    with server.store.reading() as db:
        stored = campaigns.get_campaign(db, mine.campaign)
        assert write_key_log(db, stored) == ""


def test_more_events_than_fit_beside_an_answer_go_before_it(server, work):
    mine = server.open(made())
    page = work(mine)
    start(page)
    page.evaluate(
        """() => {
          const field = document.querySelector("textarea.whole");
          for (let at = 0; at < 4500; at++) {
            field.dispatchEvent(new KeyboardEvent("keydown", { key: "Shift" }));
          }
        }"""
    )
    page.keyboard.type("!")
    finish(page)
    [judgement] = mine.judgements()
    assert judgement.value["correction"]["text"] == "A text of mine.!"
    log = log_of(server, mine)
    assert play(log)[-1] == "A text of mine.!"
    assert sum(one["data"].get("key") == "Shift" for one in log) == 4500
