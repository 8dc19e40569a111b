"""How far a judge is, and about how long the rest takes."""

from dataclasses import dataclass
from statistics import median

from sqlalchemy import Connection, bindparam, select

from metra.store import tables
from metra.store.campaigns import Stored
from metra.store.screens import Way

#: From how many answers on a judge's own pace counts more than the protocol's guess.
_OWN_PACE = 5


@dataclass(frozen=True, slots=True)
class Progress:
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


def progress(db: Connection, stored: Stored, judge: str, way: Way) -> Progress:
    """Say how far a judge is."""
    rows = db.execute(_TIMES, {"of": judge}).all()
    done = sum(place.answered for place in way.places)
    times = [(row[0], row[1]) for row in rows if row[0] is not None]
    first = [active / 1000 for active, revision in times if revision == 1]
    asked = stored.campaign.protocol
    outputs = asked.outputs or len(stored.campaign.systems)
    each = median(first) if len(first) >= _OWN_PACE else asked.seconds * outputs
    left = len(way.places) - done
    active = sum(active for active, _ in times)
    return Progress(done, len(way.places), round(left * each), active)


_TIMES = select(tables.judgement.c.active_ms, tables.judgement.c.revision).where(
    tables.judgement.c.judge == bindparam("of")
)
