"""Judges made up for demonstrations: each as strict, as steady and as quick as chance made her.

Answers follow how near an output is to its reference, so that results look like results; they
say nothing about the texts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np

from metra.human.asking import asked
from metra.human.campaign import Campaign
from metra.human.protocols.marks import Marks
from metra.human.protocols.orders import Order
from metra.human.protocols.record import Ask, Protocol
from metra.human.protocols.scales import Scale
from metra.human.task import Item, Task
from metra.judging.simulating_measures import ANSWERS

#: How much worse a spoilt copy looks.
_SPOILT = 0.3


@dataclass(frozen=True, slots=True)
class Temper:
    """What a made-up judge is like: added to the quality she sees, and noise around it."""

    mildness: float
    noise: float
    #: Seconds for a word, and before the first.
    pace: float
    start: float = 3.0


@dataclass(frozen=True, slots=True)
class Simulated:
    """An answer, and how long it took."""

    value: dict[str, Any]
    seconds: float


def tempers(count: int, *, rng: np.random.Generator) -> list[Temper]:
    """Make some judges up."""
    return [
        Temper(
            float(rng.normal(0, 0.08)),
            float(rng.uniform(0.05, 0.12)),
            float(rng.uniform(0.35, 0.9)),
        )
        for _ in range(count)
    ]


def can_simulate(protocol: Protocol) -> bool:
    """Whether all its questions are of kinds that made-up judges can answer."""
    return all(isinstance(step.asks, tuple(_ANSWERS)) for step in protocol.steps)


def simulated(
    campaign: Campaign,
    task: Task,
    number: int,
    temper: Temper,
    *,
    rng: np.random.Generator,
) -> Simulated:
    """Answer one screen."""
    items = task.items if campaign.protocol.contrastive else (task.items[number],)
    seen = [
        _quality(item.text, campaign.segments[item.segment].references)
        + temper.mildness
        + temper.noise * _taste(task.judge, item)
        - (_SPOILT if task.kind == "degraded" else 0)
        for item in items
    ]
    value = {
        step.name: _answer(step.asks)(step.asks, seen, items[0].text, rng)
        for step in asked(campaign, task, number).steps
    }
    words = sum(len(item.text.split()) for item in items)
    haste = float(rng.lognormal(0, 0.35))
    return Simulated(value, (temper.start + words * temper.pace) * haste)


def hasty(temper: Temper) -> Temper:
    """Make a judge answer faster than anybody can read."""
    return replace(temper, pace=0.02, start=0.3)


def _taste(judge: str, item: Item) -> float:
    """What a judge likes of an output: the same whenever she meets it."""
    key = crc32(f"{judge}\0{item.system}\0{item.segment}".encode())
    return float(np.random.default_rng(key).normal())


def _quality(output: str, references: Sequence[str]) -> float:
    """Share of word pairs, single words included, that a reference has too, from 0 to 1."""
    mine = _pieces(output)
    if not mine or not references:
        return 0.5
    best = max(len(mine & _pieces(text)) / len(mine) for text in references)
    return 0.15 + 0.85 * best


def _pieces(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return {(word,) for word in words} | set(pairwise(words))


def _answer(asks: Ask) -> Callable[..., Any]:
    return next(answer for kind, answer in _ANSWERS.items() if isinstance(asks, kind))


def _scale(asks: Scale, seen: list[float], _: str, rng: np.random.Generator) -> float:
    quality = min(1.0, max(0.0, seen[0] + float(rng.normal(0, 0.02))))
    return float(round(asks.low + quality * (asks.high - asks.low)))


def _marks(
    asks: Marks, seen: list[float], text: str, rng: np.random.Generator
) -> list[dict[str, Any]]:
    words = text.split(" ")
    wrong = int(rng.poisson(max(0.0, 1 - seen[0]) * 5))
    chosen = rng.permutation(len(words))[: min(wrong, asks.most or 9, len(words))]
    found = []
    for at in sorted(int(place) for place in chosen):
        start = len(" ".join(words[:at])) + (at > 0)
        if words[at]:
            mark = {"side": "output", "start": start, "end": start + len(words[at])}
            mark["severity"] = asks.severities[int(rng.integers(0, 2))]
            if asks.categories:
                kinds = asks.categories[:9]
                mark["category"] = kinds[int(rng.integers(0, len(kinds)))]
            found.append(mark)
    return found


def _order(_: Order, seen: list[float], __: str, ___: np.random.Generator) -> list[int]:
    """Ranks; what is nearly as good as the one before shares its place."""
    best_first = sorted(range(len(seen)), key=lambda at: -seen[at])
    ranks = [1] * len(seen)
    for before, at in pairwise(best_first):
        ranks[at] = ranks[before] + (seen[before] - seen[at] > 0.05)
    return ranks


_ANSWERS: dict[type, Callable[..., Any]] = {
    Scale: _scale,
    Marks: _marks,
    Order: _order,
    **ANSWERS,
}
