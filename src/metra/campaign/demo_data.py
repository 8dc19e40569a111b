"""Simulated judges and campaigns on the shipped example, for demonstrations and tests."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np

from metra.campaign.assignment import Task, TaskItem
from metra.campaign.campaign import Campaign
from metra.campaign.creation import freeze_campaign
from metra.campaign.protocols.registry import PROTOCOLS
from metra.campaign.screen import get_screen_protocol
from metra.campaign.settings import Settings
from metra.campaign.translations import freeze_wordings
from metra.campaign.uploads import read_material
from metra.corpus import examples
from metra.scoring.files import open_corpus

SYSTEMS = ("polished", "solid", "literal", "fluent-wrong")
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana")
#: How much worse a degraded copy looks.
_DEGRADED = 0.3
#: What some protocols need beside the texts.
_MATERIAL = {
    "questions": "campaigns/questions.tsv",
    "templates": "templates/reference.tsv",
    "baseline": "campaigns/baseline.en.txt",
    "judged": "judged.tsv",
    "entities": "entities.tsv",
}


def list_demo_protocols() -> list[str]:
    """List the protocols that simulated judges can answer."""
    every = PROTOCOLS.values()
    return [p.name for p in every if all(step.asks.can_simulate for step in p.steps)]


def build_example_campaign(name: str) -> Campaign:
    """Return a campaign on the shipped example under a protocol."""
    home = examples.HOME
    corpus = open_corpus(
        [str(home / "outputs" / f"{system}.txt") for system in SYSTEMS],
        [str(home / f"reference.{number}.txt") for number in (1, 2)],
        str(home / "source.fr.txt"),
        str(home / "docs.txt"),
    )
    asked = PROTOCOLS[name]
    settings = Settings(f"Market and brake: {asked.title}", name, "fr", "en", NAMES)
    if not (asked.contrastive or asked.whole or asked.over != "outputs"):
        settings = replace(settings, degraded=0.15, repeats=0.1)
    if asked.control:
        settings = replace(settings, each=1)
    files = {what: str(home / path) for what, path in _MATERIAL.items()}
    return freeze_wordings(freeze_campaign(settings, corpus, read_material(files)))


@dataclass(frozen=True, slots=True)
class SimulatedJudge:
    """A simulated judge: what they add to the quality they see, and the noise around it."""

    mildness: float
    noise: float
    #: Seconds for a word, and before the first.
    pace: float
    start: float = 3.0


def draw_judges(count: int, *, rng: np.random.Generator) -> list[SimulatedJudge]:
    """Draw some judges."""
    judges = []
    for _ in range(count):
        mildness, noise = rng.normal(0, 0.08), rng.uniform(0.05, 0.12)
        pace = rng.uniform(0.35, 0.9)
        judges.append(SimulatedJudge(float(mildness), float(noise), float(pace)))
    return judges


def simulate_answer(
    campaign: Campaign,
    task: Task,
    number: int,
    temper: SimulatedJudge,
    *,
    rng: np.random.Generator,
) -> tuple[dict[str, Any], float]:
    """Return a simulated answer to one screen, and the seconds that it took."""
    items = task.items if campaign.protocol.contrastive else (task.items[number],)
    qualities = [
        _estimate_quality(item.text, campaign.segments[item.segment].references)
        + temper.mildness
        + temper.noise * _draw_preference(task.judge, item)
        - (_DEGRADED if task.kind == "degraded" else 0)
        for item in items
    ]
    value = {
        step.name: step.asks.simulate(qualities, items[0].text, rng)
        for step in get_screen_protocol(campaign, task, number).steps
    }
    words = sum(len(item.text.split()) for item in items)
    haste = float(rng.lognormal(0, 0.35))
    return value, (temper.start + words * temper.pace) * haste


def _draw_preference(judge: str, item: TaskItem) -> float:
    """Return a judge's preference for an output: the same whenever they meet it."""
    key = crc32(f"{judge}\0{item.system}\0{item.segment}".encode())
    return float(np.random.default_rng(key).normal())


def _estimate_quality(output: str, references: Sequence[str]) -> float:
    """Return the share of words and word pairs that a reference has too, from 0 to 1."""
    ngrams = _collect_ngrams(output)
    if not ngrams or not references:
        return 0.5
    best = max(len(ngrams & _collect_ngrams(text)) for text in references)
    return 0.15 + 0.85 * (best / len(ngrams))


def _collect_ngrams(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return {(word,) for word in words} | set(pairwise(words))
