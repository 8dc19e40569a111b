"""Campaigns of the workbook's measures, one judge each, opened in the store of a server."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from metra.campaign.campaign import Campaign
from metra.campaign.creation import freeze_campaign
from metra.campaign.judgement import keep_latest, score_outputs
from metra.campaign.settings import check_settings
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
    table = {
        "name": protocol,
        "protocol": protocol,
        "source_language": "fr",
        "target_language": language,
        "judges": ["ann"],
        "each": 1,
        "calibration": 0,
        "repeats": 0,
        "degraded": 0,
        "complete": True,
    }
    named = list(documents) or ["d"] * len(source)
    corpus = Outputs(
        EvalSet([list(references)], list(source), named),
        {
            name: list(texts)
            for name, texts in (outputs or {"secret-0": OUTPUT}).items()
        },
    )
    return freeze_campaign(check_settings(table | wishes, "test"), corpus, material)


def link(server: Any, made: Campaign, *, guided: bool = True) -> Any:
    """Open a campaign and let its first judge in, past consent and, if wished, the guide."""
    from metra.store import campaigns, judges

    now = server.now()
    name = f"{made.settings.name} {secrets.token_hex(4)}"
    made = replace(made, settings=replace(made.settings, name=name))
    with server.store.transaction() as db:
        key = campaigns.create_campaign(db, made, now=now, who="test", state="open")
        judge = judges.list_judges(db, key)[0]
        token = judges.issue_link(db, judge.id, now=now, who="test")
        judges.record_consent(db, judge.id, now=now, profile={})
        if guided:
            judges.record_guide(db, judge.id, now=now)
    return server.link(key, judge.id, token)


def scores(link: Any) -> dict[str, list[float]]:
    """All native scores by scorer, in the order of the answers."""
    found: dict[str, list[float]] = {}
    for one in keep_latest(link.judgements()):
        for scored in score_outputs(one)[0]:
            found.setdefault(scored.scorer, []).append(scored.value)
    return found
