"""The question `agree`: how far judges agree with each other, and with themselves.

Two judges at a time: what they judged both, and how alike.
Tables about judges: two at a time, each alone, each with themselves, worst units.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import numpy as np

from metra.errors import CorpusError
from metra.meta.findings import MetaReport, build_signature, drop_nan
from metra.scoring.table import Cell, Table, make_table
from metra.stats.agreement import (
    MOST_CATEGORIES,
    ONE_WAY,
    SCALES,
    TWO_WAY,
    alpha,
    build_columns,
    cohen,
    complete_units,
    fleiss_columns,
    gwet_columns,
    one_way_columns,
    ordinal_draws,
    two_way_columns,
)
from metra.stats.arrays import Array, Codes
from metra.stats.defaults import SEED, TRIALS
from metra.stats.moments import pearson, spearman
from metra.stats.pairs import kendall_b
from metra.stats.ratings import Ratings

#: Rounding must not push a difference over the limit.
SLACK = 1e-9


@dataclass(frozen=True)
class SharedJudgements:
    """All pairs of judgements of the same unit, the judge with the lower number first."""

    first: Codes
    second: Codes
    unit: Codes
    a: Array
    b: Array

    def gaps(self) -> Array:
        """How far apart the two judgements are."""
        return np.abs(self.a - self.b)


@dataclass(frozen=True)
class JudgePair:
    """How two judges agree on what both judged; NaN where a figure has no meaning."""

    first: str
    second: str
    n: int
    exact: float
    within: float
    pearson: float
    spearman: float
    kendall: float
    kappa: float
    linear: float
    quadratic: float
    a: Array
    b: Array


def pair_judgements(ratings: Ratings) -> SharedJudgements:
    """Pair the judgements of every unit."""
    found: list[tuple[Codes, Codes]] = []
    size = len(ratings)
    for step in range(1, int(ratings.counts.max(initial=0))):
        at = np.arange(size - step)
        at = at[ratings.unit[at] == ratings.unit[at + step]]
        found.append((at, at + step))
    one = np.concatenate([a for a, _ in found] or [np.empty(0, np.int64)])
    other = np.concatenate([b for _, b in found] or [np.empty(0, np.int64)])
    return SharedJudgements(
        ratings.judge[one],
        ratings.judge[other],
        ratings.unit[one],
        ratings.value[one],
        ratings.value[other],
    )


def compare_judges(
    ratings: Ratings, shared: SharedJudgements, *, within: float = 1.0
) -> list[JudgePair]:
    """Compare every two judges who share a unit; those who share most come first."""
    found = []
    for first, second, at in _group_by_pair(shared, len(ratings.judges)):
        a, b = shared.a[at], shared.b[at]
        gaps = np.abs(a - b)
        found.append(
            JudgePair(
                ratings.judges[first],
                ratings.judges[second],
                len(a),
                float((gaps == 0).mean()),
                float((gaps <= within + SLACK).mean()),
                float(pearson(a, b)),
                float(spearman(a, b)),
                float(kendall_b(a, b)),
                cohen(a, b),
                cohen(a, b, "linear"),
                cohen(a, b, "quadratic"),
                a,
                b,
            )
        )
    return sorted(found, key=lambda pair: -pair.n)


def average_figure(pairs: list[JudgePair], figure: str) -> float:
    """Average a figure over pairs, each by what it shares; pairs without it stay out."""
    values = np.array([getattr(pair, figure) for pair in pairs])
    sizes = np.array([pair.n for pair in pairs], np.float64)
    there = np.isfinite(values)
    if not there.any():
        return float("nan")
    return float((values[there] * sizes[there]).sum() / sizes[there].sum())


def _group_by_pair(
    shared: SharedJudgements, judges: int
) -> Iterator[tuple[int, int, Codes]]:
    key = shared.first * judges + shared.second
    order = np.argsort(key, kind="stable")
    keys, starts = np.unique(key[order], return_index=True)
    for code, at in zip(keys.tolist(), np.split(order, starts[1:]), strict=True):
        yield code // judges, code % judges, at


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


def build_pair_table(pairs: list[JudgePair], within: float, most: int) -> Table:
    """One line for two judges; those who share most units first."""
    shown = pairs[:most] if most else pairs
    rows = [
        (
            f"{pair.first} – {pair.second}",
            [
                Cell(pair.n, digits=0),
                *(Cell(drop_nan(getattr(pair, name))) for name in _FIGURES),
            ],
        )
        for pair in shown
    ]
    heads = ["n", "equal", f"within {within:g}", *_FIGURES[2:]]
    return make_table(
        "judges", heads, rows, caption="Two judges at a time", name="pairs"
    )


def build_judge_table(ratings: Ratings, within: float) -> Table:
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
                [Cell(figures[0], digits=0)] + [Cell(drop_nan(f)) for f in figures[1:]],
            )
        )
    heads = ["n", "mean", "sd", "above others", f"within {within:g}", "r with others"]
    return make_table(
        "judge", heads, rows, caption="Each judge and the others' mean", name="judges"
    )


def build_intra_table(ratings: Ratings, within: float) -> Table:
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
            (
                name,
                [
                    Cell(len(a), digits=0),
                    *(Cell(drop_nan(f)) for f in figures),
                ],
            )
        )
    heads = ["n", "equal", f"within {within:g}", "pearson", "kappa", "quadratic"]
    return make_table(
        "judge",
        heads,
        rows,
        caption="Judges with themselves, judging again",
        name="intra",
    )


def build_worst_table(ratings: Ratings, most: int) -> Table:
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
            (
                ratings.units[unit],
                [Cell(float(sd[unit])), Cell(", ".join(said))],
            )
        )
    title = "Where the judges disagree most"
    return make_table("unit", ["sd", "judgements"], rows, caption=title, name="worst")


#: Draws that are weighted at a time, to keep memory low.
BLOCK = 50


@dataclass(frozen=True)
class JudgeAgreement:
    """What the judges' agreement comes to, as a whole and two by two."""

    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    reasons: dict[str, str]
    pairs: list[JudgePair]
    shared: SharedJudgements
    units: int


