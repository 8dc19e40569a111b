"""Screens in a judge's order: which comes next, and which may be opened again."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from metra.store import tables

#: How many answered screens back a judge may still change.
BLOCK = 10


@dataclass(frozen=True, slots=True)
class Place:
    """One screen of a judge, and whether it has been answered."""

    task: str
    number: int
    answered: bool


@dataclass(frozen=True, slots=True)
class Way:
    """All screens of a judge in order; `reached` is the first without an answer."""

    places: Sequence[Place]
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

    def next_open(self, at: int) -> Place | None:
        """The screen to go to after this one: the next that has no answer."""
        later = [place for place in self.places[at + 1 :] if not place.answered]
        earlier = [place for place in self.places[:at] if not place.answered]
        return next(iter(later or earlier), None)

    def _together(self, at: int) -> bool:
        """Whether it belongs to the task that the judge has reached."""
        return (
            self.reached < len(self.places)
            and self.places[at].task == self.places[self.reached].task
        )


def way(db: Connection, judge: str) -> Way:
    """Lay out a judge's screens."""
    task, judgement = tables.task.c, tables.judgement.c
    owned = (
        select(task.id, task.screens)
        .where(task.judge == judge, task.state != "passed")
        .order_by(task.position)
    )
    given = select(judgement.task, judgement.number).where(judgement.judge == judge)
    answered = {(row[0], row[1]) for row in db.execute(given)}
    places = [
        Place(key, number, (key, number) in answered)
        for key, count in db.execute(owned)
        for number in range(count)
    ]
    reached = next(
        (at for at, place in enumerate(places) if not place.answered), len(places)
    )
    return Way(places, reached)


def shown_steps(db: Connection, task: str, number: int) -> dict[int, float]:
    """When each step of a screen was first shown."""
    shown = tables.shown.c
    query = select(shown.step, shown.at).where(
        shown.task == task, shown.number == number
    )
    return {row[0]: row[1] for row in db.execute(query)}


def show(db: Connection, task: str, number: int, step: int, *, now: float) -> int:
    """Note that the steps up to `step` are shown now; give the furthest ever shown."""
    before = shown_steps(db, task, number)
    new = [at for at in range(step + 1) if at not in before]
    if new:
        rows = [{"task": task, "number": number, "step": at, "at": now} for at in new]
        db.execute(insert(tables.shown), rows)
    return max([step, *before])
