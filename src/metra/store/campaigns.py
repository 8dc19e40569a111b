"""Campaigns as JSON, frozen when they are created, with all their tasks."""

import secrets
from collections import OrderedDict
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cache
from threading import Lock
from typing import Any, get_args, get_origin, get_type_hints

from sqlalchemy import Connection, bindparam, func, insert, select, update

from metra.campaign.assignment import assign
from metra.campaign.campaign import Campaign
from metra.campaign.protocols.kind import QuestionKind
from metra.campaign.protocols.registry import KINDS
from metra.errors import OptionError, UnknownNameError, no_such
from metra.store import audit, database, tasks
from metra.store.database import (
    decode_json,
    encode_json,
    new_code,
    new_id,
    strip_unstorable,
)


def to_json(campaign: Campaign) -> str:
    """Return a campaign as JSON, with the kind of what each step asks."""
    content = asdict(campaign)
    for step, entry in zip(
        campaign.protocol.steps, content["protocol"]["steps"], strict=True
    ):
        entry["asks"]["kind"] = step.asks.kind
    return encode_json(content)


def from_json(text: str) -> Campaign:
    """Return the campaign that `to_json` wrote."""
    campaign = _build_value(Campaign, decode_json(text))
    if not isinstance(campaign, Campaign):
        raise TypeError(text[:80])
    return campaign


def _build_value(wanted: Any, value: Any) -> Any:
    """Return plain lists and tables as what a type says."""
    if wanted is QuestionKind:
        wanted = KINDS[value.get("kind", "scale")]
    if is_dataclass(wanted):
        hints = _get_hints(wanted)  # type: ignore[arg-type]
        return wanted(  # type: ignore[operator]
            **{
                field.name: _build_value(hints[field.name], value[field.name])
                for field in fields(wanted)
                if field.name in value
            }
        )
    if get_origin(wanted) is not tuple:
        return value
    arguments = get_args(wanted)
    if arguments[-1] is Ellipsis:
        return tuple(_build_value(arguments[0], item) for item in value)
    pairs = zip(arguments, value, strict=True)
    return tuple(_build_value(kind, item) for kind, item in pairs)


@cache
def _get_hints(record: type) -> dict[str, Any]:
    return get_type_hints(record)


STATES = ("draft", "open", "paused", "closed")
_KEPT = 8


@dataclass(frozen=True, slots=True)
class StoredCampaign:
    """A campaign as it is kept; `campaign` never changes."""

    id: str
    name: str
    state: str
    version: str
    created_at: float
    unblinded_at: float | None
    secret: bytes
    campaign: Campaign
    protocol_version: str
    #: Where it was imported from; None for campaigns that are judged here.
    imported: dict[str, Any] | None = None


def create_campaign(
    db: Connection, campaign: Campaign, *, now: float, who: str, state: str = "draft"
) -> str:
    """Store a campaign, its judges (without links) and their tasks; return its id."""
    name = campaign.settings.name
    taken = select(database.campaign.c.id).where(database.campaign.c.name == name)
    if db.execute(taken).first() is not None:
        msg = f"There is a campaign named {name!r} already; choose another name."
        raise OptionError(msg)
    key, secret = new_id(), secrets.token_bytes(32)
    judges = add_campaign(db, key, campaign, secret=secret, now=now, state=state)
    tasks.add_tasks(db, key, campaign, assign(campaign, secret=secret), judges)
    audit.add_entry(
        db, who, "create", {"version": campaign.version}, now=now, campaign=key
    )
    return key


def add_campaign(
    db: Connection,
    key: str,
    campaign: Campaign,
    *,
    secret: bytes,
    now: float,
    state: str,
    imported: dict[str, Any] | None = None,
) -> dict[str, str]:
    """Store a campaign and its judges, without tasks; return the judges' ids by label."""
    db.execute(
        insert(database.campaign).values(
            id=key,
            name=campaign.settings.name,
            content_json=to_json(campaign),
            version=campaign.version,
            secret=secret.hex(),
            state=state,
            created_at=now,
            imported_json=None if imported is None else encode_json(imported),
        )
    )
    judges = {label: new_id() for label in campaign.settings.judges}
    rows = [
        {
            "id": judge,
            "campaign": key,
            "label": strip_unstorable(label),
            "place": place,
            "profile_json": encode_json({}),
            "note": "",
            "completion_code": new_code(),
        }
        for place, (label, judge) in enumerate(judges.items())
    ]
    db.execute(insert(database.judge), rows)
    return judges


def list_campaigns(db: Connection) -> list[tuple[str, str, str, float]]:
    """Return id, name, state and creation time of all campaigns, the newest first."""
    campaign = database.campaign.c
    query = select(
        campaign.id, campaign.name, campaign.state, campaign.created_at
    ).order_by(campaign.created_at.desc(), campaign.name)
    return [tuple(row) for row in db.execute(query)]


