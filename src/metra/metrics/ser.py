"""Sentence error rate: the share of segments that are not exactly a reference."""

import numpy as np

from metra import _core
from metra.metrics.options import Case
from metra.metrics.record import Array, Metric, metric_factory
from metra.text.preparation import make_preparation

COLUMNS = ("wrong", "segments")


@metric_factory
def ser(*, tok: str = "none", case: Case = "mixed", stem: str = "no") -> Metric:
    """Percentage of segments whose output equals none of the references. Lower is better.

    Output and reference are equal if they have the same words in the same order after
    preparation, so how much white space is between them does not matter.

    Federico 2008, lecture on MT evaluation; an old companion of the word error rate.

    Options:
        tok: how text is cut into words; none cuts at white space.
    """
    text = make_preparation(tok=tok, case=case, stem=stem)
    return Metric(
        name="ser",
        columns=COLUMNS,
        rows=lambda batch: _core.unequal_rows(batch.hits(text)),
        aggregate=aggregate,
        higher_is_better=False,
        parts=lambda totals: dict(zip(COLUMNS, totals.tolist(), strict=True)),
        settled=text.versions(),
    )


def aggregate(totals: Array) -> Array:
    """The share of wrong segments of each row of totals, in percent."""
    return 100 * totals[..., 0] / np.maximum(totals[..., 1], 1)
