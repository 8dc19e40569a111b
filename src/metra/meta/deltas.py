"""The question `deltas`: which differences of a metric do people notice?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metra.errors import CorpusError
from metra.meta.charts import CurvePlot
from metra.meta.findings import (
    MetaReport,
    build_count,
    build_figure,
    build_report,
    describe_draws,
)
from metra.meta.options import DeltaOptions
from metra.meta.question import Evidence, Question
from metra.meta.systems import compute_gold_p
from metra.scoring.table import Cell, Column, Table, make_table
from metra.stats.arrays import Array, Mask
from metra.stats.correlation import Options
from metra.stats.curves import (
    PairDifferences,
    collect_differences,
    draw_pair_weights,
    find_difference,
    find_share,
    fit_slope,
)
from metra.stats.panel import ScorePanel
from metra.stats.resampling import Interval, interval_of_defined

#: Shares of pairs that people should agree with.
SHARES = (0.6, 0.7, 0.8, 0.9, 0.95)
#: Parts of the pairs by the size of their difference.
PARTS = 4


@dataclass(frozen=True)
class NoticedDifferences:
    """Agreement of people with a metric's differences."""

    metric: str
    pairs: PairDifferences
    slope: float
    #: Slopes of resamples of systems.
    drawn: Array

    @property
    def accuracy(self) -> float:
        """Share of all pairs that people order alike."""
        return float(self.pairs.agrees.mean())

    def find_difference(self, share: float) -> tuple[float, Interval | None]:
        """Return the difference from which on people agree with a share of pairs."""
        value = float(find_difference(np.array(self.slope), share))
        return value, self._bound(find_difference(self.drawn, share))

    def find_share(self, difference: float) -> tuple[float, Interval | None]:
        """Return the share of pairs that people agree with at a difference."""
        value = float(find_share(np.array(self.slope), difference))
        return value, self._bound(find_share(self.drawn, difference))

    def _bound(self, drawn: Array) -> Interval | None:
        """Give the interval of draws; None where it reaches to infinity, or none is drawn."""
        if not len(drawn):
            return None
        # Quantiles of infinite values would be NaN by interpolation.
        interval = interval_of_defined(np.where(np.isinf(drawn), 1e300, drawn))
        return None if interval is None or interval[1] > 1e200 else interval


def ask_deltas(
    evidence: Evidence, options: DeltaOptions
) -> tuple[list[ScorePanel], list[NoticedDifferences]]:
    """Fit the curves to the pairs of systems of all language pairs."""
    panels = evidence.build_panels()
    return panels, measure_differences(panels, options)


def measure_differences(
    panels: Sequence[ScorePanel], options: DeltaOptions
) -> list[NoticedDifferences]:
    """Fit how often people agree by the size of a difference, for each metric.

    Pairs of all language pairs are taken together. With `sure`, only those count that people
    tell apart with a p-value below it.
    """
    names = [name for name in panels[0].names if all(name in p.metrics for p in panels)]
    keep: list[Mask | None] = [None] * len(panels)
    if options.sure is not None:
        keep = [_find_sure_pairs(panel, options.sure, options) for panel in panels]
    sizes = [len(panel.systems) for panel in panels]
    noticed = []
    for name in names:
        pairs = collect_differences(panels, name, keep)
        if len(pairs.size) < 2:
            msg = (
                f"There are {len(pairs.size)} pairs of systems with different human "
                "scores; at least two are needed."
            )
            raise CorpusError(msg)
        weights = np.ones((1, len(pairs.size)))
        slope = float(fit_slope(pairs.size, pairs.agrees, weights)[0])
        drawn = np.empty(0)
        if options.trials:
            weights = draw_pair_weights(pairs, sizes, options.trials, options.seed)
            drawn = fit_slope(pairs.size, pairs.agrees, weights)
        noticed.append(NoticedDifferences(name, pairs, slope, drawn))
    return noticed


