"""Answers as judgements: their scores, checks of imported ones, and latest revisions."""

import gc
import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from itertools import repeat
from typing import Any

from metra.campaign.assignment import BASELINE
from metra.campaign.campaign import PORTIONS, Campaign, CampaignSegment
from metra.campaign.protocols.effort import (
    compute_reading_speed,
    explain_unreadable_speed,
)
from metra.campaign.protocols.kind import KEY
from metra.campaign.protocols.registry import PROTOCOLS, protocol
from metra.errors import format_count
from metra.scores.judgement import Judgement, build_scores, find_latest
from metra.scores.judgement_jsonl import format_lines
from metra.scores.table import COUNTED, ScoreRow, Scores

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


def score_outputs(judgement: Judgement) -> list[tuple[ScoreRow, ...]]:
    """Return the rows of each of its outputs; none if they could not be judged."""
    if judgement.cannot is not None:
        return [() for _ in judgement.outputs]
    return PROTOCOLS[judgement.protocol].scores(judgement.value)


def build_campaign_scores(
    judgements: Sequence[Judgement], flags: Mapping[str, Sequence[str]] | None = None
) -> Scores:
    """Return all answers, every revision, as a table of scores."""
    judgements = add_baselines(judgements)
    return build_scores(judgements, score_outputs, whole=WHOLE, flags=flags)


def format_judgement_lines(judgements: Sequence[Judgement]) -> Iterator[str]:
    """Yield all answers, every revision, with their scores as JSON lines."""
    return format_lines(judgements, build_campaign_scores(judgements))


def check_imported(judgement: Judgement) -> Judgement:
    """Check an answer that was given elsewhere, and add its protocol's version.

    What other programs let judges say is allowed; marks must lie inside the texts.
    """
    asked = protocol(judgement.protocol)
    texts = asked.name_texts(judgement.outputs, judgement.source)
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


def join_columns(
    campaign: Campaign,
    shown: Sequence[Sequence[Mapping[str, Any]]],
    numbers: Sequence[int],
    columns: Mapping[str, Sequence[Any]],
) -> list[Judgement]:
    """Return the judgements of answers given column by column.

    `shown` are the items of each answer's task, as mappings of a `TaskItem`'s fields, and
    `numbers` which of them it is about. The columns are values, those of the tasks
    (`judge`, `task`, `kind`, `original`), and as many as there are of ids and fields `KEPT`;
    the others stay empty.
    """
    # A store may hold a hundred thousand answers: columns are joined in one call.
    settings = campaign.settings
    segments: Sequence[CampaignSegment] = campaign.segments
    if campaign.protocol.contrastive:
        first = [items[0] for items in shown]
        systems = [tuple([one["system"] for one in items]) for items in shown]
        outputs = [tuple([one["text"] for one in items]) for items in shown]
    else:
        first = [items[number] for items, number in zip(shown, numbers, strict=True)]
        systems = [(one["system"],) for one in first]
        outputs = [(one["text"],) for one in first]
    places = [one["segment"] for one in first]
    numbered = [*map(campaign.number, places)]
    kinds = columns["kind"]
    if "baseline" in kinds:
        # What a baseline shows is no segment of the campaign.
        is_baseline = [kind == "baseline" for kind in kinds]
        pairs = [*zip(is_baseline, places, numbered, strict=True)]
        places = [len(segments) if outside else place for outside, place, _ in pairs]
        numbered = [0 if outside else number for outside, _, number in pairs]
        segments = [*segments, CampaignSegment(BASELINE, None, ())]
    judged = [segments[place] for place in places]
    own: dict[str, Iterable[Any]] = {
        "id": repeat(""),
        "campaign": repeat(settings.name),
        "protocol": repeat(campaign.protocol.name),
        "protocol_version": repeat(""),
        "source_language": repeat(settings.source_language),
        "target_language": repeat(settings.target_language),
        "systems": systems,
        "document": [segment.document for segment in judged],
        "segment": numbered,
        "source": [segment.source for segment in judged],
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
    latest = find_latest(judgements)
    if len(latest) < len(judgements):
        judgements = [judgements[at] for at in latest.values()]
    return list(add_baselines(judgements))


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
    """Pause the garbage collector while many records are made.

    Of a hundred thousand answers, that takes a third of the time, and none is garbage.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def assign_blind_names(systems: Sequence[str], secret: bytes) -> dict[str, str]:
    """Return the names System 1, System 2, … in an order that depends on the secret.

    >>> sorted(assign_blind_names(["a", "b"], b"x" * 16).values())
    ['System 1', 'System 2']
    """

    def key(name: str) -> bytes:
        return hmac.digest(secret, b"blind\0" + name.encode(), "sha256")

    return {name: f"System {at}" for at, name in enumerate(sorted(systems, key=key), 1)}


def blind_judgements(
    judgements: Iterable[Judgement], names: Mapping[str, str]
) -> list[Judgement]:
    """Return judgements with other names for the systems; others keep their names."""
    if all(name == shown for name, shown in names.items()):
        return list(judgements)
    return [
        replace(one, systems=tuple(names.get(name, name) for name in one.systems))
        for one in judgements
    ]
