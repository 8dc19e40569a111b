"""Words of two translations by salience: frequency polygons, and what systems match."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from metra.analysis.word_stability import (
    SETS,
    WEIGHTS,
    MatchSets,
    StabilityResult,
    WordSet,
)
from metra.errors import format_count
from metra.report import chart
from metra.report.html.markup import Html

WIDTH, PANEL = 640.0, 250.0
LEFT, RIGHT, TOP, GAP = 56.0, 20.0, 64.0, 66.0
#: The height of a line of the legend.
LINE = 20


def draw_polygons(
    study: StabilityResult, layout: chart.PictureLayout = chart.SCREEN
) -> str:
    """Draw how each set's words spread over classes of tf.idf, and below of S."""
    first, second = study.references
    title = f"Salience of words that {first} and {second} share and do not share"
    marks, described, width = [], [], layout.choose_width(WIDTH)
    for number, entry in enumerate(study.sets):
        y, (curve, point) = 46 + LINE * number, _choose_classes(number, entry)
        words = f"{entry.tokens:,} words"
        marks.append(chart.draw_line(16, y, 48, y, curve))
        marks.append(chart.draw_mark(32, y, 2.5, number, point))
        marks.append(chart.draw_text(56, y + 4, f"{entry.name}, {words}"))
        means = ", ".join(f"mean {w} {entry.means[w]:.2f}" for w in WEIGHTS)
        described.append(f"{entry.name}: {words}, {means}.")
    top = TOP + LINE * len(study.sets)
    for number, weight in enumerate(WEIGHTS):
        marks += _draw_panel(study, weight, top + number * (PANEL + GAP), width)
    size = width, top + len(WEIGHTS) * (PANEL + GAP)
    return chart.render_chart(title, "", " ".join(described), size, marks, layout)


def _draw_panel(
    study: StabilityResult, weight: str, top: float, width: float
) -> Iterator[Html]:
    polygons = [entry.polygons[weight] for entry in study.sets]
    bounds = polygons[0].bounds
    highest = max(100 * share for polygon in polygons for share in polygon.shares)
    x = chart.AxisScale(bounds[0], bounds[-1], LEFT, width - RIGHT)
    y = chart.AxisScale(0.0, highest * 1.05 or 1.0, top + PANEL, top)
    name = f"{weight} of the word in its document"
    shares = sorted(100 * polygon.without for polygon in polygons)
    if any(shares) and width >= WIDTH:
        name += (
            f" ({shares[0]:.0f} to {shares[-1]:.0f} % of the words have no {weight})"
        )
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
            yield chart.draw_mark(left, height, 2.5, number, point, hint)


def _choose_classes(number: int, entry: WordSet) -> tuple[str, str]:
    """Choose the classes of a set's lines and points: a colour for sets of one kind."""
    kind = chart.name_series(0 if entry.common else 1)
    return f"curve {kind}{' dashed' if number % 2 else ''}", f"point {kind}"


class _SetMark(NamedTuple):
    """The look of the dots of a set; none hides another at the same place."""

    name: str
    kind: str
    radius: float
    #: How far below the middle of its row a dot stands.
    below: float


_COMMON, _DIFFERENT = chart.name_series(0), chart.name_series(1)
#: Colour and height tell common from different, filling and size high from low. The smaller
#: dots are drawn over the larger ones.
_SET_MARKS = {
    "cl": _SetMark("common, low (cl)", f"hollow {_COMMON}", 4.8, -3),
    "ch": _SetMark("common, highly salient (ch)", f"point {_COMMON}", 3, -3),
    "dl": _SetMark("different, low (dl)", f"hollow {_DIFFERENT}", 4.8, 3),
    "dh": _SetMark("different, highly salient (dh)", f"point {_DIFFERENT}", 3, 3),
}


def draw_match_sets(
    sets: Sequence[MatchSets], layout: chart.PictureLayout = chart.SCREEN
) -> str:
    """Draw how much of each set every system matches, a panel for each reference."""
    first = sets[0]
    title = f"Matches by salience: {first.reference} and {first.other}"
    high = f"{first.weight} above {first.threshold:g} is high"
    caption = f"{high}; n-grams of up to {format_count(first.n, 'word')}"
    marks: list[Html] = []
    width = layout.choose_width(WIDTH)
    columns = 2 if width >= 400 else 1
    for number, mark in enumerate(_SET_MARKS.values()):
        x, y = 16 + 200 * (number % columns), 66 + LINE * (number // columns)
        marks.append(chart.draw_dot(x + 6, y, mark.radius, mark.kind))
        marks.append(chart.draw_text(x + 18, y + 4, mark.name))
    names = [system.system for system in first.systems]
    left = chart.measure_names(names) + 16
    top = 66.0 + LINE * len(_SET_MARKS) / columns
    described = []
    for entry in sets:
        marks += _draw_match_panel(entry, left, top, width)
        top += LINE * (len(names) + 1) + GAP
        described.append(_describe_matches(entry))
    size = width, top
    return chart.render_chart(title, caption, " ".join(described), size, marks, layout)


def _draw_match_panel(
    sets: MatchSets, left: float, top: float, width: float
) -> Iterator[Html]:
    x = chart.AxisScale(0.0, 100.0, left, width - RIGHT)
    bottom = top + LINE * (len(sets.systems) + 0.5)
    name = f"percentage of n-grams of {sets.reference} in each set that are matched"
    if width < WIDTH:
        name = f"% of {sets.reference} matched"
    yield from chart.draw_x_axis(x, bottom, top, name, most=10 if width >= 400 else 5)
    for number, system in enumerate(sets.systems, 1):
        y = top + LINE * (number - 0.25)
        yield chart.draw_row_name(left - 8, y + 4, system.system)
        yield chart.draw_line(x.start, y, x.stop, y, "rule")
        for entry, mark in _SET_MARKS.items():
            if sets.sizes[entry]:
                percent = 100 * system.matches[entry] / sets.sizes[entry]
                counts = f"{system.matches[entry]} of {sets.sizes[entry]}"
                hint = f"{system.system}: {mark.name}, {percent:.1f} % ({counts})"
                place = x(percent), y + mark.below
                yield chart.draw_dot(*place, mark.radius, mark.kind, hint)


def _describe_matches(sets: MatchSets) -> str:
    lines = []
    for system in sets.systems:
        shares = [
            f"{entry} {100 * system.matches[entry] / sets.sizes[entry]:.1f} %"
            for entry in SETS
            if sets.sizes[entry]
        ]
        lines.append(f"{system.system}: {', '.join(shares)}")
    return f"{sets.reference}: {'; '.join(lines)}."
