"""Pictures of a campaign: means with their intervals, answer times and progress."""

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
    systems, means, intervals = ranking.systems, ranking.means, ranking.intervals
    left = chart.measure_names(systems, LONGEST) + ROOM
    ends = [*means, *(end for interval in intervals for end in interval or ())]
    scale = chart.AxisScale(*chart.pad_range(ends), left, WIDTH - chart.OVERHANG)
    bottom = TOP + ROW * len(systems)
    name = f"{ranking.scorer.name}: {ranking.scorer.direction.words}"
    marks = chart.draw_x_axis(scale, bottom, TOP, name)
    before = ranking.clusters[0]
    for at, system in enumerate(systems):
        mean, interval, y = means[at], intervals[at], TOP + ROW * (at + 0.5)
        if ranking.clusters[at] != before:
            edge = TOP + ROW * at
            marks.append(chart.draw_line(0, edge, scale.stop, edge, "cluster"))
            before = ranking.clusters[at]
        marks.append(chart.draw_row_name(left - 8, y + 4, system, LONGEST))
        hint = f"{system}: {mean:.2f}"
        if interval is not None:
            low, high = (scale(end) for end in interval)
            for place in (
                (low, y, high, y),
                *((x, y - 5, x, y + 5) for x in (low, high)),
            ):
                marks.append(chart.draw_line(*place, "interval"))
            hint += " ({:.2f} to {:.2f})".format(*interval)
        marks.append(chart.draw_dot(scale(mean), y, 5, "mean", hint))
    count = format_count(len(systems), "system")
    label = f"Means of {count} by {ranking.scorer.name}, with 95 % intervals"
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
    """Draw each judge's middle half as a box, the median as a line."""
    names = [entry.judge for entry in times.judges]
    left = chart.measure_names(names, LONGEST) + ROOM
    scale = chart.AxisScale(0.0, times.edges[-1], left, WIDTH - chart.OVERHANG)
    bottom = TOP + ROW * len(names)
    end = times.edges[-1]
    title = "active seconds per answer"
    if times.is_cut:
        title += f" (times above {end:.1f} s are drawn at the right end)"
    marks = chart.draw_x_axis(scale, bottom, TOP, title)
    for at, entry in enumerate(times.judges):
        y = TOP + ROW * (at + 0.5)
        ends = entry.least, entry.lower, entry.median, entry.upper, entry.most
        least, lower, middle, upper, most = (scale(min(end, one)) for one in ends)
        hint = (
            f"{entry.judge}: {entry.lower:.0f} to {entry.upper:.0f} s, "
            f"median {entry.median:.0f} s, longest {entry.most:.0f} s"
        )
        marks += [
            chart.draw_row_name(left - 8, y + 4, entry.judge, LONGEST),
            chart.draw_line(least, y, most, y, "interval"),
            chart.draw_rect(lower, y - 8, max(2.0, upper - lower), 16, "box", hint),
            chart.draw_line(middle, y - 8, middle, y + 8, "median"),
        ]
    label = f"Answer times of {format_count(len(names), 'judge')}: quartiles and median"
    return chart.make_svg(WIDTH, bottom + 38, label, marks)


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
