"""Words of two translations by salience, as frequency polygons."""

from itertools import pairwise

from metra.analysis.word_stability import WEIGHTS, StabilityResult
from metra.meta.charts import CurvePlot
from metra.report import chart
from metra.report.html.markup import Html
from metra.report.pictures.plots import measure_curve_names, plot_curves

WIDTH, PANEL, LONGEST = 640.0, 250.0, 24
LEFT, TOP, GAP = 56.0, 58.0, 66.0


def draw_polygons(study: StabilityResult, width: float | None = None) -> str:
    """Draw how each set's words spread over classes of tf.idf, and below of S.

    With a `width`, in millimetres, the picture is for print.
    """
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
    marks: list[Html] = []
    across = chart.convert_width(width) or WIDTH
    longest = max(8, min(LONGEST, int(0.32 * across / chart.LETTER)))
    for number, plot in enumerate(curves):
        top = TOP + number * (PANEL + GAP)
        right = across - measure_curve_names(plot, longest)
        frame = chart.PlotFrame(LEFT, top, right, top + PANEL)
        marks += plot_curves(plot, frame, longest=longest)
    texts, size = (title, caption, " ".join(described)), len(curves) * (PANEL + GAP)
    page = across, TOP + size
    return chart.render_chart(*texts, page, marks, has_title=width is None)


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
