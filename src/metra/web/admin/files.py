"""Downloads of a campaign's judgements."""

import tomllib
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter, Response
from starlette.responses import StreamingResponse

from metra.campaign.judgement import pause_collection
from metra.errors import MetraError
from metra.report.campaign_files import export_judgements, list_formats
from metra.scores.selection import Flagged
from metra.store import audit
from metra.store.database import convert_error
from metra.store.events import write_key_log
from metra.web.admin.frame import CampaignVisit, OfCampaign
from metra.web.replies import Refusal
from metra.web.visitors import CheckedRoute

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
