"""Judges with their links, and the progress of a running campaign.

A link is shown once, when it is issued.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from markupsafe import Markup

from metra.campaign.monitoring import JudgeStatus, compute_status
from metra.report.pictures.campaign import draw_progress
from metra.store import campaigns, judges, screens
from metra.store.campaigns import StoredCampaign
from metra.store.judges import Judge
from metra.store.screens import JudgeProgress, compute_progress
from metra.web.admin.frame import (
    find_campaign_judge,
    find_stored_campaign,
    read_visible_judgements,
    render_admin_page,
)
from metra.web.pages import redirect_to
from metra.web.security.visitors import Administering
from metra.web.state import Refusal, get_state

router = APIRouter()
_Key = Annotated[str, Form(max_length=100)]


@router.get("/admin/campaigns/{key}/judges")
def show_people(request: Request, key: str, session: Administering) -> Response:
    """Show the judges of a campaign."""
    return _render_people(request, find_stored_campaign(request, key), session.name, {})


@router.post("/admin/campaigns/{key}/judges/issue")
def issue_links(
    request: Request, key: str, session: Administering, judge: _Key = ""
) -> Response:
    """Issue links for one judge or for all without one, and show them once."""
    stored = find_stored_campaign(request, key)
    app_state = get_state(request)
    links: dict[str, str] = {}
    with app_state.store.transaction() as db:
        everybody = judges.list_judges(db, stored.id)
        wanted = (
            [one for one in everybody if one.id == judge]
            if judge
            else [one for one in everybody if _wants_link(one)]
        )
        if judge and not wanted:
            raise Refusal.not_found()
        for one in wanted:
            token = judges.issue_link(
                db, one.id, now=app_state.clock(), who=session.name
            )
            links[one.id] = f"{_get_base_url(request)}/j/{token}"
    return _render_people(request, stored, session.name, links)


@router.post("/admin/campaigns/{key}/judges/revoke")
def revoke_link(
    request: Request, key: str, session: Administering, judge: _Key = ""
) -> Response:
    """Revoke a judge's link."""
    stored = find_stored_campaign(request, key)
    app_state = get_state(request)
    with app_state.store.transaction() as db:
        target = find_campaign_judge(db, stored, judge)
        judges.revoke_link(db, target.id, now=app_state.clock(), who=session.name)
    return redirect_to(f"/admin/campaigns/{stored.id}/judges")


@router.post("/admin/campaigns/{key}/judges/note")
def save_note(
    request: Request,
    key: str,
    session: Administering,
    judge: _Key = "",
    text: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Store a note about a judge."""
    del session  # only checked
    stored = find_stored_campaign(request, key)
    with get_state(request).store.transaction() as db:
        judges.set_note(db, find_campaign_judge(db, stored, judge).id, text)
    return redirect_to(f"/admin/campaigns/{stored.id}/judges")


@router.post("/admin/campaigns/{key}/judges/forget")
def forget_judge(
    request: Request,
    key: str,
    session: Administering,
    judge: _Key = "",
    what: Annotated[str, Form(max_length=20)] = "",
    sure: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Delete a judge's name, or also their answers, and log it."""
    stored = find_stored_campaign(request, key)
    if what not in ("name", "answers"):
        raise Refusal(422, "A judge's name can be forgotten, or also the answers.")
    if sure != "yes":
        raise Refusal(422, "Say that you are sure: this cannot be undone.")
    app_state = get_state(request)
    with app_state.store.transaction() as db:
        target = find_campaign_judge(db, stored, judge)
        now, who = app_state.clock(), session.name
        if what == "answers":
            judges.delete_answers(db, target.id, now=now, who=who)
        judges.anonymise_judge(db, target.id, now=now, who=who)
    return redirect_to(f"/admin/campaigns/{stored.id}/judges")


def _wants_link(judge: Judge) -> bool:
    gone = judge.revoked_at is not None or judge.anonymised_at is not None
    return not judge.has_link and not gone


def _get_base_url(request: Request) -> str:
    """Return the URL of the app for judges: as configured, else as the admin uses it."""
    return (get_state(request).base_url or str(request.base_url)).rstrip("/")


def _render_people(
    request: Request, stored: StoredCampaign, who: str, links: dict[str, str]
) -> Response:
    with get_state(request).store.reading() as db:
        everybody = judges.list_judges(db, stored.id)
    return render_admin_page(
        request,
        "judges.html",
        stored=stored,
        who=who,
        judges=everybody,
        links=links,
        without_link=0 if stored.imported else sum(map(_wants_link, everybody)),
    )


_MOST_COMMENTS = 50


@dataclass(frozen=True, slots=True)
class JudgeListing:
    """A judge with their progress and status."""

    judge: Judge
    progress: JudgeProgress
    so_far: JudgeStatus | None


@router.get("/admin/campaigns/{key}")
def show_monitor(request: Request, key: str, session: Administering) -> Response:
    """Show progress, pace, attention checks and agreement."""
    stored = find_stored_campaign(request, key)
    looked = compute_status(read_visible_judgements(request, stored))
    with get_state(request).store.reading() as db:
        rows = [
            JudgeListing(
                judge,
                compute_progress(
                    db, stored, judge.id, screens.list_screens(db, judge.id)
                ),
                looked.judges.get(judge.label),
            )
            for judge in judges.list_judges(db, stored.id)
        ]
    done = sum(row.progress.done for row in rows)
    of = sum(row.progress.of for row in rows)
    return render_admin_page(
        request,
        "monitor.html",
        stored=stored,
        who=session.name,
        rows=rows,
        done=done,
        of=of,
        so_far=looked,
        comments=looked.comments[:_MOST_COMMENTS],
        more_comments=max(0, len(looked.comments) - _MOST_COMMENTS),
        bar=Markup(draw_progress(done, of)),
    )


@router.post("/admin/campaigns/{key}/state")
def set_state(
    request: Request,
    key: str,
    session: Administering,
    state: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Open, pause or close the campaign."""
    stored = find_stored_campaign(request, key)
    if state not in ("open", "paused", "closed"):
        raise Refusal(422, "A campaign can be opened, paused or closed.")
    app_state = get_state(request)
    with app_state.store.transaction() as db:
        campaigns.set_state(
            db, stored.id, state, now=app_state.clock(), who=session.name
        )
    return redirect_to(f"/admin/campaigns/{stored.id}")


@router.post("/admin/campaigns/{key}/unblind")
def unblind_campaign(request: Request, key: str, session: Administering) -> Response:
    """Show system names from now on, and log it."""
    stored = find_stored_campaign(request, key)
    app_state = get_state(request)
    with app_state.store.transaction() as db:
        campaigns.unblind_campaign(
            db, stored.id, now=app_state.clock(), who=session.name
        )
    return redirect_to(f"/admin/campaigns/{stored.id}/results")


@router.post("/admin/campaigns/{key}/release")
def release_tasks(
    request: Request,
    key: str,
    session: Administering,
    judge: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Release a judge's unfinished tasks to others."""
    stored = find_stored_campaign(request, key)
    app_state = get_state(request)
    with app_state.store.transaction() as db:
        target = find_campaign_judge(db, stored, judge)
        judges.release_tasks(db, target.id, now=app_state.clock(), who=session.name)
    return redirect_to(f"/admin/campaigns/{stored.id}")
