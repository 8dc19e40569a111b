"""Workload of a campaign's judges, in figures and in a sentence."""

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from metra.campaign.assignment import Task, assign
from metra.campaign.campaign import Campaign
from metra.errors import format_count
from metra.scores.table import COUNTED
from metra.text.words import split_words

#: The words of a segment and of a whole text that a protocol's seconds are meant for.
_TYPICAL_WORDS = {False: 25, True: 250}
#: The share of the time that a text takes however long it is.
_FIXED_SHARE = 0.5
#: About how many segments are looked at for the length of all.
_SAMPLE = 50


def describe_cost(campaign: Campaign, tasks: Sequence[Task]) -> str:
    """Return a sentence on how many screens each judge has, for how long, and the overlap."""
    judges = campaign.settings.judges
    screens = Counter(dict.fromkeys(judges, 0))
    for task in tasks:
        screens[task.judge] += 1 if campaign.protocol.contrastive else len(task.items)
    most, least = max(screens.values()), min(screens.values())
    minutes = max(1, round(most * estimate_screen_seconds(campaign) / 60))
    counted = f"{most}" if most == least else f"{least} to {most}"
    shared = count_overlaps(tasks, judges)
    overlap = ""
    if shared and not min(shared.values()):
        overlap = "; some pairs of judges share no output"
    elif shared:
        who = "the two judges" if len(shared) == 1 else "any two judges"
        overlap = (
            f"; {who} share at least {format_count(min(shared.values()), 'output')}"
        )
    return (
        f"{format_count(len(judges), 'judge')} × {counted} screen{'s' * (most != 1)} ≈ "
        f"{minutes} min each; each output judged by "
        f"{format_count(campaign.settings.each, 'judge')}{overlap}."
    )


def estimate_screen_seconds(campaign: Campaign) -> float:
    """Guess how long a judge takes for a screen, by the protocol and the length of texts.

    Half of the protocol's time is for the decision; the other half grows with the words.
    """
    asked = campaign.protocol
    places = [at for text in campaign.texts for at in text]
    counts = [
        len(split_words(system.outputs[at]))
        for at in places[:: max(1, len(places) // _SAMPLE)]
        for system in campaign.systems
    ]
    length = sum(counts) / max(1, len(counts)) / _TYPICAL_WORDS[asked.whole]
    outputs = asked.outputs or len(campaign.systems)
    return asked.seconds * outputs * (_FIXED_SHARE + (1 - _FIXED_SHARE) * length)


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
