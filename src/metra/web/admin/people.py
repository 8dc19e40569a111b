"""Judges and their links: a link is shown once, and never again."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from metra.store import forgetting, judges
from metra.store.campaigns import Stored
from metra.store.judges import Judge
from metra.web.admin.showing import admin_page, found, judge_of
from metra.web.pages import redirect
from metra.web.refusals import Refusal
from metra.web.security.visitors import Administering
from metra.web.state import state_of

router = APIRouter()
_Key = Annotated[str, Form(max_length=100)]


@router.get("/admin/campaigns/{key}/judges")
def show(request: Request, key: str, session: Administering) -> Response:
    """List the judges."""
    return _page(request, found(request, key), session.name, {})


@router.post("/admin/campaigns/{key}/judges/issue")
def issue(
    request: Request, key: str, session: Administering, judge: _Key = ""
) -> Response:
    """Make a link for one judge, or for all who have none, and show it this once."""
    stored = found(request, key)
    house = state_of(request)
    links: dict[str, str] = {}
    with house.store.transaction() as db:
        everybody = judges.of_campaign(db, stored.id)
        wanted = (
            [one for one in everybody if one.id == judge]
            if judge
            else [one for one in everybody if _wants_link(one)]
        )
        if judge and not wanted:
            raise Refusal.not_found()
        for one in wanted:
            token = judges.issue(db, one.id, now=house.clock(), who=session.name)
            links[one.id] = f"{_base(request)}/j/{token}"
    return _page(request, stored, session.name, links)


@router.post("/admin/campaigns/{key}/judges/revoke")
def revoke(
    request: Request, key: str, session: Administering, judge: _Key = ""
) -> Response:
    """Take a judge's link back."""
    stored = found(request, key)
    house = state_of(request)
    with house.store.transaction() as db:
        mine = judge_of(db, stored, judge)
        judges.revoke(db, mine.id, now=house.clock(), who=session.name)
    return redirect(f"/admin/campaigns/{stored.id}/judges")


@router.post("/admin/campaigns/{key}/judges/note")
def note(
    request: Request,
    key: str,
    session: Administering,
    judge: _Key = "",
    text: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Keep a note about a judge."""
    del session  # that there is one is enough
    stored = found(request, key)
    with state_of(request).store.transaction() as db:
        judges.set_note(db, judge_of(db, stored, judge).id, text)
    return redirect(f"/admin/campaigns/{stored.id}/judges")


@router.post("/admin/campaigns/{key}/judges/forget")
def forget(
    request: Request,
    key: str,
    session: Administering,
    judge: _Key = "",
    what: Annotated[str, Form(max_length=20)] = "",
    sure: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Forget who a judge was, or also what she answered; that is written down."""
    stored = found(request, key)
    if what not in ("name", "answers"):
        raise Refusal(422, "A judge's name can be forgotten, or also the answers.")
    if sure != "yes":
        raise Refusal(422, "Say that you are sure: this cannot be undone.")
    house = state_of(request)
    with house.store.transaction() as db:
        mine = judge_of(db, stored, judge)
        now, who = house.clock(), session.name
        if what == "answers":
            forgetting.delete_answers(db, mine.id, now=now, who=who)
        forgetting.anonymise(db, mine.id, now=now, who=who)
    return redirect(f"/admin/campaigns/{stored.id}/judges")


def _wants_link(judge: Judge) -> bool:
    gone = judge.revoked_at is not None or judge.anonymised_at is not None
    return not judge.has_link and not gone


def _base(request: Request) -> str:
    """How judges reach the server: as we were told, else as the admin does."""
    return (state_of(request).base_url or str(request.base_url)).rstrip("/")


def _page(
    request: Request, stored: Stored, who: str, links: dict[str, str]
) -> Response:
    with state_of(request).store.reading() as db:
        everybody = judges.of_campaign(db, stored.id)
    return admin_page(
        request,
        "judges.html",
        stored=stored,
        who=who,
        judges=everybody,
        links=links,
        without_link=0 if stored.imported else sum(map(_wants_link, everybody)),
    )
