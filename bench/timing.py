"""Time by turns: peer, metra, peer, metra, so that a busy moment hits both."""

import gc
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

#: Processes that work for a peer; what they spend counts as processor time too.
WORKERS: list[int] = []


def processor_time() -> float:
    """Give the seconds that this process and the peers' have computed, on all cores."""
    return time.process_time() + sum(map(_spent, WORKERS))


def _spent(process: int) -> float:
    # After the name, which may hold blanks: user and system time are the 12th and 13th.
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


CLOCKS = {"cpu": processor_time, "wall": time.perf_counter}

#: Seconds that a sample must at least have measured: short calls are repeated.
ENOUGH = 0.05


def sample(
    call: Callable[[], object],
    *,
    clock: str,
    reset: Callable[[], object] | None = None,
    enough: float = ENOUGH,
) -> float:
    """Give the mean time of a call in seconds, over as many calls as it takes."""
    now = CLOCKS[clock]
    gc.collect()
    spent = 0.0
    calls = 0
    while spent < enough:
        if reset is not None:
            reset()
        start = now()
        call()
        spent += now() - start
        calls += 1
    return spent / calls


def by_turns(
    calls: Sequence[Callable[[], object]],
    *,
    rounds: int,
    clock: str,
    reset: Callable[[], object] | None = None,
    enough: float = ENOUGH,
) -> list[list[float]]:
    """Sample each call once a round; give the samples of each call."""
    gc.disable()
    try:
        taken = [
            [sample(call, clock=clock, reset=reset, enough=enough) for call in calls]
            for _ in range(rounds)
        ]
    finally:
        gc.enable()
    return [list(column) for column in zip(*taken, strict=True)]


def lower_quartile(values: Sequence[float]) -> float:
    """Give the value that a quarter of the values do not reach.

    >>> lower_quartile([5.0, 1.0, 2.0, 3.0, 4.0])
    2.0
    """
    ordered = sorted(values)
    place = (len(ordered) - 1) / 4
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
