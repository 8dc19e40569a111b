"""Answers, only ever added, each once, with times within the server's; and their drafts."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Select, bindparam, delete, insert, select, update

from metra.campaign.judgement import KEPT, join_columns, pause_collection
from metra.campaign.screen import collect_texts, get_screen_protocol
from metra.errors import MetraError
from metra.scores.judgement import Judgement
from metra.store import database, tasks
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
    row = db.execute(_FIND_DRAFT, {"of": task, "place": number}).first()
    return None if row is None else Draft(row.rev, **decode_json(row.payload_json))


def save_draft(
    db: Connection, task: str, number: int, new: Draft, *, now: float
) -> Draft | None:
    """Store a newer draft; return the stored one if it is newer, or another of its number.

    The same value under the same number, as after a lost reply, is no conflict.
    """
    stored = find_draft(db, task, number)
    payload = {"value": new.value, "comment": strip_unstorable(new.comment)}
    content = {"rev": new.rev, "payload_json": encode_json(payload), "at": now}
    if stored is None:
        db.execute(_ADD_DRAFT, {"task": task, "number": number} | content)
        return None
    same = new.rev == stored.rev and encode_json(new.value) == encode_json(stored.value)
    if new.rev <= stored.rev and not same:
        return stored
    db.execute(_CHANGE_DRAFT, {"of": task, "place": number} | content)
    return None


class ConflictError(MetraError):
    """A request that came too late, such as an id in use."""


@dataclass(frozen=True, slots=True)
class AnswerTimes:
    """Milliseconds as the browser measured them; never more than the server's wall time."""

    active_ms: int = 0
    idle_ms: int = 0
    hidden_ms: int = 0
    paused_ms: int = 0
    first_action_ms: int | None = None

    def within(self, wall_ms: int) -> "AnswerTimes":
        """Return times that together fit the wall time; the least telling are cut first."""
        left = wall_ms
        cut: dict[str, Any] = {}
        for name in ("active_ms", "idle_ms", "paused_ms", "hidden_ms"):
            cut[name] = max(0, min(getattr(self, name), left))
            left -= cut[name]
        if self.first_action_ms is not None:
            cut["first_action_ms"] = max(0, min(self.first_action_ms, wall_ms))
        return AnswerTimes(**cut)


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


class StoredAnswer(NamedTuple):
    """An answer as it was kept."""

    value: Any
    id: str
    task: str
    number: int
    revision: int
    comment: str
    cannot: str | None
    submitted_at: float


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
    earlier = find_answer(db, answer.id)
    if earlier is not None:
        if (earlier.task, earlier.number) != (task.id, number):
            msg = "This answer's id belongs to another answer; send it with a new id."
            raise ConflictError(msg)
        return earlier
    asked = get_screen_protocol(campaign, task, number)
    steps = tasks.find_shown_steps(db, task.id, number)
    for place, step in enumerate(asked.steps):
        if step.shows and place not in steps and answer.cannot is None:
            msg = f"The texts for {step.name} have not been shown yet; request them first."
            raise ConflictError(msg)
    before = find_latest_answer(db, task.id, number)
    begun = steps.get(0, now)
    since = begun if before is None else max(begun, before.submitted_at)
    wall_ms = max(0, round(1000 * (now - since)))
    times = asdict(answer.times.within(wall_ms))
    first = times.pop("first_action_ms")
    cannot = None if answer.cannot is None else strip_unstorable(answer.cannot)
    wording = strip_unstorable(answer.wording)
    versions = {one.language: one.version for one in campaign.wordings}
    value: dict[str, Any] = {}
    if cannot is None:
        limited = asked.limit_times(answer.value, wall_ms)
        value = asked.check(limited, collect_texts(campaign, task, number))
    kept: dict[str, Any] = {
        "id": answer.id,
        "task": task.id,
        "number": number,
        "revision": 1 if before is None else before.revision + 1,
        "comment": strip_unstorable(answer.comment),
        "cannot": cannot,
        "submitted_at": now,
    }
    more = {
        "supersedes": None if before is None else before.id,
        "judge": owned.judge,
        "value_json": encode_json(value),
        "shown_at": begun,
        "first_action_at": None if first is None else since + first / 1000,
        "wall_ms": wall_ms,
        "protocol_version": stored.protocol_version,
        "wording": wording,
        "wording_version": versions.get(wording, ""),
    }
    db.execute(_ADD_ANSWER, kept | times | more)
    db.execute(_DROP_DRAFT, {"of": task.id, "place": number})
    _finish_task(db, owned)
    return StoredAnswer(value=value, **kept)


