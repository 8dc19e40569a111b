"""The question `preferences`: wins of systems over each other, and strengths behind them."""

from itertools import compress
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from metra.errors import format_count
from metra.meta import findings
from metra.meta.charts import Heatmap
from metra.meta.inference import choose_unit
from metra.meta.options import PreferenceOptions, RankOptions
from metra.meta.question import Evidence, Question
from metra.scores import views
from metra.scores.table import ScoredItem, Scores
from metra.scoring.table import Column, Table
from metra.stats import arrays, preferences
from metra.stats.defaults import LEAST_UNITS
from metra.stats.resampling import Interval, draw_counts, expand_level
from metra.stats.significance import POPULATIONS, Unit

Estimates = list[tuple[float, Interval | None]]
#: Headings of estimates: what follows from comparisons of two systems, then from orders.
_HEADS = (
    Column("expected wins, %", digits=1),
    Column("strength", digits=2),
    Column("strength by orders", digits=2),
)


class Preferences(NamedTuple):
    """Wins of systems over each other, and strengths by systems, the strongest first."""

    scorer: str
    #: Wins of the first system, ties and wins of the second, for each two systems.
    pairs: dict[tuple[str, str], tuple[int, int, int]]
    #: By expected wins.
    systems: list[str]
    #: Share of the comparisons with the column that the row wins, a tie counting half.
    won: arrays.Array
    #: Expected shares of wins against all others, logarithms of strengths, and those by
    #: orders of three systems or more, if there are any.
    estimates: list[Estimates]
    #: Number of comparisons of each system.
    counts: list[int]
    unit: Unit
    notes: list[str]


def ask_preferences(evidence: Evidence, options: PreferenceOptions) -> Preferences:
    """Compare the outputs of each two systems on items that a judge gave both."""
    scorer = evidence.scorer
    rows = views.promote_documents(evidence.rows, scorer)
    values, ranked = np.empty((0, len(rows.systems))), list[ScoredItem]()
    if options.ranks or rows.scorers[rows.find(scorer)].compares:
        rows, values, ranked = views.collect_rankings(rows, scorer)
    outcomes = views.collect_outcomes(rows, scorer)
    is_document = choose_unit(rows, scorer, RankOptions(), []).unit == "document"
    unit: Unit = "document" if is_document else "segment"
    items = [*map(rows.items.__getitem__, outcomes.item.tolist()), *ranked]
    keys = [item.document if is_document else item for item in items]
    units, unit_of = arrays.number_names(keys)
    # All data, then the resamples.
    weights = np.ones((1, len(units)))
    if len(units) >= LEAST_UNITS and options.trials:
        rng = np.random.default_rng(options.seed)
        weights = np.vstack([weights, draw_counts(len(units), options.trials, rng)])
    wins, draws = _count_outcomes(outcomes, len(rows.systems), weights, unit_of)
    met = wins[0] + wins[0].T + draws[0]
    if not met.any():
        return Preferences(scorer, {}, [], met, [], [], unit, [])
    pairs = {
        (rows.systems[one], rows.systems[other]): (
            int(wins[0, one, other]),
            int(draws[0, one, other]),
            int(wins[0, other, one]),
        )
        for one, other in np.argwhere(np.triu(met)).tolist()
    }
    bounds = preferences.find_bounds(wins[:1] + draws[:1] > 0)[0]
    # Strengths of systems that were never compared with the others are unknown.
    kept = np.flatnonzero(~np.isnan(bounds))
    names = [rows.systems[at] for at in kept.tolist()]
    won = arrays.divide(wins[0] + draws[0] / 2, met)
    wins, draws = (each[:, kept][:, :, kept] for each in (wins, draws))
    strengths, shares, ties = preferences.fit_wins(wins, draws)
    order = np.lexsort((np.array(names), -shares[0].round(9)))
    drawn_bounds = preferences.find_bounds(wins + draws > 0)
    drawn = [
        np.where(np.isnan(drawn_bounds), np.nan, 100 * shares),
        preferences.bound_strengths(strengths, drawn_bounds),
    ]
    if np.isfinite(values).sum(1).max(initial=0) > 2:
        of_orders = weights[:, unit_of[len(outcomes.item) :]]
        by_order = preferences.fit_orders(values[:, kept], of_orders)
        drawn.append(preferences.bound_strengths(by_order, drawn_bounds))
    kept = kept[order]
    notes = _describe_bounds(rows, scorer, bounds)
    tied = f"{100 * ties[0]:.0f} %"
    notes.append(f"Two equal systems tie in {tied} of comparisons (Davidson 1970).")
    if len(drawn) > 2:
        notes.append("In orders, that of tied systems counts as unknown (Efron 1977).")
    if len(weights) > 1:
        has_judges = (rows.lines(scorer).judge >= 0).any()
        judges = ", judged by the same judges" if has_judges else ""
        notes.append(
            f"Each interval has 95 % on its own and applies to {POPULATIONS[(unit,)]}"
            f"{judges}; {format_count(len(units), unit)} were resampled."
        )
    return Preferences(
        scorer,
        pairs,
        [rows.systems[at] for at in kept.tolist()],
        won[kept][:, kept],
        [_estimate(each[:, order], len(units)) for each in drawn],
        met[kept].sum(1).astype(int).tolist(),
        unit,
        notes,
    )


