"""Everything that a results page tells, computed anew from the judgements that are chosen."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from metra.human.files import undefined
from metra.human.judgement import Judgement, latest
from metra.judging.agreement import AgreementOn, agreement_of
from metra.judging.choosing import Chosen, chosen_of
from metra.judging.figures import figures_by_scorer, that_count
from metra.judging.flags import Rules, flags
from metra.judging.judge_by_system import JudgeBySystem, cells_of
from metra.judging.judges import JudgeRow, judges_of, plain
from metra.judging.ranking import Ranking, RankingWishes, rankings_of
from metra.judging.times import TimeTable, times_of

#: Draws for the intervals of agreement, which take longer than all the rest.
AGREEMENT_TRIALS = 200


@dataclass(frozen=True, slots=True)
class Summary:
    """The answers to all questions under one choice."""

    judgements: int
    #: How many answers there are without the choice.
    of: int
    rankings: Sequence[Ranking]
    judges: Sequence[JudgeRow]
    flags: dict[str, list[str]]
    judge_by_system: Sequence[JudgeBySystem]
    agreement: Sequence[AgreementOn]
    times: TimeTable | None
    #: How often a system has no score, by system, scorer and reason.
    undefined: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is chosen, how systems are told apart, and when judges are flagged."""

    choice: Chosen = field(default_factory=Chosen)
    ranking: RankingWishes = field(default_factory=RankingWishes)
    rules: Rules = field(default_factory=Rules)


def summary(judgements: Iterable[Judgement], wishes: Wishes | None = None) -> Summary:
    """Answer everything from the same judgements."""
    wishes = wishes or Wishes()
    kept = latest(judgements)
    mine = chosen_of(kept, wishes.choice, wishes.rules)
    figures = figures_by_scorer(plain(mine))
    counted = that_count(figures)
    rows = judges_of(mine, figures, wishes.rules.words_per_minute)
    trials = min(wishes.ranking.trials, AGREEMENT_TRIALS)
    return Summary(
        len(mine),
        len(kept),
        rankings_of(counted, wishes.ranking),
        rows,
        flags(rows, wishes.rules),
        cells_of(counted),
        agreement_of(figures, trials=trials, seed=wishes.ranking.seed),
        times_of(mine),
        undefined.by_system(mine),
    )
