"""The list of campaigns, the audit log, previews, downloads, the exercise over campaigns."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from sqlalchemy import Connection
from starlette.responses import StreamingResponse

from metra.campaign.campaign import FIRST
from metra.campaign.judgement import build_campaign_scores, pause_collection
from metra.campaign.screen import build_screen, get_screen_protocol
from metra.campaign.translations import choose_campaign_wording, list_wordings
from metra.errors import MetraError
from metra.meta.exercise import name_by_campaign, run_exercise
from metra.meta.judges import add_flags
from metra.report.campaign_files import export_judgements, list_formats
from metra.scores.selection import DEFAULT, Flagged
from metra.store import audit, campaigns, judges, tasks
from metra.store.database import convert_error, strip_unstorable
from metra.store.events import write_key_log
from metra.store.second_looks import read_completed
from metra.web.admin.frame import CampaignVisit, OfCampaign, render_admin_page
from metra.web.judge.views import build_campaign_json, build_protocol_json
from metra.web.replies import Refusal, get_state
from metra.web.strings import get_language_name
from metra.web.visitors import Administering, CheckedRoute

router = APIRouter(route_class=CheckedRoute)


@router.get("/admin/exercise")
def show_exercise(request: Request, _: Administering) -> Response:
    """Compare the chosen campaigns; only unblinded ones can be chosen."""
    shown = _compare_campaigns(request)
    return render_admin_page(request, "exercise.html", **shown)


def _compare_campaigns(request: Request) -> dict[str, Any]:
    """Return the campaigns that can be chosen, the chosen ones, and their comparison."""
    with get_state(request).store.reading() as db:
        entries = campaigns.list_campaigns(db)
        every = [campaigns.get_campaign(db, entry[0]) for entry in entries]
        visible = [
            one
            for one in every
            if not one.is_blind and FIRST not in one.campaign.material
        ]
        ids = {one.id for one in visible}
        chosen = ids.intersection(request.query_params.getlist("campaign")) or ids
        answers = {
            one.name: read_completed(db, one) for one in visible if one.id in chosen
        }
        people = _list_people(db, every)
    tables = {
        name: add_flags(build_campaign_scores(each)) for name, each in answers.items()
    }
    study, reason = None, ""
    try:
        study = run_exercise(name_by_campaign(tables))
    except MetraError as error:  # no scores, or campaigns that do not go together
        reason = str(error) if tables else ""
    words = {name: DEFAULT.describe(table) for name, table in tables.items()}
    return {
        "visible": visible,
        "chosen": chosen,
        "study": study,
        "reason": reason,
        "selections": words,
        "people": people,
        "parts": [
            one.name
            for one in reversed(every)
            if any(one.name in part for part in people.values())
        ],
    }


def _list_people(
    db: Connection, every: list[campaigns.StoredCampaign]
) -> dict[str, dict[str, tuple[int, int]]]:
    """Return how far participants of several campaigns are in each, by name."""
    people: dict[str, dict[str, tuple[int, int]]] = {}
    for stored in every:
        counts = tasks.count_screens(db, stored.id)
        for judge in judges.list_judges(db, stored.id):
            if judge.person is not None:
                done = counts.get(judge.id, (0, 0))
                people.setdefault(judge.label, {})[stored.name] = done
    return people


_MOST = 500


@router.get("/admin/log")
def show_log(request: Request, _: Administering) -> Response:
    """Show the audit log of all campaigns."""
    with get_state(request).store.reading() as db:
        entries = audit.list_entries(db, what=_get_kind(request))
        names = {row[0]: row[1] for row in campaigns.list_campaigns(db)}
    return render_admin_page(request, "log.html", **_list_rows(entries, names))


@router.get("/admin/campaigns/{key}/log")
def show_history(visit: OfCampaign) -> Response:
    """Show the audit log of one campaign."""
    stored = visit.stored
    with visit.store.reading() as db:
        entries = audit.list_entries(db, stored.id, what=_get_kind(visit.request))
    return visit.render("log.html", **_list_rows(entries, {stored.id: stored.name}))


def _get_kind(request: Request) -> str:
    """Return what the log is asked for alone, such as exports; empty for everything."""
    return strip_unstorable(request.query_params.get("what", ""))


def _list_rows(
    entries: list[audit.AuditEntry], names: dict[str, str]
) -> dict[str, Any]:
    rows = [
        (entry, names.get(entry.campaign or "", ""), _format_entry(entry.data))
        for entry in entries[:_MOST]
    ]
    return {"rows": rows, "hidden": max(0, len(entries) - _MOST)}


def _format_entry(data: Any) -> str:
    """Format the details of a log entry.

    >>> _format_entry({"judge": "Ann", "files": ["a", "b"], "blind": True}), _format_entry(None)
    ('judge: Ann; files: a, b; blind: yes', '')
    """
    if not isinstance(data, dict):
        return "" if data is None else str(data)
    return "; ".join(f"{name}: {_format_value(value)}" for name, value in data.items())


def _format_value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


_SCREENS = 3


@router.get("/admin/campaigns/{key}/preview")
def show_preview(visit: OfCampaign) -> Response:
    """Show the first screens as judges will see them; nothing is stored."""
    stored, campaign = visit.stored, visit.stored.campaign
    with visit.store.reading() as db:
        first = tasks.list_campaign_tasks(db, stored.id, most=_SCREENS)
    places = [(one.task, number) for one in first for number in range(one.screens)]
    shown = []
    for task, number in places[:_SCREENS]:
        # Some screens omit a step.
        last = len(get_screen_protocol(campaign, task, number).steps) - 1
        shown.append(build_screen(campaign, task, number=number, step=last))
    wanted = visit.request.query_params.get("wording", "")
    wording = choose_campaign_wording(campaign, wanted)
    about = build_campaign_json(stored, wording)
    languages = [one.language for one in list_wordings(campaign)]
    return visit.render(
        "preview.html",
        wording=wording,
        wordings=[(code, get_language_name(code)) for code in languages],
        trial={
            "screens": shown,
            "protocol": build_protocol_json(campaign, wording),
            "source": about["source"],
            "target": about["target"],
        },
    )


@router.get("/admin")
def show_campaigns(request: Request, _: Administering) -> Response:
    """Show the list of campaigns, newest first."""
    rows = []
    with get_state(request).store.reading() as db:
        counts = tasks.count_states(db)
        for key, name, state, created_at in campaigns.list_campaigns(db):
            states = counts.get(key, Counter())
            row = {"id": key, "name": name, "state": state, "created_at": created_at}
            of = states.total() - states["passed"]
            rows.append(row | {"done": states["done"], "of": of})
    return render_admin_page(request, "campaigns.html", campaigns=rows)


#: Title and description of each format.
_ABOUT: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_name("exports.toml").read_text(encoding="utf-8")
)


@router.get("/admin/campaigns/{key}/export")
def show_exports(visit: OfCampaign, flagged: Flagged = "apart") -> Response:
    """Show the formats of downloads."""
    listed = _list_formats(visit)
    formats = [(form, *about) for form, about in _ABOUT.items() if form in listed]
    return visit.render("export.html", formats=formats, flagged=flagged)


@router.get("/admin/campaigns/{key}/export/{form}")
@pause_collection()
def download_export(
    visit: OfCampaign, form: str, flagged: Flagged = "apart"
) -> Response:
    """Return a file of judgements, and log the download."""
    stored = visit.stored
    if form not in _list_formats(visit):
        raise Refusal.not_found()
    with visit.store.reading() as db:
        keys = write_key_log(db, stored) if form in ("keys", "zip") else ""
    try:
        campaign = None if stored.imported else stored.campaign
        judgements = visit.read_judgements()
        file = export_judgements(form, judgements, campaign, keys=keys, flagged=flagged)
    except MetraError as error:
        return visit.render("export.html", formats=[], problem=str(error))
    except OSError as error:
        # A large export is written to the disk before it is sent.
        raise convert_error(error) from error
    about = visit.by | {"campaign": stored.id, "blind": stored.is_blind}
    with visit.store.transaction() as db:
        audit.add_export(db, form, file.size, rows=len(judgements), **about)
    name = quote(f"{stored.name}.{file.name}", safe="")
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{name}",
        "Content-Length": str(file.size),
    }
    return StreamingResponse(
        file.read_parts(), media_type=file.media_type, headers=headers
    )


def _list_formats(visit: CampaignVisit) -> tuple[str, ...]:
    campaign = visit.stored.campaign
    return list_formats(campaign.protocol.name, keys=campaign.settings.log_keys)
