"""Answers as judgements: their scores, checks of imported ones, and latest revisions."""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from itertools import repeat
from typing import Any, TypeAlias

from metra.campaign.assignment import BASELINE, Task
from metra.campaign.campaign import PORTIONS, Campaign
from metra.campaign.protocols.answers import KEY
from metra.campaign.protocols.registry import protocol
from metra.campaign.protocols.timed import (
    compute_reading_speed,
    explain_unreadable_speed,
)
from metra.formats.scores.judgement import (
    COUNTED,
    Judgement,
    OutputScore,
    ScoredJudgement,
)


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


#: Scores by protocol and value, as long as the values live.
KnownScores: TypeAlias = dict[tuple[str, int], list[tuple[OutputScore, ...]]]


def score_each(
    judgements: Iterable[Judgement], known: KnownScores | None = None
) -> list[list[tuple[OutputScore, ...]]]:
    """Return the scores of each; answers that share a value are scored once.

    `known` is filled, and saves scoring the same values in another call.
    """
    known = {} if known is None else known
    scored = []
    for one in judgements:
        key = one.protocol, id(one.value)
        scores = known.get(key) if one.cannot is None else []
        if not scores:
            scores = score_outputs(one)
            if one.cannot is None:
                known[key] = scores
        scored.append(scores)
    return scored


def score_judgements(judgements: Iterable[Judgement]) -> list[ScoredJudgement]:
    """Return the last revisions with their scores, as the writers of files take them."""
    return score_kept(keep_latest(judgements))


def score_kept(kept: Sequence[Judgement]) -> list[ScoredJudgement]:
    """Return judgements with their scores."""
    return [
        ScoredJudgement(one, scores, protocol(one.protocol).whole)
        for one, scores in zip(kept, score_each(kept), strict=True)
    ]


def list_lacking(
    kept: Sequence[Judgement], known: KnownScores | None = None
) -> list[ScoredJudgement]:
    """Return judgements that lack a score, with their scores."""
    scored = score_each(kept, known)
    different = {id(outputs): outputs for outputs in scored}
    lacking = {
        key
        for key, outputs in different.items()
        if any(score.reason for scores in outputs for score in scores)
    }
    if not lacking:
        return []
    return [
        ScoredJudgement(one, outputs)
        for one, outputs in zip(kept, scored, strict=True)
        if id(outputs) in lacking
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


#: The fields of a judgement that are kept with an answer.
KEPT = (
    *("protocol_version", "revision", "shown_at", "first_action_at", "submitted_at"),
    *("wall_ms", "active_ms", "hidden_ms", "idle_ms", "paused_ms", "comment", "cannot"),
    *("wording", "wording_version"),
)
#: Those of them that results are computed from.
MEASURED = ("protocol_version", "revision", "submitted_at", "active_ms", "cannot")


def record_answers(
    campaign: Campaign,
    tasks: Sequence[Task],
    numbers: Sequence[int],
    columns: Mapping[str, Iterable[Any]],
) -> list[Judgement]:
    """Return the judgements of answers that have been checked.

    An answer has a task, the number of its item and, column by column, its id, its value
    and fields `KEPT`; those that are not among the columns stay empty.
    """
    # A store may hold a hundred thousand answers: columns are joined in one call.
    asked, settings, segments = campaign.protocol, campaign.settings, campaign.segments
    if asked.contrastive:
        shown = [task.items for task in tasks]
        systems = [tuple([one[1] for one in items]) for items in shown]
        outputs = [tuple([one[3] for one in items]) for items in shown]
        first = [items[0] for items in shown]
    else:
        first = [
            task.items[number] for task, number in zip(tasks, numbers, strict=True)
        ]
        systems, outputs = [(one[1],) for one in first], [(one[3],) for one in first]
    places = [one[2] for one in first]
    # What a baseline shows is no segment of the campaign.
    of_none = (BASELINE, 0, None)
    of_segment = [
        (one.document, campaign.number(place), one.source)
        for place, one in enumerate(segments)
    ]
    texts = [
        of_none if task.kind == "baseline" else of_segment[place]
        for task, place in zip(tasks, places, strict=True)
    ]
    own: dict[str, Iterable[Any]] = {
        "campaign": repeat(settings.name),
        "protocol": repeat(asked.name),
        "source_language": repeat(settings.source_language),
        "target_language": repeat(settings.target_language),
        "judge": [task.judge for task in tasks],
        "task": [task.id for task in tasks],
        "kind": [task.kind for task in tasks],
        "systems": systems,
        "document": [text[0] for text in texts],
        "segment": [text[1] for text in texts],
        "source": [text[2] for text in texts],
        "outputs": outputs,
        "original": [task.original for task in tasks],
    }
    if PORTIONS in campaign.material:
        own["portion"] = map(campaign.portion_of, (one[1] for one in first), places)
    fields = {one.name: repeat(one.default) for one in dataclass_fields(Judgement)}
    return list(map(Judgement, *(fields | own | dict(columns)).values()))


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
    # Not by `counts`, whose calls would take most of the time.
    return [
        one
        for one in kept
        if (one.kind in COUNTED and one.cannot is None) or one.kind == "calibration"
    ]


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
