"""Reliability of metrics and people, in pictures with their data."""

import math
from collections import Counter

from metra.meta.charts import CurvePlot, Heatmap
from metra.meta.compare import MetricComparison
from metra.meta.people import JudgeSummary, LengthCurve, TrustReport
from metra.report import chart
from metra.report.html.figures import draw_curve_picture, draw_matrix, draw_on_page
from metra.report.html.markup import Html, join_markup, tag
from metra.report.html.tables import build_figure, convert_table, format_with_minus
from metra.report.pictures.plots import plot_histogram, plot_judges
from metra.scoring.table import Cell, Column, Table, make_table


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
        _build_agreement_table(report) if report.agreement else None,
        tag("div", figures, class_="figures") if figures else None,
        [tag("p", note, class_="note") for note in report.notes],
    )


def _build_agreement_table(report: TrustReport) -> Html:
    levels = {"sys": "systems", "seg": "segments"}
    rows = [
        (
            row.metric,
            [Cell(levels[row.level]), Cell(row.value, row.interval), Cell(row.n)],
        )
        for row in report.agreement
    ]
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
        draw_matrix(heat),
        convert_table(make_table("better", columns, rows, **about)),
        f"{subject} between row and column ({comparison.description}); frames are "
        "clusters of metrics that do not differ significantly after Holm's correction",
    )


def _draw_curve(curve: LengthCurve) -> Html:
    """Draw a line a metric over the lengths of documents, people's own dashed."""
    means, lengths = curve.means, list(map(str, curve.lengths))
    names = "segments per document", "mean Spearman"
    curves = CurvePlot("", "", *names, lengths, means, dashed=[curve.judges])
    lines = [
        f"{name} {', '.join(f'{v:.2f}' if v == v else '–' for v in line)}"
        for name, line in means.items()
    ]
    judges = (
        "no output has two judgements, so there is no line for agreement between judges"
    )
    if curve.judges in means:
        judges = (
            "the dashed line is one judge against another, drawn at random for each "
            f"{curve.judges_by}"
        )
    rows = [
        [Cell(length), *(Cell(line[at]) for line in means.values())]
        for at, length in enumerate(curve.lengths)
    ]
    columns = [Column(title, digits=3) for title in ("segments", *means)]
    label = (
        f"Mean Spearman correlation with people by document length: {'; '.join(lines)}"
    )
    caption = "Mean Spearman correlation of system rankings on random documents"
    return build_figure(
        "Agreement by document length",
        draw_curve_picture(curves, label),
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
        draw_on_page(label, plot_judges(plot, chart.PAGE_FRAME)),
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
        draw_on_page(f"{gaps.title}: {gaps.caption}", picture),
        convert_table(make_table(gaps.across, ["pairs"], rows, **about)),
        note,
    )
