"""Judgements as a table of scores, and how well our metrics agree with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.campaign.campaign import Campaign
from metra.campaign.judgement import keep_latest
from metra.campaign.results import ScorerColumns, group_by_scorer
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError
from metra.metrics.record import Metric
from metra.scores.judgement import Judgement
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    concatenate_scores,
    drop_nameless,
)
from metra.scores.views import build_panel
from metra.scoring.scorers import score_systems
from metra.stats.arrays import Array, drop_nan, number_by_appearance
from metra.stats.correlation import correlate
from metra.stats.direction import find_direction
from metra.stats.panel import ScorePanel, SegmentStatistics


def build_table_from_scores(by_scorer: Iterable[ScorerColumns]) -> Scores | None:
    """Put scores by scorer into one table; None if there are none."""
    tables = [
        build_table(one, one.native, higher_is_better=one.higher_is_better)
        for one in by_scorer
    ]
    return concatenate_scores(tables) if tables else None


def build_table(
    scores: ScorerColumns, values: Array, *, higher_is_better: bool = True
) -> Scores:
    """Put values of one scorer's lines into a table."""
    scores = scores.keep_lines(np.isfinite(values))
    values = values[np.isfinite(values)]
    # Names are numbered as they come: resampling draws outputs by their numbers.
    used_systems, system = number_by_appearance(scores.system)
    used_judges, judge = number_by_appearance(scores.judge)
    width = len(scores.documents)
    items, item = number_by_appearance(scores.segment * width + scores.document)
    judges = tuple(scores.judges[at] for at in used_judges.tolist())
    judges, judge = drop_nameless(judges, judge)
    return Scores(
        tuple(scores.systems[at] for at in used_systems.tolist()),
        tuple(
            ScoredItem(str(at // width), scores.documents[at % width])
            for at in items.tolist()
        ),
        (Scorer(scores.scorer, scores.scorer, find_direction(higher_is_better)),),
        judges,
        system,
        item,
        np.zeros(len(values), np.int64),
        judge,
        values,
    )


@dataclass(frozen=True, slots=True)
class JudgeCorrelation:
    """How well a metric agrees with the judges by one scorer; None if it has no meaning."""

    scorer: str
    metric: str
    systems: int
    outputs: int
    #: Pearson's r of the systems' scores, and of all judged outputs.
    by_system: float | None
    by_segment: float | None
    #: Share of pairs of systems' outputs of a segment that both put in the same order.
    pairs: float | None


def correlate_metrics(
    campaign: Campaign,
    judgements: Iterable[Judgement],
    metrics: Mapping[str, Metric],
    *,
    names: Mapping[str, str] | None = None,
) -> list[JudgeCorrelation]:
    """Correlate each metric with each scorer, on the outputs that were judged.

    `names` says what the systems are called in the judgements, where these are blinded.
    """
    judgements = list(judgements)
    if not any(one.counts for one in keep_latest(judgements)):
        return []
    automatic, statistics = score_systems(build_corpus(campaign, names), metrics)
    return correlate_people(judgements, automatic, list(metrics), statistics)


def correlate_people(
    judgements: Iterable[Judgement],
    automatic: Scores,
    metrics: Sequence[str],
    statistics: Mapping[str, SegmentStatistics] | None = None,
) -> list[JudgeCorrelation]:
    """Correlate scores of metrics with each scorer of people; nothing if nobody judged."""
    counted = (one for one in keep_latest(judgements) if one.counts)
    people = build_table_from_scores(group_by_scorer(counted))
    if people is None:
        return []
    both = concatenate_scores([people, automatic])
    panels = (
        build_panel(both, scorer, metrics, statistics=statistics)
        for scorer in people.names
    )
    return [_correlate_metric(panel, name) for panel in panels for name in panel.names]


def _correlate_metric(panel: ScorePanel, name: str) -> JudgeCorrelation:
    values = panel.metrics[name]
    systems = correlate(panel.system_gold, panel.system_metrics[name])
    segments = correlate(panel.gold, values)
    pairs = correlate(panel.gold, values, coef="acc_eq", group="item", average="micro")
    return JudgeCorrelation(
        panel.gold_name,
        name,
        len(panel.systems),
        segments.n,
        # Two systems always lie on a line: r of them is 1 or -1 and says nothing.
        drop_nan(systems.value) if len(panel.systems) > 2 else None,
        drop_nan(segments.value),
        drop_nan(pairs.value),
    )


def build_corpus(
    campaign: Campaign,
    names: Mapping[str, str] | None = None,
    *,
    references: bool = True,
) -> Outputs:
    """Return the texts as a corpus; a reference that takes part is none for metrics.

    `names` renames systems. Without `references` none are needed.
    """
    known = names or {}
    documents = [segment.document for segment in campaign.segments]
    systems = {
        known.get(system.name, system.name): list(system.outputs)
        for system in campaign.systems
        if system.kind == "mt"
    }
    evalset = EvalSet(
        documents=documents if all(documents) else None,
        refs_per_segment=_list_references(campaign) if references else None,
    )
    return Outputs(evalset, systems)


def _list_references(campaign: Campaign) -> list[tuple[str, ...]]:
    taking_part = any(system.kind == "reference" for system in campaign.systems)
    references = [
        segment.references[:-1] if taking_part else segment.references
        for segment in campaign.segments
    ]
    if not all(references):
        msg = f"{campaign.settings.name} has no references for the metrics."
        raise CorpusError(msg)
    return references
