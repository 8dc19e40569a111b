"""Words of two translations by salience: frequency polygons, and what systems match."""

from collections.abc import Sequence
from itertools import pairwise

from metra.analysis.word_stability import SETS, WEIGHTS, MatchSets, StabilityResult
from metra.errors import format_count
from metra.meta.charts import CurvePlot
from metra.report import chart
from metra.report.html.markup import Html
from metra.report.pictures.plots import DISTANCE, measure_curve_names, plot_curves

WIDTH, PANEL, LONGEST = 640.0, 250.0, 24
LEFT, TOP, GAP = 56.0, 58.0, 66.0


def draw_polygons(
    study: StabilityResult, layout: chart.PictureLayout = chart.SCREEN
) -> str:
    """Draw how each set's words spread over classes of tf.idf, and below of S."""
    first, second = study.references
    title = f"Salience of words that {first} and {second} share and do not share"
    without = sorted(100 * entry.polygons["S"].without for entry in study.sets)
    caption = f"{without[0]:.0f} to {without[-1]:.0f} % of the words have no S"
    described = [
        f"{entry.name}: {entry.tokens:,} words, "
        f"{', '.join(f'mean {w} {entry.means[w]:.2f}' for w in WEIGHTS)}."
        for entry in study.sets
    ]
    curves = [_build_polygons(study, weight) for weight in WEIGHTS]
    return _stack_curves(curves, (title, caption, " ".join(described)), layout)


def _build_polygons(study: StabilityResult, weight: str) -> CurvePlot:
    """Build a line for each set: one colour for common words, dashed for the second list."""
    polygons = {entry.name: entry.polygons[weight] for entry in study.sets}
    bounds = study.sets[0].polygons[weight].bounds
    return CurvePlot(
        "",
        "",
        f"{weight} of the word in its document",
        "% of words",
        [f"{(low + high) / 2:g}" for low, high in pairwise(bounds)],
        {name: [100 * share for share in one.shares] for name, one in polygons.items()},
        dashed=list(polygons)[1::2],
        colours={entry.name: 0 if entry.common else 1 for entry in study.sets},
    )


def draw_match_sets(
    sets: Sequence[MatchSets], layout: chart.PictureLayout = chart.SCREEN
) -> str:
    """Draw the share of each set that every system matches, a panel for each reference."""
    first = sets[0]
    title = f"Matches by salience: {first.reference} and {first.other}"
    caption = (
        f"c: in both references, d: in one; h: {first.weight} above "
        f"{first.threshold:g}, l: below; n-grams of up to "
        f"{format_count(first.n, 'word')}"
    )
    curves = [_build_matches(entry) for entry in sets]
    described = [
        f"{plot.across}, {name}: {', '.join(f'{share:.1f} %' for share in shares)}."
        for plot in curves
        for name, shares in plot.series.items()
    ]
    return _stack_curves(curves, (title, caption, " ".join(described)), layout)


def _build_matches(sets: MatchSets) -> CurvePlot:
    """Build a line for each system over the sets that have n-grams."""
    filled = [name for name in SETS if sets.sizes[name]]
    series = {
        system.system: [100 * system.matches[one] / sets.sizes[one] for one in filled]
        for system in sets.systems
    }
    across = f"n-grams of {sets.reference} by set"
    return CurvePlot("", "", across, "% matched", filled, series)


def _stack_curves(
    curves: Sequence[CurvePlot],
    texts: tuple[str, str, str],
    layout: chart.PictureLayout,
) -> str:
    """Draw plots below each other; the texts are title, caption and description."""
    marks: list[Html] = []
    width = layout.choose_width(WIDTH)
    longest = max(8, min(LONGEST, int(0.32 * width / chart.LETTER)))
    height = max(PANEL, DISTANCE * len(curves[0].series))
    for number, plot in enumerate(curves):
        top = TOP + number * (height + GAP)
        right = width - measure_curve_names(plot, longest)
        frame = chart.PlotFrame(LEFT, top, right, top + height)
        marks += plot_curves(plot, frame, longest=longest)
    size = width, TOP + len(curves) * (height + GAP)
    return chart.render_chart(*texts, size, marks, layout)
