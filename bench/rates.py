"""Measure the rates of tests and intervals: `python bench/rates.py [CASES] [NAME…]`.

Every row is a design whose truth is known. Of tests, the systems or metrics are equal, and
the share of cases with any significant difference is printed, which should be 5 %; of
intervals, the share that contain the truth, which should be 95 %.
"""

import sys
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from metra.meta.arrays import agree, compare, estimate_variance, panel_from_arrays
from metra.meta.correlate import correlate_metrics, parse_specs
from metra.meta.options import RankOptions
from metra.meta.rank import ScorerRanking, rank_by_scorer
from metra.scores.table import ScoredItem, Scorer, build_score_table
from metra.stats.correlation import Options
from metra.stats.distributions import wilson_interval

Rng = np.random.Generator
Draw = Callable[[Rng], np.ndarray]


def rank(
    values: np.ndarray,
    *,
    documents: int = 0,
    **options: object,
) -> ScorerRanking:
    """Rank systems × segments, or systems × segments × judges, NaN where missing."""
    values = values if values.ndim == 3 else values[..., None]
    systems, segments, count = values.shape
    items = [
        ScoredItem(str(at), f"d{at * documents // segments}" if documents else "")
        for at in range(segments)
    ]
    cells = list(product(range(systems), range(segments), range(count)))
    cells = [cell for cell in cells if np.isfinite(values[cell])]
    scores = build_score_table(
        [f"s{system}" for system, *_ in cells],
        [items[segment] for _, segment, _ in cells],
        {Scorer("da", "human"): [values[cell] for cell in cells]},
        [f"j{judge}" for *_, judge in cells],
    )
    return rank_by_scorer(scores, "da", RankOptions(trials=300, **options))  # type: ignore[arg-type]


def differ(ranking: ScorerRanking) -> bool:
    """Return True if any two systems differ."""
    return any(size != (1, len(ranking.systems)) for size in ranking.ranges)


def normal(*shape: int) -> Draw:
    """Draw normal values."""
    return lambda rng: rng.normal(size=shape)


def penalties(*shape: int) -> Draw:
    """Draw sums of penalties as MQM has them: most are zero, some large."""
    return lambda rng: rng.poisson(0.6, shape) * rng.choice([1.0, 5.0], shape)


def nested(systems: int, documents: int, segments: int) -> Draw:
    """Draw systems that vary from document to document."""

    def draw(rng: Rng) -> np.ndarray:
        spread = rng.normal(size=(systems, documents, 1))
        values = spread + rng.normal(size=(systems, documents, segments))
        return values.reshape(systems, -1)

    return draw


def shapes(rng: Rng) -> np.ndarray:
    """Draw two systems with equal means, one of them skewed."""
    return np.array([rng.normal(size=100), rng.exponential(size=100) - 1])


def gaps(shared: int, first: int, second: int) -> Draw:
    """Draw two systems with shared segments, and others with more spread of one."""

    def draw(rng: Rng) -> np.ndarray:
        values = np.full((2, shared + first + second), np.nan)
        values[0, : shared + first] = rng.normal(size=shared + first)
        values[1, :shared] = rng.normal(0, 3, shared)
        values[1, shared + first :] = rng.normal(0, 3, second)
        return values

    return draw


def judged(judges: int, segments: int, lean: float, *, each: int = 0) -> Draw:
    """Draw two systems whose judges favour one or the other; `each` judges a segment."""

    def draw(rng: Rng) -> np.ndarray:
        values = rng.normal(size=(2, segments, judges))
        values += lean * rng.normal(size=(2, 1, judges)) + rng.normal(
            size=(2, segments, 1)
        )
        if each:
            for at in range(segments):
                values[:, at, rng.permutation(judges)[each:]] = np.nan
        return values

    return draw


