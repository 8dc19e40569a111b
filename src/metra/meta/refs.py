"""The question `refs`: what do more references buy?

Lavie, Sagae and Jayaraman 2004 left open how many references a metric needs to agree with
people. For each number of references, subsets of the streams are tried: all of them, or a
sample. Each subset scores the outputs anew, and corpus scores are pooled from statistics.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metra.errors import CorpusError
from metra.meta.correlate import CorrelationSpec, correlate_panel
from metra.meta.findings import MetaReport, build_signature, drop_nan
from metra.scoring.table import Cell, make_table
from metra.stats.defaults import SEED
from metra.stats.panel import ScorePanel

#: Give the numbers of some reference streams, get gold and metrics lined up.
Scoring = Callable[[Sequence[int]], ScorePanel]
SUBSETS = 12


@dataclass(frozen=True)
class ReferenceCurves:
    """For each number of references and metric: the coefficient with every subset tried."""

    counts: list[int]
    subsets: list[list[tuple[int, ...]]]
    found: dict[str, list[list[float]]]

    def mean(self, name: str) -> list[float]:
        """The mean over subsets, count by count; NaN where none has a value."""
        return [_mean(each) for each in self.found[name]]


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
    found: dict[tuple[int, ...], None] = {}
    while len(found) < most:
        drawn = rng.choice(streams, count, replace=False)
        found[tuple(sorted(drawn.tolist()))] = None
    return sorted(found)


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
        msg = (
            f"There is {streams or 'no'} reference; asking what more of them buy takes two "
            "or more."
        )
        raise CorpusError(msg)
    sizes = sorted({min(count, streams) for count in counts}) or _choose_counts(streams)
    tried = [choose_subsets(streams, size, most, seed) for size in sizes]
    found: dict[str, list[list[float]]] = {}
    panel = None
    for at, subsets in enumerate(tried):
        for subset in subsets:
            panel = score(subset)
            for name, result in correlate_panel(panel, question).items():
                lines = found.setdefault(name, [[] for _ in sizes])
                lines[at].append(result.value)
    if panel is None:
        msg = "No number of references was asked for; give at least one."
        raise CorpusError(msg)
    return ReferenceCurves(sizes, tried, found), panel


def report_references(
    score: Scoring,
    streams: int,
    question: CorrelationSpec,
    *,
    counts: Sequence[int] = (),
    most: int = SUBSETS,
    seed: int = SEED,
) -> tuple[MetaReport, ReferenceCurves]:
    """Lay out mean and range over subsets, metrics down and numbers across."""
    found, panel = correlate_subsets(
        score, streams, question, counts=counts, most=most, seed=seed
    )
    rows = [
        (name, [_build_figure(each) for each in line])
        for name, line in found.found.items()
    ]
    title = f"{question.heading} with {panel.gold_name} by number of references"
    heads = [str(count) for count in found.counts]
    tables = [make_table("metric", heads, rows, caption=title, name="refs")]
    tried = ", ".join(
        f"{count}: {len(subsets)} of {math.comb(streams, count):,}"
        for count, subsets in zip(found.counts, found.subsets, strict=True)
    )
    notes = [*panel.notes, "[ ] spans the subsets of references that were tried."]
    notes.append(f"Subsets by number of references: {tried}.")
    if any(v != v for line in found.found.values() for each in line for v in each):
        notes.append("– marks scores that are constant.")
    line = build_signature(
        panel,
        level=question.level,
        coef=question.options.coef,
        group=question.options.group if question.level == "seg" else None,
        refs=streams,
        subsets=most,
        seed=seed,
    )
    data: Mapping[str, object] = {
        "subsets": [[list(subset) for subset in each] for each in found.subsets],
        "values": found.found,
    }
    return MetaReport(tables, line, notes, dict(data)), found


def _choose_counts(streams: int) -> list[int]:
    """All numbers up to eight, then doubling."""
    small = list(range(1, min(streams, 8) + 1))
    doubled = [16 * 2**at for at in range(8) if 16 * 2**at < streams]
    return [*small, *doubled, streams] if streams > 8 else small


def _build_figure(each: list[float]) -> Cell:
    there = [v for v in each if v == v]
    span = (min(there), max(there)) if len(there) > 1 else None
    return Cell(drop_nan(_mean(each)), span)


def _mean(each: list[float]) -> float:
    there = [v for v in each if v == v]
    return float(np.mean(there)) if there else float("nan")
