"""Tasks, and which judge gets which, in which order, with repeated and degraded items.

Everything follows from the campaign's seed. The ids that judges see come from a secret and
never from the seed, so that nobody who knows the campaign can tell a system by an id.
"""

import hmac
import math
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations, product
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from metra.campaign.campaign import Campaign, group_by
from metra.campaign.protocols.kind import Rng
from metra.errors import OptionError, format_count
from metra.scores.judgement import JudgementKind
from metra.scores.table import COUNTED
from metra.text.words import split_words

#: What the baseline text is called in the place of a system.
BASELINE = "baseline"


class TaskItem(NamedTuple):
    """One output as it is shown."""

    id: str
    system: str
    segment: int
    text: str


@dataclass(frozen=True, slots=True)
class Task:
    """One unit for one judge: a segment, a document, or outputs to compare."""

    id: str
    judge: str
    position: int
    kind: JudgementKind
    items: tuple[TaskItem, ...]
    #: The task that this one repeats or degrades.
    original: str | None = None


def make_opaque_id(secret: bytes, *parts: object) -> str:
    """Return an id that reveals nothing; the same parts and secret give the same id."""
    content = "\0".join(map(str, parts))
    return hmac.new(secret, content.encode(), "sha256").hexdigest()[:20]


@dataclass(frozen=True, slots=True)
class Share:
    """A unit: a text in the version of a system, or of several to be compared."""

    text: int
    systems: tuple[int, ...]
    calibration: bool = False


def _divide_units(campaign: Campaign, rng: Rng) -> list[list[Share]]:
    """Return the units of each judge, in the order of the judges' names."""
    texts = [int(text) for text in rng.permutation(len(campaign.texts))]
    common, rest = texts[: campaign.calibration], texts[campaign.calibration :]
    shares: list[list[Share]] = [[] for _ in campaign.settings.judges]
    every = range(len(campaign.systems))
    # What is shown of a text at once: single systems, pairs, or all of them.
    versions = list(combinations(every, campaign.protocol.outputs or len(every)))
    for number, text in enumerate(common):
        shown = versions if campaign.blocks else [versions[number % len(versions)]]
        for own in shares:
            own += [Share(text, version, True) for version in shown]
    each = campaign.settings.each
    slots = [system for system in every for _ in range(each)]
    seen = [[0] * len(every) for _ in shares]
    for text in rest:
        judges = _order_least_busy(shares, rng)
        if campaign.blocks:
            for judge in judges[:each]:
                shares[judge] += [Share(text, version) for version in versions]
            continue
        chosen = judges[: len(slots)]
        systems = _balance_systems(slots, chosen, seen)
        for judge, system in zip(chosen, systems, strict=True):
            shares[judge].append(Share(text, (system,)))
            seen[judge][system] += 1
    return shares


def _order_least_busy(shares: list[list[Share]], rng: Rng) -> list[int]:
    """Return judges with the least to do first; chance decides between equals."""
    chance = rng.permutation(len(shares))
    judges = range(len(shares))
    return sorted(judges, key=lambda judge: (len(shares[judge]), chance[judge]))


def _balance_systems(
    slots: Sequence[int], judges: Sequence[int], seen: list[list[int]]
) -> list[int]:
    """Return the systems so that each judge gets those that they saw least.

    Squares are added up, so that one large difference is worse than two small ones.
    """
    given = list(slots)

    def cost(judge: int, system: int) -> int:
        return (seen[judge][system] + 1) ** 2 - seen[judge][system] ** 2

    better = True
    while better:
        better = False
        for one, other in combinations(range(len(given)), 2):
            now = cost(judges[one], given[one]) + cost(judges[other], given[other])
            then = cost(judges[one], given[other]) + cost(judges[other], given[one])
            if then < now:
                given[one], given[other] = given[other], given[one]
                better = True
    return given


def degrade_text(text: str, donors: Sequence[str], *, rng: Rng) -> str | None:
    """Return the text with a stretch of another one in it; None if that changes nothing."""
    gap = " " if " " in text or any(" " in donor for donor in donors) else ""

    def split(text: str) -> list[str]:
        return text.split(gap) if gap and text else list(text)

    words = split(text)
    count = count_replaced_words(len(words))
    start = int(rng.integers(0, max(1, len(words) - count + 1)))
    for donor in rng.permutation(len(donors)):
        donor_words = split(donors[donor])
        first = int(rng.integers(0, max(1, len(donor_words) - count + 1)))
        strange = donor_words[first : first + count]
        degraded = gap.join([*words[:start], *strange, *words[start + count :]])
        if degraded.split() != text.split():
            return degraded
    return None


