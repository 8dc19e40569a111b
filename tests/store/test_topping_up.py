"""Leavers and heirs: what is left goes to who may take it, once, and the log says so."""

import threading
import uuid

import pytest
from tests.campaigns import made, opened, run_together

from metra.campaign.judgement import keep_latest
from metra.scores.judgement import COUNTED
from metra.store import answers, audit, campaigns, judges, tasks
from metra.store.answers import Answer
from metra.store.assignment import take_over_task

DAY = 86400.0


def finish(house, label, *, now, most=None):
    """Answer what a judge has left."""
    with house.store.transaction() as db:
        judge = judges.find_by_label(db, house.campaign, label)
        stored = campaigns.get_campaign(db, house.campaign)
        way = tasks.list_screens(db, judge.id)
        for place in [one for one in way.places if not one.answered][:most]:
            owned = tasks.find_task(db, judge.id, place.task)
            steps = stored.campaign.protocol.steps
            tasks.record_shown_steps(
                db, place.task, place.number, len(steps) - 1, now=now
            )
            value = {"da": 50}
            if stored.campaign.protocol.contrastive:
                value = {"pairwise": [1, 2]}
            answer = Answer(str(uuid.uuid4()), value)
            answers.submit_answer(db, stored, owned, place.number, answer, now=now)
        judges.record_activity(db, judge.id, now=now)


def judge_of(house, label):
    with house.store.reading() as db:
        return judges.find_by_label(db, house.campaign, label)


def taken(house, label, *, now):
    return take_over_task(house.store, judge_of(house, label), now=now)


def all_tasks(house):
    with house.store.reading() as db:
        return tasks.list_campaign_tasks(db, house.campaign)


@pytest.fixture
def house(store):
    """Two systems, five judges, two for each unit: there is room for heirs."""
    wishes = {"judges": 5, "calibration": 0, "repeats": 0.1, "degraded": 0.1}
    return opened(store, made("da", texts=10, **wishes))


def test_nothing_is_taken_from_who_may_come_back(house):
    now = house.clock()
    finish(house, "judge 0", now=now)
    assert taken(house, "judge 0", now=now) is None
    finish(house, "judge 1", now=now, most=2)
    assert taken(house, "judge 0", now=now + 2 * DAY) is None


def test_who_has_work_left_takes_nothing(house):
    with house.store.transaction() as db:
        gone = judges.find_by_label(db, house.campaign, "judge 1").id
        judges.revoke_link(db, gone, now=1.0, who="ann")
    assert taken(house, "judge 0", now=house.clock()) is None


@pytest.mark.parametrize("how", ["away", "revoked", "released"])
def test_what_a_leaver_left_goes_to_an_heir(house, how):
    now = house.clock()
    finish(house, "judge 0", now=now)
    finish(house, "judge 1", now=now, most=2)
    with house.store.transaction() as db:
        gone = judges.find_by_label(db, house.campaign, "judge 1").id
        if how == "revoked":
            judges.revoke_link(db, gone, now=now, who="ann")
        if how == "released":
            judges.release_tasks(db, gone, now=now, who="ann")
    # Somebody is away after three days.
    later = now + (3 * DAY + 1 if how == "away" else 1)
    if how == "away":  # all the others are still at it
        assert taken(house, "judge 0", now=later - 1) is None
        for label in ("judge 2", "judge 3", "judge 4"):
            finish(house, label, now=later, most=1)
    key = taken(house, "judge 0", now=later)
    assert key is not None
    known = {one.task.id: one for one in all_tasks(house)}
    new = known[key]
    old = known[new.topped_up_from]
    assert (new.task.judge, old.task.judge) == ("judge 0", "judge 1")
    assert (new.state, old.state) == ("waiting", "passed")
    assert new.task.kind in COUNTED
    pairs = zip(new.task.items, old.task.items, strict=True)
    for mine, theirs in pairs:
        assert (mine.system, mine.segment, mine.text) == (
            theirs.system,
            theirs.segment,
            theirs.text,
        )
        assert mine.id != theirs.id
    with house.store.reading() as db:
        log = [
            one
            for one in audit.list_entries(db, house.campaign)
            if one.what == "top up"
        ]
    assert [entry.data for entry in log] == [
        {"from": "judge 1", "to": "judge 0", "task": old.task.id, "as": key}
    ]


