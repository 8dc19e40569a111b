"""Blinding: of all the bytes that a judge receives, none tells who wrote what."""

from functools import partial

import pytest
from tests.campaigns import SYSTEMS, made, opened
from tests.web.browsing import Browser, answer

from metra.campaign.protocols.registry import PROTOCOLS
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
def test_nothing_tells_who_wrote_what(sqlite_store, protocol, per_text):
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
    house = opened(sqlite_store, content)
    with sqlite_store.reading() as db:
        given = [
            one
            for one in tasks.list_campaign_tasks(db, house.campaign)
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


QUESTION = ["What is it?", ["a-secret-answer"], []]
DOCUMENTS = [f"document {at}" for at in range(5)]
MATERIAL = {
    "questions": {name: [QUESTION] for name in DOCUMENTS},
    "templates": {name: [["who", "a-secret-filler"]] for name in DOCUMENTS},
    "baseline": "A few plain words to begin with.",
    "judged": {str(at): [[f"said before {at}", 4]] for at in range(1, 11)},
    "entities": {str(at): [["PERSON", "Ann"]] for at in range(1, 11)},
}
#: Protocols of other kinds of steps, with words that nobody may see before the time.
OTHERS = {
    "minimal-correction": (),
    "term-marking": (),
    "correction": (),
    "cloze": ("gap-",),
    "entity-tagging": (),
    "entity-check": (),
    "evaltrans": (),
    "reading": (),
    "reading-aloud": (),
    "comprehension": ("a-secret-answer",),
    "templates": ("a-secret-filler",),
}


def unlike(number, at):
    """Eleven words of which the eighth, and the fifth of the next line, are gaps."""
    listed = [f"w{number}-{at}-{place}" for place in range(11)]
    listed[7 if at % 2 == 0 else 4] = f"gap-{number}-{at}"
    return " ".join(listed)


def make_other(protocol):
    """Make a campaign whose texts and material differ from segment to segment."""
    return made(
        protocol,
        judges=JUDGES,
        systems=1 if protocol == "comprehension" else 2,
        per_text=2 if PROTOCOLS[protocol].whole else 1,
        texts=5,
        words=unlike,
        material=MATERIAL,
        unit="segment",
    )


@pytest.mark.parametrize("protocol", OTHERS)
def test_nor_does_it_by_other_measures(sqlite_store, protocol):
    """With answers as judges give them, looked at again, and changed."""
    house = opened(sqlite_store, make_other(protocol))
    received = walk(house, JUDGES[0], partial(really, house.clock))
    mine = [one for one in house.judgements() if one.judge == JUDGES[0]]
    assert mine
    assert all(one.cannot is None and one.value for one in mine)
    assert {one.revision for one in mine} == {1, 2}
    secrets = {*SYSTEMS, *JUDGES[1:], *OTHERS[protocol]}
    secrets |= {"degraded", "calibration", "original", '"key":'}
    for reply in received:
        for secret in secrets:
            assert secret not in reply, f"{secret} in {reply[:2000]}"


def test_nor_does_a_second_look(tmp_path):
    """Whoever settles what others left open learns neither whose it is nor of what."""
    from metra import store as stores
    from metra.campaign.second_look import build_follow_up
    from metra.store import campaigns

    for protocol in ("cloze", "comprehension", "entity-tagging", "term-marking"):
        store = stores.open(str(tmp_path / f"{protocol}.db"))
        house = opened(store, make_other(protocol))
        walk(house, JUDGES[0], partial(really, house.clock))
        with store.reading() as db:
            first = campaigns.get_campaign(db, house.campaign)
        second = build_follow_up(
            first.campaign, first.id, house.judgements(), judges=["Zora"], name="again"
        )
        settling = opened(store, second, clock=house.clock)
        received = walk(settling, "Zora", partial(really, house.clock))
        assert all(one.value for one in settling.judgements())
        for reply in received:
            for secret in (*SYSTEMS, *JUDGES, first.id):
                assert secret not in reply, f"{secret} in {reply[:2000]}"
        store.close()


def really(clock, browser, work, screen):
    """Answer as a judge would, look at it again, and change it once."""
    clock.pass_by(20)
    place = f"/api/screens/{screen['task']}/{screen['number']}"
    for again in (False, True):
        value = {
            step["name"]: real(screen, step, again)
            for step in work["protocol"]["steps"]
            if step["name"] in screen.get("steps", [step["name"]])
        }
        events = [{"seq": 7 + again, "t_ms": 5, "kind": "focus"}]
        draft = {"rev": 1, "value": value, "comment": "", "events": events}
        browser.send("PUT", f"{place}/draft", draft)
        steps = work["protocol"]["steps"]
        for at in range(1, len(value)):
            known = {one["name"]: value[one["name"]] for one in steps[:at]}
            body = {"step": at, "rev": 5 + at, "value": known}
            reply = browser.send("POST", f"{place}/reveal", body)
            assert reply.status_code == 200, reply.text
            screen = reply.json()
        value = {
            step["name"]: real(screen, step, again)
            for step in steps
            if step["name"] in screen.get("steps", [step["name"]])
        }
        reply = browser.send("POST", f"{place}/answer", answer(value))
        assert reply.status_code == 200, reply.text
        clock.pass_by(20)
        browser.get(place)


def real(screen, step, again):
    value = REAL[step["kind"]](screen, step["name"], again)
    if step["kind"] == "tags" and step["ask"]["types"]:
        value["tags"][0]["type"] = step["ask"]["types"][0]
    return value


def text_of(screen):
    return screen["outputs"][0]["text"]


def extra_of(screen, step):
    return screen.get("extra", {}).get(step, {})


#: What a judge answers, by the kind of step, from nothing but what the browser was sent.
REAL = {
    "reading": lambda *_: {"ms": 9000, "pauses": 0},
    "edit": lambda screen, _, again: {
        "ms": 8000,
        "text": f"{text_of(screen)} mended{again}",
        "keys": {"letter": 3},
    },
    "gaps": lambda screen, step, again: {
        "answers": [f"guess{again}"] * (len(extra_of(screen, step)["pieces"]) - 1)
    },
    "questions": lambda screen, step, again: {
        "answers": [f"guess{again}"]
        * len(extra_of(screen, step).get("questions", [QUESTION]))
    },
    "template": lambda screen, step, again: {
        "filled": [[extra_of(screen, step)["slots"][0], f"guess{again}"]]
    },
    "chips": lambda screen, _, again: {"text": f"{text_of(screen)} mended{again}"},
    "tags": lambda _, __, again: {"tags": [{"start": 0, "end": 4 + again}]},
    "reconcile": lambda *_: {"tags": []},
    "near": lambda _, __, again: {"score": 4 + again},
    "verdict": lambda _, __, again: {"right": again},
    "missed": lambda screen, step, again: {
        "found": [
            {"start": 0, "end": 2} if again else None
            for _ in extra_of(screen, step)["names"]
        ]
    },
}


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
