"""A command timed in a process that has run it before, so that start-up is no part of it.

As a program it reads the arguments of a short run, those of the run that counts, and how often
that is done, and prints the least that it took.
"""

import contextlib
import io
import json
import sys
import time

import fresh


def cost(
    few: list[str], many: list[str], rounds: int, **variables: str
) -> dict[str, float]:
    """Wall and CPU seconds of `metra` with the arguments `many`, after a run with `few`."""
    work = json.dumps([few, many, rounds])
    return json.loads(fresh.run(sys.executable, __file__, work, **variables))


def main() -> None:
    few, many, rounds = json.loads(sys.argv[1])
    _run(few)
    taken = []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        _run(many)
        taken.append((time.perf_counter() - wall, time.process_time() - cpu))
    walls, cpus = zip(*taken, strict=True)
    # The least: other work only ever adds to it.
    print(json.dumps({"seconds": min(walls), "cpu": min(cpus)}))


def _run(arguments: list[str]) -> None:
    from metra.cli import cli

    with contextlib.redirect_stdout(io.StringIO()):
        cli(arguments, prog_name="metra", standalone_mode=False)


if __name__ == "__main__":
    main()
