"""Campaigns as JSON, frozen when they are created, with all their tasks."""

import secrets
from dataclasses import asdict, dataclass, replace
from threading import Lock
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from metra.campaign.assignment import assign, estimate_screen_seconds
from metra.campaign.campaign import Campaign
from metra.campaign.protocols.registry import build_record
from metra.errors import OptionError, UnknownNameError, no_such
from metra.store import audit, database, tasks


def to_json(campaign: Campaign) -> str:
    """Return a campaign as JSON, with the kind of what each step asks."""
    content = asdict(campaign)
    entries = content["protocol"]["steps"]
    for step, entry in zip(campaign.protocol.steps, entries, strict=True):
        entry["asks"]["kind"] = step.asks.kind
    return database.encode_json(content)


def from_json(text: str) -> Campaign:
    """Return the campaign that `to_json` wrote."""
    return build_record(Campaign, database.decode_json(text))


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
    #: About how long a judge takes for a screen.
    screen_seconds: float
    #: The files that an older metra imported it from; None for campaigns that are judged here.
    imported: dict[str, Any] | None = None
    #: The id of the test set whose runs are judged.
    test_set: str | None = None

    @property
    def is_blind(self) -> bool:
        """True if the systems' names are still hidden."""
        return self.unblinded_at is None and self.state != "closed"


def create_campaign(
    db: Connection,
    campaign: Campaign,
    *,
    now: float,
    who: str,
    state: str = "draft",
    test_set: str | None = None,
) -> str:
    """Store a campaign, its judges (without links) and their tasks; return its id."""
    name = campaign.settings.name
    taken = select(database.campaign.c.id).where(database.campaign.c.name == name)
    if db.execute(taken).first() is not None:
        msg = f"A campaign named {name!r} already exists; choose another name."
        raise OptionError(msg)
    key, secret = database.new_id(), secrets.token_bytes(32)
    judges = add_campaign(db, key, campaign, secret=secret, now=now, state=state)
    tasks.add_tasks(db, key, campaign, assign(campaign, secret=secret), judges)
    if test_set is not None:
        _update_campaign(db, key, test_set=test_set)
    data = {"version": campaign.version}
    audit.add_entry(db, who, "create", data, now=now, campaign=key)
    return key


def add_campaign(
    db: Connection,
    key: str,
    campaign: Campaign,
    *,
    secret: bytes,
    now: float,
    state: str,
) -> dict[str, str]:
    """Store a campaign and its judges, without tasks; return the judges' ids by label."""
    row = {
        "id": key,
        "name": campaign.settings.name,
        "content_json": to_json(campaign),
        "version": campaign.version,
        "secret": secret.hex(),
        "state": state,
        "created_at": now,
    }
    db.execute(insert(database.campaign), row)
    judges = {label: database.new_id() for label in campaign.settings.judges}
    rows = [
        {
            "id": judge,
            "campaign": key,
            "label": database.strip_unstorable(label),
            "place": place,
            "profile_json": "{}",
            "note": "",
            "completion_code": database.new_code(),
            "remark": "",
        }
        for place, (label, judge) in enumerate(judges.items())
    ]
    db.execute(insert(database.judge), rows)
    return judges


def list_campaigns(db: Connection) -> list[tuple[str, str, str, float]]:
    """Return id, name, state and creation time of all campaigns, the newest first."""
    row = database.campaign.c
    query = select(row.id, row.name, row.state, row.created_at)
    query = query.order_by(row.created_at.desc(), row.name)
    return [tuple(campaign) for campaign in db.execute(query)]


