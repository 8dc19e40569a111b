"""Which judge gets what, in which order: computed once, from the campaign's seed.

The ids that judges see come from a secret and never from the seed, so that nobody who knows
the campaign can tell a system by an id.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from metra.errors import OptionError
from metra.human.campaign import Campaign
from metra.human.degrade import degraded
from metra.human.opaque import opaque
from metra.human.protocols.reading import Reading
from metra.human.sharing import Share, shares
from metra.human.task import BASELINE, Item, Kind, Task

_SHORTEST = 16
_DONORS = 20


def assign(campaign: Campaign, *, secret: bytes) -> tuple[Task, ...]:
    """Give all judges their tasks; the same campaign and secret give the same tasks."""
    if len(secret) < _SHORTEST:
        msg = f"The secret has {len(secret)} bytes; expected at least {_SHORTEST}."
        raise OptionError(msg)
    seed = campaign.settings.seed
    found = shares(campaign, rng=np.random.default_rng([seed, 0]))
    tasks: list[Task] = []
    for judge, share in enumerate(found):
        rng = np.random.default_rng([seed, 1, judge])
        order = _in_order(campaign, share, judge, rng)
        mine = _tasks(campaign, judge, _with_checks(campaign, order, rng), secret)
        tasks += _after_baseline(campaign, judge, mine, secret)
    return tuple(tasks)


def _in_order(
    campaign: Campaign, mine: Sequence[Share], judge: int, rng: "np.random.Generator"
) -> list[Share]:
    """Calibration first, then rounds in which every system has its turn.

    Rounds and judges start at different systems, as the rows of a Latin square do.
    """
    shuffled = [mine[at] for at in rng.permutation(len(mine))]
    first = [share for share in shuffled if share.calibration]
    rest = [share for share in shuffled if not share.calibration]
    return [
        *_rounds(campaign, first, judge, rng),
        *_rounds(campaign, rest, judge, rng),
    ]


def _rounds(
    campaign: Campaign, mine: Sequence[Share], judge: int, rng: "np.random.Generator"
) -> list[Share]:
    count = len(campaign.systems)
    if campaign.protocol.contrastive:
        turned = [
            Share(share.text, _turned(share.systems, judge + at), share.calibration)
            for at, share in enumerate(mine)
        ]
        return _by_text(turned)
    if campaign.settings.complete:
        start: dict[int, int] = {}
        for share in mine:
            start.setdefault(share.text, len(start))
        return sorted(
            mine,
            key=lambda share: (
                start[share.text],
                (share.systems[0] - start[share.text] - judge) % count,
            ),
        )
    waiting: list[list[Share]] = [[] for _ in range(count)]
    for share in mine:
        waiting[share.systems[0]].append(share)
    found: list[Share] = []
    row = int(rng.integers(0, count))
    while any(waiting):
        for place in range(count):
            queue = waiting[(place + row + judge) % count]
            if queue:
                found.append(queue.pop())
        row += 1
    return found


def _turned(systems: tuple[int, ...], by: int) -> tuple[int, ...]:
    at = by % len(systems)
    return systems[at:] + systems[:at]


def _by_text(mine: Sequence[Share]) -> list[Share]:
    """Bring the units of a text together, texts in the order of their first unit."""
    order: dict[int, list[Share]] = {}
    for share in mine:
        order.setdefault(share.text, []).append(share)
    return [share for group in order.values() for share in group]


def _with_checks(
    campaign: Campaign, order: Sequence[Share], rng: "np.random.Generator"
) -> list[tuple[Share, Kind, int | None]]:
    """Let some tasks come back half a sitting away, as they were or spoilt.

    Each entry tells its unit, why it is there, and which place of `order` it comes from.
    """
    first = sum(share.calibration for share in order)
    count = len(order) - first
    half = count // 2
    repeats = min(half, math.ceil(campaign.repeats * count))
    early = [first + int(at) for at in rng.permutation(half)][:repeats]
    others = [at for at in range(first, len(order)) if at not in early]
    spoilt = [others[at] for at in rng.permutation(len(others))]
    wanted = min(half, math.ceil(campaign.degraded * count))
    keyed: list[tuple[float, tuple[Share, Kind, int | None]]] = [
        (at, (share, _kind(campaign, share), at)) for at, share in enumerate(order)
    ]
    for at in early:
        keyed.append((_far(at, first, count, rng), (order[at], "repeat", at)))
    for at in spoilt:
        if not wanted:
            break
        if _spoilt(campaign, order[at]) is not None:
            keyed.append((_far(at, first, count, rng), (order[at], "degraded", at)))
            wanted -= 1
    return [entry for _, entry in sorted(keyed, key=lambda pair: pair[0])]


def _far(at: int, first: int, count: int, rng: "np.random.Generator") -> float:
    """Choose a place between two tasks, at least half of them away."""
    half = count // 2
    place = at - first
    low, high = (place + half, count) if place < half else (0, place - half + 1)
    return first - 0.5 + float(rng.integers(low, max(low + 1, high)))


def _kind(campaign: Campaign, share: Share) -> Kind:
    if share.calibration:
        return "calibration"
    kind = campaign.systems[share.systems[0]].kind
    return "judged" if kind == "mt" or len(share.systems) > 1 else kind


def _spoilt(campaign: Campaign, share: Share) -> tuple[str, ...] | None:
    """Spoil a unit's outputs: the same copy for every judge, all or nothing."""
    system = share.systems[0]
    outputs = campaign.systems[system].outputs
    rng = np.random.default_rng([campaign.settings.seed, 2, share.text, system])
    inside = campaign.texts[share.text]
    donors = [
        outputs[at]
        for at in rng.permutation(len(outputs))[: _DONORS + len(inside)]
        if at not in inside and outputs[at]
    ]
    found = [degraded(outputs[at], donors, rng=rng) for at in inside]
    copies = [copy for copy in found if copy is not None]
    return tuple(copies) if len(copies) == len(found) else None