def find_answer(db: Connection, key: str) -> StoredAnswer | None:
    """Return an answer by its id, if it is stored."""
    row = db.execute(_FIND_ANSWER, {"key": key}).first()
    return None if row is None else StoredAnswer(decode_json(row[0]), *row[1:])


def find_latest_answer(db: Connection, task: str, number: int) -> StoredAnswer | None:
    """Return the newest answer to a screen, if there is one."""
    row = db.execute(_LATEST_ANSWER, {"of": task, "place": number}).first()
    return None if row is None else StoredAnswer(decode_json(row[0]), *row[1:])


def read_judgements(
    db: Connection,
    stored: StoredCampaign,
    judge_id: str | None = None,
    *,
    fields: Sequence[str] = ("id", *KEPT),
) -> list[Judgement]:
    """Return all revisions of all answers, by judge, position, item and revision.

    `judge_id` asks for those of one judge alone. Of ids and the fields `KEPT`, those not
    named stay empty: to read few of them takes less time.
    """
    judgement = database.judgement.c
    names = ["task", "number", "revision", "value_json", *fields]
    names += ["called"] if "id" in fields else []
    names = list(dict.fromkeys(names))
    query = select(*(judgement[name] for name in names))
    query = query.where(judgement.judge == bindparam("of"))
    judge = database.judge.c
    in_order = select(judge.id).where(judge.campaign == stored.id).order_by(judge.place)
    everybody = [judge_id] if judge_id else db.execute(in_order).scalars().all()
    decoded: dict[str, Any] = {}
    judgements: list[Judgement] = []
    with pause_collection():
        # A judge at a time: the rows of all would take more memory than their judgements.
        for key in everybody:
            rows = db.execute(query, {"of": key}).all()
            if rows:
                given = tasks.list_given_tasks(db, stored.id, key)
                judgements += _join_rows(stored, given, names, rows, decoded)
    return judgements


def _join_rows(
    stored: StoredCampaign,
    given: Sequence[tasks.GivenTask],
    names: Sequence[str],
    rows: Sequence[Any],
    decoded: dict[str, Any],
) -> list[Judgement]:
    """Return the judgements of a judge's answers; `decoded` caches values by text."""
    place_of = {one.id: place for place, one in enumerate(given)}
    places = [place_of[row[0]] for row in rows]
    numbers, revisions = ([row[at] for row in rows] for at in (1, 2))
    # A database would sort whole rows, which takes longer.
    order = np.lexsort((revisions, numbers, places)).tolist()
    ordered = zip(*[rows[at] for at in order], strict=True)
    columns: dict[str, Sequence[Any]] = dict(zip(names, ordered, strict=True))
    answered = [given[places[at]] for at in order]
    about_tasks = zip(*answered, strict=True)
    about = dict(zip(tasks.GivenTask._fields, about_tasks, strict=True))
    columns |= {name: about[name] for name in ("task", "judge", "kind", "original")}
    columns["value"] = _decode_values(columns.pop("value_json"), decoded)
    if "id" in columns:
        ids = zip(columns.pop("called"), columns["id"], strict=True)
        columns["id"] = [called or key for called, key in ids]
    given_numbers, items = columns.pop("number"), about["items"]
    return join_columns(stored.campaign, items, given_numbers, columns)


def _decode_values(texts: Sequence[str], decoded: dict[str, Any]) -> list[Any]:
    """Decode values, which were checked when they came in; equal ones are read once."""
    different = [text for text in dict.fromkeys(texts) if text not in decoded]
    values = decode_json(f"[{','.join(different)}]")
    decoded |= zip(different, values, strict=True)
    return [decoded[text] for text in texts]


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
_draft, _answer = database.draft, database.judgement
_OF_DRAFT = (_draft.c.task == bindparam("of")) & (_draft.c.number == bindparam("place"))
_FIND_DRAFT = select(_draft.c.rev, _draft.c.payload_json).where(_OF_DRAFT)
_ADD_DRAFT = insert(_draft)
_CHANGE_DRAFT = update(_draft).where(_OF_DRAFT)
_DROP_DRAFT = delete(_draft).where(_OF_DRAFT)
_ADD_ANSWER = insert(_answer)
_SELECT: Select[Any] = select(
    _answer.c.value_json, *(_answer.c[name] for name in StoredAnswer._fields[1:])
)
_FIND_ANSWER = _SELECT.where(_answer.c.id == bindparam("key"))
_OF_SCREEN = (_answer.c.task == bindparam("of")) & (
    _answer.c.number == bindparam("place")
)
_LATEST_ANSWER = _SELECT.where(_OF_SCREEN).order_by(_answer.c.revision.desc()).limit(1)