TESTS: dict[str, tuple[Draw, dict[str, object]]] = {
    "2 systems, 40 segments": (normal(2, 40), {}),
    "2 systems, 12 segments": (normal(2, 12), {}),
    "2 systems, 6 segments": (normal(2, 6), {}),
    "10 systems, 40 segments": (normal(10, 40), {}),
    "10 systems, penalties of 60 segments": (penalties(10, 60), {}),
    "2 systems, other shape, 100 segments": (shapes, {}),
    "the same, --test signed-rank": (shapes, {"test": "signed-rank"}),
    "3 systems, 20 documents of 10": (nested(3, 20, 10), {"documents": 20}),
    "3 systems, 12 documents of 10": (nested(3, 12, 10), {"documents": 12}),
    "the same, --set over=document": (
        nested(3, 12, 10),
        {"documents": 12, "unit": "document"},
    ),
    "40 shared segments, 60 others": (gaps(40, 0, 60), {}),
    "no shared segment, 15 and 120": (gaps(0, 15, 120), {}),
    "5 systems, --like wmt25": (normal(5, 40), {"like": "wmt25"}),
    "5 systems, average ranks": (normal(5, 40), {"by": "arr"}),
    "5 systems, wins": (normal(5, 40), {"by": "wins"}),
    "6 judges who lean, these judges": (judged(6, 30, 0.5), {}),
    "the same, --set over=crossed": (judged(6, 30, 0.5), {"unit": "crossed"}),
    "the same, --test bootstrap": (
        judged(6, 30, 0.5),
        {"unit": "crossed", "test": "bootstrap"},
    ),
    "6 judges, none leans, crossed": (judged(6, 30, 0.0), {"unit": "crossed"}),
    "12 judges, 2 a segment, crossed": (
        judged(12, 60, 0.5, each=2),
        {"unit": "crossed"},
    ),
}
#: Draws, options of the ranking, and the true mean of the first system.
MEANS: dict[str, tuple[Draw, dict[str, object], float]] = {
    "mean, 40 segments": (normal(1, 40), {}, 0.0),
    "mean, 12 segments": (normal(1, 12), {}, 0.0),
    "mean, penalties of 60 segments": (penalties(1, 60), {}, 1.8),
    "mean, 20 documents of 10": (nested(1, 20, 10), {"documents": 20}, 0.0),
    "mean, 12 documents of 10": (nested(1, 12, 10), {"documents": 12}, 0.0),
    "mean, 6 judges, crossed": (judged(6, 30, 0.5), {"unit": "crossed"}, 0.0),
}


