"""How far metrics, and people, can be trusted: what a report shows beside judgements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metra.analysis.relations import PEOPLE, People
from metra.errors import CorpusError, OptionError
from metra.formats.scores.judgement_table import Judgement
from metra.formats.scores.panel import Panel, panel
from metra.formats.scores.ratings import ratings
from metra.formats.scores.record import Item, Scorer, Scores, joined, table
from metra.meta.agree import Agreement, agree
from metra.meta.compare import Comparison, compare
from metra.meta.correlate import asked
from metra.meta.correlate import values as values_of
from metra.meta.judge_plots import Histogram, JudgePlot, gap_histogram, judge_plot
from metra.meta.pseudo import JUDGES, pseudo_documents
from metra.meta.pseudo import judgements as every_judgement
from metra.metrics.record import Metric
from metra.scoring.scorers import tabled
from metra.scoring.statistics import Sheets
from metra.stats.bootstrap import bootstrap, bounds
from metra.stats.correlation import Options
from metra.stats.moments import Fit, fit_line

#: Documents drawn of each length: enough for a curve.
DOCUMENTS = 500
#: Points of a plot of two judges; of more, some are left out.
MOST_POINTS = 2000
LENGTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 0)


@dataclass(frozen=True, slots=True)
class Agreeing:
    """How well a metric agrees with people, higher being better whatever its direction."""

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


@dataclass(frozen=True, slots=True)
class Judges:
    """How far judges agree with each other."""

    plot: JudgePlot
    gaps: Histogram
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What there is to say; what there is not has its reason among the notes."""

    fits: Mapping[str, Fit]
    agreement: Sequence[Agreeing]
    comparison: Comparison | None
    curve: LengthCurve | None
    judges: Judges | None
    notes: Sequence[str]


def trust(
    judgements: Sequence[Judgement],
    found: People,
    metrics: Mapping[str, Metric],
    sheets: Sheets,
    systems: Sequence[str],
    *,
    seed: int,
) -> Trust:
    """Hold metrics against people, people against people, and both by length of document."""
    scores, statistics = tabled(tuple(systems), metrics, sheets)
    everything = joined([scores, _judged(judgements)])
    notes: list[str] = []
    lined_up = panel(everything, PEOPLE, list(metrics), statistics=statistics)
    options = Options(seed=seed)
    comparison = curve = None
    try:
        question = asked(["pearson"], "seg", options)[0]
        comparison = compare(lined_up, question)
        notes += comparison.notes
    except OptionError as reason:
        notes.append(f"No comparison of metrics: {reason}")
    try:
        curve = _curve(everything, lined_up, seed)
    except CorpusError as reason:
        notes.append(f"No curve by length of document: {reason}")
    judges, why = _judges(everything, judgements, seed)
    return Trust(
        fits=_fits(found),
        agreement=_agreement(lined_up, options),
        comparison=comparison,
        curve=curve,
        judges=judges,
        notes=[*notes, *([why] if why else [])],
    )


def _judged(judgements: Sequence[Judgement]) -> Scores:
    return table(
        [entry.system for entry in judgements],
        [Item(str(entry.segment)) for entry in judgements],
        {Scorer(PEOPLE, "human"): [entry.score for entry in judgements]},
        [entry.judge or "" for entry in judgements],
    )


def _fits(found: People) -> dict[str, Fit]:
    """A line through the systems of each metric, as they are drawn."""
    fits = {}
    for entry in found.relations:
        line = fit_line(
            np.array([point.x for point in entry.points]),
            np.array([point.y for point in entry.points]),
        )
        if line is not None:
            fits[entry.y] = line
    return fits


def _agreement(lined_up: Panel, options: Options) -> list[Agreeing]:
    """Pearson's r of systems and of segments, with intervals over systems and segments."""
    rows = []
    for level, coefficient in (("sys", "pearson"), ("seg", "pearson")):
        question = asked([coefficient], level, options)[0]
        results = values_of(lined_up, question)
        drawn = {}
        if len(lined_up.systems) > 2:
            drawn = bootstrap(lined_up, level, question.options)
        for name, result in results.items():
            if result.value == result.value:
                interval = bounds(drawn[name]) if name in drawn else None
                rows.append(
                    Agreeing(name, level, coefficient, result.value, interval, result.n)
                )
    return rows


def _curve(everything: Scores, lined_up: Panel, seed: int) -> LengthCurve:
    found = pseudo_documents(
        lined_up,
        every_judgement(everything, lined_up),
        lengths=LENGTHS,
        documents=DOCUMENTS,
        seed=seed,
    )
    means = {name: found.mean(name) for name in found.by_name}
    if not np.isfinite(list(means.values())).any():
        msg = "On every document the judgements, or the metric's scores, are all the same."
        raise CorpusError(msg)
    if found.judges:
        means[JUDGES] = found.judge_mean()
    return LengthCurve(found.lengths, means, JUDGES)


def _judges(
    everything: Scores, judgements: Sequence[Judgement], seed: int
) -> tuple[Judges | None, str]:
    nameless = sum(not entry.judge for entry in judgements)
    if nameless:
        return None, (
            f"{nameless:,} of {len(judgements):,} judgements name no judge: how far judges "
            "agree cannot be said."
        )
    try:
        found: Agreement = agree(ratings(everything, PEOPLE), trials=0)
    except CorpusError as reason:
        return None, f"No agreement of judges: {reason}"
    plot = _thinned(judge_plot(found, PEOPLE, seed=seed))
    return Judges(plot, gap_histogram(found, PEOPLE), found.values), ""


def _thinned(plot: JudgePlot) -> JudgePlot:
    """Keep every n-th point where there are more than anybody could see."""
    step = -(-len(plot.given) // MOST_POINTS)
    if step <= 1:
        return plot
    caption = f"{plot.caption}, one in {step} drawn"
    given, moved = plot.given[::step], plot.moved[::step]
    return replace(plot, caption=caption, given=given, moved=moved)
