"""A judge's pages: the link, consent, guide, work, done.

Coming in: the secret of a judge's link for a session.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response

from metra.campaign.own_wording import wording_for
from metra.campaign.protocols.edit import Edit
from metra.campaign.wording import Wording
from metra.store import access, audit, campaigns, judges, screens
from metra.store.access import Session
from metra.store.assignment import progress
from metra.store.campaigns import Stored
from metra.web.judge.describing import campaign_json, guide_json, protocol_json
from metra.web.pages import json_reply, language_of, page, redirect
from metra.web.security.limits import address_of
from metra.web.security.visitors import (
    Judging,
    Visit,
    drop_session,
    put_language,
    put_session,
    session_of,
)
from metra.web.state import Refusal, state_of
from metra.web.strings import LANGUAGES

_MOST_FAILURES = 30


def enter(request: Request, secret: str) -> tuple[str, Session]:
    """Begin a judge's session in place of the browser's old one.

    A right secret always opens: nobody can shut judges out by guessing. Wrong ones are
    counted, and refused without a look once there are too many.
    """
    state = state_of(request)
    now = state.clock()
    old = session_of(request, "judge")
    key = f"link {address_of(request)}"
    with state.store.transaction() as db:
        judge = judges.by_token(db, secret)
        if judge is not None:
            if old is not None:
                access.end(db, old)
            begun = access.begin(db, "judge", now=now, judge=judge.id)
            audit.note(db, judge.label, "sign in", now=now, campaign=judge.campaign)
            return begun
        failures = access.count(db, key, now=now)
        if failures < _MOST_FAILURES:
            access.add(db, key, now=now)
    if failures >= _MOST_FAILURES:
        wait = {"Retry-After": str(int(access.WINDOW_SECONDS))}
        raise Refusal(429, "Too many wrong links; wait five minutes.", headers=wait)
    raise Refusal(404, "This link does not work; ask for a new one.", reason="link")


router = APIRouter(include_in_schema=False)
_LEVELS = ("native", "fluent", "good", "little")
_Field = Annotated[str, Form(max_length=200)]


@router.get("/")
def home(request: Request) -> Response:
    """Say where to go."""
    return page(request, "judge/message.html", message="home")


@router.get("/health")
def health(request: Request) -> Response:
    """Say that the server and its store answer."""
    with state_of(request).store.reading() as db:
        campaigns.count(db)
    return json_reply({"ok": True})


@router.get("/j/{token}")
def link(request: Request, token: str) -> Response:
    """A button and nothing else: mail scanners that follow the link change nothing."""
    with state_of(request).store.reading() as db:
        judge = judges.by_token(db, token)
        stored = None if judge is None else campaigns.find(db, judge.campaign)
    if stored is None:
        return page(request, "judge/message.html", status=404, message="unknown_link")
    words = _titled(request, stored)
    return page(request, "judge/start.html", **words, action=f"/j/{token}")


@router.post("/j/{token}")
def start(request: Request, token: str) -> Response:
    """Swap the link's secret for a cookie, and leave the address that holds it."""
    secret, _ = enter(request, token)
    reply = redirect("/judge")
    put_session(request, reply, "judge", secret)
    return reply


@router.get("/judge")
def stage(request: Request, visit: Judging) -> Response:
    """Send the judge to where she is."""
    stored = _stored(request, visit)
    if stored.state in ("draft", "paused", "closed"):
        name = "closed" if stored.state == "closed" else "paused"
        return page(request, "judge/message.html", message=name)
    if visit.judge.consent_at is None:
        return redirect("/judge/consent")
    if visit.judge.guide_at is None:
        return redirect("/judge/guide")
    return redirect("/judge/done" if _is_done(request, visit) else "/judge/work")


@router.get("/judge/consent")
def show_consent(request: Request, visit: Judging) -> Response:
    """Who runs it, what is recorded, and the question whether the judge agrees."""
    stored = _stored(request, visit)
    with state_of(request).store.reading() as db:
        way = screens.way(db, visit.judge.id)
        planned = progress(db, stored, visit.judge.id, way)
    wording = _wording(request, stored)
    return page(
        request,
        "judge/consent.html",
        **campaign_json(stored, wording),
        wording=wording,
        basis=stored.campaign.protocol.basis,
        screens=planned.of,
        minutes=planned.minutes_left,
        counts_keys=any(
            isinstance(step.asks, Edit) for step in stored.campaign.protocol.steps
        ),
        log_keys=stored.campaign.settings.log_keys,
        organiser=stored.campaign.settings.organiser,
        contact=stored.campaign.settings.contact,
    )


