"""The JSON that a judge's browser receives: protocol, progress, one screen at a time."""

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection

from metra.campaign.campaign import Campaign
from metra.campaign.measurements import add_judged_outputs, shows_judged
from metra.campaign.protocols.record import Step, hide_key
from metra.campaign.screen import build_screen, prefill_marks
from metra.campaign.words import STEP_PARTS, Wording
from metra.scores.judgement import NOT_TRANSLATION
from metra.store import answers, events
from metra.store.answers import Draft
from metra.store.campaigns import StoredCampaign
from metra.store.tasks import ScreenPlace, ScreenSequence, StoredTask
from metra.web.strings import get_direction, get_language_name

#: How the browser measures time.
OPTIONS = {"idle_after_ms": 30_000, "break_after_ms": 1_200_000}


@dataclass(frozen=True, slots=True)
class OpenScreen:
    """A judge's screen, in a transaction that excludes their other requests."""

    db: Connection
    stored: StoredCampaign
    owned: StoredTask
    way: ScreenSequence
    at: int
    now: float
    #: True if the answer that a request sends has been stored before.
    is_stored: bool = False

    @property
    def place(self) -> ScreenPlace:
        """The task and number of the screen."""
        return self.way.places[self.at]


def build_options_json(campaign: Campaign) -> dict[str, Any]:
    """Return how the browser measures time and what it lets judges do."""
    settings, asked = campaign.settings, campaign.protocol
    skips = settings.skip_nontranslations and asked.over == "outputs"
    return OPTIONS | {
        "log_keys": settings.log_keys,
        # What an answer says that skips the output; null where none can be.
        "skip": NOT_TRANSLATION if skips and not asked.contrastive else None,
    }


def build_campaign_json(stored: StoredCampaign, wording: Wording) -> dict[str, Any]:
    """Return the campaign's title with its language, and the languages of the texts."""
    settings = stored.campaign.settings
    return {
        "title": wording.title or settings.name,
        "title_language": wording.language if wording.title else None,
        "source": build_language_json(settings.source_language),
        "target": build_language_json(settings.target_language),
    }


def build_language_json(code: str) -> dict[str, str]:
    """Return a language's code, name and direction."""
    return {"code": code, "name": get_language_name(code), "dir": get_direction(code)}


def build_protocol_json(
    campaign: Campaign, wording: Wording, *, of_examples: bool = False
) -> dict[str, Any]:
    """Return the steps in a wording, with the target language's name filled in.

    In questions about worked examples it is the language of their texts.
    """
    protocol, target = campaign.protocol, campaign.settings.target_language
    if of_examples and wording.examples_in:
        target = wording.examples_in
    return {
        "name": protocol.name,
        "title": protocol.title,
        "contrastive": protocol.contrastive,
        "basis": protocol.basis,
        "guidance_seconds": protocol.guidance_seconds,
        # What the judge reads; it comes back with the answer.
        "wording": wording.language,
        "direction": get_direction(wording.language),
        "steps": [_build_step_json(step, target, wording) for step in protocol.steps],
    }


def _build_step_json(step: Step, target: str, wording: Wording) -> dict[str, Any]:
    words = wording.of_step(step)
    languages = {
        part: words.elsewhere.get(part, wording.language) for part in STEP_PARTS
    }
    parts = asdict(words)
    said = {
        part: _fill_language(parts[part], get_language_name(target, language))
        for part, language in languages.items()
    }
    ask = asdict(step.asks)
    if words.anchors:
        ask["anchors"] = said["anchors"]
    if words.brief:
        ask["brief"] = said["brief"]
    return {
        "name": step.name,
        "title": said["name"],
        "question": said["question"],
        "names": said["names"],
        # In which language each part of it is.
        "languages": languages,
        "kind": step.asks.kind,
        "ask": ask,
        "shows": list(step.shows),
        # Whether it needs more on the screen than texts, and so a word with the server.
        "extra": step.asks.has_extra,
    }


def build_guide_json(wording: Wording) -> dict[str, Any]:
    """Return the worked examples of the guide."""
    return {
        "language": wording.language_of("examples"),
        # None where the examples' texts are in the campaign's own languages.
        "texts_in": wording.examples_in or None,
        "examples": [asdict(example) for example in wording.examples],
    }


def build_screen_json(opened: OpenScreen, step: int) -> dict[str, Any]:
    """Return a screen as far as `step` shows it, with its draft and answer."""
    db, stored, owned, at = opened.db, opened.stored, opened.owned, opened.at
    task, number, _ = opened.place
    campaign = stored.campaign
    if shows_judged(campaign.protocol):
        # New texts stand beside what the judge judged before.
        own = answers.read_judgements(db, stored, owned.judge)
        campaign = add_judged_outputs(campaign, own)
    draft = answers.find_draft(db, task, number)
    answer = build_answer_json(db, task, number)
    if draft is None and answer is None:
        begun = prefill_marks(stored.campaign, owned.task, number)
        draft = None if begun is None else Draft(0, begun, "")
    return build_screen(campaign, owned.task, number=number, step=step) | {
        "number": number,
        "items": owned.screens,
        "place": at + 1,
        # Where the browser's numbers of events go on, on whatever device.
        "events": events.get_next_number(db, task, number),
        "draft": None if draft is None else asdict(draft),
        "answer": answer,
        "previous": _build_neighbour_json(opened.way, at - 1),
        "next": _build_neighbour_json(opened.way, at + 1),
    }


def build_answer_json(db: Connection, task: str, number: int) -> dict[str, Any] | None:
    """Return the newest answer to a screen, as its judge may see it."""
    given = answers.find_latest_answer(db, task, number)
    if given is None:
        return None
    return {
        "value": hide_key(given.value),
        "comment": given.comment,
        "cannot": given.cannot,
        "revision": given.revision,
    }


def _build_neighbour_json(way: ScreenSequence, at: int) -> dict[str, Any] | None:
    if not (0 <= at < len(way.places) and way.may_answer(at)):
        return None
    return {"task": way.places[at].task, "number": way.places[at].number}


def _fill_language(value: Any, language: str) -> Any:
    if isinstance(value, str):
        return value.replace("{language}", language)
    if isinstance(value, dict):
        return {key: _fill_language(one, language) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_fill_language(one, language) for one in value]
    return value
