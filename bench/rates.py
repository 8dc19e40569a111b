"""Measure the rates of tests and intervals: `python bench/rates.py [CASES] [NAME…]`.

Every row is a design whose truth is known. Of tests, the systems or metrics are equal, and
the share of cases with any significant difference is printed, which should be 5 %; of
intervals, the share that contain the truth, which should be 95 %.
"""

import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import numpy as np

from metra.meta.arrays import agree, compare, estimate_variance, panel_from_arrays
from metra.meta.correlate import correlate_metrics, find_p, parse_specs
from metra.meta.inference import compute_mean
from metra.meta.options import RankOptions
from metra.meta.rank import ScorerRanking, rank_by_scorer
from metra.scores.table import ScoredItem, Scorer, build_score_table
from metra.stats.correlation import Options
from metra.stats.distributions import wilson_interval
from metra.stats.resampling import Sample, compute_intervals
from metra.stats.significance import contrasts

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
    return rank_by_scorer(scores, "da", RankOptions(**{"trials": 300, **options}))  # type: ignore[arg-type]


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
    """Draw two systems whose judges favour one or the other; `each` judges a segment.

    Judges also differ in severity.
    """

    def draw(rng: Rng) -> np.ndarray:
        values = rng.normal(size=(2, segments, judges))
        values += lean * rng.normal(size=(2, 1, judges))
        values += rng.normal(size=(2, segments, 1)) + rng.normal(size=judges)
        if each:
            for at in range(segments):
                values[:, at, rng.permutation(judges)[each:]] = np.nan
        return values

    return draw


def alone(judges: int, segments: int, lean: float) -> Draw:
    """Draw two systems of which each judge judges both, on segments of their own."""

    def draw(rng: Rng) -> np.ndarray:
        values = np.full((2, judges * segments, judges), np.nan)
        for judge in range(judges):
            own = slice(judge * segments, (judge + 1) * segments)
            leaning = lean * rng.normal(size=(2, 1)) + rng.normal()
            values[:, own, judge] = leaning + rng.normal(size=(2, segments))
        return values

    return draw


def tied(*shape: int) -> Draw:
    """Draw values of which half are equal."""
    return lambda rng: np.rint(0.7 * rng.normal(size=shape))


TESTS: dict[str, tuple[Draw, dict[str, object]]] = {
    "2 systems, 40 segments": (normal(2, 40), {}),
    "2 systems, 12 segments": (normal(2, 12), {}),
    "2 systems, 6 segments": (normal(2, 6), {}),
    "10 systems, 40 segments": (normal(10, 40), {}),
    "10 systems, penalties of 60 segments": (penalties(10, 60), {}),
    "2 systems, 40 segments with ties": (tied(2, 40), {}),
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
    "6 judges who lean, --by mixed": (judged(6, 30, 0.5), {"by": "mixed"}),
    "6 judges, none leans, --by mixed": (judged(6, 30, 0.0), {"by": "mixed"}),
    "12 judges, 2 a segment, --by mixed": (
        judged(12, 60, 0.5, each=2),
        {"by": "mixed"},
    ),
    "10 judges, own segments, --by mixed": (alone(10, 6, 0.5), {"by": "mixed"}),
    "10 judges, own segments, these judges": (alone(10, 6, 0.5), {}),
    "3 systems, 12 documents of 10, --by mixed": (
        nested(3, 12, 10),
        {"documents": 12, "by": "mixed"},
    ),
    "40 shared segments, 60 others, --by mixed": (gaps(40, 30, 30), {"by": "mixed"}),
}
#: Draws, options of the ranking, and the true mean of the first system.
MEANS: dict[str, tuple[Draw, dict[str, object], float]] = {
    "mean, 40 segments": (normal(1, 40), {}, 0.0),
    "mean, 12 segments": (normal(1, 12), {}, 0.0),
    "mean, penalties of 60 segments": (penalties(1, 60), {}, 1.8),
    "mean, 20 documents of 10": (nested(1, 20, 10), {"documents": 20}, 0.0),
    "mean, 12 documents of 10": (nested(1, 12, 10), {"documents": 12}, 0.0),
    "mean, 6 judges, crossed": (judged(6, 30, 0.5), {"unit": "crossed"}, 0.0),
    "mean, 12 judges, crossed": (
        judged(12, 60, 0.5, each=2),
        {"unit": "crossed"},
        0.0,
    ),
    "mean, 6 judges, --by mixed": (judged(6, 30, 0.5), {"by": "mixed"}, 0.0),
    "mean, 12 judges, --by mixed": (judged(12, 60, 0.5, each=2), {"by": "mixed"}, 0.0),
    "mean, 10 judges with own segments, --by mixed": (
        alone(10, 6, 0.5),
        {"by": "mixed"},
        0.0,
    ),
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
    "3 metrics, williams": ("williams", "sys", "pearson"),
    "3 metrics, perm-sys, spearman": ("perm-sys", "sys", "spearman"),
    "3 metrics, perm-sys, spa": ("perm-sys", "sys", "spa"),
    "3 metrics, boot-both": ("boot-both", "sys", "pearson"),
}