def draw_metrics(
    rng: Rng, systems: int, segments: int, count: int
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Draw a gold and equally good metrics, which like systems for no reason of quality."""
    quality = rng.normal(size=(systems, 1))
    hard = rng.normal(size=(1, segments))
    gold = quality + hard + 2 * rng.normal(size=(systems, segments))
    metrics = {
        f"m{at}": quality
        + hard
        + 0.5 * rng.normal(size=(systems, 1))
        + 2 * rng.normal(size=(systems, segments))
        for at in range(count)
    }
    return gold, metrics


def test_metrics(rng: Rng, test: str, level: str, coef: str) -> bool:
    """Return True if three equal metrics are said to differ."""
    gold, metrics = draw_metrics(rng, 12, 60, 3)
    found = compare(gold, metrics, level=level, coef=coef, test=test, trials=400)  # type: ignore[arg-type]
    return bool(found.better.any())


METRIC_TESTS = {
    "3 metrics, Williams, 12 systems": ("williams", "sys", "pearson"),
    "3 metrics, swaps of systems": ("perm-sys", "sys", "spearman"),
    "3 metrics, boot-both": ("boot-both", "sys", "pearson"),
}


def cover_correlation(spec: str, level: str, systems: int) -> Callable[[Rng], bool]:
    """Return a case that tells whether the interval holds the expected coefficient."""
    big = np.random.default_rng(7)
    values = []
    for _ in range(200):
        gold, metrics = draw_metrics(big, 200, 60, 1)
        values.append(_correlate(gold, metrics, spec, level, 0)[0])
    truth = float(np.mean(values))

    def run(rng: Rng) -> bool:
        gold, metrics = draw_metrics(rng, systems, 60, 1)
        _, interval = _correlate(gold, metrics, spec, level, 300)
        return interval is not None and interval[0] <= truth <= interval[1]

    return run


def _correlate(
    gold: np.ndarray,
    metrics: dict[str, np.ndarray],
    spec: str,
    level: str,
    trials: int,
) -> tuple[float, tuple[float, float] | None]:
    questions = parse_specs([spec], level, Options(trials=trials or 1))
    panel = panel_from_arrays(gold, metrics)
    result = correlate_metrics(panel, questions, trials).answers[0]["m0"]
    return result.value, result.interval


def cover_agreement(judges: int, units: int, name: str) -> Callable[[Rng], bool]:
    """Return a case of judges who differ in severity and noise: other judges are meant."""

    def draw(rng: Rng, judges: int, units: int) -> np.ndarray:
        noise = np.exp(0.5 * rng.normal(size=(judges, 1)))
        values = rng.normal(size=(1, units)) + noise * rng.normal(size=(judges, units))
        return values + 0.5 * rng.normal(size=(judges, 1))

    big = np.random.default_rng(8)
    many = [
        agree(draw(big, 60, 60), trials=0, within=1).values[name] for _ in range(60)
    ]
    truth = float(np.mean(many))

    def run(rng: Rng) -> bool:
        found = agree(draw(rng, judges, units), trials=300)
        low, high = found.intervals[name]
        return low <= truth <= high

    return run


def cover_variance(term: str) -> Callable[[Rng], bool]:
    """Return a case that tells whether the interval of a variance holds it."""

    def run(rng: Rng) -> bool:
        values = (
            rng.normal(0, 1, (8, 1, 1))
            + rng.normal(0, 2, (8, 60, 1))
            + rng.normal(0, 3, (8, 60, 3))
            + rng.normal(0, 1, (1, 1, 3))
        )
        found = estimate_variance(values, studies=200)
        low, high = found.intervals[term]
        truth = {"system": 1, "system × segment": 4, "rating": 9, "rater": 1}[term]
        return low <= truth <= high

    return run


INTERVALS: dict[str, Callable[[], Callable[[Rng], bool]]] = {
    "Pearson of systems, 12 systems": lambda: cover_correlation("pearson", "sys", 12),
    "Pearson of systems, 30 systems": lambda: cover_correlation("pearson", "sys", 30),
    "Pearson of segments": lambda: cover_correlation("pearson", "seg", 12),
    "acc_eq:item": lambda: cover_correlation("acc_eq:item", "seg", 12),
    "alpha, other judges, 6": lambda: cover_agreement(6, 60, "alpha interval"),
    "alpha, other judges, 15": lambda: cover_agreement(15, 60, "alpha interval"),
    "Pearson of judges, other judges": lambda: cover_agreement(8, 60, "mean pearson"),
    "variance of systems": lambda: cover_variance("system"),
    "variance system × segment": lambda: cover_variance("system × segment"),
    "variance of ratings": lambda: cover_variance("rating"),
    "variance of raters": lambda: cover_variance("rater"),
}


def list_cases() -> Iterator[tuple[str, float, Callable[[], Callable[[Rng], bool]]]]:
    """Return each row's name, its nominal rate, and what makes its cases."""
    for name, (draw, options) in TESTS.items():
        yield name, 5, lambda d=draw, o=options: lambda rng: differ(rank(d(rng), **o))
    for name, arguments in METRIC_TESTS.items():
        yield name, 5, lambda a=arguments: lambda rng: test_metrics(rng, *a)
    for name, (draw, options, truth) in MEANS.items():

        def make(d: Draw = draw, o: dict[str, object] = options, t: float = truth):
            def run(rng: Rng) -> bool:
                low, high = rank(d(rng), **o).intervals[0] or (np.nan, np.nan)
                return low <= t <= high

            return run

        yield name, 95, make
    for name, make_case in INTERVALS.items():
        yield name, 95, make_case


def main(arguments: list[str]) -> None:
    """Print the rate of each row, with its 95 % interval."""
    count = int(arguments[0]) if arguments else 1000
    print("| design | nominal % | rate % | of 95 % |\n| :-- | --: | --: | :-: |")
    for name, nominal, make in list_cases():
        if len(arguments) > 1 and not any(word in name for word in arguments[1:]):
            continue
        rng, run = np.random.default_rng(12345), make()
        rate = float(np.mean([run(rng) for _ in range(count)]))
        low, high = wilson_interval(rate, count) or (0, 0)
        ends = f"{100 * low:.1f}–{100 * high:.1f}"
        print(f"| {name} | {nominal:g} | {100 * rate:.1f} | {ends} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
