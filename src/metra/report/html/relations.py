"""Metric against metric: squares for segments, dots for systems.

People against metrics: by segment and by system.
"""

from collections.abc import Sequence

from metra.analysis.relations import Relation
from metra.report import chart
from metra.report.chart import cut
from metra.report.html import trust
from metra.report.html.markup import Html, joined, tag
from metra.report.html.tables import Num, figure, minus, table
from metra.report.layout import counted
from metra.report.study import Study
from metra.stats.moments import Fit

LEFT, TOP, SIDE = 52.0, 8.0, 270.0
HEIGHT = TOP + SIDE + 38
#: More figures than this are more than anybody looks at; the table has all pairs.
MOST = 6
#: Letters of a name beside a dot.
LONGEST = 14


def relations_section(study: Study) -> Html | None:
    """Relate the metrics to each other; nothing where there is one only."""
    relations = study.relations
    if not relations:
        return None
    drawn = relations[:MOST]
    rest = (
        f" The first {MOST} pairs are drawn; the table has all."
        if len(relations) > MOST
        else ""
    )
    return joined(
        tag(
            "p",
            "Where two metrics agree, the squares lie along a line. Each square stands for "
            "the segments, of all systems, whose two scores fall there: the larger, the "
            f"more segments.{rest}",
        ),
        correlations(relations, "How the metrics go together", "metrics"),
        tag("div", [segments_figure(entry) for entry in drawn], class_="figures"),
    )


def correlations(relations: Sequence[Relation], caption: str, name: str) -> Html:
    """List the correlations of every pair."""
    return table(
        [
            "across",
            "up",
            "segments",
            "Pearson",
            "Spearman",
            "systems",
            "Pearson, systems",
        ],
        [
            [
                entry.x,
                entry.y,
                entry.segments,
                Num(entry.pearson, 3),
                Num(entry.spearman, 3),
                len(entry.points),
                Num(entry.systems_pearson, 3),
            ]
            for entry in relations
        ],
        caption=caption,
        name=f"correlations-{name}",
    )


def segments_figure(entry: Relation) -> Html:
    """Draw all segments in squares."""
    x = chart.Scale(_first(entry.x_edges), _last(entry.x_edges), LEFT, LEFT + SIDE)
    y = chart.Scale(_first(entry.y_edges), _last(entry.y_edges), TOP + SIDE, TOP)
    wide = SIDE / (len(entry.x_edges) - 1)
    tall = SIDE / (len(entry.y_edges) - 1)
    most = max((square.count for square in entry.squares), default=1)
    marks = [
        *chart.across(x, TOP + SIDE, TOP, entry.x),
        *chart.upwards(y, LEFT, LEFT + SIDE, entry.y),
    ]
    for square in entry.squares:
        share = max(0.12, (square.count / most) ** 0.5)
        w, h = wide * share, tall * share
        left = LEFT + wide * (square.x + 0.5) - w / 2
        top = TOP + SIDE - tall * (square.y + 0.5) - h / 2
        hint = counted(square.count, "segment")
        marks.append(chart.rect(left, top, w, h, "square", hint))
    label = (
        f"{entry.y} against {entry.x} over {counted(entry.segments, 'segment')}; "
        f"{_correlation(entry)}"
    )
    picture = chart.svg(chart.WIDTH, HEIGHT, label, marks)
    return figure(
        f"{entry.y} against {entry.x}",
        picture,
        _squares(entry),
        note=_correlation(entry),
    )


