"""What second judges settle stands in the answers of the first campaign."""

from uuid import uuid4

from tests.campaign.campaigns import opened as made
from tests.campaigns import opened

from metra.campaign.second_look import build_follow_up
from metra.store import answers, campaigns, tasks
from metra.store.second_looks import (
    find_second_looks,
    name_second_look,
    read_adjudications,
    read_completed,
)


def answer_all(house, value):
    with house.store.transaction() as db:
        stored = campaigns.get_campaign(db, house.campaign)
        for owned in tasks.list_campaign_tasks(db, house.campaign):
            tasks.record_shown_steps(db, owned.task.id, 0, 0, now=1.0)
            given = answers.Answer(str(uuid4()), value(owned.task))
            answers.submit_answer(db, stored, owned, 0, given, now=2.0)


def test_verdicts_stand_in_the_answers_that_they_are_about(store):
    content = made("cloze", cloze={"every": 3})
    first = opened(store, content)

    def guess(task):
        places = content.protocol.steps[0].asks.places(task.items[0].text)
        return {"cloze": {"answers": ["thing"] * len(places)}}

    answer_all(first, guess)
    with store.reading() as db:
        stored = campaigns.get_campaign(db, first.campaign)
        given = answers.read_judgements(db, stored)
        assert read_completed(db, stored) == given
        bare = read_completed(db, stored, fields=())
        assert {one.id for one in given} != {one.id for one in bare} == {""}
        assert find_second_looks(db, stored) == []
        name = name_second_look(db, stored)
    assert name == "c: second look 1"
    follow_up = build_follow_up(
        content, first.campaign, given, judges=["zoe"], name=name
    )
    second = opened(store, follow_up)
    answer_all(second, lambda _: {"verdict": {"right": True}})
    with store.reading() as db:
        settled = read_completed(db, stored)
        assert read_completed(db, stored, fields=()) == settled
        # They are about answers, and no judgements of outputs.
        assert read_adjudications(db, stored) == {}
        assert [look.id for look in find_second_looks(db, stored)] == [second.campaign]
        assert name_second_look(db, stored) == "c: second look 2"
        # The second campaign is settled by nobody.
        theirs = campaigns.get_campaign(db, second.campaign)
        assert read_completed(db, theirs) == answers.read_judgements(db, theirs)
    assert [one.id for one in settled] == [one.id for one in given]
    for before, after in zip(given, settled, strict=True):
        assert set(before.value["cloze"]["key"]["close"]) == {None}
        assert set(after.value["cloze"]["key"]["close"]) == {1.0}
