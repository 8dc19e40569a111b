"""Score Spark DataFrames, classic or over Spark Connect.

`metra.spark.score(df, ["bleu"], hypothesis="mt", reference="ref", group_by="lp")` returns
results; `metra.spark.add_scores` returns the DataFrame with columns of segment scores.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metra.scoring.results import Results


def score(df: Any, metrics: Sequence[str], **options: Any) -> "Results":
    """Score a DataFrame on Spark, with the same digits as on one machine.

    `options` are those of `metra.score_table`: `hypothesis`, `reference`, `source`,
    `document`, `group_by`, `scores_out` and others.
    """
    from metra.scoring.tables import score_table

    return score_table(df, metrics, **options)


def add_scores(df: Any, metrics: Sequence[str], **options: Any) -> Any:
    """Return the DataFrame with a column of scores per metric and system: `bleu/mt`.

    Spark evaluates it lazily; for metrics with corpus weights (NIST, LTV), the rows are
    counted at once. `options` name columns as in `score`.
    """
    from metra.scoring.executors import spark
    from metra.scoring.tables import build_plan

    build = partial(build_plan, metrics=metrics, segments=True, **options)
    return spark.add_scores(df, build)
