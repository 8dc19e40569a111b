"""Outputs that judges are far apart on, and asking others about them."""

from dataclasses import replace

import pytest
from tests.campaign.answers import made
from tests.campaigns import answer_all, opened
from tests.campaigns import made as made_campaign

from metra.campaign.judgement import assign_blind_names, blind_judgements
from metra.campaign.second_look import find_disagreements
from metra.errors import CorpusError
from metra.store import audit, campaigns, tasks
from metra.store.answers import Answer, submit_answer
from metra.store.second_looks import create_adjudication_draft, read_adjudications


def test_the_farthest_come_first_and_each_output_once():
    answers = [
        made("one", 1, "ann", 1),
        made("one", 1, "bob", 5),
        made("one", 2, "ann", 3),
        made("one", 2, "bob", 5),
        made("two", 1, "ann", 4),
        made("two", 1, "bob", 4),
        made("two", 3, "ann", 1),
    ]
    found = find_disagreements(answers)
    assert [(one.system, one.segment, one.apart) for one in found] == [
        ("one", 1, 100.0),
        ("one", 2, 50.0),
    ]
    assert [one.judge for one in found[0].answers] == ["ann", "bob"]
    assert found[0].scores == ((1.0, 0.0), (5.0, 100.0))
    assert find_disagreements(answers, apart=75) == found[:1]
    # Who is alone disagrees with nobody, however little it takes.
    everything = find_disagreements(answers, apart=0)
    assert [(one.system, one.segment) for one in everything[2:]] == [("two", 1)]


def test_others_judge_them_blind_and_their_answers_stand_beside(store):
    house = opened(store, made_campaign("da", each=2, calibration=0))
    answer_all(store, house.campaign, lambda *_: {"da": 3}, house.clock)
    first = house.judgements()
    # Everybody said 3: let one of them differ on one output.
    one = next(each for each in first if each.kind == "judged")
    others = [each for each in first if each is not one]
    changed = [replace(one, value={"da": 90.0}), *others]
    found = find_disagreements(changed)
    assert [each.segment for each in found] == [one.segment]
    with house.store.transaction() as db:
        stored = campaigns.get_campaign(db, house.campaign)
        key = create_adjudication_draft(
            db, stored, found, judges=("zoe",), now=1.0, who="ann"
        )
        [task] = tasks.list_campaign_tasks(db, key)
        second = campaigns.get_campaign(db, key)
        assert second.state == "draft"
        assert task.task.items[0].text == one.outputs[0]
        assert task.task.items[0].system == one.systems[0]
        assert read_adjudications(db, stored) == {}
        with pytest.raises(CorpusError, match="no outputs on which judges differ"):
            create_adjudication_draft(
                db, stored, [], judges=("zoe",), now=1.0, who="ann"
            )
        with pytest.raises(CorpusError, match="needs at least one judge"):
            create_adjudication_draft(db, stored, found, judges=(), now=1.0, who="ann")
        assert (second.name, len(second.secret)) == ("test: second look 1", 32)
        [entry] = audit.list_entries(db, key)
        assert (entry.at, entry.who, entry.what) == (1.0, "ann", "create")
        assert entry.data == {"first": "test", "outputs": 1}
        for revision, value in enumerate((10.0, 60.0)):
            tasks.record_shown_steps(db, task.task.id, 0, 0, now=2.0)
            given = Answer(f"answer {revision}", {"da": value})
            submit_answer(db, second, task, 0, given, now=3.0)
        [(place, [last])] = read_adjudications(db, stored).items()
    assert place == (one.systems[0], one.segment)
    assert (last.judge, last.value, last.id) == ("zoe", {"da": 60.0}, "answer 1")


def test_blind_names_say_nothing_and_stay():
    names = assign_blind_names(["b", "a", "c"], b"1" * 16)
    assert names == assign_blind_names(["c", "b", "a"], b"1" * 16)
    assert set(names.values()) == {"System 1", "System 2", "System 3"}
    orders = {
        tuple(assign_blind_names("abc", bytes([at]) * 16).items()) for at in range(40)
    }
    assert len({dict(order)["a"] for order in orders}) == 3
    [one] = blind_judgements([made("one", 1, "ann", 3)], {"one": "System 2"})
    assert one.systems == ("System 2",)
