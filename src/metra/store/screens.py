"""Screens in a judge's order: which comes next, and which may be opened again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, insert, select

from metra.store import database

#: How many answered screens back a judge may still change.
BLOCK = 10


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
        """Where a screen stands, if it is the judge's at all."""
        for at, place in enumerate(self.places):
            if place.task == task and place.number == number:
                return at
        return None

    def may_open(self, at: int) -> bool:
        """Whether a screen can be looked at: what is behind, what is next, what is begun."""
        return at <= self.reached or self._together(at)

    def may_answer(self, at: int) -> bool:
        """Whether an answer can be given or changed: the current block only."""
        return self.may_open(at) and (
            at > self.reached - 1 - BLOCK or self._together(at)
        )

    def next_open(self, at: int) -> ScreenPlace | None:
        """The screen to go to after this one: the next that is open and has no answer."""
        waiting = [
            where
            for where, place in enumerate(self.places)
            if not place.answered and self.may_open(where)
        ]
        later = [where for where in waiting if where > at]
        return next((self.places[where] for where in later or waiting), None)

    def with_answer(self, at: int) -> "ScreenSequence":
        """The same way once a screen has been answered."""
        places = list(self.places)
        places[at] = ScreenPlace(places[at].task, places[at].number, True)
        return ScreenSequence(places, _find_first_open(places))

    def _together(self, at: int) -> bool:
        """Whether it belongs to the task that the judge has reached."""
        return (
            self.reached < len(self.places)
            and self.places[at].task == self.places[self.reached].task
        )


def list_screens(db: Connection, judge: str) -> ScreenSequence:
    """Lay out a judge's screens."""
    owned = db.execute(_OWNED, {"of": judge}).all()
    # A task is done when all of it is answered; only of those begun must one look closer.
    begun = [row[0] for row in owned if row[2] == "open" and row[1] > 1]
    given = db.execute(_ANSWERED, {"begun": begun}).all() if begun else []
    answered = {(row[0], row[1]) for row in given}
    places = [
        ScreenPlace(row[0], number, row[2] == "done" or (row[0], number) in answered)
        for row in owned
        for number in range(row[1])
    ]
    return ScreenSequence(places, _find_first_open(places))


def find_shown_steps(db: Connection, task: str, number: int) -> dict[int, float]:
    """When each step of a screen was first shown."""
    rows = db.execute(_SHOWN, {"of": task, "place": number}).all()
    return {row[0]: row[1] for row in rows}


def record_shown_steps(
    db: Connection, task: str, number: int, step: int, *, now: float
) -> int:
    """Note that the steps up to `step` are shown now; give the furthest ever shown."""
    before = find_shown_steps(db, task, number)
    new = [at for at in range(step + 1) if at not in before]
    if new:
        rows = [{"task": task, "number": number, "step": at, "at": now} for at in new]
        db.execute(insert(database.shown), rows)
    return max([step, *before])


def _find_first_open(places: Sequence[ScreenPlace]) -> int:
    waiting = (at for at, place in enumerate(places) if not place.answered)
    return next(waiting, len(places))


# What every request asks is put together once.
_OWNED = (
    select(database.task.c.id, database.task.c.screens, database.task.c.state)
    .where(database.task.c.judge == bindparam("of"), database.task.c.state != "passed")
    .order_by(database.task.c.position)
)
_ANSWERED = select(database.judgement.c.task, database.judgement.c.number).where(
    database.judgement.c.task.in_(bindparam("begun", expanding=True))
)
_SHOWN = select(database.shown.c.step, database.shown.c.at).where(
    database.shown.c.task == bindparam("of"),
    database.shown.c.number == bindparam("place"),
)
