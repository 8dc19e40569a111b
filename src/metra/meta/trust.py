"""Reliability of metrics and of people, for a report with judgements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metra.errors import CorpusError, OptionError
from metra.meta.agree import (
    build_gap_histogram,
    build_judge_plot,
    collect_judgements,
)
from metra.meta.charts import Histogram, JudgePlot
from metra.meta.compare import MetricComparison, compare
from metra.meta.correlate import add_bootstrap, correlate_panel, parse_specs
from metra.meta.judge_options import AgreeOptions
from metra.meta.pseudo import JUDGES, average_curves, gather_judgements
from metra.scores.table import Scores, concatenate_scores
from metra.scores.views import build_panel
from metra.scoring.scorers import build_scores
from metra.scoring.statistics import CorpusStatistics
from metra.stats.correlation import Options
from metra.stats.judge_agreement import agree
from metra.stats.panel import ScorePanel
from metra.stats.pseudo_documents import draw_documents

#: Documents drawn of each length: enough for a curve.
DOCUMENTS = 500
#: Points of a plot of two judges; of more, some are left out.
MOST_POINTS = 2000


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """Agreement of a metric with people; higher is better, whatever its direction."""

    metric: str
    level: str
    coefficient: str
    value: float
    interval: tuple[float, float] | None
    n: int


@dataclass(frozen=True, slots=True)
class LengthCurve:
    """Mean agreement on documents of some lengths, for each metric and for people."""

    lengths: Sequence[int]
    means: Mapping[str, Sequence[float]]
    judges: str
    #: For what judges are drawn; empty where nothing was judged twice.
    judges_by: str


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """Agreement of judges with each other."""

    plot: JudgePlot
    gaps: Histogram
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustReport:
    """Agreement of metrics and judges; notes explain missing figures."""

    agreement: Sequence[MetricAgreement]
    comparison: MetricComparison | None
    curve: LengthCurve | None
    judges: JudgeSummary | None
    notes: Sequence[str]


def assess_trust(
    judgements: Scores, sheets: CorpusStatistics, *, seed: int, pooled: bool = True
) -> TrustReport:
    """Compare metrics with people, people with people, and both by length of document.

    The only scorer of judgements is people. If scores are not `pooled` over the judged
    segments, systems have their corpus scores.
    """
    scores, statistics = build_scores(sheets)
    statistics = statistics if pooled else {}
    scorer = judgements.names[0]
    everything = concatenate_scores([scores, judgements])
    notes: list[str] = []
    names = list(sheets.metrics)
    lined_up = build_panel(everything, scorer, names, statistics=statistics)
    options = Options(seed=seed)
    comparison = curve = None
    try:
        comparison = compare(lined_up, parse_specs(["pearson"], "seg", options)[0])
        notes += comparison.notes
    except OptionError as reason:
        notes.append(f"No comparison of metrics: {reason}")
    try:
        curve = _build_curve(everything, lined_up, seed)
    except CorpusError as reason:
        notes.append(f"No curve by length of document: {reason}")
    return TrustReport(
        agreement=_correlate_people(lined_up, options),
        comparison=comparison,
        curve=curve,
        judges=_summarise_judges(judgements, scorer, seed, notes),
        notes=notes,
    )


def _correlate_people(lined_up: ScorePanel, options: Options) -> list[MetricAgreement]:
    """Pearson's r of systems and of segments, with intervals over systems and segments."""
    rows = []
    for level in ("sys", "seg"):
        question = parse_specs(["pearson"], level, options)[0]
        results = add_bootstrap(lined_up, question, correlate_panel(lined_up, question))
        rows += [
            MetricAgreement(name, level, "pearson", each.value, each.interval, each.n)
            for name, each in results.items()
            if each.value == each.value
        ]
    return rows


def _build_curve(everything: Scores, lined_up: ScorePanel, seed: int) -> LengthCurve:
    drawn = draw_documents(
        lined_up,
        gather_judgements(everything, lined_up),
        documents=DOCUMENTS,
        seed=seed,
    )
    means = average_curves(drawn)
    if not np.isfinite([means[name] for name in drawn.by_name]).any():
        msg = "The judgements, or the metric's scores, are constant on every document."
        raise CorpusError(msg)
    return LengthCurve(drawn.lengths, means, JUDGES, drawn.judges_by)


def _summarise_judges(
    judgements: Scores, scorer: str, seed: int, notes: list[str]
) -> JudgeSummary | None:
    nameless = int((judgements.judge < 0).sum())
    if nameless:
        notes.append(
            f"{nameless:,} of {len(judgements):,} judgements have no judge, so "
            "agreement cannot be measured."
        )
        return None
    try:
        ratings = collect_judgements(judgements, scorer, AgreeOptions())
        agreement = agree(ratings, trials=0)
    except CorpusError as reason:
        notes.append(f"No agreement of judges: {reason}")
        return None
    plot = build_judge_plot(agreement, scorer, seed=seed)
    # Every n-th point where there are more than anybody could see.
    step = -(-len(plot.given) // MOST_POINTS)
    if step > 1:
        caption = f"{plot.caption}, one point in {step} drawn"
        given, moved = plot.given[::step], plot.moved[::step]
        plot = replace(plot, caption=caption, given=given, moved=moved)
    gaps = build_gap_histogram(agreement, scorer)
    return JudgeSummary(plot, gaps, agreement.values)
