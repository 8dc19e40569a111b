"""The question `card`: everything that meta-evaluation says about one metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metra.errors import CorpusError
from metra.formats.annotations.challenge_set import ChallengeSet
from metra.meta.challenge import (
    ALL,
    PhenomenonScore,
    report_challenge,
    score_challenge,
)
from metra.meta.correlate import (
    CorrelationSpec,
    MetricCorrelations,
    add_bootstrap,
    correlate_panel,
    explain_no_interval,
    parse_specs,
    sort_metrics,
)
from metra.meta.deltas import NoticedDifferences, measure_differences, report_deltas
from metra.meta.findings import MetaReport, build_figure, build_signature
from metra.meta.options import (
    CardOptions,
    ChallengeOptions,
    DeltaOptions,
    RobustOptions,
    SelectOptions,
    SentinelOptions,
    SpanOptions,
)
from metra.meta.robust import FEWEST, Robustness, compute_robustness
from metra.meta.scatter import ScatterCorrelations, correlate_choices
from metra.meta.select import report_selection, select_outputs
from metra.meta.sentinel import (
    TextFeatures,
    correlate_sentinels,
    is_sentinel,
    report_sentinels,
)
from metra.meta.spans import SpanEvaluation, evaluate_spans, report_spans
from metra.scores.spans import Spans
from metra.scoring.table import Cell, Table, make_table
from metra.stats.correlation import Options
from metra.stats.panel import ScorePanel
from metra.stats.resampling import Interval

#: What a metric is judged by, at both levels.
COEFFICIENTS = {
    "sys": ("pearson", "accuracy", "spa"),
    "seg": ("acc*_eq:item", "kendall-b:item", "pearson"),
}
_LEVELS = {"sys": "systems", "seg": "segments"}


@dataclass(frozen=True)
class CardFigure:
    """A coefficient of the metric, and where that puts it among all metrics."""

    lang: str
    level: str
    coefficient: str
    value: float
    interval: Interval | None
    #: Metrics that reach at least as much, this one included, and all that have a value.
    rank: int
    among: int
    #: The best metric, and what it reaches.
    best: str
    best_value: float


@dataclass(frozen=True)
class MetricCard:
    """Everything about one metric; notes explain missing figures."""

    metric: str
    gold: str
    #: The panels with all metrics.
    panels: Sequence[ScorePanel]
    figures: Sequence[CardFigure]
    scatters: Sequence[ScatterCorrelations]
    #: By the place of the panel.
    robustness: Mapping[int, Robustness]
    noticed: NoticedDifferences | None
    #: Pairs of the challenge set, all together.
    challenge: PhenomenonScore | None
    #: Errors that programs and people marked.
    spans: SpanEvaluation | None
    #: Sentinels that reach as much, with the coefficient.
    beaten_by: Sequence[str]
    #: The answers by question: differences, decisions, sentinels, challenge, spans.
    answers: Mapping[str, MetaReport]
    options: CardOptions
    notes: Sequence[str]


def build_card(
    panels: Sequence[ScorePanel],
    metric: str,
    options: CardOptions,
    *,
    challenge: ChallengeSet | None = None,
    specs: Sequence[str] = (),
    features: TextFeatures | None = None,
    spans: Sequence[Spans] = (),
    outputs: Mapping[str, Sequence[str | None]] | None = None,
) -> MetricCard:
    """Ask every question about a metric that the scores allow.

    `challenge` is a challenge set with the metric's scores, or else `specs` names the metric
    that scores it. `features` are of the texts, for sentinels. `spans` are files of errors
    that people and the metric marked, in the `outputs` where only words are known.
    """
    notes = [f"{panel.place}{note}" for panel in panels for note in panel.notes]
    # What the panels' notes say is said once.
    own = [replace(panel.of_metrics([metric]), notes=()) for panel in panels]
    figures = [
        figure
        for panel, mine in zip(panels, own, strict=True)
        for figure in _list_figures(panel, mine, metric, options)
    ]
    if not figures:
        msg = (
            f"{metric!r} has no coefficient with {panels[0].gold_name!r} at any level."
        )
        raise CorpusError(msg)
    settings: dict[str, Any] = {"trials": options.trials, "seed": options.seed}
    answers: dict[str, MetaReport] = {}
    noticed = None
    try:
        asked = DeltaOptions(**settings)
        (noticed,) = measure_differences(own, asked)
        answers["differences"] = report_deltas(own, [noticed], asked)
    except CorpusError as reason:
        notes.append(f"No noticeable differences: {reason}")
    beaten: list[str] = []
    try:
        decide = SelectOptions(good=options.good, folds=options.folds, **settings)
        selections = [select_outputs(mine, decide) for mine in own]
        answers["decisions"] = report_selection(selections, decide)
        guard = SentinelOptions(folds=options.folds, **settings)
        sentinels = [correlate_sentinels(mine, guard, features) for mine in own]
        answers["sentinels"] = report_sentinels(sentinels, guard)
        beaten = _list_beaten(sentinels, metric)
    except CorpusError as reason:
        notes.append(f"No segment decisions: {reason}")
    tested = None
    if challenge is not None:
        kept = {name: each for name, each in challenge.scores.items() if name == metric}
        contrast = ChallengeOptions(most=0, **settings)
        scores = score_challenge(replace(challenge, scores=kept), specs, contrast)
        answers["challenge"] = report_challenge(scores, contrast)
        tested = next(iter(scores.scores.values()))[ALL]
    marked = None
    if spans:
        compared = SpanOptions(**settings)
        marked = evaluate_spans(spans, compared, outputs=outputs, programs=[metric])
        answers["spans"] = report_spans(marked, compared)
    robustness = {
        at: compute_robustness(mine, RobustOptions(seed=options.seed))
        for at, mine in enumerate(own)
        if len(mine.systems) > FEWEST
    }
    return MetricCard(
        metric,
        panels[0].gold_name,
        panels,
        figures,
        [correlate_choices(mine, Options()) for mine in own],
        robustness,
        noticed,
        tested,
        marked,
        beaten,
        answers,
        options,
        notes,
    )


def report_card(card: MetricCard) -> MetaReport:
    """Lay out the card's tables one after the other."""
    panels = card.panels
    tables = [build_figure_table(card)]
    tables += [table for answer in card.answers.values() for table in answer.tables]
    notes = [*card.notes, *(n for each in card.answers.values() for n in each.notes)]
    signature = build_signature(
        panels[0] if len(panels) == 1 else None,
        card=card.metric,
        metrics=len(panels[0].names),
        boot=f"k={card.options.trials}",
        seed=card.options.seed,
    )
    return MetaReport(tables, signature, notes)