def count_replaced_words(words: int) -> int:
    """Return how many words to replace, by the length of the text.

    >>> [count_replaced_words(words) for words in (0, 3, 5, 8, 15, 20, 40)]
    [1, 1, 2, 3, 4, 5, 10]
    """
    for longest, count in ((3, 1), (5, 2), (8, 3), (15, 4), (20, 5)):
        if words <= longest:
            return count
    return words // 4


_SHORTEST = 16
_DONORS = 20


def assign(campaign: Campaign, *, secret: bytes) -> tuple[Task, ...]:
    """Return the tasks of all judges; the same campaign and secret give the same tasks."""
    if len(secret) < _SHORTEST:
        msg = f"The secret has {len(secret)} bytes; expected at least {_SHORTEST}."
        raise OptionError(msg)
    seed = campaign.settings.seed
    shares = _divide_units(campaign, np.random.default_rng([seed, 0]))
    tasks: list[Task] = []
    for judge, share in enumerate(shares):
        rng = np.random.default_rng([seed, 1, judge])
        order = _order_units(campaign, share, rng)
        entries = _insert_checks(campaign, order, rng)
        tasks += _build_tasks(campaign, judge, entries, secret)
    return tuple(tasks)


def _order_units(campaign: Campaign, mine: Sequence[Share], rng: Rng) -> list[Share]:
    """Return calibration first, then rounds in which every system has its turn."""
    shuffled = [mine[at] for at in rng.permutation(len(mine))]
    first = [share for share in shuffled if share.calibration]
    rest = [share for share in shuffled if not share.calibration]
    return [
        one for part in (first, rest) for one in _order_systems(campaign, part, rng)
    ]


def _order_systems(campaign: Campaign, mine: Sequence[Share], rng: Rng) -> list[Share]:
    """Return units so that neither their order nor that of their outputs tells a system."""
    count = len(campaign.systems)
    by_text = group_by(mine, lambda share: share.text)
    if campaign.protocol.contrastive:
        orders = draw_orders(len(mine[0].systems), len(mine), rng) if mine else []
        return [
            replace(share, systems=tuple(share.systems[at] for at in order))
            for share, order in zip(chain(*by_text.values()), orders, strict=True)
        ]
    if campaign.settings.complete:
        orders = draw_orders(count, len(by_text), rng)
        if campaign.protocol.control == "no text":
            # It is added as the last system, and comes before any version of a text.
            orders = [sorted(order, key=lambda at: at < count - 1) for order in orders]
        blocks = [
            sorted(group, key=lambda share: order.index(share.systems[0]))
            for order, group in zip(orders, by_text.values(), strict=True)
        ]
        # Versions of a text follow each other to be compared; readers get them far apart.
        apart = zip(*blocks, strict=True) if campaign.needs_fresh_eyes else blocks
        return [*chain.from_iterable(apart)]
    waiting: list[list[Share]] = [[] for _ in range(count)]
    for share in mine:
        waiting[share.systems[0]].append(share)
    rounds = draw_orders(count, max(map(len, waiting)), rng)
    turns = chain.from_iterable(rounds)
    return [waiting[system].pop() for system in turns if waiting[system]]


def draw_orders(count: int, rounds: int, rng: Rng) -> list[list[int]]:
    """Return an order of `count` systems for each round, drawn so that places are balanced.

    The orders are the rows of random Latin squares, all shuffled together: each system has
    each place about equally often, and no order follows from another.
    """
    rows: list[list[int]] = []
    while len(rows) < rounds:
        systems, places, starts = (rng.permutation(count) for _ in range(3))
        rows += [[int(systems[(a + b) % count]) for b in places] for a in starts]
    return [rows[at] for at in rng.permutation(rounds)]


#: A unit, why it is there, and which place of the judge's order it comes from.
CheckedShare: TypeAlias = tuple[Share, JudgementKind, int]