def test_an_heir_has_never_seen_the_text(house):
    now = house.clock()
    with house.store.transaction() as db:
        gone = judges.find_by_label(db, house.campaign, "judge 1").id
        judges.revoke_link(db, gone, now=now, who="ann")
    count = 0
    for label in ("judge 0", "judge 2", "judge 3", "judge 4"):
        finish(house, label, now=now)
        while taken(house, label, now=now) is not None:
            count += 1
            finish(house, label, now=now)
    assert count > 0
    for label in house.tokens:
        mine = [
            one.task
            for one in all_tasks(house)
            if one.task.judge == label
            and one.state != "passed"
            and one.task.kind in COUNTED
        ]
        segments = [item.segment for task in mine for item in task.items]
        assert len(segments) == len(set(segments))
    # Each unit that could be judged twice has been.
    judged = [one for one in keep_latest(house.judgements()) if one.counts]
    seen = [(one.judge, one.systems, one.segment) for one in judged]
    assert len(seen) == len(set(seen))


def test_the_same_store_gives_the_same_heirs(store):
    found = []
    for name in ("one", "two"):
        house = opened(store, made("da", judges=5, calibration=0, name=name))
        now = house.clock()
        finish(house, "judge 0", now=now)
        with store.transaction() as db:
            gone = judges.find_by_label(db, house.campaign, "judge 3").id
            judges.release_tasks(db, gone, now=now, who="ann")
        key = taken(house, "judge 0", now=now)
        [new] = [one for one in all_tasks(house) if one.task.id == key]
        found.append([(item.system, item.segment) for item in new.task.items])
    assert found[0] == found[1]


def test_comparisons_go_to_who_has_not_made_them(store):
    house = opened(store, made("pairwise", judges=3, systems=3, calibration=0))
    now = house.clock()
    with store.transaction() as db:
        gone = judges.find_by_label(db, house.campaign, "judge 1").id
        judges.revoke_link(db, gone, now=now, who="ann")
    finish(house, "judge 0", now=now)
    while taken(house, "judge 0", now=now) is not None:
        finish(house, "judge 0", now=now)
    mine = [
        (one.task.items[0].segment, frozenset(item.system for item in one.task.items))
        for one in all_tasks(house)
        if one.task.judge == "judge 0" and one.task.kind in COUNTED
    ]
    assert len(mine) == len(set(mine))


def test_who_comes_back_goes_on_with_what_is_still_hers(house):
    now = house.clock()
    finish(house, "judge 0", now=now)
    finish(house, "judge 1", now=now, most=2)
    with house.store.transaction() as db:
        back = judges.find_by_label(db, house.campaign, "judge 1")
        before = tasks.list_screens(db, back.id)
    later = now + 7 * DAY
    for label in ("judge 2", "judge 3", "judge 4"):
        finish(house, label, now=later, most=1)
    assert taken(house, "judge 0", now=later) is not None
    with house.store.transaction() as db:
        after = tasks.list_screens(db, back.id)
        judges.record_activity(db, back.id, now=later)
    assert len(after.places) == len(before.places) - 1
    assert after.reached == before.reached == 2
    # Now that she is back, nothing more is taken from her.
    finish(house, "judge 0", now=later)
    assert taken(house, "judge 0", now=later + 1) is None
    finish(house, "judge 1", now=later + 2)


def test_two_heirs_at_once_do_not_get_the_same(house):
    now = house.clock()
    heirs = ["judge 0", "judge 2", "judge 3", "judge 4"]
    for label in heirs:
        finish(house, label, now=now)
    with house.store.transaction() as db:
        gone = judges.find_by_label(db, house.campaign, "judge 1").id
        judges.revoke_link(db, gone, now=now, who="ann")
    found, gate = [], threading.Barrier(len(heirs))

    def take(label):
        gate.wait()
        found.append(taken(house, label, now=now))

    run_together(take, heirs)
    new = [one for one in all_tasks(house) if one.topped_up_from is not None]
    origins = [one.topped_up_from for one in new]
    assert len(found) == len(heirs)
    assert len(origins) == len(set(origins)) == sum(key is not None for key in found)
