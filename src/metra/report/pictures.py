"""Curves over choices in a row: one line a series, named at its end.

Pictures of a campaign: means with their intervals, and how long answers took.
A matrix as a heat map: p-values with clusters framed, or coefficients between scorers.
How often values fall where: bars with their shares written above them.
Two judges' values of the same things, one against the other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from metra.campaign.ranking import HumanRanking
from metra.campaign.times import ActiveTimes, TimeTable
from metra.meta.judge_plots import Histogram, JudgePlot
from metra.report import chart
from metra.report.chart import (
    COLOURS,
    LETTER,
    PlotFrame,
    choose_ticks,
    escape_xml,
    format_tick,
    pad_range,
    render_svg,
)
from metra.report.html.markup import Html, tag

HEIGHT = 440.0
TOP, BOTTOM = 58.0, 62.0


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """What is drawn: a value (or None) of each series at each label, perhaps with bands."""

    title: str
    caption: str
    across: str
    down: str
    labels: Sequence[str]
    series: Mapping[str, Sequence[float | None]]
    bands: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    #: Series that stand apart, such as people against people: drawn dashed.
    dashed: Sequence[str] = ()


def draw_curves(curves: CurvePlot) -> str:
    """Draw the lines; the names stand at the right, moved apart where they would meet."""
    count = len(curves.labels)
    left = 72.0
    right = 24 + max(len(name) for name in curves.series) * LETTER
    width = max(640.0, left + right + count * 34)
    found = [v for line in curves.series.values() for v in line if v is not None]
    found += [end for band in curves.bands.values() for pair in band for end in pair]
    frame = PlotFrame(
        left,
        TOP,
        width - left - right,
        HEIGHT - TOP - BOTTOM,
        (-0.3, count - 0.7),
        pad_range(found or [0.0, 1.0]),
    )
    body = [
        f'<text class="title" x="16" y="24">{escape_xml(curves.title)}</text>',
        f'<text class="faint" x="16" y="44">{escape_xml(curves.caption)}</text>',
        *_draw_axes(curves, frame),
        *_draw_lines(curves, frame),
        *_draw_names(curves, frame),
    ]
    return render_svg(curves.title, _describe_curves(curves), (width, HEIGHT), body)


def _draw_axes(curves: CurvePlot, frame: PlotFrame) -> Iterator[str]:
    yield from frame.rows()
    bottom = frame.top + frame.height
    longest = max(len(label) for label in curves.labels)
    room = frame.width / max(len(curves.labels), 1)
    step = max(1, round(min(longest, 12) * LETTER / room + 0.4))
    for at, label in enumerate(curves.labels):
        if at % step:
            continue
        cut = label if len(label) <= 14 else f"{label[:13]}…"
        yield (
            f'<text class="faint small" x="{frame.x(at):g}" y="{bottom + 16:g}" '
            f'text-anchor="middle">{escape_xml(cut)}</text>'
        )
    yield from frame.border(curves.across, curves.down)


def _draw_lines(curves: CurvePlot, frame: PlotFrame) -> Iterator[str]:
    for at, (name, line) in enumerate(curves.series.items()):
        colour = f"var(--c{at % COLOURS})"
        if name in curves.bands:
            band = list(enumerate(curves.bands[name]))
            upper = [f"{frame.x(x):g},{frame.y(high):g}" for x, (_, high) in band]
            lower = [f"{frame.x(x):g},{frame.y(low):g}" for x, (low, _) in band]
            points = " ".join([*upper, *reversed(lower)])
            yield f'<polygon class="band" style="fill: {colour}" points="{points}"/>'
        dash = "; stroke-dasharray: 2 4" if at >= COLOURS else ""
        dash = "; stroke-dasharray: 7 4" if name in curves.dashed else dash
        path, pen = "", "M"
        for x, value in enumerate(line):
            if value is None:
                pen = "M"
                continue
            path += f"{pen}{frame.x(x):g} {frame.y(value):g}"
            pen = "L"
        yield f'<path class="line" style="stroke: {colour}{dash}" d="{path}"/>'
        for x, value in enumerate(line):
            if value is not None:
                about = f"{name}, {curves.labels[x]}: {value:.4g}"
                yield (
                    f'<circle style="fill: {colour}" cx="{frame.x(x):g}" '
                    f'cy="{frame.y(value):g}" '
                    f'r="2.8"><title>{escape_xml(about)}</title></circle>'
                )


def _draw_names(curves: CurvePlot, frame: PlotFrame) -> Iterator[str]:
    ends = []
    for at, (name, line) in enumerate(curves.series.items()):
        last = next((value for value in reversed(line) if value is not None), None)
        if last is not None:
            ends.append((frame.y(last), at, name))
    ends.sort()
    places = [y for y, _, _ in ends]
    for at in range(1, len(places)):
        places[at] = max(places[at], places[at - 1] + 13)
    over = (places[-1] - frame.top - frame.height) if places else 0
    if over > 0:
        places[-1] -= over
        for at in range(len(places) - 2, -1, -1):
            places[at] = min(places[at], places[at + 1] - 13)
    for y, (_, at, name) in zip(places, ends, strict=True):
        yield (
            f'<text x="{frame.left + frame.width + 7:g}" y="{y + 4:g}" '
            f'style="fill: var(--c{at % COLOURS})">{escape_xml(name)}</text>'
        )


def _describe_curves(curves: CurvePlot) -> str:
    lines = [
        f"{name}: "
        + ", ".join(
            f"{label} {value:.3g}"
            for label, value in zip(curves.labels, line, strict=True)
            if value is not None
        )
        for name, line in curves.series.items()
    ]
    return f"{curves.down} by {curves.across}. {'; '.join(lines)}."


WIDTH = 620
ROW = 30
_TOP = 6.0
_LONGEST_NAME = 24
#: Letters are wider on some machines than we reckon.
_ROOM = 16


def draw_ranking(ranking: HumanRanking) -> Html:
    """Draw each system's mean as a dot and its interval as a line, on the native scale."""
    names = [one.mean.system for one in ranking.systems]
    left = chart.measure_names(names, _LONGEST_NAME) + _ROOM
    ends = [
        end
        for one in ranking.systems
        for end in (*(one.mean.native_interval or ()), one.mean.native)
    ]
    scale = chart.AxisScale(*chart.pad_chart_range(ends), left, WIDTH - chart.OVERHANG)
    bottom = _TOP + ROW * len(names)
    direction = "higher" if ranking.higher_is_better else "lower"
    marks = chart.draw_x_axis(
        scale, bottom, _TOP, f"{ranking.scorer}: {direction} is better"
    )
    before = ranking.systems[0].cluster if ranking.systems else None
    for at, one in enumerate(ranking.systems):
        y = _TOP + ROW * (at + 0.5)
        if one.cluster != before:
            edge = _TOP + ROW * at
            marks.append(chart.draw_line(0, edge, scale.stop, edge, "cluster"))
            before = one.cluster
        marks.append(
            chart.draw_row_name(left - 8, y + 4, one.mean.system, _LONGEST_NAME)
        )
        said = f"{one.mean.system}: {one.mean.native:.2f}"
        if one.mean.native_interval is not None:
            low, high = one.mean.native_interval
            marks.append(chart.draw_line(scale(low), y, scale(high), y, "interval"))
            marks += [
                chart.draw_line(scale(end), y - 5, scale(end), y + 5, "interval")
                for end in (low, high)
            ]
            said += f" ({low:.2f} to {high:.2f})"
        marks.append(chart.draw_dot(scale(one.mean.native), y, 5, "mean", said))
    label = f"Means of {len(names)} systems by {ranking.scorer}, with their intervals"
    return chart.make_svg(WIDTH, bottom + 38, label, marks)


