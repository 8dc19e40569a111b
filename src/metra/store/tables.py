"""The tables as queries name them; the migrations make them, and a test compares the two."""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    MetaData,
    Table,
    Text,
)
from sqlalchemy.types import TypeEngine

SCHEMA = MetaData()


def _table(of: str, /, **columns: type[TypeEngine[Any]]) -> Table:
    return Table(of, SCHEMA, *(Column(key, kind) for key, kind in columns.items()))


campaign = _table(
    "campaign",
    id=Text,
    name=Text,
    content_json=Text,
    version=Text,
    secret=Text,
    state=Text,
    unblinded_at=Double,
    created_at=Double,
    imported_json=Text,
)
judge = _table(
    "judge",
    id=Text,
    campaign=Text,
    label=Text,
    place=Integer,
    token_hash=Text,
    revoked_at=Double,
    released_at=Double,
    consent_at=Double,
    guide_at=Double,
    seen_at=Double,
    profile_json=Text,
    note=Text,
    completion_code=Text,
    anonymised_at=Double,
)
task = _table(
    "task",
    id=Text,
    campaign=Text,
    judge=Text,
    position=Integer,
    kind=Text,
    original=Text,
    items_json=Text,
    screens=Integer,
    state=Text,
    lease_until=Double,
    topped_up_from=Text,
    called=Text,
)
shown = _table("shown", task=Text, number=Integer, step=Integer, at=Double)
draft = _table(
    "draft", task=Text, number=Integer, rev=BigInteger, payload_json=Text, at=Double
)
judgement = _table(
    "judgement",
    id=Text,
    called=Text,
    task=Text,
    number=Integer,
    revision=Integer,
    supersedes=Text,
    judge=Text,
    value_json=Text,
    comment=Text,
    cannot=Text,
    shown_at=Double,
    first_action_at=Double,
    submitted_at=Double,
    wall_ms=BigInteger,
    active_ms=BigInteger,
    hidden_ms=BigInteger,
    idle_ms=BigInteger,
    paused_ms=BigInteger,
    protocol_version=Text,
    wording=Text,
    wording_version=Text,
)
event = _table(
    "event",
    task=Text,
    number=Integer,
    client=Text,
    seq=BigInteger,
    t_ms=Double,
    kind=Text,
    data_json=Text,
)
session = _table(
    "session",
    token_hash=Text,
    role=Text,
    judge=Text,
    name=Text,
    csrf=Text,
    created_at=Double,
    seen_at=Double,
    expires_at=Double,
)
admin = _table("admin", name=Text, scrypt=Text)
audit = _table(
    "audit", id=Text, at=Double, who=Text, what=Text, campaign=Text, data_json=Text
)
attempt = _table("attempt", id=Text, key=Text, at=Double)
