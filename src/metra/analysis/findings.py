"""Alignments of segments for grids to be drawn of, and errors marked in the outputs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metra.analysis.collection import CorpusTexts
from metra.metrics.alignment import AlignedSegment
from metra.metrics.record import Metric
from metra.metrics.registry import metric as make_metric
from metra.scoring.alignments import align_segment

if TYPE_CHECKING:
    from metra.scores.spans import Mark

SPEC = "gtm:e=2"
#: More words than this make a grid that does not fit a page.
MOST_WORDS = 80


@dataclass(frozen=True, slots=True)
class AlignmentGrids:
    """Aligned segments by segment, counted from 0, and system."""

    spec: str
    segments: Mapping[int, Mapping[str, AlignedSegment]]


def align_grids(
    texts: CorpusTexts, metrics: Mapping[str, Metric], wanted: Sequence[int]
) -> AlignmentGrids:
    """Align every system's output of the wanted segments, by GTM as chosen or as usual.

    Without references there is nothing to align.
    """
    gtm = [spec for spec, metric in metrics.items() if metric.name == "gtm"]
    spec = gtm[0] if gtm else SPEC
    metric = metrics[spec] if gtm else make_metric(spec)
    grids: dict[int, dict[str, AlignedSegment]] = {}
    for segment in wanted if texts.refs else ():
        refs = [ref[segment] for ref in texts.refs]
        across = sum(len(ref.split()) for ref in refs if ref)
        outputs = {name: text[segment] or "" for name, text in texts.outputs.items()}
        aligned = {
            name: align_segment(
                output, refs, metric, system=name, number=segment + 1, spec=spec
            )
            for name, output in outputs.items()
            if max(len(output.split()), across) <= MOST_WORDS
        }
        if aligned:
            grids[segment] = aligned
    return AlignmentGrids(spec, grids)


@dataclass(frozen=True, slots=True)
class MarkedErrorFindings:
    """Errors of all systems, and their counts."""

    #: By system, then by segment from 0: judges and marks, with the words of the output.
    #: A mark without a place is not in the output, or its place is unknown.
    spans: "Mapping[str, Mapping[int, Sequence[tuple[str, Mark]]]]"
    #: By system: rated outputs, counted once for each judge.
    ratings: Mapping[str, int]
    by_severity: Mapping[str, Mapping[str, int]]
    by_category: Mapping[str, Mapping[str, int]]
    severities: Sequence[str]
    #: The most frequent first.
    categories: Sequence[str]
    sources: Sequence[str]


def collect_errors(
    outputs: Mapping[str, Sequence[str | None]], metrics: Mapping[str, Metric]
) -> MarkedErrorFindings | None:
    """Collect the errors that metrics know in the outputs; None if they know none."""
    marked = [m.notes.marked() for m in metrics.values() if m.notes.marked]
    tables = {table.path: table for table in marked}
    if not tables:
        return None
    # Few metrics bring errors, and what reads them takes long to load.
    from metra.metrics.spans import SEVERITIES

    spans: dict[str, dict[int, list[tuple[str, Mark]]]] = {name: {} for name in outputs}
    ratings: Counter[str] = Counter()
    judges: dict[str, None] = {}
    for table in tables.values():
        for system, at in table.ratings:
            if system not in outputs:
                continue
            names = table.list_judges(system, at)
            ratings[system] += len(names)
            judges |= dict.fromkeys(filter(None, names))
            text = outputs[system][at] or ""
            for judge, mark in table.list_marks(system, at):
                place = table.locate(mark, text) if mark.side == "output" else None
                words = text[slice(*place)] if place else mark.text
                start, end = place or (None, None)
                placed = mark._replace(start=start, end=end, text=words)
                spans[system].setdefault(at, []).append((judge, placed))
    flat = {
        system: [mark for marks in by_segment.values() for _, mark in marks]
        for system, by_segment in spans.items()
    }
    total = Counter(mark.category for each in flat.values() for mark in each)
    del total[""]
    used = {mark.severity for each in flat.values() for mark in each}
    return MarkedErrorFindings(
        spans,
        ratings,
        {s: Counter(mark.severity for mark in each) for s, each in flat.items()},
        {s: Counter(mark.category for mark in each) for s, each in flat.items()},
        [name for name in SEVERITIES if name in used],
        [name for name, _ in total.most_common()],
        list(judges),
    )
