"""The status of a running campaign, and outputs on which its judges disagree."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from metra.campaign.agreement import ScorerAgreement, compute_agreement
from metra.campaign.assignment import Task, TaskItem, make_opaque_id
from metra.campaign.campaign import FIRST, Campaign, group_by
from metra.campaign.judgement import (
    KnownScores,
    drop_checks,
    keep_latest,
    pause_collection,
    score_each,
)
from metra.campaign.judges import build_judge_rows, flag_judges
from metra.campaign.results import group_by_scorer
from metra.campaign.settings import derive_settings
from metra.campaign.times import WORDS_PER_MINUTE
from metra.errors import CorpusError, refuse_first
from metra.scores.judgement import Judgement

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
    judgements: Iterable[Judgement], *, apart: float = APART
) -> list[Disagreement]:
    """Return outputs whose judges are at least so far apart, the farthest first."""
    shown = drop_checks(keep_latest(judgements))
    answers: dict[tuple[str, int], dict[str, Judgement]] = {}
    for one in shown:
        for system in one.systems:
            answers.setdefault((system, one.segment), {}).setdefault(one.judge, one)
    widest: dict[tuple[str, int], Disagreement] = {}
    for columns in group_by_scorer(shown):
        by_output: dict[tuple[str, int], dict[str, tuple[float, float]]] = {}
        for figure in columns.list_lines():
            scores = by_output.setdefault((figure.system, figure.segment), {})
            scores.setdefault(figure.judge, (figure.native, figure.hundred))
        for key, scores in by_output.items():
            hundreds = [hundred for _, hundred in scores.values()]
            gap = max(hundreds) - min(hundreds)
            farther = key not in widest or gap > widest[key].apart
            if len(scores) > 1 and gap >= apart and farther:
                said = tuple(answers[key][judge] for judge in scores)
                both = said, tuple(scores.values())
                widest[key] = Disagreement(*key, columns.scorer, gap, *both)
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


@dataclass(frozen=True, slots=True)
class JudgeStatus:
    """One judge's work so far; figures are None while there is too little."""

    judge: str
    answers: int
    changed: int
    cannot: int
    comments: int
    active_minutes: float
    #: Median active seconds of an answer.
    seconds: float | None
    too_fast: int
    degraded: int
    noticed: int
    repeats: int
    same: float | None
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CampaignStatus:
    """The whole campaign so far."""

    answers: int
    active_minutes: float
    judges: dict[str, JudgeStatus]
    agreement: Sequence[ScorerAgreement]
    #: Judges' names and what they wrote, the newest first.
    comments: Sequence[Judgement]


@pause_collection()
def compute_status(judgements: Iterable[Judgement]) -> CampaignStatus:
    """Return the status; agreement has no intervals, which would take time."""
    everything = list(judgements)
    kept = keep_latest(everything)
    unchecked = drop_checks(kept)
    known: KnownScores = {}
    scores = group_by_scorer(unchecked, score_each(unchecked, known))
    rows = build_judge_rows(kept, scores, WORDS_PER_MINUTE, known)
    reasons = flag_judges(rows)
    changed = Counter(one.judge for one in everything if one.revision > 1)
    judges = {}
    for judge, answers in group_by(kept, lambda one: one.judge).items():
        row = next((row for row in rows if row.judge == judge), None)
        times = [one.active_ms / 1000 for one in answers if one.active_ms is not None]
        judges[judge] = JudgeStatus(
            judge,
            len(answers),
            changed[judge],
            sum(one.cannot is not None for one in answers),
            sum(bool(one.comment) for one in answers),
            sum(times) / 60,
            median(times) if times else None,
            row.speed.too_fast if row else 0,
            row.degraded if row else 0,
            row.noticed if row else 0,
            row.repeats if row else 0,
            row.same if row else None,
            tuple(reasons.get(judge, ())),
        )
    said = [one for one in kept if one.comment or one.cannot]
    return CampaignStatus(
        len(kept),
        sum(one.active_minutes for one in judges.values()),
        judges,
        compute_agreement(scores, trials=0),
        sorted(said, key=lambda one: -(one.submitted_at or 0)),
    )
