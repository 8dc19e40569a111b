"""Which words judges read: the protocol's, metra's translations, or a campaign's own.

The translations are `human/wordings/LANGUAGE.toml`. A part of one holds only as long as the
English that it translates stands there, word for word.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from metra import human
from metra.human.campaign import Campaign
from metra.human.protocols import PROTOCOLS, Protocol
from metra.human.protocols.record import Step
from metra.human.settings import Settings
from metra.human.wording import (
    ENGLISH,
    JUDGES_OWN,
    LANGUAGES,
    OFFICIAL,
    Wording,
    chosen,
    layered,
    own_words,
)
from metra.judging.guides import Guide, guide

_HERE = Path(human.__file__).parent / "wordings"


def worded(campaign: Campaign, own: Sequence[Wording] = ()) -> Campaign:
    """Freeze the words that judges may read with their campaign."""
    found = tuple(own) or _metras(campaign.settings, campaign.protocol)
    return replace(campaign, wordings=found)


def wordings(campaign: Campaign) -> tuple[Wording, ...]:
    """The words that judges may read, also of campaigns that froze none."""
    return campaign.wordings or _metras(campaign.settings, campaign.protocol)


def wording_for(campaign: Campaign, language: str) -> Wording:
    """The words for a judge whose pages are in a language."""
    return chosen(wordings(campaign), language)


def translated(asked: Protocol, language: str) -> Wording:
    """A protocol's words in one of metra's languages, in English where there are none."""
    steps = tuple(map(own_words, asked.steps))
    ours = guide(asked.name) if asked.name in PROTOCOLS else Guide(asked.title, (), ())
    found = Wording(ENGLISH, "protocol", ours.lead, ours.points, ours.examples, steps)
    content = catalogue(language).get(asked.name) if language != ENGLISH else None
    if content is None:
        return found
    entries = content["steps"]
    return replace(
        found,
        language=language,
        author="translation",
        lead=content["lead"],
        points=tuple(content["points"]),
        examples=tuple(
            replace(example, why=why)
            for example, why in zip(ours.examples, content["why"], strict=True)
        ),
        steps=tuple(
            layered(
                words,
                language,
                _standing(step, asked.name, entries.get(step.name, {})),
                under=ENGLISH,
            )
            for step, words in zip(asked.steps, steps, strict=True)
        ),
    )


@cache
def catalogue(language: str) -> dict[str, Any]:
    """A language's words for all protocols; none where we have no such language."""
    path = _HERE / f"{language}.toml"
    if language not in LANGUAGES or not path.exists():
        return {}
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _metras(settings: Settings, asked: Protocol) -> tuple[Wording, ...]:
    """The protocol's words alone, or those in every language, as the campaign wishes."""
    usual = ENGLISH if asked.name in OFFICIAL else JUDGES_OWN
    wished = settings.guide_language or usual
    codes = LANGUAGES if wished == JUDGES_OWN else (wished,)
    return tuple(translated(asked, code) for code in codes)


def _standing(step: Step, name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a translation whose English still stands in the step."""
    known = {one.name: one for one in PROTOCOLS[name].steps}
    if step.name not in known:
        return {}
    ours, theirs = own_words(known[step.name]), own_words(step)
    same = {
        "name": True,
        "question": ours.question == theirs.question,
        "labels": ours.anchors == theirs.anchors,
        "texts": ours.anchors == theirs.anchors,
        "names": set(theirs.names) <= set(entry.get("names", ())),
        "brief": ours.brief == theirs.brief,
    }
    found = {part: text for part, text in entry.items() if same[part]}
    if "names" in found:
        found["names"] = {key: found["names"][key] for key in theirs.names}
    return found
