"""One campaign while it runs: how far everybody is, and whether it goes well."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from markupsafe import Markup

from metra.judging.monitoring import JudgeSoFar, so_far
from metra.report.campaign_pictures import progress_picture
from metra.store import campaigns, judges, screens
from metra.store.judges import Judge
from metra.store.progress import Progress, progress
from metra.web.admin.showing import admin_page, found, judge_of, shown_judgements
from metra.web.pages import redirect
from metra.web.refusals import Refusal
from metra.web.security.visitors import Administering
from metra.web.state import state_of

router = APIRouter()
_MOST_COMMENTS = 50


@dataclass(frozen=True, slots=True)
class Row:
    """A judge on the page."""

    judge: Judge
    progress: Progress
    so_far: JudgeSoFar | None


@router.get("/admin/campaigns/{key}")
def show(request: Request, key: str, session: Administering) -> Response:
    """Show progress, pace, checks and agreement."""
    stored = found(request, key)
    looked = so_far(shown_judgements(request, stored))
    with state_of(request).store.reading() as db:
        rows = [
            Row(
                judge,
                progress(db, stored, judge.id, screens.way(db, judge.id)),
                looked.judges.get(judge.label),
            )
            for judge in judges.of_campaign(db, stored.id)
        ]
    done = sum(row.progress.done for row in rows)
    of = sum(row.progress.of for row in rows)
    return admin_page(
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
        bar=Markup(progress_picture(done, of)),
    )


@router.post("/admin/campaigns/{key}/state")
def set_state(
    request: Request,
    key: str,
    session: Administering,
    state: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Open, pause or close the campaign."""
    stored = found(request, key)
    if state not in ("open", "paused", "closed"):
        raise Refusal(422, "A campaign can be opened, paused or closed.")
    house = state_of(request)
    with house.store.transaction() as db:
        campaigns.set_state(db, stored.id, state, now=house.clock(), who=session.name)
    return redirect(f"/admin/campaigns/{stored.id}")


@router.post("/admin/campaigns/{key}/unblind")
def unblind(request: Request, key: str, session: Administering) -> Response:
    """Show the systems' names from now on; that is written down."""
    stored = found(request, key)
    house = state_of(request)
    with house.store.transaction() as db:
        campaigns.unblind(db, stored.id, now=house.clock(), who=session.name)
    return redirect(f"/admin/campaigns/{stored.id}/results")


@router.post("/admin/campaigns/{key}/release")
def release(
    request: Request,
    key: str,
    session: Administering,
    judge: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Let others take over what a judge has not done."""
    stored = found(request, key)
    house = state_of(request)
    with house.store.transaction() as db:
        mine = judge_of(db, stored, judge)
        judges.release(db, mine.id, now=house.clock(), who=session.name)
    return redirect(f"/admin/campaigns/{stored.id}")
