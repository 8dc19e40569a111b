"""What `import metra` costs beyond starting Python."""

import sys
from functools import partial

from fresh import run
from record import Limit
from timing import by_turns


def shares() -> list[float]:
    """Import time of metra as a share of sacreBLEU's, both beyond `pass`."""
    calls = [
        partial(run, sys.executable, "-c", code)
        for code in ("pass", "import sacrebleu", "import metra")
    ]
    for call in calls:
        call()
    taken = by_turns(calls, rounds=7, clock="wall", enough=0.3)
    return [
        (ours - nothing) / (theirs - nothing)
        for nothing, theirs, ours in zip(*taken, strict=True)
    ]


TASKS = [
    Limit(
        task="import metra, share of import sacrebleu",
        measure=shares,
        unit="ratio",
        most=0.25,
    ),
]