def build_figure_table(card: MetricCard) -> Table:
    """Build the table of coefficients, ranks and the best metric of each."""
    has_langs = len(card.panels) > 1
    rows = []
    for each in card.figures:
        of = f"{each.lang} {_LEVELS[each.level]}" if has_langs else _LEVELS[each.level]
        best = "–" if each.rank == 1 else f"{each.best} {each.best_value:.3f}"
        cells = [
            Cell(of),
            build_figure(each.value, each.interval),
            Cell(f"{each.rank} of {each.among}"),
            Cell(best),
        ]
        rows.append((each.coefficient, cells))
    return make_table(
        "coefficient",
        ["of", card.metric, "rank", "best"],
        rows,
        caption=f"Agreement of {card.metric} with {card.gold}",
        name="agreement",
    )


def _list_beaten(correlations: Sequence[MetricCorrelations], metric: str) -> list[str]:
    """List the sentinels that reach at least what the metric does, by coefficient."""
    return [
        f"{each.panel.place}{question.heading} ({name})"
        for each in correlations
        for question, results in zip(each.questions, each.answers, strict=True)
        for name, result in results.items()
        if is_sentinel(name) and result.value >= results[metric].value
    ]


def _list_figures(
    panel: ScorePanel, own: ScorePanel, metric: str, options: CardOptions
) -> list[CardFigure]:
    """List the metric's coefficients; what has no value is left out."""
    figures = []
    for level, names in COEFFICIENTS.items():
        chosen = Options(trials=options.trials, seed=options.seed)
        for question in parse_specs(names, level, chosen):
            results = correlate_panel(panel, question)
            value = results[metric].value
            if not np.isfinite(value):
                continue
            known = {n: r.value for n, r in results.items() if np.isfinite(r.value)}
            best = sort_metrics({name: results[name] for name in known})[0]
            figures.append(
                CardFigure(
                    panel.lang,
                    level,
                    question.heading,
                    value,
                    _find_interval(own, question, metric),
                    sum(each >= value for each in known.values()),
                    len(known),
                    best,
                    known[best],
                )
            )
    return [
        replace(figure, rank=1) if figure.best == metric else figure
        for figure in figures
    ]


def _find_interval(
    own: ScorePanel, question: CorrelationSpec, metric: str
) -> Interval | None:
    if explain_no_interval(own, question):
        return None
    results = correlate_panel(own, question)
    return add_bootstrap(own, question, results)[metric].interval
