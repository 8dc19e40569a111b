"""Documents made of segments drawn at random, and how systems are ranked on them.

Turian, Shen and Melamed 2003, MT Summit IX: for each length n many sets of n segments are
drawn; people's score of a system is the mean of one judgement a segment, chosen at random;
a metric's is that of a corpus of these segments. The coefficient is of the systems of a
document, and is averaged over documents. Where there are two judgements, people are
compared with people in the same way.

Judges are put in an order at random, and a cell takes the first two of those who judged it.
The order is drawn anew for each cell, as in the paper, whose judges did not judge the same
systems; or for each segment, or for each document. Judges have scales of their own. So where
the same judges judged all systems of a segment, an order for each cell would compare scales
instead of systems, and an order for each segment compares systems as one judge sees them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from metra.errors import CorpusError
from metra.stats.arrays import Array, Codes, Mask, divide, expand_ranges, group_lines
from metra.stats.correlation import Options
from metra.stats.defaults import DOCUMENTS, LENGTHS, SEED
from metra.stats.panel import ScorePanel
from metra.stats.weighted_sums import weigh_values

#: Cells of judgements that are drawn at a time.
BLOCK = 1_000_000
#: The least share of crossed pairs at which judges are drawn for segments.
CROSSED = 0.5


@dataclass(frozen=True)
class JudgementCells:
    """All judgements of the compared cells, cell by cell; a cell is a system's segment."""

    start: Codes
    count: Codes
    value: Array
    #: Who gave each value, nobody twice in a cell; empty where judges are not known.
    judge: Codes = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def places(self) -> tuple[Codes, Codes]:
        """The cell of each judgement, and the place of its value."""
        return expand_ranges(self.start.ravel(), self.count.ravel())

    @property
    def once(self) -> bool:
        """True if no cell was judged twice, so that nothing is left to chance."""
        return int(self.count.max(initial=0)) < 2


@dataclass(frozen=True)
class DocumentCurves:
    """For each length and name, the coefficient of each document; NaN where it has none."""

    lengths: list[int]
    by_name: dict[str, list[Array]]
    #: People with people: two judgements a segment; empty where nothing was judged twice.
    judges: list[Array]
    #: Cells with a judgement, and with two or more.
    judged: int
    judged_twice: int
    #: For what judges are drawn: cell, segment or document; empty if nothing is drawn.
    judges_by: str = ""
    #: The share of crossed pairs (`measure_crossing`); NaN where it is not known.
    crossed: float = float("nan")

    def mean(self, name: str) -> list[float]:
        """The mean over documents, length by length."""
        return [_mean(values) for values in self.by_name[name]]

    def judge_mean(self) -> list[float]:
        """The mean of people with people, length by length."""
        return [_mean(values) for values in self.judges]


def draw_documents(
    panel: ScorePanel,
    judged: JudgementCells,
    *,
    lengths: Sequence[int] = LENGTHS,
    documents: int = DOCUMENTS,
    coef: str = "spearman",
    judges_by: str = "auto",
    seed: int = SEED,
) -> DocumentCurves:
    """Draw documents of each length and correlate systems on each of them.

    A length of 0 is all segments. Judges are drawn for each cell, segment or document, or
    as the design asks for (`choose_judge_unit`). Each length has random numbers of its own,
    so that its figures do not depend on which other lengths are asked for.
    """
    rows = Options(coef=coef).rows
    segments = np.flatnonzero(np.isfinite(panel.gold).any(0))
    if not len(segments):
        msg = (
            f"No segment has scores of both {panel.gold_name} and the metrics, so no "
            "documents can be drawn."
        )
        raise CorpusError(msg)
    if len(panel.systems) < 3:
        msg = (
            "Ranking systems on documents needs at least three systems; found "
            f"{len(panel.systems)}."
        )
        raise CorpusError(msg)
    unit, crossed = choose_judge_unit(judged, judges_by)
    sizes = sorted({min(n or len(segments), len(segments)) for n in lengths})
    by_name: dict[str, list[Array]] = {name: [] for name in panel.names}
    judges: list[Array] = []
    for n in sizes:
        rng = np.random.default_rng([seed, n])
        fixed = n == len(segments) and judged.once
        drawn = _draw(rng, segments, n, 1 if fixed else documents)
        gold, one, other = _draw_human(panel, judged, drawn, rng, unit)
        for name, score in _metric_scores(panel, drawn).items():
            by_name[name].append(rows(gold, score))
        if not judged.once:
            judges.append(rows(one, other))
    once, twice = (int((judged.count >= least).sum()) for least in (1, 2))
    return DocumentCurves(sizes, by_name, judges, once, twice, unit, crossed)


