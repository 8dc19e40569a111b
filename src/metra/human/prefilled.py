"""Marks that stand in an output before its judge begins, as a program found them.

Judges keep, change, delete and add; what they did is told from what was there and what they
handed in. Zouhar et al. 2025, NAACL (ESA-AI).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from metra.errors import CorpusError, OptionError
from metra.human.campaign import MARKS, Campaign
from metra.human.judgement import Judgement, latest, marks_of
from metra.human.protocols.marks import Marks
from metra.human.protocols.record import Step
from metra.human.task import Task


@dataclass(frozen=True, slots=True)
class Changed:
    """What a judge made of the marks that were there."""

    judge: str
    answers: int
    there: int
    kept: int
    #: The same place with another severity or category.
    changed: int
    deleted: int
    added: int


def checked(campaign: Campaign) -> Campaign:
    """Give the campaign back with tidy marks, or say which does not lie inside its text."""
    given = campaign.material.get(MARKS)
    if not given:
        return campaign
    place = campaign.settings.name
    step = _step(campaign)
    if step is None:
        msg = f"{place}: {campaign.protocol.name} asks for no marks; leave files.marks out."
        raise OptionError(msg)
    outputs = {system.name: system.outputs for system in campaign.systems}
    tidy: dict[str, dict[str, Any]] = {}
    for system, by_segment in given.items():
        if system not in outputs:
            known = ", ".join(outputs)
            msg = f"{place}: there are marks of {system!r}; expected {known}."
            raise CorpusError(msg)
        for segment, marks in by_segment.items():
            at = int(segment) - 1
            if not 0 <= at < len(campaign.segments):
                msg = (
                    f"{place}: there are marks in segment {segment} of {system}; there are "
                    f"{len(campaign.segments)}, counted from 1."
                )
                raise CorpusError(msg)
            texts = {"output": outputs[system][at]}
            if campaign.segments[at].source is not None:
                texts["source"] = campaign.segments[at].source or ""
            name = f"{place}: {system}, segment {segment}"
            tidy.setdefault(system, {})[segment] = step.asks.check(marks, name, texts)
    return replace(campaign, material=campaign.material | {MARKS: tidy})


def prefilled(campaign: Campaign, task: Task, number: int) -> dict[str, Any] | None:
    """The marks that a screen begins with, by step; None where there are none.

    A spoilt copy is another text, in which nobody has looked for errors.
    """
    given, step = campaign.material.get(MARKS), _step(campaign)
    if not given or step is None or task.kind == "degraded":
        return None
    item = task.items[number]
    marks = given.get(item.system, {}).get(str(item.segment + 1))
    return None if marks is None else {step.name: [dict(mark) for mark in marks]}


def changes(campaign: Campaign, judgements: Iterable[Judgement]) -> list[Changed]:
    """Count, judge by judge, what became of the marks; systems under their own names."""
    given = campaign.material.get(MARKS) or {}
    found: dict[str, list[tuple[int, int, int, int, int]]] = {}
    for one in latest(judgements):
        marks = given.get(one.systems[0], {}).get(str(one.segment))
        if marks is not None and one.cannot is None and one.kind != "degraded":
            found.setdefault(one.judge, []).append(compared(marks, marks_of(one)))
    return [
        Changed(judge, len(mine), *(sum(column) for column in zip(*mine, strict=True)))
        for judge, mine in sorted(found.items())
    ]


def compared(
    there: Iterable[Mapping[str, Any]], handed_in: Iterable[Mapping[str, Any]]
) -> tuple[int, int, int, int, int]:
    """Count marks that were there, kept, changed, deleted and added.

    >>> old = {"start": 0, "end": 3, "severity": "minor"}
    >>> compared([old], [old | {"severity": "major"}, {"start": 4, "end": 5}])
    (1, 0, 1, 0, 1)
    """
    before = [*map(_whole, there)]
    after = [*map(_whole, handed_in)]
    kept = 0
    for mark in [*before]:
        if mark in after:
            before.remove(mark)
            after.remove(mark)
            kept += 1
    changed = 0
    for mark in [*before]:
        same = next((one for one in after if one[:3] == mark[:3]), None)
        if same is not None:
            before.remove(mark)
            after.remove(same)
            changed += 1
    count = kept + changed + len(before)
    return count, kept, changed, len(before), len(after)


def _whole(mark: Mapping[str, Any]) -> tuple[Any, ...]:
    """A mark with what it may leave out."""
    side = mark.get("side", "output")
    start, end = (0, 0) if side == "missing" else (mark["start"], mark["end"])
    return side, start, end, mark.get("severity"), mark.get("category")


def _step(campaign: Campaign) -> Step | None:
    steps = campaign.protocol.steps
    return next((step for step in steps if isinstance(step.asks, Marks)), None)
