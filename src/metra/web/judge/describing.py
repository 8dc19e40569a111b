"""What a judge's browser is told: the protocol, the progress, and one screen at a time."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from metra.campaign.judgement import Judgement
from metra.campaign.material import prefilled, shows_judged, with_judged
from metra.campaign.protocols.record import ASKS_WITH_EXTRA, Protocol, Step, public
from metra.campaign.screen import screen
from metra.campaign.wording import STEP_PARTS, Wording
from metra.store import answers, events, screens
from metra.store.answers import Draft
from metra.store.assignment import Progress
from metra.store.campaigns import Stored
from metra.store.screens import Place, Way
from metra.store.tasks import StoredTask
from metra.web.strings import direction, language_name

OPTIONS = {
    "idle_after_ms": 30_000,
    "break_after_ms": 1_200_000,
    "heartbeat_ms": 15_000,
}


def options_json(stored: Stored) -> dict[str, Any]:
    """How the browser measures, and whether it records what is typed."""
    return OPTIONS | {"log_keys": stored.campaign.settings.log_keys}


def campaign_json(stored: Stored, wording: Wording) -> dict[str, Any]:
    """The campaign's title, the language of that, and the languages of its texts."""
    settings = stored.campaign.settings
    return {
        "title": wording.title or settings.name,
        "title_language": wording.language if wording.title else None,
        "source": language_json(settings.source_language),
        "target": language_json(settings.target_language),
    }


def language_json(code: str) -> dict[str, str]:
    """A language's code, name and direction."""
    return {"code": code, "name": language_name(code), "dir": direction(code)}


def protocol_json(protocol: Protocol, target: str, wording: Wording) -> dict[str, Any]:
    """The steps in a wording, the target language's name filled in."""
    return {
        "name": protocol.name,
        "title": protocol.title,
        "contrastive": protocol.contrastive,
        "basis": protocol.basis,
        "guidance_seconds": protocol.guidance_seconds,
        # What the judge reads; it comes back with the answer.
        "wording": wording.language,
        "direction": direction(wording.language),
        "steps": [_step_json(step, target, wording) for step in protocol.steps],
    }


def _step_json(step: Step, target: str, wording: Wording) -> dict[str, Any]:
    words = wording.of_step(step)
    languages = {
        part: words.elsewhere.get(part, wording.language) for part in STEP_PARTS
    }
    said = {
        part: _filled(getattr(words, part), language_name(target, languages[part]))
        for part in STEP_PARTS
        if part != "anchors"
    }
    ask = asdict(step.asks)
    if words.anchors:
        named = language_name(target, languages["anchors"])
        ask["anchors"] = [_filled(asdict(one), named) for one in words.anchors]
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
        "extra": isinstance(step.asks, ASKS_WITH_EXTRA),
    }


def guide_json(wording: Wording) -> dict[str, Any]:
    """What the guide's page needs to let judges try the examples."""
    return {
        "language": wording.language_of("examples"),
        # None where the examples' texts are in the campaign's own languages.
        "texts_in": wording.examples_in or None,
        "examples": [asdict(example) for example in wording.examples],
    }


def progress_json(progress: Progress) -> dict[str, int]:
    """How far the judge is."""
    return asdict(progress)


def screen_json(
    db: Connection, stored: Stored, owned: StoredTask, way: Way, at: int, step: int
) -> dict[str, Any]:
    """One screen with what the steps up to `step` show, its draft and its answer."""
    place = way.places[at]
    campaign = with_judged(stored.campaign, _own(db, stored, owned))
    shown = screen(campaign, owned.task, number=place.number, step=step)
    draft = answers.find_draft(db, place.task, place.number)
    answer = answer_json(db, place.task, place.number)
    if draft is None and answer is None:
        begun = prefilled(stored.campaign, owned.task, place.number)
        draft = None if begun is None else Draft(0, begun, "")
    return shown | {
        "number": place.number,
        "items": owned.screens,
        "place": at + 1,
        "step": step,
        # Where the browser's numbers of events go on, on whatever device.
        "events": events.following(db, place.task, place.number),
        "draft": None if draft is None else asdict(draft),
        "answer": answer,
        "previous": place_json(_neighbour(way, at - 1)),
        "next": place_json(_neighbour(way, at + 1)),
    }


def answer_json(db: Connection, task: str, number: int) -> dict[str, Any] | None:
    """The newest answer to a screen, as its judge may see it."""
    last = answers.last(db, task, number)
    given = None if last is None else answers.find_answer(db, last.id)
    if given is None:
        return None
    return {
        "value": public(given.value),
        "comment": given.comment,
        "cannot": given.cannot,
        "revision": given.revision,
    }


def _own(db: Connection, stored: Stored, owned: StoredTask) -> list[Judgement]:
    """What the judge has judged before, where new texts are judged beside it."""
    if not shows_judged(stored.campaign.protocol):
        return []
    return answers.judgements(db, stored, owned.judge)


def reached_step(db: Connection, place: Place) -> int:
    """The furthest step of a screen that has been shown."""
    return max(screens.shown_steps(db, place.task, place.number), default=0)


def place_json(place: Place | None) -> dict[str, Any] | None:
    """Where a screen is."""
    return None if place is None else {"task": place.task, "number": place.number}


def _neighbour(way: Way, at: int) -> Place | None:
    inside = 0 <= at < len(way.places)
    return way.places[at] if inside and way.may_answer(at) else None


def _filled(value: Any, language: str) -> Any:
    if isinstance(value, str):
        return value.replace("{language}", language)
    if isinstance(value, dict):
        return {key: _filled(one, language) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(one, language) for one in value]
    return value
