"""The question `pseudo`: how long must a document be for metrics and people to agree?"""

from itertools import permutations

import numpy as np

from metra.formats.scores.record import Scores
from metra.meta.findings import MetaReport, build_matrix, build_signature
from metra.meta.options import PseudoOptions
from metra.scoring.table import Cell, Table, make_table
from metra.stats.arrays import Array
from metra.stats.exact_tests import signed_rank_p
from metra.stats.panel import ScorePanel
from metra.stats.pseudo_documents import DocumentCurves, JudgementCells, draw_documents

#: What the curve of people with people is called.
JUDGES = "judge with judge"


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


def draw_curves(
    scores: Scores, panel: ScorePanel, options: PseudoOptions
) -> DocumentCurves:
    """Draw documents of each length and correlate metrics and judges on them."""
    return draw_documents(
        panel,
        gather_judgements(scores, panel),
        lengths=options.lengths,
        documents=options.documents,
        coef=options.coef,
        seed=options.seed,
    )


def report_pseudo(
    panel: ScorePanel, curves: DocumentCurves, options: PseudoOptions
) -> MetaReport:
    """Lay out mean and standard error for each length, and p-values where asked for."""
    series = dict(curves.by_name)
    if curves.judges:
        series[JUDGES] = curves.judges
    cells = {
        name: [_mean_and_se(each) for each in line] for name, line in series.items()
    }
    heads = [str(n) for n in curves.lengths]
    caption = (
        f"Mean {options.coef} with {panel.gold_name} over documents of so many segments"
    )
    rows = list(cells.items())
    tables = [make_table("scorer", heads, rows, caption=caption, name="pseudo")]
    if options.test:
        tables += [_build_p_table(curves, place) for place in range(len(heads))]
    data = {
        name: [
            {"n": n, "mean": cell.value, "se": _se(each)}
            for n, each, cell in zip(curves.lengths, line, cells[name], strict=True)
        ]
        for name, line in series.items()
    }
    signature = build_signature(
        panel,
        coef=options.coef,
        documents=options.documents,
        drawn="without replacement",
        pooled=",".join(panel.statistics) or None,
        seed=options.seed,
    )
    notes = [*panel.notes, *_write_notes(curves, series)]
    return MetaReport(tables, signature, notes, {"curves": data})


def compute_wilcoxon(curves: DocumentCurves, place: int) -> Array:
    """p-values that the row's metric is no better than the column's, document by document."""
    values = [line[place] for line in curves.by_name.values()]
    p = np.full((len(values), len(values)), np.nan)
    for i, j in permutations(range(len(values)), 2):
        p[i, j] = signed_rank_p(values[i] - values[j])
    return p


def _build_p_table(curves: DocumentCurves, place: int) -> Table:
    n = curves.lengths[place]
    length = "1 segment" if n == 1 else f"{n} segments"
    return build_matrix(
        "metric",
        list(curves.by_name),
        compute_wilcoxon(curves, place),
        caption=f"Wilcoxon signed ranks at {length}: p that the row is no better",
        name=f"wilcoxon {n}",
    )


def _mean_and_se(values: Array) -> Cell:
    there = values[np.isfinite(values)]
    if not len(there):
        return Cell(None)
    mean, se = float(there.mean()), _se(values)
    return Cell(mean, (mean - se, mean + se) if se is not None else None)


def _se(values: Array) -> float | None:
    there = values[np.isfinite(values)]
    if len(there) < 2:
        return None
    return float(there.std(ddof=1) / np.sqrt(len(there)))


def _write_notes(curves: DocumentCurves, series: dict[str, list[Array]]) -> list[str]:
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
    if not curves.judges:
        notes.append("Nothing was judged twice: there is no curve of judge with judge.")
    elif curves.judged_twice < curves.judged:
        notes.append(
            f"Judge with judge: {curves.judged_twice:,} of {curves.judged:,} cells were "
            "judged twice."
        )
    return notes