@dataclass(frozen=True)
class _CoefficientGroup:
    """Coefficients that come of the same columns."""

    names: tuple[str, ...]
    rows: Array
    aggregate: Callable[[Array], Array]


def agree(
    ratings: Ratings,
    *,
    within: float = 1.0,
    trials: int = TRIALS,
    seed: int = SEED,
    only: Collection[str] = (),
) -> JudgeAgreement:
    """Compute every coefficient of agreement, with bootstrap intervals over the units.

    `trials` of 0 leaves the intervals out. All coefficients see the same draws. `only` names
    the coefficients that are wanted, where others would take their time for nothing.
    """
    paired = ratings.pairable()
    if not paired.units:
        msg = (
            "No unit was judged by two judges, so there is nothing to compare; judges: "
            f"{len(ratings.judges)}, units: {len(ratings.units):,}."
        )
        raise CorpusError(msg)
    shared = pair_judgements(paired)
    pairs = compare_judges(paired, shared, within=within)
    parts, reasons = _build_parts(ratings, paired, shared, within, only)
    values: dict[str, float] = {}
    for part in parts:
        totals = part.aggregate(part.rows.sum(0))
        values |= dict(zip(part.names, np.atleast_1d(totals).tolist(), strict=True))
    values["alpha ordinal"] = alpha(paired, "ordinal")
    ratio = not only or "alpha ratio" in only
    if ratio and "alpha ratio" not in values and "alpha ratio" not in reasons:
        values["alpha ratio"] = alpha(paired, "ratio")
    for name in ("pearson", "spearman", "kendall", "kappa", "linear", "quadratic"):
        values[f"mean {name}"] = average_figure(pairs, name)
    for name, value in values.items():
        if value != value and name not in reasons:
            reasons[name] = _explain_missing(paired)
    draws = _draw_coefficients(parts, paired, trials, seed) if trials else {}
    intervals = {
        name: (float(np.quantile(drawn, 0.025)), float(np.quantile(drawn, 0.975)))
        for name, drawn in draws.items()
        if len(drawn) and values[name] == values[name]
    }
    return JudgeAgreement(values, intervals, reasons, pairs, shared, len(paired.units))


