"""Where judges are far apart: their answers side by side, and asking somebody else."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response

from metra.errors import MetraError
from metra.judging.disagreements import (
    APART,
    ask_others,
    disagreements,
    looked_again,
)
from metra.judging.second_looks import completed
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
_MOST_SHOWN = 50
_LIMITS = (10, 25, 50, 75)


@router.get("/admin/campaigns/{key}/disagreements")
def show(
    request: Request,
    key: str,
    session: Administering,
    apart: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    """List the outputs, the farthest apart first."""
    return _page(request, found(request, key), session.name, _limit(apart))


@router.post("/admin/campaigns/{key}/disagreements")
def create(
    request: Request,
    key: str,
    session: Administering,
    judges: Annotated[str, Form(max_length=2000)] = "",
    apart: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Let others judge them anew, in a campaign of its own."""
    stored = found(request, key)
    names = [name.strip() for name in judges.split(",") if name.strip()]
    house = state_of(request)
    limit = _limit(apart)
    try:
        with house.store.transaction() as db:
            new = ask_others(
                db,
                stored,
                disagreements(completed(db, stored), apart=limit),
                judges=tuple(dict.fromkeys(names)),
                now=house.clock(),
                who=session.name,
            )
    except MetraError as error:
        return _page(request, stored, session.name, limit, str(error))
    return redirect(f"/admin/campaigns/{new}")


def _limit(apart: str) -> float:
    return float(apart) if apart in map(str, _LIMITS) else APART


def _page(
    request: Request, stored: Stored, who: str, limit: float, problem: str = ""
) -> Response:
    rows = disagreements(shown_judgements(request, stored), apart=limit)
    names = shown_names(stored)
    with state_of(request).store.reading() as db:
        again = {
            (names.get(system, system), segment): mine
            for (system, segment), mine in looked_again(db, stored).items()
        }
    settings = stored.campaign.settings
    return admin_page(
        request,
        "disagreements.html",
        status=422 if problem else 200,
        stored=stored,
        who=who,
        blind=is_blind(stored),
        problem=problem,
        rows=rows[:_MOST_SHOWN],
        more=len(rows[_MOST_SHOWN:]),
        count=len(rows),
        again=again,
        limit=limit,
        limits=_LIMITS,
        languages=(settings.source_language, settings.target_language),
        can_ask=not stored.campaign.protocol.contrastive,
    )
