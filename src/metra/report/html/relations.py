"""Segment scores: how they are spread, and how metrics go with each other and with people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metra.analysis.relations import Distribution, ScoreRelation
from metra.errors import format_count
from metra.report import chart
from metra.report.html import tables
from metra.report.html.markup import Html, join_markup, tag
from metra.report.study import Study
from metra.report.writers.headings import format_metric_heading, join_names
from metra.scoring.table import Cell, Column, Table, make_table

if TYPE_CHECKING:
    from metra.meta.people import PeopleScores

#: More figures than this are more than anybody looks at; the table has all pairs.
MOST = 6
#: The height of a system's strip in a distribution, and of its highest bar.
STRIP = 30
STRIP_BAR = 22


def build_distributions_section(study: Study) -> Html:
    """Draw every metric's distribution."""
    scores = study.results.systems[0].scores
    names = [entry.name for entry in study.standing.rank_systems()]
    figures = [
        tables.build_figure(
            format_metric_heading(entry.spec, scores[entry.spec]),
            _draw_distribution(entry, names),
            _build_distribution_table(entry, names),
        )
        for entry in study.distributions
    ]
    lead = (
        "Histogram of segment scores for each system. All histograms in a chart share "
        "bins and scale; the short line marks the median."
    )
    return join_markup(tag("p", lead), tag("div", figures, class_="figures"))


def _draw_distribution(distribution: Distribution, names: Sequence[str]) -> Html:
    left = chart.measure_names(names)
    edges = _equalize_edges(distribution.edges)
    scale = chart.AxisScale(edges[0], edges[-1], left, chart.WIDTH - chart.OVERHANG)
    highest = max(max(counts) for counts in distribution.counts.values()) or 1
    bottom = STRIP * len(names) + 4.0
    marks = chart.draw_x_axis(scale, bottom, 4)
    for row, name in enumerate(names):
        base = 4.0 + STRIP * (row + 1)
        marks.append(chart.draw_row_name(left - 8, base - 6, name))
        bins = zip(edges, edges[1:], distribution.counts[name], strict=False)
        for low, high, count in bins:
            if count:
                tall = max(1.0, STRIP_BAR * count / highest)
                hint = f"{name}: {count:,} from {low:g} to {high:g}"
                marks.append(chart.draw_bar(scale, low, high, (base, tall), hint))
        median, top = scale(distribution.medians[name]), base - STRIP_BAR - 3
        marks.append(chart.draw_line(median, top, median, base, "median"))
        marks.append(chart.draw_line(left, base, scale.stop, base, "axis"))
    medians = [f"{name} {distribution.medians[name]:.2f}" for name in names]
    label = (
        f"Distribution of segment scores by {distribution.spec}; "
        f"medians: {', '.join(medians)}"
    )
    return chart.make_svg(chart.WIDTH, bottom + chart.AXIS, label, marks)


def _equalize_edges(edges: Sequence[float]) -> list[float]:
    """Draw a last bin that reaches far out as wide as the others."""
    last = edges[-2] + (edges[1] - edges[0]) if len(edges) > 2 else edges[-1]
    return [*edges[:-1], last]


def _build_distribution_table(distribution: Distribution, names: Sequence[str]) -> Html:
    counts = [distribution.counts[name] for name in names]
    edges, spec = distribution.edges, distribution.spec
    rows = [[*map(Cell, row)] for row in zip(edges, edges[1:], *counts, strict=False)]
    columns = [Column(name) for name in ("from", "to", *names)]
    about = f"Segments by {spec}", f"distribution-{spec}"
    return tables.convert_table(Table(columns, rows, *about))


def build_relations_section(study: Study) -> Html | None:
    """Relate the metrics to each other; nothing where there is one only."""
    relations = study.relations
    if not relations:
        return None
    lead = (
        "Each square stands for the segments of all systems with these two scores; "
        "larger squares hold more segments. Where two metrics agree, the squares lie "
        "along a line."
    )
    if len(relations) > MOST:
        lead += f" The charts show the first {MOST} pairs; the table has all."
    return join_markup(
        tag("p", lead),
        _build_correlations_table(relations, "Correlation between metrics", "metrics"),
        tag("div", map(_draw_segments_figure, relations[:MOST]), class_="figures"),
    )


