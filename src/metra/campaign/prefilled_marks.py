"""Error marks that stand in an output before its judge begins, as a program found them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from metra.campaign.assignment import Task
from metra.campaign.campaign import MARKS, Campaign
from metra.campaign.judgement import keep_latest
from metra.campaign.protocols.record import Step
from metra.errors import CorpusError, OptionError
from metra.scores.judgement import Judgement, get_marks


@dataclass(frozen=True, slots=True)
class MarkChanges:
    """Changes of a judge to the marks that their outputs came with."""

    judge: str
    answers: int
    given: int
    kept: int
    #: The same place with another severity or category.
    changed: int
    deleted: int
    added: int


def check_marks(campaign: Campaign) -> Campaign:
    """Return the campaign with tidy marks, or say which lies outside its text."""
    given = campaign.material.get(MARKS)
    if not given:
        return campaign
    name = campaign.settings.name
    step = _find_marks_step(campaign)
    if step is None:
        msg = f"{name}: {campaign.protocol.name} has no marks; remove files.marks."
        raise OptionError(msg)
    outputs = {system.name: system.outputs for system in campaign.systems}
    tidy: dict[str, dict[str, Any]] = {}
    for system, by_segment in given.items():
        if system not in outputs:
            expected = ", ".join(outputs)
            msg = f"{name}: marks for unknown system {system!r}; expected {expected}."
            raise CorpusError(msg)
        for segment, marks in by_segment.items():
            place = int(segment) - 1
            if not 0 <= place < len(campaign.segments):
                msg = (
                    f"{name}: marks in segment {segment} of {system}, but the corpus "
                    f"has {len(campaign.segments)} segments."
                )
                raise CorpusError(msg)
            texts = {"output": outputs[system][place]}
            if (source := campaign.segments[place].source) is not None:
                texts["source"] = source
            where = f"{name}: {system}, segment {segment}"
            tidy.setdefault(system, {})[segment] = step.asks.check(marks, where, texts)
    return replace(campaign, material=campaign.material | {MARKS: tidy})


def prefill_marks(campaign: Campaign, task: Task, number: int) -> dict[str, Any] | None:
    """Return the marks that a screen begins with, by step; None where there are none.

    A degraded copy is another text, in which nobody has looked for errors.
    """
    given, step = campaign.material.get(MARKS), _find_marks_step(campaign)
    if not given or step is None or task.kind == "degraded":
        return None
    item = task.items[number]
    marks = given.get(item.system, {}).get(str(item.segment + 1))
    return None if marks is None else {step.name: [dict(mark) for mark in marks]}


def count_mark_changes(
    campaign: Campaign, judgements: Iterable[Judgement]
) -> list[MarkChanges]:
    """Return what became of the marks, by judge; systems need their own names."""
    given = campaign.material.get(MARKS) or {}
    counts: dict[str, list[tuple[int, int, int, int, int]]] = {}
    for one in keep_latest(judgements):
        marks = given.get(one.systems[0], {}).get(str(one.segment))
        if marks is not None and one.cannot is None and one.kind != "degraded":
            compared = compare_marks(marks, get_marks(one))
            counts.setdefault(one.judge, []).append(compared)
    return [
        MarkChanges(judge, len(rows), *map(sum, zip(*rows, strict=True)))
        for judge, rows in sorted(counts.items())
    ]


def compare_marks(
    given: Iterable[Mapping[str, Any]], handed_in: Iterable[Mapping[str, Any]]
) -> tuple[int, int, int, int, int]:
    """Return the numbers of marks given, kept, changed, deleted and added.

    >>> old = {"start": 0, "end": 3, "severity": "minor"}
    >>> compare_marks([old], [old | {"severity": "major"}, {"start": 4, "end": 5}])
    (1, 0, 1, 0, 1)
    """
    before = [*map(_complete_mark, given)]
    after = [*map(_complete_mark, handed_in)]
    counts = []
    # Kept marks are the same in all parts, changed ones in side, start and end.
    for parts in (5, 3):
        count = len(before)
        for mark in [*before]:
            same = next((one for one in after if one[:parts] == mark[:parts]), None)
            if same is not None:
                before.remove(mark)
                after.remove(same)
        counts.append(count - len(before))
    kept, changed = counts
    return kept + changed + len(before), kept, changed, len(before), len(after)


def _complete_mark(mark: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return a mark with what it may leave out."""
    side = mark.get("side", "output")
    start, end = (0, 0) if side == "missing" else (mark["start"], mark["end"])
    return side, start, end, mark.get("severity"), mark.get("category")


def _find_marks_step(campaign: Campaign) -> Step | None:
    steps = campaign.protocol.steps
    return next((step for step in steps if step.asks.marks_errors), None)
