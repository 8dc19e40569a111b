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
from metra.campaign.protocols.registry import PROTOCOLS, protocol
from metra.campaign.protocols.timed import (
    compute_reading_speed,
    explain_unreadable_speed,
)
from metra.errors import format_count
from metra.scores import judgement_jsonl
from metra.scores.judgement import (
    Judgement,
    OutputScore,
    build_scores,
)
from metra.scores.table import COUNTED, Scores

#: The protocols that judge documents as a whole.
WHOLE = frozenset(name for name, asked in PROTOCOLS.items() if asked.whole)


def add_baselines(judgements: Sequence[Judgement]) -> Sequence[Judgement]:
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


#: The scores of each output of each answer.
AnswerScores: TypeAlias = list[list[tuple[OutputScore, ...]]]
#: Scores by protocol and value, as long as the values live.
KnownScores: TypeAlias = dict[tuple[str, int], list[tuple[OutputScore, ...]]]


def score_each(
    judgements: Iterable[Judgement], known: KnownScores | None = None
) -> AnswerScores:
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


def build_campaign_scores(
    judgements: Sequence[Judgement],
    flags: Mapping[str, Sequence[str]] | None = None,
) -> Scores:
    """Return all answers, every revision, as a table of scores."""
    scored = score_each(add_baselines(judgements))
    return build_scores(judgements, scored, whole=WHOLE, flags=flags)


def format_judgement_lines(
    judgements: Sequence[Judgement],
    flags: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[str]:
    """Yield all answers, every revision, with their scores as JSON lines."""
    scored = score_each(add_baselines(judgements))
    return judgement_jsonl.format_lines(judgements, scored, whole=WHOLE, flags=flags)


def score_judgements(
    judgements: Iterable[Judgement],
) -> tuple[list[Judgement], AnswerScores]:
    """Return the last revisions and their scores, as the writers of files take them."""
    kept = keep_latest(judgements)
    return kept, score_each(kept)


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
#: Those of them that results are computed from.
MEASURED = ("revision", "submitted_at", "active_ms", "cannot")


def record_answers(
    campaign: Campaign, answers: Iterable[tuple[Task, int, str, Any, Sequence[Any]]]
) -> list[Judgement]:
    """Return the judgements of answers that have been checked.

    An answer is its task, the number of its item, its id, its value and the fields `KEPT`.
    """
    answers = list(answers)
    tasks = [task for task, *_ in answers]
    columns: dict[str, Sequence[Any]] = {
        "task": [task.id for task in tasks],
        "judge": [task.judge for task in tasks],
        "kind": [task.kind for task in tasks],
        "original": [task.original for task in tasks],
        "id": [key for _, _, key, _, _ in answers],
        "value": [value for _, _, _, value, _ in answers],
    }
    for place, name in enumerate(KEPT):
        columns[name] = [kept[place] for *_, kept in answers]
    shown = [[item._asdict() for item in task.items] for task in tasks]
    return join_columns(campaign, shown, [number for _, number, *_ in answers], columns)


def join_columns(
    campaign: Campaign,
    shown: Sequence[Sequence[Mapping[str, Any]]],
    numbers: Sequence[int],
    columns: Mapping[str, Sequence[Any]],
) -> list[Judgement]:
    """Return the judgements of answers that are given column by column.

    `shown` are the items of each answer's task, as mappings of a `TaskItem`'s fields, and
    `numbers` which of them it is about. The columns are values, what is known of the tasks
    (`judge`, `task`, `kind`, `original`), and as many as there are of ids and fields `KEPT`;
    the others stay empty.
    """
    # A store may hold a hundred thousand answers: columns are joined in one call.
    settings, segments = campaign.settings, campaign.segments
    if campaign.protocol.contrastive:
        first = [items[0] for items in shown]
        systems = [tuple([one["system"] for one in items]) for items in shown]
        outputs = [tuple([one["text"] for one in items]) for items in shown]
    else:
        first = [items[number] for items, number in zip(shown, numbers, strict=True)]
        systems = [(one["system"],) for one in first]
        outputs = [(one["text"],) for one in first]
    places = [one["segment"] for one in first]
    kinds = columns["kind"]
    if "baseline" in kinds:
        # What a baseline shows is no segment of the campaign.
        after = len(segments)
        pairs = zip(kinds, places, strict=True)
        places = [after if kind == "baseline" else place for kind, place in pairs]
    documents = [*(one.document for one in segments), BASELINE]
    sources = [*(one.source for one in segments), None]
    named = [*map(campaign.number, range(len(segments))), 0]
    own: dict[str, Iterable[Any]] = {
        "id": repeat(""),
        "campaign": repeat(settings.name),
        "protocol": repeat(campaign.protocol.name),
        "protocol_version": repeat(""),
        "source_language": repeat(settings.source_language),
        "target_language": repeat(settings.target_language),
        "systems": systems,
        "document": [documents[place] for place in places],
        "segment": [named[place] for place in places],
        "source": [sources[place] for place in places],
        "outputs": outputs,
    }
    if PORTIONS in campaign.material:
        places = [one["segment"] for one in first]
        own["portion"] = map(
            campaign.portion_of, (one["system"] for one in first), places
        )
    fields = {one.name: repeat(one.default) for one in dataclass_fields(Judgement)}
    return list(map(Judgement, *(fields | own | dict(columns)).values()))


def keep_latest(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Return the last revision of each answer, in the order of the first ones.

    Readings are given the speed at which their judge read the baseline text.
    """
    judgements = list(judgements)
    latest = {(one.judge, one.task, one.segment): one for one in judgements}
    if len(latest) < len(judgements):
        for one in judgements:
            key = one.judge, one.task, one.segment
            if one.revision > latest[key].revision:
                latest[key] = one
    return list(add_baselines(list(latest.values())))


def drop_checks(kept: Iterable[Judgement]) -> list[Judgement]:
    """Return judgements that describe judges: all except repeated and degraded items."""
    # Not by `counts`, whose calls would take most of the time.
    return [
        one
        for one in kept
        if (one.kind in COUNTED and one.cannot is None) or one.kind == "calibration"
    ]


def describe_counts(judgements: Iterable[Judgement]) -> str:
    """Return a sentence on how much there is."""
    kept = keep_latest(judgements)
    judges = len({one.judge for one in kept})
    systems = len({name for one in kept for name in one.systems})
    return (
        f"{format_count(len(kept), 'answer')} from {format_count(judges, 'judge')} "
        f"on {format_count(systems, 'system')}."
    )


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
