"""People against metrics: our own measures on the texts that were judged."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from metra.corpus import EvalSet, Outputs
from metra.errors import CorpusError
from metra.human.campaign import Campaign
from metra.human.judgement import Judgement, latest
from metra.judging.score_table import score_table
from metra.measure import Metric
from metra.meta.correlation import Result, correlate
from metra.meta.panel import Panel, panel
from metra.meta.scores import joined
from metra.repool import scored


@dataclass(frozen=True, slots=True)
class Correlation:
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


def correlations(
    campaign: Campaign,
    judgements: Iterable[Judgement],
    metrics: Mapping[str, Metric],
    *,
    names: Mapping[str, str] | None = None,
) -> list[Correlation]:
    """Correlate each metric with each scorer, on the outputs that were judged.

    `names` says what the systems are called in the judgements, where these are blinded.
    """
    people = score_table(one for one in latest(judgements) if one.counts)
    if people is None:
        return []
    automatic, statistics = scored(_corpus(campaign, names or {}), metrics)
    both = joined([people, automatic])
    found = []
    for scorer in people.names:
        lined = panel(both, scorer, list(metrics), statistics=statistics)
        found += [_correlation(lined, name) for name in lined.names]
    return found


def _correlation(lined: Panel, name: str) -> Correlation:
    values = lined.metrics[name]
    # Two systems always lie on a line: r of them is 1 or -1 and says nothing.
    enough = len(lined.systems) > 2
    systems = correlate(lined.system_gold, lined.system_metrics[name])
    segments = correlate(lined.gold, values)
    pairs = correlate(lined.gold, values, coef="acc_eq", group="item", average="micro")
    return Correlation(
        lined.gold_name,
        name,
        len(lined.systems),
        segments.n,
        _value(systems) if enough else None,
        _value(segments),
        _value(pairs),
    )


def _value(result: Result) -> float | None:
    return result.value if result.value == result.value else None


def _corpus(campaign: Campaign, names: Mapping[str, str]) -> Outputs:
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
