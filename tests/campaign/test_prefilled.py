"""Marks that a program found: judges begin with them, and may change them."""

from dataclasses import replace

import pytest
from tests.campaigns import made, opened
from tests.tables import load_cases
from tests.web.browsing import answer

from metra.campaign.creation import check_marks
from metra.campaign.screen import prefill_marks
from metra.campaign.uploads import read_marks
from metra.errors import CorpusError, FormatError, OptionError
from metra.store import campaigns, tasks

MARK = {"start": 0, "end": 5, "severity": "minor"}
SYSTEM = "Zeta-NMT"


def with_marks(marks, protocol="esa"):
    frozen = made(protocol)
    return replace(frozen, material={"marks": marks})


@pytest.fixture
def house(store):
    every = {
        str(at): [MARK, {"side": "missing", "severity": "major"}] for at in range(1, 9)
    }
    return opened(store, check_marks(with_marks({SYSTEM: every})))


def test_judges_begin_with_them_and_may_change_them(house):
    browser = house.browser("judge 0")
    seen = 0
    while (work := browser.work())["screen"]:
        screen = work["screen"]
        with house.store.reading() as db:
            [owned] = [
                one
                for one in tasks.list_campaign_tasks(db, house.campaign)
                if one.task.id == screen["task"]
            ]
        mine = owned.task.items[0].system == SYSTEM and owned.task.kind != "degraded"
        assert (screen["draft"] is not None) == mine
        value = []
        if mine:
            seen += 1
            assert screen["draft"]["rev"] == 0
            value = screen["draft"]["value"]["errors"]
            assert MARK | {"side": "output"} in value
            # The first is graver than that, the second is not missing, one is new.
            value = [MARK | {"severity": "major"}, MARK | {"start": 6, "end": 9}]
        place = f"/api/screens/{screen['task']}/{screen['number']}"
        body = {"step": 1, "rev": 1, "value": {"errors": value}}
        assert browser.send("POST", f"{place}/reveal", body).status_code == 200
        said = answer({"errors": value, "esa": 50})
        assert browser.send("POST", f"{place}/answer", said).status_code == 200
    assert seen


def test_what_has_been_answered_does_not_begin_anew(house):
    browser = house.browser("judge 0")
    screen = browser.work()["screen"]
    while screen["draft"] is None:
        browser.answer(browser.work(), screen)
        screen = browser.work()["screen"]
    browser.answer(browser.work(), screen)
    place = f"/api/screens/{screen['task']}/{screen['number']}"
    again = browser.get(place).json()
    assert again["draft"] is None
    assert again["answer"]["value"]["errors"] == []


WRONG = load_cases("prefilled: wrong")


@pytest.mark.parametrize(("marks", "protocol", "says"), WRONG)
def test_marks_that_do_not_fit(marks, protocol, says):
    with pytest.raises((CorpusError, OptionError), match=says):
        check_marks(with_marks(marks, protocol))


def test_spoilt_copies_have_none(house):
    with house.store.reading() as db:
        stored = campaigns.get_campaign(db, house.campaign)
        spoilt = [
            one.task
            for one in tasks.list_campaign_tasks(db, house.campaign)
            if one.task.kind == "degraded"
        ]
    assert spoilt
    assert {prefill_marks(stored.campaign, task, 0) is None for task in spoilt} == {
        True
    }


def test_marks_are_read_from_json_lines(tmp_path):
    path = tmp_path / "marks.jsonl"
    path.write_text('{"system": "one", "segment": 2, "marks": []}\n\n')
    assert read_marks(str(path)) == {"one": {"2": []}}
    path.write_text('{"system": "one", "segment": 2, "marks": []}\n' * 2)
    with pytest.raises(FormatError, match="line 2: segment 2 of one already has marks"):
        read_marks(str(path))
    path.write_text('{"system": "one", "segment": "2"}')
    with pytest.raises(FormatError, match="line 1: expected system, segment and a li"):
        read_marks(str(path))
