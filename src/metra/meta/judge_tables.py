"""Tables about judges: two at a time, each alone, each with themselves, worst units."""

import numpy as np

from metra.meta.chance_agreement import cohen
from metra.meta.findings import Figure, FigureTable, number
from metra.meta.judge_pairs import SLACK, JudgePair
from metra.meta.moments import pearson
from metra.meta.ratings import Ratings

#: Of so many judgements all are shown; of more, the lowest and the highest.
MOST_SAID = 6

_FIGURES = (
    "exact",
    "within",
    "pearson",
    "spearman",
    "kendall",
    "kappa",
    "linear",
    "quadratic",
)


def pair_table(pairs: list[JudgePair], within: float, most: int) -> FigureTable:
    """One line for two judges; those who share most units first."""
    shown = pairs[:most] if most else pairs
    rows = [
        (
            f"{pair.first} – {pair.second}",
            [
                Figure(pair.n, digits=0),
                *(Figure(number(getattr(pair, name))) for name in _FIGURES),
            ],
        )
        for pair in shown
    ]
    heads = ["n", "equal", f"within {within:g}", *_FIGURES[2:]]
    return FigureTable("pairs", "judges", heads, rows, "Two judges at a time")


def judge_table(ratings: Ratings, within: float) -> FigureTable:
    """One line a judge: spread, distance from the others, correlation with their mean."""
    size = len(ratings.units)
    total = np.bincount(ratings.unit, ratings.value, size)[ratings.unit]
    others = ratings.counts[ratings.unit] - 1
    rest = (total - ratings.value) / np.maximum(others, 1)
    rows = []
    for judge, name in enumerate(ratings.judges):
        mine = ratings.judge == judge
        value = ratings.value[mine]
        both = mine & (others > 0)
        gap = ratings.value[both] - rest[both]
        near = np.abs(gap) <= within + SLACK
        figures = [
            len(value),
            float(value.mean()),
            float(value.std(ddof=1)) if len(value) > 1 else np.nan,
            float(gap.mean()) if len(gap) else np.nan,
            float(near.mean()) if len(gap) else np.nan,
            float(pearson(ratings.value[both], rest[both])),
        ]
        rows.append(
            (
                name,
                [Figure(figures[0], digits=0)]
                + [Figure(number(f)) for f in figures[1:]],
            )
        )
    heads = ["n", "mean", "sd", "above others", f"within {within:g}", "r with others"]
    return FigureTable(
        "judges", "judge", heads, rows, "Each judge and the others' mean"
    )


def intra_table(ratings: Ratings, within: float) -> FigureTable:
    """Judges who judged again: all together, then each."""
    repeats = ratings.repeats
    choices = [("all", np.ones(len(repeats.judge), bool))]
    choices += [
        (ratings.judges[judge], repeats.judge == judge)
        for judge in np.unique(repeats.judge).tolist()
    ]
    rows = []
    for name, mine in choices:
        a, b = repeats.first[mine], repeats.later[mine]
        gap = np.abs(a - b)
        figures = [
            float((gap == 0).mean()),
            float((gap <= within + SLACK).mean()),
            float(pearson(a, b)),
            cohen(a, b),
            cohen(a, b, "quadratic"),
        ]
        rows.append(
            (name, [Figure(len(a), digits=0), *(Figure(number(f)) for f in figures)])
        )
    heads = ["n", "equal", f"within {within:g}", "pearson", "kappa", "quadratic"]
    return FigureTable(
        "intra", "judge", heads, rows, "Judges with themselves, judging again"
    )


def worst_table(ratings: Ratings, most: int) -> FigureTable:
    """The units that the judges disagree about most, with what each of them said."""
    count = len(ratings.units)
    size = ratings.counts
    mean = np.bincount(ratings.unit, ratings.value, count) / np.maximum(size, 1)
    off = np.bincount(ratings.unit, (ratings.value - mean[ratings.unit]) ** 2, count)
    sd = np.sqrt(off / np.maximum(size - 1, 1))
    order = np.argsort(-sd, kind="stable")
    order = order[(size[order] >= 2) & (sd[order] > 0)][:most]
    rows = []
    for unit in order.tolist():
        mine = np.flatnonzero(ratings.unit == unit)
        mine = mine[np.argsort(ratings.value[mine], kind="stable")]
        said = [
            f"{ratings.judges[ratings.judge[at]]}: {ratings.value[at]:.4g}"
            for at in mine
        ]
        if len(said) > MOST_SAID:
            said = [*said[: MOST_SAID // 2], "…", *said[-(MOST_SAID // 2) :]]
        rows.append(
            (ratings.units[unit], [Figure(float(sd[unit])), Figure(", ".join(said))])
        )
    title = "Where the judges disagree most"
    return FigureTable("worst", "unit", ["sd", "judgements"], rows, title)
