"""Answers, drafts and events: kept once, in order, with times that can be believed."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.campaigns import list_screen_events, made, opened

from metra.campaign.assignment import estimate_screen_seconds
from metra.campaign.judgement import keep_latest, score_outputs
from metra.errors import OptionError
from metra.store import answers, campaigns, events, judges, tasks
from metra.store.answers import Answer, AnswerTimes, ConflictError, Draft
from metra.store.events import Event
from metra.store.tasks import compute_progress

GOOD = {"fluency": 4, "adequacy": 2}


@pytest.fixture
def house(store):
    return opened(store, made())


@pytest.fixture
def at_work(house):
    """A judge with her first screen before her, all of it shown at 1000."""
    with house.store.transaction() as db:
        judge = judges.find_by_label(db, house.campaign, "judge 0")
        way = tasks.list_screens(db, judge.id)
        first = way.places[0]
        owned = tasks.find_task(db, judge.id, first.task)
        tasks.record_shown_steps(db, first.task, 0, 1, now=1000.0)
        yield db, campaigns.get_campaign(db, house.campaign), owned, judge


def submit(at_work, value=GOOD, *, now=1010.0, key=None, **more):
    db, stored, owned, _ = at_work
    answer = Answer(key or str(uuid.uuid4()), value, **more)
    return answers.submit_answer(db, stored, owned, 0, answer, now=now)


def test_an_answer_is_kept_with_the_servers_times(at_work):
    db, stored, owned, judge = at_work
    times = AnswerTimes(
        active_ms=6000, idle_ms=1000, hidden_ms=2000, first_action_ms=500
    )
    given_ = submit(at_work, comment="hm\0", times=times)
    [kept] = answers.read_judgements(db, stored)
    assert (given_.revision, given_.value, given_.comment) == (1, GOOD, "hm")
    assert (kept.id, kept.value, kept.judge) == (given_.id, GOOD, "judge 0")
    assert (kept.shown_at, kept.submitted_at) == (1000.0, 1010.0)
    assert kept.first_action_at == 1000.5
    assert (kept.wall_ms, kept.active_ms, kept.idle_ms) == (10_000, 6000, 1000)
    assert (kept.hidden_ms, kept.paused_ms) == (2000, 0)
    assert tasks.find_task(db, judge.id, owned.task.id).state == "done"


def test_a_new_id_is_a_new_revision(at_work):
    db, stored, *_ = at_work
    one = submit(at_work)
    two = submit(at_work, {"fluency": 1, "adequacy": 1}, now=1020.0)
    kept = answers.read_judgements(db, stored)
    assert [judgement.revision for judgement in kept] == [1, 2]
    assert [judgement.id for judgement in keep_latest(kept)] == [two.id]
    # The second look began when the first had ended.
    assert kept[1].wall_ms == 10_000
    query = "SELECT supersedes FROM judgement ORDER BY revision"
    assert db.exec_driver_sql(query).scalars().all() == [None, one.id]


def test_what_was_never_shown_cannot_be_answered(house):
    with house.store.transaction() as db:
        judge = judges.find_by_label(db, house.campaign, "judge 0")
        stored = campaigns.get_campaign(db, house.campaign)
        first = tasks.list_screens(db, judge.id).places[0]
        owned = tasks.find_task(db, judge.id, first.task)
        tasks.record_shown_steps(db, first.task, 0, 0, now=1000.0)
        with pytest.raises(ConflictError, match="texts for adequacy have not been"):
            answers.submit_answer(db, stored, owned, 0, Answer("x", GOOD), now=1010.0)
        cannot = Answer("y", None, cannot="It is in another language.")
        answers.submit_answer(db, stored, owned, 0, cannot, now=1010.0)
        [kept] = answers.read_judgements(db, stored)
    assert kept.cannot == "It is in another language."
    assert (kept.value, kept.counts, score_outputs(kept)) == ({}, False, [()])


def test_a_wrong_value_is_refused(at_work):
    with pytest.raises(OptionError, match="fluency is 9; expected a whole number"):
        submit(at_work, {"fluency": 9, "adequacy": 2})


def test_a_clock_that_goes_back_gives_no_negative_times(at_work):
    db, stored, *_ = at_work
    submit(at_work, now=900.0, times=AnswerTimes(active_ms=5000, first_action_ms=400))
    submit(at_work, now=800.0, times=AnswerTimes(active_ms=5000))
    kept = answers.read_judgements(db, stored)
    assert [judgement.wall_ms for judgement in kept] == [0, 0]
    assert [judgement.active_ms for judgement in kept] == [0, 0]
    assert [judgement.revision for judgement in kept] == [1, 2]


millis = st.integers(0, 10**12)


@given(
    st.builds(AnswerTimes, millis, millis, millis, millis, millis | st.none()), millis
)
def test_times_fit_the_servers_wall(times, wall):
    cut = times.within(wall)
    # Active time is believed first, hidden time last.
    names, left = ("active_ms", "idle_ms", "paused_ms", "hidden_ms"), wall
    for name in names:
        assert getattr(cut, name) == min(getattr(times, name), left)
        left -= getattr(cut, name)
    first = times.first_action_ms
    assert cut.first_action_ms == (None if first is None else min(first, wall))
    assert cut.within(wall) == cut


def test_a_draft_of_no_numbers_is_refused(at_work):
    db, _, owned, _ = at_work
    with pytest.raises(OptionError, match="expected finite numbers"):
        answers.save_draft(
            db, owned.task.id, 0, Draft(1, {"a": float("nan")}, ""), now=1.0
        )


def test_events_are_kept_once_in_order(at_work):
    db, stored, owned, _ = at_work
    task = owned.task.id
    events.add_events(
        db, stored, task, 0, [Event(1, 10.0, "key"), Event(0, 5.5, "focus", {"a": 1})]
    )
    events.add_events(
        db, stored, task, 0, [Event(1, 10.0, "key"), Event(2, 11.0, "key\0")]
    )
    events.add_events(
        db, stored, task, 0, [Event(None, 12.0, "blur"), Event(None, 13.0, "focus")]
    )
    events.add_events(db, stored, task, 0, [])
    # Twice in one message, and a number that one without a number has taken.
    twice = [Event(5, 14.0, "key"), Event(5, 14.0, "key"), Event(4, 13.0, "again")]
    events.add_events(db, stored, task, 0, twice)
    found = list_screen_events(db, task, 0)
    assert [(one.seq, one.kind) for one in found] == [
        (0, "focus"),
        (1, "key"),
        (2, "key"),
        (3, "blur"),
        (4, "focus"),
        (5, "key"),
    ]
    assert found[0].data == {"a": 1}


def test_every_screen_counts_its_own_events(at_work):
    db, stored, owned, judge = at_work
    other = tasks.list_screens(db, judge.id).places[1].task
    for task, number, last in (
        (owned.task.id, 0, 2),
        (owned.task.id, 1, 7),
        (other, 0, 5),
    ):
        events.add_events(db, stored, task, number, [Event(last, 1.0, "key")])
        assert events.get_next_number(db, task, number) == last + 1
    assert events.get_next_number(db, owned.task.id, 0) == 3
    assert events.get_next_number(db, other, 1) == 0
    events.add_events(db, stored, other, 1, [Event(None, 1.0, "key")])
    assert [one.seq for one in list_screen_events(db, other, 1)] == [0]


def test_a_screen_has_only_so_many_events(at_work, monkeypatch):
    db, stored, owned, _ = at_work
    monkeypatch.setattr(events, "MOST", 5)
    for at in range(0, 9, 3):
        new = [Event(at + more, 1.0, "key") for more in range(3)]
        events.add_events(db, stored, owned.task.id, 0, new)
    assert len(list_screen_events(db, owned.task.id, 0)) == 5
    # A version that keeps fewer of them adds none.
    monkeypatch.setattr(events, "MOST", 3)
    new = [Event(more, 1.0, "key") for more in (20, 21)]
    events.add_events(db, stored, owned.task.id, 0, new)
    assert len(list_screen_events(db, owned.task.id, 0)) == 5


def test_progress_follows_the_judges_own_pace(house):
    with house.store.transaction() as db:
        judge = judges.find_by_label(db, house.campaign, "judge 0")
        stored = campaigns.get_campaign(db, house.campaign)
        way = tasks.list_screens(db, judge.id)
        before = compute_progress(db, judge.id, way, stored.screen_seconds)
        for place in way.places[:5]:
            owned = tasks.find_task(db, judge.id, place.task)
            tasks.record_shown_steps(db, place.task, 0, 1, now=1000.0)
            times = AnswerTimes(active_ms=7000)
            answer = Answer(str(uuid.uuid4()), GOOD, times=times)
            answers.submit_answer(db, stored, owned, 0, answer, now=1010.0)
        after = compute_progress(
            db, judge.id, tasks.list_screens(db, judge.id), stored.screen_seconds
        )
    count = len(way.places)
    assert (before.done, before.of, before.active_ms) == (0, count, 0)
    assert before.seconds_left == round(
        count * estimate_screen_seconds(stored.campaign)
    )
    assert (after.done, after.of, after.active_ms) == (5, count, 35_000)
    assert after.seconds_left == 7 * (count - 5)
    assert (after.minutes_left, after.minutes_active) == (1, 1)


def test_events_of_two_windows_do_not_take_each_others_place(at_work):
    db, stored, owned, _ = at_work
    for client in ("one", "two"):
        log = [Event(seq, 5.0, f"{client} {seq}", client=client) for seq in range(2)]
        events.add_events(db, stored, owned.task.id, 0, log)
        events.add_events(db, stored, owned.task.id, 0, log)
    kept = list_screen_events(db, owned.task.id, 0)
    assert [one.kind for one in kept] == ["one 0", "two 0", "one 1", "two 1"]