def test_segments(rng: Rng, test: str, coef: str, group: str, lean: float) -> bool:
    """Return True if three equal metrics of segments are said to differ.

    Metrics that lean prefer some systems for no reason of quality.
    """
    quality, hard = rng.normal(size=(8, 1)), rng.normal(size=(1, 60))
    gold = quality + hard + 2 * rng.normal(size=(8, 60))
    metrics = {
        f"m{at}": quality
        + hard
        + lean * rng.normal(size=(8, 1))
        + 2 * rng.normal(size=(8, 60))
        for at in range(3)
    }
    options = {"coef": coef, "group": group, "test": test, "trials": 400}
    return bool(compare(gold, metrics, level="seg", **options).better.any())  # type: ignore[arg-type]


SEGMENT_TESTS = {
    "3 metrics of segments, perm-input": ("perm-input", "acc_eq", "item", 0.0),
    "3 metrics of segments, perm-input, pearson": (
        "perm-input",
        "pearson",
        "none",
        0.0,
    ),
    "3 metrics of segments, wilcoxon": ("wilcoxon", "acc_eq", "item", 0.0),
    "3 metrics of segments, perm-both": ("perm-both", "acc_eq", "item", 0.0),
    "3 metrics of segments, pairs": ("pairs", "acc_eq", "item", 0.0),
    "3 metrics that prefer systems, perm-input": ("perm-input", "acc_eq", "item", 0.5),
}


def contrast_systems(rng: Rng, test: str, segments: int) -> bool:
    """Return True if `metra compare` finds a difference of two equal systems."""
    rows = np.stack([rng.normal(size=(2, segments)), np.ones((2, segments))], axis=-1)
    samples = [Sample(each, compute_mean) for each in rows]
    _, (contrast,) = contrasts(
        samples,
        [(0, 1)],
        test=test,  # type: ignore[arg-type]
        trials=1000,
        resamples=100,
    )
    return contrast.p_value is not None and contrast.p_value < 0.05


def cover_score(method: str, segments: int) -> Callable[[Rng], bool]:
    """Return a case that tells whether the interval of a skewed system score holds it."""

    def run(rng: Rng) -> bool:
        values = rng.exponential(size=segments)
        rows = np.stack([values, np.ones(segments)], axis=-1)
        sample = Sample(rows, compute_mean)
        (interval,) = compute_intervals([sample], method=method, trials=500)  # type: ignore[arg-type]
        return interval is not None and interval[0] <= 1 <= interval[1]

    return run


def test_correlation(rng: Rng, coef: str, systems: int) -> bool:
    """Return True if unrelated scores are said to correlate."""
    gold, metric = rng.normal(size=(2, systems, 4))
    panel = panel_from_arrays(gold, {"m": metric})
    (question,) = parse_specs([coef], "sys", Options())
    result = correlate_metrics(panel, [question], 0).answers[0]["m"]
    p = find_p(question, result)
    return p is not None and p < 0.05


