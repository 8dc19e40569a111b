"""Scores of Spark's DataFrames, classic or of Spark Connect.

`metra.spark.score(df, ["bleu"], hypothesis="mt", reference="ref", group_by="lp")` gives
results, `metra.spark.add_scores` the DataFrame with a column of scores for each segment.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metra.scoring.results import Results


def score(df: Any, metrics: Sequence[str], **options: Any) -> "Results":
    """Score a DataFrame where its rows are, with the digits of this machine.

    `options` are those of `metra.score_table`: `hypothesis`, `reference`, `source`,
    `document`, `nulls`, `group_by`, `scores_out` and others.
    """
    from metra.scoring.tables import score_table

    return score_table(df, metrics, **options)


def add_scores(df: Any, metrics: Sequence[str], **options: Any) -> Any:
    """Give the DataFrame with a column of scores for each metric and system: `bleu/mt`.

    Spark computes it when it is used; metrics that weigh by the whole table (NIST, LTV) have
    its rows counted before. `options` name columns, as those of `score` do.
    """
    from metra.scoring.executors import spark
    from metra.scoring.tables import make_plan_builder

    frame, plan = spark.plan_frame(
        df, make_plan_builder(metrics, segments=True, **options)
    )
    return spark.add_scores(frame, plan)
