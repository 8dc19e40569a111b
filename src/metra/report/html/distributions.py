"""How segment scores are spread: a strip of bars for each system, one figure a metric."""

from collections.abc import Sequence

from metra.insight.distributions import Distribution
from metra.insight.study import Study
from metra.report.html import chart
from metra.report.html.markup import Html, joined, tag
from metra.report.html.tables import Num, figure, table
from metra.report.layout import Style, heading, ordered

ROW = 30
BAR = 22


def section(study: Study) -> Html:
    """Draw every metric's distribution."""
    scores = study.results.systems[0].scores
    names = [entry.name for entry in ordered(study.results, Style(sort=True))]
    return joined(
        tag(
            "p",
            "How many segments of each system score how much. All strips of a figure have "
            "the same bins and the same height for the same number of segments; the small "
            "line marks the median.",
        ),
        tag(
            "div",
            [
                figure(
                    heading(found.spec, scores[found.spec]),
                    _picture(found, names),
                    _data(found, names),
                )
                for found in study.distributions
            ],
            class_="figures",
        ),
    )


def _picture(found: Distribution, names: Sequence[str]) -> Html:
    left = chart.names_width(names)
    edges = _equal(found)
    scale = chart.Scale(edges[0], edges[-1], left, chart.WIDTH - chart.OVERHANG)
    highest = max(max(counts) for counts in found.counts.values()) or 1
    bottom = ROW * len(names) + 4.0
    marks = chart.across(scale, bottom, 4)
    for row, name in enumerate(names):
        base = 4.0 + ROW * (row + 1)
        marks.append(chart.row_name(left - 8, base - 6, name))
        for low, high, count in zip(edges, edges[1:], found.counts[name], strict=False):
            if count:
                tall = max(1.0, BAR * count / highest)
                x, wide = scale(low) + 0.5, max(1.0, scale(high) - scale(low) - 1)
                hint = f"{name}: {count:,} from {low:g} to {high:g}"
                marks.append(chart.rect(x, base - tall, wide, tall, "bar", hint))
        median = scale(found.medians[name])
        marks.append(chart.line(median, base - BAR - 3, median, base, "median"))
        marks.append(chart.line(left, base, scale.stop, base, "axis"))
    label = f"Distribution of segment scores by {found.spec}; medians: " + ", ".join(
        f"{name} {found.medians[name]:.2f}" for name in names
    )
    return chart.svg(chart.WIDTH, bottom + chart.AXIS, label, marks)


def _equal(found: Distribution) -> list[float]:
    """Draw a last bin that reaches far out as wide as the others."""
    edges = list(found.edges)
    if len(edges) > 2:
        edges[-1] = edges[-2] + (edges[1] - edges[0])
    return edges


def _data(found: Distribution, names: Sequence[str]) -> Html:
    return table(
        ["from", "to", *names],
        [
            [Num(low), Num(high), *(found.counts[name][at] for name in names)]
            for at, (low, high) in enumerate(
                zip(found.edges, found.edges[1:], strict=False)
            )
        ],
        caption=f"Segments by {found.spec}",
        name=f"distribution-{found.spec}",
    )