def _tasks(
    campaign: Campaign,
    judge: int,
    entries: Sequence[tuple[Share, Kind, int | None]],
    secret: bytes,
) -> list[Task]:
    name = campaign.settings.judges[judge]

    def hidden(*parts: object) -> str:
        return opaque(secret, campaign.settings.name, judge, *parts)

    ids: dict[int | None, str] = {
        origin: hidden("task", at)
        for at, (_, kind, origin) in enumerate(entries, 1)
        if kind not in ("repeat", "degraded")
    }
    found = []
    for at, (share, kind, origin) in enumerate(entries, 1):
        check = kind in ("repeat", "degraded")
        texts = _spoilt(campaign, share) if kind == "degraded" else None
        shown = [
            (system, segment)
            for system in share.systems
            for segment in campaign.texts[share.text]
        ]
        items = tuple(
            Item(
                hidden("output", at, number),
                campaign.systems[system].name,
                segment,
                texts[number] if texts else campaign.systems[system].outputs[segment],
            )
            for number, (system, segment) in enumerate(shown)
        )
        original = ids[origin] if check else None
        found.append(Task(hidden("task", at), name, at, kind, items, original))
    return found


def _after_baseline(
    campaign: Campaign, judge: int, tasks: list[Task], secret: bytes
) -> list[Task]:
    """Put the baseline text, which tells how a judge reads any text, before the rest."""
    text = campaign.material.get("baseline")
    reads = any(isinstance(step.asks, Reading) for step in campaign.protocol.steps)
    if not text or not reads:
        return tasks
    hidden = partial(opaque, secret, campaign.settings.name, judge)
    item = Item(hidden("output", BASELINE), BASELINE, 0, text)
    name = campaign.settings.judges[judge]
    first = Task(hidden("task", BASELINE), name, 1, "baseline", (item,))
    return [first, *(replace(task, position=task.position + 1) for task in tasks)]
