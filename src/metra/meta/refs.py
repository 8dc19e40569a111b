"""The question `refs`: what do more references buy?

Lavie, Sagae and Jayaraman 2004 left open how many references a metric needs to agree with
people. For each number of references, subsets of the streams are tried: all of them, or a
sample. Each subset scores the outputs anew, and corpus scores are pooled from statistics.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metra.errors import CorpusError
from metra.meta.correlate import CorrelationSpec, correlate_panel
from metra.meta.findings import MetaReport, build_figure, build_signature
from metra.scoring.table import make_table
from metra.stats.defaults import SEED
from metra.stats.panel import ScorePanel

#: Give the numbers of some reference streams, get gold and metrics lined up.
Scoring = Callable[[Sequence[int]], ScorePanel]
SUBSETS = 12


@dataclass(frozen=True)
class ReferenceCurves:
    """For each number of references and metric: the coefficient with every subset tried."""

    streams: int
    counts: list[int]
    subsets: list[list[tuple[int, ...]]]
    values: dict[str, list[list[float]]]
    #: At most so many subsets of each number, drawn with the seed.
    most: int
    seed: int

    def mean(self, name: str) -> list[float]:
        """The mean over subsets, count by count; NaN where none has a value."""
        return [_mean(each) for each in self.values[name]]

    def list_spans(self, name: str) -> list[tuple[float, float] | None]:
        """The lowest and the highest of the subsets, count by count; None for one subset."""
        return [_find_span(each) for each in self.values[name]]


def choose_subsets(
    streams: int, count: int, most: int, seed: int = SEED
) -> list[tuple[int, ...]]:
    """Choose subsets of so many streams: all where they are few, else a sample.

    >>> choose_subsets(3, 2, 10)
    [(0, 1), (0, 2), (1, 2)]
    """
    if math.comb(streams, count) <= most:
        return list(combinations(range(streams), count))
    rng = np.random.default_rng([seed, count])
    subsets: set[tuple[int, ...]] = set()
    while len(subsets) < most:
        drawn = rng.choice(streams, count, replace=False)
        subsets.add(tuple(sorted(drawn.tolist())))
    return sorted(subsets)


def correlate_subsets(
    score: Scoring,
    streams: int,
    question: CorrelationSpec,
    *,
    counts: Sequence[int] = (),
    most: int = SUBSETS,
    seed: int = SEED,
) -> tuple[ReferenceCurves, ScorePanel]:
    """Correlate with each number of references; the last panel is given too."""
    if streams < 2:
        told = f"Found {streams or 'no'} reference"
        msg = f"{told}; this analysis needs at least two."
        raise CorpusError(msg)
    sizes = sorted({min(count, streams) for count in counts}) or _choose_counts(streams)
    tried = [choose_subsets(streams, size, most, seed) for size in sizes]
    values: dict[str, list[list[float]]] = {}
    panel = None
    for place, subsets in enumerate(tried):
        for subset in subsets:
            panel = score(subset)
            for name, result in correlate_panel(panel, question).items():
                lines = values.setdefault(name, [[] for _ in sizes])
                lines[place].append(result.value)
    if panel is None:
        msg = "Give at least one number of references."
        raise CorpusError(msg)
    return ReferenceCurves(streams, sizes, tried, values, most, seed), panel


def report_references(
    curves: ReferenceCurves, panel: ScorePanel, question: CorrelationSpec
) -> MetaReport:
    """Lay out mean and range over subsets, metrics down and numbers across."""
    rows = [
        (name, [build_figure(_mean(each), _find_span(each)) for each in line])
        for name, line in curves.values.items()
    ]
    table = make_table(
        "metric",
        [str(count) for count in curves.counts],
        rows,
        caption=f"{question.heading} with {panel.gold_name} by number of references",
        name="refs",
    )
    tried = ", ".join(
        f"{count}: {len(subsets)} of {math.comb(curves.streams, count):,}"
        for count, subsets in zip(curves.counts, curves.subsets, strict=True)
    )
    notes = [
        *panel.notes,
        "[ ] is the range over the subsets of references.",
        f"Subsets by number of references: {tried}.",
    ]
    if any(v != v for line in curves.values.values() for each in line for v in each):
        notes.append("– marks scores that are constant.")
    signature = build_signature(
        panel,
        level=question.level,
        coef=question.options.coef,
        group=question.options.group if question.level == "seg" else None,
        refs=curves.streams,
        subsets=curves.most,
        seed=curves.seed,
    )
    subsets = [[list(subset) for subset in each] for each in curves.subsets]
    data = {"subsets": subsets, "values": curves.values}
    return MetaReport([table], signature, notes, data)


def _choose_counts(streams: int) -> list[int]:
    """All numbers up to eight, then doubling."""
    small = list(range(1, min(streams, 8) + 1))
    doubled = [
        1 << power for power in range(4, streams.bit_length()) if 1 << power < streams
    ]
    return [*small, *doubled, streams] if streams > 8 else small


def _find_span(each: list[float]) -> tuple[float, float] | None:
    there = [v for v in each if v == v]
    return (min(there), max(there)) if len(there) > 1 else None


def _mean(each: list[float]) -> float:
    there = [v for v in each if v == v]
    return float(np.mean(there)) if there else float("nan")
