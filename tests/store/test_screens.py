"""The order of a judge's screens: what may be opened, answered and changed."""

from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st
from tests.campaigns import made, opened

from metra.store import campaigns, judges, tasks
from metra.store.answers import Answer, submit_answer
from metra.store.tasks import BLOCK, ScreenPlace, ScreenSequence


def made_way(answered, *, per_task=1):
    places = [
        ScreenPlace(f"task {at // per_task}", at % per_task, done)
        for at, done in enumerate(answered)
    ]
    reached = next((at for at, done in enumerate(answered) if not done), len(answered))
    return ScreenSequence(places, reached)


def test_the_next_screen_is_open_and_later_ones_are_not():
    way = made_way([True, True, False, False])
    assert [way.may_answer(at) for at in range(4)] == [True, True, True, False]


def test_only_the_last_answers_can_be_changed():
    way = made_way([True] * 30 + [False] * 5)
    open_ = [at for at in range(35) if way.may_answer(at)]
    assert open_ == list(range(30 - BLOCK, 31))


def test_a_document_that_is_begun_is_open_as_a_whole():
    way = made_way([True] * 25 + [False] * 15, per_task=20)
    assert [at for at in range(40) if way.may_answer(at)] == list(range(15, 40))


def test_after_the_last_screen_comes_what_was_left_out():
    way = made_way([True, False, True, False], per_task=4)
    assert way.next_open(1) == way.places[3]
    assert way.next_open(3) == way.places[1]
    assert made_way([True, True]).next_open(1) is None


def test_what_is_not_there_has_no_place():
    way = made_way([True, False])
    assert way.index("task 1", 0) == 1
    assert way.index("task 1", 1) is None
    assert way.index("task 9", 0) is None


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(1, 7))
def test_the_screen_reached_can_always_be_answered(answered, per_task):
    way = made_way(answered, per_task=per_task)
    if way.reached < len(answered):
        assert way.may_answer(way.reached)
        assert not way.places[way.reached].answered


def test_what_is_shown_is_stamped_once(store):
    house = opened(store, made())
    with store.transaction() as db:
        judge = judges.find_by_label(db, house.campaign, "judge 0")
        task = tasks.list_screens(db, judge.id).places[0].task
        assert tasks.record_shown_steps(db, task, 0, 0, now=1.0) == 0
        assert tasks.record_shown_steps(db, task, 0, 1, now=2.0) == 1
        assert tasks.record_shown_steps(db, task, 0, 0, now=3.0) == 1
        assert tasks.find_shown_steps(db, task, 0) == {0: 1.0, 1: 2.0}


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.data())
def test_an_answer_reaches_the_next_screen_without_one(answered, data):
    at = data.draw(st.integers(0, len(answered) - 1))
    then = [done or place == at for place, done in enumerate(answered)]
    assert made_way(answered).with_answer(at) == made_way(then)


def test_screens_of_a_document_that_is_begun_are_counted(store):
    house = opened(store, made("esa", per_text=3, judges=4))
    with store.transaction() as db:
        stored = campaigns.get_campaign(db, house.campaign)
        first, *others = (
            judges.find_by_label(db, house.campaign, f"judge {at}") for at in range(4)
        )
        of = len(tasks.list_screens(db, first.id).places)
        for place in tasks.list_screens(db, first.id).places[:5]:
            owned = tasks.find_task(db, first.id, place.task)
            tasks.record_shown_steps(db, place.task, place.number, 0, now=1.0)
            given = Answer(str(uuid4()), {"errors": [], "esa": 70.0})
            submit_answer(db, stored, owned, place.number, given, now=2.0)
        assert tasks.count_screens(db, house.campaign) == {
            first.id: (5, of),
            **{
                one.id: (0, len(tasks.list_screens(db, one.id).places))
                for one in others
            },
        }
