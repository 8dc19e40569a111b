"""Agreement on error spans: precision, recall and F of characters and of matched spans.

Whoever marks errors, a judge or a program, is a rater. A comparison of two raters on an
output is a row of additive counts, so that a resample of segments is a weighting of rows.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice, pairwise
from math import lcm
from typing import TypeAlias

import numpy as np

from metra.stats.agreement import nominal_columns
from metra.stats.arrays import (
    Array,
    Codes,
    Mask,
    add_rows,
    divide,
    expand_ranges,
    group_lines,
    number_by_appearance,
)
from metra.stats.assignment import assign_columns
from metra.stats.defaults import SEED, TRIALS
from metra.stats.ratings import Ratings
from metra.stats.resampling import Interval, Sample, compute_intervals

#: Units of comparison: characters, spans matched one to one, and spans at the same place.
KINDS = ("characters", "spans", "exact")
#: The figures of each kind.
FIGURES = ("precision", "recall", "F")
#: Credit for an error that both marked, with different severities.
CREDIT = 0.5
#: Pairs of raters that have intervals; of hundreds nobody looks at each.
MOST_INTERVALS = 30
#: All figures, by kind.
KEYS = (
    *((kind, figure) for kind in KINDS for figure in FIGURES),
    ("characters", "severity"),
)
#: Outputs that were compared, by their numbers, and the counts of `count_matches` of each.
SpanComparisons: TypeAlias = tuple[Codes, Array]
#: A marked part of an output: start and end in characters, the end not included, and
#: whether it is major.
PlacedMark: TypeAlias = tuple[int, int, bool]
#: The columns of counts with the two raters exchanged.
_EXCHANGED = (0, 2, 1, 4, 3, 6, 5, 7, 8, 9)


@dataclass(frozen=True)
class SpanColumns:
    """Marks as arrays: the outputs that each rater looked at, and the spans marked there."""

    raters: tuple[str, ...]
    #: Of each output its segment, numbered from 0, and its characters, 0 where unknown.
    segment: Codes
    length: Codes
    #: The output and the rater of each rating, in their order.
    output: Codes
    rater: Codes
    #: The rating of each span, in their order, and its place.
    rating: Codes
    start: Codes
    end: Codes
    is_major: Mask

    @cached_property
    def sizes(self) -> Codes:
        """Number of spans of each rating."""
        return np.bincount(self.rating, minlength=len(self.output))

    @cached_property
    def spans(self) -> list[list[PlacedMark]]:
        """The spans of each rating."""
        columns = map(np.ndarray.tolist, (self.start, self.end, self.is_major))
        spans = [*zip(*columns, strict=True)]
        ends = np.cumsum(self.sizes).tolist()
        return [spans[start:end] for start, end in pairwise([0, *ends])]

    def keep_raters(self, names: Collection[str]) -> "SpanColumns":
        """Keep some raters, and the outputs that any of them looked at."""
        raters = [at for at, name in enumerate(self.raters) if name in names]
        ratings = np.flatnonzero(np.isin(self.rater, raters))
        spans = np.flatnonzero(np.isin(self.rating, ratings))
        outputs, output = np.unique(self.output[ratings], return_inverse=True)
        return SpanColumns(
            tuple(self.raters[at] for at in raters),
            number_by_appearance(self.segment[outputs])[1],
            self.length[outputs],
            output,
            np.searchsorted(raters, self.rater[ratings]),
            np.searchsorted(ratings, self.rating[spans]),
            *(self.start[spans], self.end[spans], self.is_major[spans]),
        )


@dataclass(frozen=True)
class SpanScores:
    """Precision, recall and F of one rater's spans, held against others'."""

    name: str
    #: Outputs that were compared, spans that this rater marked there, and those that they
    #: were compared with, of each other rater.
    outputs: int
    predicted: int
    gold: int
    #: By kind and figure.
    values: Mapping[tuple[str, str], float]
    intervals: Mapping[tuple[str, str], Interval | None]


@dataclass(frozen=True)
class SpanAgreement:
    """Agreement of raters on spans: two at a time, and all together."""

    pairs: Sequence[SpanScores]
    #: The pairs of raters of every output taken together, both ways round; None of none.
    overall: SpanScores | None
    #: Krippendorff's alpha of characters as free, minor or major; NaN without texts.
    alpha: float
    alpha_interval: Interval | None
    #: Outputs of two raters or more, and those of them whose text is known.
    outputs: int
    with_text: int


def count_matches(
    predicted: Sequence[PlacedMark], gold: Sequence[PlacedMark], credit: float = CREDIT
) -> list[float]:
    """Count the matches of two raters' marks in an output.

    Characters are counted as in WMT 2025's evaluation of error spans: a character with two
    marks counts twice, one with another severity counts `credit`. Spans are matched one to
    one, and a match counts for the share of either span that the other covers (Perrella et
    al. 2026, "match with partial overlap and partial credit"). The columns: characters in
    common, predicted, gold; spans' shares for precision and for recall, spans predicted and
    gold; spans at the same place; characters in common of the same severity, and of any.
    """
    overlaps = [
        [max(0, min(end, b[1]) - max(start, b[0])) for b in gold]
        for start, end, _ in predicted
    ]
    same = placed = 0
    for_precision = for_recall = places = 0.0
    # Of most outputs raters mark nothing alike.
    if any(map(any, overlaps)):
        same, placed = _match_characters(predicted, gold)
        for_precision, for_recall = _match_spans(predicted, gold, overlaps, credit)
        places = _match_places(predicted, gold, credit)
    return [
        same + credit * (placed - same),
        float(sum(end - start for start, end, _ in predicted)),
        float(sum(end - start for start, end, _ in gold)),
        for_precision,
        for_recall,
        float(len(predicted)),
        float(len(gold)),
        places,
        float(same),
        float(placed),
    ]


def aggregate_matches(totals: Array, kind: str, figure: str) -> Array:
    """Return precision, recall or F of one kind from totals of counts: (..., 10) to (...).

    Where nothing is predicted, precision is 1, and where there is no error, recall is 1, as
    in WMT's program. The severity of characters is the share of those in common that have
    the same one, NaN of none.
    """
    if figure == "severity":
        return divide(totals[..., 8], totals[..., 9])
    hits, sizes = {
        "characters": ((0, 0), (1, 2)),
        "spans": ((3, 4), (5, 6)),
        "exact": ((7, 7), (5, 6)),
    }[kind]
    precision, recall = (
        divide(totals[..., hit], totals[..., size], fill=1.0)
        for hit, size in zip(hits, sizes, strict=True)
    )
    f = divide(2 * precision * recall, precision + recall, fill=0.0)
    return {"precision": precision, "recall": recall, "F": f}[figure]


def score_raters(
    comparisons: Mapping[str, SpanComparisons],
    segments: Codes,
    *,
    trials: int = TRIALS,
    seed: int = SEED,
) -> list[SpanScores]:
    """Score each rater's comparisons, with intervals over segments; `trials` of 0 has none.

    `segments` has the segment of each output. All outputs of a segment are drawn together,
    and all raters see the same draws.
    """
    bounds: list[Interval | None] = []
    if trials:
        samples = _list_samples(comparisons, segments, KEYS)
        bounds = compute_intervals(samples, trials=trials, seed=seed)
    return _build_scores(comparisons, KEYS, bounds)


def _list_samples(
    comparisons: Mapping[str, SpanComparisons],
    segments: Codes,
    keys: Sequence[tuple[str, str]],
) -> list[Sample]:
    """List the samples: each figure of each comparison, by segment."""
    count = int(segments.max(initial=-1)) + 1
    return [
        Sample(rows, partial(aggregate_matches, kind=kind, figure=figure))
        for outputs, counts in comparisons.values()
        for rows in [add_rows(counts, segments[outputs], count)]
        for kind, figure in keys
    ]


def _build_scores(
    comparisons: Mapping[str, SpanComparisons],
    keys: Sequence[tuple[str, str]],
    bounds: Sequence[Interval | None],
) -> list[SpanScores]:
    """Return the scores; `bounds` are the intervals of the figures `keys` of the first."""
    if not comparisons:
        return []
    totals = np.stack([counts.sum(0) for _, counts in comparisons.values()])
    columns = [aggregate_matches(totals, *key).tolist() for key in KEYS]
    figures = zip(*columns, strict=True)
    scores = []
    for at, (name, (outputs, counts)) in enumerate(comparisons.items()):
        own = bounds[at * len(keys) : (at + 1) * len(keys)]
        marked = dict(zip(outputs.tolist(), counts[:, 5].tolist(), strict=True))
        sizes = (len(marked), int(sum(marked.values())), int(totals[at, 6]))
        values = dict(zip(KEYS, next(figures), strict=True))
        intervals: dict[tuple[str, str], Interval | None] = dict.fromkeys(KEYS)
        intervals |= zip(keys, own, strict=False)
        scores.append(SpanScores(name, *sizes, values, intervals))
    return scores


def agree_on_spans(
    marks: SpanColumns,
    *,
    credit: float = CREDIT,
    trials: int = TRIALS,
    seed: int = SEED,
    keys: Sequence[tuple[str, str]] = KEYS,
) -> SpanAgreement:
    """Compare every two raters on the outputs that both looked at.

    Pairs that share most outputs come first, and some of them have intervals. `keys` are
    the kinds and figures that have intervals.
    """
    names, output, rater = marks.raters, marks.output, marks.rater
    line = np.arange(len(output))
    later = np.searchsorted(output, output, "right") - line - 1
    first, second = expand_ranges(line + 1, later)
    counts = count_pairs(marks, first, second, credit)
    compared, pair = output[first], rater[first] * len(names) + rater[second]
    comparisons = {
        " – ".join(names[at] for at in divmod(code, len(names))): (
            compared[lines],
            counts[lines],
        )
        for code, lines in sorted(
            group_lines(pair), key=lambda each: (-len(each[1]), each[1][0])
        )
    }
    everything: dict[str, SpanComparisons] = {}
    if len(counts):
        both_ways = np.repeat(counts, 2, axis=0)
        both_ways[1::2] = counts[:, _EXCHANGED]
        everything = {"all": (np.repeat(compared, 2), both_ways)}
    raters = np.bincount(output, minlength=len(marks.length))
    with_text = np.flatnonzero((raters > 1) & (marks.length > 0))
    alpha, characters = _compute_alpha(marks, with_text)
    bounds: list[Interval | None] = []
    if trials:
        # All are of the same segments: these are drawn once.
        most = dict(islice(comparisons.items(), MOST_INTERVALS))
        samples = _list_samples(everything, marks.segment, keys)
        samples = [*characters, *samples, *_list_samples(most, marks.segment, keys)]
        bounds = compute_intervals(samples, trials=trials, seed=seed)
    alpha_interval = bounds.pop(0) if bounds and characters else None
    overall = _build_scores(everything, keys, bounds)
    pairs = _build_scores(comparisons, keys, bounds[len(everything) * len(keys) :])
    counted = int((raters > 1).sum()), len(with_text)
    return SpanAgreement(
        pairs, overall[0] if overall else None, alpha, alpha_interval, *counted
    )


def count_pairs(
    marks: SpanColumns, first: Codes, second: Codes, credit: float
) -> Array:
    """Count as `count_matches` does, for pairs of ratings by their numbers."""
    sizes = marks.sizes
    lengths = np.bincount(marks.rating, marks.end - marks.start, len(sizes))
    counts = np.zeros((len(first), len(_EXCHANGED)))
    for place, totals in ((1, lengths), (5, sizes)):
        counts[:, place], counts[:, place + 1] = totals[first], totals[second]
    spans = marks.spans
    # Of many pairs one has marked nothing.
    both = np.flatnonzero((sizes[first] > 0) & (sizes[second] > 0))
    pairs = zip(both.tolist(), first[both].tolist(), second[both].tolist(), strict=True)
    for line, one, other in pairs:
        counts[line] = count_matches(spans[one], spans[other], credit)
    return counts


def _match_characters(
    predicted: Sequence[PlacedMark], gold: Sequence[PlacedMark]
) -> tuple[int, int]:
    """Count characters in common of the same severity, and of any."""
    same = placed = 0
    bounds = {place for span in (*predicted, *gold) for place in span[:2]}
    for start, end in pairwise(sorted(bounds)):
        counts = [_count_severities(spans, start) for spans in (predicted, gold)]
        same += (end - start) * sum(map(min, *counts))
        placed += (end - start) * min(map(sum, counts))
    return same, placed


def _match_places(
    predicted: Sequence[PlacedMark], gold: Sequence[PlacedMark], credit: float
) -> float:
    """Count spans that have the same place, as many as both raters have there."""
    same = Counter(predicted) & Counter(gold)
    placed = Counter(span[:2] for span in predicted) & Counter(s[:2] for s in gold)
    return same.total() + credit * (placed.total() - same.total())


def _match_spans(
    predicted: Sequence[PlacedMark],
    gold: Sequence[PlacedMark],
    overlaps: Sequence[Sequence[int]],
    credit: float,
) -> tuple[float, float]:
    """Match spans one to one for the greatest sum of F, and of those the most covered.

    `overlaps` are the characters in common of each two spans.
    """
    # Whole numbers, so that no tie is broken by rounding: characters in common in parts of a
    # character, and shares of spans in parts of a number that all lengths divide.
    part, whole = credit.as_integer_ratio()
    common = [
        [n * (whole if a[2] == b[2] else part) for b, n in zip(gold, row, strict=True)]
        for a, row in zip(predicted, overlaps, strict=True)
    ]
    ours, theirs = (
        [end - start for start, end, _ in spans] for spans in (predicted, gold)
    )
    unit = lcm(*(a + b for a in ours for b in theirs), *ours, *theirs)
    leading = 2 * whole * unit * (len(predicted) + 1)
    weights = [
        [
            n * (2 * unit // (a + b) * leading + unit // a + unit // b)
            for b, n in zip(theirs, row, strict=True)
        ]
        for a, row in zip(ours, common, strict=True)
    ]
    for_precision = for_recall = 0.0
    for i, j in enumerate(assign_columns(weights)):
        if j is not None:
            for_precision += common[i][j] / (whole * ours[i])
            for_recall += common[i][j] / (whole * theirs[j])
    return for_precision, for_recall


def _count_severities(spans: Sequence[PlacedMark], place: int) -> tuple[int, int]:
    """Count the minor and the major spans that cover a character."""
    covering = [is_major for start, end, is_major in spans if start <= place < end]
    return len(covering) - sum(covering), sum(covering)


def _compute_alpha(marks: SpanColumns, outputs: Codes) -> tuple[float, list[Sample]]:
    """Krippendorff's alpha of characters, and what its interval over segments is drawn from.

    Runs of characters on which nobody's marks change are one unit each, weighted by their
    length.
    """
    if not len(outputs):
        return float("nan"), []
    ratings, lengths, unit = _rate_runs(marks, outputs)
    rows, aggregate = nominal_columns(ratings)
    segment, count = marks.segment[outputs][unit], int(marks.segment.max()) + 1
    by_segment = add_rows(rows * lengths[:, None], segment, count)
    value = float(aggregate(by_segment.sum(0)))
    return value, [Sample(by_segment, aggregate)] if value == value else []


def _rate_runs(marks: SpanColumns, outputs: Codes) -> tuple[Ratings, Codes, Codes]:
    """Return the severities of runs: 0 for none, 1 for minor, 2 for major, the worst there.

    Runs of characters on which nobody's marks change are rated, in the order of the text.
    Besides, return the length and the output of each, by its place among `outputs`.
    """
    number = np.full(len(marks.length), -1, np.int64)
    number[outputs] = np.arange(len(outputs))
    chosen = np.flatnonzero(number[marks.output] >= 0)
    judges, raters = marks.rater[chosen], np.bincount(number[marks.output[chosen]])
    first_rating = np.cumsum(raters) - raters
    rated = np.full(len(marks.output), -1, np.int64)
    rated[chosen] = np.arange(len(chosen))
    spans = np.flatnonzero(rated[marks.rating] >= 0)
    unit = number[marks.output[marks.rating[spans]]]
    place = rated[marks.rating[spans]] - first_rating[unit]
    severity = 1.0 + marks.is_major[spans]
    lengths = marks.length[outputs]
    # All places of all texts in a row; what lies behind a text is cut off.
    base, most = np.cumsum(lengths + 1) - lengths - 1, lengths[unit]
    start = base[unit] + np.minimum(marks.start[spans], most)
    end = base[unit] + np.minimum(marks.end[spans], most)
    is_edge = np.zeros(base[-1] + lengths[-1] + 1, np.bool_)
    is_edge[np.concatenate([base, base + lengths, start, end])] = True
    edges = np.flatnonzero(is_edge)
    owner = np.searchsorted(base, edges, "right") - 1
    begins = np.flatnonzero(owner[1:] == owner[:-1])
    runs, of_unit = edges[begins], owner[begins]
    # Each run has a cell for every rater of its text.
    sizes = raters[of_unit]
    run, judge = expand_ranges(first_rating[of_unit], sizes)
    values = np.zeros(len(run))
    first, last = np.searchsorted(runs, start), np.searchsorted(runs, end)
    at, covered = expand_ranges(first, last - first)
    cells = (np.cumsum(sizes) - sizes)[covered] + place[at]
    np.maximum.at(values, cells, severity[at])
    # Runs are in order, and the raters of each.
    ratings = Ratings(marks.raters, ("",) * len(runs), judges[judge], run, values)
    return ratings, edges[begins + 1] - runs, of_unit
