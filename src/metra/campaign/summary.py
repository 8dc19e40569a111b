"""Interrupted attempts and running scores of a campaign; blind names of systems."""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from metra.campaign.campaign import Campaign
from metra.campaign.codebook import describe_word_counting
from metra.campaign.evaltrans import RunningScores, compute_running_scores, shows_judged
from metra.campaign.judgement import (
    keep_latest,
    score_each,
)
from metra.campaign.protocols.timed import is_interrupted
from metra.scores.judgement import Judgement
from metra.scores.spreadsheet import list_undefined


@dataclass(frozen=True, slots=True)
class InterruptedAttempt:
    """An attempt with a pause: it counts, but somebody should look at it."""

    judge: str
    system: str
    document: str
    pauses: int
    hidden_seconds: float


@dataclass(frozen=True, slots=True)
class CampaignMeasurements:
    """Missing scores with their reasons, interruptions and running scores."""

    undefined: Sequence[Sequence[str]]
    interrupted: Sequence[InterruptedAttempt]
    running: Sequence[RunningScores]
    #: How words were counted, in a sentence; empty where none were.
    words: str = ""


def compute_measurements(
    campaign: Campaign, judgements: Sequence[Judgement]
) -> CampaignMeasurements:
    """Return what a campaign's answers show besides the ranking."""
    kept = keep_latest(judgements)
    return CampaignMeasurements(
        list_undefined(kept, score_each(kept)),
        [
            InterruptedAttempt(
                *(one.judge, one.systems[0], one.document),
                *(step["pauses"], step["hidden_ms"] / 1000),
            )
            for one in kept
            for step in one.value.values()
            if isinstance(step, dict) and is_interrupted(step)
        ],
        compute_running_scores(campaign, kept)
        if shows_judged(campaign.protocol)
        else [],
        describe_word_counting(kept),
    )


def assign_blind_names(systems: Sequence[str], secret: bytes) -> dict[str, str]:
    """Return the names System 1, System 2, … in an order that depends on the secret.

    >>> sorted(assign_blind_names(["a", "b"], b"x" * 16).values())
    ['System 1', 'System 2']
    """

    def key(name: str) -> bytes:
        return hmac.digest(secret, b"blind\0" + name.encode(), "sha256")

    return {name: f"System {at}" for at, name in enumerate(sorted(systems, key=key), 1)}


def blind_judgements(
    judgements: Iterable[Judgement], names: Mapping[str, str]
) -> list[Judgement]:
    """Return judgements with other names for the systems; what is no system keeps its name."""
    if all(name == shown for name, shown in names.items()):
        return list(judgements)
    return [
        replace(one, systems=tuple(names.get(name, name) for name in one.systems))
        for one in judgements
    ]