def report_deltas(
    panels: Sequence[ScorePanel],
    noticed: Sequence[NoticedDifferences],
    options: DeltaOptions,
) -> MetaReport:
    """Lay out the differences for some shares of agreement, and what was counted."""
    gold = panels[0].gold_name
    tables = [_build_delta_table(noticed, gold)]
    if options.at:
        tables.append(_build_share_table(noticed, options.at, gold))
    tables.append(_build_parts_table(noticed))
    notes = [f"{panel.place}{note}" for panel in panels for note in panel.notes]
    hopeless = [each.metric for each in noticed if each.slope == 0]
    if hopeless:
        notes.append(
            f"Human scores agree with differences of {', '.join(hopeless)} no more "
            "often than chance, so there is no threshold (–)."
        )
    certain = [each.metric for each in noticed if np.isinf(each.slope)]
    if certain:
        notes.append(
            f"Human scores agree with every difference of {', '.join(certain)}, "
            "however small: the systems are too far apart to estimate a threshold."
        )
    unbounded = [
        each.metric
        for each in noticed
        if 0 < each.slope < np.inf and each.find_difference(0.9)[1] is None
    ]
    if unbounded and options.trials:
        notes.append(
            f"No interval for {', '.join(unbounded)}: in some resamples human scores "
            "agree no more often than chance."
        )
    data = {
        "deltas": [
            {"metric": each.metric, "slope": each.slope, "accuracy": each.accuracy}
            for each in noticed
        ]
    }
    several = len(panels) > 1
    return build_report(
        tables,
        options,
        notes,
        data,
        panel=None if several else panels[0],
        level="sys",
        curve="logistic",
        **describe_draws(options, "sys"),
        **{"lang": ",".join(panel.lang for panel in panels)} if several else {},
    )


def build_curves(
    noticed: Sequence[NoticedDifferences], gold: str = "people", steps: int = 9
) -> list[CurvePlot]:
    """Build the curve of each metric, from no difference to the largest one."""
    curves = []
    for each in noticed:
        sizes = np.linspace(0, float(each.pairs.size.max()), steps).tolist()
        shares = [each.find_share(size) for size in sizes]
        caption = f"{len(each.pairs.size)} pairs of systems; logistic curve"
        curves.append(
            CurvePlot(
                f"Human agreement ({gold}) with a difference of {each.metric}",
                caption + (", 95 % interval over systems" if len(each.drawn) else ""),
                f"difference of {each.metric}",
                "share of pairs",
                [f"{size:.3g}" for size in sizes],
                {each.metric: [value for value, _ in shares]},
                {each.metric: [interval for _, interval in shares if interval]},
            )
        )
    return curves


DELTAS = Question(
    "deltas",
    ask_deltas,
    lambda found, options: report_deltas(*found, options),
    lambda found, _: build_curves(found[1], found[0][0].gold_name),
)


def _find_sure_pairs(panel: ScorePanel, sure: float, options: DeltaOptions) -> Mask:
    p = compute_gold_p(panel, Options(trials=options.trials, seed=options.seed))
    if p is None:
        msg = (
            f"{panel.place}{panel.gold_name} has no segments, so pairs have no "
            "p-values."
        )
        raise CorpusError(msg)
    return p < sure


def _build_delta_table(noticed: Sequence[NoticedDifferences], gold: str) -> Table:
    rows = []
    for each in noticed:
        cells = [build_count(len(each.pairs.size)), build_figure(each.accuracy)]
        least = each.find_difference(SHARES[0])[0]
        # Some metrics go from 0 to 1, and differ by thousandths.
        digits = 4 if least < 0.1 else None
        for share in SHARES:
            value, interval = each.find_difference(share)
            defined = value if np.isfinite(value) else None
            bounds = None if defined is None else interval
            cells.append(Cell(defined, bounds, digits=digits))
        rows.append((each.metric, cells))
    headings = ["accuracy", *(f"{100 * share:g} %" for share in SHARES)]
    caption = (
        f"Smallest difference between two systems with human ({gold}) agreement of …"
    )
    columns: list[str | Column] = [Column("pairs", digits=0), *headings]
    return make_table("metric", columns, rows, caption=caption, name="deltas")


def _build_share_table(
    noticed: Sequence[NoticedDifferences], at: Sequence[float], gold: str
) -> Table:
    rows = [
        (each.metric, [build_figure(*each.find_share(size)) for size in at])
        for each in noticed
    ]
    caption = f"Share of pairs with human ({gold}) agreement, by difference"
    headings = [f"{size:g}" for size in at]
    return make_table("metric", headings, rows, caption=caption, name="shares")


def _build_parts_table(noticed: Sequence[NoticedDifferences]) -> Table:
    """Build the shares that were counted, in quarters of the pairs by difference."""
    rows = []
    for each in noticed:
        order = np.argsort(each.pairs.size, kind="stable")
        cells = []
        for part in np.array_split(order, PARTS):
            if not len(part):
                cells.append(Cell(None))
                continue
            agrees, upper = each.pairs.agrees[part].mean(), each.pairs.size[part[-1]]
            cells.append(Cell(f"{agrees:.2f} (to {upper:.3g})"))
        rows.append((each.metric, cells))
    headings = [f"quarter {at}" for at in range(1, PARTS + 1)]
    caption = "Observed share of pairs with human agreement, by size of the difference"
    return make_table("metric", headings, rows, caption=caption, name="quarters")
