"""People against metrics: our own measures on the texts that were judged.

Judgements as the table of scores that meta-evaluation works on.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from metra.campaign.campaign import Campaign
from metra.campaign.judgement import keep_latest
from metra.campaign.results import JudgeScore, ScoresByScorer, group_by_scorer
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError
from metra.formats.scores.judgement import Judgement
from metra.formats.scores.panel import build_panel
from metra.formats.scores.record import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.metrics.record import Metric
from metra.scoring.scorers import score_systems
from metra.stats.correlation import CorrelationResult, correlate
from metra.stats.panel import ScorePanel


def build_judgement_scores(
    judgements: Iterable[Judgement], lang: str = ""
) -> Scores | None:
    """Put all scores on their native scales into one table; None if there are none."""
    return build_table_from_scores(group_by_scorer(judgements), lang)


def build_table_from_scores(every: ScoresByScorer, lang: str = "") -> Scores | None:
    """The same from scores that have been read out."""
    found = [
        _build_table(
            figures, Scorer(name, name, higher), [one.native for one in figures], lang
        )
        for (name, higher), figures in every.items()
    ]
    return concatenate_scores(found) if found else None


def build_oriented_table(figures: list[JudgeScore], name: str) -> Scores:
    """Put one scorer's figures into a table in which higher is better."""
    return _build_table(figures, Scorer(name, name), [one.worth for one in figures])


def _build_table(
    figures: list[JudgeScore], scorer: Scorer, values: list[float], lang: str = ""
) -> Scores:
    # Segments have many figures: each is named once.
    places = dict.fromkeys((one.segment, one.document) for one in figures)
    items = {place: ScoredItem(str(place[0]), place[1], lang=lang) for place in places}
    return build_score_table(
        [one.system for one in figures],
        [items[one.segment, one.document] for one in figures],
        {scorer: values},
        [one.judge for one in figures],
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
    people = build_judgement_scores(
        one for one in keep_latest(judgements) if one.counts
    )
    if people is None:
        return []
    automatic, statistics = score_systems(_build_corpus(campaign, names or {}), metrics)
    both = concatenate_scores([people, automatic])
    found = []
    for scorer in people.names:
        lined = build_panel(both, scorer, list(metrics), statistics=statistics)
        found += [_correlate_metric(lined, name) for name in lined.names]
    return found


def _correlate_metric(lined: ScorePanel, name: str) -> JudgeCorrelation:
    values = lined.metrics[name]
    # Two systems always lie on a line: r of them is 1 or -1 and says nothing.
    enough = len(lined.systems) > 2
    systems = correlate(lined.system_gold, lined.system_metrics[name])
    segments = correlate(lined.gold, values)
    pairs = correlate(lined.gold, values, coef="acc_eq", group="item", average="micro")
    return JudgeCorrelation(
        lined.gold_name,
        name,
        len(lined.systems),
        segments.n,
        _value(systems) if enough else None,
        _value(segments),
        _value(pairs),
    )


def _value(result: CorrelationResult) -> float | None:
    return result.value if result.value == result.value else None


def _build_corpus(campaign: Campaign, names: Mapping[str, str]) -> Outputs:
    """The texts as a corpus; a reference that takes part is no reference for metrics."""
    taking_part = any(system.kind == "reference" for system in campaign.systems)
    references = [
        segment.references[:-1] if taking_part else segment.references
        for segment in campaign.segments
    ]
    if not all(references):
        msg = f"{campaign.settings.name} lacks references for metrics to compare with."
        raise CorpusError(msg)
    documents = [segment.document for segment in campaign.segments]
    evalset = EvalSet(
        documents=documents if all(documents) else None, refs_per_segment=references
    )
    systems = {
        names.get(system.name, system.name): list(system.outputs)
        for system in campaign.systems
        if system.kind == "mt"
    }
    return Outputs(evalset, systems)
