"""Campaigns that settle what another left open, and files of what was settled.

Whoever gives verdicts sees a gap in its surroundings, or a question, with what was expected
and what was answered: neither the reader nor the system. Equal cases are judged once.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import fmean
from typing import Any

from metra.campaign.assignment import Task, TaskItem, make_opaque_id
from metra.campaign.campaign import FIRST, SAMPLE, Campaign, CampaignSegment, System
from metra.campaign.judgement import build_campaign_scores, drop_checks, keep_latest
from metra.campaign.protocols.kind import KEY
from metra.campaign.protocols.registry import SETTLED_BY, protocol
from metra.campaign.settings import derive_settings
from metra.campaign.translations import freeze_wordings
from metra.errors import CorpusError, format_count, refuse_first
from metra.formats.annotations.table import BETWEEN
from metra.formats.table import replace_line_breaks, write_table
from metra.scores.judgement import Judgement
from metra.scores.selection import Selection
from metra.scores.table import COUNTED


def build_verdict_campaign(
    first: Campaign,
    judgements: Iterable[Judgement],
    *,
    judges: Sequence[str],
    each: int = 1,
    name: str = "",
) -> Campaign:
    """Return a campaign of the open answers, neither exact nor listed."""
    open_cases = collect_cases(judgements)
    if not open_cases:
        msg = f"{first.settings.name} has no answers that need a second look."
        raise CorpusError(msg)
    name = name or f"{first.settings.name}: close answers"
    settings = derive_settings(first.settings, name, "verdicts", judges, each)
    listed = [
        {"shown": dict(shown), "answer": answer, "of": places}
        for (answer, shown), places in open_cases.items()
    ]
    segments = (CampaignSegment("", None, ()),) * len(listed)
    system = System("answers", "mt", tuple(answer for answer, _ in open_cases))
    asked = protocol("verdicts")
    return Campaign(settings, asked, segments, (system,), {"cases": listed})


def apply_verdicts(
    judgements: Iterable[Judgement], second: Campaign, verdicts: Iterable[Judgement]
) -> list[Judgement]:
    """Return judgements with the share of second judges who accept each open answer."""
    votes: dict[int, list[bool]] = {}
    for one in keep_latest(verdicts):
        if one.counts:
            votes.setdefault(one.segment - 1, []).append(one.value["verdict"]["right"])
    decided: dict[tuple[str, str], dict[int, float]] = {}
    for number, case in enumerate(second.material["cases"]):
        for judgement, step, place in case["of"] if number in votes else ():
            decided.setdefault((judgement, step), {})[place] = fmean(votes[number])
    settled = []
    for one in keep_latest(judgements):
        value = dict(one.value)
        for step in protocol(one.protocol).steps:
            if shares := decided.get((one.id, step.name)):
                value[step.name] = step.asks.add_verdicts(value[step.name], shares)
        settled.append(replace(one, value=value))
    return settled


Case = tuple[str, tuple[tuple[str, str], ...]]


def collect_cases(judgements: Iterable[Judgement]) -> dict[Case, list[list[Any]]]:
    """Return open answers, equal ones once, with the places where they were given."""
    cases: dict[Case, list[list[Any]]] = {}
    for one in keep_latest(judgements):
        for step in protocol(one.protocol).steps:
            value = one.value.get(step.name)
            if value is None:
                continue
            for number, shown in step.asks.find_open_answers(value, one.outputs[0]):
                case = value["answers"][number], tuple(shown.items())
                cases.setdefault(case, []).append([one.id, step.name, number])
    return dict(sorted(cases.items()))


#: Protocols of campaigns that are made of another campaign's answers.
MADE_OF_OTHERS = frozenset({"verdicts", "entity-check", *SETTLED_BY.values()})


def count_open_answers(campaign: Campaign, judgements: Iterable[Judgement]) -> int:
    """Return how many answers, or tagged texts, a second judge has to look at."""
    kept = keep_latest(judgements)
    if campaign.protocol.name in SETTLED_BY:
        return len({one.segment for one in kept if one.cannot is None})
    return len(collect_cases(kept))


def build_follow_up(
    first: Campaign,
    first_id: str,
    judgements: Sequence[Judgement],
    *,
    judges: Sequence[str],
    each: int = 1,
    name: str = "",
) -> Campaign:
    """Return the campaign that settles what this one left open."""
    if not judges:
        msg = f"{first.settings.name}: a second look needs at least one judge."
        raise CorpusError(msg)
    if first.protocol.name in SETTLED_BY:
        second = build_reconciliation(first, judgements, judges=judges, name=name)
    else:
        second = build_verdict_campaign(
            first, judgements, judges=judges, each=each, name=name
        )
    material = second.material | {FIRST: first_id}
    return freeze_wordings(replace(second, material=material))


#: The rows that are compared.
_SHOWN = Selection(kinds=COUNTED | {"calibration"}, flagged="count")
#: Apart by so much of 100 is worth a look.
APART = 25.0


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One output, and what its judges say of it by the question they differ most on."""

    system: str
    segment: int
    scorer: str
    #: Between the highest and the lowest score, of 100.
    apart: float
    answers: tuple[Judgement, ...]
    #: The judges' scores, in the order of the answers: native, and between 0 and 100.
    scores: tuple[tuple[float, float], ...]

    @property
    def output(self) -> str:
        """The text that they judged."""
        first = self.answers[0]
        return first.outputs[first.systems.index(self.system)]


