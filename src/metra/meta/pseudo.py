"""The question `pseudo`: how long must a document be for metrics and people to agree?"""

from collections.abc import Sequence

import numpy as np

from metra.meta.arrays import Array, Codes
from metra.meta.findings import Figure, FigureTable, Findings, number
from metra.meta.panel import Panel
from metra.meta.pseudo_documents import (
    DOCUMENTS,
    LENGTHS,
    Curves,
    judgements,
    pseudo_documents,
)
from metra.meta.rank_tests import signed_rank_p
from metra.meta.scores import Scores
from metra.meta.signature import signature

#: What the curve of people with people is called.
JUDGES = "judge with judge"


def pseudo(
    scores: Scores,
    panel: Panel,
    *,
    lengths: Sequence[int] = LENGTHS,
    documents: int = DOCUMENTS,
    coef: str = "spearman",
    seed: int,
    test: bool = False,
) -> tuple[Findings, Curves]:
    """Lay out mean and standard error for each length, and p-values where asked for."""
    judged = judgements(scores, panel)
    found = pseudo_documents(
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
    tables = [FigureTable("pseudo", "scorer", heads, rows, title)]
    if test:
        tables += [_p_table(found, at) for at in range(len(found.lengths))]
    notes = list(panel.notes)
    notes += _notes(found, series, judged.count)
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
    line = signature(
        panel,
        coef=coef,
        documents=documents,
        drawn="without replacement",
        pooled=",".join(panel.statistics) or None,
        seed=seed,
    )
    return Findings(tables, line, notes, data), found


def wilcoxon(found: Curves, at: int) -> Array:
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


def _p_table(found: Curves, at: int) -> FigureTable:
    names = list(found.by_name)
    rows = [
        (f"{i} {name}", [Figure(number(p)) for p in row])
        for i, (name, row) in enumerate(zip(names, wilcoxon(found, at), strict=True), 1)
    ]
    heads = [str(i) for i in range(1, len(names) + 1)]
    n = found.lengths[at]
    length = "1 segment" if n == 1 else f"{n} segments"
    title = f"Wilcoxon signed ranks at {length}: p that the row is no better"
    return FigureTable(f"wilcoxon {n}", "metric", heads, rows, title, names)


def _mean_and_se(found: Array) -> Figure:
    there = found[np.isfinite(found)]
    if not len(there):
        return Figure(None)
    mean, se = float(there.mean()), _se(found)
    return Figure(mean, (mean - se, mean + se) if se is not None else None)


def _se(found: Array) -> float | None:
    there = found[np.isfinite(found)]
    if len(there) < 2:
        return None
    return float(there.std(ddof=1) / np.sqrt(len(there)))


def _notes(found: Curves, series: dict[str, list[Array]], count: Codes) -> list[str]:
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
