"""From results to something to look at or to read by program. Nothing is computed here."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metra.report.layout import Style
    from metra.scoring.results import Results

#: The module and function that write each format.
_WRITERS = {
    "table": ("terminal", "render"),
    "json": ("json", "render"),
    "tsv": ("text_writers", "render_tsv"),
    "markdown": ("text_writers", "render_markdown"),
    "latex": ("text_writers", "render_latex"),
}
FORMATS = tuple(_WRITERS)


def render(results: "Results", form: str, style: "Style") -> str:
    """Write the results in one of the formats, without a final newline."""
    module, writer = _WRITERS[form]
    return getattr(import_module(f"metra.report.{module}"), writer)(results, style)
