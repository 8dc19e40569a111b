"""Campaigns in a store that simulated judges have filled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np
from sqlalchemy import Connection

from metra.campaign.demo_data import (
    SimulatedJudge,
    build_example_campaign,
    draw_judges,
    simulate_answer,
)
from metra.store import answers, campaigns, judges, tasks
from metra.store.campaigns import StoredCampaign
from metra.store.database import Store
from metra.store.judges import Judge

#: How much each judge has done; the last ones are still working.
_DONE = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.6, 0.25)
_HASTY = 6
_SEED = 7
_HOUR = 3600.0
_COMMENTS = (
    "The second half reads as if another person had written it.",
    "I would say brakes, but it is clear.",
    "Good!",
)


@dataclass(frozen=True, slots=True)
class DemoCampaign:
    """A campaign that was filled: its id, and a judge's link that still has work."""

    id: str
    name: str
    token: str
    judge: str


def fill_store(
    store: Store,
    names: Sequence[str],
    *,
    now: float,
    tell: Callable[[str], None] = lambda _: None,
) -> list[DemoCampaign]:
    """Put a campaign for each protocol into a store, with answers of simulated judges.

    `tell` is called with each campaign's name and number.
    """
    filled = []
    begun = now - 30 * _HOUR
    for number, name in enumerate(names):
        content = build_example_campaign(name)
        tell(f"{content.settings.name}: {number + 1} of {len(names)}")
        rng = np.random.default_rng([_SEED, number])
        with store.transaction() as db:
            key = campaigns.create_campaign(
                db, content, now=begun, who="demo", state="open"
            )
            stored = campaigns.get_campaign(db, key)
            everybody = judges.list_judges(db, key)
            token = ""
            simulated = draw_judges(len(everybody), rng=rng)
            # One of them is faster than people read, so that there is something to flag.
            simulated[_HASTY] = replace(simulated[_HASTY], pace=0.02, start=0.3)
            for judge, temper, share in zip(everybody, simulated, _DONE, strict=True):
                token = judges.issue_link(db, judge.id, now=begun, who="demo")
                judges.record_consent(db, judge.id, now=begun)
                judges.record_guide(db, judge.id, now=begun)
                _simulate_work(db, stored, judge, temper, share, begun, rng)
            filled.append(DemoCampaign(key, stored.name, token, everybody[-1].label))
    return filled


def _simulate_work(
    db: Connection,
    stored: StoredCampaign,
    judge: Judge,
    temper: SimulatedJudge,
    share: float,
    begun: float,
    rng: np.random.Generator,
) -> None:
    """Let a judge answer a share of their screens, one after the other."""
    every = tasks.list_judge_tasks(db, judge.id)
    now = begun + float(rng.uniform(0, 20)) * _HOUR
    campaign = stored.campaign
    last = len(campaign.protocol.steps) - 1
    for owned in every[: round(share * len(every))]:
        for number in range(owned.screens):
            screen = campaign, owned.task, number
            value, seconds = simulate_answer(*screen, temper, rng=rng)
            tasks.record_shown_steps(db, owned.task.id, number, last, now=now)
            times = answers.AnswerTimes(active_ms=round(1000 * seconds))
            comment = ""
            if rng.random() < 0.03:
                comment = _COMMENTS[int(rng.integers(0, len(_COMMENTS)))]
            now += seconds + float(rng.uniform(0.5, 6))
            key = str(UUID(bytes=rng.bytes(16), version=4))
            given = answers.Answer(key, value, comment, times=times)
            answers.submit_answer(db, stored, owned, number, given, now=now)
    judges.record_activity(db, judge.id, now=now)
