"""Errors that judges or programs marked: how many of which kind, system by system."""

from metra.analysis.marked_errors import MarkedErrorFindings
from metra.errors import format_count
from metra.report.html import tables
from metra.report.html.markup import Child, Html, join_markup, tag
from metra.report.study import Study
from metra.report.writers.headings import join_names
from metra.scoring.table import Cell

#: More categories make a table that nobody reads.
MOST_CATEGORIES = 12
MOST_NAMES = 5


def build_errors_section(study: Study) -> Html | None:
    """Lay out errors by severity and by category; None where none are known."""
    errors = study.errors
    if errors is None:
        return None
    names = list(errors.sources)
    listed = join_names(names) if len(names) <= MOST_NAMES else f"{len(names)} judges"
    who = f" by {listed}" if names else ""
    ratings = format_count(sum(errors.ratings.values()), "output")
    shown = [
        f"Errors marked{who} in {ratings}. Segment pages underline them: ",
        *_list_signs(),
        ".",
    ]
    return join_markup(
        tag("p", shown), _build_severity_table(errors), _build_categories(errors)
    )


def _list_signs() -> list[Child]:
    signs: list[Child] = []
    lines = {"critical": "double", "major": "solid", "minor": "dotted"}
    for severity, line in lines.items():
        signs.append(", " if signs else "")
        signs.append(
            tag("mark", f"{severity}, a {line} line", class_=f"error {severity}")
        )
    return signs


def _build_severity_table(errors: MarkedErrorFindings) -> Html:
    headings: list[Child] = ["system", "outputs", *errors.severities, "per output"]
    rows: list[list[tables.CellContent]] = []
    for system, counts in errors.by_severity.items():
        rated, total = errors.ratings[system], sum(counts.values())
        mean = Cell(total / rated if rated else None)
        numbers = [counts.get(severity, 0) for severity in errors.severities]
        rows.append([system, rated, *numbers, mean])
    return tables.build_html_table(
        [
            headings[0],
            *(tables.make_column_heading(name, "num") for name in headings[1:]),
        ],
        rows,
        caption="Errors by severity",
        name="errors",
        sortable=True,
    )


def _build_categories(errors: MarkedErrorFindings) -> Html | None:
    if not errors.categories:
        return None
    systems = list(errors.by_category)
    rows: list[list[tables.CellContent]] = [
        [category, *(errors.by_category[system].get(category, 0) for system in systems)]
        for category in errors.categories[:MOST_CATEGORIES]
    ]
    caption = "Errors by category"
    left_out = len(errors.categories) - len(rows)
    if left_out:
        caption += f", most frequent first; {left_out} more not shown"
    headings = [tag("bdi", name) for name in systems]
    return tables.build_html_table(
        ["category", *(tables.make_column_heading(name, "num") for name in headings)],
        rows,
        caption=caption,
        name="categories",
        sortable=True,
    )
