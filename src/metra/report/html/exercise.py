"""The page of a collective exercise: its tables, section by section."""

from collections.abc import Sequence

from metra.meta.exercise import ExerciseStudy
from metra.report.html.markup import Html, join_markup, tag
from metra.report.html.page import (
    PageSection,
    Provenance,
    explain_terms,
    render_page,
)
from metra.report.html.tables import convert_table
from metra.report.writers.exercise import build_exercise_report, describe_exercise

#: By anchor: the heading of a section and the names of its tables.
_SECTIONS = {
    "overview": ("Overview", ("means", "deviations")),
    "evaluators": ("Evaluators", ("reliability",)),
    "people": ("People and metrics", ("human",)),
    "metrics": ("Metrics", ("matrix",)),
    "model": ("Quality model", ("model",)),
    "scales": ("Scales", ("scales",)),
}


def render_exercise(
    study: ExerciseStudy, provenance: Provenance, title: str, notes: Sequence[str] = ()
) -> str:
    """Write the page as one HTML file, without a final newline.

    `notes` replace those of the study, where they name flags.
    """
    report = build_exercise_report(study, notes or study.notes)
    sections = []
    for key, (heading, names) in _SECTIONS.items():
        tables = [
            convert_table(table) for table in report.tables if table.name in names
        ]
        if tables:
            sections.append(PageSection(key, heading, join_markup(tables)))
    lines = [*report.selection_notes, *report.notes]
    reading = _explain(lines, report.signature)
    sections.append(PageSection("notes", "How to read this report", reading))
    return render_page(title, describe_exercise(study), sections, provenance)


def _explain(lines: Sequence[str], signature: str) -> Html:
    return join_markup(
        explain_terms("exercise"),
        [tag("h3", "Notes"), tag("ul", [tag("li", line) for line in lines])],
        tag("h3", "Signature"),
        tag("ul", tag("li", tag("code", signature)), class_="signatures"),
    )
