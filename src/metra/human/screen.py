"""What a judge's browser may be told: texts and ids, never who wrote what."""

from typing import Any

from metra.human.campaign import Campaign
from metra.human.task import Item, Task


def screen(campaign: Campaign, task: Task, *, number: int, step: int) -> dict[str, Any]:
    """One screen: the texts of item `number`, with what the steps up to `step` show.

    Outputs to be compared stand on one screen, and `number` is 0.
    """
    asked = campaign.protocol
    items = task.items if asked.contrastive else (task.items[number],)
    shows = {what for passed in asked.steps[: step + 1] for what in passed.shows}
    found: dict[str, Any] = {
        "task": task.id,
        "step": asked.steps[step].name,
        "outputs": [{"id": item.id, "text": item.text} for item in items],
    }
    if "basis" in shows:
        found[asked.basis] = _basis(campaign, items[0].segment)
    if "context" in shows:
        around = _around(campaign, items[0])
        found["context"] = [_basis(campaign, at) for at in around]
        # How many of them stand before this one.
        found["before"] = sum(at < items[0].segment for at in around)
    return found


def _basis(campaign: Campaign, segment: int) -> str | None:
    if campaign.protocol.basis == "source":
        return campaign.segments[segment].source
    return campaign.reference_of(segment)


def _around(campaign: Campaign, item: Item) -> list[int]:
    """The other segments of the document, in order."""
    document = campaign.segments[item.segment].document
    return [
        at
        for at, segment in enumerate(campaign.segments)
        if document and segment.document == document and at != item.segment
    ]
