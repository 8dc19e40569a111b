"""Answers, only ever added, each once, with times within the server's; and their drafts."""

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from metra.campaign.judgement import record_answer
from metra.campaign.own_wording import find_wording_version
from metra.campaign.screen import collect_texts, get_screen_protocol
from metra.errors import MetraError
from metra.formats.scores.judgement import Judgement
from metra.store import database, screens, tasks
from metra.store.campaigns import StoredCampaign
from metra.store.database import decode_json, encode_json, strip_unstorable


@dataclass(frozen=True, slots=True)
class Draft:
    """A judge's unfinished answer; the browser counts `rev` up."""

    rev: int
    value: Any
    comment: str


def find_draft(db: Connection, task: str, number: int) -> Draft | None:
    """Return the draft of a screen, if there is one."""
    row = db.execute(_FIND, {"of": task, "place": number}).first()
    if row is None:
        return None
    payload = decode_json(row.payload_json)
    return Draft(row.rev, payload["value"], payload["comment"])


def save_draft(
    db: Connection, task: str, number: int, new: Draft, *, now: float
) -> Draft | None:
    """Store a newer draft; return the stored one if it is newer, or another of its number.

    The same value under the same number, as after a lost reply, is no conflict.
    """
    stored = find_draft(db, task, number)
    tidy = Draft(new.rev, new.value, strip_unstorable(new.comment))
    payload = encode_json({"value": tidy.value, "comment": tidy.comment})
    if stored is None:
        where = {"task": task, "number": number}
        db.execute(_ADD, where | {"rev": new.rev, "payload_json": payload, "at": now})
        return None
    same = new.rev == stored.rev and encode_json(new.value) == encode_json(stored.value)
    if new.rev <= stored.rev and not same:
        return stored
    values = {"rev": new.rev, "payload": payload, "now": now}
    db.execute(_CHANGE, {"of": task, "place": number} | values)
    return None


# Statements of every request are built once.
_HERE = (database.draft.c.task == bindparam("of")) & (
    database.draft.c.number == bindparam("place")
)
_FIND = select(database.draft.c.rev, database.draft.c.payload_json).where(_HERE)
_DROP = delete(database.draft).where(_HERE)
_ADD = insert(database.draft)
_CHANGE = (
    update(database.draft)
    .where(_HERE)
    .values(
        rev=bindparam("rev"), payload_json=bindparam("payload"), at=bindparam("now")
    )
)


class ConflictError(MetraError):
    """Something that was right once but no longer is, such as an id that is taken."""


@dataclass(frozen=True, slots=True)
class AnswerTimes:
    """Milliseconds as the browser measured them; never more than the server's wall time."""

    active_ms: int = 0
    idle_ms: int = 0
    hidden_ms: int = 0
    paused_ms: int = 0
    first_action_ms: int | None = None

    def within(self, wall_ms: int) -> "AnswerTimes":
        """Return times that together fit the wall time; what is cut first is least telling."""
        left = wall_ms
        cut = {}
        for name in ("active_ms", "idle_ms", "paused_ms", "hidden_ms"):
            cut[name] = max(0, min(getattr(self, name), left))
            left -= cut[name]
        first = self.first_action_ms
        if first is not None:
            first = max(0, min(first, wall_ms))
        return AnswerTimes(**cut, first_action_ms=first)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer from a browser; `cannot` says why there is no value."""

    id: str
    value: Any
    comment: str = ""
    cannot: str | None = None
    times: AnswerTimes = AnswerTimes()
    #: The language in which the questions were read.
    wording: str = ""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer as it was kept."""

    id: str
    task: str
    number: int
    revision: int
    value: Any
    comment: str
    cannot: str | None


def submit_answer(
    db: Connection,
    stored: StoredCampaign,
    owned: tasks.StoredTask,
    number: int,
    answer: Answer,
    *,
    now: float,
) -> StoredAnswer:
    """Store an answer once, however often it is sent; the judge's row must be locked."""
    task, campaign = owned.task, stored.campaign
    known = find_answer(db, answer.id)
    if known is not None:
        if (known.task, known.number) != (task.id, number):
            msg = "This answer's id belongs to another answer; send it with a new one."
            raise ConflictError(msg)
        return known
    asked = get_screen_protocol(campaign, task, number)
    steps = screens.find_shown_steps(db, task.id, number)
    for place, step in enumerate(asked.steps):
        if step.shows and place not in steps and answer.cannot is None:
            msg = (
                f"The texts for {step.name} have not been shown yet; reveal them first."
            )
            raise ConflictError(msg)
    before = find_latest_answer(db, task.id, number)
    begun = steps.get(0, now)
    since = begun if before is None else max(begun, before.submitted_at)
    wall_ms = max(0, round(1000 * (now - since)))
    times = answer.times.within(wall_ms)
    cannot = None if answer.cannot is None else strip_unstorable(answer.cannot)
    comment = strip_unstorable(answer.comment)
    wording = strip_unstorable(answer.wording)
    value: dict[str, Any] = {}
    if cannot is None:
        limited = asked.limit_times(answer.value, wall_ms)
        value = asked.check(limited, collect_texts(campaign, task, number))
    first = times.first_action_ms
    revision = 1 if before is None else before.revision + 1
    db.execute(
        _INSERT,
        {
            "id": answer.id,
            "task": task.id,
            "number": number,
            "revision": revision,
            "supersedes": None if before is None else before.id,
            "judge": owned.judge,
            "value_json": encode_json(value),
            "comment": comment,
            "cannot": cannot,
            "shown_at": begun,
            "first_action_at": None if first is None else since + first / 1000,
            "submitted_at": now,
            "wall_ms": wall_ms,
            "active_ms": times.active_ms,
            "hidden_ms": times.hidden_ms,
            "idle_ms": times.idle_ms,
            "paused_ms": times.paused_ms,
            "protocol_version": stored.protocol_version,
            "wording": wording,
            "wording_version": find_wording_version(campaign, wording),
        },
    )
    db.execute(_DROP, {"of": task.id, "place": number})
    _finish_task(db, owned)
    return StoredAnswer(answer.id, task.id, number, revision, value, comment, cannot)


