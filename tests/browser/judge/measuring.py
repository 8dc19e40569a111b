"""Campaigns of the workbook's measures, one judge each, opened in the store of a server."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.campaign.campaigns import opened

from metra.campaign.campaign import Campaign
from metra.campaign.judgement import keep_latest, score_outputs
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs

SOURCE = ["Le marché ouvre.", "Il a plu toute la nuit."]
REFERENCE = ["The market opens.", "It rained all night."]
OUTPUT = ["The market is open.", "It rained the whole night long, they said."]


def frozen(
    protocol: str,
    outputs: Mapping[str, Sequence[str]] | None = None,
    *,
    material: Mapping[str, Any] | None = None,
    source: Sequence[str] = SOURCE,
    references: Sequence[str] = REFERENCE,
    documents: Sequence[str] = (),
    language: str = "en",
    **wishes: Any,
) -> Campaign:
    """A campaign in which one judge sees everything once."""
    named = list(documents) or ["d"] * len(source)
    corpus = Outputs(
        EvalSet([list(references)], list(source), named),
        {
            name: list(texts)
            for name, texts in (outputs or {"secret-0": OUTPUT}).items()
        },
    )
    once = {"judges": ["ann"], "each": 1, "repeats": 0, "degraded": 0, "complete": True}
    wishes = once | {"target_language": language, "corpus": corpus} | wishes
    return opened(protocol, material, **wishes)


def scores(link: Any) -> dict[str, list[float]]:
    """All native scores by scorer, in the order of the answers."""
    found: dict[str, list[float]] = {}
    for one in keep_latest(link.judgements()):
        for scored in score_outputs(one)[0]:
            found.setdefault(scored.scorer, []).append(scored.value)
    return found
