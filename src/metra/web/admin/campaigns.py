"""The list of campaigns, the audit log, the preview and the exercise over campaigns."""

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import Connection

from metra.campaign.assignment import Task
from metra.campaign.campaign import FIRST, Campaign
from metra.campaign.exercise import Exercise, compare_evaluators, convert_text_scores
from metra.campaign.exports import zip_files
from metra.campaign.own_wording import choose_campaign_wording, list_wordings
from metra.campaign.results import score_texts
from metra.campaign.screen import build_screen, get_screen_protocol
from metra.store import audit, campaigns, tasks
from metra.store.campaigns import StoredCampaign
from metra.store.second_looks import read_completed
from metra.web.admin.frame import find_stored_campaign, is_blind, render_admin_page
from metra.web.judge.views import build_campaign_json, build_protocol_json
from metra.web.security.visitors import Administering
from metra.web.state import Refusal, get_state
from metra.web.strings import get_language_name

router = APIRouter()


@router.get("/admin/exercise")
def show_exercise(request: Request, session: Administering) -> Response:
    """Compare the chosen campaigns; only unblinded ones can be chosen."""
    known, chosen, found = _compare_campaigns(request)
    return render_admin_page(
        request,
        "exercise.html",
        who=session.name,
        known=known,
        chosen=chosen,
        found=found,
        query=request.url.query,
    )


@router.get("/admin/exercise/tables.zip")
def download_tables(request: Request, session: Administering) -> Response:
    """Return the tables of the exercise as a zip file."""
    del session  # only checked
    _, _, found = _compare_campaigns(request)
    if found is None:
        raise Refusal.not_found()
    headers = {"Content-Disposition": 'attachment; filename="exercise.zip"'}
    packed = zip_files(found.tables())
    return Response(packed, media_type="application/zip", headers=headers)


def _compare_campaigns(
    request: Request,
) -> tuple[list[StoredCampaign], set[str], Exercise | None]:
    with get_state(request).store.reading() as db:
        every = [
            campaigns.get_campaign(db, entry[0])
            for entry in campaigns.list_campaigns(db)
        ]
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
            for result in convert_text_scores(score_texts(read_completed(db, one)))
        ]
    return known, chosen, compare_evaluators(results) if results else None


_MOST = 500


@router.get("/admin/log")
def show_log(request: Request, session: Administering) -> Response:
    """Show the audit log of all campaigns."""
    with get_state(request).store.reading() as db:
        entries = audit.list_entries(db)
        names = {row[0]: row[1] for row in campaigns.list_campaigns(db)}
    return _render_log(request, session.name, entries, names, None)


@router.get("/admin/campaigns/{key}/log")
def show_history(request: Request, key: str, session: Administering) -> Response:
    """Show the audit log of one campaign."""
    stored = find_stored_campaign(request, key)
    with get_state(request).store.reading() as db:
        entries = audit.list_entries(db, stored.id)
    return _render_log(request, session.name, entries, {stored.id: stored.name}, stored)


def _render_log(
    request: Request,
    who: str,
    entries: list[audit.AuditEntry],
    names: dict[str, str],
    stored: campaigns.StoredCampaign | None,
) -> Response:
    rows = [
        (
            entry,
            names.get(entry.campaign or "", ""),
            _format_entry(entry.data),
        )
        for entry in entries[:_MOST]
    ]
    return render_admin_page(
        request,
        "log.html",
        who=who,
        rows=rows,
        stored=stored,
        hidden=max(0, len(entries) - _MOST),
    )


def _format_entry(data: Any) -> str:
    """Format the details of a log entry.

    >>> _format_entry({"judge": "Ann", "files": ["a", "b"], "blind": True}), _format_entry(None)
    ('judge: Ann; files: a, b; blind: yes', '')
    """
    if not isinstance(data, dict):
        return "" if data is None else str(data)
    return "; ".join(f"{name}: {_format_value(value)}" for name, value in data.items())


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


_SCREENS = 3


@router.get("/admin/campaigns/{key}/preview")
def show_preview(request: Request, key: str, session: Administering) -> Response:
    """Show the first screens as judges will see them; nothing is stored."""
    stored = find_stored_campaign(request, key)
    campaign = stored.campaign
    with get_state(request).store.reading() as db:
        first = tasks.list_campaign_tasks(db, stored.id)[:_SCREENS]
    shown = [
        build_screen(
            campaign,
            one.task,
            number=number,
            step=_find_last_step(campaign, one.task, number),
        )
        for one in first
        for number in range(one.screens)
    ][:_SCREENS]
    offered = list_wordings(campaign)
    wanted = request.query_params.get("wording", "")
    wording = choose_campaign_wording(campaign, wanted)
    about = build_campaign_json(stored, wording)
    target = campaign.settings.target_language
    protocol = build_protocol_json(campaign.protocol, target, wording)
    return render_admin_page(
        request,
        "preview.html",
        stored=stored,
        who=session.name,
        wording=wording,
        wordings=[(one.language, get_language_name(one.language)) for one in offered],
        trial={
            "screens": shown,
            "protocol": protocol,
            "source": about["source"],
            "target": about["target"],
        },
    )


def _find_last_step(campaign: Campaign, task: Task, number: int) -> int:
    """Return the index of the last step of a screen; some screens omit one."""
    return len(get_screen_protocol(campaign, task, number).steps) - 1


@dataclass(frozen=True, slots=True)
class CampaignListing:
    """A row of the list of campaigns."""

    id: str
    name: str
    state: str
    created_at: float
    done: int
    of: int


@router.get("/admin")
def show_campaigns(request: Request, session: Administering) -> Response:
    """Show the list of campaigns, newest first."""
    with get_state(request).store.reading() as db:
        rows = [
            CampaignListing(*row, *_count_tasks(db, row[0]))
            for row in campaigns.list_campaigns(db)
        ]
    return render_admin_page(
        request, "campaigns.html", campaigns=rows, who=session.name
    )


def _count_tasks(db: Connection, key: str) -> tuple[int, int]:
    """Return the numbers of finished tasks and of all assigned tasks."""
    states = [task.state for task in tasks.list_campaign_tasks(db, key)]
    return states.count("done"), len(states) - states.count("passed")
