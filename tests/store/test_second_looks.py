"""What second judges settle stands in the answers of the first campaign."""

from tests.campaign.campaigns import opened as made
from tests.campaigns import answer_all, opened

from metra.campaign.second_look import build_follow_up
from metra.store import answers, campaigns
from metra.store.second_looks import (
    find_second_looks,
    name_second_look,
    read_adjudications,
    read_completed,
)


def test_verdicts_stand_in_the_answers_that_they_are_about(store):
    content = made("cloze", cloze={"every": 3})
    first = opened(store, content)

    def guess(_, task, __):
        places = content.protocol.steps[0].asks.places(task.items[0].text)
        return {"cloze": {"answers": ["thing"] * len(places)}}

    answer_all(store, first.campaign, guess, first.clock)
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
    right = {"verdict": {"right": True}}
    answer_all(store, second.campaign, lambda *_: right, second.clock)
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