def find_campaign(db: Connection, key: str) -> StoredCampaign | None:
    """Return a campaign by its id, if there is one."""
    row = db.execute(_FIND, {"key": strip_unstorable(key)}).first()
    return None if row is None else _build_stored(db, row)


def get_campaign(db: Connection, key: str) -> StoredCampaign:
    """Return a campaign that must be there, such as a judge's."""
    stored = find_campaign(db, key)
    if stored is None:
        msg = f"The campaign {key} is not in the store."
        raise UnknownNameError(msg)
    return stored


def count_campaigns(db: Connection) -> int:
    """Return how many campaigns there are."""
    return int(db.execute(select(func.count(database.campaign.c.id))).scalar_one())


def find_by_name(db: Connection, name: str | None) -> StoredCampaign:
    """Return a campaign by its name; without one, the only campaign there is."""
    known = {entry[1]: entry[0] for entry in list_campaigns(db)}
    if name is None and len(known) == 1:
        [name] = known
    if name is None:
        msg = (
            f"There are {len(known)} campaigns; say which: {', '.join(sorted(known))}."
        )
        raise OptionError(msg)
    stored = find_campaign(db, known[name]) if name in known else None
    if stored is None:
        raise UnknownNameError(no_such("campaign", name, known))
    return stored


def find_containing(db: Connection, part: str) -> list[StoredCampaign]:
    """Return campaigns whose content holds a text, the oldest first."""
    campaign = database.campaign.c
    query = (
        select(campaign.id)
        .where(campaign.content_json.contains(part, autoescape=True))
        .order_by(campaign.created_at, campaign.name.desc())
    )
    return [get_campaign(db, key) for key in db.execute(query).scalars().all()]


def set_state(db: Connection, key: str, state: str, *, now: float, who: str) -> None:
    """Open, pause or close a campaign."""
    if state not in STATES:
        msg = f"A campaign's state cannot be {state!r}; expected {', '.join(STATES)}."
        raise OptionError(msg)
    if state != "closed":
        refuse_imported(db, key)
    db.execute(
        update(database.campaign)
        .where(database.campaign.c.id == key)
        .values(state=state)
    )
    audit.add_entry(db, who, "state", {"state": state}, now=now, campaign=key)


def refuse_imported(db: Connection, key: str) -> None:
    """Raise an error if a campaign comes from files: nobody can go on judging it."""
    stored = get_campaign(db, key)
    if stored.imported is not None:
        msg = (
            f"{stored.name} was imported from files; it stays closed, because nobody can go "
            "on judging it."
        )
        raise OptionError(msg)


def unblind_campaign(db: Connection, key: str, *, now: float, who: str) -> None:
    """Let admins see the systems' names; the first time is recorded."""
    campaign = database.campaign
    db.execute(
        update(campaign)
        .where(campaign.c.id == key, campaign.c.unblinded_at.is_(None))
        .values(unblinded_at=now)
    )
    audit.add_entry(db, who, "unblind", now=now, campaign=key)


def rename_judge(db: Connection, key: str, old: str, new: str) -> None:
    """Replace a judge's name in the settings, which exports contain."""
    content = get_campaign(db, key).campaign
    names = tuple(new if name == old else name for name in content.settings.judges)
    content = replace(content, settings=replace(content.settings, judges=names))
    db.execute(
        update(database.campaign)
        .where(database.campaign.c.id == key)
        .values(content_json=to_json(content), version=content.version)
    )


_FIND = select(
    database.campaign.c.id,
    database.campaign.c.name,
    database.campaign.c.state,
    database.campaign.c.version,
    database.campaign.c.created_at,
    database.campaign.c.unblinded_at,
    database.campaign.c.secret,
    database.campaign.c.imported_json,
).where(database.campaign.c.id == bindparam("key"))

# A campaign hardly changes, and is large: what was read once is kept, by id and version.
_known: OrderedDict[tuple[str, str], tuple[Campaign, str]] = OrderedDict()
_turn = Lock()


def _build_stored(db: Connection, row: Any) -> StoredCampaign:
    values = dict(row._mapping)
    secret = bytes.fromhex(values.pop("secret"))
    origin = values.pop("imported_json")
    imported = None if origin is None else decode_json(origin)
    key = values["id"], values["version"]
    with _turn:
        known = _known.get(key)
    if known is None:
        query = select(database.campaign.c.content_json).where(
            database.campaign.c.id == key[0]
        )
        content = from_json(db.execute(query).scalar_one())
        known = content, content.protocol.version
        with _turn:
            _known[key] = known
            while len(_known) > _KEPT:
                _known.popitem(last=False)
    return StoredCampaign(
        **values,
        secret=secret,
        campaign=known[0],
        protocol_version=known[1],
        imported=imported,
    )
