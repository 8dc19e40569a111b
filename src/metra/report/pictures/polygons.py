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
    top = TOP + LINE * len(study.sets)
    marks = list(_draw_legend(study))
    for number, weight in enumerate(WEIGHTS):
        marks += _draw_panel(study, weight, top + number * (PANEL + GAP))
    size = WIDTH, top + len(WEIGHTS) * (PANEL + GAP)
    return chart.render_chart(title, "", _describe_polygons(study), size, marks)


def _draw_legend(study: StabilityResult) -> Iterator[Html]:
    for number, entry in enumerate(study.sets):
        y = 50 + LINE * number
        kind = _choose_series(entry)
        yield chart.draw_line(
            16, y - 4, 48, y - 4, f"curve {kind}{_choose_dash(number)}"
        )
        yield chart.draw_dot(32, y - 4, 2.5, f"point {kind}")
        yield chart.draw_text(56, y, f"{entry.name}, {entry.tokens:,} words")


def _draw_panel(study: StabilityResult, weight: str, top: float) -> Iterator[Html]:
    polygons = [entry.polygons[weight] for entry in study.sets]
    bounds = polygons[0].bounds
    highest = max(100 * share for polygon in polygons for share in polygon.shares)
    x = chart.AxisScale(bounds[0], bounds[-1], LEFT, WIDTH - RIGHT)
    y = chart.AxisScale(0.0, highest * 1.05 or 1.0, top + PANEL, top)
    yield from chart.draw_x_axis(
        x, y.start, y.stop, _describe_axis(study, weight), most=7
    )
    yield from chart.draw_y_axis(y, x.start, x.stop, unit=" %")
    for number, (entry, polygon) in enumerate(zip(study.sets, polygons, strict=True)):
        points = [
            (x((low + high) / 2), y(100 * share), low, high, 100 * share)
            for (low, high), share in zip(pairwise(bounds), polygon.shares, strict=True)
        ]
        path = "L".join(f"{left:g} {height:g}" for left, height, *_ in points)
        kind = _choose_series(entry)
        yield chart.draw_path(f"M{path}", f"curve {kind}{_choose_dash(number)}")
        for left, height, low, high, percent in points:
            hint = f"{entry.name}: {weight} {low:g} to {high:g}, {percent:.1f} %"
            yield chart.draw_dot(left, height, 2.5, f"point {kind}", hint)


def _describe_axis(study: StabilityResult, weight: str) -> str:
    shares = sorted(100 * entry.polygons[weight].without for entry in study.sets)
    if not any(shares):
        return f"{weight} of the word in its document"
    return (
        f"{weight} of the word in its document "
        f"({shares[0]:.0f} to {shares[-1]:.0f} % of the words have none)"
    )


def _choose_series(entry: WordSet) -> str:
    return chart.name_series(0 if entry.common else 1)


def _choose_dash(number: int) -> str:
    return " dashed" if number % 2 else ""


def _describe_polygons(study: StabilityResult) -> str:
    parts = []
    for entry in study.sets:
        means = ", ".join(f"mean {w} {entry.means[w]:.2f}" for w in WEIGHTS)
        parts.append(f"{entry.name}: {entry.tokens:,} words, {means}.")
    return " ".join(parts)
