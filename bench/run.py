"""metra and its peers on the same text in one run: equal first, then timed by turns.

    python bench/run.py --quick      a minute: 3,000 segments
    python bench/run.py --full       100,000 and a million segments, memory, threads

Exit status: 0 every goal met, 1 a goal missed, 2 metra and a peer disagree.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import environment  # first: it sets what libraries read when they are loaded
import results
import table
from inputs import corpus, origin
from outcome import LimitOutcome, RaceOutcome, measured, raced
from record import DisagreementError, Limit, Race
from tasks import all_tasks

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    options = _options()
    tasks = [
        task
        for task in all_tasks()
        if (options.full or task.quick) and options.only in task.task
    ]
    machine = environment.describe()
    print(results.heading(machine, origin()))
    if environment.is_busy():
        _say("This machine is busy with other work: times will be unsteady.")
    texts = {race.text: corpus(*race.text).sha256 for race in _races(tasks)}
    for (name, count), digest in texts.items():
        _say(f"{name}, {count:,} segments: sha256 {digest[:16]}")
    if not _all_agree(_races(tasks)):
        return 2
    outcomes = [_outcome(task) for task in tasks]
    report = _report(outcomes)
    print(report)
    _write(options.mode, machine, texts, outcomes)
    if options.write_results:
        results.write(machine, origin(), report)
    missed = [entry for entry in outcomes if entry.passed is False]
    _say(f"{len(missed)} of {len(outcomes)} goals missed.")
    return 1 if missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--quick", dest="mode", action="store_const", const="quick")
    length.add_argument("--full", dest="mode", action="store_const", const="full")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="tasks whose name has TEXT in it"
    )
    parser.add_argument(
        "--write-results", action="store_true", help="rewrite bench/RESULTS.md"
    )
    options = parser.parse_args()
    options.full = options.mode == "full"
    return options


def _all_agree(races: Sequence[Race]) -> bool:
    for race in races:
        _say(f"comparing: {race.task}, {race.text[1]:,} segments, {race.peer.name}")
        try:
            race.agree(corpus(*race.text))
        except DisagreementError as difference:
            _say(f"{race.task}: {race.peer.name} and metra differ {difference}")
            return False
    return True


def _outcome(task: Race | Limit) -> RaceOutcome | LimitOutcome:
    _say(f"measuring: {task.task}")
    return raced(task) if isinstance(task, Race) else measured(task)


def _report(outcomes: Sequence[RaceOutcome | LimitOutcome]) -> str:
    races = [entry for entry in outcomes if isinstance(entry, RaceOutcome)]
    limits = [entry for entry in outcomes if isinstance(entry, LimitOutcome)]
    parts = [table.races(races), table.limits(limits) if limits else ""]
    # A job of which the peer does but a share is no single way through the text.
    single = [entry for entry in races if entry.race.peers_share == 1]
    parts.append(table.rates([entry for entry in single if entry.race.clock == "cpu"]))
    return "\n\n".join(filter(None, parts))


def _write(
    mode: str,
    machine: dict[str, object],
    texts: dict[tuple[str, int], str],
    outcomes: Sequence[RaceOutcome | LimitOutcome],
) -> None:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{time.strftime('%Y%m%d-%H%M%S')}-{mode}.json"
    data = {
        "mode": mode,
        "environment": machine,
        "inputs": {
            f"{name} {count}": digest for (name, count), digest in texts.items()
        },
        "origin": origin(),
        "outcomes": [entry.as_data() for entry in outcomes],
    }
    path.write_text(json.dumps(data, indent=1) + "\n")
    _say(f"every sample is in {path}")


def _races(tasks: Sequence[Race | Limit]) -> list[Race]:
    return [task for task in tasks if isinstance(task, Race)]


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
