"""Judges in pictures: how far they lie apart, and one judge's values against another's."""

from metra.meta.charts import Histogram, JudgePlot
from metra.report import chart
from metra.report.html.markup import Html

#: The widths of a histogram and of a plot of two judges, and the room round them.
HISTOGRAM_WIDTH, PLOT_WIDTH = 620.0, 520.0
LEFT, TOP, RIGHT, BOTTOM = 72.0, 58.0, 24.0, 56.0


def draw_histogram(plot: Histogram, layout: chart.PictureLayout = chart.SCREEN) -> str:
    """Draw a histogram as a file of its own."""
    shares = zip(plot.bars, _compute_shares(plot), strict=True)
    bars = "; ".join(f"{label} {share:.1f} %" for (label, _), share in shares)
    width = layout.choose_width(HISTOGRAM_WIDTH)
    left, bottom = layout.choose_room(LEFT, 52), layout.choose_room(BOTTOM, 40)
    height = min(380.0, TOP + bottom + 0.5 * width)
    frame = chart.PlotFrame(left, TOP, width - RIGHT, height - bottom)
    marks, size = plot_histogram(plot, frame), (width, height)
    description = f"{plot.across}: {bars}."
    return chart.render_chart(
        plot.title, plot.caption, description, size, marks, layout
    )


def plot_histogram(plot: Histogram, frame: chart.PlotFrame) -> list[Html]:
    """Draw the bars with their shares above; all of them together are 100 %."""
    total = sum(count for _, count in plot.bars)
    shares = _compute_shares(plot)
    x = frame.x_scale(-0.6, len(shares) - 0.4)
    y = frame.y_scale(0.0, max(shares, default=1.0) * 1.12 or 1.0)
    marks = [
        *chart.draw_y_axis(y, x.start, x.stop, most=frame.ticks, unit=" %"),
        chart.draw_line(x.start, y.start, x.stop, y.start, "axis"),
    ]
    step = (x.stop - x.start) / (len(shares) + 0.2)
    wide = step * 0.78
    widest = max((chart.measure_text(label) for label, _ in plot.bars), default=0.0)
    every = 1 + int((widest + 4) / step)
    for at, ((label, count), share) in enumerate(zip(plot.bars, shares, strict=True)):
        middle, top = x(at), y(share)
        hint = f"{label}: {count:,} of {total:,} ({share:.1f} %)"
        marks.append(
            chart.draw_rect(middle - wide / 2, top, wide, y.start - top, "bar", hint)
        )
        if wide > chart.measure_text("100"):
            marks.append(
                chart.draw_text(middle, top - 5, f"{share:.0f}", "cell", "middle")
            )
        if at % every == 0:
            marks.append(chart.draw_text(middle, y.start + 15, label, "tick", "middle"))
    center = (x.start + x.stop) / 2
    marks.append(chart.draw_text(center, y.start + 32, plot.across, "name", "middle"))
    return marks


def _compute_shares(plot: Histogram) -> list[float]:
    total = max(sum(count for _, count in plot.bars), 1)
    return [100 * count / total for _, count in plot.bars]


def draw_judge_plot(plot: JudgePlot, layout: chart.PictureLayout = chart.SCREEN) -> str:
    """Draw two judges' values as a file of its own."""
    width = layout.choose_width(PLOT_WIDTH)
    # Both axes are equally long.
    left, bottom = layout.choose_room(LEFT, 52), layout.choose_room(BOTTOM, 40)
    height = width - left - RIGHT + TOP + bottom
    frame = chart.PlotFrame(left, TOP, width - RIGHT, height - bottom)
    marks, size = plot_judges(plot, frame), (width, height)
    description = f"{plot.down} against {plot.across}, {plot.caption}."
    return chart.render_chart(
        plot.title, plot.caption, description, size, marks, layout
    )


def plot_judges(plot: JudgePlot, frame: chart.PlotFrame) -> list[Html]:
    """Draw the points on one scale both ways, with a line where the judges would agree."""
    low, high = chart.pad_range([end for point in plot.moved for end in point])
    x, y = frame.x_scale(low, high), frame.y_scale(low, high)
    opacity = max(0.3, min(0.85, 60 / len(plot.given)))
    marks = chart.draw_axes(x, y, plot.across, plot.down, most=frame.ticks)
    marks.append(chart.draw_line(x(low), y(low), x(high), y(high), "baseline"))
    for (first, second), (across, down) in zip(plot.given, plot.moved, strict=True):
        hint = f"{first:g}, {second:g}"
        marks.append(
            chart.draw_dot(x(across), y(down), 3, "judged", hint, fill_opacity=opacity)
        )
    return marks
