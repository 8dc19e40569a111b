"""Who gets which version of which text, evenly; the order comes later."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from metra.human.campaign import Campaign

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Share:
    """A unit: a text in the version of a system, or of several to be compared."""

    text: int
    systems: tuple[int, ...]
    calibration: bool = False


def shares(campaign: Campaign, *, rng: "np.random.Generator") -> list[list[Share]]:
    """Share the units out among the judges, in the order of the judges' names."""
    texts = [int(text) for text in rng.permutation(len(campaign.texts))]
    common, rest = texts[: campaign.calibration], texts[campaign.calibration :]
    found: list[list[Share]] = [[] for _ in campaign.settings.judges]
    for at, text in enumerate(common):
        versions = _versions(campaign)
        if not campaign.blocks:
            versions = [versions[at % len(versions)]]
        for mine in found:
            mine += [Share(text, version, True) for version in versions]
    if campaign.blocks:
        _share_blocks(campaign, rest, found, rng)
    else:
        _share_versions(campaign, rest, found, rng)
    return found


def _versions(campaign: Campaign) -> list[tuple[int, ...]]:
    """What is shown of a text at once: single systems, pairs, or all of them."""
    every = range(len(campaign.systems))
    return list(combinations(every, campaign.protocol.outputs or len(every)))


def _share_blocks(
    campaign: Campaign,
    texts: Sequence[int],
    found: list[list[Share]],
    rng: "np.random.Generator",
) -> None:
    for text in texts:
        for judge in _least_busy(found, rng)[: campaign.settings.each]:
            found[judge] += [Share(text, version) for version in _versions(campaign)]


def _share_versions(
    campaign: Campaign,
    texts: Sequence[int],
    found: list[list[Share]],
    rng: "np.random.Generator",
) -> None:
    count = len(campaign.systems)
    slots = [system for system in range(count) for _ in range(campaign.settings.each)]
    seen = [[0] * count for _ in found]
    for text in texts:
        judges = _least_busy(found, rng)[: len(slots)]
        for judge, system in zip(judges, _evenly(slots, judges, seen), strict=True):
            found[judge].append(Share(text, (system,)))
            seen[judge][system] += 1


def _least_busy(found: list[list[Share]], rng: "np.random.Generator") -> list[int]:
    """Judges with the least to do first; chance decides between equals."""
    chance = rng.permutation(len(found))
    return sorted(
        range(len(found)), key=lambda judge: (len(found[judge]), chance[judge])
    )


def _evenly(
    slots: Sequence[int], judges: Sequence[int], seen: list[list[int]]
) -> list[int]:
    """Give each judge the system seen least: swap two as long as that helps.

    What is added up are squares, so that one large difference is worse than two small ones.
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
