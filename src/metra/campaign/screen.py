"""Content of one screen: questions, texts and ids, never the names of systems."""

from dataclasses import replace
from typing import Any

from metra.campaign.assignment import Task
from metra.campaign.campaign import MARKS, Campaign
from metra.campaign.protocols.kind import Texts
from metra.campaign.protocols.record import Protocol, collect_extra


def get_screen_protocol(campaign: Campaign, task: Task, number: int = 0) -> Protocol:
    """Return the protocol of item `number`, with what its steps need to know about the text.

    The baseline text is only read, and where there is no text nobody can read it.
    """
    segment = task.items[0 if campaign.protocol.contrastive else number].segment
    asked = campaign.protocol
    if campaign.material:
        document = campaign.segments[segment].document
        asked = asked.bind(campaign.material, document, segment)
    if task.kind == "baseline":
        return replace(asked, steps=asked.steps[:1])
    if task.kind == "control" and asked.control == "no text":
        steps = (step for step in asked.steps if not step.asks.measures_reading)
        return replace(asked, steps=tuple(steps))
    return asked


def build_screen(
    campaign: Campaign, task: Task, *, number: int, step: int
) -> dict[str, Any]:
    """Return one screen: the texts of item `number`, with what steps up to `step` show.

    Outputs to be compared stand on one screen, and `number` is 0.
    """
    asked = get_screen_protocol(campaign, task, number)
    items = task.items if asked.contrastive else (task.items[number],)
    passed = asked.steps[: step + 1]
    shows = {what for reached in passed for what in reached.shows}
    if task.kind == "baseline":
        shows = set()
    texts = [item.text for item in items]
    for reached in passed:
        texts = [reached.asks.get_visible_text(text) for text in texts]
    screen: dict[str, Any] = {
        "task": task.id,
        "step": step,
        "outputs": [
            {"id": item.id, "text": text}
            for item, text in zip(items, texts, strict=True)
        ],
    }
    portion = campaign.portion_of(items[0].system, items[0].segment)
    if portion is not None:
        # Judges see all of the output; this part of it is what they judge.
        screen["outputs"][0]["portion"] = list(portion)
    if len(asked.steps) < len(campaign.protocol.steps):
        screen["steps"] = [one.name for one in asked.steps]
    if extra := collect_extra(passed, items[0].text):
        screen["extra"] = extra
    own = items[0].segment
    document = campaign.segments[own].document
    neighbours = [
        place
        for place, segment in enumerate(campaign.segments)
        if document and segment.document == document and place != own
    ]
    before = sum(place < own for place in neighbours)
    if "basis" in shows:
        screen[asked.basis] = _get_basis(campaign, own)
        if asked.numbered:
            screen["sentence"] = 1 + before
    if "context" in shows:
        screen["context"] = [_get_basis(campaign, place) for place in neighbours]
        # How many of them stand before this one.
        screen["before"] = before
    return screen


def prefill_marks(campaign: Campaign, task: Task, number: int) -> dict[str, Any] | None:
    """Return the marks that a screen begins with, by step; None where there are none.

    A degraded copy is another text, in which nobody has looked for errors.
    """
    given, step = campaign.material.get(MARKS), campaign.protocol.marks_step
    if not given or step is None or task.kind == "degraded":
        return None
    item = task.items[number]
    marks = given.get(item.system, {}).get(str(item.segment + 1))
    return None if marks is None else {step.name: [dict(mark) for mark in marks]}


def collect_texts(campaign: Campaign, task: Task, number: int) -> Texts:
    """Return the texts that an answer may point into, as `Protocol.check` wants them."""
    asked, item = campaign.protocol, task.items[number]
    shown = task.items if asked.contrastive else (item,)
    source = campaign.segments[item.segment].source if asked.basis == "source" else None
    return asked.name_texts([each.text for each in shown], source)


def _get_basis(campaign: Campaign, segment: int) -> str | None:
    if campaign.protocol.basis == "source":
        return campaign.segments[segment].source
    return campaign.reference_of(segment)
