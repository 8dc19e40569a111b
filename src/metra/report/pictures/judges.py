"""Judges in pictures: how far they lie apart, and one judge's values against another's."""

from metra.meta.judge_plots import Histogram, JudgePlot
from metra.report.chart import (
    AxisScale,
    draw_axes,
    draw_dot,
    draw_line,
    draw_rect,
    draw_text,
    draw_y_axis,
    pad_range,
    render_chart,
)

LEFT, TOP, RIGHT, BOTTOM = 72.0, 58.0, 24.0, 56.0
HISTOGRAM_SIZE = 620.0, 380.0
PLOT_SIZE = 520.0, 540.0


def draw_histogram(plot: Histogram) -> str:
    """Draw the bars with their shares above; all of them together are 100 %."""
    width, height = HISTOGRAM_SIZE
    total = max(sum(count for _, count in plot.bars), 1)
    shares = [100 * count / total for _, count in plot.bars]
    highest = max(shares, default=1.0) * 1.12 or 1.0
    x = AxisScale(-0.6, len(shares) - 0.4, LEFT, width - RIGHT)
    y = AxisScale(0.0, highest, height - BOTTOM, TOP)
    marks = [
        *draw_y_axis(y, x.start, x.stop, most=7, unit=" %"),
        draw_line(x.start, y.start, x.stop, y.start, "axis"),
    ]
    wide = (x.stop - x.start) / (len(shares) + 0.2) * 0.78
    for at, ((label, count), share) in enumerate(zip(plot.bars, shares, strict=True)):
        middle, top = x(at), y(share)
        marks += [
            draw_rect(
                middle - wide / 2,
                top,
                wide,
                y.start - top,
                hint=f"{label}: {count:,} of {total:,} ({share:.1f} %)",
                style="fill: var(--c0)",
            ),
            draw_text(middle, top - 5, f"{share:.0f}", "small", "middle"),
            draw_text(middle, y.start + 16, label, "tick small", "middle"),
        ]
    center = (x.start + x.stop) / 2
    marks.append(draw_text(center, y.start + 40, plot.across, "name", "middle"))
    bars = "; ".join(
        f"{label} {share:.1f} %"
        for (label, _), share in zip(plot.bars, shares, strict=True)
    )
    description = f"{plot.across}: {bars}."
    return render_chart(plot.title, plot.caption, description, HISTOGRAM_SIZE, marks)


def draw_judge_plot(plot: JudgePlot) -> str:
    """Draw the points on one scale both ways, with a line where the judges would agree."""
    width, height = PLOT_SIZE
    low, high = pad_range([end for point in plot.moved for end in point])
    x = AxisScale(low, high, LEFT, width - RIGHT)
    y = AxisScale(low, high, height - BOTTOM, TOP)
    opacity = max(0.25, min(0.85, 60 / len(plot.given)))
    dots = [
        draw_dot(
            x(across),
            y(down),
            3,
            hint=f"{first:g}, {second:g}",
            style=f"fill: var(--c0); fill-opacity: {opacity:.2g}",
        )
        for (first, second), (across, down) in zip(plot.given, plot.moved, strict=True)
    ]
    dashed = "stroke-dasharray: 4 4"
    diagonal = draw_line(x(low), y(low), x(high), y(high), "edge", style=dashed)
    marks = [*draw_axes(x, y, plot.across, plot.down), diagonal, *dots]
    description = f"{plot.down} against {plot.across}, {plot.caption}."
    return render_chart(plot.title, plot.caption, description, PLOT_SIZE, marks)
