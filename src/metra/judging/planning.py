"""What a campaign would ask of its judges, before it is kept."""

import secrets
from collections import Counter
from dataclasses import dataclass

from metra.human.assignment import assign
from metra.human.campaign import Campaign
from metra.human.cost import cost


@dataclass(frozen=True, slots=True)
class Plan:
    """The cost in a sentence, and how many tasks of each kind there are."""

    cost: str
    kinds: dict[str, int]


def plan(campaign: Campaign) -> Plan:
    """Share the work out as it would be, and count."""
    tasks = assign(campaign, secret=secrets.token_bytes(16))
    return Plan(cost(campaign, tasks), dict(Counter(task.kind for task in tasks)))
