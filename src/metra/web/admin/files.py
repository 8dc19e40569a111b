"""Downloads of a campaign's judgements, and import of judgements made elsewhere."""

import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.responses import StreamingResponse

from metra.campaign.imports import (
    parse_judgements,
    recognise_upload,
    split_language_pair,
)
from metra.campaign.judgement import pause_collection
from metra.errors import MetraError
from metra.report.campaign_files import export_judgements, list_formats
from metra.scores.selection import Flagged
from metra.store import audit, imported
from metra.store.access import Session
from metra.store.database import convert_error
from metra.store.events import write_key_log
from metra.web.admin.frame import (
    CampaignVisit,
    OfCampaign,
    get_field,
    read_files,
    render_admin_page,
)
from metra.web.replies import Refusal, get_state, redirect_to
from metra.web.visitors import Administering, CheckedRoute

router = APIRouter(route_class=CheckedRoute)
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


_MOST_FILES = 20
_PROTOCOLS = ("da", "da-sqm", "esa", "mqm")


@router.get("/admin/campaigns/import")
def show_import(request: Request, _: Administering) -> Response:
    """Show the form for files to import."""
    return _render_import(request, {})


@router.post("/admin/campaigns/import")
async def import_files(request: Request, session: Administering) -> Response:
    """Import the campaigns of the files: all of them or, with a reason, none."""
    async with request.form(max_files=_MOST_FILES) as form:
        sent = await read_files(form, "files")
    # Slow work runs in a thread, so that judges need not wait for it.
    return await run_in_threadpool(_import_files, request, session, form, sent)


def _import_files(
    request: Request, session: Session, form: FormData, sent: list[tuple[str, bytes]]
) -> Response:
    fields = ("name", "lang", "protocol")
    typed = {name: get_field(form, name).strip() for name in fields}
    if not sent:
        return _render_import(request, typed, "Choose at least one file.")
    state = get_state(request)
    try:
        judgements = parse_judgements(
            [recognise_upload(name, content) for name, content in sent],
            languages=split_language_pair(typed["lang"] or None),
            protocol=typed["protocol"] or None,
        )
        with state.store.transaction() as db:
            kept = imported.import_campaigns(
                db,
                judgements,
                files=[name for name, _ in sent],
                now=state.clock(),
                who=session.name,
                name=typed["name"] or None,
            )
    except MetraError as error:
        return _render_import(request, typed, str(error))
    [first, *more] = kept.values()
    return redirect_to("/admin" if more else f"/admin/campaigns/{first.id}/results")


def _render_import(
    request: Request, typed: dict[str, str], problem: str = ""
) -> Response:
    shown: dict[str, Any] = {"typed": typed, "protocols": _PROTOCOLS}
    return render_admin_page(request, "import.html", problem=problem, **shown)
