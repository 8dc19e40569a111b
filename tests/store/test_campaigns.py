"""Campaigns in the store: what goes in comes out, whatever the protocol."""

import json
from dataclasses import replace

import pytest
from tests.campaigns import made

from metra.campaign.assignment import assign
from metra.campaign.campaign import FIRST
from metra.campaign.protocols.registry import PROTOCOLS
from metra.errors import OptionError, UnknownNameError
from metra.store import audit, campaigns, judges, second_looks, tasks
from metra.store.campaigns import from_json, to_json

HOSTILE = "<script>alert(1)</script> \u202eabc\0 '\"&amp; 😀 \u2028"


@pytest.mark.parametrize("protocol", ["ldc", "da", "da-sqm", "esa", "mqm", "pairwise"])
def test_a_campaign_and_its_tasks_are_read_as_they_were(store, protocol):
    content = made(protocol, words=lambda system, at: f"{HOSTILE} {system} {at}")
    with store.transaction() as db:
        key = campaigns.create_campaign(db, content, now=5.0, who="ann")
    campaigns._known.clear()  # as another process would find it
    with store.reading() as db:
        found = campaigns.get_campaign(db, key)
        kept = tasks.list_campaign_tasks(db, key)
    assert found.campaign == content
    assert found.campaign.version == found.version == content.version
    assert (found.name, found.state, found.created_at) == ("test", "draft", 5.0)
    assert len(found.secret) == 32
    assert tuple(one.task for one in kept) == assign(content, secret=found.secret)
    assert {one.state for one in kept} == {"waiting"}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_is_frozen_to_the_last_field(name):
    content = replace(made("da"), protocol=PROTOCOLS[name])
    assert from_json(to_json(content)) == content


def test_judges_begin_without_links(store):
    with store.transaction() as db:
        key = campaigns.create_campaign(db, made(), now=5.0, who="ann")
        found = judges.list_judges(db, key)
    assert [judge.label for judge in found] == [f"judge {at}" for at in range(4)]
    assert not any(judge.has_link for judge in found)
    assert len({judge.completion_code for judge in found}) == 4


def test_names_are_taken_once(store):
    with store.transaction() as db:
        campaigns.create_campaign(db, made(), now=5.0, who="ann")
    with (
        pytest.raises(OptionError, match="A campaign named 'test' already"),
        store.transaction() as db,
    ):
        campaigns.create_campaign(db, made(), now=5.0, who="ann")


def test_campaigns_are_found_by_name(store):
    with store.transaction() as db:
        key = campaigns.create_campaign(db, made(), now=5.0, who="ann")
        assert campaigns.find_by_name(db, None).id == key
        campaigns.create_campaign(db, made(name="other"), now=6.0, who="ann")
        assert campaigns.find_by_name(db, "test").id == key
        assert [row[1] for row in campaigns.list_campaigns(db)] == ["other", "test"]
        assert len(campaigns.list_campaigns(db)) == 2
        with pytest.raises(
            OptionError, match="The store holds 2 campaigns; name one of"
        ):
            campaigns.find_by_name(db, None)
        with pytest.raises(UnknownNameError, match="Did you mean 'test'"):
            campaigns.find_by_name(db, "tests")
        with pytest.raises(UnknownNameError, match="is not in the store"):
            campaigns.get_campaign(db, "none")


def test_second_looks_are_found_by_the_campaign_that_they_settle(store):
    with store.transaction() as db:
        key = campaigns.create_campaign(db, made(), now=3.0, who="ann")
        first = campaigns.get_campaign(db, key)
        for name, about, now in (
            *(("b", {FIRST: key}, 6.0), ("a", {FIRST: key}, 7.0)),
            *(("c", {FIRST: key}, 5.0), ("d", {FIRST: key}, 6.0)),
            *(("e", {FIRST: "another"}, 4.0), ("f", {"remark": key}, 4.0)),
        ):
            content = made(name=name, material=about)
            campaigns.create_campaign(db, content, now=now, who="ann")
        found = second_looks.find_second_looks(db, first)
    # The oldest first; of the same time, as in the alphabet from behind.
    assert [one.name for one in found] == ["c", "d", "b", "a"]


def test_what_leaves_the_store_is_logged(store):
    with store.transaction() as db:
        key = campaigns.create_campaign(db, made(), now=5.0, who="ann")
        about = {"who": "bob", "now": 6.0, "campaign": key, "blind": True}
        audit.add_export(db, "csv", 4, rows=2, **about)
        entry, _ = audit.list_entries(db, key)
    assert (entry.who, entry.what, entry.at) == ("bob", "export", 6.0)
    assert entry.data == {"format": "csv", "blind": True, "rows": 2, "bytes": 4}


def test_states_and_unblinding_are_logged(store):
    with store.transaction() as db:
        key = campaigns.create_campaign(db, made(), now=5.0, who="ann")
        campaigns.set_state(db, key, "open", now=6.0, who="ann")
        assert campaigns.get_campaign(db, key).is_blind
        campaigns.unblind_campaign(db, key, now=7.0, who="ann")
        campaigns.unblind_campaign(db, key, now=8.0, who="bob")
        with pytest.raises(OptionError, match="cannot be 'ajar'"):
            campaigns.set_state(db, key, "ajar", now=6.0, who="ann")
        found = campaigns.get_campaign(db, key)
        log = audit.list_entries(db, key)
    assert (found.state, found.unblinded_at, found.is_blind) == ("open", 7.0, False)
    # Whoever sees a closed campaign sees who wrote what.
    assert not replace(found, state="closed", unblinded_at=None).is_blind
    assert [(entry.at, entry.who, entry.what, entry.data) for entry in log] == [
        (8.0, "bob", "unblind", None),
        (7.0, "ann", "unblind", None),
        (6.0, "ann", "state", {"state": "open"}),
        (5.0, "ann", "create", {"version": found.version}),
    ]


def test_a_campaign_that_an_older_metra_imported_stays_closed(store):
    with store.transaction() as db:
        key = campaigns.create_campaign(db, made(), now=5.0, who="ann", state="closed")
        origin = json.dumps({"fingerprint": "0", "files": ["old.jsonl"]})
        campaigns._update_campaign(db, key, imported_json=origin)
        assert campaigns.get_campaign(db, key).imported["files"] == ["old.jsonl"]
        judge = judges.list_judges(db, key)[0]
        with pytest.raises(OptionError, match=r"imported from files; an .* stays clo"):
            campaigns.set_state(db, key, "open", now=6.0, who="ann")
        with pytest.raises(OptionError, match="was imported from files"):
            judges.issue_link(db, judge.id, now=6.0, who="ann")
