"""Memory: flat for files of any length, little beyond the strings that a caller has."""

from functools import partial
from pathlib import Path

import fresh
from inputs import corpus
from record import Limit

STATUS = Path("/proc/self/status")


def command_line_peak() -> list[float]:
    """Peak memory of `metra score` on a million lines."""
    hyps, ref = corpus("english", 1_000_000).files
    return [fresh.usage(fresh.script("metra"), "score", hyps, "-r", ref)["peak"]]


def growth_apart(text: str, count: int) -> list[float]:
    """Memory that `metra.score` takes in a process of its own."""
    return (
        [fresh.call("tasks.memory", "growth", text, count)] if STATUS.exists() else []
    )


def growth(text: str, count: int) -> float:
    """Memory in MB that scoring lists of strings takes beyond these and the statistics."""
    import metra

    small, large = corpus(text, 2_000), corpus(text, count)
    metra.score(small.hyps, small.refs)  # so that everything is loaded
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before = memory_now("VmRSS")
    result = metra.score(large.hyps, large.refs)
    return memory_now("VmHWM") - before - result.rows.nbytes / 1e6


def memory_now(field: str) -> float:
    for line in STATUS.read_text().split("\n"):
        if line.startswith(field):
            return int(line.split()[1]) * 1024 / 1e6
    raise KeyError(field)


TASKS = [
    Limit(
        task="memory of the command line, 1M lines",
        measure=command_line_peak,
        unit="MB",
        most=150,
        quick=False,
    ),
    Limit(
        task="memory beyond strings and rows, 100k",
        measure=partial(growth_apart, "english", 100_000),
        unit="MB",
        most=64,
        quick=False,
    ),
    Limit(
        task="memory beyond strings and rows, 100k Hebrew",
        measure=partial(growth_apart, "hebrew", 100_000),
        unit="MB",
        most=64,
        quick=False,
    ),
]
