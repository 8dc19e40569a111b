"""Documents made of segments drawn at random, and how metrics and people rank systems on them.

Turian, Shen and Melamed 2003, MT Summit IX: for each length n many sets of n segments are
drawn; people's score of a system is the mean of one judgement a segment, chosen at random;
a metric's is that of a corpus of these segments. The coefficient is of the systems of a
document, and is averaged over documents. Where there are two judgements, people are
compared with people in the same way.

The question `report_pseudo`: how long must a document be for metrics and people to agree?
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metra.errors import CorpusError, OptionError
from metra.formats.scores.record import Scores
from metra.meta.findings import MetaReport, build_signature, drop_nan
from metra.scoring.table import Cell, Table, make_table
from metra.stats.arrays import Array, Codes, Mask
from metra.stats.correlation import find_coefficient
from metra.stats.defaults import SEED
from metra.stats.exact_tests import signed_rank_p, weigh_values
from metra.stats.panel import ScorePanel

LENGTHS = (1, 2, 5, 10, 20, 50, 100, 200, 0)
DOCUMENTS = 1000
#: Cells of judgements that are drawn at a time.
BLOCK = 1_000_000


@dataclass(frozen=True)
class JudgementCells:
    """All judgements of the compared cells, cell by cell; a cell is a system's segment."""

    start: Codes
    count: Codes
    value: Array

    @property
    def once(self) -> bool:
        """Whether no cell was judged twice, so that nothing is left to chance."""
        return int(self.count.max(initial=0)) < 2


@dataclass(frozen=True)
class DocumentCurves:
    """For each length and name, the coefficient of each document; NaN where it has none."""

    lengths: list[int]
    by_name: dict[str, list[Array]]
    #: People with people: two judgements a segment; empty where nothing was judged twice.
    judges: list[Array]

    def mean(self, name: str) -> list[float]:
        """The mean over documents, length by length."""
        return [_mean(found) for found in self.by_name[name]]

    def judge_mean(self) -> list[float]:
        """The mean of people with people, length by length."""
        return [_mean(found) for found in self.judges]


def gather_judgements(scores: Scores, panel: ScorePanel) -> JudgementCells:
    """Gather every single judgement of the panel's gold, higher being better."""
    lines = scores.lines(panel.gold_name)
    scorer = scores.scorers[scores.find(panel.gold_name)]
    sign = 1.0 if scorer.higher_is_better else -1.0
    system_at = {name: at for at, name in enumerate(panel.systems)}
    item_at = {item: at for at, item in enumerate(panel.items)}
    system = np.array([system_at.get(name, -1) for name in scores.systems], np.int64)
    item = np.array([item_at.get(each, -1) for each in scores.items], np.int64)
    row, column = system[lines.system], item[lines.item]
    keep = (row >= 0) & (column >= 0)
    keep[keep] = np.isfinite(panel.gold[row[keep], column[keep]])
    cell = row[keep] * len(panel.items) + column[keep]
    order = np.argsort(cell, kind="stable")
    count = np.bincount(cell, minlength=panel.gold.size)
    start = np.cumsum(count) - count
    shape = panel.gold.shape
    return JudgementCells(
        start.reshape(shape), count.reshape(shape), lines.value[keep][order] * sign
    )


def draw_documents(
    panel: ScorePanel,
    judged: JudgementCells,
    *,
    lengths: Sequence[int] = LENGTHS,
    documents: int = DOCUMENTS,
    coef: str = "spearman",
    seed: int = SEED,
) -> DocumentCurves:
    """Draw documents of each length and correlate systems on each of them.

    A length of 0 is all segments. Each length has random numbers of its own, so that its
    figures do not depend on which other lengths are asked for.
    """
    measure = find_coefficient(coef)
    if measure.rows is None:
        msg = f"{coef!r} is not of plain rows of systems; take pearson, spearman or a tau."
        raise OptionError(msg)
    segments = np.flatnonzero(np.isfinite(panel.gold).any(0))
    if not len(segments):
        msg = (
            f"There are no segment scores of {panel.gold_name} and the metrics together, of "
            "which documents could be made."
        )
        raise CorpusError(msg)
    if len(panel.systems) < 3:
        msg = (
            "Ranking systems on documents takes three of them or more; found: "
            f"{len(panel.systems)}."
        )
        raise CorpusError(msg)
    sizes = sorted({min(n or len(segments), len(segments)) for n in lengths})
    names = panel.names
    by_name: dict[str, list[Array]] = {name: [] for name in names}
    judges: list[Array] = []
    for n in sizes:
        rng = np.random.default_rng([seed, n])
        fixed = n == len(segments) and judged.once
        drawn = _draw(rng, segments, n, 1 if fixed else documents)
        gold, one, other = _draw_human(panel, judged, drawn, rng)
        for name, score in _metric_scores(panel, drawn):
            by_name[name].append(measure.rows(gold, score))
        if not judged.once:
            judges.append(measure.rows(one, other))
    return DocumentCurves(sizes, by_name, judges)


