"""A judge's pages: link, consent, guide, work, done; and the start of a session."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, Response

from metra.campaign.translations import choose_campaign_wording
from metra.campaign.words import Wording
from metra.store import access, audit, campaigns, judges, tasks
from metra.store.access import Session
from metra.store.campaigns import StoredCampaign
from metra.web import visitors
from metra.web.judge import views
from metra.web.middleware import get_client_address
from metra.web.replies import (
    Refusal,
    get_language,
    get_state,
    redirect_to,
    render_page,
    reply_json,
)
from metra.web.strings import LANGUAGES
from metra.web.visitors import CheckedRoute, Judging

#: Wrong links that need not wait.
_FREE = 30


def begin_judge_session(request: Request, secret: str) -> tuple[str, Session]:
    """Begin a judge's session in place of the browser's old one.

    A right secret always opens: nobody can shut judges out by guessing. After many wrong
    ones there is a wait, ever longer.
    """
    state = get_state(request)
    now = state.clock()
    old = visitors.get_session(request, "judge")
    key = f"link {get_client_address(request)}"
    with state.store.transaction() as db:
        judge = judges.find_by_token(db, secret)
        if judge is not None:
            if old is not None:
                access.end_session(db, old)
            begun = access.begin_session(db, "judge", now=now, judge=judge.id)
            place = judge.campaign
            audit.add_entry(db, judge.label, "sign in", now=now, campaign=place)
            return begun
        wait = access.begin_attempt(db, {key: _FREE}, now=now)
    if wait > 0:
        raise Refusal.too_many_wrong(wait, "links")
    raise Refusal(404, "This link does not work; ask for a new one.", reason="link")


router = APIRouter(include_in_schema=False, route_class=CheckedRoute)
_LEVELS = ("native", "fluent", "good", "little")
_Field = Annotated[str, Form(max_length=200)]
_Remark = Annotated[str, Form(max_length=2000)]


def _get_campaign(request: Request, visit: Judging) -> StoredCampaign:
    with get_state(request).store.reading() as db:
        return campaigns.get_campaign(db, visit.judge.campaign)


#: The campaign of the judge who is served.
_Stored = Annotated[StoredCampaign, Depends(_get_campaign)]


def _is_done(request: Request, visit: Judging) -> bool:
    with get_state(request).store.reading() as db:
        way = tasks.list_screens(db, visit.judge.id)
    return way.reached == len(way.places)


_Done = Annotated[bool, Depends(_is_done)]


@router.get("/")
def show_home(request: Request) -> Response:
    """Show the start page."""
    return render_page(request, "judge/message.html", message="home")


@router.get("/health")
def check_health(request: Request) -> Response:
    """Reply that the server can write to its store and read from it."""
    get_state(request).store.check_writable()
    return reply_json({"ok": True})


@router.get("/j/{token}")
def show_link(request: Request, token: str) -> Response:
    """A button and nothing else: mail scanners that follow the link change nothing."""
    with get_state(request).store.reading() as db:
        judge = judges.find_by_token(db, token)
        own = [] if judge is None else judges.list_parts(db, judge)
        parts = [campaigns.get_campaign(db, part.campaign) for part in own]
    if not parts:
        return render_page(
            request, "judge/message.html", status=404, message="unknown_link"
        )
    words = _join_titles(request, parts)
    return render_page(request, "judge/start.html", **words, action=f"/j/{token}")


@router.post("/j/{token}")
def start_session(request: Request, token: str) -> Response:
    """Exchange the link's secret for a cookie, and redirect away from the link."""
    secret, _ = begin_judge_session(request, token)
    reply = redirect_to("/judge")
    visitors.put_session(request, reply, "judge", secret)
    return reply


@router.get("/judge")
def redirect_to_stage(
    request: Request, visit: Judging, stored: _Stored, is_done: _Done
) -> Response:
    """Redirect the judge to their current page."""
    if visit.judge.person is not None and (is_done or stored.state != "open"):
        return redirect_to("/judge/parts")
    if stored.state != "open":
        name = "closed" if stored.state == "closed" else "paused"
        return render_page(request, "judge/message.html", message=name)
    if visit.judge.consent_at is None:
        return redirect_to("/judge/consent")
    if visit.judge.guide_at is None:
        return redirect_to("/judge/guide")
    return redirect_to("/judge/done" if is_done else "/judge/work")


@router.get("/judge/consent")
def show_consent(request: Request, visit: Judging, stored: _Stored) -> Response:
    """Show who runs the campaign and which data it records, and ask for consent."""
    parts, planned = [], []
    with get_state(request).store.reading() as db:
        for judge in judges.list_parts(db, visit.judge):
            part = campaigns.get_campaign(db, judge.campaign)
            way = tasks.list_screens(db, judge.id)
            planned.append(
                tasks.compute_progress(db, judge.id, way, part.screen_seconds)
            )
            parts.append(part)
    asked = [part.campaign.protocol for part in parts]
    wording = _choose_wording(request, stored)
    settings = stored.campaign.settings
    return render_page(
        request,
        "judge/consent.html",
        **views.build_campaign_json(stored, wording) | _join_titles(request, parts),
        wording=wording,
        basis="source" if any(p.basis == "source" for p in asked) else "reference",
        screens=sum(part.of for part in planned),
        minutes=sum(part.minutes_left for part in planned),
        counts_keys=any(step.asks.counts_keys for p in asked for step in p.steps),
        log_keys=settings.log_keys,
        organiser=settings.organiser,
        contact=settings.contact,
    )


