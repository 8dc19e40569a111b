"""Frequency polygons: how the words of two translations spread over classes of salience."""

from collections.abc import Iterator
from itertools import pairwise

from metra.analysis.word_stability import WEIGHTS, StabilityResult, WordSet
from metra.report import chart
from metra.report.html.markup import Html

WIDTH, PANEL = 640.0, 250.0
LEFT, RIGHT, TOP, GAP = 56.0, 20.0, 64.0, 66.0
#: The height of a line of the legend.
LINE = 20


def draw_polygons(study: StabilityResult) -> str:
    """Draw how each set's words spread over classes of tf.idf, and below of S."""
    first, second = study.references
    title = f"Salience of words that {first} and {second} share, and do not"
    marks, told = [], []
    for number, entry in enumerate(study.sets):
        y, (curve, point) = 46 + LINE * number, _choose_classes(number, entry)
        words = f"{entry.tokens:,} words"
        marks.append(chart.draw_line(16, y, 48, y, curve))
        marks.append(chart.draw_dot(32, y, 2.5, point))
        marks.append(chart.draw_text(56, y + 4, f"{entry.name}, {words}"))
        means = ", ".join(f"mean {w} {entry.means[w]:.2f}" for w in WEIGHTS)
        told.append(f"{entry.name}: {words}, {means}.")
    top = TOP + LINE * len(study.sets)
    for number, weight in enumerate(WEIGHTS):
        marks += _draw_panel(study, weight, top + number * (PANEL + GAP))
    size = WIDTH, top + len(WEIGHTS) * (PANEL + GAP)
    return chart.render_chart(title, "", " ".join(told), size, marks)


def _draw_panel(study: StabilityResult, weight: str, top: float) -> Iterator[Html]:
    polygons = [entry.polygons[weight] for entry in study.sets]
    bounds = polygons[0].bounds
    highest = max(100 * share for polygon in polygons for share in polygon.shares)
    x = chart.AxisScale(bounds[0], bounds[-1], LEFT, WIDTH - RIGHT)
    y = chart.AxisScale(0.0, highest * 1.05 or 1.0, top + PANEL, top)
    name = f"{weight} of the word in its document"
    shares = sorted(100 * polygon.without for polygon in polygons)
    if any(shares):
        name += f" ({shares[0]:.0f} to {shares[-1]:.0f} % of the words have none)"
    yield from chart.draw_x_axis(x, y.start, y.stop, name, most=7)
    yield from chart.draw_y_axis(y, x.start, x.stop, unit=" %")
    for number, (entry, polygon) in enumerate(zip(study.sets, polygons, strict=True)):
        points = [
            (x((low + high) / 2), y(100 * share), low, high, 100 * share)
            for (low, high), share in zip(pairwise(bounds), polygon.shares, strict=True)
        ]
        path = "L".join(f"{left:g} {height:g}" for left, height, *_ in points)
        curve, point = _choose_classes(number, entry)
        yield chart.draw_path(f"M{path}", curve)
        for left, height, low, high, percent in points:
            hint = f"{entry.name}: {weight} {low:g} to {high:g}, {percent:.1f} %"
            yield chart.draw_dot(left, height, 2.5, point, hint)


def _choose_classes(number: int, entry: WordSet) -> tuple[str, str]:
    """Choose the classes of a set's lines and points: a colour for sets of one kind."""
    kind = chart.name_series(0 if entry.common else 1)
    return f"curve {kind}{' dashed' if number % 2 else ''}", f"point {kind}"
