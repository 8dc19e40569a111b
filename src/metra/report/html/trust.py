"""How far metrics and people can be trusted, in pictures with their data."""

import math

from metra.meta.compare import MetricComparison
from metra.meta.trust import JudgeSummary, LengthCurve, TrustReport
from metra.report import chart
from metra.report.chart import shorten_word
from metra.report.html.markup import Html, join_markup, tag
from metra.report.html.tables import (
    NumberCell,
    build_figure,
    build_html_table,
    format_with_minus,
    make_interval_cell,
)
from metra.report.table import format_count

LEFT, TOP, SIDE = 52.0, 8.0, 270.0
HEIGHT = TOP + SIDE + 38
#: Colours before they repeat.
COLOURS = 6
#: Letters of a name at the end of a line, or before a row.
LONGEST = 16
CELL = 38.0
#: How dark a cell is whose p-value is at most so much; ink stays readable on the darkest.
SHADES = ((0.001, 0.5), (0.01, 0.38), (0.05, 0.26))


def build_trust_parts(found: TrustReport) -> Html:
    """Show all that there is; what is not there is explained."""
    figures = []
    if found.comparison is not None:
        figures.append(_draw_comparison(found.comparison))
    if found.curve is not None:
        figures.append(_draw_curve(found.curve))
    if found.judges is not None:
        figures += [_draw_judge_pair(found.judges), _draw_gaps(found.judges)]
    return join_markup(
        tag("h3", "How far they can be trusted"),
        _build_agreement_table(found) if found.agreement else None,
        tag("div", figures, class_="figures") if figures else None,
        [tag("p", note, class_="note") for note in found.notes],
    )


def _build_agreement_table(found: TrustReport) -> Html:
    levels = {"sys": "systems", "seg": "segments"}
    return build_html_table(
        ["metric", "of", "Pearson", "values"],
        [
            [
                row.metric,
                levels[row.level],
                make_interval_cell(
                    row.value,
                    row.interval,
                    _format_with_interval(row.value, row.interval),
                ),
                row.n,
            ]
            for row in found.agreement
        ],
        caption="Agreement with people, higher being better, with 95 % intervals over "
        "resampled systems and segments; a metric scores a system by its judged segments "
        "alone here, by all of them above",
        name="agreement",
    )


def _format_with_interval(value: float, interval: tuple[float, float] | None) -> str:
    if interval is None:
        return format_with_minus(value, 3)
    return (
        f"{format_with_minus(value, 3)} [{format_with_minus(interval[0], 3)}, "
        f"{format_with_minus(interval[1], 3)}]"
    )


def _draw_comparison(found: MetricComparison) -> Html:
    """Draw p-values, the row better than the column, and a frame round each cluster."""
    size = len(found.names)
    left = chart.measure_names([f"{size} {name}" for name in found.names], LONGEST)
    left = max(left, chart.WIDTH - 20 - size * CELL if size < 5 else 0)
    top = 24.0
    marks = []
    for i, name in enumerate(found.names):
        y = top + i * CELL + CELL / 2 + 4
        marks.append(chart.draw_row_name(left - 8, y, f"{i + 1} {name}", LONGEST))
        x = left + i * CELL + CELL / 2
        marks.append(chart.draw_text(x, top - 8, str(i + 1), "name", "middle"))
        for j in range(i + 1, size):
            marks += _draw_cell(found, i, j, left + j * CELL, top + i * CELL)
    for cluster in dict.fromkeys(found.clusters):
        at = [place for place, each in enumerate(found.clusters) if each == cluster]
        start, side = at[0] * CELL, len(at) * CELL
        marks.append(chart.draw_rect(left + start, top + start, side, side, "frame"))
    values = ", ".join(
        f"{name} {format_with_minus(value, 3)} (cluster {cluster})"
        for name, value, cluster in zip(
            found.names, found.values.tolist(), found.clusters, strict=True
        )
    )
    label = (
        f"p-values that one metric agrees no better with people than another: {values}"
    )
    wide = max(left + size * CELL + 8, float(chart.WIDTH))
    return build_figure(
        "Which metrics agree better with people",
        chart.make_svg(wide, top + size * CELL + 8, label, marks),
        build_html_table(
            ["better", "worse", "difference", "p-value"],
            [
                [
                    found.names[i],
                    found.names[j],
                    NumberCell(float(found.values[i] - found.values[j]), 3),
                    NumberCell(_replace_nan(found.p[i, j]), 4),
                ]
                for i in range(size)
                for j in range(i + 1, size)
            ],
            caption="p-values of differences in Pearson's r over segments",
            name="metric-p-values",
        ),
        note=f"p-values that the row is no better than the column ({found.test}), by "
        "Pearson's r over segments; a frame is a cluster, whose metrics are as good as each "
        "other as far as can be told",
    )


