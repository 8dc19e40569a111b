"""The collective exercise over several campaigns: evaluators and metrics on one page.

The audit log: who did what, when.
The first screens as judges will see them, with nothing kept.
All campaigns, with how far each is.
"""

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import Connection

from metra.campaign.campaign import Campaign
from metra.campaign.exercise import Exercise, exercise, of_text_scores
from metra.campaign.exports import zipped
from metra.campaign.own_wording import wordings
from metra.campaign.results import text_scores
from metra.campaign.screen import screen, screen_protocol
from metra.campaign.second_look import FIRST, completed
from metra.campaign.task import Task
from metra.campaign.wording import chosen
from metra.store import audit, campaigns, tasks
from metra.store.campaigns import Stored
from metra.web.admin.showing import admin_page, found, is_blind
from metra.web.judge.describing import campaign_json, protocol_json
from metra.web.security.visitors import Administering
from metra.web.state import Refusal, state_of
from metra.web.strings import language_name

router = APIRouter()


@router.get("/admin/exercise")
def show_exercise(request: Request, session: Administering) -> Response:
    """Compare what the chosen campaigns found; names must no longer be hidden."""
    known, chosen, found = _found(request)
    return admin_page(
        request,
        "exercise.html",
        who=session.name,
        known=known,
        chosen=chosen,
        found=found,
        query=request.url.query,
    )


@router.get("/admin/exercise/tables.zip")
def download(request: Request, session: Administering) -> Response:
    """The tables of the exercise as files."""
    del session  # that there is one is enough
    _, _, found = _found(request)
    if found is None:
        raise Refusal.not_found()
    headers = {"Content-Disposition": 'attachment; filename="exercise.zip"'}
    packed = zipped(found.tables())
    return Response(packed, media_type="application/zip", headers=headers)


def _found(request: Request) -> tuple[list[Stored], set[str], Exercise | None]:
    with state_of(request).store.reading() as db:
        every = [campaigns.existing(db, entry[0]) for entry in campaigns.listed(db)]
        known = [
            one
            for one in every
            if not is_blind(one) and FIRST not in one.campaign.material
        ]
        asked = set(request.query_params.getlist("campaign"))
        chosen = {one.id for one in known if one.id in asked} or {
            one.id for one in known
        }
        results = [
            result
            for one in known
            if one.id in chosen
            for result in of_text_scores(text_scores(completed(db, one)))
        ]
    return known, chosen, exercise(results) if results else None


_MOST = 500


@router.get("/admin/log")
def show_all(request: Request, session: Administering) -> Response:
    """What was done anywhere."""
    with state_of(request).store.reading() as db:
        entries = audit.entries(db)
        names = {row[0]: row[1] for row in campaigns.listed(db)}
    return _page(request, session.name, entries, names, None)


@router.get("/admin/campaigns/{key}/log")
def show_history(request: Request, key: str, session: Administering) -> Response:
    """What was done in one campaign."""
    stored = found(request, key)
    with state_of(request).store.reading() as db:
        entries = audit.entries(db, stored.id)
    return _page(request, session.name, entries, {stored.id: stored.name}, stored)


def _page(
    request: Request,
    who: str,
    entries: list[audit.Entry],
    names: dict[str, str],
    stored: campaigns.Stored | None,
) -> Response:
    rows = [
        (
            entry,
            names.get(entry.campaign or "", ""),
            _told(entry.data),
        )
        for entry in entries[:_MOST]
    ]
    return admin_page(
        request,
        "log.html",
        who=who,
        rows=rows,
        stored=stored,
        hidden=max(0, len(entries) - _MOST),
    )


def _told(data: Any) -> str:
    """What is noted beside a deed, for people.

    >>> _told({"judge": "Ann", "files": ["a", "b"], "blind": True}), _told(None)
    ('judge: Ann; files: a, b; blind: yes', '')
    """
    if not isinstance(data, dict):
        return "" if data is None else str(data)
    return "; ".join(f"{name}: {_plain(value)}" for name, value in data.items())


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


_SCREENS = 3


@router.get("/admin/campaigns/{key}/preview")
def show_preview(request: Request, key: str, session: Administering) -> Response:
    """Draw some screens of the first judge, with all their questions."""
    stored = found(request, key)
    campaign = stored.campaign
    with state_of(request).store.reading() as db:
        first = tasks.of_campaign(db, stored.id)[:_SCREENS]
    shown = [
        screen(
            campaign, one.task, number=number, step=_last(campaign, one.task, number)
        )
        for one in first
        for number in range(one.screens)
    ][:_SCREENS]
    offered = wordings(campaign)
    wording = chosen(offered, request.query_params.get("wording", ""))
    about = campaign_json(stored, wording)
    target = campaign.settings.target_language
    protocol = protocol_json(campaign.protocol, target, wording)
    return admin_page(
        request,
        "preview.html",
        stored=stored,
        who=session.name,
        wording=wording,
        wordings=[(one.language, language_name(one.language)) for one in offered],
        trial={
            "screens": shown,
            "protocol": protocol,
            "source": about["source"],
            "target": about["target"],
        },
    )


def _last(campaign: Campaign, task: Task, number: int) -> int:
    """The last question that this screen asks; some leave one out."""
    return len(screen_protocol(campaign, task, number).steps) - 1


@dataclass(frozen=True, slots=True)
class Listed:
    """A campaign in the list."""

    id: str
    name: str
    state: str
    created_at: float
    done: int
    of: int


@router.get("/admin")
def show_campaigns(request: Request, session: Administering) -> Response:
    """List the campaigns, the newest first."""
    with state_of(request).store.reading() as db:
        rows = [Listed(*row, *_progress(db, row[0])) for row in campaigns.listed(db)]
    return admin_page(request, "campaigns.html", campaigns=rows, who=session.name)


def _progress(db: Connection, key: str) -> tuple[int, int]:
    """Tasks done, and all that are anybody's."""
    states = [task.state for task in tasks.of_campaign(db, key)]
    return states.count("done"), len(states) - states.count("passed")
