"""Reliability of metrics and people, in pictures with their data."""

import math
from collections import Counter

from metra.meta.charts import CurvePlot, Heatmap
from metra.meta.compare import MetricComparison
from metra.meta.trust import JudgeSummary, LengthCurve, TrustReport
from metra.report import chart
from metra.report.html.figures import draw_curve_picture, draw_matrix, draw_on_page
from metra.report.html.markup import Html, join_markup, tag
from metra.report.html.tables import (
    CellContent,
    build_figure,
    build_html_table,
    format_with_minus,
)
from metra.report.pictures.judges import plot_histogram, plot_judges
from metra.scoring.table import Cell


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
    rows: list[list[CellContent]] = [
        [row.metric, levels[row.level], Cell(row.value, row.interval, digits=3), row.n]
        for row in report.agreement
    ]
    return build_html_table(
        ["metric", "of", "Pearson", "values"],
        rows,
        caption="Agreement with human judgements (higher is better), with 95 % "
        "intervals over resampled systems and segments; system scores here "
        "use judged segments only, unlike those above",
        name="agreement",
    )


def _draw_comparison(comparison: MetricComparison) -> Html:
    """Draw p-values, the row better than the column, and a frame round each cluster."""
    names, size = comparison.names, len(comparison.names)
    values = comparison.values.tolist()
    # Each metric against those below it; there is nothing in the lower half.
    p = comparison.p.tolist()
    caption = "p-values for differences in agreement with people"
    heat = Heatmap("", caption, names, p, "p", comparison.clusters)
    tests = comparison.tests
    corrected = (tests.p, tests.holm, tests.bh)
    rows: list[list[CellContent]] = [
        [
            names[i],
            names[j],
            Cell(values[i] - values[j], digits=3),
            *(Cell(_replace_nan(float(each[i, j])), digits=4) for each in corrected),
        ]
        for i in range(size)
        for j in range(i + 1, size)
    ]
    return build_figure(
        "Significant differences between metrics",
        draw_matrix(heat),
        build_html_table(
            ["better", "worse", "difference", "p", "p, Holm", "p, BH"],
            rows,
            caption="p-values of differences in Pearson's r over segments",
            name="metric-p-values",
        ),
        note="p-values of differences in Pearson's r over segments between row and "
        f"column ({comparison.description}); frames are clusters of metrics "
        "that do not differ significantly after Holm's correction",
    )


def _draw_curve(curve: LengthCurve) -> Html:
    """Draw a line a metric over the lengths of documents, people's own dashed."""
    means = curve.means
    curves = CurvePlot(
        "",
        "",
        "segments per document",
        "mean Spearman",
        [str(length) for length in curve.lengths],
        means,
        dashed=[curve.judges],
    )
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
    return build_figure(
        "Agreement by document length",
        draw_curve_picture(
            curves,
            "Mean Spearman correlation with people by document length: "
            f"{'; '.join(lines)}",
        ),
        build_html_table(
            ["segments", *means],
            [
                [
                    length,
                    *(
                        Cell(_replace_nan(line[at]), digits=3)
                        for line in means.values()
                    ),
                ]
                for at, length in enumerate(curve.lengths)
            ],
            caption="Mean Spearman correlation of system rankings on random documents",
            name="document-length",
        ),
        note=f"systems are ranked on documents made of random segments; {judges}",
    )


def _draw_judge_pair(judges: JudgeSummary) -> Html:
    """Draw two judges' values of the same outputs, points moved so that each is seen."""
    plot = judges.plot
    label = f"{plot.down} against {plot.across}, {plot.caption}"
    counts = sorted(Counter(plot.given).items())
    return build_figure(
        "Two judges with the lowest agreement",
        draw_on_page(label, plot_judges(plot, chart.PAGE_FRAME)),
        build_html_table(
            [plot.across, plot.down, "outputs"],
            [[Cell(a), Cell(b), count] for (a, b), count in counts],
            caption=f"{plot.across} and {plot.down}",
            name="judge-pair",
        ),
        note=plot.caption,
    )


def _draw_gaps(judges: JudgeSummary) -> Html:
    """Draw how far apart two judgements of one output are."""
    gaps = judges.gaps
    note = gaps.caption
    alpha = judges.values.get("alpha interval", math.nan)
    if not math.isnan(alpha):
        note += f"; Krippendorff's alpha {format_with_minus(alpha, 3)}"
    label = f"{gaps.title}: {gaps.caption}"
    return build_figure(
        "Differences between two judgements of the same output",
        draw_on_page(label, plot_histogram(gaps, chart.PAGE_FRAME)),
        build_html_table(
            [gaps.across, "pairs"], gaps.bars, caption=gaps.title, name="judge-gaps"
        ),
        note=note,
    )


def _replace_nan(value: float) -> float | None:
    return None if math.isnan(value) else value
