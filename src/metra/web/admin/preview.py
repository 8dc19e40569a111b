"""The first screens as judges will see them, with nothing kept."""

from fastapi import APIRouter, Request, Response

from metra.human.screen import screen
from metra.store import tasks
from metra.web.admin.showing import admin_page, found
from metra.web.judge.describing import campaign_json, protocol_json
from metra.web.security.visitors import Administering
from metra.web.state import state_of

router = APIRouter()
_SCREENS = 3


@router.get("/admin/campaigns/{key}/preview")
def show(request: Request, key: str, session: Administering) -> Response:
    """Draw some screens of the first judge, with all their questions."""
    stored = found(request, key)
    campaign = stored.campaign
    with state_of(request).store.reading() as db:
        first = tasks.of_campaign(db, stored.id)[:_SCREENS]
    last = len(campaign.protocol.steps) - 1
    shown = [
        screen(campaign, one.task, number=number, step=last)
        for one in first
        for number in range(one.screens)
    ][:_SCREENS]
    about = campaign_json(stored)
    protocol = protocol_json(campaign.protocol, campaign.settings.target_language)
    return admin_page(
        request,
        "preview.html",
        stored=stored,
        who=session.name,
        trial={
            "screens": shown,
            "protocol": protocol,
            "source": about["source"],
            "target": about["target"],
        },
    )
