"""Questions asked of plain arrays, without tables or files."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from metra.errors import LengthError
from metra.formats.scores.panel import build_panel
from metra.formats.scores.record import ScoredItem, Scorer, build_score_table
from metra.meta.compare import MetricComparison, Rule, Test
from metra.meta.compare import compare as compare_panel
from metra.meta.correlate import CorrelationSpec
from metra.stats.correlation import Options, correlate
from metra.stats.defaults import SEED, TRIALS
from metra.stats.judge_agreement import JudgeAgreement
from metra.stats.judge_agreement import agree as agree_of

__all__ = ["agree", "compare", "correlate", "spa"]
from metra.stats.panel import ScorePanel
from metra.stats.ratings import convert_matrix


def compare(
    gold: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    *,
    coef: str = "pearson",
    level: str = "seg",
    group: str = "none",
    test: Test = "auto",
    alpha: float = 0.05,
    clusters: Rule = "greedy",
    **options: object,
) -> MetricComparison:
    """Test metrics against each other: systems × segments each, NaN where missing.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> gold = rng.normal(size=(6, 50))
    >>> noisy = gold + rng.normal(size=gold.shape)
    >>> found = compare(gold, {"noisy": noisy, "noise": rng.normal(size=gold.shape)})
    >>> found.names, found.clusters
    (['noisy', 'noise'], [1, 2])
    """
    chosen = Options(coef=coef, group=group, **options).check_values()  # type: ignore[arg-type]
    question = CorrelationSpec(chosen, level)
    return compare_panel(
        panel_from_arrays(gold, metrics),
        question,
        test=test,
        alpha=alpha,
        rule=clusters,
    )


def agree(
    judgements: ArrayLike,
    *,
    within: float = 1.0,
    trials: int = TRIALS,
    seed: int = SEED,
) -> JudgeAgreement:
    """Ask how far judges agree: judges × units, NaN where a judge did not judge.

    >>> found = agree([[1, 2, 3, 3], [1, 2, 3, 4]], trials=0)
    >>> round(found.values["alpha interval"], 3), found.values["exact"]
    (0.889, 0.75)
    """
    return agree_of(convert_matrix(judgements), within=within, trials=trials, seed=seed)


def spa(gold: ArrayLike, metric: ArrayLike, **options: object) -> float:
    """Soft pairwise accuracy of one metric: systems × segments each."""
    return correlate(gold, metric, coef="spa", **options).value  # type: ignore[arg-type]


def panel_from_arrays(gold: ArrayLike, metrics: Mapping[str, ArrayLike]) -> ScorePanel:
    """Line up arrays; systems and segments are numbered from 1."""
    g = np.asarray(gold, np.float64)
    if g.ndim != 2:
        msg = f"The gold scores have the shape {g.shape}; expected systems × segments."
        raise LengthError(msg)
    columns = {Scorer("gold", "human"): g.ravel()}
    for name, metric in metrics.items():
        m = np.asarray(metric, np.float64)
        if m.shape != g.shape:
            msg = f"{name!r} has the shape {m.shape}, the gold {g.shape}; expected the same."
            raise LengthError(msg)
        columns[Scorer(name)] = m.ravel()
    systems = [f"system {i + 1}" for i in range(g.shape[0]) for _ in range(g.shape[1])]
    items = [
        ScoredItem(str(j + 1)) for _ in range(g.shape[0]) for j in range(g.shape[1])
    ]
    return build_panel(
        build_score_table(systems, items, columns), "gold", list(metrics)
    )
