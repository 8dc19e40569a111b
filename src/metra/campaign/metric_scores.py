"""A campaign's texts as a corpus, and the scores of metrics for them."""

from collections.abc import Mapping

from metra.campaign.campaign import Campaign
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError
from metra.metrics.record import Metric
from metra.scores.table import Scores
from metra.scoring.scorers import score_systems
from metra.stats.panel import SegmentStatistics


def score_campaign(
    campaign: Campaign,
    metrics: Mapping[str, Metric],
    names: Mapping[str, str] | None = None,
) -> tuple[Scores, dict[str, SegmentStatistics]]:
    """Score the campaign's outputs by metrics; `names` renames systems."""
    settings = campaign.settings
    lang = f"{settings.source_language}-{settings.target_language}"
    return score_systems(build_corpus(campaign, names), metrics, lang=lang)


def build_corpus(campaign: Campaign, names: Mapping[str, str] | None = None) -> Outputs:
    """Return the texts as a corpus; a reference that takes part is none for metrics."""
    new_names = names or {}
    documents = [segment.document for segment in campaign.segments]
    systems = {
        new_names.get(system.name, system.name): list(system.outputs)
        for system in campaign.systems
        if system.kind == "mt"
    }
    evalset = EvalSet(
        documents=documents if all(documents) else None,
        refs_per_segment=_list_references(campaign),
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
