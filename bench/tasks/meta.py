"""Meta-evaluation of 30 metrics on 15 systems and 2,000 segments, beside scipy and nlpstats."""

import time
from collections.abc import Callable
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import Any

import fresh
import numpy as np
import scipy.stats
from record import Limit

from metra.meta.arrays import panel_from_arrays
from metra.meta.compare import compare
from metra.meta.correlate import parse_specs
from metra.stats.agreement import alpha
from metra.stats.bootstrap import bootstrap
from metra.stats.correlation import Options, correlate, correlate_all
from metra.stats.panel import ScorePanel
from metra.stats.permutation import Swap, prepare_swaps
from metra.stats.pseudo_documents import JudgementCells, draw_documents
from metra.stats.ratings import convert_matrix
from metra.stats.resampling import draw_signs
from tasks.memory import STATUS, memory_now

SYSTEMS, SEGMENTS, METRICS = 15, 2_000, 30
DRAWS = 1_000


@lru_cache(maxsize=1)
def panel() -> ScorePanel:
    """A gold with ties, as MQM has, and metrics from good to poor."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=(SYSTEMS, 1))
    gold = np.minimum(0, np.round(quality + 4 * rng.normal(size=(SYSTEMS, SEGMENTS))))
    metrics = {
        f"metric {at}": gold + 4 * (at + 1) * rng.normal(size=gold.shape)
        for at in range(METRICS)
    }
    return panel_from_arrays(gold, metrics)


def coefficient(coef: str, group: str) -> None:
    made = panel()
    correlate_all(made.gold, made.metrics, Options(coef=coef, group=group))  # type: ignore[arg-type]


def tested(coef: str, level: str, test: str) -> None:
    question = parse_specs([coef], level, Options(draws=DRAWS))[0]
    compare(panel(), question, test=test)  # type: ignore[arg-type]


def drawn(coef: str, level: str) -> None:
    bootstrap(panel(), level, parse_specs([coef], level, Options())[0].options)


def documents(judges: int) -> None:
    """Nine lengths, 1,000 documents each, of cells judged so often."""
    made = panel()
    size = made.gold.size
    rng = np.random.default_rng(1)
    judged = JudgementCells(
        judges * np.arange(size).reshape(made.gold.shape),
        np.full(made.gold.shape, judges),
        np.repeat(made.gold.ravel(), judges) + rng.normal(size=judges * size),
    )
    draw_documents(made, judged)


@lru_cache(maxsize=1)
def three_judges() -> Any:
    """Real values of 20,000 units by three judges."""
    rng = np.random.default_rng(2)
    return rng.normal(size=20_000) + rng.normal(size=(3, 20_000))


def alpha_of_many() -> None:
    alpha(convert_matrix(three_judges()))


def against_krippendorff() -> list[float]:
    """How many times faster alpha of 100 units is than the library's; values must agree."""
    if find_spec("krippendorff") is None:
        return []
    import krippendorff

    few = three_judges()[:, :100]
    theirs = partial(krippendorff.alpha, few, level_of_measurement="interval")
    if abs(theirs() - alpha(convert_matrix(few))) > 1e-9:
        msg = f"alpha: {theirs()} and {alpha(convert_matrix(few))}"
        raise ValueError(msg)
    fast = min(seconds(lambda: [alpha(convert_matrix(few)) for _ in range(20)])) / 20
    return [slow / fast for slow in seconds(theirs)]


def one_long_group() -> None:
    made = panel()
    correlate(made.gold.ravel(), made.metrics["metric 0"].ravel(), coef="acc*_eq")


def long_group_peak() -> list[float]:
    """Peak memory of the same in a process of its own, in MB."""
    return [fresh.call("tasks.meta", "long_group_peak_here")] if STATUS.exists() else []


def long_group_peak_here() -> float:
    one_long_group()
    return memory_now("VmHWM")


def soft_pair() -> None:
    """One thousand exchanges of cells between two metrics, for soft pairwise accuracy."""
    exchange_two(Options(coef="spa"), "both")


def exchange_two(options: Options, swap: Swap) -> None:
    exchanges = prepare_swaps(panel(), "sys", options, swap)
    signs = draw_signs(DRAWS, exchanges.width, np.random.default_rng(options.seed))
    exchanges.after(np.concatenate([exchanges.sum_draws(s) for s in signs]))(0, 1)


def seconds(job: Callable[[], object], rounds: int = 3) -> list[float]:
    """CPU time of a job, after one round that loads what it needs."""
    panel()
    samples = []
    for _ in range(rounds):
        start = time.process_time()
        job()
        samples.append(time.process_time() - start)
    return samples


