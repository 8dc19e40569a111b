"""Alignments of some segments for grids to be drawn of: those that one wants to see first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metra.aligning import align_segment
from metra.alignment import AlignedSegment
from metra.insight.texts import Texts
from metra.measure import Metric
from metra.metrics import metric as make_metric

SPEC = "gtm:e=2"
#: More words than this make a grid that does not fit a page.
MOST_WORDS = 80


@dataclass(frozen=True, slots=True)
class Grids:
    """Aligned segments by segment, counted from 0, and system."""

    spec: str
    segments: Mapping[int, Mapping[str, AlignedSegment]]


def grids(texts: Texts, metrics: Mapping[str, Metric], wanted: Sequence[int]) -> Grids:
    """Align every system's output of the wanted segments, by GTM as chosen or as usual."""
    gtm = [spec for spec, metric in metrics.items() if metric.name == "gtm"]
    spec = gtm[0] if gtm else SPEC
    metric = metrics[spec] if gtm else make_metric(spec)
    found: dict[int, dict[str, AlignedSegment]] = {}
    for at in wanted:
        refs = [ref[at] for ref in texts.refs]
        across = sum(len(ref.split()) for ref in refs if ref)
        aligned = {
            name: align_segment(
                output[at], refs, metric, system=name, number=at + 1, spec=spec
            )
            for name, output in texts.outputs.items()
            if max(len(output[at].split()), across) <= MOST_WORDS
        }
        if aligned:
            found[at] = aligned
    return Grids(spec, found)
