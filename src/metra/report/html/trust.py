"""Reliability of metrics and people, in pictures with their data."""

import math
from collections import Counter

from metra.analysis.relations import ScoreRelation
from metra.errors import format_count
from metra.meta.charts import CurvePlot, Heatmap, ScatterPoints
from metra.meta.compare import MetricComparison
from metra.meta.correlate import MetricCorrelations
from metra.meta.people import JudgeSummary, TrustReport
from metra.meta.pseudo import JUDGES, average_curves
from metra.report import chart
from metra.report.html.markup import Html, join_markup, tag
from metra.report.html.tables import build_figure, convert_table, format_with_minus
from metra.report.pictures.heatmap import CELL, describe_heatmap, plot_matrix
from metra.report.pictures.plots import (
    measure_curve_names,
    plot_curves,
    plot_histogram,
    plot_judges,
    plot_points,
)
from metra.scoring.table import Cell, Column, Table, make_table
from metra.stats.curves import LineFit
from metra.stats.pseudo_documents import DocumentCurves

#: Letters of a name beside a dot, before a row or at the end of a line.
LONGEST = 16
#: The room above a matrix for the numbers of its columns.
_TOP = 24.0


def build_trust_parts(report: TrustReport) -> Html:
    """Show all figures; notes explain the missing ones."""
    figures = []
    if report.comparison is not None:
        figures.append(_draw_comparison(report.comparison))
    if report.curve is not None:
        figures.append(_draw_curve(report.curve))
    if report.judges is not None:
        figures += [_draw_judge_pair(report.judges), _draw_gaps(report.judges)]
    return join_markup(
        tag("h3", "Reliability of the metrics"),
        _build_agreement_table(report.agreement),
        tag("div", figures, class_="figures") if figures else None,
        [tag("p", note, class_="note") for note in report.notes],
    )


def _build_agreement_table(agreement: MetricCorrelations) -> Html | None:
    levels = {"sys": "systems", "seg": "segments"}
    rows = [
        (
            name,
            [Cell(levels[spec.level]), Cell(each.value, each.interval), Cell(each.n)],
        )
        for spec, results in agreement.pairs
        for name, each in results.items()
        if each.value == each.value
    ]
    if not rows:
        return None
    caption = (
        "Agreement with human judgements (higher is better), with 95 % intervals over "
        "resampled systems and segments; system scores here use judged segments only, "
        "unlike those above"
    )
    columns = Column("of", "left"), Column("Pearson", digits=3), Column("values")
    about = {"caption": caption, "name": "agreement"}
    return convert_table(make_table("metric", columns, rows, **about))


def _draw_comparison(comparison: MetricComparison) -> Html:
    """Draw p-values, the row better than the column, and a frame round each cluster."""
    names, size = comparison.names, len(comparison.names)
    values, tests = comparison.values.tolist(), comparison.tests
    caption = "p-values for differences in agreement with people"
    p, corrected = comparison.p.tolist(), (tests.p, tests.holm, tests.bh)
    heat = Heatmap("", caption, names, p, "p", comparison.clusters)
    rows = [
        (
            names[i],
            [
                *(Cell(names[j]), Cell(values[i] - values[j], digits=3)),
                *(Cell(float(each[i, j]), digits=4) for each in corrected),
            ],
        )
        for i in range(size)
        for j in range(i + 1, size)
    ]
    columns: list[str | Column]
    columns = [Column("worse", "left"), "difference", "p", "p, Holm", "p, BH"]
    subject = "p-values of differences in Pearson's r over segments"
    about = {"caption": subject, "name": "metric-p-values"}
    return build_figure(
        "Significant differences between metrics",
        _draw_matrix(heat),
        convert_table(make_table("better", columns, rows, **about)),
        f"{subject} between row and column ({comparison.description}); frames are "
        "clusters of metrics that do not differ significantly after Holm's correction",
    )


def _draw_curve(curve: DocumentCurves) -> Html:
    """Draw a line a metric over the lengths of documents, people's own dashed."""
    means, lengths = average_curves(curve), list(map(str, curve.lengths))
    names = "segments per document", "mean Spearman"
    curves = CurvePlot("", "", *names, lengths, means, dashed=[JUDGES])
    lines = [
        f"{name} {', '.join(f'{v:.2f}' if v == v else '–' for v in line)}"
        for name, line in means.items()
    ]
    judges = (
        "no output has two judgements, so there is no line for agreement between judges"
    )
    if curve.judges:
        judges = (
            "the dashed line is one judge against another, drawn at random for each "
            f"{curve.judges_by}"
        )
    rows = [
        [Cell(length), *(Cell(line[at]) for line in means.values())]
        for at, length in enumerate(curve.lengths)
    ]
    columns = [Column(title, digits=3) for title in ("segments", *means)]
    right = chart.WIDTH - measure_curve_names(curves, LONGEST)
    frame = chart.PAGE_FRAME._replace(right=right)
    label = (
        f"Mean Spearman correlation with people by document length: {'; '.join(lines)}"
    )
    caption = "Mean Spearman correlation of system rankings on random documents"
    return build_figure(
        "Agreement by document length",
        _draw_on_page(label, plot_curves(curves, frame, longest=LONGEST)),
        convert_table(Table(columns, rows, caption, "document-length")),
        f"systems are ranked on documents made of random segments; {judges}",
    )