@router.post("/judge/consent")
def consent(
    request: Request,
    visit: Judging,
    agree: _Field = "",
    target_level: _Field = "",
    source_level: _Field = "",
) -> Response:
    """Keep the consent."""
    if agree != "yes":
        return redirect("/judge/consent")
    levels = {"target_level": target_level, "source_level": source_level}
    profile = {name: level for name, level in levels.items() if level in _LEVELS}
    state = state_of(request)
    with state.store.transaction() as db:
        judges.consent(db, visit.judge.id, now=state.clock(), profile=profile)
    return redirect("/judge")


@router.get("/judge/guide")
def show_guide(request: Request, visit: Judging) -> Response:
    """How to judge, with examples to try."""
    if visit.judge.consent_at is None:
        return redirect("/judge/consent")
    stored = _stored(request, visit)
    asked = stored.campaign.protocol
    target = stored.campaign.settings.target_language
    wording = _wording(request, stored)
    return page(
        request,
        "judge/guide.html",
        **campaign_json(stored, wording),
        wording=wording,
        guide=guide_json(wording),
        protocol=protocol_json(asked, target, wording),
        seen=visit.judge.guide_at is not None,
    )


@router.post("/judge/guide")
def guided(request: Request, visit: Judging) -> Response:
    """Keep that the judge has been through the guide."""
    if visit.judge.consent_at is None:
        return redirect("/judge/consent")
    state = state_of(request)
    with state.store.transaction() as db:
        judges.guided(db, visit.judge.id, now=state.clock())
    return redirect("/judge")


@router.get("/judge/work")
def work(request: Request, visit: Judging) -> Response:
    """The frame that the judge works in; scripts fill it."""
    if visit.judge.consent_at is None or visit.judge.guide_at is None:
        return redirect("/judge")
    return page(request, "judge/work.html", **_titled(request, _stored(request, visit)))


@router.get("/judge/done")
def done(request: Request, visit: Judging) -> Response:
    """Thank the judge and give the completion code."""
    if not _is_done(request, visit):
        return redirect("/judge")
    words = _titled(request, _stored(request, visit))
    code = visit.judge.completion_code
    return page(request, "judge/done.html", **words, code=code)


@router.post("/judge/leave")
def leave(request: Request, visit: Judging) -> Response:
    """End the session; the link brings the judge back."""
    state = state_of(request)
    with state.store.transaction() as db:
        access.end(db, visit.session)
        audit.note(
            db,
            visit.judge.label,
            "sign out",
            now=state.clock(),
            campaign=visit.judge.campaign,
        )
    reply = page(request, "judge/leave.html", csrf="")
    drop_session(request, reply, "judge")
    return reply


@router.post("/judge/language")
def language(
    request: Request, language: _Field = "", back: _Field = "/judge"
) -> Response:
    """Change the language of the pages, for anybody; nothing else hangs on it."""
    local = (
        back.startswith("/")
        and back.isascii()
        and back.isprintable()
        and "\\" not in back
    )
    reply = redirect(back if local and not back.startswith("//") else "/judge")
    if language in LANGUAGES:
        put_language(request, reply, language)
    return reply


def _wording(request: Request, stored: Stored) -> Wording:
    return wording_for(stored.campaign, language_of(request))


def _titled(request: Request, stored: Stored) -> dict[str, Any]:
    about = campaign_json(stored, _wording(request, stored))
    return {name: about[name] for name in ("title", "title_language")}


def _stored(request: Request, visit: Visit) -> Stored:
    with state_of(request).store.reading() as db:
        return campaigns.existing(db, visit.judge.campaign)


def _is_done(request: Request, visit: Visit) -> bool:
    with state_of(request).store.reading() as db:
        way = screens.way(db, visit.judge.id)
    return way.reached == len(way.places)