def draw_times(times: TimeTable) -> Html:
    """Draw how many answers took how long."""
    tall = 120.0
    highest = max(times.all.counts) or 1
    scale = chart.AxisScale(times.edges[0], times.edges[-1], 10, WIDTH - chart.OVERHANG)
    marks = chart.draw_x_axis(scale, tall, _TOP, "active seconds an answer")
    for low, high, count in zip(
        times.edges, times.edges[1:], times.all.counts, strict=False
    ):
        if count:
            size = max(1.0, (tall - _TOP) * count / highest)
            x, wide = scale(low) + 0.5, max(1.0, scale(high) - scale(low) - 1)
            hint = f"{count} from {low:.0f} to {high:.0f} s"
            marks.append(chart.draw_rect(x, tall - size, wide, size, "bar", hint))
    middle = scale(times.all.median)
    marks.append(chart.draw_line(middle, _TOP, middle, tall, "median"))
    label = (
        f"{times.all.answers} answers; half of them took less than "
        f"{times.all.median:.0f} seconds"
    )
    return chart.make_svg(WIDTH, tall + 38, label, marks)


def draw_judge_times(times: TimeTable) -> Html:
    """Draw each judge's middle half as a box, the median as a line."""
    names = [one.judge for one in times.judges]
    left = chart.measure_names(names, _LONGEST_NAME) + _ROOM
    scale = chart.AxisScale(0.0, times.edges[-1], left, WIDTH - chart.OVERHANG)
    bottom = _TOP + ROW * len(names)
    marks = chart.draw_x_axis(scale, bottom, _TOP, "active seconds an answer")
    for at, one in enumerate(times.judges):
        marks += _draw_box(one, scale, left, _TOP + ROW * (at + 0.5))
    label = f"How long {len(names)} judges took for an answer: the middle half of each"
    return chart.make_svg(WIDTH, bottom + 38, label, marks)


