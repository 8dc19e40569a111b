"""EvalTrans as it goes: what the judgements so far say of every output, judged or not.

Outputs that nobody judged lend the score of the nearest judged output of their sentence;
see the measure `evaltrans`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from metra.annotations.judged import Judged
from metra.corpus import Batch
from metra.human.campaign import Campaign
from metra.human.judgement import Judgement, latest
from metra.human.words import is_unspaced
from metra.measure import Parts
from metra.metrics.evaltrans import of_judged, parts
from metra.text import preparation

PROTOCOL = "evaltrans"


@dataclass(frozen=True, slots=True)
class Running:
    """One system so far: sser, mwer and the rest that `evaltrans` tells; None if nothing."""

    system: str
    parts: Parts

    def figure(self, name: str) -> float | None:
        """A part by its name, such as sser; None where there is nothing to tell."""
        found = self.parts.get(name)
        return float(found) if isinstance(found, int | float) else None


def judged_outputs(campaign: Campaign, judgements: Iterable[Judgement]) -> list[Judged]:
    """What the campaign began with and what its judges have added."""
    begun = [
        Judged(source, output, score)
        for source, listed in campaign.material.get("judged", {}).items()
        for output, score in listed
    ]
    return begun + added_outputs(judgements)


def added_outputs(judgements: Iterable[Judgement]) -> list[Judged]:
    """What judges have added to the collection; spoilt copies and repeats are left out."""
    return [
        Judged(
            str(one.segment),
            " ".join(one.outputs[0].split()),
            float(one.value[PROTOCOL]["score"]),
            one.judge,
        )
        for one in latest(judgements)
        if one.protocol == PROTOCOL
        and one.cannot is None
        and (one.counts or one.kind == "calibration")
    ]


def running(campaign: Campaign, judgements: Iterable[Judgement]) -> list[Running]:
    """SSER, mWER and how far they rest on extrapolation, for each system."""
    # As on the screen, letters are words where there are no blanks.
    every = "\n".join(output for one in campaign.systems for output in one.outputs)
    tok = "char" if is_unspaced(every) else "none"
    text = preparation(tok=tok, case="mixed", stem="no")
    judged = judged_outputs(campaign, judgements)
    metric = of_judged(judged, k=1, lend=False, key="segment", text=text)
    references = _references(campaign)
    found = []
    for system in campaign.systems:
        batch = Batch(list(system.outputs), references)
        found.append(Running(system.name, parts(metric.rows(batch).sum(0))))
    return found


def _references(campaign: Campaign) -> list[list[str | None]]:
    """References as columns; a segment that has fewer leaves the rest empty."""
    most = max((len(segment.references) for segment in campaign.segments), default=0)
    return [
        [
            segment.references[at] if at < len(segment.references) else None
            for segment in campaign.segments
        ]
        for at in range(most)
    ]