def _draw_cell(
    found: MetricComparison, i: int, j: int, x: float, y: float
) -> list[Html]:
    value = _replace_nan(found.p[i, j])
    if value is None:
        return []
    shade = next((dark for limit, dark in SHADES if value <= limit), 0.06)
    hint = f"{found.names[i]} better than {found.names[j]}: p = {value:.4g}"
    shown = "<.001" if value < 0.001 else f"{value:.3f}".replace("0.", ".", 1)
    return [
        chart.draw_rect(
            x + 1, y + 1, CELL - 2, CELL - 2, "heat", hint, fill_opacity=shade
        ),
        chart.draw_text(x + CELL / 2, y + CELL / 2 + 4, shown, "cell", "middle"),
    ]


def _draw_curve(found: LengthCurve) -> Html:
    """Draw a line a metric over the lengths of documents, people's own dashed."""
    names = list(found.means)
    room = chart.measure_names(names, LONGEST)
    right = chart.WIDTH - room
    values = [v for line in found.means.values() for v in line if not math.isnan(v)]
    x = chart.AxisScale(0, max(len(found.lengths) - 1, 1), LEFT, right - 6)
    low, high = chart.pad_range(values or [0.0, 1.0])
    y = chart.AxisScale(low, high, TOP + SIDE, TOP)
    marks = [*chart.draw_y_axis(y, LEFT, right, "mean Spearman")]
    free = right  # from the longest on, which must be named, as far as there is room
    for at, length in reversed(list(enumerate(found.lengths))):
        half = len(str(length)) * 3.6 + 2
        if x(at) + half <= free + (half if free == right else 0):
            marks.append(
                chart.draw_text(x(at), TOP + SIDE + 14, str(length), "name", "middle")
            )
            free = x(at) - half
    marks.append(chart.draw_line(LEFT, TOP + SIDE, right, TOP + SIDE, "axis"))
    middle = (LEFT + right) / 2
    marks.append(
        chart.draw_text(
            middle, TOP + SIDE + 30, "segments in a document", "name", "middle"
        )
    )
    ends = []
    for at, (name, line) in enumerate(found.means.items()):
        kind = f"series-{at % COLOURS}"
        known = [(x(place), y(v)) for place, v in enumerate(line) if not math.isnan(v)]
        dashed = " dashed" if name == found.judges or at >= COLOURS else ""
        points = " ".join(f"{a:g},{b:g}" for a, b in known)
        marks.append(tag("polyline", points=points, class_=f"curve {kind}{dashed}"))
        for place, value in enumerate(line):
            if not math.isnan(value):
                hint = f"{name}, {found.lengths[place]}: {value:.3f}"
                marks.append(
                    chart.draw_dot(x(place), y(value), 2.5, f"point {kind}", hint)
                )
        if known:
            ends.append((known[-1][1], name, kind))
    marks += _spread_names(ends, right + 6)
    label = "Mean Spearman with people by length of document: " + "; ".join(
        f"{name} {', '.join('–' if math.isnan(v) else f'{v:.2f}' for v in line)}"
        for name, line in found.means.items()
    )
    return build_figure(
        "Agreement by length of document",
        chart.make_svg(chart.WIDTH, HEIGHT, label, marks),
        build_html_table(
            ["segments", *names],
            [
                [
                    length,
                    *(NumberCell(_replace_nan(found.means[n][at]), 3) for n in names),
                ]
                for at, length in enumerate(found.lengths)
            ],
            caption="Mean Spearman of systems on documents of segments drawn at random",
            name="document-length",
        ),
        note="systems ranked on documents of segments drawn at random; "
        + (
            "the dashed line is one judgement against another"
            if found.judges in found.means
            else "nothing was judged twice, so people are not held against people"
        ),
    )