def find_disagreements(
    judgements: Sequence[Judgement], *, apart: float = APART
) -> list[Disagreement]:
    """Return outputs whose judges are at least so far apart, the farthest first.

    Calibration items and flagged judges are included.
    """
    scores = _SHOWN.select(build_campaign_scores(judgements))
    columns = (scores.system, scores.item, scores.scorer, scores.judge, scores.answer)
    rows = zip(
        *(column.tolist() for column in columns),
        zip(scores.value.tolist(), scores.hundred.tolist(), strict=True),
        strict=True,
    )
    by_output: dict[tuple[int, int, int], dict[int, tuple[int, tuple[float, float]]]]
    by_output = {}
    for system, item, scorer, judge, answer, values in rows:
        given = by_output.setdefault((scorer, system, item), {})
        given.setdefault(judge, (answer, values))
    widest: dict[tuple[str, int], Disagreement] = {}
    for (scorer, system, _), given in by_output.items():
        hundreds = [values[1] for _, values in given.values()]
        gap = max(hundreds) - min(hundreds)
        if len(given) < 2 or gap < apart:
            continue
        answers = tuple(judgements[answer] for answer, _ in given.values())
        key = scores.systems[system], answers[0].segment
        if key not in widest or gap > widest[key].apart:
            values = tuple(each for _, each in given.values())
            widest[key] = Disagreement(*key, scores.names[scorer], gap, answers, values)
    return sorted(
        widest.values(), key=lambda one: (-one.apart, one.segment, one.system)
    )


def build_adjudication(
    first: Campaign,
    first_id: str,
    disagreements: Sequence[Disagreement],
    *,
    judges: Sequence[str],
    name: str,
    secret: bytes,
) -> tuple[Campaign, list[Task]]:
    """Return a campaign, with tasks, in which others judge these outputs anew, blind.

    Every judge sees all of them, one by one, in an order that tells nothing.
    """
    wrong = {
        "judges compare outputs here and do not score single outputs": (
            first.protocol.contrastive
        ),
        "there are no outputs on which judges differ that much": not disagreements,
        "a second look needs at least one judge": not judges,
    }
    refuse_first(wrong, first.settings.name, CorpusError)
    asked, each = first.settings.protocol, len(judges)
    settings = derive_settings(first.settings, name, asked, judges, each)
    material = first.material | {FIRST: first_id}
    content = replace(first, settings=settings, material=material)
    places = {first.number(place): place for place in range(len(first.segments))}
    tasks = []
    for judge in judges:
        hidden = {
            make_opaque_id(secret, name, judge, one.system, one.segment): one
            for one in disagreements
        }
        for position, (key, one) in enumerate(sorted(hidden.items()), 1):
            item_id = make_opaque_id(secret, name, judge, "output", key)
            item = TaskItem(item_id, one.system, places[one.segment], one.output)
            tasks.append(Task(key, judge, position, "judged", (item,)))
    return content, tasks


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


def choose_gold_standard(
    judgements: Iterable[Judgement], campaign: Campaign
) -> list[str]:
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
    for place in range(len(campaign.segments)):
        own = votes.get(campaign.number(place), Counter())
        texts = [system.outputs[place] for system in campaign.systems]
        choices.append(max(texts, key=own.__getitem__))
    return choices


def write_gold_standard(choices: Iterable[str]) -> str:
    """Return the chosen references, a line a segment."""
    return "".join(f"{replace_line_breaks(text)}\n" for text in choices)
