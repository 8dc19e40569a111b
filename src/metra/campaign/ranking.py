"""Systems ranked by the judgements of a campaign, and each judge's mean of each system.

Neighbours in the ranking are compared by a one-sided test: Wilcoxon's on what both
translated, as WMT did in 2025, or a bootstrap of whole documents. Where there is too little
data for a test, the ranking says so and has no clusters.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, TypeAlias, get_args

import numpy as np

from metra.campaign.judgement import keep_latest
from metra.campaign.metric_scores import build_oriented_table
from metra.campaign.results import (
    JudgeScore,
    ScoresByScorer,
    SystemMean,
    average_systems_from_scores,
    compute_mean,
    group_by_scorer,
    group_by_system,
    keep_counting_scores,
    number_units,
    sum_units,
)
from metra.formats.scores.judgement import Judgement
from metra.formats.scores.panel import replace_values
from metra.stats.arrays import row_means
from metra.stats.defaults import SEED, TRIALS
from metra.stats.normalisation import scale_judges
from metra.stats.paired_tests import one_sided_p_values
from metra.stats.ranking import are_paired, find_clusters, rank_test_p_values
from metra.stats.resampling import Sample, bootstrap_scores, check_settings
from metra.stats.totals import Array

Test: TypeAlias = Literal["wilcoxon", "bootstrap"]
Rule: TypeAlias = Literal["neighbours", "all"]
#: What the rules are called where metrics are ranked too.
RULES: dict[Rule, str] = {"neighbours": "neighbours", "all": "wmt"}
#: Fewer units than these leave Wilcoxon's test without a fair limit.
LEAST = 10


@dataclass(frozen=True, slots=True)
class HumanRank:
    """One system of a ranking."""

    mean: SystemMean
    #: Mean of the judges' standard scores; None where no judge used more than one value.
    z: float | None
    #: None where there is not enough data.
    cluster: int | None
    #: The places that it could hold before it loses or wins for sure.
    places: tuple[int, int] | None
    #: The chance that it is no better than the next one; None for the last.
    p_next: float | None


@dataclass(frozen=True, slots=True)
class HumanRanking:
    """All systems by one scorer, the best first."""

    scorer: str
    higher_is_better: bool
    systems: tuple[HumanRank, ...]
    test: str
    #: Why there are no clusters; empty if there are.
    too_little: str = ""


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """How systems are told apart."""

    by: Literal["segment", "document"] = "segment"
    test: Test = "wilcoxon"
    rule: Rule = "neighbours"
    #: Whether p-values are corrected for how many there are (Holm 1979).
    holm: bool = False
    alpha: float = 0.05
    least: int = LEAST
    level: float = 0.95
    trials: int = TRIALS
    seed: int = SEED


def rank_systems(
    judgements: Iterable[Judgement], options: RankingOptions | None = None
) -> list[HumanRanking]:
    """Rank the systems by each scorer; only what counts for systems enters."""
    figures = keep_counting_scores(group_by_scorer(keep_latest(judgements)))
    return rank_from_scores(figures, options or RankingOptions())


def rank_from_scores(
    every: ScoresByScorer, options: RankingOptions
) -> list[HumanRanking]:
    """The same from scores that have been read out."""
    check_settings(
        "A ranking",
        {
            f"test={options.test!r}": (
                options.test in get_args(Test),
                "wilcoxon or bootstrap",
            ),
            f"rule={options.rule!r}": (
                options.rule in get_args(Rule),
                "neighbours or all",
            ),
            f"alpha={options.alpha}": (
                0 < options.alpha < 1,
                "a share between 0 and 1",
            ),
        },
    )
    means = average_systems_from_scores(
        every,
        by=options.by,
        level=options.level,
        trials=options.trials,
        seed=options.seed,
    )
    return [
        _rank_by_scorer(
            figures, [mean for mean in means if mean.scorer == scorer], options
        )
        for (scorer, _), figures in every.items()
    ]


def _rank_by_scorer(
    figures: list[JudgeScore], means: list[SystemMean], options: RankingOptions
) -> HumanRanking:
    names = [mean.system for mean in means]
    units = number_units(figures, options.by)
    mine = group_by_system(figures)
    rows = [sum_units(mine[name], units, options.by, ("worth",))[0] for name in names]
    values = np.stack([compute_mean(row) for row in rows])
    paired = are_paired(values)
    too_little = _explain_untested(names, values, paired, options)
    p = np.full((len(names), len(names)), np.nan)
    if options.test == "bootstrap":
        test = f"bootstrap of {options.by}s, one-sided"
        if not too_little:
            p = _bootstrap_p_values(rows, options)
    else:
        which = "signed-rank" if paired else "rank-sum"
        test = f"Wilcoxon {which} over {options.by}s, one-sided"
        if not too_little:
            p = rank_test_p_values(values, paired=paired)
    if options.holm:
        test += ", Holm"
    told = not too_little
    parted = find_clusters(p, RULES[options.rule], options.alpha, correct=options.holm)
    z = _compute_z_scores(figures, names)
    systems = [
        HumanRank(
            mean,
            z[place],
            parted.clusters[place] if told else None,
            parted.ranges[place] if told else None,
            float(parted.p[place, place + 1])
            if told and place + 1 < len(names)
            else None,
        )
        for place, mean in enumerate(means)
    ]
    return HumanRanking(
        means[0].scorer, means[0].higher_is_better, tuple(systems), test, too_little
    )


def _explain_untested(
    names: Sequence[str], values: Array, paired: bool, options: RankingOptions
) -> str:
    """Say what is missing for tests between neighbours."""
    if len(names) < 2:
        return "There is one system only: nothing to tell it from."
    there = np.isfinite(values)
    for at in range(len(names) - 1):
        both = (
            int((there[at] & there[at + 1]).sum())
            if paired or options.test == "bootstrap"
            else int(there[at : at + 2].sum(1).min())
        )
        if both < options.least:
            return (
                f"Not enough data: {names[at]} and {names[at + 1]} have {both} "
                f"{options.by}s to compare, and the test needs {options.least}."
            )
    return ""


def _bootstrap_p_values(rows: list[Array], options: RankingOptions) -> Array:
    """Test systems one-sided by resampling units, with the same draws for all of them."""
    drawn = bootstrap_scores(
        [Sample(row, compute_mean) for row in rows],
        trials=options.trials,
        rng=np.random.default_rng(options.seed),
    )
    return one_sided_p_values(drawn, [float(compute_mean(row.sum(0))) for row in rows])


def _compute_z_scores(
    figures: list[JudgeScore], names: Sequence[str]
) -> list[float | None]:
    """Mean standard score of each system; None where no judge used more than one value."""
    scores = build_oriented_table(figures, "worth")
    scaled, _ = scale_judges(scores.judge, scores.value, "z")
    if (scores.judge < 0).any() or not np.isfinite(scaled).any():
        return [None] * len(names)
    means = row_means(replace_values(scores, scaled).matrix("worth"))
    by_system = dict(zip(scores.systems, means.tolist(), strict=True))
    return [
        by_system[name] if by_system[name] == by_system[name] else None
        for name in names
    ]


@dataclass(frozen=True, slots=True)
class JudgeSystemMean:
    """The mean of a judge's scores of a system, native and between 0 and 100."""

    items: int
    native: float
    hundred: float


@dataclass(frozen=True, slots=True)
class JudgeBySystem:
    """One scorer's means; a judge who never saw a system has no cell."""

    scorer: str
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    cells: dict[tuple[str, str], JudgeSystemMean]


def average_by_judge(judgements: Iterable[Judgement]) -> list[JudgeBySystem]:
    """Average what counts for systems, by judge and system."""
    return average_from_scores(
        keep_counting_scores(group_by_scorer(keep_latest(judgements)))
    )


def average_from_scores(every: ScoresByScorer) -> list[JudgeBySystem]:
    """The same from scores that have been read out."""
    tables = []
    for (scorer, _), figures in every.items():
        groups: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for score in figures:
            groups.setdefault((score.judge, score.system), []).append(
                (score.native, score.hundred)
            )
        cells = {
            key: JudgeSystemMean(
                len(mine), *(fmean(column) for column in zip(*mine, strict=True))
            )
            for key, mine in groups.items()
        }
        tables.append(
            JudgeBySystem(
                scorer,
                tuple(sorted({judge for judge, _ in cells})),
                tuple(sorted({system for _, system in cells})),
                cells,
            )
        )
    return tables