def _spread_names(ends: list[tuple[float, str, str]], x: float) -> list[Html]:
    """Write names at the ends of lines, moved apart where they would meet."""
    ends = sorted(ends)
    places = [y for y, _, _ in ends]
    for at in range(1, len(places)):
        places[at] = max(places[at], places[at - 1] + 13)
    over = max(places[-1] - (TOP + SIDE), 0) if places else 0
    places = [place - over for place in places]
    return [
        chart.draw_text(
            x, place + 4, shorten_word(name, LONGEST), f"end {kind}", "start"
        )
        for place, (_, name, kind) in zip(places, ends, strict=True)
    ]


def _draw_judge_pair(found: JudgeSummary) -> Html:
    """Draw two judges' values of the same outputs, points moved so that each is seen."""
    plot = found.plot
    ends = [end for point in plot.moved for end in point]
    low, high = chart.pad_range(ends)
    x = chart.AxisScale(low, high, LEFT, LEFT + SIDE)
    y = chart.AxisScale(low, high, TOP + SIDE, TOP)
    faint = max(0.3, min(0.85, 60 / len(plot.given)))
    marks = [
        *chart.draw_x_axis(x, TOP + SIDE, TOP, plot.across),
        *chart.draw_y_axis(y, LEFT, LEFT + SIDE, plot.down),
        chart.draw_line(x(low), y(low), x(high), y(high), "baseline"),
    ]
    for (a, b), (u, v) in zip(plot.given, plot.moved, strict=True):
        hint = f"{a:g}, {b:g}"
        marks.append(chart.draw_dot(x(u), y(v), 3, "judged", hint, fill_opacity=faint))
    counts: dict[tuple[float, float], int] = {}
    for point in plot.given:
        counts[point] = counts.get(point, 0) + 1
    return build_figure(
        "The two judges who agree least",
        chart.make_svg(
            chart.WIDTH,
            HEIGHT,
            f"{plot.down} against {plot.across}, {plot.caption}",
            marks,
        ),
        build_html_table(
            [plot.across, plot.down, "outputs"],
            [
                [NumberCell(a), NumberCell(b), count]
                for (a, b), count in sorted(counts.items())
            ],
            caption=f"{plot.across} and {plot.down}",
            name="judge-pair",
        ),
        note=plot.caption,
    )


def _draw_gaps(found: JudgeSummary) -> Html:
    """Draw how far apart two judgements of one output are."""
    bars = found.gaps.bars
    most = max((count for _, count in bars), default=1)
    x = chart.AxisScale(0, max(len(bars), 1), LEFT, LEFT + SIDE)
    y = chart.AxisScale(0, most, TOP + SIDE, TOP)
    marks = [*chart.draw_y_axis(y, LEFT, LEFT + SIDE, "pairs of judgements")]
    step = 1 + len(bars) // 7
    for at, (name, count) in enumerate(bars):
        tall = TOP + SIDE - y(count)
        wide = x(at + 1) - x(at)
        hint = f"{name}: {format_count(count, 'pair')}"
        marks.append(chart.draw_rect(x(at) + 1, y(count), wide - 2, tall, "bar", hint))
        if at % step == 0:
            marks.append(
                chart.draw_text(
                    x(at) + wide / 2, TOP + SIDE + 14, name, "name", "middle"
                )
            )
    marks.append(
        chart.draw_text(
            LEFT + SIDE / 2, TOP + SIDE + 30, found.gaps.across, "name", "middle"
        )
    )
    alpha = found.values.get("alpha interval", math.nan)
    said = (
        ""
        if math.isnan(alpha)
        else f"; Krippendorff's alpha {format_with_minus(alpha, 3)}"
    )
    return build_figure(
        "How far apart two judgements of one output are",
        chart.make_svg(
            chart.WIDTH, HEIGHT, f"{found.gaps.title}: {found.gaps.caption}", marks
        ),
        build_html_table(
            [found.gaps.across, "pairs"],
            [[name, count] for name, count in bars],
            caption=found.gaps.title,
            name="judge-gaps",
        ),
        note=f"{found.gaps.caption}{said}",
    )


def _replace_nan(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
