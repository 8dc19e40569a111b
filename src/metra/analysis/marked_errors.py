"""Errors that were marked in the outputs: where they are, and how many of which kind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metra.metrics.record import Metric

if TYPE_CHECKING:
    from metra.scores.spans import Mark


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