def _draw_box(
    one: ActiveTimes, scale: chart.AxisScale, left: float, y: float
) -> list[Html]:
    lower, upper, middle = scale(one.lower), scale(one.upper), scale(one.median)
    hint = (
        f"{one.judge}: {one.lower:.0f} to {one.upper:.0f} s, median {one.median:.0f} s"
    )
    return [
        chart.draw_row_name(left - 8, y + 4, one.judge, _LONGEST_NAME),
        chart.draw_line(scale(one.least), y, scale(one.most), y, "interval"),
        chart.draw_rect(lower, y - 8, max(2.0, upper - lower), 16, "box", hint),
        chart.draw_line(middle, y - 8, middle, y + 8, "median"),
    ]


def draw_progress(done: int, of: int) -> Html:
    """Draw a bar that is full when everything is done."""
    share = done / of if of else 0.0
    return tag(
        "svg",
        tag("rect", x=0, y=0, width=100, height=8, class_="empty"),
        tag("rect", x=0, y=0, width=round(100 * share, 1), height=8, class_="full"),
        class_="progress",
        role="img",
        aria_label=f"{done} of {of} done",
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
    )


CELL = 38.0
MARGIN = 16.0


@dataclass(frozen=True, slots=True)
class Heatmap:
    """What is drawn: names down and across, a value or nothing in each cell."""

    title: str
    caption: str
    names: Sequence[str]
    values: Sequence[Sequence[float | None]]
    #: p: small is dark, and shown as p-values are; r: from -1 to 1.
    kind: Literal["p", "r"]
    #: The cluster of each row, in order; framed.
    clusters: Sequence[int] = ()


def draw_heatmap(heat: Heatmap) -> str:
    """Draw the cells with their values, and a frame round each cluster."""
    size = len(heat.names)
    names = [name if len(name) <= 24 else f"{name[:23]}…" for name in heat.names]
    # Capitals are wider than a letter is on average.
    longest = max(len(name) for name in names) * LETTER * 1.12
    left = MARGIN + longest + 8
    above = 70 + longest * 0.71
    slanted = len(names[-1]) * LETTER * 0.8
    said = max(len(heat.title) * 1.15, len(heat.caption)) * LETTER
    width = max(left + size * CELL + slanted, said + 2 * MARGIN, 420)
    height = above + size * CELL + 34
    body = [
        f'<text class="title" x="{MARGIN:g}" y="24">{escape_xml(heat.title)}</text>',
        f'<text class="faint" x="{MARGIN:g}" y="44">{escape_xml(heat.caption)}</text>',
        *_draw_labels(names, left, above),
        *_draw_cells(heat, left, above),
        *_draw_frames(heat.clusters, left, above),
    ]
    return render_svg(heat.title, _describe_heatmap(heat), (width, height), body)


