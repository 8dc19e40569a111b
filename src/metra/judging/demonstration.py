"""Filled campaigns on our own example, for looking around, for pictures and for tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

from metra import examples
from metra.human.campaign import Campaign, campaign
from metra.human.protocols import PROTOCOLS
from metra.human.settings import Settings
from metra.io import open_corpus
from metra.judging.material import read_material
from metra.judging.simulating import Temper, can_simulate, hasty, simulated, tempers
from metra.judging.wordings import worded
from metra.store import Store, answers, campaigns, judges, screens, tasks

if TYPE_CHECKING:
    from sqlalchemy import Connection

SYSTEMS = ("polished", "solid", "literal", "fluent-wrong")
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana")
#: How much each judge has done; the last ones are still at it.
_DONE = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.6, 0.25)
_HASTY = 6
#: What some protocols need beside the texts.
_MATERIAL = {
    "questions": "campaigns/questions.tsv",
    "templates": "templates/reference.tsv",
    "baseline": "campaigns/baseline.en.txt",
    "judged": "judged.tsv",
    "entities": "entities.tsv",
}
_HOUR = 3600.0
_COMMENTS = (
    "The second half reads as if somebody else had written it.",
    "I would have called it brakes, but one understands.",
    "Good!",
)


@dataclass(frozen=True, slots=True)
class Filled:
    """A campaign that was filled: its id, and a judge's link that still has work."""

    id: str
    name: str
    token: str
    judge: str


def demonstrable() -> list[str]:
    """The protocols that made-up judges can answer."""
    return [name for name, known in PROTOCOLS.items() if can_simulate(known)]


def example_campaign(name: str) -> Campaign:
    """Our example's texts under a protocol."""
    home = examples.HOME
    corpus = open_corpus(
        [str(home / "outputs" / f"{system}.txt") for system in SYSTEMS],
        [str(home / f"reference.{number}.txt") for number in (1, 2)],
        str(home / "source.fr.txt"),
        str(home / "docs.txt"),
    )
    asked = PROTOCOLS[name]
    wished = Settings(f"Market and brake: {asked.title}", name, "fr", "en", NAMES)
    if not (asked.contrastive or asked.whole or asked.over != "outputs"):
        wished = replace(wished, degraded=0.15, repeats=0.1)
    if asked.control:
        wished = replace(wished, each=1)
    files = {what: str(home / path) for what, path in _MATERIAL.items()}
    return worded(campaign(wished, corpus, read_material(files)))


def fill(
    store: Store,
    names: Sequence[str],
    *,
    now: float,
    seed: int = 7,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Filled]:
    """Put a campaign for each protocol into a store, with answers of made-up judges.

    `tell` hears whose turn it is.
    """
    found = []
    for at, name in enumerate(names):
        content = example_campaign(name)
        tell(f"{content.settings.name}: {at + 1} of {len(names)}")
        rng = np.random.default_rng([seed, at])
        with store.transaction() as db:
            begun = now - 30 * _HOUR
            key = campaigns.create(db, content, now=begun, who="demo", state="open")
            stored = campaigns.existing(db, key)
            everybody = judges.of_campaign(db, key)
            token = ""
            made_up = tempers(len(everybody), rng=rng)
            # One of them is in too much of a hurry, so that there is something to find.
            made_up[_HASTY] = hasty(made_up[_HASTY])
            for judge, temper, share in zip(everybody, made_up, _DONE, strict=True):
                token = judges.issue(db, judge.id, now=begun, who="demo")
                judges.consent(db, judge.id, now=begun)
                judges.guided(db, judge.id, now=begun)
                _work(db, stored, judge, temper, share, begun, rng)
            found.append(Filled(key, stored.name, token, everybody[-1].label))
    return found


def _work(
    db: "Connection",
    stored: campaigns.Stored,
    judge: judges.Judge,
    temper: Temper,
    share: float,
    begun: float,
    rng: np.random.Generator,
) -> None:
    """Let a judge answer a share of her screens, one after the other."""
    mine = tasks.of_judge(db, judge.id)
    at = begun + float(rng.uniform(0, 20)) * _HOUR
    last = len(stored.campaign.protocol.steps) - 1
    for owned in mine[: round(share * len(mine))]:
        for number in range(owned.screens):
            answer = simulated(stored.campaign, owned.task, number, temper, rng=rng)
            screens.show(db, owned.task.id, number, last, now=at)
            active = round(1000 * answer.seconds)
            says = rng.random() < 0.03
            words = _COMMENTS[int(rng.integers(0, len(_COMMENTS)))] if says else ""
            at += answer.seconds + float(rng.uniform(0.5, 6))
            given = answers.Answer(
                str(UUID(bytes=rng.bytes(16), version=4)),
                answer.value,
                words,
                times=answers.Times(active_ms=active),
            )
            answers.submit(db, stored, owned, number, given, now=at)
    judges.seen(db, judge.id, now=at)
