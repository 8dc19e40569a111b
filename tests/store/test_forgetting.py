"""Judges who want to be forgotten."""

import pytest
from tests.campaigns import made, opened
from tests.web.browsing import answer

from metra.errors import UnknownNameError
from metra.store import audit, judges


@pytest.fixture
def house(store):
    house = opened(store, made("da"))
    for label in ("judge 0", "judge 1"):
        browser = house.browser(label)
        for _ in range(2):
            browser.answer(work := browser.work(), work["screen"])
        screen = browser.work()["screen"]
        place = f"/api/screens/{screen['task']}/{screen['number']}"
        event = {"seq": 1, "t_ms": 5, "kind": "key"}
        draft = {"rev": 1, "value": {}, "comment": "I am Ann", "events": [event]}
        assert browser.send("PUT", f"{place}/draft", draft).status_code == 200
        said = answer({"da": 40}, comment="I am Ann")
        assert browser.send("POST", f"{place}/answer", said).status_code == 200
        draft |= {"rev": 2, "answered": 1}
        assert browser.send("PUT", f"{place}/draft", draft).status_code == 200
    return house


def everything(house):
    with house.store.reading() as db:
        return [
            str(value)
            for table in (
                *("campaign", "judge", "task", "audit"),
                *("session", "draft", "event", "judgement"),
            )
            for row in db.exec_driver_sql(f"SELECT * FROM {table}")
            for value in row
        ]


def test_who_it_was_is_forgotten_and_what_she_judged_stays(house):
    before = house.judgements()
    with house.store.transaction() as db:
        key = judges.find_by_label(db, house.campaign, "judge 0").id
        name = judges.anonymise_judge(db, key, now=house.clock(), who="ann")
    after = house.judgements()
    assert [(one.id, one.value) for one in after] == [
        (one.id, one.value) for one in before
    ]
    assert {one.judge for one in after} == {name, "judge 1"}
    assert not any("judge 0" in value for value in everything(house))
    mine = [one for one in after if one.judge == name]
    assert [one.comment for one in mine] == ["", "", ""]
    # The other judge's words are still there.
    assert sum("I am Ann" in value for value in everything(house)) == 2
    reply = house.browser().form(f"/j/{house.tokens['judge 0']}")
    assert reply.status_code == 404


def test_answers_can_be_deleted_too(house):
    with house.store.transaction() as db:
        key = judges.find_by_label(db, house.campaign, "judge 0").id
        judges.anonymise_judge(db, key, now=house.clock(), who="ann")
        count = judges.delete_answers(db, key, now=house.clock(), who="ann")
        log = [entry.what for entry in audit.list_entries(db, house.campaign)]
    assert count == 3
    assert {one.judge for one in house.judgements()} == {"judge 1"}
    assert {"anonymise", "delete answers"} <= set(log)


def test_nobody_cannot_be_forgotten(house):
    with (
        pytest.raises(UnknownNameError, match="is not in the store"),
        house.store.transaction() as db,
    ):
        judges.anonymise_judge(db, "nobody", now=1.0, who="ann")
