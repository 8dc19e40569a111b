"""How much work a campaign asks of its judges, in figures and in a sentence."""

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from metra.campaign.assignment import Task, assign
from metra.campaign.campaign import Campaign
from metra.formats.scores.judgement import COUNTED


def describe_cost(campaign: Campaign, tasks: Sequence[Task]) -> str:
    """Return a sentence on how many items each judge has, for how long, and the overlap."""
    judges = campaign.settings.judges
    items = Counter(dict.fromkeys(judges, 0))
    for task in tasks:
        items[task.judge] += len(task.items)
    most, least = max(items.values()), min(items.values())
    minutes = round(most * campaign.protocol.seconds / 60)
    counted = f"{most}" if most == least else f"{least} to {most}"
    shared = count_overlaps(tasks, judges)
    pairs = ""
    if shared:
        fewest = min(shared.values())
        pairs = f"; each of the {len(shared)} pairs of judges shares at least {fewest}"
    people, each = (
        f"{count} judge" if count == 1 else f"{count} judges"
        for count in (len(judges), campaign.settings.each)
    )
    return (
        f"{people} × {counted} items ≈ {minutes} min each; every item by {each}{pairs}."
    )


def count_overlaps(
    tasks: Sequence[Task], judges: Sequence[str]
) -> dict[tuple[str, str], int]:
    """Return how many outputs each pair of judges shares, calibration included."""
    seen: dict[str, set[tuple[str, int]]] = {judge: set() for judge in judges}
    for task in tasks:
        if task.kind in COUNTED or task.kind == "calibration":
            seen[task.judge] |= {(item.system, item.segment) for item in task.items}
    return {
        (one, other): len(seen[one] & seen[other])
        for one, other in combinations(judges, 2)
    }


@dataclass(frozen=True, slots=True)
class WorkloadPlan:
    """The cost in a sentence, and how many tasks of each kind there are."""

    cost: str
    kinds: dict[str, int]


def plan_workload(campaign: Campaign) -> WorkloadPlan:
    """Return the cost and the number of tasks of each kind."""
    tasks = assign(campaign, secret=secrets.token_bytes(16))
    kinds: Counter[str] = Counter(task.kind for task in tasks)
    return WorkloadPlan(describe_cost(campaign, tasks), dict(kinds))
