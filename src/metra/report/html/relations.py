"""Metric against metric: squares for segments, dots for systems.

People against metrics: by segment and by system.
"""

from collections.abc import Sequence

from metra.analysis.relations import ScoreRelation
from metra.report import chart
from metra.report.html.markup import Html, join_markup, tag
from metra.report.html.tables import (
    build_figure,
    build_html_table,
    format_with_minus,
)
from metra.report.pictures.scatter import plot_points
from metra.report.study import Study
from metra.report.table import format_count
from metra.scoring.table import Cell
from metra.stats.line_fit import LineFit

#: More figures than this are more than anybody looks at; the table has all pairs.
MOST = 6
#: Letters of a name beside a dot.
LONGEST = 14


def build_relations_section(study: Study) -> Html | None:
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
    return join_markup(
        tag(
            "p",
            "Where two metrics agree, the squares lie along a line. Each square stands for "
            "the segments, of all systems, whose two scores fall there: the larger, the "
            f"more segments.{rest}",
        ),
        build_correlations_table(relations, "How the metrics go together", "metrics"),
        tag("div", [draw_segments_figure(entry) for entry in drawn], class_="figures"),
    )


def build_correlations_table(
    relations: Sequence[ScoreRelation], caption: str, name: str
) -> Html:
    """List the correlations of every pair."""
    return build_html_table(
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
                Cell(entry.pearson, digits=3),
                Cell(entry.spearman, digits=3),
                len(entry.points),
                Cell(entry.systems_pearson, digits=3),
            ]
            for entry in relations
        ],
        caption=caption,
        name=f"correlations-{name}",
    )


def draw_segments_figure(entry: ScoreRelation) -> Html:
    """Draw all segments in squares."""
    frame = chart.PAGE_FRAME
    x = frame.x_scale(entry.x_edges[0], _get_last_edge(entry.x_edges))
    y = frame.y_scale(entry.y_edges[0], _get_last_edge(entry.y_edges))
    wide = (frame.right - frame.left) / (len(entry.x_edges) - 1)
    tall = (frame.bottom - frame.top) / (len(entry.y_edges) - 1)
    most = max((square.count for square in entry.squares), default=1)
    marks = chart.draw_axes(x, y, entry.x, entry.y)
    for square in entry.squares:
        share = max(0.12, (square.count / most) ** 0.5)
        w, h = wide * share, tall * share
        left = frame.left + wide * (square.x + 0.5) - w / 2
        top = frame.bottom - tall * (square.y + 0.5) - h / 2
        hint = format_count(square.count, "segment")
        marks.append(chart.draw_rect(left, top, w, h, "square", hint))
    label = (
        f"{entry.y} against {entry.x} over {format_count(entry.segments, 'segment')}; "
        f"{_format_correlation(entry)}"
    )
    picture = chart.make_svg(chart.WIDTH, chart.PAGE_HEIGHT, label, marks)
    return build_figure(
        f"{entry.y} against {entry.x}",
        picture,
        _build_squares_table(entry),
        note=_format_correlation(entry),
    )


def draw_systems_figure(entry: ScoreRelation, fit: LineFit | None = None) -> Html:
    """Draw the systems as dots with their names, and a fitted line with its band."""
    from metra.meta.scatter import ScatterPoints

    cloud = ScatterPoints(
        title="",
        across=entry.x,
        down=entry.y,
        names=[point.system for point in entry.points],
        x=[point.x for point in entry.points],
        y=[point.y for point in entry.points],
        classes=[""] * len(entry.points),
        outliers=[False] * len(entry.points),
        fit=fit,
        caption="",
    )
    marks = plot_points(cloud, chart.PAGE_FRAME, longest=LONGEST)
    known = entry.systems_pearson
    note = "too few systems for a correlation"
    if known is not None:
        note = f"Pearson {format_with_minus(known, 3)}"
        if fit is not None and fit.band:
            note += "; the band holds the fitted line with 95 %"
    label = (
        f"{entry.y} against {entry.x} over "
        f"{format_count(len(entry.points), 'system')}; {note}"
    )
    return build_figure(
        f"{entry.y} against {entry.x}, by system",
        chart.make_svg(chart.WIDTH, chart.PAGE_HEIGHT, label, marks),
        build_html_table(
            ["system", entry.x, entry.y],
            [
                [p.system, Cell(p.x, digits=3), Cell(p.y, digits=3)]
                for p in entry.points
            ],
            caption=f"{entry.y} and {entry.x} by system",
            name=f"systems-{entry.x}-{entry.y}",
        ),
        note=note,
    )


def _format_correlation(entry: ScoreRelation) -> str:
    if entry.pearson is None or entry.spearman is None:
        return "no correlation: one of the two never varies"
    return (
        f"Pearson {format_with_minus(entry.pearson, 3)}, Spearman "
        f"{format_with_minus(entry.spearman, 3)}"
    )


def _get_last_edge(edges: Sequence[float]) -> float:
    """End where the last bin would end if it were as wide as the others."""
    return edges[-2] + (edges[1] - edges[0]) if len(edges) > 2 else edges[-1]


def _build_squares_table(entry: ScoreRelation) -> Html:
    xs, ys = entry.x_edges, entry.y_edges
    return build_html_table(
        [f"{entry.x} from", "to", f"{entry.y} from", "to", "segments"],
        [
            [
                Cell(xs[square.x]),
                Cell(xs[square.x + 1]),
                Cell(ys[square.y]),
                Cell(ys[square.y + 1]),
                square.count,
            ]
            for square in entry.squares
        ],
        caption=f"Segments by {entry.x} and {entry.y}",
        name=f"segments-{entry.x}-{entry.y}",
    )


def build_judgements_section(study: Study) -> Html | None:
    """Hold every metric against the judgements; nothing where there are none."""
    found = study.people
    if found is None:
        return None
    # Most reports have no judgements, and need nothing of what trust is computed from.
    from metra.report.html.trust import build_trust_parts

    judges = (
        "" if found.judges is None else f" by {format_count(found.judges, 'judge')}"
    )
    judged = sum(entry.segments for entry in found.relations[:1])
    trusted = study.trust
    systems = [
        draw_systems_figure(entry, found.fits.get(entry.y)) for entry in found.relations
    ]
    segments = [draw_segments_figure(entry) for entry in found.relations]
    return join_markup(
        tag(
            "p",
            f"{format_count(found.judgements, 'judgement')}{judges} of "
            f"{format_count(judged, 'output')}. Several judgements of one output are "
            "averaged as "
            "they are. A metric that points down (↓) should go with people downwards: its "
            "correlation is then negative.",
        ),
        build_correlations_table(
            found.relations, "How the metrics go with people", "people"
        ),
        tag("div", systems, class_="figures"),
        tag("div", segments, class_="figures"),
        build_trust_parts(trusted) if trusted is not None else None,
    )
