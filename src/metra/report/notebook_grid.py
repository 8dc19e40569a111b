"""Grids on demand: one output against its references, for notebooks and programs."""

from collections.abc import Sequence
from dataclasses import dataclass

from metra.errors import CorpusError
from metra.metrics.alignment import AlignedSegment
from metra.metrics.record import Metric
from metra.metrics.registry import metric as make_metric
from metra.report.pictures import grid as svg_grid
from metra.report.pictures import grid_text
from metra.report.table import Style
from metra.scoring.alignments import align_segment


def grid(hyp: str, refs: Sequence[str], metric: str | Metric = "gtm:e=2") -> "Grid":
    """Show which words of an output a metric matches with which of its references.

    >>> print(str(grid("b c x d a", ["a b c d"])).split("\\n")[0])
    output, segment 1, gtm:e=2
    """
    if isinstance(refs, str):
        msg = "refs is one string; expected the list of the segment's references."
        raise CorpusError(msg)
    chosen = make_metric(metric) if isinstance(metric, str) else metric
    spec = metric if isinstance(metric, str) else metric.name
    return Grid(align_segment(hyp, refs, chosen, system="output", number=1, spec=spec))


@dataclass(frozen=True, slots=True)
class Grid:
    """A segment to look at: as text when printed, as a picture in a notebook."""

    segment: AlignedSegment

    def svg(self) -> str:
        """Draw the grid as an SVG file."""
        return svg_grid.render(self.segment)

    def __str__(self) -> str:
        return grid_text.render(self.segment, Style())

    def _repr_svg_(self) -> str:
        return self.svg()
