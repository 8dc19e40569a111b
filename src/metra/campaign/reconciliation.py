"""Raters' tags and choices brought together: campaigns that settle tags, files of names,
terms and the gold standard."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from statistics import fmean
from typing import Any, NamedTuple

from metra.campaign.campaign import SAMPLE, Campaign
from metra.campaign.judgement import drop_checks, keep_latest
from metra.campaign.protocols.answers import KEY
from metra.campaign.protocols.registry import protocol
from metra.campaign.protocols.task_protocols import SETTLED_BY
from metra.campaign.settings import derive_settings
from metra.errors import CorpusError, format_count
from metra.formats.annotations.table import BETWEEN
from metra.formats.table import replace_line_breaks, write_table
from metra.scores.judgement import Judgement


def write_annotations(
    judgements: Sequence[Judgement], campaign: Campaign | None = None
) -> tuple[str, str] | None:
    """Return name and content of the file that tags make for a metric; None without tags.

    Where names were looked for again, the campaign has all names.
    """
    name = judgements[0].protocol if judgements else ""
    if name == "entity-check":
        if campaign is None:
            return None
        listed = campaign.material.get("entities", {})
        return "entities.tsv", write_checked_entities(judgements, listed)
    if name.startswith("entity-"):
        return "entities.tsv", write_entities(judgements)
    if name.startswith("term-"):
        return "terms.tsv", write_terms(judgements)
    return None


def write_entities(judgements: Iterable[Judgement]) -> str:
    """Return a table of names: segment, document, type and text."""
    rows = (
        (one.segment, one.document, tag["type"], tag["text"])
        for one, tag in _collect_tags(judgements)
    )
    return write_table([("segment", "document", "type", "text"), *rows])


def write_checked_entities(
    judgements: Iterable[Judgement], names: Mapping[str, Sequence[Sequence[str]]]
) -> str:
    """Return a table of names, by segment from 1, with the other forms that were found."""
    forms = collect_accepted_forms(judgements)
    rows = (
        (segment, kind, text, BETWEEN.join(forms.get((int(segment), kind, text), ())))
        for segment, listed in names.items()
        for kind, text in listed
    )
    return write_table([("segment", "type", "text", "variants"), *rows])


def collect_accepted_forms(
    judgements: Iterable[Judgement],
) -> dict[tuple[int, str, str], list[str]]:
    """Return the other forms of each name, by segment, type and text.

    A form counts if more than half of those who looked at its output found the name there.
    """
    looked: dict[tuple[int, str, str, str], list[str | None]] = {}
    for one in keep_latest(judgements):
        for step in one.value.values() if one.counts else ():
            key = step[KEY]
            for (kind, text), place in zip(key["names"], step["found"], strict=True):
                case = key["segment"], kind, text, one.outputs[0]
                form = None if place is None else place["text"]
                looked.setdefault(case, []).append(form)
    accepted: dict[tuple[int, str, str], list[str]] = {}
    for (segment, kind, text, _), forms in looked.items():
        if fmean(form is not None for form in forms) > 0.5:
            kept = accepted.setdefault((segment, kind, text), [])
            kept += [f for f in dict.fromkeys(forms) if f is not None and f not in kept]
    return accepted


def write_terms(judgements: Iterable[Judgement]) -> str:
    """Return a table of terms: each occurrence once, with its accepted variants."""
    rows = (
        (tag["text"], BETWEEN.join(tag.get("variants", ())), one.segment)
        for one, tag in _collect_tags(judgements)
    )
    return write_table([("term", "variants", "segment"), *rows])


def _collect_tags(
    judgements: Iterable[Judgement],
) -> list[tuple[Judgement, dict[str, str]]]:
    """Return all tags by text and place, of the one judge who has settled them."""
    kept = [one for one in keep_latest(judgements) if one.counts]
    kept.sort(key=lambda one: one.segment)
    if len({one.segment for one in kept}) < len(kept):
        judges = " and ".join(sorted({one.judge for one in kept}))
        msg = (
            f"{judges} tagged the same texts; reconcile their tags before you export "
            "them."
        )
        raise CorpusError(msg)
    steps = ((one, step) for one in kept for step in one.value.values())
    return [(one, tag) for one, step in steps for tag in step["tags"]]


Place = tuple[int, int, str]


def build_reconciliation(
    first: Campaign,
    judgements: Iterable[Judgement],
    *,
    judges: Sequence[str],
    name: str = "",
) -> Campaign:
    """Return a campaign over the same texts, in which judges keep or drop tags."""
    if first.protocol.name not in SETTLED_BY:
        msg = (
            f"{first.settings.name} is {first.protocol.name}; expected "
            f"{' or '.join(SETTLED_BY)}, whose tags can be reconciled."
        )
        raise CorpusError(msg)
    tagged = group_tags(judgements)
    if not tagged:
        msg = (
            f"{first.settings.name} has no tags yet, so there is nothing to reconcile."
        )
        raise CorpusError(msg)
    name = name or f"{first.settings.name}: agreed list"
    asked = SETTLED_BY[first.protocol.name]
    settings = derive_settings(first.settings, name, asked, judges, 1)
    settings = replace(settings, options=first.settings.options)
    candidates = []
    for segment in range(1, len(first.segments) + 1):
        votes = Counter(chain.from_iterable(tagged.get(segment, {}).values()))
        candidates.append([[*place, count] for place, count in sorted(votes.items())])
    material: dict[str, Any] = {
        "candidates": candidates,
        "raters": max(map(len, tagged.values())),
        "language": settings.target_language,
    }
    if SAMPLE in first.material:
        material[SAMPLE] = first.material[SAMPLE]
    adapted = protocol(asked, settings.options)
    return replace(first, settings=settings, protocol=adapted, material=material)


def group_tags(judgements: Iterable[Judgement]) -> dict[int, dict[str, set[Place]]]:
    """Return each rater's tags by text, counted from 1; texts without tags are included."""
    tags: dict[int, dict[str, set[Place]]] = {}
    for one in drop_checks(keep_latest(judgements)):
        for step in one.value.values():
            own = {(tag["start"], tag["end"], tag["type"]) for tag in step["tags"]}
            tags.setdefault(one.segment, {})[one.judge] = own
    return tags