def choose_judge_unit(judged: JudgementCells, judges_by: str) -> tuple[str, float]:
    """Return for what judges are drawn, and the share of crossed pairs.

    "auto" is segment in a crossed design, in which the same two judges judged at least
    half of the pairs of systems, and cell in any other.
    """
    if judged.once:
        return "", np.nan
    if not len(judged.judge):
        if judges_by not in ("auto", "cell"):
            msg = (
                "Some judgements have no judge, so judges cannot be drawn by "
                f"{judges_by}; set `judges_by` to cell."
            )
            raise CorpusError(msg)
        return "cell", np.nan
    crossed = measure_crossing(judged)
    if judges_by == "auto":
        return "segment" if crossed >= CROSSED else "cell", crossed
    return judges_by, crossed


def measure_crossing(judged: JudgementCells) -> float:
    """Return the share of pairs of systems of a segment that the same two judges judged.

    Only cells that were judged twice make pairs; without a pair the share is 0.
    """
    systems, segments = judged.count.shape
    cell, index = judged.places
    twice = judged.count.ravel()[cell] >= 2
    cell, judge = cell[twice], judged.judge[index[twice]]
    crossed = pairs = 0
    for _, lines in group_lines(cell % segments):
        judges, code = np.unique(judge[lines], return_inverse=True)
        by_judge = np.zeros((systems, len(judges)))
        by_judge[cell[lines] // segments, code] = 1
        shared = (by_judge @ by_judge.T)[np.triu_indices(systems, 1)]
        size = int(by_judge.any(1).sum())
        crossed += int((shared >= 2).sum())
        pairs += size * (size - 1) // 2
    return crossed / pairs if pairs else 0.0


def _draw(rng: np.random.Generator, segments: Codes, n: int, documents: int) -> Codes:
    """Choose n different segments for each document."""
    if n == len(segments):
        return np.broadcast_to(segments, (documents, n))
    keys = rng.random((documents, len(segments)), np.float32)
    return segments[np.argpartition(keys, n - 1, axis=1)[:, :n]]


def _draw_human(
    panel: ScorePanel,
    judged: JudgementCells,
    drawn: Codes,
    rng: np.random.Generator,
    unit: str,
) -> tuple[Array, Array, Array]:
    """Mean of one judgement a cell, and means of two different ones where there are two."""
    documents, n = drawn.shape
    systems = len(panel.systems)
    if judged.once:
        gold = _means(panel.gold[None], np.isfinite(panel.gold), drawn)[0]
        return gold, gold, gold
    means = np.empty((3, documents, systems))
    order = None if unit == "cell" else _JudgeOrder(judged, unit)
    wide = systems if order is None else max(systems, order.judges)
    block = max(1, BLOCK // max(n * wide, 1))
    # A last value for cells without any: it weighs nothing.
    value = np.append(judged.value, 0.0)
    count = judged.count.astype(np.int32)
    start = judged.start.astype(np.int32)
    for begin in range(0, documents, block):
        chosen = drawn[begin : begin + block]
        size, place = count[:, chosen], start[:, chosen]
        if order is None:
            first = _pick(rng, size)
            second = first + 1 + _pick(rng, size - 1)
            second -= np.where(second >= size, np.maximum(size, 1), 0)
        else:
            first, second = order.pick(rng, size, place)
        a, b = value[place + first], value[place + second]
        for kind, (values, least) in enumerate(((a, 1), (a, 2), (b, 2))):
            kept = size >= least
            total = values.sum(-1) if kept.all() else np.where(kept, values, 0).sum(-1)
            means[kind, begin : begin + block] = divide(total, kept.sum(-1)).T
    gold, one, other = map(_round_means, means)
    return gold, one, other


class _JudgeOrder:
    """An order of the judges of each segment, or of all judges for each document."""

    def __init__(self, judged: JudgementCells, unit: str) -> None:
        self.by_document = unit == "document"
        cell, index = judged.places
        # Some more, which cells with few judgements, or without any, point to.
        self.most = int(judged.count.max())
        self.code = np.zeros(len(judged.value) + self.most, np.int32)
        self.code[index] = judged.judge[index]
        if not self.by_document:
            # Numbers from 0 within each segment, so that few random numbers are drawn.
            for _, lines in group_lines(cell % judged.count.shape[1]):
                own = index[lines]
                self.code[own] = np.unique(judged.judge[own], return_inverse=True)[1]
        self.judges = int(self.code.max()) + 1

    def pick(
        self,
        rng: np.random.Generator,
        size: NDArray[np.int32],
        place: NDArray[np.int32],
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the first and the second of each cell's judges, systems × documents × n."""
        _, documents, n = size.shape
        units = (documents, 1 if self.by_document else n)
        keys = rng.random(math.prod(units) * self.judges, np.float32)
        begin = self.judges * np.arange(math.prod(units), dtype=np.int32).reshape(units)
        first, second = np.zeros((2, *size.shape), np.int32)
        least, next_least = np.full((2, *size.shape), np.inf, np.float32)
        for number in range(self.most):
            key = keys[begin + self.code[place + number]]
            key[size <= number] = np.inf
            is_first = key < least
            np.copyto(second, number, where=~is_first & (key < next_least))
            np.copyto(second, first, where=is_first)
            np.copyto(first, number, where=is_first)
            next_least = np.minimum(next_least, np.maximum(least, key))
            least = np.minimum(least, key)
        return first, second


def _pick(rng: np.random.Generator, size: NDArray[np.int32]) -> NDArray[np.int32]:
    """A number from 0 up to, not with, each size; 0 where there is nothing to choose."""
    drawn = (rng.random(size.shape, np.float32) * size).astype(np.int32)
    # Single precision may round up to the size itself.
    return np.clip(drawn, 0, np.maximum(size - 1, 0))


def _metric_scores(panel: ScorePanel, drawn: Codes) -> dict[str, Array]:
    """Scores of documents × systems: pooled where statistics are kept, else means."""
    pooled = [name for name in panel.names if name in panel.statistics]
    plain = {name: m for name, m in panel.metrics.items() if name not in pooled}
    scores: dict[str, Array] = {}
    if plain:
        means = _means(np.stack([*plain.values()]), np.isfinite(panel.gold), drawn)
        scores = dict(zip(plain, means, strict=True))
    if pooled:
        weights = _weigh_segments(drawn, panel.gold.shape[1])
        for name in pooled:
            scores[name] = panel.statistics[name].score_weightings(weights)
    return scores


def _weigh_segments(drawn: Codes, segments: int) -> Array:
    """Documents × segments: 1 where a document has the segment."""
    weights = np.zeros((len(drawn), segments))
    np.put_along_axis(weights, np.ascontiguousarray(drawn), 1.0, axis=1)
    return weights


def _means(stack: Array, present: Mask, drawn: Codes) -> Array:
    """Mean over each document's cells: (k, systems, segments) to (k, documents, systems)."""
    kinds, systems, segments = stack.shape
    documents, n = drawn.shape
    values = np.where(present, stack, 0.0).reshape(-1, segments)
    cells = np.concatenate([values, present.astype(np.float64)])
    if n * 16 < segments:
        turned = np.ascontiguousarray(cells.T)
        total = np.zeros((documents, len(cells)))
        for place in range(n):
            total += turned[drawn[:, place]]
    else:
        total = weigh_values(_weigh_segments(drawn, segments), cells.T)
    sums = total[:, : kinds * systems].reshape(documents, kinds, systems)
    means = divide(sums, total[:, None, kinds * systems :]).transpose(1, 0, 2)
    return np.stack([_round_means(each) for each in means])


def _round_means(means: Array) -> Array:
    """Make means equal that only rounding tells apart, so that ties are ties.

    The order in which values are added up then matters no more.
    """
    step = 1e-10 * float(np.abs(np.nan_to_num(means)).max(initial=0.0))
    return np.asarray(np.rint(means / step) * step) if step > 0 else means


def _mean(values: Array) -> float:
    present = values[np.isfinite(values)]
    return float(present.mean()) if len(present) else float("nan")
