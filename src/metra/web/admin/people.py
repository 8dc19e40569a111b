"""Judges with their links, and the progress of a running campaign.

A link is shown once, when it is issued.
"""

from typing import Annotated

from fastapi import APIRouter, Form, Response
from markupsafe import Markup

from metra.campaign.judgement import MEASURED, build_campaign_scores, pause_collection
from metra.meta.answers import compute_status
from metra.report.pictures.campaign import draw_progress
from metra.store import campaigns, judges, tasks
from metra.store.judges import Judge
from metra.web.admin.frame import CampaignVisit, OfCampaign
from metra.web.replies import Refusal, get_state
from metra.web.visitors import CheckedRoute

router = APIRouter(prefix="/admin/campaigns/{key}", route_class=CheckedRoute)
_Key = Annotated[str, Form(max_length=100)]
_Word = Annotated[str, Form(max_length=20)]
_MOST_COMMENTS = 50


@router.get("/judges")
def show_people(visit: OfCampaign) -> Response:
    """Show the judges of a campaign."""
    return _render_people(visit, {})


@router.post("/judges/issue")
def issue_links(visit: OfCampaign, judge: _Key = "") -> Response:
    """Issue links for one judge or for all without one, and show them once."""
    # As configured, else as the admin reaches the app.
    base = (get_state(visit.request).base_url or str(visit.request.base_url)).rstrip(
        "/"
    )
    links: dict[str, str] = {}
    with visit.store.transaction() as db:
        if judge:
            wanted = [visit.find_judge(db, judge)]
        else:
            everybody = judges.list_judges(db, visit.stored.id)
            wanted = [one.id for one in everybody if _wants_link(one)]
        for one in wanted:
            links[one] = f"{base}/j/{judges.issue_link(db, one, **visit.by)}"
    return _render_people(visit, links)


@router.post("/judges/revoke")
def revoke_link(visit: OfCampaign, judge: _Key = "") -> Response:
    """Revoke a judge's link."""
    with visit.store.transaction() as db:
        judges.revoke_link(db, visit.find_judge(db, judge), **visit.by)
    return visit.redirect("/judges")


@router.post("/judges/note")
def save_note(
    visit: OfCampaign,
    judge: _Key = "",
    text: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Store a note about a judge."""
    with visit.store.transaction() as db:
        judges.set_note(db, visit.find_judge(db, judge), text)
    return visit.redirect("/judges")


@router.post("/judges/forget")
def forget_judge(
    visit: OfCampaign, judge: _Key = "", what: _Word = "", sure: _Word = ""
) -> Response:
    """Delete a judge's name, or also their answers, and log it."""
    if what not in ("name", "answers"):
        raise Refusal(422, "Choose what to delete: the name, or also the answers.")
    if sure != "yes":
        raise Refusal(422, "Confirm the deletion: it cannot be undone.")
    with visit.store.transaction() as db:
        target = visit.find_judge(db, judge)
        if what == "answers":
            judges.delete_answers(db, target, **visit.by)
        judges.anonymise_judge(db, target, **visit.by)
    return visit.redirect("/judges")


def _wants_link(judge: Judge) -> bool:
    gone = judge.revoked_at is not None or judge.anonymised_at is not None
    return not judge.has_link and not gone


def _render_people(visit: CampaignVisit, links: dict[str, str]) -> Response:
    stored = visit.stored
    with visit.store.reading() as db:
        everybody = judges.list_judges(db, stored.id)
    without = 0 if stored.imported else sum(map(_wants_link, everybody))
    return visit.render(
        "judges.html", judges=everybody, links=links, without_link=without
    )


@router.get("")
@pause_collection()
def show_monitor(visit: OfCampaign) -> Response:
    """Show progress, pace, attention checks and agreement."""
    stored = visit.stored
    judgements = visit.read_judgements((*MEASURED, "comment"))
    looked = compute_status(judgements, build_campaign_scores(judgements))
    with visit.store.reading() as db:
        counts = tasks.count_screens(db, stored.id)
        everybody = judges.list_judges(db, stored.id)
    done, of = (sum(count[at] for count in counts.values()) for at in (0, 1))
    return visit.render(
        "monitor.html",
        judges=everybody,
        counts=counts,
        done=done,
        of=of,
        so_far=looked,
        comments=looked.comments[:_MOST_COMMENTS],
        more_comments=max(0, len(looked.comments) - _MOST_COMMENTS),
        bar=Markup(draw_progress(done, of)),
    )


@router.post("/state")
def set_state(visit: OfCampaign, state: _Word = "") -> Response:
    """Open, pause or close the campaign."""
    if state not in ("open", "paused", "closed"):
        raise Refusal(422, "A campaign can be opened, paused or closed.")
    with visit.store.transaction() as db:
        campaigns.set_state(db, visit.stored.id, state, **visit.by)
    return visit.redirect()


@router.post("/unblind")
def unblind_campaign(visit: OfCampaign) -> Response:
    """Show system names from now on, and log it."""
    with visit.store.transaction() as db:
        campaigns.unblind_campaign(db, visit.stored.id, **visit.by)
    return visit.redirect("/results")


@router.post("/release")
def release_tasks(visit: OfCampaign, judge: _Key = "") -> Response:
    """Release a judge's unfinished tasks to others."""
    with visit.store.transaction() as db:
        judges.release_tasks(db, visit.find_judge(db, judge), **visit.by)
    return visit.redirect()
