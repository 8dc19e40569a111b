"""The page of a collective exercise: its tables, and charts of people and metrics."""

from collections.abc import Sequence

from metra.meta.charts import Heatmap
from metra.meta.exercise import ExerciseStudy, HumanCorrelation
from metra.report.html import figures, tables
from metra.report.html.markup import Html, join_markup, tag
from metra.report.html.page import PageSection, Provenance, render_page
from metra.report.writers import exercise as writer
from metra.report.writers.headings import shorten_specs
from metra.scoring.table import Cell

#: More scatter plots than this are more than anybody looks at; the table has all pairs.
MOST = 9
#: Metrics whose matrix fits a small figure.
FEW = 6

READING = (
    (
        "Scores",
        "All scores are mapped to 0–100, higher is better; the section Scales shows "
        "how. Do not compare scores of different metrics: a scale defines which "
        "values map to 0 and 100, not that two metrics are equally strict.",
    ),
    (
        "Standard deviation",
        "Standard deviation between the evaluators of a translation (n − 1), pooled "
        "over translations by averaging variances. An automated metric has none "
        "unless its evaluators used different references or options.",
    ),
    (
        "Alpha",
        "Krippendorff's alpha on the interval scale: 1 for perfect agreement, 0 for "
        "chance agreement. r and rho are the Pearson and Spearman correlations "
        "between pairs of evaluators, averaged with the number of shared items as "
        "weight.",
    ),
    (
        "Correlations",
        "Correlations between metrics, over the means of their evaluators. With few "
        "translations a coefficient is unreliable: check its interval. Two "
        "translations always lie on a line, so no coefficient is given.",
    ),
)


def render_exercise(
    study: ExerciseStudy, provenance: Provenance, title: str, notes: Sequence[str] = ()
) -> str:
    """Write the page as one HTML file, without a final newline.

    `notes` replace those of the study, where they name flags.
    """
    means = writer.build_means_table(study), writer.build_deviation_table(study)
    reliability = writer.build_reliability_table(study)
    bodies = (
        ("overview", "Overview", join_markup(map(tables.convert_table, means))),
        ("evaluators", "Evaluators", tables.convert_table(reliability)),
        ("people", "People and metrics", _build_people(study)),
        ("metrics", "Metrics", _build_matrix(study)),
        ("model", "Quality model", _build_model(study)),
        ("scales", "Scales", _build_scales(study)),
        (
            "notes",
            "How to read this report",
            _build_reading(study, notes or study.notes),
        ),
    )
    sections = [PageSection(key, name, body) for key, name, body in bodies if body]
    return render_page(title, writer.describe_exercise(study), sections, provenance)


def _build_people(study: ExerciseStudy) -> Html | None:
    """Hold automated metrics against human ones; nothing unless there are both."""
    if not study.human:
        return None
    drawn = [one for one in study.human if len(one.names) > 1][:MOST]
    rest = ""
    if len(study.human) > len(drawn):
        rest = f" The charts show the first {len(drawn)} pairs; the table has all."
    unit = writer.UNITS[study.level]
    return join_markup(
        tag(
            "p",
            f"Each dot is a {unit}: mean over evaluators of a human metric "
            f"(horizontal) and of an automated metric (vertical).{rest}",
        ),
        tables.convert_table(writer.build_human_table(study)),
        tag("div", [_draw_pair(study, one) for one in drawn], class_="figures"),
    )


def _draw_pair(study: ExerciseStudy, one: HumanCorrelation) -> Html:
    short = shorten_specs(study.metrics)
    across, down = short[one.human], short[one.automated]
    note = "no correlation: too few translations, or one of the two is constant"
    if one.pearson is not None:
        note = f"Pearson {tables.format_with_minus(one.pearson, 2)}"
        if one.interval is not None:
            low, high = (tables.format_with_minus(end, 2) for end in one.interval)
            note += f", 95 % interval {low} to {high}"
    points = zip(one.names, one.x, one.y, strict=True)
    return figures.build_scatter_figure(
        figures.make_cloud(across, down, points, one.fit),
        title=f"{down} against {across}",
        note=note,
        name=f"people-{down}-{across}",
        unit=writer.UNITS[study.level],
    )


def _build_matrix(study: ExerciseStudy) -> Html | None:
    """Draw the correlations of all metrics; nothing for a single metric."""
    if len(study.metrics) < 2:
        return None
    short = shorten_specs(study.metrics)
    names = [short[metric] for metric in study.metrics]
    values = [
        [float("nan") if value is None else value for value in row]
        for row in writer.build_matrix(study)
    ]
    unit = writer.UNITS[study.level]
    rows: list[list[tables.CellContent]] = [
        [
            *(short[one.one], short[one.other], one.translations),
            *(Cell(one.pearson), Cell(one.spearman)),
        ]
        for one in study.correlations
    ]
    title = "Pearson's r between metrics"
    figure = tables.build_figure(
        title,
        figures.draw_matrix(Heatmap("", title, names, values, "r")),
        tables.build_html_table(
            ["metric", "other metric", f"{unit}s", "Pearson", "Spearman"],
            rows,
            caption=f"Correlation between metrics over {unit}s",
            name="metrics",
        ),
        note="means over evaluators; a cell is empty if there are too few "
        "translations or a metric is constant",
    )
    # A large matrix is as wide as the page, so that its numbers can be read.
    return tag("div", figure, class_="figures" if len(names) <= FEW else "matrix")


def _build_model(study: ExerciseStudy) -> Html | None:
    """Show the figure of the quality model beside its measures."""
    if not study.model:
        return None
    short = shorten_specs(study.metrics)
    shares = [
        f"{short.get(spec, spec)} {share:.1f} %"
        for spec, _, share in study.model[0].parts
    ]
    return join_markup(
        tag("p", f"Weights: {', '.join(shares)}."),
        tables.convert_table(writer.build_model_table(study)),
    )


def _build_scales(study: ExerciseStudy) -> Html:
    return join_markup(
        tag(
            "p",
            "Scores are mapped linearly from the values in the two columns to 0 and "
            "100. Values outside the scale are clipped and counted in the last "
            "column.",
        ),
        tables.convert_table(writer.build_scales_table(study)),
    )


def _build_reading(study: ExerciseStudy, notes: Sequence[str]) -> Html:
    signature = tag("li", tag("code", writer.sign_exercise(study)))
    lines = [f"Counted: {study.selection}.", *notes]
    return join_markup(
        tag("dl", [[tag("dt", word), tag("dd", text)] for word, text in READING]),
        [tag("h3", "Notes"), tag("ul", [tag("li", line) for line in lines])],
        tag("h3", "Signature"),
        tag("ul", signature, class_="signatures"),
    )
