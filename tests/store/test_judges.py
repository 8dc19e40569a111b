"""Judges: links, sessions, passwords and attempts."""

import pytest
from tests.campaigns import made, opened

from metra.errors import UnknownNameError
from metra.store import access, audit, judges
from metra.store.database import hash_token


@pytest.fixture
def house(store):
    return opened(store, made())


def test_a_link_is_kept_as_a_hash_only(house):
    token = house.tokens["judge 0"]
    with house.store.reading() as db:
        assert judges.find_by_token(db, token).label == "judge 0"
        assert judges.find_by_token(db, hash_token(token)) is None
        everything = [
            str(value)
            for table in ("judge", "audit", "campaign", "session")
            for row in db.exec_driver_sql(f"SELECT * FROM {table}")
            for value in row
        ]
    assert len(token) >= 43
    assert not any(token in value for value in everything)


def test_a_new_link_ends_the_old_one_and_its_sessions(house):
    with house.store.transaction() as db:
        judge = judges.find_by_label(db, house.campaign, "judge 0")
        secret, _ = access.begin_session(db, "judge", now=1.0, judge=judge.id)
        new = judges.issue_link(db, judge.id, now=2e9, who="ann")
        assert judges.find_by_token(db, house.tokens["judge 0"]) is None
        assert judges.find_by_token(db, new).id == judge.id
        assert access.find_session(db, secret, now=2.0) is None
        judges.revoke_link(db, judge.id, now=3e9, who="ann")
        assert judges.find_by_token(db, new) is None
        assert judges.find_judge(db, judge.id).revoked_at == 3e9
        judges.release_tasks(db, judge.id, now=4e9, who="bob")
        log = [
            (entry.at, entry.who, entry.what, entry.data)
            for entry in audit.list_entries(db, house.campaign)
        ]
    assert log[:3] == [
        (4e9, "bob", "release tasks", {"judge": "judge 0"}),
        (3e9, "ann", "revoke link", {"judge": "judge 0"}),
        (2e9, "ann", "issue link", {"judge": "judge 0"}),
    ]


def test_what_is_known_of_a_judge(house):
    with house.store.transaction() as db:
        key = judges.find_by_label(db, house.campaign, "judge 1").id
        judges.record_consent(db, key, now=1.0, profile={"target_level": "native"})
        judges.record_guide(db, key, now=2.0)
        judges.release_tasks(db, key, now=3.0, who="ann")
        judges.set_note(db, key, "slow\0 but sure")
        before = judges.find_judge(db, key)
        judges.record_activity(db, key, now=4.0)
        after = judges.find_judge(db, key)
        with pytest.raises(UnknownNameError, match="No judge named 'judge'"):
            judges.find_by_label(db, house.campaign, "judge")
    assert (before.consent_at, before.guide_at, before.released_at) == (1.0, 2.0, 3.0)
    assert (before.profile, before.note) == (
        {"target_level": "native"},
        "slow but sure",
    )
    assert (after.seen_at, after.released_at) == (4.0, None)


def test_sessions_end_by_rest_and_by_age(house):
    day = 86400.0
    with house.store.transaction() as db:
        judge = judges.find_by_label(db, house.campaign, "judge 0")
        token, session = access.begin_session(db, "judge", now=0.0, judge=judge.id)
        week = access.find_session(db, token, now=7 * day)
        assert week == session
        assert access.find_session(db, token, now=14 * day) == session
        assert access.find_session(db, token, now=14 * day + 1) is None
        for at in range(1, 60, 7):
            access.extend_session(db, week, now=at * day)
        assert access.find_session(db, token, now=59 * day) is not None
        access.extend_session(db, week, now=59 * day)
        assert access.find_session(db, token, now=60 * day) is not None
        assert access.find_session(db, token, now=60 * day + 1) is None
        assert access.find_session(db, session.token_hash, now=1.0) is None
        admin, session = access.begin_session(db, "admin", now=0.0, name="ann")
        assert access.find_session(db, admin, now=2 * 3600.0) is not None
        assert access.find_session(db, admin, now=2 * 3600.0 + 1) is None
        access.extend_session(db, session, now=11 * 3600.0)
        assert access.find_session(db, admin, now=12 * 3600.0) is not None
        assert access.find_session(db, admin, now=12 * 3600.0 + 1) is None


def test_old_sessions_are_cleared_away(house):
    with house.store.transaction() as db:
        access.begin_session(db, "admin", now=0.0, name="ann")
        access.begin_session(db, "admin", now=1e6, name="ann")
        count = db.exec_driver_sql("SELECT count(*) FROM session").scalar_one()
    assert count == 1
