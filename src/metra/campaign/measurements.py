"""Measurements beside the ranking: interruptions, and EvalTrans scores so far."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from metra.campaign.campaign import Campaign
from metra.campaign.judgement import drop_checks, keep_latest
from metra.campaign.protocols.record import Protocol
from metra.campaign.protocols.timed import is_interrupted
from metra.corpus.batch import Batch
from metra.formats.annotations.judged_outputs import JudgedOutput
from metra.metrics.evaltrans import JudgedOutputs, parts, rows
from metra.metrics.record import Parts
from metra.scores.judgement import Judgement
from metra.text.preparation import make_preparation
from metra.text.words import is_unspaced

PROTOCOL = "evaltrans"


@dataclass(frozen=True, slots=True)
class RunningScores:
    """One system so far: sser, mwer and the other parts of `evaltrans`."""

    system: str
    parts: Parts

    def figure(self, name: str) -> float | None:
        """Return a part by its name, such as sser; None where there is none."""
        part = self.parts.get(name)
        return float(part) if isinstance(part, int | float) else None


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
) -> list[RunningScores]:
    """Return SSER, mWER and how far they rest on extrapolation, for each system."""
    # As on the screen, letters are words where there are no blanks.
    every = "\n".join(output for one in campaign.systems for output in one.outputs)
    tok = "char" if is_unspaced(every) else "none"
    text = make_preparation(tok=tok, case="mixed", stem="no")
    judged = collect_judged_outputs(campaign, judgements)
    collection = JudgedOutputs(judged, text, "segment")
    references = [segment.references for segment in campaign.segments]
    running = []
    for one in campaign.systems:
        batch = Batch(list(one.outputs), refs_per_segment=references)
        totals = rows(batch, collection=collection, k=1).sum(0)
        running.append(RunningScores(one.name, parts(totals)))
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


@dataclass(frozen=True, slots=True)
class InterruptedAttempt:
    """An attempt with a pause: it counts, but somebody should look at it."""

    judge: str
    system: str
    document: str
    pauses: int
    hidden_seconds: float


def list_interrupted(judgements: Iterable[Judgement]) -> list[InterruptedAttempt]:
    """Return the attempts with a pause."""
    return [
        InterruptedAttempt(
            *(one.judge, one.systems[0], one.document),
            *(step["pauses"], step["hidden_ms"] / 1000),
        )
        for one in judgements
        for step in one.value.values()
        if isinstance(step, dict) and is_interrupted(step)
    ]
