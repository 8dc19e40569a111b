"""Raters' tags brought together: candidates with votes for a campaign that settles them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from metra.errors import CorpusError
from metra.human.campaign import Campaign
from metra.human.judgement import Judgement, latest
from metra.human.protocols import protocol
from metra.human.protocols.tagging import SETTLED_BY
from metra.human.settings import following

Place = tuple[int, int, str]


def reconciliation(
    first: Campaign,
    judgements: Iterable[Judgement],
    *,
    judges: Sequence[str],
    name: str = "",
) -> Campaign:
    """Make a campaign over the same texts, in which somebody keeps or drops what was tagged."""
    if first.protocol.name not in SETTLED_BY:
        msg = (
            f"{first.settings.name} is {first.protocol.name}; expected "
            f"{' or '.join(SETTLED_BY)}, whose tags can be reconciled."
        )
        raise CorpusError(msg)
    tagged = tags_by_text(judgements)
    if not tagged:
        msg = f"{first.settings.name} has no tags yet; nothing is to be reconciled."
        raise CorpusError(msg)
    votes = [
        Counter(place for places in tagged.get(at, {}).values() for place in places)
        for at in range(1, len(first.segments) + 1)
    ]
    settings = replace(
        following(
            first.settings,
            name=name or f"{first.settings.name}: agreed list",
            protocol=SETTLED_BY[first.protocol.name],
            judges=judges,
            each=1,
        ),
        options=first.settings.options,
    )
    raters = max(len(places) for places in tagged.values())
    candidates = [
        [[*place, count] for place, count in sorted(counted.items())]
        for counted in votes
    ]
    return replace(
        first,
        settings=settings,
        protocol=protocol(settings.protocol, settings.options),
        material={
            "candidates": candidates,
            "raters": raters,
            "language": settings.target_language,
        },
    )


def tags_by_text(judgements: Iterable[Judgement]) -> dict[int, dict[str, set[Place]]]:
    """What each rater tagged in each text, counted from 1; texts without tags are there."""
    found: dict[int, dict[str, set[Place]]] = {}
    for one in latest(judgements):
        if one.counts or one.kind == "calibration":
            for step in one.value.values():
                places = {
                    (tag["start"], tag["end"], tag["type"]) for tag in step["tags"]
                }
                found.setdefault(one.segment, {})[one.judge] = places
    return found


def rater_agreement(
    judgements: Iterable[Judgement],
) -> dict[tuple[str, str], float | None]:
    """How alike two raters' tags are: F in per cent over texts both read; None without tags.

    A tag is the same if its ends and its type are.
    """
    both: dict[tuple[str, str], list[int]] = {}
    for places in tags_by_text(judgements).values():
        for one, other in combinations(sorted(places), 2):
            counts = both.setdefault((one, other), [0, 0])
            counts[0] += 2 * len(places[one] & places[other])
            counts[1] += len(places[one]) + len(places[other])
    return {pair: 100 * some / of if of else None for pair, (some, of) in both.items()}
