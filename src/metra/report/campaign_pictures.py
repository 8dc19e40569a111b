"""Pictures of a campaign: means with their intervals, and how long answers took."""

from metra.judging.ranking import Ranking
from metra.judging.times import Times, TimeTable
from metra.report.html import chart
from metra.report.html.markup import Html, tag

WIDTH = 620
ROW = 30
_TOP = 6.0
_LONGEST_NAME = 24
#: Letters are wider on some machines than we reckon.
_ROOM = 16


def ranking_picture(ranking: Ranking) -> Html:
    """Draw each system's mean as a dot and its interval as a line, on the native scale."""
    names = [one.mean.system for one in ranking.systems]
    left = chart.names_width(names, _LONGEST_NAME) + _ROOM
    ends = [
        end
        for one in ranking.systems
        for end in (*(one.mean.native_interval or ()), one.mean.native)
    ]
    scale = chart.Scale(*chart.around(ends), left, WIDTH - chart.OVERHANG)
    bottom = _TOP + ROW * len(names)
    direction = "higher" if ranking.higher_is_better else "lower"
    marks = chart.across(
        scale, bottom, _TOP, f"{ranking.scorer}: {direction} is better"
    )
    before = ranking.systems[0].cluster if ranking.systems else None
    for at, one in enumerate(ranking.systems):
        y = _TOP + ROW * (at + 0.5)
        if one.cluster != before:
            edge = _TOP + ROW * at
            marks.append(chart.line(0, edge, scale.stop, edge, "cluster"))
            before = one.cluster
        marks.append(chart.row_name(left - 8, y + 4, one.mean.system, _LONGEST_NAME))
        said = f"{one.mean.system}: {one.mean.native:.2f}"
        if one.mean.native_interval is not None:
            low, high = one.mean.native_interval
            marks.append(chart.line(scale(low), y, scale(high), y, "interval"))
            marks += [
                chart.line(scale(end), y - 5, scale(end), y + 5, "interval")
                for end in (low, high)
            ]
            said += f" ({low:.2f} to {high:.2f})"
        marks.append(chart.dot(scale(one.mean.native), y, 5, "mean", said))
    label = f"Means of {len(names)} systems by {ranking.scorer}, with their intervals"
    return chart.svg(WIDTH, bottom + 38, label, marks)


def time_picture(times: TimeTable) -> Html:
    """Draw how many answers took how long."""
    tall = 120.0
    highest = max(times.all.counts) or 1
    scale = chart.Scale(times.edges[0], times.edges[-1], 10, WIDTH - chart.OVERHANG)
    marks = chart.across(scale, tall, _TOP, "active seconds an answer")
    for low, high, count in zip(
        times.edges, times.edges[1:], times.all.counts, strict=False
    ):
        if count:
            size = max(1.0, (tall - _TOP) * count / highest)
            x, wide = scale(low) + 0.5, max(1.0, scale(high) - scale(low) - 1)
            hint = f"{count} from {low:.0f} to {high:.0f} s"
            marks.append(chart.rect(x, tall - size, wide, size, "bar", hint))
    middle = scale(times.all.median)
    marks.append(chart.line(middle, _TOP, middle, tall, "median"))
    label = (
        f"{times.all.answers} answers; half of them took less than "
        f"{times.all.median:.0f} seconds"
    )
    return chart.svg(WIDTH, tall + 38, label, marks)


def judges_times_picture(times: TimeTable) -> Html:
    """Draw each judge's middle half as a box, the median as a line."""
    names = [one.judge for one in times.judges]
    left = chart.names_width(names, _LONGEST_NAME) + _ROOM
    scale = chart.Scale(0.0, times.edges[-1], left, WIDTH - chart.OVERHANG)
    bottom = _TOP + ROW * len(names)
    marks = chart.across(scale, bottom, _TOP, "active seconds an answer")
    for at, one in enumerate(times.judges):
        marks += _box(one, scale, left, _TOP + ROW * (at + 0.5))
    label = f"How long {len(names)} judges took for an answer: the middle half of each"
    return chart.svg(WIDTH, bottom + 38, label, marks)


def _box(one: Times, scale: chart.Scale, left: float, y: float) -> list[Html]:
    lower, upper, middle = scale(one.lower), scale(one.upper), scale(one.median)
    hint = (
        f"{one.judge}: {one.lower:.0f} to {one.upper:.0f} s, median {one.median:.0f} s"
    )
    return [
        chart.row_name(left - 8, y + 4, one.judge, _LONGEST_NAME),
        chart.line(scale(one.least), y, scale(one.most), y, "interval"),
        chart.rect(lower, y - 8, max(2.0, upper - lower), 16, "box", hint),
        chart.line(middle, y - 8, middle, y + 8, "median"),
    ]


def progress_picture(done: int, of: int) -> Html:
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