def _build_correlations_table(
    relations: Sequence[ScoreRelation], caption: str, name: str
) -> Html:
    """List the correlations of every pair."""
    numbers = ("segments", "Pearson", "Spearman", "systems", "Pearson, systems")
    columns = [
        Column("y-axis", "left"),
        *(Column(title, digits=3) for title in numbers),
    ]
    rows = []
    for entry in relations:
        pair = entry.pearson, entry.spearman
        figures = entry.segments, *pair, len(entry.points), entry.systems_pearson
        rows.append((entry.x, [Cell(entry.y), *map(Cell, figures)]))
    about = {"caption": caption, "name": f"correlations-{name}"}
    return tables.convert_table(make_table("x-axis", columns, rows, **about))


def _draw_segments_figure(entry: ScoreRelation) -> Html:
    """Draw all segments in squares."""
    frame = chart.PAGE_FRAME
    x = frame.x_scale(entry.x_edges[0], _equalize_edges(entry.x_edges)[-1])
    y = frame.y_scale(entry.y_edges[0], _equalize_edges(entry.y_edges)[-1])
    wide = (frame.right - frame.left) / (len(entry.x_edges) - 1)
    tall = (frame.bottom - frame.top) / (len(entry.y_edges) - 1)
    most = max((count for *_, count in entry.squares), default=1)
    marks = chart.draw_axes(x, y, entry.x, entry.y)
    for across, up, count in entry.squares:
        share = max(0.12, (count / most) ** 0.5)
        w, h = wide * share, tall * share
        left = frame.left + wide * (across + 0.5) - w / 2
        top = frame.bottom - tall * (up + 0.5) - h / 2
        hint = format_count(count, "segment")
        marks.append(chart.draw_rect(left, top, w, h, "square", hint))
    note = "no correlation: one of the two is constant"
    if entry.pearson is not None and entry.spearman is not None:
        pearson = tables.format_with_minus(entry.pearson, 3)
        spearman = tables.format_with_minus(entry.spearman, 3)
        note = f"Pearson {pearson}, Spearman {spearman}"
    title = f"{entry.y} against {entry.x}"
    label = f"{title} over {format_count(entry.segments, 'segment')}; {note}"
    picture = chart.make_svg(chart.WIDTH, chart.PAGE_HEIGHT, label, marks)
    return tables.build_figure(title, picture, _build_squares_table(entry), note)


def _build_squares_table(entry: ScoreRelation) -> Html:
    x, y = entry.x_edges, entry.y_edges
    rows = [
        [*map(Cell, (*x[across : across + 2], *y[up : up + 2], count))]
        for across, up, count in entry.squares
    ]
    titles = [f"{entry.x} from", "to", f"{entry.y} from", "to", "segments"]
    about = f"Segments by {entry.x} and {entry.y}", f"segments-{entry.x}-{entry.y}"
    return tables.convert_table(Table([*map(Column, titles)], rows, *about))


def describe_left_out(people: "PeopleScores") -> str:
    """Say which judged systems have no output."""
    names = join_names(people.left_out)
    return (
        f"Judgements of {names} are ignored, because there is no output of that name."
    )


def build_judgements_section(study: Study) -> Html | None:
    """Hold every metric against the judgements; nothing where there are none."""
    if study.people is None:
        return None
    people, relations = study.people.scores, study.people.relations
    # Most reports have no judgements, and need nothing of what trust is computed from.
    from metra.meta.rank import build_ranking_table
    from metra.report.html.trust import build_trust_parts, draw_systems_figure

    judges = ""
    if people.judges is not None:
        judges = f" by {format_count(people.judges, 'judge')}"
    judged = sum(entry.segments for entry in relations[:1])
    lead = (
        f"{format_count(len(people.scores), 'judgement')}{judges} of "
        f"{format_count(judged, 'output')}. Several judgements of the same output are "
        "averaged. A higher correlation means more agreement, whatever the directions "
        "of the scores. Counted: "
    )
    counted = tag("span", people.selection, class_="selection"), "."
    left_out = f" {describe_left_out(people)}" if people.left_out else None
    systems = [
        draw_systems_figure(entry, study.people.lines.get(entry.y))
        for entry in relations
    ]
    ranking = None
    if people.answer is not None:
        ranking = tables.convert_table(build_ranking_table(people.answer))
    caption = "Correlation of metrics with human judgements"
    return join_markup(
        tag("p", lead, counted, left_out),
        ranking,
        _build_correlations_table(relations, caption, "people"),
        tag("div", systems, class_="figures"),
        tag("div", map(_draw_segments_figure, relations), class_="figures"),
        build_trust_parts(study.people.trust),
    )