OTHERS: dict[str, tuple[float, Callable[[], Callable[[Rng], bool]]]] = {
    **{
        f"metra compare, {test}, {n} segments": (
            5,
            lambda test=test, n=n: lambda rng: contrast_systems(rng, test, n),
        )
        for test, n in (("ar", 12), ("ar", 40), ("bootstrap", 12), ("bootstrap", 40))
    },
    **{
        f"score, {method}, {n} segments": (95, lambda m=method, n=n: cover_score(m, n))
        for method, n in (("percentile", 20), ("percentile", 100), ("bca", 100))
    },
    **{
        f"p of {coef}, {n} systems": (
            5,
            lambda coef=coef, n=n: lambda rng: test_correlation(rng, coef, n),
        )
        for coef, n in (
            ("pearson", 6),
            ("pearson", 12),
            ("spearman", 6),
            ("spearman", 12),
        )
    },
}


@cache
def expect_correlation(spec: str, level: str) -> float:
    """Return the coefficient to expect of many systems."""
    big = np.random.default_rng(7)
    draws = (draw_metrics(big, 150, 60, 1) for _ in range(100))
    return float(np.mean([_correlate(*each, spec, level, 0)[0] for each in draws]))


def cover_correlation(spec: str, level: str, systems: int) -> Callable[[Rng], bool]:
    """Return a case that tells whether the interval holds the expected coefficient."""
    truth = expect_correlation(spec, level)

    def run(rng: Rng) -> bool:
        gold, metrics = draw_metrics(rng, systems, 60, 1)
        _, interval = _correlate(gold, metrics, spec, level, 200)
        return interval is not None and interval[0] <= truth <= interval[1]

    return run


def _correlate(
    gold: np.ndarray,
    metrics: dict[str, np.ndarray],
    spec: str,
    level: str,
    trials: int,
) -> tuple[float, tuple[float, float] | None]:
    options = Options(trials=trials or 1, p="normal")
    questions = parse_specs([spec], level, options)
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
    **{
        f"{spec} of {level}, {systems} systems": lambda a=(spec, level, systems): (
            cover_correlation(*a)
        )
        for spec, level, systems in (
            *(("pearson", "sys", n) for n in (6, 8, 12, 30)),
            *(("spearman", "sys", n) for n in (6, 8, 12, 30)),
            *(("accuracy", "sys", n) for n in (6, 8, 12, 30)),
            *(("kendall-b", "sys", 12), ("spa", "sys", 8), ("spa", "sys", 12)),
            *(("pearson", "seg", 6), ("pearson", "seg", 12), ("pearson", "seg", 30)),
            *(("acc_eq:item", "seg", 6), ("acc_eq:item", "seg", 12)),
            *(("acc*_eq:item", "seg", 12), ("kendall-b:item", "seg", 12)),
            ("pearson:sys", "seg", 12),
        )
    },
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
        # Intervals take time, but resamples of a test are needed.
        trials = 300 if options.get("test") == "bootstrap" else 1
        given = {"trials": trials, **options}
        yield name, 5, lambda d=draw, o=given: lambda rng: differ(rank(d(rng), **o))
    for name, arguments in METRIC_TESTS.items():
        yield name, 5, lambda a=arguments: lambda rng: test_metrics(rng, *a)
    for name, segment_arguments in SEGMENT_TESTS.items():
        yield name, 5, lambda a=segment_arguments: lambda rng: test_segments(rng, *a)
    for name, (nominal, make_other) in OTHERS.items():
        yield name, nominal, make_other
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
    """Print the rate of each row, with Wilson's 95 % interval of the rate."""
    count = int(arguments[0]) if arguments else 1000
    print("| design | nominal % | rate % | of 95 % | cases |")
    print("| :-- | --: | --: | :-: | --: |")
    for name, nominal, make in list_cases():
        if len(arguments) > 1 and not any(word in name for word in arguments[1:]):
            continue
        rng, run = np.random.default_rng(12345), make()
        rate = float(np.mean([run(rng) for _ in range(count)]))
        low, high = wilson_interval(rate, count) or (0, 0)
        ends = f"{100 * low:.1f}–{100 * high:.1f}"
        cells = name, f"{nominal:g}", f"{100 * rate:.1f}", ends, f"{count:,}"
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
