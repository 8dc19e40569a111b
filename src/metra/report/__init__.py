"""From results to something to look at or to read by program. Nothing is computed here."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metra.report.layout import Style
    from metra.results import Results

FORMATS = ("table", "json", "tsv", "markdown", "latex")


def render(results: "Results", form: str, style: "Style") -> str:
    """Write the results in one of the formats, without a final newline."""
    return import_module(f"metra.report.{form}").render(results, style)