def _count_outcomes(
    outcomes: views.Outcomes, size: int, weights: arrays.Array, unit_of: arrays.Codes
) -> tuple[arrays.Array, arrays.Array]:
    """Count wins and ties, with a weight of each unit: draws × systems × systems each."""
    code = (outcomes.first * size + outcomes.second) * 3
    code += 1 - outcomes.sign.astype(np.int64)
    width = 3 * size**2
    cells, times = np.unique(unit_of[: len(code)] * width + code, return_counts=True)
    unit, code = np.divmod(cells, width)
    counts = np.array(
        [np.bincount(code, times * each[unit], width) for each in weights]
    ).reshape(-1, size, size, 3)
    won, tied, lost = np.moveaxis(counts, 3, 0)
    return won + lost.swapaxes(1, 2), tied + tied.swapaxes(1, 2)


def _estimate(drawn: arrays.Array, units: int) -> Estimates:
    """Return the first draw, and expanded percentile intervals of the others.

    An end may be infinite; an infinite value is missing and has no interval.
    """
    estimates: Estimates = []
    tail = (1 - expand_level(0.95, max(units, 2))) / 2
    for value, *rest in drawn.T.tolist():
        defined = sorted(each for each in rest if each == each)
        interval, last = None, len(defined) - 1
        is_finite = abs(value) < np.inf
        if is_finite and len(defined) > len(rest) / 2:
            interval = defined[floor(tail * last)], defined[ceil((1 - tail) * last)]
        estimates.append((value if is_finite else np.nan, interval))
    return estimates


def _describe_bounds(rows: Scores, scorer: str, bounds: arrays.Array) -> list[str]:
    """Say which strengths are infinite or unknown, and why."""
    judged = np.isin(np.arange(len(bounds)), rows.lines(scorer).system)
    reasons = [
        "unknown strength, because comparisons do not place them among the others",
        "never worse than the others, so that the strength has no upper bound",
        "never better than the others, so that the strength has no lower bound",
    ]
    masks = np.isnan(bounds), bounds > 0, bounds < 0
    return [
        f"{findings.name_some(names)}: {reason}."
        for reason, chosen in zip(reasons, masks, strict=True)
        if (names := [*compress(rows.systems, chosen & judged)])
    ]


def report_preferences(
    answer: Preferences, options: PreferenceOptions
) -> findings.MetaReport:
    """Lay out strengths, the win matrix, and the comparisons of each two systems."""
    tables, names = list[Table](), answer.systems
    if names:
        columns = *answer.estimates, answer.counts
        values = zip(names, zip(*columns, strict=True), strict=True)
        heads = [*_HEADS[: len(answer.estimates)], Column("n")]
        caption = f"Strengths by {answer.scorer}"
        table = findings.build_table("system", heads, values, caption, "strengths")
        tables.append(table)
    if len(names) > 2:
        caption = f"Wins of the row over the column by {answer.scorer}, %"
        about = {"caption": caption, "name": "wins"}
        table = findings.build_matrix("system", names, 100 * answer.won, **about)
        whole = [column._replace(digits=0) for column in table.columns]
        tables.append(table._replace(columns=whole))
    rows = list[tuple[str, list[float]]]()
    for (one, other), counts in answer.pairs.items():
        shares = [100 * count / sum(counts) for count in counts]
        rows.append((f"{one} – {other}", [sum(counts), *shares]))
    shown = "n", "first better, %", "equal, %", "second better, %"
    caption = f"Preferences by {answer.scorer}"
    tables.append(findings.build_table("systems", shown, rows, caption, "preferences"))
    drawn = findings.describe_draws(options, f"{answer.unit}s")
    return findings.build_report(
        tables, options, answer.notes, scorer=answer.scorer, **drawn
    )


def draw_preferences(answer: Preferences, _: PreferenceOptions) -> list[Heatmap]:
    """Draw the win matrix as a heat map."""
    if len(answer.systems) < 2:
        return []
    caption = "share of comparisons that the row wins, a tie counting half"
    title, won = f"Preferences by {answer.scorer}", answer.won.tolist()
    return [Heatmap(title, caption, answer.systems, won, "r")]


PREFERENCES = Question(
    "preferences",
    ask_preferences,
    report_preferences,
    draw_preferences,
    title="Preferences by {}",
)
