"""Answers as judgements: their scores, checks of imported ones, and latest revisions."""

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from metra.campaign.assignment import BASELINE, Task
from metra.campaign.campaign import PORTIONS, Campaign
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
    if not speeds:
        return judgements
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


def score_each(
    judgements: Sequence[Judgement],
) -> Iterator[list[tuple[OutputScore, ...]]]:
    """Yield the scores of each; answers that share a value are scored once."""
    known: dict[tuple[str, int], list[tuple[OutputScore, ...]]] = {}
    for one in judgements:
        if one.cannot is not None:
            yield score_outputs(one)
            continue
        key = one.protocol, id(one.value)
        scores = known.get(key)
        if scores is None:
            scores = known[key] = score_outputs(one)
        yield scores


def score_judgements(judgements: Iterable[Judgement]) -> list[ScoredJudgement]:
    """Return the last revisions with their scores, as the writers of files take them."""
    return score_kept(keep_latest(judgements))


def score_kept(kept: Sequence[Judgement]) -> list[ScoredJudgement]:
    """Return judgements with their scores."""
    return [
        ScoredJudgement(one, scores, protocol(one.protocol).whole)
        for one, scores in zip(kept, score_each(kept), strict=True)
    ]


def list_lacking(kept: Sequence[Judgement]) -> list[ScoredJudgement]:
    """Return judgements that lack a score, with their scores."""
    return [
        ScoredJudgement(one, outputs)
        for one, outputs in zip(kept, score_each(kept), strict=True)
        if any(scored.reason for scores in outputs for scored in scores)
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


#: The fields of a judgement that are kept with an answer, in this order.
KEPT = (
    *("protocol_version", "revision", "shown_at", "first_action_at", "submitted_at"),
    *("wall_ms", "active_ms", "hidden_ms", "idle_ms", "paused_ms", "comment", "cannot"),
    *("wording", "wording_version"),
)


def record_answers(
    campaign: Campaign, answers: Iterable[tuple[Task, int, str, Any, Sequence[Any]]]
) -> list[Judgement]:
    """Return the judgements of answers that have been checked.

    An answer is its task, the number of its item, its id, its value and the fields `KEPT`.
    """
    # A store may hold a hundred thousand answers: what they share is looked up once.
    asked, settings, segments = campaign.protocol, campaign.settings, campaign.segments
    languages = settings.source_language, settings.target_language
    has_portions = PORTIONS in campaign.material
    judgements = []
    for task, number, key, value, (version, revision, *rest) in answers:
        items = task.items if asked.contrastive else (task.items[number],)
        _, system, place, _ = items[0]
        if task.kind == "baseline":
            document, segment, source = BASELINE, 0, None
        else:
            text, segment = segments[place], campaign.number(place)
            document, source = text.document, text.source
        portion = campaign.portion_of(system, place) if has_portions else None
        fields: list[Any] = [key, settings.name, asked.name, version, *languages]
        fields += (task.judge, task.id, task.kind, tuple([one[1] for one in items]))
        fields += (document, segment, source, tuple([one[3] for one in items]), value)
        fields += (revision, task.original, *rest, portion)
        judgements.append(Judgement(*fields))
    return judgements


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


@contextmanager
def pause_collection() -> Iterator[None]:
    """Keep the garbage collector from looking through what is being made, again and again.

    Of a hundred thousand answers, that takes a third of the time, and none is garbage.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
