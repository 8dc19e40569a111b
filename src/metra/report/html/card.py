"""The card of a metric: one page with everything that meta-evaluation says about it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from metra.errors import format_count
from metra.meta.card import MetricCard, build_figure_table
from metra.meta.charts import CurvePlot
from metra.meta.systems import build_system_clouds
from metra.meta.uses import build_curves
from metra.report.html.figures import build_scatter_figure, draw_curve_picture
from metra.report.html.markup import Html, join_markup, tag
from metra.report.html.page import (
    PageSection,
    Provenance,
    explain_terms,
    render_page,
)
from metra.report.html.tables import build_figure, convert_table
from metra.scoring.table import Cell, Table, make_table

#: Digits after the point.
DIGITS = 3
#: The questions whose answers have a section.
_ANSWERS = {
    "differences": "Differences",
    "decisions": "Decisions",
    "sentinels": "Sentinels",
    "challenge": "Challenge set",
    "spans": "Error spans",
}


def render_card(card: MetricCard, provenance: Provenance) -> str:
    """Write the card as one HTML file, without a final newline."""
    figures = convert_table(_set_digits(build_figure_table(card)))
    curves = {"differences": list(_draw_noticed(card))}
    sections = [
        PageSection("overview", "Overview", figures),
        PageSection("systems", "Systems", _build_systems(card)),
        *(
            PageSection(key, name, _show_answer(card, key, curves.get(key, ())))
            for key, name in _ANSWERS.items()
            if key in card.answers
        ),
        PageSection("notes", "How to read this report", _build_reading(card.notes)),
    ]
    return render_page(card.metric, _describe_data(card), sections, provenance)


def _describe_data(card: MetricCard) -> str:
    """Say what the card rests on."""
    systems = sum(len(panel.systems) for panel in card.panels)
    langs = [panel.lang for panel in card.panels if panel.lang]
    about = f"Metric card. Compared with {card.gold}: {format_count(systems, 'system')}"
    if langs:
        about += f" of {', '.join(langs)}"
    segments = sum(panel.compared for panel in card.panels)
    if segments:
        about += f", {format_count(segments, 'judged segment')}"
    return f"{about}, {format_count(len(card.panels[0].names) - 1, 'other metric')}."


def _show_answer(card: MetricCard, question: str, figures: Sequence[Html]) -> Html:
    """Show the tables of an answer, its pictures and its notes."""
    answer = card.answers[question]
    return join_markup(
        [convert_table(_set_digits(table)) for table in answer.tables],
        tag("div", figures, class_="figures") if figures else None,
        [tag("p", note, class_="note") for note in answer.notes],
    )


def _build_systems(card: MetricCard) -> Html:
    """Draw systems by people and the metric, and agreement over the best systems."""
    figures = [
        build_scatter_figure(
            cloud,
            title=f"{scatter.panel.place}{cloud.title}",
            note=cloud.caption,
            name=f"systems{scatter.panel.lang}",
        )
        for scatter in card.scatters
        for cloud in build_system_clouds(scatter)
    ]
    figures += [_draw_robustness(card, at) for at in card.robustness]
    return tag("div", figures, class_="figures")


def _draw_robustness(card: MetricCard, at: int) -> Html:
    """Draw the metric's agreement over the best systems only."""
    robust, panel = card.robustness[at], card.panels[at]
    labels = [label.removeprefix("top ") for label in robust.labels]
    plot = CurvePlot("", "", "best systems", "pearson", labels, robust.curves)
    rows = [
        (label, [Cell(value, digits=DIGITS)])
        for label, value in zip(robust.labels, robust.curves[card.metric], strict=True)
    ]
    name, caption = f"top{panel.lang}", f"{panel.place}Pearson's r over fewer systems"
    data = make_table("systems", ["pearson"], rows, caption=caption, name=name)
    return build_figure(
        f"{panel.place}Over the best systems only",
        draw_curve_picture(plot, f"Pearson's r with {card.gold} over fewer systems"),
        convert_table(data),
        "a metric that separates good from bad systems may fail to rank good ones",
    )


def _draw_noticed(card: MetricCard) -> Iterator[Html]:
    """Draw how often people agree with a difference of the metric."""
    for curve in build_curves([card.noticed] if card.noticed else []):
        label = f"How often people agree with a {curve.across}"
        plot = replace(curve, title="", caption="", down="share")
        yield build_figure(label, draw_curve_picture(plot, label), None, curve.caption)


def _build_reading(notes: Sequence[str]) -> Html:
    return join_markup(
        explain_terms("card"),
        tag("h3", "Notes on the data") if notes else None,
        tag("ul", [tag("li", note) for note in notes]) if notes else None,
    )


def _set_digits(table: Table) -> Table:
    """Give numbers three digits, unless they have their own."""
    rows = [
        [
            replace(cell, digits=DIGITS)
            if cell.digits is None and not isinstance(cell.value, str)
            else cell
            for cell in row
        ]
        for row in table.rows
    ]
    return replace(table, rows=rows)
