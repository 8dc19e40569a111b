"""The question `pseudo`: how long must a document be for metrics and people to agree?"""

from typing import TypeAlias

import numpy as np

from metra.errors import CorpusError
from metra.meta.charts import CurvePlot
from metra.meta.findings import MetaReport, build_matrix, build_report, build_table
from metra.meta.options import PseudoOptions
from metra.meta.question import Evidence, Question
from metra.scores.table import Scores
from metra.scores.views import list_metrics
from metra.stats.arrays import Array, drop_nan
from metra.stats.exact_tests import rank_test_p_values
from metra.stats.panel import ScorePanel
from metra.stats.pseudo_documents import DocumentCurves, JudgementCells, draw_documents

JUDGES = "judge with judge"


def gather_judgements(scores: Scores, panel: ScorePanel) -> JudgementCells:
    """Gather every single judgement of the panel's gold, higher being better.

    A judge's own repetitions are averaged, so that judges are only compared with others.
    """
    lines = scores.lines(panel.gold_name)
    direction = scores.scorers[scores.find(panel.gold_name)].direction
    system_at = {name: at for at, name in enumerate(panel.systems)}
    item_at = {item: at for at, item in enumerate(panel.items)}
    system = np.array([system_at.get(name, -1) for name in scores.systems], np.int64)
    item = np.array([item_at.get(each, -1) for each in scores.items], np.int64)
    row, column = system[lines.system], item[lines.item]
    keep = (row >= 0) & (column >= 0)
    keep[keep] = np.isfinite(panel.gold[row[keep], column[keep]])
    cell = row[keep] * len(panel.items) + column[keep]
    value, judge = direction.orient(lines.value[keep]), lines.judge[keep]
    if (judge < 0).any():
        # Somebody unknown may be anybody: each judgement is one of its own.
        judge = judge[:0]
    else:
        each, place = np.unique(cell * len(scores.judges) + judge, return_inverse=True)
        if len(each) < len(cell):
            value = np.bincount(place, value) / np.bincount(place)
            cell, judge = np.divmod(each, len(scores.judges))
    order = np.argsort(cell, kind="stable")
    count = np.bincount(cell, minlength=panel.gold.size)
    start = np.cumsum(count) - count
    start, count = (each.reshape(panel.gold.shape) for each in (start, count))
    judge = judge[order] if len(judge) else judge
    return JudgementCells(start, count, value[order], judge)


def average_curves(curves: DocumentCurves) -> dict[str, list[float]]:
    """Average over documents, length by length: each metric, and judges with judges."""
    means = {name: curves.mean(name) for name in curves.by_name}
    return means | ({JUDGES: curves.judge_mean()} if curves.judges else {})


#: A panel, and agreement on random documents that are drawn from it.
PseudoDocuments: TypeAlias = tuple[ScorePanel, DocumentCurves]


def ask_pseudo(evidence: Evidence, options: PseudoOptions) -> PseudoDocuments:
    """Draw documents of each length and correlate metrics and judges on them."""
    evidence.gold = evidence.normalise(evidence.gold, options.scaling)
    metrics = evidence.metrics or list_metrics(evidence.rows, evidence.gold)
    (panel,) = evidence.build_panels(metrics)
    judged = gather_judgements(evidence.rows, panel)
    if not panel.names and judged.once:
        msg = (
            f"There is no metric, and {panel.gold_name} has no repeated judgements; "
            "give scores of a metric, or of several judges."
        )
        raise CorpusError(msg)
    asked = ("lengths", "documents", "coef", "judges_by", "seed")
    settings = {key: getattr(options, key) for key in asked}
    return panel, draw_documents(panel, judged, **settings)


