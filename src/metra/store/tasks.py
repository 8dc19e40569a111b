"""Tasks and their screens: a judge's order, what may be opened, states, and progress."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import median
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, insert, select, update

from metra.campaign.assignment import Task, TaskItem
from metra.campaign.campaign import Campaign
from metra.store import database
from metra.store.database import decode_json, encode_json, strip_unstorable


@dataclass(frozen=True, slots=True)
class StoredTask:
    """A task and its state; `judge` is the judge's id."""

    task: Task
    judge: str
    screens: int
    state: str
    topped_up_from: str | None


def add_tasks(
    db: Connection,
    key: str,
    campaign: Campaign,
    tasks: Iterable[Task],
    judges: Mapping[str, str],
    *,
    topped_up_from: str | None = None,
) -> None:
    """Store tasks; `judges` gives the ids of the judges by their labels."""
    rows = [
        {
            "id": task.id,
            "campaign": key,
            "judge": judges[task.judge],
            "position": task.position,
            "kind": task.kind,
            "original": task.original,
            "items_json": encode_json([item._asdict() for item in task.items]),
            # Compared outputs stand on one screen.
            "screens": 1 if campaign.protocol.contrastive else len(task.items),
            "state": "waiting",
            "topped_up_from": topped_up_from,
        }
        for task in tasks
    ]
    if rows:
        db.execute(insert(database.task), rows)


def list_campaign_tasks(
    db: Connection, campaign: str, *, most: int | None = None
) -> list[StoredTask]:
    """Return tasks, judge by judge in the campaign's order, then by position."""
    query = _SELECT.where(database.task.c.campaign == campaign)
    ordered = query.order_by(database.judge.c.place, database.task.c.position)
    return [_build_task(row) for row in db.execute(ordered.limit(most))]


def count_states(db: Connection) -> dict[str, Counter[str]]:
    """Count the tasks of each campaign by their states."""
    query = select(_task.campaign, _task.state, func.count(_task.id))
    rows = db.execute(query.group_by(_task.campaign, _task.state))
    counts: dict[str, Counter[str]] = {}
    for campaign, state, count in rows:
        counts.setdefault(campaign, Counter())[state] = count
    return counts


class GivenTask(NamedTuple):
    """The fields of a task that judgements carry."""

    id: str
    place: int
    position: int
    judge: str
    kind: str
    original: str | None
    #: Its name, also in the file that an imported campaign comes from.
    task: str
    #: The fields of each `TaskItem`.
    items: list[dict[str, Any]]


def list_given_tasks(
    db: Connection, campaign: str, judge: str | None = None
) -> list[GivenTask]:
    """Return all tasks of a campaign, or of a judge, in the order of all tasks."""
    place = database.judge.c.place
    query = select(
        *(_task.id, place, _task.position, database.judge.c.label, _task.kind),
        *(_task.original, _task.called, _task.items_json),
    ).join_from(database.task, database.judge, _task.judge == database.judge.c.id)
    is_asked_for = _task.campaign == campaign if judge is None else _task.judge == judge
    rows = db.execute(query.where(is_asked_for)).all()
    # Thousands of texts are decoded as one.
    shown = decode_json(f"[{','.join([row[-1] for row in rows])}]")
    given = [
        GivenTask._make((*about, called or about[0], items))
        for (*about, called, _), items in zip(rows, shown, strict=True)
    ]
    # A database would sort whole rows, which takes longer.
    return sorted(given, key=attrgetter("place", "position"))


def list_judge_tasks(db: Connection, judge: str) -> list[StoredTask]:
    """Return a judge's tasks in order, without those that went to others."""
    return [one for one in list_all_judge_tasks(db, judge) if one.state != "passed"]


def list_all_judge_tasks(db: Connection, judge: str) -> list[StoredTask]:
    """Return all tasks that a judge ever had, also those that went to others."""
    query = _SELECT.where(database.task.c.judge == judge)
    ordered = query.order_by(database.task.c.position)
    return [_build_task(row) for row in db.execute(ordered)]


def find_task(db: Connection, judge: str, key: str) -> StoredTask | None:
    """Return one of the judge's own tasks; None for tasks of others."""
    row = db.execute(_FIND, {"key": strip_unstorable(key), "of": judge}).first()
    return None if row is None else _build_task(row)


def set_state(db: Connection, key: str, state: str) -> None:
    """Set the state of a task; one that went to somebody else keeps its state."""
    db.execute(_SET_STATE, {"key": key, "state": state})


def _build_task(row: Any) -> StoredTask:
    key, label, position, kind, items, original, *more = row
    shown = tuple([TaskItem(**item) for item in decode_json(items)])
    return StoredTask(Task(key, label, position, kind, shown, original), *more)


# Statements of every request are built once.
_task = database.task.c
_SELECT = select(
    *(_task.id, database.judge.c.label, _task.position, _task.kind, _task.items_json),
    *(_task.original, _task.judge, _task.screens, _task.state),
    _task.topped_up_from,
).join_from(database.task, database.judge, _task.judge == database.judge.c.id)
_IS_OWNED = (_task.id == bindparam("key")) & (_task.state != "passed")
_FIND = _SELECT.where(_IS_OWNED, _task.judge == bindparam("of"))
_SET_STATE = update(database.task).where(_IS_OWNED)


#: How many answered screens back a judge may still change.
BLOCK = 10
#: From how many answers on a judge's own pace replaces the protocol's estimate.
_OWN_PACE = 5


class ScreenPlace(NamedTuple):
    """One screen of a judge, and whether it has been answered."""

    task: str
    number: int
    answered: bool