def _draw_labels(names: Sequence[str], left: float, above: float) -> Iterator[str]:
    for at, name in enumerate(names):
        y = above + at * CELL + CELL / 2 + 4
        yield f'<text x="{left - 8:g}" y="{y:g}" text-anchor="end">{escape_xml(name)}</text>'
        x = left + at * CELL + CELL / 2 + 2
        yield (
            f'<text x="{x:g}" y="{above - 7:g}" transform="rotate(-45 {x:g} {above - 7:g})">'
            f"{escape_xml(name)}</text>"
        )


def _draw_cells(heat: Heatmap, left: float, above: float) -> Iterator[str]:
    for i, row in enumerate(heat.values):
        for j, value in enumerate(row):
            x, y = left + j * CELL, above + i * CELL
            if value is None:
                continue
            shade, colour = _choose_shade(value, heat.kind)
            about = f"{heat.names[i]}, {heat.names[j]}: {value:.4g}"
            yield (
                f'<rect x="{x + 0.5:g}" y="{y + 0.5:g}" width="{CELL - 1:g}" '
                f'height="{CELL - 1:g}" rx="2" style="fill: var(--{colour}); '
                f'fill-opacity: {shade:.2f}; stroke: var(--rule)">'
                f"<title>{escape_xml(about)}</title></rect>"
            )
            ink = "var(--paper)" if shade > 0.62 else "var(--ink)"
            number = escape_xml(_format_number(value, heat.kind))
            yield (
                f'<text class="small" x="{x + CELL / 2:g}" y="{y + CELL / 2 + 4:g}" '
                f'text-anchor="middle" style="fill: {ink}">{number}</text>'
            )


def _choose_shade(value: float, kind: str) -> tuple[float, str]:
    if kind == "r":
        return min(abs(value), 1.0) ** 1.5, "high" if value >= 0 else "neg"
    steps = ((0.001, 1.0), (0.01, 0.8), (0.05, 0.6), (0.1, 0.2))
    return next((shade for limit, shade in steps if value <= limit), 0.05), "high"


def _format_number(value: float, kind: str) -> str:
    if kind == "p" and value < 0.001:
        return "<.001"
    shown = f"{value:.3f}" if kind == "p" and value < 0.1 else f"{value:.2f}"
    return shown.replace("-0.", "−.").replace("0.", ".", 1)


def _draw_frames(clusters: Sequence[int], left: float, above: float) -> Iterator[str]:
    for cluster in dict.fromkeys(clusters):
        at = [place for place, found in enumerate(clusters) if found == cluster]
        side = len(at) * CELL
        x, y = left + at[0] * CELL, above + at[0] * CELL
        yield (
            f'<rect class="edge" x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}" '
            'style="stroke: var(--c1); stroke-width: 2"/>'
        )
        yield (
            f'<text class="small" x="{x + 5:g}" y="{y + side - 5:g}" '
            f'style="fill: var(--c1)">{cluster}</text>'
        )


def _describe_heatmap(heat: Heatmap) -> str:
    rows = [
        f"{name}: "
        + ", ".join(
            f"{other} {value:.3g}"
            for other, value in zip(heat.names, row, strict=True)
            if value is not None
        )
        for name, row in zip(heat.names, heat.values, strict=True)
    ]
    clusters = ", ".join(
        f"{name} {at}" for name, at in zip(heat.names, heat.clusters, strict=False)
    )
    return f"{heat.caption}. {'; '.join(rows)}. " + (
        f"Clusters: {clusters}." if clusters else ""
    )


HISTOGRAM_WIDTH, HISTOGRAM_HEIGHT = 620.0, 380.0
LEFT, HISTOGRAM_TOP, RIGHT, HISTOGRAM_BOTTOM = 60.0, 58.0, 20.0, 58.0


