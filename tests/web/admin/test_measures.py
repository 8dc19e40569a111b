"""Texts, second looks and the exercise on the admin's pages."""

import io
import zipfile

import pytest
from tests.campaign.campaigns import opened as frozen
from tests.campaigns import answer_all, made, opened
from tests.web.admin.conftest import Admin, rows

from metra.store import campaigns


@pytest.fixture
def store(sqlite_store):
    return sqlite_store


def filled(store, content, value):
    """An admin of a campaign in which everything is answered."""
    house = opened(store, content)
    answer_all(store, house.campaign, value, house.clock)
    return Admin(house).sign_in()


def cloze(stored, task, _):
    asks = stored.campaign.protocol.steps[0].asks
    return {"cloze": {"answers": ["thing"] * len(asks.places(task.items[0].text))}}


def test_a_second_look_is_made_answered_and_counted(store):
    admin = filled(store, frozen("cloze", cloze={"every": 3}), cloze)
    page = admin.get("/measures")
    assert "answers or texts need" in page
    assert ["cloze-exact"] in [[row[2]] for row in rows(page, "Text scores")[1:]]
    reasons = {row[6] for row in rows(page, "Answers without a score")[1:]}
    assert all("waiting for a second judge" in reason for reason in reasons)
    refused = admin.form("/second-look", judges=" , ", each="1")
    assert refused.status_code == 422
    assert "at least one judge" in refused.text
    made = admin.form("/second-look", judges="zoe, yan", each="2")
    assert made.status_code == 303
    new = made.headers["location"].rpartition("/")[2]
    with store.transaction() as db:
        second = campaigns.get_campaign(db, new)
        assert (second.state, second.campaign.protocol.name) == ("draft", "verdicts")
        assert second.campaign.settings.judges == ("zoe", "yan")
    house = admin.house
    answer_all(
        store,
        new,
        lambda _, task, __: {"verdict": {"right": task.judge == "zoe"}},
        house.clock,
    )
    page = admin.get("/measures")
    assert "Nothing is waiting for a second look." in page
    close = [row for row in rows(page, "Text scores") if row[2] == "cloze-close"]
    assert {row[4] for row in close} == {"50.0"}
    assert "second look 1" in page


def test_second_judgements_stand_beside_the_first(store):
    def rate(_, task, __):
        return {"da": 90 if task.judge == "ann" else 10}

    both = {"judges": ("ann", "bob"), "each": 2, "systems": 1, "calibration": 0}
    admin = filled(store, made("da", texts=2, **both), rate)
    made_again = admin.form("/disagreements", judges="zoe", apart="25")
    key = made_again.headers["location"].rpartition("/")[2]
    answer_all(store, key, lambda *_: {"da": 61}, admin.house.clock)
    said = admin.get("/disagreements")
    assert said.count("second look</span> 61.00") == said.count('class="scores"') > 0


def test_names_stay_hidden_until_they_may_be_seen(store):
    admin = filled(
        store,
        frozen("evaltrans", repeats=0, degraded=0),
        lambda *_: {"evaltrans": {"score": 4}},
    )
    page = admin.get("/measures")
    assert "good" not in page
    running = rows(page, "EvalTrans scores so far")
    assert {row[1] for row in running[1:]} == {"60.0"}
    assert admin.browser.get("/admin/exercise").text.count("checkbox") == 0
    admin.form("/unblind")
    assert "good" in admin.get("/measures")
    exercise = admin.browser.get("/admin/exercise").text
    [_, row] = rows(exercise, "Evaluators by metric")
    assert row[:4] == ["evaltrans", "4", "4", "4"]


def test_campaigns_with_one_scorer_are_compared_by_name(store):
    both = {"repeats": 0, "degraded": 0}
    admin = filled(store, frozen("clarity", **both), lambda *_: {"clarity": 3})
    admin.form("/unblind")
    other = opened(store, frozen("clarity", name="again", **both))
    answer_all(store, other.campaign, lambda *_: {"clarity": 0}, other.clock)
    with store.transaction() as db:
        campaigns.unblind_campaign(db, other.campaign, now=other.clock(), who="test")
    page = admin.browser.get("/admin/exercise")
    [_, *metrics] = rows(page.text, "Evaluators by metric")
    means = {row[0]: row[4] for row in metrics}
    assert means == {"clarity:again": "0.0", "clarity:c": "100.0"}
    alone = admin.browser.get(f"/admin/exercise?campaign={other.campaign}").text
    assert rows(alone, "Evaluators by metric")[1][0] == "clarity"
    assert '<span class="selection">12 answers of 4 judges' in alone
    assert '<p class="note selection">12 answers of 4 judges' in admin.get("/measures")


def test_tags_are_settled_and_exported(store):
    def value(_, task, __):
        text = task.items[0].text
        start = text.find("brake")
        tags = [{"start": start, "end": start + 5}] if start >= 0 else []
        return {"tags": {"tags": tags}}

    admin = filled(store, frozen("term-marking", judges=["ann", "bob"]), value)
    page = admin.get("/measures")
    assert rows(page, "Raters")[1] == ["ann", "bob", "100.0"]
    wrong = admin.browser.get(f"{admin.place}/export/annotations")
    assert wrong.status_code == 422
    assert "reconcile their tags" in wrong.text
    made = admin.form("/second-look", judges="zoe", each="1")
    new = made.headers["location"].rpartition("/")[2]
    answer_all(
        store,
        new,
        lambda *given: {"kept": value(*given)["tags"]},
        admin.house.clock,
    )
    file = admin.browser.get(f"/admin/campaigns/{new}/export/annotations")
    assert file.text == "term\tvariants\tsegment\nbrake\t\t3\n"
    everything = admin.browser.get(f"/admin/campaigns/{new}/export/zip")
    assert "terms.tsv" in zipfile.ZipFile(io.BytesIO(everything.content)).namelist()