@dataclass(frozen=True, slots=True)
class ScreenSequence:
    """All screens of a judge in order; `reached` is the first without an answer."""

    places: Sequence[ScreenPlace]
    reached: int

    def index(self, task: str, number: int) -> int | None:
        """Return where a screen stands; None if it is not the judge's."""
        keys = [place[:2] for place in self.places]
        return keys.index((task, number)) if (task, number) in keys else None

    def may_open(self, at: int) -> bool:
        """Return whether a screen can be looked at: earlier, next, or of a begun task."""
        places, reached = self.places, self.reached
        return at <= reached or places[at].task == places[reached].task

    def may_answer(self, at: int) -> bool:
        """Return whether an answer can be given or changed: in the current block only."""
        if at > self.reached - 1 - BLOCK:
            return self.may_open(at)
        reached = self.places[self.reached : self.reached + 1]
        return any(place.task == self.places[at].task for place in reached)

    def next_open(self, at: int) -> ScreenPlace | None:
        """Return the next open screen without an answer."""
        waiting = [
            index
            for index, place in enumerate(self.places)
            if not place.answered and self.may_open(index)
        ]
        later = [index for index in waiting if index > at]
        return next((self.places[index] for index in later or waiting), None)

    def with_answer(self, at: int) -> "ScreenSequence":
        """Return the sequence after a screen has been answered."""
        places = list(self.places)
        places[at] = places[at]._replace(answered=True)
        reached = self.reached
        while reached < len(places) and places[reached].answered:
            reached += 1
        return ScreenSequence(places, reached)


def list_screens(db: Connection, judge: str) -> ScreenSequence:
    """Return a judge's screens in order."""
    owned = db.execute(_OWNED, {"of": judge}).all()
    # A task is done when all of it is answered; only of those begun must one look closer.
    begun = [key for key, count, state in owned if state == "open" and count > 1]
    given = db.execute(_ANSWERED, {"begun": begun}).all() if begun else []
    answered = {tuple(row) for row in given}
    places = [
        ScreenPlace(key, number, state == "done" or (key, number) in answered)
        for key, count, state in owned
        for number in range(count)
    ]
    waiting = (index for index, place in enumerate(places) if not place.answered)
    return ScreenSequence(places, next(waiting, len(places)))


def find_shown_steps(db: Connection, task: str, number: int) -> dict[int, float]:
    """Return when each step of a screen was first shown."""
    rows = db.execute(_SHOWN, {"of": task, "place": number})
    return {row.step: row.at for row in rows}


def record_shown_steps(
    db: Connection, task: str, number: int, step: int, *, now: float
) -> int:
    """Record that steps up to `step` are shown; return the furthest ever shown."""
    before = find_shown_steps(db, task, number)
    new = [at for at in range(step + 1) if at not in before]
    if new:
        rows = [{"task": task, "number": number, "step": at, "at": now} for at in new]
        db.execute(insert(database.shown), rows)
    return max([step, *before])


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """Screens done out of all, the seconds left, and the active time so far."""

    done: int
    of: int
    seconds_left: int
    active_ms: int

    @property
    def minutes_left(self) -> int:
        """The time left in minutes, at least one."""
        return max(1, round(self.seconds_left / 60))

    @property
    def minutes_active(self) -> int:
        """The active time in minutes."""
        return round(self.active_ms / 60_000)


def compute_progress(
    db: Connection, judge: str, way: ScreenSequence, screen_seconds: float
) -> JudgeProgress:
    """Return how far a judge is, and about how long the rest takes.

    Before a judge has a pace of their own, each screen takes `screen_seconds`.
    """
    rows = db.execute(_TIMES, {"of": judge})
    times = [(active, revision) for active, revision in rows if active is not None]
    first = [active / 1000 for active, revision in times if revision == 1]
    enough = len(first) >= _OWN_PACE
    each = median(first) if enough else screen_seconds
    of, done = len(way.places), sum(place.answered for place in way.places)
    active_ms = sum(active for active, _ in times)
    return JudgeProgress(done, of, round((of - done) * each), active_ms)


def count_screens(db: Connection, campaign: str) -> dict[str, tuple[int, int]]:
    """Return how many screens of how many each judge has answered."""
    of_campaign = (_task.campaign == campaign) & (_task.state != "passed")
    totals = select(_task.judge, _task.state, func.sum(_task.screens))
    done, of = Counter[str](), Counter[str]()
    grouped = totals.where(of_campaign).group_by(_task.judge, _task.state)
    for judge, state, count in db.execute(grouped):
        of[judge] += count
        done[judge] += count * (state == "done")
    # Of tasks that are begun, some screens may have answers.
    begun = select(_task.judge, _task.id, _answer.number).distinct()
    begun = begun.join(database.judgement, _answer.task == _task.id)
    given = db.execute(begun.where(of_campaign, _task.state == "open"))
    done.update(judge for judge, _, _ in given)
    return {judge: (done[judge], of[judge]) for judge in of}


# Statements of every request are built once.
_task, _answer, _shown = database.task.c, database.judgement.c, database.shown.c
_OWNED = (
    select(_task.id, _task.screens, _task.state)
    .where(_task.judge == bindparam("of"), _task.state != "passed")
    .order_by(_task.position)
)
_begun = _answer.task.in_(bindparam("begun", expanding=True))
_ANSWERED = select(_answer.task, _answer.number).where(_begun)
_here = (_shown.task == bindparam("of")) & (_shown.number == bindparam("place"))
_SHOWN = select(_shown.step, _shown.at).where(_here)
_TIMES = select(_answer.active_ms, _answer.revision).where(
    _answer.judge == bindparam("of")
)
