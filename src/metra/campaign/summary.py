"""Everything on a results page, computed from a choice of judgements, blind or not."""

import hmac
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from metra.campaign.agreement import ScorerAgreement, compute_agreement
from metra.campaign.campaign import Campaign
from metra.campaign.evaltrans import RunningScores, compute_running_scores, shows_judged
from metra.campaign.exercise import Exercise, compare_evaluators, convert_text_scores
from metra.campaign.judgement import (
    KnownScores,
    drop_checks,
    keep_latest,
    list_lacking,
    pause_collection,
    score_each,
    score_kept,
)
from metra.campaign.judges import (
    DEFAULT_RULES,
    FlagRules,
    JudgeRow,
    build_judge_rows,
    build_judge_table,
    flag_judges,
)
from metra.campaign.protocols.registry import protocol
from metra.campaign.protocols.timed import is_interrupted
from metra.campaign.ranking import (
    HumanRanking,
    JudgeBySystem,
    RankingOptions,
    average_by_judge,
    rank_from_scores,
)
from metra.campaign.results import (
    SkippedOutputs,
    TextScore,
    count_skipped,
    describe_word_counting,
    group_by_scorer,
    keep_counting_scores,
    score_texts,
    set_judges_apart,
)
from metra.campaign.times import TimeTable, build_time_table
from metra.scores.judgement import Judgement
from metra.scores.spreadsheet import count_undefined, list_undefined
from metra.stats.defaults import AGREEMENT_TRIALS

#: Answers of flagged judges count for systems, are set apart from these alone, or are left
#: out of everything.
Flagged: TypeAlias = Literal["apart", "count", "out"]


@dataclass(frozen=True, slots=True)
class JudgementFilter:
    """A choice of judgements; an empty one keeps all."""

    judges: frozenset[str] = frozenset()
    systems: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    #: Answers that came in from then on, and before then; those without a time go.
    since: float | None = None
    until: float | None = None
    #: What becomes of the answers of judges with a flag.
    flagged: Flagged = "apart"


def filter_judgements(
    judgements: Iterable[Judgement],
    choice: JudgementFilter,
    rules: FlagRules = DEFAULT_RULES,
) -> list[Judgement]:
    """Return the last revisions that the choice allows.

    Who is flagged is told from all judgements, not from those that are left. Where outputs
    were compared, the order among the chosen systems is what remains.
    """
    return _choose_judgements(keep_latest(judgements), choice, rules)


def _choose_judgements(
    kept: Sequence[Judgement], choice: JudgementFilter, rules: FlagRules
) -> list[Judgement]:
    if choice in (JudgementFilter(), JudgementFilter(flagged="count")):
        return list(kept)
    flagged: Collection[str] = ()
    if choice.flagged == "out":
        rows = build_judge_table(kept, words_per_minute=rules.words_per_minute)
        flagged = list_flagged(flag_judges(rows, rules))
    wanted = [
        one
        for one in kept
        if one.judge not in flagged
        and (not choice.judges or one.judge in choice.judges)
        and (not choice.documents or one.document in choice.documents)
        and (not choice.kinds or one.kind in choice.kinds)
        and _is_in_period(one.submitted_at, choice)
    ]
    if not choice.systems:
        return wanted
    among = (_keep_systems(one, choice.systems) for one in wanted)
    return [one for one in among if one is not None]


def _is_in_period(at: float | None, choice: JudgementFilter) -> bool:
    since, until = choice.since, choice.until
    if at is None:
        return since is None and until is None
    return (since is None or at >= since) and (until is None or at < until)


def _keep_systems(judgement: Judgement, systems: frozenset[str]) -> Judgement | None:
    """Return a judgement of some systems only; None if it then compares nothing."""
    places = [at for at, name in enumerate(judgement.systems) if name in systems]
    if len(places) == len(judgement.systems):
        return judgement
    if len(places) < 2:
        return None
    value = dict(judgement.value)
    for step in protocol(judgement.protocol).steps:
        if step.name in value:
            value[step.name] = step.asks.keep_outputs(value[step.name], places)
    return replace(
        judgement,
        systems=tuple(judgement.systems[at] for at in places),
        outputs=tuple(judgement.outputs[at] for at in places),
        value=value,
    )


@dataclass(frozen=True, slots=True)
class InterruptedAttempt:
    """An attempt with a pause: it counts, but somebody should look at it."""

    judge: str
    system: str
    document: str
    pauses: int
    hidden_seconds: float


