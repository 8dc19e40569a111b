"""A judge's way, and all that may come between: nothing lost, nothing doubled."""

import threading
import uuid

import pytest
from tests.campaigns import list_screen_events, made, opened, run_together
from tests.web.browsing import answer

from metra.campaign.judgement import keep_latest
from metra.store import campaigns, judges

DAY = 86400.0
GOOD = {"fluency": 4, "adequacy": 2}


def path_of(screen):
    return f"/api/screens/{screen['task']}/{screen['number']}"


def reveal(browser, screen):
    """See all that there is to see on a screen."""
    body = {"step": 1, "rev": 1, "value": {"fluency": 4}}
    reply = browser.send("POST", f"{path_of(screen)}/reveal", body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def begin(house):
    """A judge before the first screen, all of which is shown."""
    browser = house.browser("judge 0")
    screen = browser.work()["screen"]
    reveal(browser, screen)
    return browser, screen


def finish(browser):
    while (work := browser.work())["screen"] is not None:
        browser.answer(work, work["screen"])
    return work


def test_from_the_link_to_the_code(house):
    browser = house.browser()
    token = house.tokens["judge 0"]
    assert "Start" in browser.get(f"/j/{token}").text
    assert browser.form(f"/j/{token}").headers["Location"] == "/judge"
    assert browser.get("/judge").headers["Location"] == "/judge/consent"
    assert "test" in browser.get("/judge/consent").text
    browser.form("/judge/consent", agree="yes", target_level="good", source_level="x")
    assert browser.get("/judge").headers["Location"] == "/judge/guide"
    assert browser.get("/judge/guide").status_code == 200
    browser.form("/judge/guide")
    assert browser.get("/judge").headers["Location"] == "/judge/work"
    assert browser.get("/judge/done").headers["Location"] == "/judge"
    first = browser.work()
    house.clock.pass_by(60)
    last = finish(browser)
    count = first["progress"]["of"]
    assert last["progress"]["done"] == last["progress"]["of"] == count
    assert browser.get("/judge").headers["Location"] == "/judge/done"
    with house.store.reading() as db:
        judge = judges.find_by_label(db, house.campaign, "judge 0")
    assert judge.completion_code in browser.get("/judge/done").text
    assert judge.profile == {"target_level": "good"}
    assert len(house.judgements()) == count


def test_sending_twice_keeps_once(house):
    browser, screen = begin(house)
    said = answer(GOOD)
    place = f"{path_of(screen)}/answer"
    one, two = (browser.send("POST", place, said) for _ in range(2))
    assert one.status_code == two.status_code == 200
    assert one.json() == two.json()
    assert [kept.value for kept in house.judgements()] == [GOOD]


def test_sending_at_once_keeps_once(house):
    browser, screen = begin(house)
    said = answer(GOOD)
    gate, replies = threading.Barrier(5), []

    def send(_):
        gate.wait()
        reply = browser.send("POST", f"{path_of(screen)}/answer", said)
        replies.append((reply.status_code, reply.json()))

    run_together(send, range(5))
    assert replies == [replies[0]] * 5
    assert replies[0][0] == 200
    assert len(house.judgements()) == 1


def test_two_tabs_give_revisions_in_order(house):
    one = house.browser("judge 0")
    screen = one.work()["screen"]
    reveal(one, screen)
    gate, replies = threading.Barrier(4), []

    def send(fluency):
        gate.wait()
        said = answer({"fluency": fluency, "adequacy": 1})
        reply = one.send("POST", f"{path_of(screen)}/answer", said)
        replies.append(reply.json()["revision"])

    run_together(send, range(1, 5))
    assert sorted(replies) == [1, 2, 3, 4]
    kept = house.judgements()
    assert sorted(one.revision for one in kept) == [1, 2, 3, 4]
    assert len(keep_latest(kept)) == 1


def test_an_older_draft_does_not_win(house):
    browser = house.browser("judge 0")
    place = f"{path_of(browser.work()['screen'])}/draft"
    new = {"rev": 5, "value": {"fluency": 2}, "comment": "new", "events": []}
    assert browser.send("PUT", place, new).json() == {"rev": 5}
    assert browser.send("PUT", place, new).json() == {"rev": 5}
    old = {"rev": 4, "value": {"fluency": 1}, "comment": "old", "events": []}
    reply = browser.send("PUT", place, old)
    assert reply.status_code == 409
    assert reply.json()["draft"] == {
        "rev": 5,
        "value": {"fluency": 2},
        "comment": "new",
    }
    # After a reload it is there again.
    assert browser.work()["screen"]["draft"] == reply.json()["draft"]


@pytest.mark.parametrize("what", ["value", "events"])
def test_a_draft_that_is_nested_too_deep_is_refused_and_locks_nobody_out(house, what):
    browser = house.browser("judge 0")
    place = f"{path_of(browser.work()['screen'])}/draft"
    nested = 1
    for _ in range(900):
        nested = [nested]
    event = {"client": "a", "seq": 1, "t_ms": 1, "kind": "mark", "data": nested}
    given = {"value": {"fluency": nested}} if what == "value" else {"events": [event]}
    draft = {"rev": 1, "value": {}, "comment": "", "events": []} | given
    assert browser.send("PUT", place, draft).status_code == 422
    work = browser.work()
    assert work["screen"]["draft"] is None
    browser.answer(work, work["screen"])


def test_examples_are_asked_about_in_their_own_language(store):
    house = opened(store, made(target_language="de"))
    browser = house.browser("judge 0")
    [question] = {
        step["question"]
        for step in browser.work()["protocol"]["steps"]
        if step["name"] == "fluency"
    }
    assert question == "How good is the German of this text?"
    guide = browser.get("/judge/guide").text
    assert "How good is the English of this text?" in guide
    assert question not in guide


def test_drafts_at_once_leave_the_newest(house):
    browser = house.browser("judge 0")
    place = f"{path_of(browser.work()['screen'])}/draft"
    gate = threading.Barrier(8)

    def send(rev):
        gate.wait()
        body = {"rev": rev, "value": {"fluency": rev % 5 + 1}, "comment": str(rev)}
        browser.send("PUT", place, body)

    run_together(send, range(1, 9))
    assert browser.work()["screen"]["draft"]["rev"] == 8


def test_an_expired_session_is_taken_up_in_place(house):
    browser, screen = begin(house)
    house.clock.pass_by(15 * DAY)
    said = answer(GOOD)
    reply = browser.send("POST", f"{path_of(screen)}/answer", said)
    assert reply.status_code == 401
    assert reply.json()["reason"] == "session"
    link = f"http://127.0.0.1:8000/j/{house.tokens['judge 0']}"
    again = browser.send("POST", "/api/session", {"token": f"  {link}/ "})
    assert again.status_code == 200
    browser.csrf = again.json()["csrf"]
    reply = browser.send("POST", f"{path_of(screen)}/answer", said)
    assert reply.status_code == 200
    assert [kept.id for kept in house.judgements()] == [said["id"]]
    # No more time can have been spent than has passed.
    assert house.judgements()[0].wall_ms == 15 * DAY * 1000
    assert browser.send("POST", "/api/session", {"token": "x"}).status_code == 404


def test_a_weeks_pause_loses_nothing(house):
    browser = house.browser("judge 0")
    for _ in range(3):
        browser.answer(work := browser.work(), work["screen"])
    screen = browser.work()["screen"]
    draft = {"rev": 1, "value": {"fluency": 5}, "comment": "half", "events": []}
    browser.send("PUT", f"{path_of(screen)}/draft", draft)
    house.clock.pass_by(7 * DAY)
    again = house.browser()
    again.form(f"/j/{house.tokens['judge 0']}")
    assert again.get("/judge").headers["Location"] == "/judge/work"
    again.get("/judge/work")
    work = again.work()
    assert (work["screen"]["task"], work["progress"]["done"]) == (screen["task"], 3)
    assert work["screen"]["draft"]["value"] == {"fluency": 5}
    finish(again)


def test_what_leavers_left_is_asked_of_who_is_done(store):
    house = opened(store, made(judges=5, calibration=0))
    browser = house.browser("judge 0")
    count = finish(browser)["progress"]["of"]
    with house.store.transaction() as db:
        gone = judges.find_by_label(db, house.campaign, "judge 1").id
        judges.revoke_link(db, gone, now=house.clock(), who="test")
    work = browser.work()
    assert work["progress"]["of"] == count + 1
    finish(browser)


def test_the_last_answers_can_be_changed_and_no_others(house):
    browser = house.browser("judge 0")
    seen = []
    for _ in range(9):
        work = browser.work()
        seen.append(work["screen"])
        browser.answer(work, work["screen"])
    third = browser.get(path_of(seen[2])).json()
    assert third["answer"]["value"] == {"fluency": 3, "adequacy": 3}
    assert third["previous"] == {"task": seen[1]["task"], "number": 0}
    assert third["next"] == {"task": seen[3]["task"], "number": 0}
    new = browser.send("POST", f"{path_of(seen[2])}/answer", answer(GOOD)).json()
    assert new["revision"] == 2
    assert browser.work()["screen"]["previous"]["task"] == seen[8]["task"]


def test_screens_come_in_order(house):
    browser = house.browser("judge 0")
    with house.store.reading() as db:
        from metra.store import tasks

        key = judges.find_by_label(db, house.campaign, "judge 0").id
        places = tasks.list_screens(db, key).places
    later = browser.get(f"/api/screens/{places[3].task}/0")
    assert later.status_code == 403
    assert later.json() == {"error": "This screen comes later."}


def test_long_gone_answers_are_closed(store):
    house = opened(store, made("da", texts=30, judges=4))
    browser = house.browser("judge 0")
    first = browser.work()["screen"]
    said = answer({"da": 40})
    assert browser.send("POST", f"{path_of(first)}/answer", said).status_code == 200
    for _ in range(11):
        browser.answer(work := browser.work(), work["screen"])
    reply = browser.send("POST", f"{path_of(first)}/answer", answer({"da": 50}))
    assert reply.status_code == 403
    assert reply.json() == {"error": "This answer can no longer be changed."}
    # But what was sent once may be sent again, as after a lost reply.
    again = browser.send("POST", f"{path_of(first)}/answer", said)
    assert (again.status_code, again.json()["revision"]) == (200, 1)


def test_some_texts_cannot_be_judged(house):
    browser = house.browser("judge 0")
    screen = browser.work()["screen"]
    said = answer(None, cannot="It is not in English.", comment="really")
    assert browser.send("POST", f"{path_of(screen)}/answer", said).status_code == 200
    [kept] = house.judgements()
    assert (kept.cannot, kept.comment) == ("It is not in English.", "really")
    back = browser.get(path_of(screen)).json()
    assert back["answer"]["cannot"] == "It is not in English."
    reply = browser.send("POST", f"{path_of(screen)}/answer", answer(None, cannot=""))
    assert reply.status_code == 422


def test_events_come_with_drafts_and_answers(house):
    browser, screen = begin(house)
    one = {"seq": 0, "t_ms": 1.5, "kind": "focus", "data": {"of": "text"}}
    two = {"seq": 1, "t_ms": 2, "kind": "key"}
    draft = {"rev": 2, "value": {"fluency": 4}, "comment": "", "events": [one]}
    browser.send("PUT", f"{path_of(screen)}/draft", draft)
    said = answer(GOOD, events=[one, two])
    for _ in range(2):
        browser.send("POST", f"{path_of(screen)}/answer", said)
    with house.store.reading() as db:
        kept = list_screen_events(db, screen["task"], 0)
    assert [(one.seq, one.kind, one.data) for one in kept] == [
        (0, "focus", {"of": "text"}),
        (1, "key", None),
    ]


@pytest.mark.parametrize(
    ("state", "work", "taken"), [("paused", 409, 200), ("closed", 409, 409)]
)
def test_a_pause_takes_what_is_begun_and_the_end_nothing(house, state, work, taken):
    browser, screen = begin(house)
    with house.store.transaction() as db:
        campaigns.set_state(db, house.campaign, state, now=house.clock(), who="test")
    reply = browser.get("/api/work")
    assert (reply.status_code, reply.json()["reason"]) == (work, state)
    draft = {"rev": 2, "value": {"fluency": 4}, "comment": "", "events": []}
    kept = browser.send("PUT", f"{path_of(screen)}/draft", draft)
    assert kept.status_code == taken
    sent = browser.send("POST", f"{path_of(screen)}/answer", answer(GOOD))
    assert sent.status_code == taken
    page = browser.get("/judge")
    assert page.status_code == 200
    assert state in page.text


def test_a_sign_of_life_keeps_the_task(house):
    browser = house.browser("judge 0")
    screen = browser.work()["screen"]
    house.clock.pass_by(600)
    draft = {"rev": 1, "value": {}, "comment": ""}
    assert browser.send("PUT", f"{path_of(screen)}/draft", draft).status_code == 200
    with house.store.reading() as db:
        judge = judges.find_by_label(db, house.campaign, "judge 0")
    assert judge.seen_at == house.clock()


def test_what_no_database_can_hold_is_not_found(house):
    browser = house.browser("judge 0")
    assert browser.get("/api/screens/a%00b/0").status_code == 404
    assert browser.get(f"/api/screens/x/{10**30}").status_code == 404
    assert browser.get("/j/a%00b").status_code == 404
    assert browser.form("/j/a%00b").status_code == 404
    browser.client.cookies.set("metra-judge", "%00")
    assert browser.get("/api/work").status_code in (200, 401)


def test_documents_are_judged_part_by_part(store):
    house = opened(store, made("esa", per_text=3))
    browser = house.browser("judge 0")
    work = browser.work()
    first = work["screen"]
    assert (first["items"], first["number"], first["place"]) == (3, 0, 1)
    assert len(first["context"]) == 2
    assert first["next"] == {"task": first["task"], "number": 1}
    third = browser.get(f"/api/screens/{first['task']}/2").json()
    value = {"errors": [{"start": 0, "end": 5, "severity": "minor"}], "esa": 80}
    sent = browser.send("POST", f"{path_of(third)}/answer", answer(value))
    assert sent.json()["next"] == {"task": first["task"], "number": 0}
    wrong = {"errors": [{"start": 0, "end": 500, "severity": "minor"}], "esa": 80}
    sent = browser.send("POST", f"{path_of(first)}/answer", answer(wrong))
    assert sent.status_code == 422
    assert "within the" in sent.json()["error"]
    finish(browser)
    assert len(house.judgements()) == work["progress"]["of"]


def test_ids_of_others_cannot_be_used(house):
    one, two = house.browser("judge 0"), house.browser("judge 1")
    said = answer(GOOD)
    for browser, status in ((one, 200), (two, 409)):
        screen = browser.work()["screen"]
        reveal(browser, screen)
        reply = browser.send("POST", f"{path_of(screen)}/answer", said)
        assert reply.status_code == status
    assert len(house.judgements()) == 1


def test_ids_are_uuids(house):
    browser, screen = begin(house)
    for wrong in ("x", "", 5, str(uuid.UUID(int=5))):
        said = answer(GOOD, id=wrong)
        reply = browser.send("POST", f"{path_of(screen)}/answer", said)
        assert reply.status_code == 422
    one = answer(GOOD)
    shouted = one | {"id": one["id"].upper()}
    for said in (one, shouted):
        reply = browser.send("POST", f"{path_of(screen)}/answer", said)
        assert reply.json()["saved"] == one["id"]
    assert len(house.judgements()) == 1


def test_a_draft_that_its_answer_overtook_is_dropped(house):
    browser, screen = begin(house)
    place = f"{path_of(screen)}/draft"
    saved = browser.send("POST", f"{path_of(screen)}/answer", answer(GOOD))
    assert saved.status_code == 200
    event = {"client": "a", "seq": 7, "t_ms": 1, "kind": "blur"}
    late = {"rev": 9, "value": {"fluency": 1}, "comment": "late", "events": [event]}
    reply = browser.send("PUT", place, late)
    assert reply.json()["answer"]["value"] == GOOD
    again = browser.get(path_of(screen)).json()
    assert again["draft"] is None
    with house.store.reading() as db:
        kinds = [one.kind for one in list_screen_events(db, screen["task"], 0)]
    assert kinds == ["blur"]


def test_a_draft_that_changes_an_answer_is_kept(house):
    browser, screen = begin(house)
    browser.send("POST", f"{path_of(screen)}/answer", answer(GOOD))
    new = {
        "rev": 1,
        "answered": 1,
        "value": {"fluency": 1},
        "comment": "",
        "events": [],
    }
    reply = browser.send("PUT", f"{path_of(screen)}/draft", new)
    assert reply.json() == {"rev": 1}
    assert browser.get(path_of(screen)).json()["draft"]["value"] == {"fluency": 1}


@pytest.mark.parametrize(
    ("name", "log_keys", "says", "not_says"),
    [
        pytest.param("correction", True, "key by key", "never which letter", id="all"),
        pytest.param("correction", False, "never which", "key by key", id="kinds"),
        pytest.param("clarity", False, "Your answers", "kind of each key", id="none"),
    ],
)
def test_consent_says_what_is_recorded_of_keys(
    sqlite_store, name, log_keys, says, not_says
):
    house = opened(sqlite_store, made(name, log_keys=log_keys))
    browser = house.browser()
    browser.form(f"/j/{house.tokens['judge 0']}")
    page = browser.get("/judge/consent").text
    assert says in page
    assert not_says not in page