def report_pseudo(found: PseudoDocuments, options: PseudoOptions) -> MetaReport:
    """Lay out mean and standard error for each length, and p-values where asked for."""
    panel, curves = found
    series = curves.by_name | ({JUDGES: curves.judges} if curves.judges else {})
    rows, data = [], {}
    for name, line in series.items():
        figures = [*map(_average_with_error, line)]
        rows.append(
            (name, [(m, _bound(m, se) if se == se else None) for m, se in figures])
        )
        data[name] = [
            {"n": n, "mean": drop_nan(mean), "se": drop_nan(se)}
            for n, (mean, se) in zip(curves.lengths, figures, strict=True)
        ]
    heads = [str(n) for n in curves.lengths]
    caption = (
        f"Mean {options.coef} with {panel.gold_name} by number of segments in a "
        "document"
    )
    tables = [build_table("scorer", heads, rows, caption, "pseudo")]
    for place, n in enumerate(curves.lengths if options.test else ()):
        length = "1 segment" if n == 1 else f"{n} segments"
        values = np.array([line[place] for line in curves.by_name.values()])
        table = build_matrix(
            "metric",
            list(curves.by_name),
            rank_test_p_values(values, paired=True),
            caption=f"Wilcoxon signed-rank test at {length}: p-value that the row is "
            "no better than the column",
            name=f"wilcoxon {n}",
        )
        tables.append(table)
    return build_report(
        tables,
        options,
        [*panel.notes, *_write_notes(curves, series)],
        {"curves": data},
        panel=panel,
        drawn="without replacement",
        **{"judges-by": curves.judges_by},
        crossed=_format_share(curves.crossed),
        pooled=",".join(panel.statistics) or None,
        seed=options.seed,
    )


def _average_with_error(values: Array) -> tuple[float, float]:
    defined = values[np.isfinite(values)]
    count = len(defined)
    mean = float(defined.mean()) if count else np.nan
    return mean, float(defined.std(ddof=1) / np.sqrt(count)) if count > 1 else np.nan


def _bound(mean: float, error: float) -> tuple[float, float]:
    return mean - 1.96 * error, mean + 1.96 * error


def draw_pseudo(found: PseudoDocuments, options: PseudoOptions) -> list[CurvePlot]:
    """Draw the mean coefficient by length of document."""
    panel, curves = found
    drawn = f", judges drawn by {curves.judges_by}" if curves.judges_by else ""
    return [
        CurvePlot(
            f"Mean {options.coef} with {panel.gold_name} by length of document",
            f"{len(panel.systems)} systems, {options.documents:,} documents of each "
            f"length{drawn}",
            "segments in a document",
            options.coef,
            [str(n) for n in curves.lengths],
            average_curves(curves),
            dashed=[JUDGES],
        )
    ]


PSEUDO = Question("pseudo", ask_pseudo, report_pseudo, draw_pseudo)


def _format_share(share: float) -> str:
    return f"{100 * share:.0f}%" if share == share else ""


def _write_notes(curves: DocumentCurves, series: dict[str, list[Array]]) -> list[str]:
    notes = [
        "[ ] is a 95 % interval for other documents, of these systems and segments."
    ]
    lost = {
        name: sum(int((~np.isfinite(each)).sum()) for each in line)
        for name, line in series.items()
    }
    without = {name: n for name, n in lost.items() if n}
    if without:
        total = sum(len(each) for each in next(iter(series.values())))
        worst = max(without, key=lambda name: without[name])
        notes.append(
            "Documents without a coefficient (equal or missing scores) are excluded: "
            f"at most {without[worst]:,} of {total:,} ({worst})."
        )
    if not curves.judges:
        notes.append(
            "No segment was judged twice, so there is no curve of judge with judge."
        )
        return notes
    shown = _format_share(curves.crossed)
    design = (
        f"the same two judges judged {shown} of the pairs of systems of a segment"
        if shown
        else "some judgements have no judge"
    )
    notes.append(f"Judges are drawn for each {curves.judges_by}: {design}.")
    if curves.judged_twice < curves.judged:
        notes.append(
            f"Judge with judge: {curves.judged_twice:,} of {curves.judged:,} cells were "
            "judged twice."
        )
    return notes
