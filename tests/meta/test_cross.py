"""Scorers against each other, on the cells that two of them share."""

import math

import numpy as np
import pytest
from tests.panels import scores_of

from metra.errors import CorpusError
from metra.meta.correlate import cross_correlate, report_cross
from metra.meta.options import CrossOptions
from metra.stats.correlation import Options

GOLD = np.array([[1.0, 4, 2], [3, math.nan, 8], [2, 9, 5], [7, 1, math.nan]])
A = np.array([[2.0, 4, 1], [3, 3, 9], [1, 8, math.nan], [8, 2, 5]])
B = -np.array([[1.0, 5, 2], [math.nan, 3, 6], [2, 9, 5], [6, 1, 5]])


def test_coefficients_and_counts_of_shared_cells():
    names = ["gold", "a", "b"]
    columns = dict(zip(names, (GOLD, A, B), strict=True))
    scores = scores_of(GOLD, {"a": A, "b": B})
    found = cross_correlate(scores, names, "seg", Options())
    assert sorted(found.names) == sorted(names)
    # Alike ones stand side by side: b goes the other way.
    assert found.names.index("b") != 1
    for i, one in enumerate(found.names):
        for j, two in enumerate(found.names):
            both = np.isfinite(columns[one] + columns[two])
            assert found.counts[i, j] == both.sum()
            r = np.corrcoef(columns[one][both], columns[two][both])[0, 1]
            assert found.values[i, j] == pytest.approx(r)
    report = report_cross(found, CrossOptions(level="seg"))
    assert report.notes == ["Each pair shares 9 to 10 values."]


def test_pairs_that_share_too_little():
    a, b = np.full((2, 4, 3), math.nan)
    a[0], b[1] = (1, 2, 3), (4, 5, 9)
    scores = scores_of(GOLD, {"a": a, "b": b})
    found = cross_correlate(scores, ["gold", "a", "b"], "seg", Options())
    report = report_cross(found, CrossOptions(level="seg"))
    assert report.notes == [
        "Each pair shares 0 to 3 values.",
        "1 pairs share fewer than two values or are constant and have no coefficient.",
    ]
    with pytest.raises(CorpusError, match="Only one scorer was found"):
        cross_correlate(scores, ["gold"], "seg", Options())
