"""Scores of texts, what has no score and why, and campaigns that settle what is open."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from metra.errors import MetraError
from metra.human.prefilled import changes
from metra.judging.measured import measured
from metra.judging.second_looks import completed, follow_up, second_looks, waiting
from metra.store import answers, campaigns
from metra.store.campaigns import Stored
from metra.web.admin.showing import (
    admin_page,
    found,
    is_blind,
    shown_judgements,
    shown_names,
)
from metra.web.pages import redirect
from metra.web.security.visitors import Administering
from metra.web.state import state_of

router = APIRouter()
_MOST_SHOWN = 100


@router.get("/admin/campaigns/{key}/measures")
def show(request: Request, key: str, session: Administering) -> Response:
    """What there is beside the ranking."""
    return _page(request, found(request, key), session.name)


@router.post("/admin/campaigns/{key}/second-look")
def create(
    request: Request,
    key: str,
    session: Administering,
    judges: Annotated[str, Form(max_length=2000)] = "",
    each: Annotated[int, Form(ge=1, le=20)] = 1,
) -> Response:
    """Make a campaign that settles what this one left open."""
    stored = found(request, key)
    names = [name.strip() for name in judges.split(",") if name.strip()]
    house = state_of(request)
    try:
        with house.store.transaction() as db:
            number = len(second_looks(db, stored)) + 1
            made = follow_up(
                stored,
                completed(db, stored),
                judges=tuple(dict.fromkeys(names)),
                each=each,
                name=f"{stored.name}: second look {number}",
            )
            new = campaigns.create(db, made, now=house.clock(), who=session.name)
    except MetraError as error:
        return _page(request, stored, session.name, str(error))
    return redirect(f"/admin/campaigns/{new}")


def _page(request: Request, stored: Stored, who: str, problem: str = "") -> Response:
    judgements = shown_judgements(request, stored)
    with state_of(request).store.reading() as db:
        looks = second_looks(db, stored)
        own = answers.judgements(db, stored) if stored.campaign.material else []
    found = measured(stored.campaign, judgements)
    return admin_page(
        request,
        "measures.html",
        status=422 if problem else 200,
        stored=stored,
        who=who,
        blind=is_blind(stored),
        problem=problem,
        measured=found,
        undefined=found.undefined[:_MOST_SHOWN],
        more_undefined=len(found.undefined[_MOST_SHOWN:]),
        waiting=waiting(stored.campaign, judgements),
        looks=looks,
        prefilled=changes(stored.campaign, own),
        names=shown_names(stored),
    )
