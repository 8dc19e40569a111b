"""A campaign that is over, rebuilt from its judgements.

Files of judgements tell who judged which texts, not how they were shared out: settings that
nobody can know any more have their simplest values.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

from metra.campaign.assignment import BASELINE, Task, TaskItem
from metra.campaign.campaign import (
    NUMBERS,
    PORTIONS,
    Campaign,
    CampaignSegment,
    System,
    group_by,
)
from metra.campaign.protocols.registry import PROTOCOLS
from metra.campaign.settings import Settings
from metra.errors import FormatError
from metra.scores.judgement import Judgement

#: What tells segments apart: files may use a number twice.
_Place: TypeAlias = tuple[int, str, str | None]


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen and all answers to it, the oldest first."""

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
    """Group judgements by campaign; a name used twice says what sets them apart."""
    groups = group_by(
        judgements,
        lambda one: (
            one.campaign,
            one.protocol,
            f"{one.source_language}-{one.target_language}",
        ),
    )
    names = [name for name, _, _ in groups]
    return {
        name if names.count(name) == 1 else f"{name} {asked} {pair}": group
        for (name, asked, pair), group in groups.items()
    }


def rebuild_campaign(judgements: Sequence[Judgement], name: str) -> RebuiltCampaign:
    """Rebuild a campaign; all judgements follow one protocol for one pair of languages."""
    first = judgements[0]
    asked = PROTOCOLS[first.protocol]
    judges = tuple(dict.fromkeys(judgement.judge for judgement in judgements))
    # By number; those of a number in the order in which they came.
    by_number = sorted(dict.fromkeys(map(_get_place, judgements)), key=itemgetter(0))
    places = {place: index for index, place in enumerate(by_number)}
    settings = Settings(
        *(name, asked.name, first.source_language, first.target_language, judges),
        seed=0,
        each=1,
        calibration=0,
        repeats=0.0,
        degraded=0.0,
    )
    content = Campaign(
        settings,
        asked,
        tuple(CampaignSegment(document, source, ()) for _, document, source in places),
        _collect_systems(judgements, places),
        {
            NUMBERS: [number for number, _, _ in places],
            **_collect_portions(judgements, places),
        },
    )
    tasks, screens = [], []
    counts = dict.fromkeys(judges, 0)
    for answers_by_screen in _group_by_task(judgements, together=not asked.contrastive):
        first = answers_by_screen[0][0]
        counts[first.judge] += 1
        items = []
        for number, (answer, *_) in enumerate(answers_by_screen):
            place = places[_get_place(answer)]
            for output in zip(answer.systems, answer.outputs, strict=True):
                items.append(TaskItem(f"{number}", output[0], place, output[1]))
        task = Task(
            *(first.task, first.judge, counts[first.judge], first.kind),
            tuple(items),
            first.original,
        )
        tasks.append(task)
        screens += [
            Screen(task, number, _sort_revisions(answers))
            for number, answers in enumerate(answers_by_screen)
        ]
    return RebuiltCampaign(content, tuple(tasks), tuple(screens))


def _get_place(judgement: Judgement) -> _Place:
    return judgement.segment, judgement.document, judgement.source


def _collect_systems(
    judgements: Iterable[Judgement], places: dict[_Place, int]
) -> tuple[System, ...]:
    """Collect the systems with the outputs that were judged; degraded copies are nobody's."""
    kinds: dict[str, str] = {}
    outputs: dict[str, list[str]] = {}
    for judgement in judgements:
        kind = judgement.kind
        for system, output in zip(judgement.systems, judgement.outputs, strict=True):
            if system == BASELINE and kind == "baseline":
                continue
            texts = outputs.setdefault(system, [""] * len(places))
            is_special = kind in ("reference", "control")
            kinds[system] = kind if is_special else kinds.get(system, "mt")
            if kind != "degraded":
                texts[places[_get_place(judgement)]] = output
    return tuple(
        System(name, kinds[name], tuple(texts))  # type: ignore[arg-type]
        for name, texts in outputs.items()
    )


def _collect_portions(
    judgements: Iterable[Judgement], places: dict[_Place, int]
) -> dict[str, dict[str, dict[str, list[int]]]]:
    """Collect the parts of outputs that were judged, as material; nothing if all was."""
    portions: dict[str, dict[str, list[int]]] = {}
    for one in judgements:
        if one.portion is not None:
            number = str(places[_get_place(one)] + 1)
            portions.setdefault(one.systems[0], {})[number] = list(one.portion)
    return {PORTIONS: portions} if portions else {}


def _group_by_task(
    judgements: Iterable[Judgement], *, together: bool
) -> Iterable[list[list[Judgement]]]:
    """Group by task, and within a task the revisions of each screen's answer.

    Compared outputs stand on one screen, so that each has a task of its own.
    """
    tasks: dict[object, dict[object, list[Judgement]]] = {}
    for judgement in judgements:
        screen = (*_get_place(judgement), judgement.systems, judgement.outputs)
        task = (judgement.judge, judgement.task, judgement.kind, judgement.original)
        key = task if together else (*task, *screen)
        tasks.setdefault(key, {}).setdefault(screen, []).append(judgement)
    return [list(screens.values()) for screens in tasks.values()]


def _sort_revisions(answers: list[Judgement]) -> tuple[Judgement, ...]:
    if len({answer.revision for answer in answers}) < len(answers):
        last = answers[-1]
        msg = (
            f"{last.judge} has two answers with revision {last.revision} to segment "
            f"{last.segment} of {last.systems[0]} ({last.task}); expected each once."
        )
        raise FormatError(msg)
    return tuple(sorted(answers, key=lambda answer: answer.revision))