def _draw_judge_pair(judges: JudgeSummary) -> Html:
    """Draw two judges' values of the same outputs, points moved so that each is seen."""
    plot = judges.plot
    label = f"{plot.down} against {plot.across}, {plot.caption}"
    counts = sorted(Counter(plot.given).items())
    rows = [[*map(Cell, (*pair, count))] for pair, count in counts]
    columns = [*map(Column, (plot.across, plot.down, "outputs"))]
    caption = f"{plot.across} and {plot.down}"
    return build_figure(
        "Two judges with the lowest agreement",
        _draw_on_page(label, plot_judges(plot, chart.PAGE_FRAME)),
        convert_table(Table(columns, rows, caption, "judge-pair")),
        plot.caption,
    )


def _draw_gaps(judges: JudgeSummary) -> Html:
    """Draw how far apart two judgements of one output are."""
    gaps, note = judges.gaps, judges.gaps.caption
    alpha = judges.values.get("alpha interval", math.nan)
    if not math.isnan(alpha):
        note += f"; Krippendorff's alpha {format_with_minus(alpha, 3)}"
    picture = plot_histogram(gaps, chart.PAGE_FRAME)
    rows = [(label, [Cell(count)]) for label, count in gaps.bars]
    about = {"caption": gaps.title, "name": "judge-gaps"}
    return build_figure(
        "Differences between two judgements of the same output",
        _draw_on_page(f"{gaps.title}: {gaps.caption}", picture),
        convert_table(make_table(gaps.across, ["pairs"], rows, **about)),
        note,
    )


def draw_systems_figure(entry: ScoreRelation, fit: LineFit | None) -> Html:
    """Draw the systems as dots with their names, and a fitted line with its band."""
    note = "too few systems for a correlation"
    if entry.systems_pearson is not None:
        note = f"Pearson {format_with_minus(entry.systems_pearson, 3)}"
        if fit is not None and fit.band:
            note += "; the band is the 95 % confidence band of the fitted line"
    title = f"{entry.y} against {entry.x}"
    names, x, y = map(list, zip(*entry.points, strict=True))
    outliers = [False] * len(names)
    cloud = ScatterPoints("", entry.x, entry.y, names, x, y, outliers, fit, caption="")
    label = f"{title} over {format_count(len(names), 'system')}; {note}"
    rows = [(name, [*map(Cell, pair)]) for name, *pair in entry.points]
    columns = [Column(each, digits=3) for each in (entry.x, entry.y)]
    about = {"caption": f"{title}, by system", "name": f"systems-{entry.x}-{entry.y}"}
    data = convert_table(make_table("system", columns, rows, **about))
    marks = plot_points(cloud, chart.PAGE_FRAME, longest=LONGEST)
    return build_figure(title, _draw_on_page(label, marks), data, note)


def _draw_matrix(heat: Heatmap) -> Html:
    """Draw a matrix with its names beside the rows and their numbers above the columns."""
    numbered = [f"{at} {name}" for at, name in enumerate(heat.names, 1)]
    size = len(numbered) * CELL
    left = chart.measure_names(numbered, LONGEST)
    left = max(left, chart.WIDTH - 20 - size if len(numbered) < 5 else 0)
    marks = []
    for at, name in enumerate(numbered):
        middle = (at + 0.5) * CELL
        marks.append(chart.draw_row_name(left - 8, _TOP + middle + 4, name, LONGEST))
        place = left + middle, _TOP - 8
        marks.append(chart.draw_text(*place, str(at + 1), "name", "middle"))
    marks += plot_matrix(heat, left, _TOP)
    wide = max(left + size + 8, float(chart.WIDTH))
    return chart.make_svg(wide, _TOP + size + 8, describe_heatmap(heat), marks)


def _draw_on_page(label: str, marks: list[Html]) -> Html:
    """Draw a picture of the usual size."""
    return chart.make_svg(chart.WIDTH, chart.PAGE_HEIGHT, label, marks)
