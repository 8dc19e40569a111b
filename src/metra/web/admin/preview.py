"""The first screens as judges will see them, with nothing kept."""

from fastapi import APIRouter, Request, Response

from metra.human import asking
from metra.human.campaign import Campaign
from metra.human.screen import screen
from metra.human.task import Task
from metra.human.wording import chosen
from metra.judging.wordings import wordings
from metra.store import tasks
from metra.web.admin.showing import admin_page, found
from metra.web.judge.describing import campaign_json, protocol_json
from metra.web.security.visitors import Administering
from metra.web.state import state_of
from metra.web.strings import language_name

router = APIRouter()
_SCREENS = 3


@router.get("/admin/campaigns/{key}/preview")
def show(request: Request, key: str, session: Administering) -> Response:
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
    return len(asking.asked(campaign, task, number).steps) - 1
