"""Campaigns that settle what another left open: close answers, and tags of several raters.

Whoever gives verdicts sees a gap in its surroundings, or a question, with what was expected
and what was answered: neither the reader nor the system. Equal cases are judged once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from metra.campaign.assignment import Task, TaskItem, make_opaque_id
from metra.campaign.campaign import FIRST, Campaign, CampaignSegment, System
from metra.campaign.judgement import build_campaign_scores, keep_latest
from metra.campaign.own_wording import freeze_wordings
from metra.campaign.protocols.registry import protocol
from metra.campaign.protocols.task_protocols import SETTLED_BY
from metra.campaign.reconciliation import build_reconciliation
from metra.campaign.settings import derive_settings
from metra.errors import CorpusError, refuse_first
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
