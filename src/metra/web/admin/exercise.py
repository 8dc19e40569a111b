"""The collective exercise over several campaigns: evaluators and metrics on one page."""

from fastapi import APIRouter, Request, Response

from metra.judging.exercise import Exercise, exercise, of_text_scores
from metra.judging.exporting import zipped
from metra.judging.second_looks import FIRST, completed
from metra.judging.text_scores import text_scores
from metra.store import campaigns
from metra.store.campaigns import Stored
from metra.web.admin.showing import admin_page, is_blind
from metra.web.refusals import Refusal
from metra.web.security.visitors import Administering
from metra.web.state import state_of

router = APIRouter()


@router.get("/admin/exercise")
def show(request: Request, session: Administering) -> Response:
    """Compare what the chosen campaigns found; names must no longer be hidden."""
    known, chosen, found = _found(request)
    return admin_page(
        request,
        "exercise.html",
        who=session.name,
        known=known,
        chosen=chosen,
        found=found,
        query=request.url.query,
    )


@router.get("/admin/exercise/tables.zip")
def download(request: Request, session: Administering) -> Response:
    """The tables of the exercise as files."""
    del session  # that there is one is enough
    _, _, found = _found(request)
    if found is None:
        raise Refusal.not_found()
    headers = {"Content-Disposition": 'attachment; filename="exercise.zip"'}
    packed = zipped(found.tables())
    return Response(packed, media_type="application/zip", headers=headers)


def _found(request: Request) -> tuple[list[Stored], set[str], Exercise | None]:
    with state_of(request).store.reading() as db:
        every = [campaigns.existing(db, entry[0]) for entry in campaigns.listed(db)]
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
            for result in of_text_scores(text_scores(completed(db, one)))
        ]
    return known, chosen, exercise(results) if results else None