@dataclass(frozen=True, slots=True)
class CampaignMeasurements:
    """Scores of texts, evaluators and metrics compared, and what has no score and why."""

    texts: Sequence[TextScore]
    exercise: Exercise | None
    undefined: Sequence[Sequence[str]]
    interrupted: Sequence[InterruptedAttempt]
    running: Sequence[RunningScores]
    #: How words were counted, in a sentence; empty where none were.
    words: str = ""


def compute_measurements(
    campaign: Campaign, judgements: Sequence[Judgement]
) -> CampaignMeasurements:
    """Return what a campaign's answers show besides the ranking."""
    kept = keep_latest(judgements)
    texts = score_texts(kept)
    results = convert_text_scores(texts)
    return CampaignMeasurements(
        texts,
        compare_evaluators(results) if results else None,
        list_undefined(score_kept(kept)),
        [
            InterruptedAttempt(
                *(one.judge, one.systems[0], one.document),
                *(step["pauses"], step["hidden_ms"] / 1000),
            )
            for one in kept
            for step in one.value.values()
            if isinstance(step, dict) and is_interrupted(step)
        ],
        compute_running_scores(campaign, kept)
        if shows_judged(campaign.protocol)
        else [],
        describe_word_counting(kept),
    )


@dataclass(frozen=True, slots=True)
class Summary:
    """The results of a choice of judgements."""

    #: The last revisions that were chosen.
    chosen: Sequence[Judgement]
    #: How many answers there are without the choice.
    of: int
    rankings: Sequence[HumanRanking]
    judges: Sequence[JudgeRow]
    flags: dict[str, list[str]]
    judge_by_system: Sequence[JudgeBySystem]
    agreement: Sequence[ScorerAgreement]
    #: Bootstrap draws of the intervals of agreement.
    agreement_trials: int
    times: TimeTable | None
    #: How often a system has no score, by system, scorer and reason.
    undefined: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    #: How many outputs of each system were skipped as not a translation.
    skipped: Sequence[SkippedOutputs] = ()
    #: By scorer, the ranking with flagged judges where they are set apart, else without
    #: them; none where that is the same.
    other_rankings: Mapping[str, HumanRanking] = field(default_factory=dict)

    @property
    def flagged_judges(self) -> list[str]:
        """The judges with a flag."""
        return list_flagged(self.flags)

    @property
    def judgements(self) -> int:
        """How many answers were chosen."""
        return len(self.chosen)


@dataclass(frozen=True, slots=True)
class SummaryOptions:
    """Which judgements count, how systems are ranked, and when judges are flagged."""

    choice: JudgementFilter = field(default_factory=JudgementFilter)
    ranking: RankingOptions = field(default_factory=RankingOptions)
    rules: FlagRules = field(default_factory=FlagRules)


@pause_collection()
def summarise_judgements(
    judgements: Iterable[Judgement], options: SummaryOptions | None = None
) -> Summary:
    """Return rankings, judges, agreement and times from the same judgements."""
    options = options or SummaryOptions()
    choice, rules = options.choice, options.rules
    kept = keep_latest(judgements)
    chosen = _choose_judgements(kept, choice, rules)
    unchecked = drop_checks(chosen)
    known: KnownScores = {}
    scored = score_each(unchecked, known)
    scores = group_by_scorer(unchecked, scored)
    rows = build_judge_rows(chosen, scores, rules.words_per_minute, known)
    # Who is flagged is told from all answers.
    told = rows
    if len(chosen) < len(kept):
        told = build_judge_table(kept, words_per_minute=rules.words_per_minute)
    flags = flag_judges(told, rules)
    counted = keep_counting_scores(scores)
    without, whole = set_judges_apart(counted, list_flagged(flags))
    main, others = without, whole
    if choice.flagged != "apart":
        names = {one.scorer for one in whole}
        main, others = counted, [one for one in without if one.scorer in names]
    trials = min(options.ranking.trials, AGREEMENT_TRIALS)
    return Summary(
        chosen,
        len(kept),
        rank_from_scores(main, options.ranking),
        rows,
        {row.judge: flags[row.judge] for row in rows},
        average_by_judge(counted),
        compute_agreement(scores, trials=trials, seed=options.ranking.seed),
        trials,
        build_time_table(chosen),
        count_undefined(list_lacking(unchecked, scored)),
        count_skipped(chosen),
        {one.scorer: one for one in rank_from_scores(others, options.ranking)},
    )


def list_flagged(flags: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the judges with a flag."""
    return [judge for judge, reasons in flags.items() if reasons]


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
    """Return judgements with other names for the systems; what is no system keeps its name."""
    if all(name == shown for name, shown in names.items()):
        return list(judgements)
    return [
        replace(one, systems=tuple(names.get(name, name) for name in one.systems))
        for one in judgements
    ]
