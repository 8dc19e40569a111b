"""Measurements beside the ranking: metrics, interruptions, and EvalTrans scores so far."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from metra.campaign.campaign import Campaign
from metra.campaign.judgement import drop_checks, keep_latest
from metra.campaign.protocols.record import Protocol
from metra.corpus.batch import Batch
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError
from metra.formats.annotations.judged_outputs import JudgedOutput
from metra.metrics.evaltrans import JudgedOutputs, parts, rows
from metra.metrics.record import Metric
from metra.scores.judgement import Judgement
from metra.scores.table import Scores
from metra.scoring.scorers import score_systems
from metra.stats.panel import SegmentStatistics
from metra.text.preparation import make_preparation
from metra.text.words import is_unspaced

PROTOCOL = "evaltrans"


def collect_judged_outputs(
    campaign: Campaign, judgements: Iterable[Judgement]
) -> list[JudgedOutput]:
    """Return the outputs that the campaign began with and those that judges added."""
    begun = [
        JudgedOutput(source, output, score)
        for source, listed in campaign.material.get("judged", {}).items()
        for output, score in listed
    ]
    return begun + collect_added_outputs(judgements)


def collect_added_outputs(judgements: Iterable[Judgement]) -> list[JudgedOutput]:
    """Return the outputs that judges added, without degraded copies and repeats."""
    outputs = []
    for one in drop_checks(keep_latest(judgements)):
        if one.protocol == PROTOCOL and one.cannot is None:
            score = float(one.value[PROTOCOL]["score"])
            text = " ".join(one.outputs[0].split())
            outputs.append(JudgedOutput(str(one.segment), text, score, one.judge))
    return outputs


def compute_running_scores(
    campaign: Campaign, judgements: Iterable[Judgement]
) -> dict[str, dict[str, float]]:
    """Return SSER, mWER and how far they rest on extrapolation, by system."""
    # As on the screen, letters are words where there are no blanks.
    every = "\n".join(output for one in campaign.systems for output in one.outputs)
    tok = "char" if is_unspaced(every) else "none"
    text = make_preparation(tok=tok, case="mixed", stem="no")
    judged = collect_judged_outputs(campaign, judgements)
    collection = JudgedOutputs(judged, text, "segment")
    references = [segment.references for segment in campaign.segments]
    running = {}
    for one in campaign.systems:
        batch = Batch(list(one.outputs), refs_per_segment=references)
        figures = parts(rows(batch, collection=collection, k=1).sum(0)).items()
        running[one.name] = {k: v for k, v in figures if isinstance(v, int | float)}
    return running


def shows_judged(protocol: Protocol) -> bool:
    """Return whether a protocol shows what was judged before."""
    return any(step.asks.shows_judged for step in protocol.steps)


def add_judged_outputs(campaign: Campaign, own: Iterable[Judgement]) -> Campaign:
    """Return the campaign with a judge's answers so far among its judged outputs."""
    begun = campaign.material.get("judged", {})
    judged = {source: list(listed) for source, listed in begun.items()}
    for one in keep_latest(own):
        for step in one.value.values():
            entry = [one.outputs[0], float(step["score"])]
            judged.setdefault(str(one.segment), []).append(entry)
    if not judged:
        return campaign
    return replace(campaign, material=campaign.material | {"judged": judged})


def list_interrupted(
    judgements: Iterable[Judgement],
) -> list[tuple[Judgement, dict[str, Any]]]:
    """Return the attempts with a pause, and their times: they count, but look at them."""
    return [
        (one, step)
        for one in judgements
        for step in one.value.values()
        if isinstance(step, dict) and (step.get("pauses") or step.get("hidden_ms"))
    ]


def score_campaign(
    campaign: Campaign, metrics: Mapping[str, Metric], names: Mapping[str, str]
) -> tuple[Scores, dict[str, SegmentStatistics]]:
    """Score the campaign's outputs by metrics; `names` renames systems."""
    settings = campaign.settings
    documents = [segment.document for segment in campaign.segments]
    systems = {
        names.get(system.name, system.name): list(system.outputs)
        for system in campaign.systems
        if system.kind == "mt"
    }
    evalset = EvalSet(
        documents=documents if all(documents) else None,
        refs_per_segment=_list_references(campaign),
    )
    lang = f"{settings.source_language}-{settings.target_language}"
    return score_systems(Outputs(evalset, systems), metrics, lang=lang)


def _list_references(campaign: Campaign) -> list[tuple[str, ...]]:
    """Return each segment's references; one that takes part is none for metrics."""
    last = -1 if any(one.kind == "reference" for one in campaign.systems) else None
    references = [segment.references[:last] for segment in campaign.segments]
    if not all(references):
        msg = f"{campaign.settings.name} has no references for the metrics."
        raise CorpusError(msg)
    return references