def find_campaign(db: Connection, key: str) -> StoredCampaign | None:
    """Return a campaign by its id, if there is one."""
    row = db.execute(_FIND, {"key": database.strip_unstorable(key)}).mappings().first()
    if row is None:
        return None
    values = dict(row)
    values["secret"] = bytes.fromhex(row["secret"])
    origin = values.pop("imported_json")
    values["imported"] = None if origin is None else database.decode_json(origin)
    place = row["id"], row["version"]
    with _turn:
        cached = _known.get(place)
    if cached is None:
        query = select(_columns.content_json).where(_columns.id == row["id"])
        content = from_json(db.execute(query).scalar_one())
        cached = {
            "campaign": content,
            "protocol_version": content.protocol.version,
            "screen_seconds": estimate_screen_seconds(content),
        }
        with _turn:
            _known[place] = cached
            while len(_known) > _KEPT:
                _known.pop(next(iter(_known)))
    return StoredCampaign(**values, **cached)


def get_campaign(db: Connection, key: str) -> StoredCampaign:
    """Return a campaign that must be there, such as a judge's."""
    stored = find_campaign(db, key)
    if stored is None:
        msg = f"The campaign {key} is not in the store."
        raise UnknownNameError(msg)
    return stored


def list_of_test_set(db: Connection, test_set: str) -> list[StoredCampaign]:
    """Return the campaigns that judge runs of a test set, the newest first."""
    row = database.campaign.c
    query = select(row.id).where(row.test_set == test_set)
    keys = db.execute(query.order_by(row.created_at.desc(), row.id)).scalars()
    return [get_campaign(db, key) for key in keys]


def find_by_name(db: Connection, name: str | None) -> StoredCampaign:
    """Return a campaign by its name; without one, the only campaign there is."""
    ids = {entry[1]: entry[0] for entry in list_campaigns(db)}
    if name is None and len(ids) == 1:
        [name] = ids
    if not ids:
        msg = "The store has no campaign; add one with `metra judge init FILE`."
        raise OptionError(msg)
    if name is None:
        names = ", ".join(sorted(ids))
        msg = f"The store holds {len(ids)} campaigns; name one of: {names}."
        raise OptionError(msg)
    if name not in ids:
        raise UnknownNameError(no_such("campaign", name, ids))
    return get_campaign(db, ids[name])


def set_state(db: Connection, key: str, state: str, *, now: float, who: str) -> None:
    """Open, pause or close a campaign."""
    if state not in STATES:
        msg = f"A campaign's state cannot be {state!r}; expected {', '.join(STATES)}."
        raise OptionError(msg)
    if state != "closed":
        refuse_imported(db, key)
    _update_campaign(db, key, state=state)
    audit.add_entry(db, who, "state", {"state": state}, now=now, campaign=key)


def refuse_imported(db: Connection, key: str) -> None:
    """Raise an error if a campaign comes from files: nobody can go on judging it."""
    stored = get_campaign(db, key)
    if stored.imported is not None:
        msg = (
            f"{stored.name} was imported from files; an imported campaign stays closed."
        )
        raise OptionError(msg)


def unblind_campaign(db: Connection, key: str, *, now: float, who: str) -> None:
    """Let admins see the systems' names; the first time is recorded."""
    row = database.campaign.c
    first = update(database.campaign).where(row.id == key, row.unblinded_at.is_(None))
    db.execute(first.values(unblinded_at=now))
    audit.add_entry(db, who, "unblind", now=now, campaign=key)


def rename_judge(db: Connection, key: str, old: str, new: str) -> None:
    """Replace a judge's name in the settings, which exports contain."""
    content = get_campaign(db, key).campaign
    names = tuple(new if name == old else name for name in content.settings.judges)
    content = replace(content, settings=replace(content.settings, judges=names))
    _update_campaign(db, key, content_json=to_json(content), version=content.version)


def _update_campaign(db: Connection, key: str, **values: object) -> None:
    table = database.campaign
    db.execute(update(table).where(table.c.id == key).values(**values))


_columns = database.campaign.c
_FIND = select(
    *(column for column in _columns if column is not _columns.content_json)
).where(_columns.id == bindparam("key"))

# A campaign hardly changes, and is large: what was read once is kept, by id and version.
_known: dict[tuple[str, str], dict[str, Any]] = {}
_turn = Lock()
