"""Judges who want to be forgotten."""

from collections import Counter

import pytest
from tests.campaigns import made, opened
from tests.web.browsing import answer

from metra.errors import UnknownNameError
from metra.store import audit, judges, tasks


@pytest.fixture
def house(store):
    house = opened(store, made("da"))
    for label, comment, screens in (("judge 0", "I am Ann", 2), ("judge 1", "Bob", 1)):
        browser = house.browser(label)
        for _ in range(screens):
            browser.answer(work := browser.work(), work["screen"])
        screen = browser.work()["screen"]
        place = f"/api/screens/{screen['task']}/{screen['number']}"
        events = [{"seq": at, "t_ms": 5, "kind": "key"} for at in range(1, screens + 1)]
        draft = {"rev": 1, "value": {}, "comment": comment, "events": events}
        assert browser.send("PUT", f"{place}/draft", draft).status_code == 200
        said = answer({"da": 40}, comment=comment)
        assert browser.send("POST", f"{place}/answer", said).status_code == 200
        draft |= {"rev": 2, "answered": 1}
        assert browser.send("PUT", f"{place}/draft", draft).status_code == 200
    return house


@pytest.fixture
def other(store):
    """Another campaign in the same store, whose judges have the same names."""
    other = opened(store, made("da", name="other"))
    browser = other.browser("judge 0")
    browser.answer(work := browser.work(), work["screen"])
    return other


def list_rows(house):
    """All that is known about a campaign."""
    tasks = f"task IN (SELECT id FROM task WHERE campaign = '{house.campaign}')"
    wheres = {
        **dict.fromkeys(("judge", "task", "audit"), f"campaign = '{house.campaign}'"),
        **dict.fromkeys(("draft", "event", "judgement", "shown"), tasks),
    }
    with house.store.reading() as db:
        return {
            table: sorted(
                map(str, db.exec_driver_sql(f"SELECT * FROM {table} WHERE {where}"))
            )
            for table, where in wheres.items()
        }


def count_rows(house):
    """How many rows of each table are about each judge's tasks."""
    query = (
        "SELECT judge.label FROM {0} JOIN task ON task.id = {0}.task "
        f"JOIN judge ON judge.id = task.judge WHERE task.campaign = '{house.campaign}'"
    )
    with house.store.reading() as db:
        return {
            table: Counter(
                label for (label,) in db.exec_driver_sql(query.format(table))
            )
            for table in ("draft", "event", "judgement", "shown")
        }


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
    before, rows = house.judgements(), count_rows(house)
    with house.store.transaction() as db:
        key = judges.find_by_label(db, house.campaign, "judge 0").id
        name = judges.anonymise_judge(db, key, now=house.clock(), who="ann")
    after = house.judgements()
    assert [(one.id, one.value) for one in after] == [
        (one.id, one.value) for one in before
    ]
    assert {one.judge for one in after} == {name, "judge 1"}
    assert not any("judge 0" in value for value in everything(house))
    comments = [(one.judge == name, one.comment) for one in after]
    assert Counter(comments) == {(True, ""): 3, (False, ""): 1, (False, "Bob"): 1}
    assert not any("Ann" in value for value in everything(house))
    # What the other judge did is still there.
    assert rows["draft"] == {"judge 0": 1, "judge 1": 1}
    assert rows["event"] == {"judge 0": 2, "judge 1": 1}
    assert count_rows(house) == {
        "draft": {"judge 1": 1},
        "event": {"judge 1": 1},
        "judgement": {name: 3, "judge 1": 2},
        "shown": {name: rows["shown"]["judge 0"], "judge 1": rows["shown"]["judge 1"]},
    }
    reply = house.browser().form(f"/j/{house.tokens['judge 0']}")
    assert reply.status_code == 404


def test_answers_can_be_deleted_too(house, other):
    elsewhere = list_rows(other)
    with house.store.transaction() as db:
        keys = [
            judges.find_by_label(db, house.campaign, f"judge {at}").id for at in (0, 1)
        ]
        judges.anonymise_judge(db, keys[0], now=house.clock(), who="ann")
        count = judges.delete_answers(db, keys[0], now=house.clock(), who="ann")
        log = {entry.what: entry for entry in audit.list_entries(db, house.campaign)}
        states = [
            Counter(task.state for task in tasks.list_judge_tasks(db, key))
            for key in keys
        ]
    assert count == 3
    assert [one.judge for one in house.judgements()] == ["judge 1", "judge 1"]
    assert {"anonymise", "delete answers"} <= set(log)
    assert log["delete answers"].data["answers"] == 3
    assert states[0].keys() == {"waiting"}
    assert states[1]["done"] == 2
    assert all(set(counts) == {"judge 1"} for counts in count_rows(house).values())
    assert list_rows(other) == elsewhere
    assert elsewhere["judgement"]


def test_nobody_cannot_be_forgotten(house):
    with (
        pytest.raises(UnknownNameError, match="is not in the store"),
        house.store.transaction() as db,
    ):
        judges.anonymise_judge(db, "nobody", now=1.0, who="ann")