def systems_figure(entry: Relation, fit: Fit | None = None) -> Html:
    """Draw the systems as dots with their names, and a fitted line with its band."""
    x = chart.Scale(*chart.around([p.x for p in entry.points], 0.12), LEFT, LEFT + SIDE)
    y = chart.Scale(*chart.around([p.y for p in entry.points], 0.12), TOP + SIDE, TOP)
    marks = [
        *chart.across(x, TOP + SIDE, TOP, entry.x),
        *chart.upwards(y, LEFT, LEFT + SIDE, entry.y),
    ]
    if fit is not None:
        first, last = min(p.x for p in entry.points), max(p.x for p in entry.points)
        ends = [(at, fit.slope * at + fit.intercept) for at in (first, last)]
        marks += chart.fit_marks(fit.band, ends, x, y)
    for point in entry.points:
        hint = f"{point.system}: {entry.x} {point.x:.2f}, {entry.y} {point.y:.2f}"
        marks.append(chart.dot(x(point.x), y(point.y), 5, "dot", hint))
    taken = [(x(p.x) - 5, x(p.x) + 5, y(p.y)) for p in entry.points]
    for point in sorted(entry.points, key=lambda p: p.y):
        marks.extend(_name(point.system, x(point.x), y(point.y), taken))
    known = entry.systems_pearson
    note = "too few systems for a correlation"
    if known is not None:
        note = f"Pearson {minus(known, 3)}"
        if fit is not None and fit.band:
            note += "; the band holds the fitted line with 95 %"
    label = f"{entry.y} against {entry.x} over {counted(len(entry.points), 'system')}; {note}"
    return figure(
        f"{entry.y} against {entry.x}, by system",
        chart.svg(chart.WIDTH, HEIGHT, label, marks),
        table(
            ["system", entry.x, entry.y],
            [[p.system, Num(p.x, 3), Num(p.y, 3)] for p in entry.points],
            caption=f"{entry.y} and {entry.x} by system",
            name=f"systems-{entry.x}-{entry.y}",
        ),
        note=note,
    )


def _name(
    name: str, x: float, y: float, taken: list[tuple[float, float, float]]
) -> Sequence[Html]:
    """Write a name around its dot where nothing else stands; else the hint has to do."""
    wide = chart.names_width([name], LONGEST)
    for anchor, place, start, down in (
        ("start", x + 8, x + 6, 0),
        ("end", x - 8, x - wide - 6, 0),
        ("middle", x, x - wide / 2, -12),
        ("middle", x, x - wide / 2, 12),
    ):
        stop, middle = start + wide, y + down
        inside = start > LEFT and stop < LEFT + SIDE + chart.OVERHANG
        if inside and not any(
            abs(middle - b) < 11 and start < last and first < stop
            for first, last, b in taken
        ):
            taken.append((start, stop, middle))
            return (
                chart.chart_text(place, middle + 4, cut(name, LONGEST), "tick", anchor),
            )
    return ()


def _correlation(entry: Relation) -> str:
    if entry.pearson is None or entry.spearman is None:
        return "no correlation: one of the two never varies"
    return f"Pearson {minus(entry.pearson, 3)}, Spearman {minus(entry.spearman, 3)}"


def _first(edges: Sequence[float]) -> float:
    return edges[0]


def _last(edges: Sequence[float]) -> float:
    """End where the last bin would end if it were as wide as the others."""
    return edges[-2] + (edges[1] - edges[0]) if len(edges) > 2 else edges[-1]


def _squares(entry: Relation) -> Html:
    xs, ys = entry.x_edges, entry.y_edges
    return table(
        [f"{entry.x} from", "to", f"{entry.y} from", "to", "segments"],
        [
            [
                Num(xs[square.x]),
                Num(xs[square.x + 1]),
                Num(ys[square.y]),
                Num(ys[square.y + 1]),
                square.count,
            ]
            for square in entry.squares
        ],
        caption=f"Segments by {entry.x} and {entry.y}",
        name=f"segments-{entry.x}-{entry.y}",
    )


def people_section(study: Study) -> Html | None:
    """Hold every metric against the judgements; nothing where there are none."""
    found = study.people
    if found is None:
        return None
    judges = "" if found.judges is None else f" by {counted(found.judges, 'judge')}"
    judged = sum(entry.segments for entry in found.relations[:1])
    trusted = study.trust
    fits = trusted.fits if trusted is not None else {}
    systems = [systems_figure(entry, fits.get(entry.y)) for entry in found.relations]
    segments = [segments_figure(entry) for entry in found.relations]
    return joined(
        tag(
            "p",
            f"{counted(found.judgements, 'judgement')}{judges} of "
            f"{counted(judged, 'output')}. Several judgements of one output are averaged as "
            "they are. A metric that points down (↓) should go with people downwards: its "
            "correlation is then negative.",
        ),
        correlations(found.relations, "How the metrics go with people", "people"),
        tag("div", systems, class_="figures"),
        tag("div", segments, class_="figures"),
        trust.parts(trusted) if trusted is not None else None,
    )