@router.post("/judge/consent")
def save_consent(
    request: Request,
    visit: Judging,
    agree: _Field = "",
    target_level: _Field = "",
    source_level: _Field = "",
) -> Response:
    """Store the consent."""
    if agree != "yes":
        return redirect_to("/judge/consent")
    levels = {"target_level": target_level, "source_level": source_level}
    profile = {name: level for name, level in levels.items() if level in _LEVELS}
    state = get_state(request)
    with state.store.transaction() as db:
        for part in judges.list_parts(db, visit.judge):
            judges.record_consent(db, part.id, now=state.clock(), profile=profile)
    return redirect_to("/judge")


@router.get("/judge/guide")
def show_guide(request: Request, visit: Judging, stored: _Stored) -> Response:
    """Show the guide, with examples to try."""
    if visit.judge.consent_at is None:
        return redirect_to("/judge/consent")
    wording = _choose_wording(request, stored)
    return render_page(
        request,
        "judge/guide.html",
        **views.build_campaign_json(stored, wording),
        wording=wording,
        guide=views.build_guide_json(wording),
        protocol=views.build_protocol_json(stored.campaign, wording, of_examples=True),
        seen=visit.judge.guide_at is not None,
    )


@router.post("/judge/guide")
def finish_guide(request: Request, visit: Judging) -> Response:
    """Record that the judge has read the guide."""
    if visit.judge.consent_at is None:
        return redirect_to("/judge/consent")
    state = get_state(request)
    with state.store.transaction() as db:
        judges.record_guide(db, visit.judge.id, now=state.clock())
    return redirect_to("/judge")


@router.get("/judge/work")
def show_work(request: Request, visit: Judging, stored: _Stored) -> Response:
    """The frame that the judge works in; scripts fill it."""
    if visit.judge.consent_at is None or visit.judge.guide_at is None:
        return redirect_to("/judge")
    return render_page(request, "judge/work.html", **_get_title(request, stored))


@router.get("/judge/done")
def show_done(
    request: Request, visit: Judging, stored: _Stored, is_done: _Done
) -> Response:
    """Thank the judge and give the completion code."""
    if not is_done or visit.judge.person is not None:
        return redirect_to("/judge")
    words = _get_title(request, stored)
    code = visit.judge.completion_code
    return render_page(request, "judge/done.html", **words, code=code)


@router.get("/judge/parts")
def show_parts(request: Request, visit: Judging) -> Response:
    """List the campaigns of one person with their progress, and ask for comments."""
    parts = []
    with get_state(request).store.reading() as db:
        for judge in judges.list_parts(db, visit.judge):
            stored = campaigns.get_campaign(db, judge.campaign)
            way = tasks.list_screens(db, judge.id)
            far = tasks.compute_progress(db, judge.id, way, stored.screen_seconds)
            parts.append((judge, stored, far, _get_title(request, stored)))
    return render_page(request, "judge/parts.html", parts=parts)


@router.post("/judge/parts")
def change_part(request: Request, visit: Judging, part: _Field = "") -> Response:
    """Go on with another campaign of the same person."""
    state = get_state(request)
    with state.store.transaction() as db:
        own = {one.id: one for one in judges.list_parts(db, visit.judge)}
        if part not in own:
            raise Refusal.not_found()
        access.end_session(db, visit.session)
        secret, _ = access.begin_session(db, "judge", now=state.clock(), judge=part)
    reply = redirect_to("/judge")
    visitors.put_session(request, reply, "judge", secret)
    return reply


@router.post("/judge/remark")
def save_remark(
    request: Request, visit: Judging, part: _Field = "", remark: _Remark = ""
) -> Response:
    """Store what a participant says of one of their campaigns."""
    with get_state(request).store.transaction() as db:
        if part not in {one.id for one in judges.list_parts(db, visit.judge)}:
            raise Refusal.not_found()
        judges.set_remark(db, part, remark.strip())
    return redirect_to("/judge/parts")


@router.post("/judge/leave")
def leave_session(request: Request, visit: Judging) -> Response:
    """End the session; the link brings the judge back."""
    state, judge = get_state(request), visit.judge
    with state.store.transaction() as db:
        access.end_session(db, visit.session)
        place, now = judge.campaign, state.clock()
        audit.add_entry(db, judge.label, "sign out", now=now, campaign=place)
    reply = render_page(request, "judge/leave.html", csrf="")
    visitors.drop_session(request, reply, "judge")
    return reply


@router.post("/judge/language")
def set_language(
    request: Request, language: _Field = "", back: _Field = "/judge"
) -> Response:
    """Set the language of the pages; anybody may do so."""
    plain = back.isascii() and back.isprintable() and "\\" not in back
    local = plain and back.startswith("/") and not back.startswith("//")
    reply = redirect_to(back if local else "/judge")
    if language in LANGUAGES:
        visitors.put_language(request, reply, language)
    return reply


def _choose_wording(request: Request, stored: StoredCampaign) -> Wording:
    return choose_campaign_wording(stored.campaign, get_language(request))


def _join_titles(request: Request, parts: list[StoredCampaign]) -> dict[str, Any]:
    """Return the titles of the campaigns of one person as one."""
    titles = [_get_title(request, part) for part in parts]
    return titles[0] | {"title": ", ".join(each["title"] for each in titles)}


def _get_title(request: Request, stored: StoredCampaign) -> dict[str, Any]:
    about = views.build_campaign_json(stored, _choose_wording(request, stored))
    return {name: about[name] for name in ("title", "title_language")}
