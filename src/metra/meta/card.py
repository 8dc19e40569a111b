"""The question `card`: everything that meta-evaluation says about one metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metra.errors import CorpusError, OptionError, UnknownNameError, no_such
from metra.formats.annotations.challenge_set import ChallengeSet, read_challenge_set
from metra.meta import correlate, findings, sentinel, uses
from metra.meta.challenge import report_challenge, score_challenge
from metra.meta.options import (
    CardOptions,
    ChallengeOptions,
    DeltaOptions,
    SelectOptions,
    SentinelOptions,
)
from metra.meta.question import Evidence, Question
from metra.scoring.table import Table
from metra.stats.correlation import Options
from metra.stats.panel import ScorePanel
from metra.stats.resampling import Interval

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
    panels: Sequence[ScorePanel]
    figures: Sequence[CardFigure]
    #: The answers by question: differences, decisions, sentinels, challenge.
    answers: Mapping[str, findings.MetaReport]
    notes: Sequence[str]


def ask_card(evidence: Evidence, options: CardOptions) -> MetricCard:
    """Collect the evidence about one metric, and build its card."""
    if len(evidence.metrics) != 1:
        msg = (
            "A card describes one metric; name it with `metrics` (found "
            f"{len(evidence.metrics)})."
        )
        raise OptionError(msg)
    (metric,), evidence.metrics = evidence.metrics, ()
    challenge = read_challenge_set(options.challenge) if options.challenge else None
    panels = evidence.build_panels()
    for panel in panels:
        if metric not in panel.names:
            raise UnknownNameError(no_such("metric", metric, panel.names))
    scored = challenge is not None and metric in challenge.scores
    return build_card(
        panels,
        metric,
        options,
        challenge=challenge,
        specs=() if scored else [spec for spec in evidence.specs if spec == metric],
    )


def build_card(
    panels: Sequence[ScorePanel],
    metric: str,
    options: CardOptions,
    *,
    challenge: ChallengeSet | None = None,
    specs: Sequence[str] = (),
) -> MetricCard:
    """Ask every question about a metric that the scores allow.

    `challenge` is a challenge set with the metric's scores, or else `specs` names the metric
    that scores it.
    """
    notes = [f"{panel.place}{note}" for panel in panels for note in panel.notes]
    # What the panels' notes say is said once.
    own = [replace(panel.of_metrics([metric]), notes=()) for panel in panels]
    figures = [
        figure
        for panel, alone in zip(panels, own, strict=True)
        for figure in _list_figures(panel, alone, metric, options)
    ]
    if not figures:
        gold = panels[0].gold_name
        msg = f"{metric!r} has no coefficient with {gold!r} at any level."
        raise CorpusError(msg)
    settings: dict[str, Any] = {"trials": options.trials, "seed": options.seed}
    answers: dict[str, findings.MetaReport] = {}
    try:
        asked = DeltaOptions(**settings)
        (noticed,) = uses.measure_differences(own, asked)
        answers["differences"] = uses.report_deltas(own, [noticed], asked)
    except CorpusError as reason:
        notes.append(f"No noticeable differences: {reason}")
    try:
        decide = SelectOptions(**settings)
        choices = [
            uses.report_selection(uses.select_outputs(p, decide), decide) for p in own
        ]
        answers["decisions"] = findings.merge_pairs(choices, own)
        guard = SentinelOptions(**settings)
        sentinels = [sentinel.correlate_sentinels(panel, guard) for panel in own]
        reports = [sentinel.report_sentinels(each, guard) for each in sentinels]
        answers["sentinels"] = findings.merge_pairs(reports, own)
    except CorpusError as reason:
        notes.append(f"No segment decisions: {reason}")
    if challenge is not None:
        kept = {name: each for name, each in challenge.scores.items() if name == metric}
        contrast = ChallengeOptions(**settings)
        scores = score_challenge(replace(challenge, scores=kept), specs, contrast)
        answers["challenge"] = report_challenge(scores, contrast)
    about = metric, panels[0].gold_name, panels, figures
    return MetricCard(*about, answers, notes)


def report_card(card: MetricCard, options: CardOptions) -> findings.MetaReport:
    """Lay out the card's tables one after the other."""
    panels = card.panels
    tables = [build_figure_table(card)]
    tables += [table for answer in card.answers.values() for table in answer.tables]
    notes = [*card.notes, *(n for each in card.answers.values() for n in each.notes)]
    several = len(panels) > 1
    return findings.build_report(
        tables,
        options,
        notes,
        panel=None if several else panels[0],
        card=card.metric,
        metrics=len(panels[0].names),
        boot=f"k={options.trials}",
        seed=options.seed,
    )


CARD = Question("card", ask_card, report_card)


def build_figure_table(card: MetricCard) -> Table:
    """Build the table of coefficients, ranks and the best metric of each."""
    rows = []
    for each in card.figures:
        lang = f"{each.lang} " if len(card.panels) > 1 else ""
        best = "–" if each.rank == 1 else f"{each.best} {each.best_value:.3f}"
        of, rank = f"{lang}{_LEVELS[each.level]}", f"{each.rank} of {each.among}"
        rows.append((each.coefficient, [of, (each.value, each.interval), rank, best]))
    heads = ["of", card.metric, "rank", "best"]
    caption = f"Agreement of {card.metric} with {card.gold}"
    return findings.build_table("coefficient", heads, rows, caption, "agreement")


def _list_figures(
    panel: ScorePanel, own: ScorePanel, metric: str, options: CardOptions
) -> list[CardFigure]:
    """List the metric's coefficients; what has no value is left out."""
    figures = []
    chosen = Options(trials=options.trials, seed=options.seed)
    for level, names in COEFFICIENTS.items():
        questions = correlate.parse_specs(names, level, chosen)
        with_others = correlate.correlate_metrics(panel, questions, 0)
        alone = correlate.correlate_metrics(own, questions, 1)
        for (question, results), answers in zip(
            with_others.pairs, alone.answers, strict=True
        ):
            value = results[metric].value
            if not np.isfinite(value):
                continue
            values = {n: r.value for n, r in results.items() if np.isfinite(r.value)}
            best = correlate.sort_metrics({name: results[name] for name in values})[0]
            rank = sum(each >= value for each in values.values())
            figures.append(
                CardFigure(
                    *(panel.lang, level, question.heading, value),
                    answers[metric].interval,
                    1 if best == metric else rank,
                    len(values),
                    best,
                    values[best],
                )
            )
    return figures