def _insert_checks(
    campaign: Campaign, order: Sequence[Share], rng: Rng
) -> list[CheckedShare]:
    """Return the units with repeated and degraded ones half a sitting away."""
    first = sum(share.calibration for share in order)
    count = len(order) - first
    half = count // 2
    repeats = min(half, math.ceil(campaign.repeats * count))
    early = [first + int(at) for at in rng.permutation(half)][:repeats]
    others = [at for at in range(first, len(order)) if at not in early]
    candidates = [others[at] for at in rng.permutation(len(others))]
    wanted = min(half, math.ceil(campaign.degraded * count))
    keyed: list[tuple[float, CheckedShare]] = [
        (at, (share, _kind(campaign, share), at)) for at, share in enumerate(order)
    ]

    def insert(at: int, kind: JudgementKind) -> None:
        """Put a unit between two tasks, at least half of them away."""
        place = at - first
        low, high = (place + half, count) if place < half else (0, place - half + 1)
        position = first - 0.5 + float(rng.integers(low, max(low + 1, high)))
        keyed.append((position, (order[at], kind, at)))

    for at in early:
        insert(at, "repeat")
    for at in candidates:
        if not wanted:
            break
        if _degrade_unit(campaign, order[at]) is not None:
            insert(at, "degraded")
            wanted -= 1
    return [entry for _, entry in sorted(keyed, key=lambda pair: pair[0])]


def _kind(campaign: Campaign, share: Share) -> JudgementKind:
    if share.calibration:
        return "calibration"
    kind = campaign.systems[share.systems[0]].kind
    return "judged" if kind == "mt" or len(share.systems) > 1 else kind


def _degrade_unit(campaign: Campaign, share: Share) -> tuple[str, ...] | None:
    """Return degraded outputs of a unit: the same for every judge, all or None."""
    system = share.systems[0]
    outputs = campaign.systems[system].outputs
    rng = np.random.default_rng([campaign.settings.seed, 2, share.text, system])
    inside = campaign.texts[share.text]
    donors = [
        outputs[at]
        for at in rng.permutation(len(outputs))[: _DONORS + len(inside)]
        if at not in inside and outputs[at]
    ]
    degraded = [degrade_text(outputs[at], donors, rng=rng) for at in inside]
    copies = [copy for copy in degraded if copy is not None]
    return tuple(copies) if len(copies) == len(degraded) else None


def _build_tasks(
    campaign: Campaign, judge: int, entries: Sequence[CheckedShare], secret: bytes
) -> list[Task]:
    """Return a judge's tasks after the baseline text, which shows how they read any text."""
    name = campaign.settings.judges[judge]
    make_id = partial(make_opaque_id, secret, campaign.settings.name, judge)
    tasks = []
    text = campaign.material.get("baseline")
    if text and any(step.asks.measures_reading for step in campaign.protocol.steps):
        item = TaskItem(make_id("output", BASELINE), BASELINE, 0, text)
        tasks.append(Task(make_id("task", BASELINE), name, 1, "baseline", (item,)))
    first = 1 + len(tasks)
    checks = ("repeat", "degraded")
    ids = {
        origin: make_id("task", at)
        for at, (_, kind, origin) in enumerate(entries, 1)
        if kind not in checks
    }
    segments = campaign.texts
    for at, (share, kind, origin) in enumerate(entries, 1):
        texts = _degrade_unit(campaign, share) if kind == "degraded" else None
        shown = product(share.systems, segments[share.text])
        items = []
        for number, (place, segment) in enumerate(shown):
            system = campaign.systems[place]
            text = texts[number] if texts else system.outputs[segment]
            item_id = make_id("output", at, number)
            items.append(TaskItem(item_id, system.name, segment, text))
        original = ids[origin] if kind in checks else None
        task_id, position = make_id("task", at), at - 1 + first
        tasks.append(Task(task_id, name, position, kind, tuple(items), original))
    return tasks


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


def plan_workload(campaign: Campaign) -> dict[str, Any]:
    """Return the cost in a sentence, and the number of tasks of each kind."""
    tasks = assign(campaign, secret=secrets.token_bytes(16))
    kinds = dict(Counter(task.kind for task in tasks))
    return {"cost": describe_cost(campaign, tasks), "kinds": kinds}