def _draw(rng: np.random.Generator, segments: Codes, n: int, documents: int) -> Codes:
    """Choose n different segments for each document."""
    if n == len(segments):
        return np.broadcast_to(segments, (documents, n))
    keys = rng.random((documents, len(segments)), np.float32)
    return segments[np.argpartition(keys, n - 1, axis=1)[:, :n]]


def _draw_human(
    panel: ScorePanel, judged: JudgementCells, drawn: Codes, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Mean of one judgement a cell, and means of two different ones where there are two."""
    documents, n = drawn.shape
    systems = len(panel.systems)
    if judged.once:
        gold = _means(panel.gold[None], np.isfinite(panel.gold), drawn)[0]
        return gold, gold, gold
    found = np.empty((3, documents, systems))
    block = max(1, BLOCK // max(n * systems, 1))
    # A last value for cells without any: it weighs nothing.
    value = np.append(judged.value, 0.0)
    count = judged.count.astype(np.int32)
    start = judged.start.astype(np.int32)
    for begin in range(0, documents, block):
        chosen = drawn[begin : begin + block]
        size, place = count[:, chosen], start[:, chosen]
        first = _pick(rng, size)
        second = first + 1 + _pick(rng, size - 1)
        second -= np.where(second >= size, np.maximum(size, 1), 0)
        a, b = value[place + first], value[place + second]
        for at, (values, least) in enumerate(((a, 1), (a, 2), (b, 2))):
            kept = size >= least
            total = values.sum(-1) if kept.all() else np.where(kept, values, 0).sum(-1)
            means = _over(_round_sums(total), kept.sum(-1))
            found[at, begin : begin + block] = means.T
    return found[0], found[1], found[2]


def _pick(rng: np.random.Generator, size: NDArray[np.int32]) -> NDArray[np.int32]:
    """A number from 0 up to, not with, each size; 0 where there is nothing to choose."""
    drawn = (rng.random(size.shape, np.float32) * size).astype(np.int32)
    # Single precision may round up to the size itself.
    return np.clip(drawn, 0, np.maximum(size - 1, 0))


def _metric_scores(panel: ScorePanel, drawn: Codes) -> list[tuple[str, Array]]:
    """Scores of documents × systems: pooled where statistics are kept, else means."""
    names = panel.names
    plain = [name for name in names if name not in panel.statistics]
    found: dict[str, Array] = {}
    if plain:
        there = np.isfinite(panel.gold)
        stack = np.stack([panel.metrics[name] for name in plain])
        found = dict(zip(plain, _means(stack, there, drawn), strict=True))
    if len(plain) < len(names):
        weights = np.zeros((len(drawn), panel.gold.shape[1]))
        np.put_along_axis(weights, drawn, 1.0, axis=1)
        for name in names:
            if name in panel.statistics:
                found[name] = panel.statistics[name].score_weightings(weights)
    return [(name, found[name]) for name in names]


def _means(stack: Array, there: Mask, drawn: Codes) -> Array:
    """Mean over each document's cells: (k, systems, segments) to (k, documents, systems)."""
    kinds, systems, segments = stack.shape
    documents, n = drawn.shape
    values = np.where(there, stack, 0.0).reshape(-1, segments)
    cells = np.concatenate([values, there.astype(np.float64)])
    if n * 16 < segments:
        turned = np.ascontiguousarray(cells.T)
        total = np.zeros((documents, len(cells)))
        for at in range(n):
            total += turned[drawn[:, at]]
    else:
        weights = np.zeros((documents, segments))
        np.put_along_axis(weights, np.ascontiguousarray(drawn), 1.0, axis=1)
        total = weigh_values(weights, cells.T)
    sums = total[:, : kinds * systems].reshape(documents, kinds, systems)
    for kind in range(kinds):
        sums[:, kind] = _round_sums(sums[:, kind])
    return _over(sums, total[:, None, kinds * systems :]).transpose(1, 0, 2)


def _round_sums(total: Array) -> Array:
    """Make sums equal that only rounding tells apart, so that ties are ties.

    The order in which values are added up then matters no more.
    """
    step = 1e-10 * float(np.abs(total).max(initial=0.0))
    return np.asarray(np.rint(total / step) * step) if step > 0 else total


def _over(total: Array, count: Array) -> Array:
    total, count = np.broadcast_arrays(total, count)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def _mean(found: Array) -> float:
    there = found[np.isfinite(found)]
    return float(there.mean()) if len(there) else float("nan")


#: What the curve of people with people is called.
JUDGES = "judge with judge"


def report_pseudo(
    scores: Scores,
    panel: ScorePanel,
    *,
    lengths: Sequence[int] = LENGTHS,
    documents: int = DOCUMENTS,
    coef: str = "spearman",
    seed: int,
    test: bool = False,
) -> tuple[MetaReport, DocumentCurves]:
    """Lay out mean and standard error for each length, and p-values where asked for."""
    judged = gather_judgements(scores, panel)
    found = draw_documents(
        panel, judged, lengths=lengths, documents=documents, coef=coef, seed=seed
    )
    series = dict(found.by_name)
    if found.judges:
        series[JUDGES] = found.judges
    heads = [str(n) for n in found.lengths]
    rows = [
        (name, [_mean_and_se(each) for each in line]) for name, line in series.items()
    ]
    title = f"Mean {coef} with {panel.gold_name} over documents of so many segments"
    tables = [make_table("scorer", heads, rows, caption=title, name="pseudo")]
    if test:
        tables += [_build_p_table(found, at) for at in range(len(found.lengths))]
    notes = list(panel.notes)
    notes += _write_notes(found, series, judged.count)
    data = {
        "curves": {
            name: [
                {"n": n, "mean": f.value, "se": _se(each)}
                for n, each, f in zip(
                    found.lengths, line, map(_mean_and_se, line), strict=True
                )
            ]
            for name, line in series.items()
        }
    }
    line = build_signature(
        panel,
        coef=coef,
        documents=documents,
        drawn="without replacement",
        pooled=",".join(panel.statistics) or None,
        seed=seed,
    )
    return MetaReport(tables, line, notes, data), found


def compute_wilcoxon(found: DocumentCurves, at: int) -> Array:
    """p-values that the row's metric is no better than the column's, document by document."""
    names = list(found.by_name)
    size = len(names)
    p = np.full((size, size), np.nan)
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            if i != j:
                gaps = found.by_name[one][at] - found.by_name[other][at]
                p[i, j] = signed_rank_p(gaps)
    return p


def _build_p_table(found: DocumentCurves, at: int) -> Table:
    names = list(found.by_name)
    rows = [
        (f"{i} {name}", [Cell(drop_nan(p)) for p in row])
        for i, (name, row) in enumerate(
            zip(names, compute_wilcoxon(found, at), strict=True), 1
        )
    ]
    heads = [str(i) for i in range(1, len(names) + 1)]
    n = found.lengths[at]
    length = "1 segment" if n == 1 else f"{n} segments"
    title = f"Wilcoxon signed ranks at {length}: p that the row is no better"
    return make_table(
        "metric", heads, rows, caption=title, name=f"wilcoxon {n}", names=names
    )


def _mean_and_se(found: Array) -> Cell:
    there = found[np.isfinite(found)]
    if not len(there):
        return Cell(None)
    mean, se = float(there.mean()), _se(found)
    return Cell(mean, (mean - se, mean + se) if se is not None else None)


def _se(found: Array) -> float | None:
    there = found[np.isfinite(found)]
    if len(there) < 2:
        return None
    return float(there.std(ddof=1) / np.sqrt(len(there)))


def _write_notes(
    found: DocumentCurves, series: dict[str, list[Array]], count: Codes
) -> list[str]:
    notes = ["[ ] is the mean ± one standard error over documents, not over systems."]
    lost = {
        name: sum(int((~np.isfinite(each)).sum()) for each in line)
        for name, line in series.items()
    }
    without = {name: n for name, n in lost.items() if n}
    if without:
        total = sum(len(each) for each in next(iter(series.values())))
        worst = max(without, key=lambda name: without[name])
        notes.append(
            f"Documents without a coefficient, as scores were equal or missing, are left out: "
            f"at most {without[worst]:,} of {total:,} ({worst})."
        )
    cells = int((count > 0).sum())
    twice = int((count > 1).sum())
    if not found.judges:
        notes.append("Nothing was judged twice: there is no curve of judge with judge.")
    elif twice < cells:
        notes.append(
            f"Judge with judge: {twice:,} of {cells:,} cells were judged twice."
        )
    return notes
