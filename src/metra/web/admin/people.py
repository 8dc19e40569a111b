"""Judges and their links: a link is shown once, and never again.

One campaign while it runs: how far everybody is, and whether it goes well.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from markupsafe import Markup

from metra.campaign.monitoring import JudgeStatus, compute_status
from metra.report.pictures.campaign import draw_progress
from metra.store import campaigns, judges, screens
from metra.store.assignment import JudgeProgress, compute_progress
from metra.store.campaigns import StoredCampaign
from metra.store.judges import Judge
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
    """List the judges."""
    return _render_people(request, find_stored_campaign(request, key), session.name, {})


@router.post("/admin/campaigns/{key}/judges/issue")
def issue_links(
    request: Request, key: str, session: Administering, judge: _Key = ""
) -> Response:
    """Make a link for one judge, or for all who have none, and show it this once."""
    stored = find_stored_campaign(request, key)
    house = get_state(request)
    links: dict[str, str] = {}
    with house.store.transaction() as db:
        everybody = judges.list_judges(db, stored.id)
        wanted = (
            [one for one in everybody if one.id == judge]
            if judge
            else [one for one in everybody if _wants_link(one)]
        )
        if judge and not wanted:
            raise Refusal.not_found()
        for one in wanted:
            token = judges.issue_link(db, one.id, now=house.clock(), who=session.name)
            links[one.id] = f"{_get_base_url(request)}/j/{token}"
    return _render_people(request, stored, session.name, links)


@router.post("/admin/campaigns/{key}/judges/revoke")
def revoke_link(
    request: Request, key: str, session: Administering, judge: _Key = ""
) -> Response:
    """Take a judge's link back."""
    stored = find_stored_campaign(request, key)
    house = get_state(request)
    with house.store.transaction() as db:
        mine = find_campaign_judge(db, stored, judge)
        judges.revoke_link(db, mine.id, now=house.clock(), who=session.name)
    return redirect_to(f"/admin/campaigns/{stored.id}/judges")


@router.post("/admin/campaigns/{key}/judges/note")
def save_note(
    request: Request,
    key: str,
    session: Administering,
    judge: _Key = "",
    text: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Keep a note about a judge."""
    del session  # that there is one is enough
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
    """Forget who a judge was, or also what she answered; that is written down."""
    stored = find_stored_campaign(request, key)
    if what not in ("name", "answers"):
        raise Refusal(422, "A judge's name can be forgotten, or also the answers.")
    if sure != "yes":
        raise Refusal(422, "Say that you are sure: this cannot be undone.")
    house = get_state(request)
    with house.store.transaction() as db:
        mine = find_campaign_judge(db, stored, judge)
        now, who = house.clock(), session.name
        if what == "answers":
            judges.delete_answers(db, mine.id, now=now, who=who)
        judges.anonymise_judge(db, mine.id, now=now, who=who)
    return redirect_to(f"/admin/campaigns/{stored.id}/judges")


def _wants_link(judge: Judge) -> bool:
    gone = judge.revoked_at is not None or judge.anonymised_at is not None
    return not judge.has_link and not gone


def _get_base_url(request: Request) -> str:
    """How judges reach the server: as we were told, else as the admin does."""
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
    """A judge on the page."""

    judge: Judge
    progress: JudgeProgress
    so_far: JudgeStatus | None


@router.get("/admin/campaigns/{key}")
def show_monitor(request: Request, key: str, session: Administering) -> Response:
    """Show progress, pace, checks and agreement."""
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
    house = get_state(request)
    with house.store.transaction() as db:
        campaigns.set_state(db, stored.id, state, now=house.clock(), who=session.name)
    return redirect_to(f"/admin/campaigns/{stored.id}")


@router.post("/admin/campaigns/{key}/unblind")
def unblind_campaign(request: Request, key: str, session: Administering) -> Response:
    """Show the systems' names from now on; that is written down."""
    stored = find_stored_campaign(request, key)
    house = get_state(request)
    with house.store.transaction() as db:
        campaigns.unblind_campaign(db, stored.id, now=house.clock(), who=session.name)
    return redirect_to(f"/admin/campaigns/{stored.id}/results")


@router.post("/admin/campaigns/{key}/release")
def release_tasks(
    request: Request,
    key: str,
    session: Administering,
    judge: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Let others take over what a judge has not done."""
    stored = find_stored_campaign(request, key)
    house = get_state(request)
    with house.store.transaction() as db:
        mine = find_campaign_judge(db, stored, judge)
        judges.release_tasks(db, mine.id, now=house.clock(), who=session.name)
    return redirect_to(f"/admin/campaigns/{stored.id}")
