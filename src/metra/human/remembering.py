"""A judge's own scores of other outputs of a sentence, to judge new ones beside them."""

from collections.abc import Iterable
from dataclasses import replace

from metra.human.campaign import Campaign
from metra.human.judgement import Judgement, latest
from metra.human.protocols import Protocol
from metra.human.protocols.near import Near


def shows_judged(protocol: Protocol) -> bool:
    """Whether a protocol shows what was judged before."""
    return any(isinstance(step.asks, Near) for step in protocol.steps)


def with_judged(campaign: Campaign, own: Iterable[Judgement]) -> Campaign:
    """Add a judge's answers so far to the judged outputs that the campaign began with."""
    judged = {
        source: list(listed)
        for source, listed in campaign.material.get("judged", {}).items()
    }
    for one in latest(own):
        for step in one.value.values():
            entry = [one.outputs[0], float(step["score"])]
            judged.setdefault(str(one.segment), []).append(entry)
    if not judged:
        return campaign
    return replace(campaign, material=campaign.material | {"judged": judged})
