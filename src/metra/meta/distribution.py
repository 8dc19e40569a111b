"""The question `distribution`: spread of each system's scores."""

import numpy as np

from metra.meta.findings import MetaReport, build_count, build_figure, build_signature
from metra.meta.judge_options import DistributionOptions
from metra.meta.question import Question
from metra.scores.selection import Selection
from metra.scores.table import Scores
from metra.scoring.table import make_table
from metra.stats.arrays import Array

_QUANTILES = (0, 0.25, 0.5, 0.75, 1)
_HEADS = ("n", "lowest", "lower quartile", "median", "upper quartile", "highest")


def ask_distribution(
    scores: Scores, selection: Selection, scorer: str, _: DistributionOptions
) -> tuple[str, dict[str, Array]]:
    """Return the values of each system, one a score, in the scorer's own unit."""
    rows = selection.select(scores).lines(scorer)
    return scorer, {
        system: rows.value[rows.system == at]
        for at, system in enumerate(rows.systems)
        if (rows.system == at).any()
    }


def report_distribution(
    answer: tuple[str, dict[str, Array]], _: DistributionOptions
) -> MetaReport:
    """Lay out quartiles and the standard deviation of each system."""
    scorer, values = answer
    lines = []
    for system, column in values.items():
        quartiles = np.quantile(column, _QUANTILES).tolist()
        spread = float(column.std(ddof=1)) if len(column) > 1 else np.nan
        figures = map(build_figure, (*quartiles, spread))
        lines.append((system, [build_count(len(column)), *figures]))
    caption = f"Distribution of {scorer} by system"
    heads = [*_HEADS, "sd"]
    table = make_table("system", heads, lines, caption=caption, name="distribution")
    return MetaReport([table], build_signature(scorer=scorer, quantiles="linear"))


QUESTION = Question(
    "distribution", "Distribution of {}", ask_distribution, report_distribution
)
