"""Meta-evaluation of plain arrays, without tables or files."""

from collections.abc import Mapping, Sequence
from functools import partial

from numpy.typing import ArrayLike

from metra.meta.compare import DecisionRule, MetricComparison
from metra.meta.compare import compare as compare_panel
from metra.meta.correlate import CorrelationSpec
from metra.meta.options import Correction, Rule, Test
from metra.scores.table import ScoredItem, Scorer, build_score_table
from metra.scores.views import build_panel
from metra.stats.arrays import Array, check_scores
from metra.stats.correlation import Options, correlate
from metra.stats.defaults import SEED, TRIALS
from metra.stats.judge_agreement import JudgeAgreement, widen_intervals
from metra.stats.judge_agreement import agree as agree_of
from metra.stats.panel import ScorePanel
from metra.stats.power import StudyPlan, compute_error, compute_power
from metra.stats.ratings import convert_matrix
from metra.stats.significance import Sides
from metra.stats.variance import (
    STUDIES,
    RatingFactors,
    VarianceComponents,
    estimate_components,
)

__all__ = [
    "StudyPlan",
    "VarianceComponents",
    "agree",
    "compare",
    "correlate",
    "estimate_variance",
    "predict_power",
]


def compare(
    gold: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    *,
    coef: str = "pearson",
    level: str = "seg",
    group: str = "none",
    test: Test = "auto",
    sides: Sides = "two-sided",
    correction: Correction = "holm",
    alpha: float = 0.05,
    clusters: Rule = "greedy",
    trials: int | None = None,
    **options: object,
) -> MetricComparison:
    """Test differences between metrics: arrays of systems × segments, NaN if missing.

    `trials` is the number of resamples; None chooses it by the number of tests.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> gold = rng.normal(size=(6, 50))
    >>> noisy = gold + rng.normal(size=gold.shape)
    >>> found = compare(gold, {"noisy": noisy, "noise": rng.normal(size=gold.shape)})
    >>> found.names, found.clusters
    (['noisy', 'noise'], [1, 2])
    """
    given = {"draws": trials, "trials": trials or TRIALS, **options}
    chosen = Options(coef=coef, group=group, **given).check_values()  # type: ignore[arg-type]
    return compare_panel(
        panel_from_arrays(gold, metrics),
        CorrelationSpec(chosen, level),
        DecisionRule(sides, correction, alpha),
        test=test,
        clusters=clusters,
    )


def agree(
    judgements: ArrayLike,
    *,
    within: float = 1.0,
    trials: int = TRIALS,
    seed: int = SEED,
) -> JudgeAgreement:
    """Return the agreement of judges: an array of judges × units, NaN if missing.

    >>> found = agree([[1, 2, 3, 3], [1, 2, 3, 4]], trials=0)
    >>> round(found.values["alpha interval"], 3), found.values["exact"]
    (0.889, 0.75)
    """
    ratings = convert_matrix(judgements)
    measure = partial(agree_of, within=within, seed=seed)
    return widen_intervals(measure(ratings, trials=trials), ratings, measure)


def estimate_variance(
    judgements: ArrayLike,
    *,
    documents: Sequence[object] | None = None,
    studies: int = STUDIES,
    seed: int = SEED,
) -> VarianceComponents:
    """Estimate variance components: an array of systems × segments × raters, NaN if missing.

    `documents` names the document of each segment. `studies` is the number of simulated
    studies for intervals.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> judgements = rng.normal(0, 3, (5, 60, 1)) + rng.normal(0, 2, (5, 60, 3))
    >>> found = estimate_variance(judgements, studies=0)
    >>> round(found["system × segment"]), round(found["rating"])
    (9, 4)
    """
    factors = RatingFactors.from_array(judgements, documents)
    return estimate_components(factors, studies=studies, seed=seed)


def predict_power(
    components: VarianceComponents,
    difference: ArrayLike,
    plan: StudyPlan,
    *,
    alpha: float = 0.05,
) -> Array:
    """Return the probability that a study finds differences between two system means.

    >>> assumed = VarianceComponents({"system × segment": 100.0, "rating": 225.0})
    >>> predict_power(assumed, [2.0, 5.0], StudyPlan(300, ratings=3)).round(2).tolist()
    [0.45, 1.0]
    """
    return compute_power(difference, compute_error(components, plan), alpha=alpha)


def panel_from_arrays(gold: ArrayLike, metrics: Mapping[str, ArrayLike]) -> ScorePanel:
    """Line up arrays; systems and segments are numbered from 1."""
    g, arrays = check_scores(gold, metrics, [2])
    rows, columns = g.shape
    systems = [f"system {i + 1}" for i in range(rows) for _ in range(columns)]
    items = [ScoredItem(str(j + 1)) for _ in range(rows) for j in range(columns)]
    scorers = {Scorer(name): m.ravel() for name, m in arrays.items()}
    scores = build_score_table(
        systems, items, {Scorer("gold", "human"): g.ravel(), **scorers}
    )
    return build_panel(scores, "gold", list(metrics))
