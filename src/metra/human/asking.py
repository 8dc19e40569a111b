"""What one screen asks: the protocol with what its steps need to know about the text."""

from dataclasses import replace

from metra.human.campaign import Campaign
from metra.human.protocols import Protocol
from metra.human.protocols.reading import Reading
from metra.human.task import Task


def asked(campaign: Campaign, task: Task, number: int = 0) -> Protocol:
    """The steps of item `number`: some are left out where they make no sense.

    Of the baseline text there is nothing to ask but its reading, and where there is no text
    nobody can read it.
    """
    segment = task.items[0 if campaign.protocol.contrastive else number].segment
    found = campaign.asked(segment)
    if task.kind == "baseline":
        return replace(found, steps=found.steps[:1])
    if task.kind == "control" and campaign.protocol.control == "no text":
        steps = (one for one in found.steps if not isinstance(one.asks, Reading))
        return replace(found, steps=tuple(steps))
    return found
