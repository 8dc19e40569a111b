"""Detection of outputs without errors: task 3 of WMT 2026's evaluation campaign.

An output is free of errors if people score it at least 85 and mark no error in it. Metrics
decide by a threshold, submissions of 0 and 1 as they are; Matthews' correlation (MCC)
compares the decisions with the truth.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from metra.errors import CorpusError
from metra.meta import findings
from metra.meta.options import TaskOptions
from metra.meta.question import Evidence
from metra.meta.uses import Figures, build_choice_table, filter_by_metrics
from metra.scores.table import Scores
from metra.scores.views import promote_documents
from metra.scoring.table import Table
from metra.stats.arrays import Array
from metra.stats.panel import ScorePanel

FIGURES = ("MCC", "precision", "recall")
_FOLDS = (
    "Each of {} folds of segments is decided by the threshold with the best MCC on the "
    "others, and labels of 0 and 1 as they are; the table has the threshold of all segments."
)
_FITTED = (
    "Thresholds are fitted to the outputs that they decide on, so MCC is too high; `folds` "
    "5 fits them to other segments."
)


class DetectionScores(NamedTuple):
    """Decisions of metrics on the outputs of one language pair."""

    panel: ScorePanel
    #: 1 for outputs without errors, 0 for others, NaN for unknown ones; and the share of 1.
    labels: Array
    share: float
    thresholds: dict[str, float]
    figures: Figures


def ask_detection(evidence: Evidence, options: TaskOptions) -> list[DetectionScores]:
    """Label the outputs of each language pair, and measure the decisions of metrics."""
    answers = []
    for panel in evidence.build_panels():
        scores = promote_documents(evidence.rows.only(lang=panel.lang), evidence.gold)
        labels = label_outputs(scores, panel, options.good)
        answers.append(detect_outputs(panel, labels, options))
    return answers


def label_outputs(scores: Scores, panel: ScorePanel, limit: float) -> Array:
    """Return 1 for outputs without errors, 0 for others and NaN for unknown ones.

    The mean of the judges must reach the limit, and nobody may have marked an error. A gold
    of 0 and 1 is a label already. The result is systems × segments of the panel.
    """
    gold, errors = panel.gold, np.full(panel.gold.shape, np.nan)
    if len(scores.errors):
        systems = [scores.systems.index(name) for name in panel.systems]
        errors = scores.matrix(panel.gold_name, column="errors")[systems]
    judged = np.isfinite(gold)
    is_known = judged & np.isfinite(errors)
    if is_known.any():
        return np.where(is_known, (gold >= limit) & (errors == 0), np.nan)
    if not judged.any() or not np.isin(gold[judged], (0, 1)).all():
        msg = (
            f"{panel.place}{panel.gold_name} comes without the errors that people marked, "
            "so it is unknown which outputs have none; give judgements with marks (ESA by "
            "Appraise, results of Pearmut, JSON lines of metra or WMT 2025), or labels of "
            "0 and 1 as the gold."
        )
        raise CorpusError(msg)
    return gold


def detect_outputs(
    panel: ScorePanel, labels: Array, options: TaskOptions
) -> DetectionScores:
    """Measure the decisions of a panel's metrics; intervals resample segments."""
    names = [name for name in panel.names if np.isfinite(panel.metrics[name]).any()]
    drawing = options.folds, options.resamples, options.seed
    decided = filter_by_metrics(panel.of_metrics(names), labels, FIGURES, *drawing)
    return DetectionScores(panel, labels, float(np.nanmean(labels)), *decided)


def report_detection(
    answers: Sequence[DetectionScores], options: TaskOptions
) -> findings.MetaReport:
    """Lay out the decisions in each language pair, and MCC by pair if there are several."""
    reports, folds = [], options.folds
    for panel, labels, share, thresholds, figures in answers:
        share_words = f"{100 * share:.1f} % of {np.isfinite(labels).sum():,} outputs"
        caption = f"{panel.place}{share_words} are error-free"
        name = f"error-free {panel.lang}".strip()
        table = build_choice_table(figures, FIGURES, caption, name, thresholds)
        named = [one for one in figures if np.isnan(figures[one]["MCC"][0])]
        which = {0.0: "no output is error-free", 1.0: "every output is error-free"}
        reason = which.get(share, "the same decision for all outputs")
        listed = f"MCC is undefined for {findings.name_some(named)}: {reason}."
        report = findings.build_report(
            [table],
            options,
            [listed] if named else [],
            panel=panel,
            task="wmt26-error-free",
            good=options.good,
            errors=0,
            folds=folds or "none",
            boot=f"segments k={options.resamples}" if options.resamples else None,
            seed=options.seed,
        )
        reports.append(report)
    merged = findings.merge_pairs(reports, [each.panel for each in answers])
    notes = [*merged.notes, _FOLDS.format(folds) if folds else _FITTED]
    summary = [_build_summary(answers)] if len(answers) > 1 else []
    return replace(merged, tables=[*summary, *merged.tables], notes=notes)


def _build_summary(answers: Sequence[DetectionScores]) -> Table:
    """Build a row for each metric: MCC by pair, and its mean where it can be defined."""
    rows = []
    for name in dict.fromkeys(name for each in answers for name in each.figures):
        by_pair = [
            each.figures.get(name, {}).get("MCC", (np.nan,))[0] for each in answers
        ]
        mixed = [
            x for x, each in zip(by_pair, answers, strict=True) if 0 < each.share < 1
        ]
        rows.append((name, [float(np.mean(mixed)) if mixed else np.nan, *by_pair]))
    rows.sort(key=lambda row: -np.nan_to_num(row[1][0], nan=-2))
    heads = ["mean", *(each.panel.lang for each in answers)]
    caption = "Error-free outputs: MCC by language pair"
    return findings.build_table("metric", heads, rows, caption, "error-free")
