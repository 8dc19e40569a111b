"""The same seed gives the same digits on any number of threads, BLAS's included."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from metra.stats.permutation import _round_for_products
from metra.stats.weighted_sums import weigh_values

# Large enough that BLAS shares every product out among its threads.
PROGRAM = """
import numpy as np
from metra.meta.arrays import agree, panel_from_arrays
from metra.stats.bootstrap import bootstrap
from metra.meta.compare import compare
from metra.meta.correlate import correlate_panel, parse_specs
from metra.stats.correlation import Options
from metra.stats.pseudo_documents import JudgementCells, draw_documents
from metra.stats.panel import SegmentStatistics
from metra.stats.curves import fit_line

rng = np.random.default_rng(7)
gold = rng.normal(size=(12, 900)).round(1) / 3
metrics = {f"m{at}": gold + (at + 1) * rng.normal(size=gold.shape) for at in range(4)}
for gaps in (False, True):
    if gaps:
        gold = np.where(rng.random(gold.shape) < 0.1, np.nan, gold)
    panel = panel_from_arrays(gold, metrics)
    options = Options(trials=200, draws=200)
    for level, coef in [
        ("sys", "pearson"), ("sys", "accuracy"), ("sys", "spa"), ("sys", "kendall-b"),
        ("seg", "pearson"), ("seg", "pearson:item"), ("seg", "acc*_eq:item"),
        ("seg", "kendall-b:item"), ("seg", "acc*_eq"),
    ]:
        question = parse_specs([coef], level, options)[0]
        for name, result in correlate_panel(panel, question).items():
            print(gaps, level, coef, name, result.value.hex())
        if coef != "acc*_eq":
            drawn = bootstrap(panel, level, question.options)
            print(*(float(draws.sum()).hex() for draws in drawn.values()))
            found = compare(panel, question)
            print(found.test, *(p.hex() for p in found.p.ravel().tolist()))
        if coef == "spa":
            for test in ("perm-both", "perm-sys"):
                found = compare(panel, question, test=test)
                print(found.test, *(p.hex() for p in found.p.ravel().tolist()))
    judged = JudgementCells(
        2 * np.arange(gold.size).reshape(gold.shape),
        2 * np.isfinite(gold),
        np.nan_to_num(np.repeat(gold, 2)) + rng.normal(size=2 * gold.size),
    )
    curves = draw_documents(panel, judged, documents=200, coef="pearson")
    print([v.hex() for v in curves.judge_mean()])
    print([v.hex() for name in panel.names for v in curves.mean(name)])
rows = rng.normal(size=(5, 3000, 4))
pooled = SegmentStatistics(rows, lambda totals: totals.sum(-1)).score_weightings(
    rng.integers(0, 4, (300, 3000)).astype(float)
)
print(float(pooled.sum()).hex())
x = rng.normal(size=30_000)
print(fit_line(x, x + rng.normal(size=30_000)))
grid = np.round(rng.normal(size=2000) + rng.normal(size=(4, 2000)), 1)
print(sorted(agree(grid, trials=60).intervals.items()))
"""


@pytest.fixture(scope="module")
def said_by_one_thread():
    return said(1)


def said(threads):
    names = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "METRA_THREADS")
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | dict.fromkeys(names, str(threads)),
        capture_output=True,
        check=True,
        text=True,
    ).stdout.splitlines()


@pytest.mark.parametrize("threads", [3])
def test_threads_do_not_change_a_digit(said_by_one_thread, threads):
    assert said(threads) == said_by_one_thread
    assert len(said_by_one_thread) > 100


def test_products_do_not_depend_on_the_order_of_adding():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(5000, 3)) * [1e-9, 1.0, 1e12]
    weights = rng.integers(-3, 9, (40, 5000)).astype(float)
    found = weigh_values(weights, values)
    for _ in range(5):
        order = rng.permutation(5000)
        assert (weigh_values(weights[:, order], values[order]) == found).all()
    plain = weights @ values
    assert found == pytest.approx(plain, rel=1e-12, abs=0)


@pytest.mark.parametrize(("segments", "size"), [(7, 1.0), (500, 1e6), (2000, 1e-4)])
def test_sums_of_products_are_exact_in_every_order(segments, size):
    rng = np.random.default_rng(1)
    x = _round_for_products(size * rng.normal(size=(3, segments)))
    exact = sum(Fraction(a) * Fraction(b) for a, b in zip(x[0], x[1], strict=True))
    for order in (np.arange(segments), rng.permutation(segments)):
        assert Fraction(float((x[0, order] * x[1, order]).sum())) == exact
    # Hardly any two values fall together.
    assert len(np.unique(x)) > 0.99 * x.size
