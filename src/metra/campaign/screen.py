"""What a judge's browser may be told: texts and ids, never who wrote what.

What one screen asks: the protocol with what its steps need to know about the text.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from metra.campaign.campaign import Campaign
from metra.campaign.protocols.gaps import Gaps
from metra.campaign.protocols.reading import Reading
from metra.campaign.protocols.record import ASKS_WITH_EXTRA, Protocol, Step
from metra.campaign.task import Task, TaskItem


def get_screen_protocol(campaign: Campaign, task: Task, number: int = 0) -> Protocol:
    """The steps of item `number`: some are left out where they make no sense.

    Of the baseline text there is nothing to ask but its reading, and where there is no text
    nobody can read it.
    """
    segment = task.items[0 if campaign.protocol.contrastive else number].segment
    found = campaign.bind_protocol(segment)
    if task.kind == "baseline":
        return replace(found, steps=found.steps[:1])
    if task.kind == "control" and campaign.protocol.control == "no text":
        steps = (one for one in found.steps if not isinstance(one.asks, Reading))
        return replace(found, steps=tuple(steps))
    return found


def build_screen(
    campaign: Campaign, task: Task, *, number: int, step: int
) -> dict[str, Any]:
    """One screen: the texts of item `number`, with what the steps up to `step` show.

    Outputs to be compared stand on one screen, and `number` is 0.
    """
    asked = get_screen_protocol(campaign, task, number)
    items = task.items if asked.contrastive else (task.items[number],)
    passed = asked.steps[: step + 1]
    shows = {what for one in passed for what in one.shows}
    if task.kind == "baseline":
        shows = set()
    found: dict[str, Any] = {
        "task": task.id,
        "step": asked.steps[step].name,
        "outputs": [
            {"id": item.id, "text": _get_visible_text(item.text, passed)}
            for item in items
        ],
    }
    if len(asked.steps) < len(campaign.protocol.steps):
        found["steps"] = [one.name for one in asked.steps]
    extra = {
        one.name: one.asks.extra(items[0].text)
        for one in passed
        if isinstance(one.asks, ASKS_WITH_EXTRA)
    }
    if extra:
        found["extra"] = extra
    if "basis" in shows:
        found[asked.basis] = _get_basis(campaign, items[0].segment)
        if asked.numbered:
            found["sentence"] = 1 + sum(
                at < items[0].segment for at in _find_context(campaign, items[0])
            )
    if "context" in shows:
        around = _find_context(campaign, items[0])
        found["context"] = [_get_basis(campaign, at) for at in around]
        # How many of them stand before this one.
        found["before"] = sum(at < items[0].segment for at in around)
    return found


def _get_visible_text(text: str, passed: Sequence[Step]) -> str:
    """The text of an output; where words are to be guessed, not even that."""
    for step in passed:
        if isinstance(step.asks, Gaps):
            return step.asks.hide_text(text)
    return text


def _get_basis(campaign: Campaign, segment: int) -> str | None:
    if campaign.protocol.basis == "source":
        return campaign.segments[segment].source
    return campaign.reference_of(segment)


def _find_context(campaign: Campaign, item: TaskItem) -> list[int]:
    """The other segments of the document, in order."""
    document = campaign.segments[item.segment].document
    return [
        at
        for at, segment in enumerate(campaign.segments)
        if document and segment.document == document and at != item.segment
    ]