def report_agreement(
    ratings: Ratings,
    name: str,
    *,
    within: float = 1.0,
    trials: int = TRIALS,
    seed: int = SEED,
    most_pairs: int = 30,
    worst: int = 5,
) -> tuple[MetaReport, JudgeAgreement]:
    """Lay out the coefficients, the pairs of judges, the judges and the worst units."""
    found = agree(ratings, within=within, trials=trials, seed=seed)
    rows = [
        (
            label.format(within=f"{within:g}"),
            [
                Cell(drop_nan(found.values.get(key, np.nan)), found.intervals.get(key)),
                Cell(about),
            ],
        )
        for key, label, about in _ROWS
    ]
    title = f"Agreement of {len(ratings.judges)} judges on {name}"
    tables = [
        make_table("coefficient", ["value", "of"], rows, caption=title, name="overall")
    ]
    tables.append(build_pair_table(found.pairs, within, most_pairs))
    tables.append(build_judge_table(ratings, within))
    if len(ratings.repeats.judge):
        tables.append(build_intra_table(ratings, within))
    apart = build_worst_table(ratings, worst) if worst else None
    if apart is not None and apart.rows:
        tables.append(apart)
    line = build_signature(
        scorer=name,
        judges=len(ratings.judges),
        units=f"{found.units}/{len(ratings.units)}",
        within=within,
        boot=f"units k={trials}" if trials else None,
        seed=seed if trials else None,
    )
    notes = _write_notes(ratings, found, most_pairs)
    every = [
        {key: value for key, value in vars(pair).items() if key not in ("a", "b")}
        for pair in found.pairs
    ]
    return MetaReport(tables, line, notes, {"pairs": every}), found


_ROWS = (
    ("exact", "equal", "pairs of judgements"),
    ("within", "within {within}", "pairs of judgements"),
    ("sd", "mean sd of a unit", "units, over their judges"),
    ("mean pearson", "Pearson's r", "judge pairs, by what they share"),
    ("mean spearman", "Spearman's rho", "judge pairs, by what they share"),
    ("mean kendall", "Kendall's tau-b", "judge pairs, by what they share"),
    ("mean kappa", "Cohen's kappa", "judge pairs, by what they share"),
    ("mean linear", "Cohen's kappa, linear", "judge pairs, by what they share"),
    ("mean quadratic", "Cohen's kappa, quadratic", "judge pairs, by what they share"),
    ("fleiss", "Fleiss' kappa", "units with two judges or more"),
    *(
        (f"alpha {scale}", f"Krippendorff's alpha, {scale}", "values of such units")
        for scale in SCALES
    ),
    ("AC1", "Gwet's AC1", "all units"),
    ("AC2", "Gwet's AC2, quadratic", "all units"),
    *((name, name, "units, judges unknown") for name in ONE_WAY),
    *((name, name, "units that all judged") for name in TWO_WAY),
)


#: What takes columns of its own, as many as there are different values or judges.
_SLOW = {"fleiss", "alpha nominal", "alpha ratio", "AC1", "AC2", *TWO_WAY}


def _build_parts(
    ratings: Ratings,
    paired: Ratings,
    shared: SharedJudgements,
    within: float,
    only: Collection[str],
) -> tuple[list[_CoefficientGroup], dict[str, str]]:
    gaps = shared.gaps()
    count = len(paired.units)
    near = np.column_stack(
        [
            np.bincount(shared.unit, minlength=count).astype(np.float64),
            np.bincount(shared.unit, gaps == 0, count),
            np.bincount(shared.unit, gaps <= within + SLACK, count),
        ]
    )
    mean = np.bincount(paired.unit, paired.value, count) / paired.counts
    off = (paired.value - mean[paired.unit]) ** 2
    sd = np.sqrt(np.bincount(paired.unit, off, count) / (paired.counts - 1))
    parts = [
        _CoefficientGroup(("exact", "within"), near, lambda t: t[..., 1:] / t[..., :1]),
        _CoefficientGroup(
            ("sd",),
            np.column_stack([np.ones(count), sd]),
            lambda t: t[..., 1] / t[..., 0],
        ),
        _CoefficientGroup(("alpha interval",), *build_columns(paired, "interval")),
        _CoefficientGroup(ONE_WAY, *one_way_columns(paired)),
    ]
    reasons: dict[str, str] = {}
    if only:
        parts = [part for part in parts if not set(only).isdisjoint(part.names)]
        if not set(only) & _SLOW:
            return parts, reasons
    categories = len(ratings.levels[0])
    if categories <= MOST_CATEGORIES:
        parts += [
            _CoefficientGroup(("fleiss",), *fleiss_columns(paired)),
            _CoefficientGroup(("alpha nominal",), *build_columns(paired, "nominal")),
            _CoefficientGroup(("AC1",), *gwet_columns(ratings)),
            _CoefficientGroup(("AC2",), *gwet_columns(ratings, quadratic=True)),
        ]
    else:
        why = f"there are {categories:,} different values, too many for categories"
        reasons |= dict.fromkeys(("fleiss", "alpha nominal", "AC1", "AC2"), why)
    if (ratings.value < 0).any():
        reasons["alpha ratio"] = "values below zero have no ratios"
    elif categories <= MOST_CATEGORIES:
        parts.append(
            _CoefficientGroup(("alpha ratio",), *build_columns(paired, "ratio"))
        )
    complete = complete_units(ratings)
    if len(complete.units) >= 2:
        parts.append(_CoefficientGroup(TWO_WAY, *two_way_columns(complete)))
    else:
        units = "no unit was" if not complete.units else "only one unit was"
        why = f"{units} judged by all {len(ratings.judges)} judges"
        reasons |= dict.fromkeys(TWO_WAY, why)
    return parts, reasons


