"""Blinding: of all the bytes that a judge receives, none tells who wrote what."""

import pytest
from tests.campaigns import SYSTEMS, made, opened
from tests.web.browsing import Browser, answer

from metra.human.protocols import PROTOCOLS
from metra.store import tasks

JUDGES = ("Anselm-Q1", "Berta-Q2", "Cuno-Q3", "Dora-Q4")
PROTOCOL_NAMES = [
    name
    for name, protocol in PROTOCOLS.items()
    if {step.asks.kind for step in protocol.steps} <= {"scale", "marks", "order"}
]


def everything(reply):
    """Status line, headers and body, as they came."""
    head = "\n".join(f"{name}: {value}" for name, value in reply.headers.items())
    return f"{head}\n\n{reply.content.decode()}"


WAYS = [
    (name, per_text)
    for name in PROTOCOL_NAMES
    for per_text in (1, 2)
    # Compared and shuffled outputs are judged segment by segment.
    if per_text == 1 or not (PROTOCOLS[name].contrastive or PROTOCOLS[name].shuffled)
]


@pytest.mark.parametrize(("protocol", "per_text"), WAYS)
def test_nothing_tells_who_wrote_what(tmp_path, protocol, per_text):
    from metra import store as stores

    checks = {"repeats": 0.3, "calibration": 1}
    if not PROTOCOLS[protocol].contrastive:
        checks["degraded"] = 0.3
    content = made(
        protocol,
        judges=JUDGES,
        per_text=per_text,
        texts=5,
        words="words of {1} number {0} and a few more to spoil".format,
        **checks,
    )
    store = stores.open(str(tmp_path / "judge.db"))
    house = opened(store, content)
    with store.reading() as db:
        given = [
            one
            for one in tasks.of_campaign(db, house.campaign)
            if one.task.judge == JUDGES[0]
        ]
    # Checks of every kind are in what follows.
    kinds = {one.task.kind for one in given}
    assert {"judged", "repeat", "calibration"} <= kinds
    received = walk(house, JUDGES[0])
    secrets = {
        *SYSTEMS,
        *JUDGES[1:],
        *(name.lower() for name in SYSTEMS),
        *kinds - {"judged", "reference"},
        "degraded",
        "spoilt",
    }
    for reply in received:
        for secret in secrets:
            assert secret not in reply, f"{secret} in {reply[:2000]}"
    # An output that comes back has ids of its own, so nobody can match them.
    ids = [item.id for one in given for item in one.task.items]
    assert len(ids) == len(set(ids))
    originals = [one.task.original for one in given if one.task.original is not None]
    for reply in received:
        assert "original" not in reply
        assert '"kind":"judged"' not in reply
    assert originals
    store.close()


#: Protocols of other kinds of steps, as far as texts are all that they need.
OTHER_NAMES = (
    "minimal-correction",
    "term-marking",
    "correction",
    "cloze",
    "entity-tagging",
    "evaltrans",
)


@pytest.mark.parametrize("protocol", OTHER_NAMES)
def test_nor_does_it_by_other_measures(tmp_path, protocol):
    from metra import store as stores

    content = made(
        protocol,
        judges=JUDGES,
        per_text=2 if PROTOCOLS[protocol].whole else 1,
        texts=5,
        words="words of {1} number {0} and a few more to read and mend".format,
    )
    store = stores.open(str(tmp_path / "judge.db"))
    received = walk(opened(store, content), JUDGES[0], give_up)
    for reply in received:
        for secret in (*SYSTEMS, *JUDGES[1:], "degraded", "calibration", "original"):
            assert secret not in reply, f"{secret} in {reply[:2000]}"
    store.close()


def give_up(browser, _, screen):
    place = f"/api/screens/{screen['task']}/{screen['number']}/answer"
    reply = browser.send("POST", place, answer(None, cannot="I am a machine."))
    assert reply.status_code == 200


def walk(house, label, judge=Browser.answer):
    """Everything that a judge gets from the link to the code, and from going wrong."""
    received = []
    browser = house.browser()
    client = browser.client
    client.event_hooks["response"].append(
        lambda reply: (reply.read(), received.append(everything(reply)))
    )
    browser.get("/")
    browser.get(f"/j/{house.tokens[label]}")
    browser.come_in(house.tokens[label])
    for path in ("/judge", "/judge/consent", "/judge/guide", "/judge/done"):
        browser.get(path)
    wrong_ways(browser, browser.work()["screen"])
    while (work := browser.work())["screen"] is not None:
        screen = work["screen"]
        browser.get(f"/api/screens/{screen['task']}/{screen['number']}")
        judge(browser, work, screen)
    browser.get("/judge/done")
    browser.form("/judge/leave")
    assert len(received) > 25
    return received


def wrong_ways(browser, screen):
    place = f"/api/screens/{screen['task']}/{screen['number']}"
    bad = {"no such step": 1}
    browser.send("POST", f"{place}/answer", answer(bad))
    browser.send("POST", f"{place}/answer", answer(None))
    browser.send("POST", f"{place}/answer", {"id": "no uuid"})
    browser.send("POST", f"{place}/reveal", {"step": 7, "rev": 1, "value": {}})
    browser.send("POST", f"{place}/reveal", {"step": 1, "rev": 1, "value": {}})
    browser.send("PUT", f"{place}/draft", {"rev": -1})
    browser.get("/api/screens/none/0")
    browser.get("/api/none")
    browser.get("/none")
    browser.get("/admin/none")
    browser.form("/j/none")


def test_the_reference_is_not_sent_before_its_step(light_house):
    browser = light_house.browser("judge 0")
    work = browser.work()
    screen = work["screen"]
    assert "reference" not in screen
    place = f"/api/screens/{screen['task']}/0"
    for value in ({}, {"fluency": 9}, {"fluency": None}, {"adequacy": 3}):
        body = {"step": 1, "rev": 1, "value": value}
        reply = browser.send("POST", f"{place}/reveal", body)
        assert reply.status_code == 422
        assert "reference" not in reply.text.replace("There is no", "")
    body = {"step": 1, "rev": 1, "value": {"fluency": 4}}
    shown = browser.send("POST", f"{place}/reveal", body).json()
    assert shown["reference"].startswith("reference a")
    assert shown["step"] == 1
    assert shown["draft"] == {"rev": 1, "value": {"fluency": 4}, "comment": ""}
    # What was shown once stays, after a reload too.
    assert browser.work()["screen"]["reference"] == shown["reference"]
    # The source plays no part in this campaign and is never sent.
    assert "source" not in shown