def find_answer(db: Connection, key: str) -> StoredAnswer | None:
    """Return an answer by its id, if it is stored."""
    row = db.execute(_ANSWERS_FIND, {"key": key}).first()
    if row is None:
        return None
    return StoredAnswer(*row[:4], decode_json(row.value_json), row.comment, row.cannot)


@dataclass(frozen=True, slots=True)
class LatestAnswer:
    """The newest answer to a screen."""

    id: str
    revision: int
    submitted_at: float


def find_latest_answer(db: Connection, task: str, number: int) -> LatestAnswer | None:
    """Return the newest answer to a screen, if there is one."""
    row = db.execute(_LAST, {"of": task, "place": number}).first()
    return None if row is None else LatestAnswer(*row)


def read_judgements(
    db: Connection, stored: StoredCampaign, judge_id: str | None = None
) -> list[Judgement]:
    """Return all revisions of all answers, by judge, position, item and revision.

    `judge_id` asks for those of one judge alone.
    """
    task, judge, judgement = database.task, database.judge, database.judgement
    owned = (
        tasks.list_campaign_tasks(db, stored.id)
        if judge_id is None
        else tasks.list_all_judge_tasks(db, judge_id)
    )
    known = {
        one.task.id: replace(one.task, id=one.called) if one.called else one.task
        for one in owned
    }
    query = (
        select(
            judgement.c.task,
            judgement.c.id,
            judgement.c.called,
            judgement.c.value_json,
            *(judgement.c[name] for name in _KEPT),
        )
        .join_from(judgement, task, judgement.c.task == task.c.id)
        .join(judge, judgement.c.judge == judge.c.id)
        .where(task.c.campaign == stored.id)
        .order_by(
            judge.c.place, task.c.position, judgement.c.number, judgement.c.revision
        )
    )
    if judge_id is not None:
        query = query.where(judgement.c.judge == judge_id)
    return [
        # Values were checked when they came in.
        record_answer(
            stored.campaign,
            known[owner],
            decode_json(value),
            id=called or key,
            **dict(zip(_KEPT, kept, strict=True)),
        )
        for owner, key, called, value, *kept in db.execute(query).all()
    ]


#: Columns that are fields of the judgement.
SAME = (
    "cannot",
    "comment",
    "revision",
    "shown_at",
    "first_action_at",
    "submitted_at",
    "wall_ms",
    "active_ms",
    "hidden_ms",
    "idle_ms",
    "paused_ms",
    "protocol_version",
    "wording",
    "wording_version",
)
_KEPT = ("number", *SAME)


def _finish_task(db: Connection, owned: tasks.StoredTask) -> None:
    """Record that a task is done when each of its screens has an answer."""
    answered = 1
    if owned.screens > 1:
        judgement = database.judgement.c
        query = select(judgement.number).where(judgement.task == owned.task.id)
        answered = len(db.execute(query.distinct()).all())
    if answered == owned.screens and owned.state != "done":
        tasks.set_state(db, owned.task.id, "done")
    elif owned.state == "waiting":
        tasks.set_state(db, owned.task.id, "open")


# Statements of every request are built once.
_INSERT = insert(database.judgement)
_ANSWERS_FIND = select(
    database.judgement.c.id,
    database.judgement.c.task,
    database.judgement.c.number,
    database.judgement.c.revision,
    database.judgement.c.value_json,
    database.judgement.c.comment,
    database.judgement.c.cannot,
).where(database.judgement.c.id == bindparam("key"))
_LAST = (
    select(
        database.judgement.c.id,
        database.judgement.c.revision,
        database.judgement.c.submitted_at,
    )
    .where(
        database.judgement.c.task == bindparam("of"),
        database.judgement.c.number == bindparam("place"),
    )
    .order_by(database.judgement.c.revision.desc())
    .limit(1)
)
