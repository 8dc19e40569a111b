"""Pictures of a campaign: means with their intervals, answer times and progress."""

from collections.abc import Sequence

from metra.errors import format_count
from metra.meta.answers import TimeTable
from metra.meta.rank import ScorerRanking
from metra.report import chart
from metra.report.html.markup import Html, tag

WIDTH = 620
ROW = 30
TOP = 6.0
LONGEST = 24
#: Letters are wider on some machines than we reckon.
ROOM = 16


def draw_ranking(ranking: ScorerRanking) -> Html:
    """Draw each system's mean as a dot and its interval as a line, on the native scale."""
    name = f"{ranking.scorer.name}: {ranking.scorer.direction.words}"
    count = format_count(len(ranking.systems), "system")
    label = f"Means of {count} by {ranking.scorer.name}, with 95 % intervals"
    rows = [*zip(ranking.systems, ranking.means, ranking.intervals, strict=True)]
    return _draw_rows(rows, name, label, ranking.clusters)


def _draw_rows(
    rows: Sequence[tuple[str, float, tuple[float, float] | None]],
    axis: str,
    label: str,
    clusters: Sequence[int] = (),
) -> Html:
    """Draw a dot for each name and a line for its range, with lines between clusters."""
    left = chart.measure_names([name for name, _, _ in rows], LONGEST) + ROOM
    ends = [end for _, value, ends in rows for end in (value, *(ends or ()))]
    scale = chart.AxisScale(*chart.pad_range(ends), left, WIDTH - chart.OVERHANG)
    bottom = TOP + ROW * len(rows)
    marks = chart.draw_x_axis(scale, bottom, TOP, axis)
    for at, (name, value, interval) in enumerate(rows):
        y, edge = TOP + ROW * (at + 0.5), TOP + ROW * at
        if at and clusters and clusters[at] != clusters[at - 1]:
            marks.append(chart.draw_line(0, edge, scale.stop, edge, "cluster"))
        marks.append(chart.draw_row_name(left - 8, y + 4, name, LONGEST))
        hint = f"{name}: {value:.2f}"
        if interval is not None:
            low, high = scale(interval[0]), scale(interval[1])
            marks.append(chart.draw_line(low, y, high, y, "interval"))
            marks += [
                chart.draw_line(x, y - 5, x, y + 5, "interval") for x in (low, high)
            ]
            hint += " ({:.2f} to {:.2f})".format(*interval)
        marks.append(chart.draw_dot(scale(value), y, 5, "mean", hint))
    return chart.make_svg(WIDTH, bottom + 38, label, marks)


def draw_times(times: TimeTable) -> Html:
    """Draw how many answers took how long."""
    tall = 120.0
    highest = max(times.all.counts) or 1
    scale = chart.AxisScale(times.edges[0], times.edges[-1], 10, WIDTH - chart.OVERHANG)
    # The last bar holds what is longer than the axis, too.
    title = "active seconds per answer"
    if times.is_cut:
        title += f" (last bar: {times.edges[-2]:.1f} s or more)"
    marks = chart.draw_x_axis(scale, tall, TOP, title)
    bins = zip(times.edges, times.edges[1:], times.all.counts, strict=False)
    for low, high, count in bins:
        if count:
            size = max(1.0, (tall - TOP) * count / highest)
            is_open = times.is_cut and high == times.edges[-1]
            most = times.all.most if is_open else high
            hint = f"{count} from {low:.0f} to {most:.0f} s"
            marks.append(chart.draw_bar(scale, low, high, (tall, size), hint))
    middle = scale(times.all.median)
    marks.append(chart.draw_line(middle, TOP, middle, tall, "median"))
    label = (
        f"{format_count(times.all.answers, 'answer')}; median {times.all.median:.0f} "
        "seconds"
    )
    return chart.make_svg(WIDTH, tall + 38, label, marks)


def draw_judge_times(times: TimeTable) -> Html:
    """Draw each judge's median as a dot and the middle half of the times as a line."""
    rows = [
        (each.judge, each.median, (each.lower, each.upper)) for each in times.judges
    ]
    label = f"Answer times of {format_count(len(rows), 'judge')}: quartiles and median"
    return _draw_rows(rows, "active seconds per answer", label)


def draw_progress(done: int, of: int) -> Html:
    """Draw the bar of a campaign's progress."""
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
