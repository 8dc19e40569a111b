"""The question `sentinel`: what do scores reach that cannot tell how good an output is?

After Perrella, Proietti, Scirè, Barba and Navigli 2024, ACL, "Guardians of the machine
translation meta-evaluation". Their sentinels are neural models that see only the source,
only the output or only the reference; files of WMT contain their scores under names such as
sentinel-src. Ours know people's means. What a sentinel reaches, a metric can reach without
comparing an output with anything.
"""

from dataclasses import replace

import numpy as np

from metra.errors import CorpusError
from metra.meta.correlate import (
    MetricCorrelations,
    correlate_metrics,
    describe_intervals,
    parse_specs,
)
from metra.meta.findings import MetaReport, build_report, describe_draws
from metra.meta.options import SentinelOptions
from metra.meta.question import Question
from metra.stats.arrays import divide, row_means
from metra.stats.correlation import Options
from metra.stats.defaults import TRIALS
from metra.stats.panel import ScorePanel

SEGMENT_MEAN, SYSTEM_MEAN = "sentinel-seg", "sentinel-sys"
_ABOUT = {
    SEGMENT_MEAN: "mean human score of the other systems' outputs of the segment",
    SYSTEM_MEAN: "mean human score of the system, the same for all segments",
}


def is_sentinel(name: str) -> bool:
    """Return True if a scorer is a sentinel, ours or another program's."""
    return name.startswith("sentinel-")


def add_sentinels(panel: ScorePanel, group: str = "none") -> ScorePanel:
    """Add sentinels to the metrics of a panel.

    The mean of a segment leaves out the judgement that it is compared with, with which noise
    would correlate, except within a segment, where it says nothing.
    """
    gold = panel.gold
    judged = np.isfinite(gold)
    if not judged.any():
        msg = f"Sentinels need segment scores, and {panel.gold_name} has none."
        raise CorpusError(msg)
    own = judged & (group != "item")
    others = np.where(judged, gold, 0.0).sum(0) - np.where(own, gold, 0.0)
    means = {
        SEGMENT_MEAN: divide(others, judged.sum(0) - own),
        SYSTEM_MEAN: row_means(gold)[:, None],
    }
    metrics = {name: np.where(judged, each, np.nan) for name, each in means.items()}
    systems = {name: row_means(each) for name, each in metrics.items()}
    return replace(
        panel,
        metrics={**panel.metrics, **metrics},
        system_metrics={**panel.system_metrics, **systems},
    )


def correlate_sentinels(
    panel: ScorePanel, options: SentinelOptions
) -> MetricCorrelations:
    """Correlate metrics and sentinels with people, by each coefficient."""
    chosen = Options(trials=options.trials or TRIALS, seed=options.seed)
    questions = parse_specs(options.coefficients or DEFAULTS, "seg", chosen)
    parts = [
        correlate_metrics(add_sentinels(panel, q.options.group), [q], options.trials)
        for q in questions
    ]
    answers = [part.answers[0] for part in parts]
    refused = [reason for part in parts for reason in part.refused]
    return MetricCorrelations(parts[0].panel, questions, answers, refused)


#: Grouped by segment, a sentinel of the segment has nothing to say.
DEFAULTS = ("pearson", "pearson:sys", "pearson:item", "acc*_eq:item")


def report_sentinels(found: MetricCorrelations, options: SentinelOptions) -> MetaReport:
    """Lay out metrics and sentinels together, and name metrics that sentinels beat."""
    panel = found.panel
    caption = f"Metrics and sentinels with {panel.place}{panel.gold_name}"
    notes = [*_name_beaten(found), *found.refused, *found.explain_missing()]
    notes += describe_intervals(found, "both") if options.trials else []
    notes += [f"{name}: {about}." for name, about in _ABOUT.items()]
    return build_report(
        [found.build_table(caption, panel.lang or "sentinels")],
        options,
        notes,
        panel=panel,
        level="seg",
        coef=found.coefficients,
        sentinels="means",
        **describe_draws(options, "both", "interval") | {"seed": options.seed},
    )


SENTINEL = Question(
    "sentinel",
    lambda evidence, options: correlate_sentinels(evidence.panel, options),
    report_sentinels,
)


def _name_beaten(found: MetricCorrelations) -> list[str]:
    """Say by coefficient which metrics are no better than the best sentinel."""
    notes = []
    for question, results in found.pairs:
        values = {name: result.value for name, result in results.items()}
        sentinels = [n for n, x in values.items() if is_sentinel(n) and x == x]
        if not sentinels:
            continue
        best = max(sentinels, key=values.__getitem__)
        beaten = [
            name
            for name, value in values.items()
            if not (is_sentinel(name) or value > values[best])
        ]
        if beaten:
            notes.append(
                f"By {question.heading}, {best} reaches {values[best]:.3f} without "
                f"comparing output and source; no better: {', '.join(beaten)}."
            )
    return notes