def _draw_coefficients(
    parts: list[_CoefficientGroup], paired: Ratings, trials: int, seed: int
) -> dict[str, Array]:
    """Draw units with replacement, each set of units that a coefficient uses by itself."""
    found: dict[str, Array] = {}
    for size in sorted({len(part.rows) for part in parts}):
        mine = [part for part in parts if len(part.rows) == size]
        drawn: dict[str, list[Array]] = {}
        rng = np.random.default_rng(seed)
        for start in range(0, trials, BLOCK):
            weights = np.stack(
                [
                    np.bincount(rng.integers(size, size=size), minlength=size)
                    for _ in range(min(BLOCK, trials - start))
                ]
            ).astype(np.float64)
            for part in mine:
                values = part.aggregate(_sum_columns(weights, part.rows)).reshape(
                    len(weights), -1
                )
                for at, name in enumerate(part.names):
                    drawn.setdefault(name, []).append(values[:, at])
            if size == len(paired.units):
                ordinal = ordinal_draws(paired, weights)
                drawn.setdefault("alpha ordinal", []).append(ordinal)
        for name, blocks in drawn.items():
            values = np.concatenate(blocks)
            found[name] = values[np.isfinite(values)]
    return found


def _sum_columns(weights: Array, rows: Array) -> Array:
    """Weighted sums of columns, whose last digits do not depend on the threads of BLAS.

    Whole numbers add up exactly in any order; other columns are added up in ours.
    """
    whole = (rows == np.rint(rows)).all(0)
    found = np.empty((len(weights), rows.shape[1]))
    found[:, whole] = weights @ rows[:, whole]
    rest = np.ascontiguousarray(rows[:, ~whole].T)
    found[:, ~whole] = np.einsum("du,ku->dk", weights, rest)
    return found


def _explain_missing(paired: Ratings) -> str:
    if len(paired.levels[0]) == 1:
        return "all judgements are equal, so chance alone would agree"
    if len(paired.units) == 1:
        return "there is only one unit with two judges"
    return "judges who share units gave constant values"


def _write_notes(ratings: Ratings, found: JudgeAgreement, most_pairs: int) -> list[str]:
    notes = []
    alone = len(ratings.units) - found.units
    if alone:
        notes.append(
            f"{alone:,} of {len(ratings.units):,} units have one judge: they say nothing "
            "about agreement."
        )
    by_reason: dict[str, list[str]] = {}
    for name, why in found.reasons.items():
        by_reason.setdefault(why, []).append(name)
    notes += [f"– {', '.join(names)}: {why}." for why, names in by_reason.items()]
    again = len(ratings.repeats.judge)
    if again:
        notes.append(
            f"{again:,} judgements repeat the same judge's: the first stands, the later "
            "ones are in the table of judges with themselves."
        )
    if most_pairs and len(found.pairs) > most_pairs:
        hidden = len(found.pairs) - most_pairs
        notes.append(f"{hidden} more pairs of judges: --pairs 0 shows all.")
    flat = sum(pair.spearman != pair.spearman for pair in found.pairs)
    if flat:
        notes.append(
            "Pairs of judges of whom one gave the same value throughout, and so without "
            f"correlations: {flat}."
        )
    few = sum(pair.n < 3 for pair in found.pairs)
    if few:
        notes.append(f"Pairs of judges who share fewer than three units: {few}.")
    return notes
