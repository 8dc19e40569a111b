"""What a task came to: all samples, and whether the goal was met."""

from dataclasses import dataclass
from statistics import median
from typing import Any

from inputs import corpus
from record import Limit, Race
from timing import by_turns, lower_quartile


@dataclass(frozen=True, slots=True)
class RaceOutcome:
    """Samples in seconds for each segment (or run), peer's and metra's of each round."""

    race: Race
    theirs: list[float]
    ours: list[float]

    @property
    def ratios(self) -> list[float]:
        return [a / b for a, b in zip(self.theirs, self.ours, strict=True)]

    @property
    def passed(self) -> bool | None:
        goal = self.race.goal
        return None if goal is None else lower_quartile(self.ratios) >= goal

    def as_data(self) -> dict[str, Any]:
        race = self.race
        text = corpus(*race.text)
        per = len(text) if race.per == "run" else 1
        return {
            "task": race.task,
            "input": race.text[0],
            "segments": len(text),
            "sha256": text.sha256,
            "peer": race.peer.name,
            "clock": race.clock,
            "per": race.per,
            "peer_seconds": self.theirs,
            "metra_seconds": self.ours,
            "ratio": median(self.ratios),
            "lower_quartile": lower_quartile(self.ratios),
            "goal": race.goal,
            "passed": self.passed,
            "ns_per_word": median(self.ours) * 1e9 * len(text) / text.words / per,
            "mb_per_second": text.bytes / (median(self.ours) * 1e6 * len(text)) * per,
        }


@dataclass(frozen=True, slots=True)
class LimitOutcome:
    """Samples in the limit's unit; none where this machine cannot measure it."""

    limit: Limit
    samples: list[float]

    @property
    def passed(self) -> bool | None:
        if not self.samples:
            return None
        value = median(self.samples)
        limit = self.limit
        return (limit.least is None or value >= limit.least) and (
            limit.most is None or value <= limit.most
        )

    def as_data(self) -> dict[str, Any]:
        limit = self.limit
        return {
            "task": limit.task,
            "unit": limit.unit,
            "samples": self.samples,
            "least": limit.least,
            "most": limit.most,
            "passed": self.passed,
        }


def raced(race: Race) -> RaceOutcome:
    """Time the peer and metra by turns."""
    text = corpus(*race.text)
    theirs, ours = by_turns(
        [lambda: race.theirs(text), lambda: race.ours(text)],
        rounds=race.rounds,
        clock=race.clock,
        reset=race.peer.reset,
    )
    share = len(text) if race.per == "segment" else 1
    their_share = share * race.peers_share
    return RaceOutcome(
        race, [t / their_share for t in theirs], [t / share for t in ours]
    )


def measured(limit: Limit) -> LimitOutcome:
    return LimitOutcome(limit, limit.measure())
