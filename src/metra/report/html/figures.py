"""Charts that several pages share: scatter plots, matrices and curves, with their data."""

from collections.abc import Iterable

from metra.errors import format_count
from metra.meta.charts import CurvePlot, Heatmap, ScatterPoints
from metra.report import chart
from metra.report.html import tables
from metra.report.html.markup import Html
from metra.report.pictures.heatmap import CELL, describe_heatmap, plot_matrix
from metra.report.pictures.plots import measure_curve_names, plot_curves, plot_points
from metra.scoring.table import Cell, Column, make_table
from metra.stats.curves import LineFit

#: Letters of a name beside a dot, before a row or at the end of a line.
LONGEST = 16
#: The room above a matrix for the numbers of its columns.
_TOP = 24.0


def make_cloud(
    across: str,
    down: str,
    points: Iterable[tuple[str, float, float]],
    fit: LineFit | None,
) -> ScatterPoints:
    """Make the scatter plot of named points of one class."""
    names, x, y = map(list, zip(*points, strict=True))
    kinds = [""] * len(names), [False] * len(names)
    return ScatterPoints("", across, down, names, x, y, *kinds, fit, caption="")


def build_scatter_figure(
    cloud: ScatterPoints, *, title: str, note: str, name: str, unit: str = "system"
) -> Html:
    """Draw a scatter plot; `name` is that of its data, `unit` says what the points are."""
    label = f"{title} over {format_count(len(cloud.names), unit)}; {note}"
    points = zip(cloud.names, cloud.x, cloud.y, strict=True)
    rows = [(point, [*map(Cell, pair)]) for point, *pair in points]
    columns = [Column(each, digits=3) for each in (cloud.across, cloud.down)]
    about = {"caption": f"{title}, by {unit}", "name": name}
    data = tables.convert_table(make_table(unit, columns, rows, **about))
    marks = plot_points(cloud, chart.PAGE_FRAME, longest=LONGEST)
    return tables.build_figure(title, draw_on_page(label, marks), data, note)


def draw_matrix(heat: Heatmap) -> Html:
    """Draw a matrix with its names beside the rows and their numbers above the columns."""
    numbered = [f"{at} {name}" for at, name in enumerate(heat.names, 1)]
    size = len(numbered) * CELL
    left = chart.measure_names(numbered, LONGEST)
    left = max(left, chart.WIDTH - 20 - size if len(numbered) < 5 else 0)
    marks = []
    for at, name in enumerate(numbered):
        middle = (at + 0.5) * CELL
        marks.append(chart.draw_row_name(left - 8, _TOP + middle + 4, name, LONGEST))
        place = left + middle, _TOP - 8
        marks.append(chart.draw_text(*place, str(at + 1), "name", "middle"))
    marks += plot_matrix(heat, left, _TOP)
    wide = max(left + size + 8, float(chart.WIDTH))
    return chart.make_svg(wide, _TOP + size + 8, describe_heatmap(heat), marks)


def draw_curve_picture(plot: CurvePlot, label: str) -> Html:
    """Draw curves, their names at the right."""
    right = chart.WIDTH - measure_curve_names(plot, LONGEST)
    frame = chart.PAGE_FRAME._replace(right=right)
    return draw_on_page(label, plot_curves(plot, frame, longest=LONGEST))


def draw_on_page(label: str, marks: list[Html]) -> Html:
    """Draw a picture of the usual size."""
    return chart.make_svg(chart.WIDTH, chart.PAGE_HEIGHT, label, marks)