def draw_histogram(plot: Histogram) -> str:
    """Draw the bars; all of them together are 100 %."""
    total = max(sum(count for _, count in plot.bars), 1)
    shares = [100 * count / total for _, count in plot.bars]
    top = max(shares, default=1.0) * 1.12 or 1.0
    frame = PlotFrame(
        LEFT,
        HISTOGRAM_TOP,
        HISTOGRAM_WIDTH - LEFT - RIGHT,
        HISTOGRAM_HEIGHT - HISTOGRAM_TOP - HISTOGRAM_BOTTOM,
        (-0.6, len(shares) - 0.4),
        (0.0, top),
    )
    bottom = frame.top + frame.height
    body = [
        f'<text class="title" x="16" y="24">{escape_xml(plot.title)}</text>',
        f'<text class="faint" x="16" y="44">{escape_xml(plot.caption)}</text>',
    ]
    for value in choose_ticks(0, top):
        y = frame.y(value)
        body.append(f'<path class="rule" d="M{frame.left:g} {y:g}h{frame.width:g}"/>')
        body.append(
            f'<text class="faint" x="{frame.left - 7:g}" y="{y + 4:g}" '
            f'text-anchor="end">{format_tick(value)} %</text>'
        )
    wide = frame.width / (len(shares) + 0.2) * 0.78
    for at, ((label, count), share) in enumerate(zip(plot.bars, shares, strict=True)):
        x, y = frame.x(at), frame.y(share)
        about = f"{label}: {count:,} of {total:,} ({share:.1f} %)"
        body.append(
            f'<rect style="fill: var(--c0)" x="{x - wide / 2:g}" y="{y:g}" '
            f'width="{wide:g}" '
            f'height="{bottom - y:g}"><title>{escape_xml(about)}</title></rect>'
        )
        body.append(
            f'<text class="small" x="{x:g}" y="{y - 5:g}" text-anchor="middle">'
            f"{share:.0f}</text>"
        )
        body.append(
            f'<text class="faint small" x="{x:g}" y="{bottom + 16:g}" '
            f'text-anchor="middle">{escape_xml(label)}</text>'
        )
    body.append(
        f'<text x="{frame.left + frame.width / 2:g}" y="{bottom + 40:g}" '
        f'text-anchor="middle">{escape_xml(plot.across)}</text>'
    )
    described = "; ".join(
        f"{label} {share:.1f} %"
        for (label, _), share in zip(plot.bars, shares, strict=True)
    )
    return render_svg(
        plot.title,
        f"{plot.across}: {described}.",
        (HISTOGRAM_WIDTH, HISTOGRAM_HEIGHT),
        body,
    )


JUDGE_PLOT_WIDTH, JUDGE_PLOT_HEIGHT = 520.0, 540.0
JUDGE_PLOT_LEFT, JUDGE_PLOT_TOP, JUDGE_PLOT_RIGHT, JUDGE_PLOT_BOTTOM = (
    72.0,
    58.0,
    24.0,
    56.0,
)


def draw_judge_plot(plot: JudgePlot) -> str:
    """Draw the points on one scale both ways, with a line where the judges would agree."""
    low, high = pad_range([end for point in plot.moved for end in point])
    frame = PlotFrame(
        JUDGE_PLOT_LEFT,
        JUDGE_PLOT_TOP,
        JUDGE_PLOT_WIDTH - JUDGE_PLOT_LEFT - JUDGE_PLOT_RIGHT,
        JUDGE_PLOT_HEIGHT - JUDGE_PLOT_TOP - JUDGE_PLOT_BOTTOM,
        (low, high),
        (low, high),
    )
    opacity = max(0.25, min(0.85, 60 / len(plot.given)))
    points = [
        f'<circle style="fill: var(--c0); fill-opacity: {opacity:.2g}" '
        f'cx="{frame.x(x):g}" cy="{frame.y(y):g}" r="3">'
        f"<title>{a:g}, {b:g}</title></circle>"
        for (a, b), (x, y) in zip(plot.given, plot.moved, strict=True)
    ]
    body = [
        f'<text class="title" x="16" y="24">{escape_xml(plot.title)}</text>',
        f'<text class="faint" x="16" y="44">{escape_xml(plot.caption)}</text>',
        *frame.axes(plot.across, plot.down),
        f'<path class="edge" style="stroke-dasharray: 4 4" d="M{frame.x(low):g} '
        f'{frame.y(low):g}L{frame.x(high):g} {frame.y(high):g}"/>',
        *points,
    ]
    described = f"{plot.down} against {plot.across}, {plot.caption}."
    return render_svg(
        plot.title, described, (JUDGE_PLOT_WIDTH, JUDGE_PLOT_HEIGHT), body
    )