def scipys_kendall() -> float:
    """Kendall's tau-b of every segment, averaged, as scipy's users write it."""
    made = panel()
    metric = made.metrics["metric 0"]
    each = [
        scipy.stats.kendalltau(g, m)[0]
        for g, m in zip(made.gold.T, metric.T, strict=True)
    ]
    return float(np.nanmean(each))


def scipys_pearson() -> float:
    made = panel()
    metric = made.metrics["metric 0"]
    each = [
        scipy.stats.pearsonr(g, m)[0]
        for g, m in zip(made.gold.T, metric.T, strict=True)
        if len(set(g)) > 1
    ]
    return float(np.mean(each))


def against(theirs: Callable[[], float], coef: str) -> list[float]:
    """How many times faster one metric's mean over segments is; the values must agree."""
    made = panel()

    def ours() -> float:
        return correlate(
            made.gold, made.metrics["metric 0"], coef=coef, group="item"
        ).value

    if abs(theirs() - ours()) > 1e-9:
        msg = f"{coef}: {theirs()} and {ours()}"
        raise ValueError(msg)
    fast = min(seconds(lambda: [ours() for _ in range(10)])) / 10
    return [slow / fast for slow in seconds(theirs)]


def against_nlpstats() -> list[float]:
    """How many times faster a resample of system-level Pearson is than nlpstats's."""
    if find_spec("nlpstats") is None:
        return []
    from nlpstats.correlations import bootstrap as theirs

    made = panel()
    metric = made.metrics["metric 0"]

    def slow() -> Any:
        return theirs(made.gold, metric, "system", "pearson", "both", n_resamples=100)

    one = seconds(slow)
    all_of_ours = min(seconds(partial(drawn, "pearson", "sys")))
    return [(each / 100) / (all_of_ours / METRICS / 1000) for each in one]


def peak() -> list[float]:
    """Peak memory of calibration, tests and bootstrap in one process, in MB."""
    return [fresh.call("tasks.meta", "peak_here")] if STATUS.exists() else []


def peak_here() -> float:
    coefficient("acc*_eq", "item")
    tested("pearson", "seg", "perm-both")
    tested("pearson", "sys", "perm-both")
    drawn("pearson", "sys")
    drawn("acc*_eq:item", "seg")
    return memory_now("VmHWM")


def _limit(task: str, job: Callable[[], None], most: float) -> Limit:
    return Limit(
        task=f"meta: {task}, 15 x 2,000 x 30",
        measure=partial(seconds, job),
        unit="s",
        most=most,
    )


TASKS = [
    _limit("calibration of all metrics", partial(coefficient, "acc*_eq", "item"), 1.5),
    _limit("soft pairwise accuracy", partial(coefficient, "spa", "none"), 0.3),
    _limit(
        "PERM-BOTH Pearson of segments, all pairs",
        partial(tested, "pearson", "seg", "perm-both"),
        3,
    ),
    _limit(
        "PERM-BOTH Pearson of systems, all pairs",
        partial(tested, "pearson", "sys", "perm-both"),
        3,
    ),
    _limit(
        "exact pairs test and calibration, all pairs",
        partial(tested, "acc*_eq:item", "seg", "pairs"),
        2,
    ),
    _limit("BOOT-BOTH Pearson of systems", partial(drawn, "pearson", "sys"), 2),
    _limit("pseudo-documents, 9 lengths of 1,000", partial(documents, 1), 5),
    _limit("pseudo-documents, two judgements a cell", partial(documents, 2), 5),
    Limit(
        task="meta: Krippendorff's alpha of 3 x 20,000 real values",
        measure=partial(seconds, alpha_of_many),
        unit="s",
        most=0.05,
    ),
    Limit(
        task="meta: times krippendorff's speed, 3 x 100 real values",
        measure=against_krippendorff,
        unit="x",
        least=50,
    ),
    Limit(
        task="meta: calibration of one group of 30,000",
        measure=partial(seconds, one_long_group, 1),
        unit="s",
        most=10,
    ),
    Limit(
        task="meta: peak memory of that calibration",
        measure=long_group_peak,
        unit="MB",
        most=1000,
    ),
    Limit(
        task="meta: PERM-BOTH soft pairwise accuracy of two metrics",
        measure=partial(seconds, soft_pair),
        unit="s",
        most=5,
    ),
    Limit(
        task="meta: times scipy's speed, tau-b by segment",
        measure=partial(against, scipys_kendall, "kendall-b"),
        unit="x",
        least=50,
    ),
    Limit(
        task="meta: times scipy's speed, Pearson by segment",
        measure=partial(against, scipys_pearson, "pearson"),
        unit="x",
        least=200,
    ),
    Limit(
        task="meta: times nlpstats's speed, BOOT-BOTH Pearson",
        measure=against_nlpstats,
        unit="x",
        least=100,
    ),
    Limit(task="meta: peak memory", measure=peak, unit="MB", most=1000),
]
