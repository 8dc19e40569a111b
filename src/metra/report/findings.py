"""What was found beyond the scores: sections below the tables, or keys in the JSON document."""

import json
from collections.abc import Iterator
from typing import Any

from metra.errors import OptionError
from metra.insight.findings import Findings, Wishes
from metra.report import markdown, render
from metra.report.json import as_data as results_data
from metra.report.layout import Sheet, Style
from metra.report.records import as_data
from metra.report.table import DIM, block, styled
from metra.report.wrapped import fitted
from metra.results import Results

#: The formats that have room for texts.
FORMS = ("table", "json", "markdown")


def render_with(results: Results, found: Findings, form: str, style: Style) -> str:
    """Write the results as `render` does, and what was found after them."""
    if not any((found.changes, found.ngrams, found.buckets, found.profiles)):
        return render(results, form, style)
    if form == "json":
        data = results_data(results) | data_of(found)
        return json.dumps(data, ensure_ascii=False, indent=1)
    sections = (
        in_markdown(found, style) if form == "markdown" else terminal(found, style)
    )
    return "\n\n".join([render(results, form, style), *sections])


def refuse_format(form: str, wishes: Wishes) -> None:
    """Refuse, before the work begins, a format that cannot show what is wished for."""
    if form not in FORMS and wishes.any:
        msg = (
            f"The format {form} has no room for changes, n-grams, buckets and profiles; "
            f"expected {', '.join(FORMS)}."
        )
        raise OptionError(msg)


def data_of(found: Findings) -> dict[str, Any]:
    """Give what was found as plain dicts and lists, by key of the JSON document."""
    data = as_data(found)
    return {key: value for key, value in data.items() if value}


def terminal(found: Findings, style: Style) -> Iterator[str]:
    """Lay out every section for a terminal."""
    # What is not shown is not loaded either: these bring all of insight along.
    from metra.report import changes, profiles

    for entry in found.changes:
        yield changes.terminal(entry, style)
    for sheets, note in _tables(found, style):
        for sheet in sheets:
            yield block(sheet, style)
        yield styled("\n".join(fitted(line, style) for line in note), DIM, style)
    if found.profiles is not None:
        yield profiles.terminal(found.profiles, style)


def in_markdown(found: Findings, style: Style) -> Iterator[str]:
    """Write every section in Markdown."""
    from metra.report import changes, profiles

    for entry in found.changes:
        yield changes.in_markdown(entry)
    for sheets, note in _tables(found, style):
        for sheet in sheets:
            yield markdown.block(sheet)
        yield "\n".join(map(markdown.escaped, note))
    if found.profiles is not None:
        yield profiles.in_markdown(found.profiles)


def _tables(found: Findings, style: Style) -> Iterator[tuple[list[Sheet], list[str]]]:
    """Lay out what is tables in every format, each with what explains it."""
    from metra.report import buckets, ngrams

    for entry in found.ngrams:
        sheets = ngrams.sheets(entry)
        if sheets:
            yield sheets, [ngrams.NOTE, entry.preparation]
        else:
            yield [], [f"No n-gram changed from {entry.baseline} to {entry.system}."]
    for parted in found.buckets:
        yield buckets.sheets(parted, style), [buckets.note(parted)]
