"""The Python side: plain arrays in, results out."""

import numpy as np
import pytest

from metra.errors import LengthError, OptionError
from metra.meta import arrays
from metra.meta.arrays import compare, spa


def test_every_name_is_there():
    assert arrays.__all__ == ["agree", "compare", "correlate", "spa"]
    assert all(callable(getattr(arrays, name)) for name in arrays.__all__)


def test_compare_and_spa():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(5, 80)) + np.arange(5)[:, None] / 4
    noisy = gold + rng.normal(size=gold.shape)
    found = compare(gold, {"noise": rng.normal(size=gold.shape), "good": noisy})
    assert found.names == ["good", "noise"]
    assert found.p[0, 1] < 0.05
    assert spa(gold, gold) == 1
    assert spa(gold, noisy) > 0.8


def test_shapes_are_checked():
    with pytest.raises(
        LengthError, match=r"'m' has the shape \(2, 2\), the gold \(2, 3\)"
    ):
        compare(np.ones((2, 3)), {"m": np.ones((2, 2))})
    with pytest.raises(LengthError, match="expected systems × segments"):
        compare(np.ones(3), {"m": np.ones(3)})


@pytest.mark.parametrize("coef", ["acc*_eq", "pdp"])
def test_systems_are_not_compared_by_what_is_not_of_rows(coef):
    rng = np.random.default_rng(0)
    gold, first, second = rng.normal(size=(3, 5, 20)).round(1)
    with pytest.raises(OptionError, match="is not of plain rows of systems"):
        compare(gold, {"a": first, "b": second}, coef=coef, level="sys", trials=5)
