"""The Python side: plain arrays in, results out."""

import numpy as np
import pytest

import metra.meta
from metra.errors import LengthError


def test_every_name_is_there():
    assert dir(metra.meta) == sorted(metra.meta.__all__)
    for name in metra.meta.__all__:
        assert getattr(metra.meta, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'corelate'"):
        _ = metra.meta.corelate


def test_compare_and_spa():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(5, 80)) + np.arange(5)[:, None] / 4
    noisy = gold + rng.normal(size=gold.shape)
    found = metra.meta.compare(
        gold, {"noise": rng.normal(size=gold.shape), "good": noisy}
    )
    assert found.names == ["good", "noise"]
    assert found.p[0, 1] < 0.05
    assert metra.meta.spa(gold, gold) == 1
    assert metra.meta.spa(gold, noisy) > 0.8


def test_shapes_are_checked():
    with pytest.raises(
        LengthError, match=r"'m' has the shape \(2, 2\), the gold \(2, 3\)"
    ):
        metra.meta.compare(np.ones((2, 3)), {"m": np.ones((2, 2))})
    with pytest.raises(LengthError, match="expected systems × segments"):
        metra.meta.compare(np.ones(3), {"m": np.ones(3)})
