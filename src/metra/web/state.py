"""What every request can reach: the store, the clock, and how the app is reached itself."""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request

from metra.store import Store


@dataclass(frozen=True, slots=True)
class State:
    """What the app was made with."""

    store: Store
    clock: Callable[[], float]
    base_url: str | None
    #: Whether browsers reach us by https, so that cookies may be marked so.
    secure: bool
    #: Seconds without a sign after which a judge's tasks may go to others.
    away_after: float


def state_of(request: Request) -> State:
    """Find it."""
    return request.app.state.metra
