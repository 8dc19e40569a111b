"""A campaign that is over, put together again from its judgements.

Files of judgements tell who judged which texts, not how they were shared out: wishes that
nobody can know any more have their simplest values.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from metra.campaign.campaign import NUMBERS, Campaign, CampaignSegment, System
from metra.campaign.protocols.registry import PROTOCOLS
from metra.campaign.settings import Settings
from metra.campaign.task import BASELINE, Task, TaskItem
from metra.errors import FormatError
from metra.formats.scores.judgement import Judgement

#: What tells segments apart: files may use a number twice.
_Place: TypeAlias = tuple[int, str, str | None]


@dataclass(frozen=True, slots=True)
class Screen:
    """What stood on a screen, and all answers to it, the oldest first."""

    task: Task
    number: int
    answers: tuple[Judgement, ...]


@dataclass(frozen=True, slots=True)
class RebuiltCampaign:
    """A campaign, the tasks of its judges in their order, and what was answered."""

    campaign: Campaign
    tasks: tuple[Task, ...]
    screens: tuple[Screen, ...]


def group_by_campaign(judgements: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """Part judgements by their campaigns; a name used twice says what sets them apart."""
    found: dict[tuple[str, str, str], list[Judgement]] = {}
    for one in judgements:
        pair = f"{one.source_language}-{one.target_language}"
        found.setdefault((one.campaign, one.protocol, pair), []).append(one)
    names = [name for name, _, _ in found]
    return {
        name if names.count(name) == 1 else f"{name} {asked} {pair}": mine
        for (name, asked, pair), mine in found.items()
    }


def rebuild_campaign(judgements: Sequence[Judgement], name: str) -> RebuiltCampaign:
    """Put a campaign together; all judgements follow one protocol for one pair of languages."""
    first = judgements[0]
    asked = PROTOCOLS[first.protocol]
    judges = tuple(dict.fromkeys(one.judge for one in judgements))
    places = {place: at for at, place in enumerate(_places(judgements))}
    content = Campaign(
        Settings(
            name=name,
            protocol=asked.name,
            source_language=first.source_language,
            target_language=first.target_language,
            judges=judges,
            seed=0,
            each=1,
            calibration=0,
            repeats=0.0,
            degraded=0.0,
        ),
        asked,
        tuple(CampaignSegment(document, source, ()) for _, document, source in places),
        _systems(judgements, places),
        {NUMBERS: [number for number, _, _ in places]},
    )
    tasks, screens = [], []
    counts = dict.fromkeys(judges, 0)
    for mine in _group_by_task(judgements, together=not asked.contrastive):
        begun = mine[0][0]
        counts[begun.judge] += 1
        task = Task(
            begun.task,
            begun.judge,
            counts[begun.judge],
            begun.kind,
            tuple(
                TaskItem(f"{at}", system, places[_place(answers[0])], output)
                for at, answers in enumerate(mine)
                for system, output in zip(
                    answers[0].systems, answers[0].outputs, strict=True
                )
            ),
            begun.original,
        )
        tasks.append(task)
        screens += [
            Screen(task, number, _sort_revisions(answers))
            for number, answers in enumerate(mine)
        ]
    return RebuiltCampaign(content, tuple(tasks), tuple(screens))


def _place(judgement: Judgement) -> _Place:
    return judgement.segment, judgement.document, judgement.source


def _places(judgements: Iterable[Judgement]) -> list[_Place]:
    """All segments, by number; those of a number in the order in which they came."""
    found = dict.fromkeys(map(_place, judgements))
    return sorted(found, key=lambda place: place[0])


def _systems(
    judgements: Iterable[Judgement], places: dict[_Place, int]
) -> tuple[System, ...]:
    """Everybody who made outputs, as far as they were judged; spoilt copies are nobody's."""
    kinds: dict[str, str] = {}
    outputs: dict[str, list[str]] = {}
    for one in judgements:
        for system, output in zip(one.systems, one.outputs, strict=True):
            if system == BASELINE and one.kind == "baseline":
                continue
            mine = outputs.setdefault(system, [""] * len(places))
            special = one.kind in ("reference", "control")
            kinds[system] = one.kind if special else kinds.get(system, "mt")
            if one.kind != "degraded":
                mine[places[_place(one)]] = output
    return tuple(
        System(name, kinds[name], tuple(texts))  # type: ignore[arg-type]
        for name, texts in outputs.items()
    )


def _group_by_task(
    judgements: Iterable[Judgement], *, together: bool
) -> Iterable[list[list[Judgement]]]:
    """The screens of each task, with the revisions of each screen's answer.

    Compared outputs stand on one screen, so that each has a task of its own.
    """
    found: dict[object, dict[object, list[Judgement]]] = {}
    for one in judgements:
        screen = (*_place(one), one.systems, one.outputs)
        task = (one.judge, one.task, one.kind, one.original)
        key = task if together else (*task, *screen)
        found.setdefault(key, {}).setdefault(screen, []).append(one)
    return [list(mine.values()) for mine in found.values()]


def _sort_revisions(answers: list[Judgement]) -> tuple[Judgement, ...]:
    revisions = [one.revision for one in answers]
    if len(set(revisions)) < len(revisions):
        one = answers[-1]
        msg = (
            f"{one.judge} has two answers with revision {one.revision} to segment "
            f"{one.segment} of {one.systems[0]} ({one.task}); expected each once."
        )
        raise FormatError(msg)
    return tuple(sorted(answers, key=lambda one: one.revision))
