"""The page of a collective exercise: its tables, and charts of people and metrics."""

from collections.abc import Sequence

from metra.meta.charts import Heatmap
from metra.meta.exercise import ExerciseStudy, HumanCorrelation
from metra.report.html import figures, tables
from metra.report.html.markup import Html, join_markup, tag
from metra.report.html.page import (
    PageSection,
    Provenance,
    explain_terms,
    render_page,
)
from metra.report.writers import exercise as writer
from metra.report.writers.headings import shorten_specs
from metra.scoring.table import Cell, Column, make_table

#: More scatter plots than this are more than anybody looks at; the table has all pairs.
MOST = 9
#: Metrics whose matrix fits a small figure.
FEW = 6
_SCALES = (
    "Scores are mapped linearly from the values in the two columns to 0 and 100. Values "
    "outside the scale are clipped and counted in the last column."
)


def render_exercise(
    study: ExerciseStudy, provenance: Provenance, title: str, notes: Sequence[str] = ()
) -> str:
    """Write the page as one HTML file, without a final newline.

    `notes` replace those of the study, where they name flags.
    """
    show = tables.convert_table
    means = writer.build_means_table(study), writer.build_deviation_table(study)
    scales = tag("p", _SCALES), show(writer.build_scales_table(study))
    reading = _build_reading(study, notes or study.notes)
    bodies = (
        ("overview", "Overview", join_markup(map(show, means))),
        ("evaluators", "Evaluators", show(writer.build_reliability_table(study))),
        ("people", "People and metrics", _build_people(study)),
        ("metrics", "Metrics", _build_matrix(study)),
        ("model", "Quality model", _build_model(study)),
        ("scales", "Scales", join_markup(scales)),
        ("notes", "How to read this report", reading),
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
    lead = (
        f"Each dot is a {writer.UNITS[study.level]}: mean over evaluators of a human "
        f"metric (horizontal) and of an automated metric (vertical).{rest}"
    )
    return join_markup(
        tag("p", lead),
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
    short, units = shorten_specs(study.metrics), f"{writer.UNITS[study.level]}s"
    names = [short[metric] for metric in study.metrics]
    matrix = [
        [float("nan") if value is None else value for value in row]
        for row in writer.build_matrix(study)
    ]
    rows = []
    for one in study.correlations:
        values = short[one.other], one.translations, one.pearson, one.spearman
        rows.append((short[one.one], [*map(Cell, values)]))
    title = "Pearson's r between metrics"
    columns: list[str | Column]
    columns = [Column("other metric", "left"), units, "Pearson", "Spearman"]
    about = {"caption": f"Correlation between metrics over {units}", "name": "metrics"}
    figure = tables.build_figure(
        title,
        figures.draw_matrix(Heatmap("", title, names, matrix, "r")),
        tables.convert_table(make_table("metric", columns, rows, **about)),
        "means over evaluators; a cell is empty if there are too few translations or a "
        "metric is constant",
    )
    # A large matrix is as wide as the page, so that its numbers can be read.
    return tag("div", figure, class_="figures" if len(names) <= FEW else "matrix")


def _build_model(study: ExerciseStudy) -> Html | None:
    """Show the figure of the quality model beside its measures."""
    if not study.model:
        return None
    short = shorten_specs(study.metrics)
    shares = [
        f"{short.get(s, s)} {share:.1f} %" for s, _, share in study.model[0].parts
    ]
    table = tables.convert_table(writer.build_model_table(study))
    return join_markup(tag("p", f"Weights: {', '.join(shares)}."), table)


def _build_reading(study: ExerciseStudy, notes: Sequence[str]) -> Html:
    signature = tag("li", tag("code", writer.sign_exercise(study)))
    lines = [f"Counted: {study.selection}.", *notes]
    return join_markup(
        explain_terms("exercise"),
        [tag("h3", "Notes"), tag("ul", [tag("li", line) for line in lines])],
        tag("h3", "Signature"),
        tag("ul", signature, class_="signatures"),
    )
