"""Errors that were marked in the outputs: where they are, and how many of which kind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from metra.metrics.record import Metric
from metra.scores.error_spans import locate_span


class PlacedSpan(NamedTuple):
    """An error in an output; without a place if it is not in the output, or unknown."""

    place: tuple[int, int] | None
    severity: str
    category: str
    #: Who marked it.
    source: str
    #: The text that it is in: output, source, or missing.
    side: str
    words: str


@dataclass(frozen=True, slots=True)
class MarkedErrorFindings:
    """Errors of all systems, and their counts."""

    #: By system, then by segment, counted from 0.
    spans: Mapping[str, Mapping[int, Sequence[PlacedSpan]]]
    #: By system: outputs that were looked at, counted once for each who did.
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
    """Collect what the files of metrics mark in the outputs; None if they mark nothing."""
    tables = {
        metric.notes.marked.path: metric.notes.marked
        for metric in metrics.values()
        if metric.notes.marked
    }
    if not tables:
        return None
    spans: dict[str, dict[int, list[PlacedSpan]]] = {name: {} for name in outputs}
    ratings: Counter[str] = Counter()
    sources: dict[str, None] = {}
    for table in tables.values():
        for (system, at), names in table.sources.items():
            if system not in outputs:
                continue
            ratings[system] += len(names)
            sources |= dict.fromkeys(filter(None, names))
            for span in table.get(system, at):
                text = outputs[system][at] or ""
                place = locate_span(span, text) if span.side == "output" else None
                words = text[slice(*place)] if place else span.text
                about = (span.severity, span.category, span.source, span.side, words)
                spans[system].setdefault(at, []).append(PlacedSpan(place, *about))
    flat = {
        system: [span for marked in by_segment.values() for span in marked]
        for system, by_segment in spans.items()
    }
    total = Counter(span.category for each in flat.values() for span in each)
    del total[""]
    severities = {span.severity for each in flat.values() for span in each}
    order = ("critical", "major", "minor", "neutral", "trivial")
    return MarkedErrorFindings(
        spans,
        ratings,
        {s: Counter(span.severity for span in each) for s, each in flat.items()},
        {s: Counter(span.category for span in each) for s, each in flat.items()},
        [name for name in order if name in severities],
        [name for name, _ in total.most_common()],
        list(sources),
    )
