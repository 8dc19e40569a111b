"""Answers as judgements: their scores, checks of imported ones, and latest revisions."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from metra.campaign.assignment import BASELINE, Task
from metra.campaign.campaign import Campaign
from metra.campaign.own_wording import find_wording_version
from metra.campaign.protocols.answers import KEY
from metra.campaign.protocols.registry import protocol
from metra.campaign.protocols.timed import (
    compute_reading_speed,
    explain_unreadable_speed,
)
from metra.formats.scores.judgement import Judgement, OutputScore, ScoredJudgement


def _add_baselines(judgements: list[Judgement]) -> list[Judgement]:
    """Return judgements whose readings have the judge's speed on the baseline text.

    A baseline that nobody reads so fast says nothing about the judge.
    """
    speeds = {
        one.judge: compute_reading_speed(step)
        for one in judgements
        if one.kind == "baseline" and one.cannot is None
        for step in one.value.values()
        if step["ms"] and step[KEY]["words"] and not explain_unreadable_speed(step)
    }
    return [
        _add_speed(one, speeds[one.judge]) if one.judge in speeds else one
        for one in judgements
    ]


def _add_speed(judgement: Judgement, natural: float) -> Judgement:
    value = dict(judgement.value)
    for name, step in value.items():
        if isinstance(step, dict) and "natural" in step.get(KEY, {}):
            value[name] = step | {KEY: step[KEY] | {"natural": natural}}
    return judgement if value == judgement.value else replace(judgement, value=value)


def score_outputs(judgement: Judgement) -> list[tuple[OutputScore, ...]]:
    """Return the scores of each of its outputs; none if they could not be judged."""
    if judgement.cannot is not None:
        return [() for _ in judgement.outputs]
    return protocol(judgement.protocol).scores(judgement.value)


def score_judgements(judgements: Iterable[Judgement]) -> list[ScoredJudgement]:
    """Return the last revisions with their scores, as the writers of files take them."""
    return [
        ScoredJudgement(one, score_outputs(one), protocol(one.protocol).whole)
        for one in keep_latest(judgements)
    ]


def check_imported(judgement: Judgement) -> Judgement:
    """Check an answer that was given elsewhere, and add its protocol's version.

    What other programs let judges say is allowed; marks must lie inside the texts.
    """
    asked = protocol(judgement.protocol)
    texts = {"output": judgement.outputs[0]}
    if asked.contrastive:
        texts = {str(place): text for place, text in enumerate(judgement.outputs, 1)}
    if judgement.source is not None:
        texts["source"] = judgement.source
    value = {}
    if judgement.cannot is None:
        value = asked.relax_rules().check(judgement.value, texts)
    version = judgement.protocol_version or asked.version
    return replace(judgement, value=value, protocol_version=version)


def record_answer(
    campaign: Campaign,
    task: Task,
    value: dict[str, Any],
    *,
    id: str,
    number: int = 0,
    **more: Any,
) -> Judgement:
    """Return the judgement of an answer that has been checked."""
    asked = campaign.protocol
    language = more.get("wording", "")
    more.setdefault("wording_version", find_wording_version(campaign, language))
    items = task.items if asked.contrastive else (task.items[number],)
    segment = campaign.segments[items[0].segment]
    is_baseline = task.kind == "baseline"
    return Judgement(
        id=id,
        campaign=campaign.settings.name,
        protocol=asked.name,
        source_language=campaign.settings.source_language,
        target_language=campaign.settings.target_language,
        judge=task.judge,
        task=task.id,
        kind=task.kind,
        systems=tuple(item.system for item in items),
        document=BASELINE if is_baseline else segment.document,
        segment=0 if is_baseline else campaign.number(items[0].segment),
        source=None if is_baseline else segment.source,
        outputs=tuple(item.text for item in items),
        portion=campaign.portion_of(items[0].system, items[0].segment),
        value=value,
        original=task.original,
        **more,
    )


def keep_latest(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Return the last revision of each answer, in the order of the first ones.

    Readings are given the speed at which their judge read the baseline text.
    """
    latest: dict[tuple[str, str, int], Judgement] = {}
    for judgement in judgements:
        key = judgement.judge, judgement.task, judgement.segment
        if key not in latest or judgement.revision >= latest[key].revision:
            latest[key] = judgement
    return _add_baselines(list(latest.values()))


def drop_checks(kept: Iterable[Judgement]) -> list[Judgement]:
    """Return judgements that describe judges: all except repeated and degraded items."""
    return [one for one in kept if one.counts or one.kind == "calibration"]
