"""Systems in order, and which of them cannot be told apart.

Neighbours in the ranking are held against each other by a one-sided test: Wilcoxon's on what
both translated, as WMT did in 2025, or a bootstrap of whole documents. Too little to test on
is an answer of its own, never a cluster.

What each judge gave each system: where a ranking hangs on one person, it shows here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, TypeAlias, get_args

import numpy as np

from metra.campaign.judgement import Judgement, latest
from metra.campaign.metric_scores import worth_table
from metra.campaign.results import (
    Figure,
    Figures,
    SystemMean,
    by_system,
    figures_by_scorer,
    mean_of,
    means_of,
    numbered_units,
    that_count,
    unit_rows,
)
from metra.errors import CorpusError
from metra.meta.normalise import normalise
from metra.stats.arrays import row_means
from metra.stats.defaults import SEED, TRIALS
from metra.stats.multiplicity import clusters_neighbours, clusters_wmt, holm
from metra.stats.ranking import are_paired, p_values, rank_ranges
from metra.stats.resampling import Sample, bootstrap, refuse_wrong
from metra.stats.totals import Array

Test: TypeAlias = Literal["wilcoxon", "bootstrap"]
Rule: TypeAlias = Literal["neighbours", "all"]
#: Fewer units than these leave Wilcoxon's test without a fair limit.
LEAST = 10


@dataclass(frozen=True, slots=True)
class Ranked:
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
class Ranking:
    """All systems by one scorer, the best first."""

    scorer: str
    higher_is_better: bool
    systems: tuple[Ranked, ...]
    test: str
    #: Why there are no clusters; empty if there are.
    too_little: str = ""


@dataclass(frozen=True, slots=True)
class RankingWishes:
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


def rankings(
    judgements: Iterable[Judgement], wishes: RankingWishes | None = None
) -> list[Ranking]:
    """Rank the systems by each scorer; only what counts for systems enters."""
    figures = that_count(figures_by_scorer(latest(judgements)))
    return rankings_of(figures, wishes or RankingWishes())


def rankings_of(every: Figures, wishes: RankingWishes) -> list[Ranking]:
    """The same from scores that have been read out."""
    refuse_wrong(
        "A ranking",
        {
            f"test={wishes.test!r}": (
                wishes.test in get_args(Test),
                "wilcoxon or bootstrap",
            ),
            f"rule={wishes.rule!r}": (
                wishes.rule in get_args(Rule),
                "neighbours or all",
            ),
            f"alpha={wishes.alpha}": (0 < wishes.alpha < 1, "a share between 0 and 1"),
        },
    )
    means = means_of(
        every,
        by=wishes.by,
        level=wishes.level,
        trials=wishes.trials,
        seed=wishes.seed,
    )
    return [
        _ranking(figures, [mean for mean in means if mean.scorer == scorer], wishes)
        for (scorer, _), figures in every.items()
    ]


def _ranking(
    figures: list[Figure], means: list[SystemMean], wishes: RankingWishes
) -> Ranking:
    names = [mean.system for mean in means]
    units = numbered_units(figures, wishes.by)
    mine = by_system(figures)
    rows = [unit_rows(mine[name], units, wishes.by, ("worth",))[0] for name in names]
    values = np.stack([mean_of(row) for row in rows])
    paired = are_paired(values)
    too_little = _too_little(names, values, paired, wishes)
    p = np.full((len(names), len(names)), np.nan)
    if wishes.test == "bootstrap":
        test = f"bootstrap of {wishes.by}s, one-sided"
        if not too_little:
            p = _bootstrapped(rows, wishes)
    else:
        which = "signed-rank" if paired else "rank-sum"
        test = f"Wilcoxon {which} over {wishes.by}s, one-sided"
        if not too_little:
            p = p_values(values, paired=paired)
    if wishes.holm:
        p = _corrected(p, wishes.rule)
        test += ", Holm"
    told = not too_little
    rule = clusters_neighbours if wishes.rule == "neighbours" else clusters_wmt
    clusters = rule(p, wishes.alpha) if told else [None] * len(names)
    places = rank_ranges(p, wishes.alpha) if told else [None] * len(names)
    z = _z(figures, names)
    systems = [
        Ranked(
            mean,
            z[at],
            clusters[at],
            places[at],
            float(p[at, at + 1]) if told and at + 1 < len(names) else None,
        )
        for at, mean in enumerate(means)
    ]
    return Ranking(
        means[0].scorer, means[0].higher_is_better, tuple(systems), test, too_little
    )


def _too_little(
    names: Sequence[str], values: Array, paired: bool, wishes: RankingWishes
) -> str:
    """Say what is missing for tests between neighbours."""
    if len(names) < 2:
        return "There is one system only: nothing to tell it from."
    there = np.isfinite(values)
    for at in range(len(names) - 1):
        both = (
            int((there[at] & there[at + 1]).sum())
            if paired or wishes.test == "bootstrap"
            else int(there[at : at + 2].sum(1).min())
        )
        if both < wishes.least:
            return (
                f"Not enough data: {names[at]} and {names[at + 1]} have {both} "
                f"{wishes.by}s to compare, and the test needs {wishes.least}."
            )
    return ""


def _bootstrapped(rows: list[Array], wishes: RankingWishes) -> Array:
    """One-sided p-values of the shift method, with the same draws for all systems.

    Resampled differences, moved to the mean 0, are what chance makes of no difference
    (Noreen 1989); p is the share of them that reach the observed one.
    """
    samples = [Sample(row, mean_of) for row in rows]
    rng = np.random.default_rng(wishes.seed)
    drawn = bootstrap(samples, trials=wishes.trials, rng=rng)
    observed = [float(mean_of(row.sum(0))) for row in rows]
    p = np.full((len(rows), len(rows)), np.nan)
    for one in range(len(rows)):
        for other in range(len(rows)):
            if one != other:
                gaps = drawn[one] - drawn[other]
                gaps = gaps[np.isfinite(gaps)]
                reached = gaps - gaps.mean() >= observed[one] - observed[other] - 1e-12
                p[one, other] = (reached.sum() + 1) / (len(gaps) + 1)
    return p


def _corrected(p: Array, rule: Rule) -> Array:
    """Correct the p-values that the rule looks at: of neighbours, or of all above below."""
    found = p.copy()
    looked = (
        (np.arange(len(p) - 1), np.arange(1, len(p)))
        if rule == "neighbours"
        else np.triu_indices(len(p), 1)
    )
    found[looked] = holm(p[looked])
    return found


def _z(figures: list[Figure], names: Sequence[str]) -> list[float | None]:
    """Mean standard score of each system, judges evened out first."""
    scores = worth_table(figures, "worth")
    try:
        made, _ = normalise(scores, "worth", "z")
    except CorpusError:  # no judge used more than one value
        return [None] * len(names)
    means = dict(zip(made.systems, row_means(made.matrix("worth-z")), strict=True))
    found = [float(means[name]) for name in names]
    return [value if np.isfinite(value) else None for value in found]


@dataclass(frozen=True, slots=True)
class Cell:
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
    cells: dict[tuple[str, str], Cell]


def judge_by_system(judgements: Iterable[Judgement]) -> list[JudgeBySystem]:
    """Average what counts for systems, by judge and system."""
    return cells_of(that_count(figures_by_scorer(latest(judgements))))


def cells_of(every: Figures) -> list[JudgeBySystem]:
    """The same from scores that have been read out."""
    found = []
    for (scorer, _), figures in every.items():
        groups: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for one in figures:
            groups.setdefault((one.judge, one.system), []).append(
                (one.native, one.hundred)
            )
        cells = {
            key: Cell(len(mine), *(fmean(column) for column in zip(*mine, strict=True)))
            for key, mine in groups.items()
        }
        found.append(
            JudgeBySystem(
                scorer,
                tuple(sorted({judge for judge, _ in cells})),
                tuple(sorted({system for _, system in cells})),
                cells,
            )
        )
    return found