class GoldChoice(NamedTuple):
    """The reference that judges chose for a segment; nobody was asked about others."""

    segment: int
    document: str
    reference: str
    votes: int
    judges: int
    text: str


def choose_gold_standard(
    judgements: Iterable[Judgement], campaign: Campaign
) -> list[GoldChoice]:
    """Return the reference with the most votes for each segment, in the order of the corpus.

    Of references with as many votes, and where a segment is not in the sample, the first
    counts. Texts are compared: the names in judgements may be hidden.
    """
    votes: dict[int, Counter[str]] = {}
    for one in drop_checks(keep_latest(judgements)):
        for step in one.value.values():
            chosen = one.outputs[step["chosen"] - 1]
            votes.setdefault(one.segment, Counter())[chosen] += 1
    asked = {campaign.number(place) for text in campaign.texts for place in text}
    missing = sorted(asked - set(votes))
    if missing:
        msg = (
            f"{campaign.settings.name}: nobody has chosen a reference for segment "
            f"{missing[0]} yet; a gold standard needs a choice for each of "
            f"{format_count(len(asked), 'segment')}."
        )
        raise CorpusError(msg)
    choices = []
    for place, segment in enumerate(campaign.segments):
        number = campaign.number(place)
        own = votes.get(number, Counter())
        texts = {system.name: system.outputs[place] for system in campaign.systems}
        best = max(texts, key=lambda name: own[texts[name]])
        counts = own[texts[best]], own.total()
        entry = GoldChoice(number, segment.document, best, *counts, texts[best])
        choices.append(entry)
    return choices


def write_gold_standard(choices: Iterable[GoldChoice]) -> str:
    """Return the chosen references, a line a segment."""
    return "".join(f"{replace_line_breaks(one.text)}\n" for one in choices)


def write_gold_choices(choices: Iterable[GoldChoice]) -> str:
    """Return a table of the choices with their votes."""
    return write_table([GoldChoice._fields, *choices])
