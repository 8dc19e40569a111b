"""Systems ranked by the judgements of a campaign, and each judge's mean of each system.

Neighbours in the ranking are compared by a one-sided test: Wilcoxon's on what both
translated, as WMT did in 2025, or a bootstrap of whole documents. Where there is too little
data for a test, the ranking says so and has no clusters.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from metra.campaign import results
from metra.campaign.judgement import keep_latest
from metra.campaign.metric_scores import build_table
from metra.campaign.results import ScorerColumns, SystemMean
from metra.errors import format_count
from metra.scores.judgement import Judgement
from metra.scores.views import replace_values
from metra.stats.arrays import drop_nan, row_means
from metra.stats.defaults import LEAST_UNITS, SEED, TRIALS
from metra.stats.exact_tests import rank_test_p_values
from metra.stats.normalisation import scale_judges
from metra.stats.ranking import are_paired, find_clusters
from metra.stats.resampling import Sample, bootstrap_scores, check_settings
from metra.stats.significance import shifted_p_values
from metra.stats.totals import Array

Test: TypeAlias = Literal["wilcoxon", "bootstrap"]
Rule: TypeAlias = Literal["neighbours", "all"]
#: What the rules are called where metrics are ranked too.
RULES: dict[Rule, str] = {"neighbours": "neighbours", "all": "wmt"}


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

    by: Literal["segment", "document", "crossed"] = "segment"
    test: Test = "wilcoxon"
    rule: Rule = "neighbours"
    #: Whether p-values are corrected for how many there are (Holm 1979).
    holm: bool = False
    alpha: float = 0.05
    least: int = LEAST_UNITS
    level: float = 0.95
    trials: int = TRIALS
    seed: int = SEED


def rank_systems(
    judgements: Iterable[Judgement], options: RankingOptions | None = None
) -> list[HumanRanking]:
    """Rank the systems by each scorer; only what counts for systems enters."""
    scores = results.group_by_scorer(keep_latest(judgements))
    counting = results.keep_counting_scores(scores)
    return rank_from_scores(counting, options or RankingOptions())


def rank_from_scores(
    every: Iterable[ScorerColumns], options: RankingOptions
) -> list[HumanRanking]:
    """The same from scores that have been read out."""
    test, rule, alpha = options.test, options.rule, options.alpha
    check_settings(
        "A ranking",
        {
            f"test={test!r}": (test in get_args(Test), "wilcoxon or bootstrap"),
            f"rule={rule!r}": (rule in RULES, "neighbours or all"),
            f"alpha={alpha}": (0 < alpha < 1, "a share between 0 and 1"),
            f"by={options.by!r} and test={test!r}": (
                options.by != "crossed" or test == "bootstrap",
                "the bootstrap, which alone draws segments and judges",
            ),
        },
    )
    return [_rank_by_scorer(scores, options) for scores in every]


def _rank_by_scorer(scores: ScorerColumns, options: RankingOptions) -> HumanRanking:
    sums = results.sum_units(scores, options.by)
    drawing = {name: getattr(options, name) for name in ("level", "trials", "seed")}
    means = results.average_from_sums(scores, sums, **drawing)
    names = [mean.system for mean in means]
    worths = {
        scores.systems[system]: worth
        for system, (_, _, worth) in zip(sums.systems, sums.rows, strict=True)
    }
    rows = [worths[name] for name in names]
    values = np.stack([results.compute_mean(row) for row in rows])
    paired = are_paired(values)
    too_little = _explain_untested(names, values, paired, options)
    p = np.full((len(names), len(names)), np.nan)
    if options.test == "bootstrap":
        drawn_by = {"crossed": "segments and judges"}.get(options.by, f"{options.by}s")
        test = f"bootstrap of {drawn_by}, one-sided"
        if not too_little:
            # The same draws for all systems.
            samples = [Sample(row, results.compute_mean) for row in rows]
            rng = np.random.default_rng(options.seed)
            drawn = bootstrap_scores(
                samples,
                trials=options.trials,
                rng=rng,
                units=sums.crossed,
            )
            observed = [float(results.compute_mean(row.sum(0))) for row in rows]
            p = shifted_p_values(drawn, observed, "one-sided")
    else:
        which = "signed-rank" if paired else "rank-sum"
        test = f"Wilcoxon {which} over {options.by}s, one-sided"
        if not too_little:
            p = rank_test_p_values(values, paired=paired)
    if options.holm:
        test += ", Holm"
    parted = find_clusters(p, RULES[options.rule], options.alpha, correct=options.holm)
    z = _compute_z_scores(scores)
    systems = []
    for at, mean in enumerate(means):
        told: tuple[Any, Any, Any] = (None, None, None)
        if not too_little:
            p_next = float(parted.p[at, at + 1]) if at + 1 < len(means) else None
            told = parted.clusters[at], parted.ranges[at], p_next
        systems.append(HumanRank(mean, z.get(mean.system), *told))
    first = means[0]
    return HumanRanking(
        first.scorer, first.higher_is_better, tuple(systems), test, too_little
    )


def _explain_untested(
    names: Sequence[str], values: Array, paired: bool, options: RankingOptions
) -> str:
    """Say what is missing for tests between neighbours."""
    if len(names) < 2:
        return "There is only one system, so there is nothing to compare."
    there = np.isfinite(values)
    unit = "judgement" if options.by == "crossed" else options.by
    is_shared = paired or options.test == "bootstrap"
    for at in range(len(names) - 1):
        pair = there[at : at + 2]
        both = int(pair.all(0).sum() if is_shared else pair.sum(1).min())
        if both < options.least:
            return (
                f"Not enough data: {names[at]} and {names[at + 1]} have "
                f"{format_count(both, unit)} to compare; the test needs "
                f"{options.least}."
            )
    return ""


def _compute_z_scores(scores: ScorerColumns) -> dict[str, float | None]:
    """Mean standard score of each system; none where no judge used more than one value."""
    table = build_table(scores, scores.worth)
    scaled, _ = scale_judges(table.judge, table.value, "z")
    if (table.judge < 0).any() or not np.isfinite(scaled).any():
        return {}
    means = row_means(replace_values(table, scaled).matrix(scores.scorer))
    return dict(zip(table.systems, map(drop_nan, means.tolist()), strict=True))


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


def average_by_judge(every: Iterable[ScorerColumns]) -> list[JudgeBySystem]:
    """Average scores that count for systems, by judge and system."""
    tables = []
    for scores in every:
        width = len(scores.systems)
        cells = {
            (scores.judges[key // width], scores.systems[key % width]): JudgeSystemMean(
                count, native, hundred
            )
            for key, count, native, hundred in scores.average(
                scores.judge * width + scores.system
            )
        }
        judges, systems = (
            tuple(sorted(set(names))) for names in zip(*cells, strict=True)
        )
        tables.append(JudgeBySystem(scores.scorer, judges, systems, cells))
    return tables
