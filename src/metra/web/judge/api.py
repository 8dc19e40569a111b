"""The JSON API of the judging page: screens, drafts, answers and events, and their shapes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Request, Response
from pydantic import UUID4, AfterValidator, BaseModel, Field
from sqlalchemy import Connection

from metra.campaign.screen import collect_texts, get_screen_protocol
from metra.campaign.translations import choose_campaign_wording, list_wordings
from metra.formats.stream import check_values
from metra.limits import get_limits, use_limits
from metra.store import answers, campaigns, events, judges, tasks
from metra.store.answers import Answer, AnswerTimes, Draft
from metra.store.assignment import take_over_task
from metra.store.campaigns import StoredCampaign
from metra.store.events import ANSWER, Event
from metra.web.judge import views
from metra.web.judge.pages import begin_judge_session
from metra.web.judge.views import OpenScreen
from metra.web.replies import Refusal, get_language, get_state, reply_json
from metra.web.visitors import CheckedRoute, Judging, Visit, put_session

T = TypeVar("T")

_MOST = 2**53 - 1
_Count = Annotated[int, Field(ge=0, le=_MOST)]
_Comment = Annotated[str, Field(max_length=10_000)]
_Reason = Annotated[str, Field(min_length=1, max_length=1_000)]
#: How deep lists and tables may stand in one another; no answer needs as much.
_DEEPEST = 20


def _check_limits(value: T) -> T:
    """Refuse nesting and numbers that no page sends, and that nobody could read again."""
    with use_limits(get_limits()._replace(depth=_DEEPEST)):
        check_values(value, "The answer")
    return value


_Anything = Annotated[Any, AfterValidator(_check_limits)]
_Value = Annotated[dict[str, Any], AfterValidator(_check_limits)]


class EventIn(BaseModel):
    """An event; `seq` counts up in each window, so that a repeated event is stored once."""

    client: Annotated[str, Field(max_length=40)] = ""
    seq: _Count | None = None
    t_ms: Annotated[float, Field(ge=0, le=_MOST, allow_inf_nan=False)]
    kind: Annotated[str, Field(min_length=1, max_length=40)]
    data: _Anything = None


_Events = Annotated[list[EventIn], Field(max_length=2_000)]


class DraftIn(BaseModel):
    """A draft; `rev` is one more than that of the draft before.

    `answered` is the revision of the answer that it changes, 0 where there was none yet.
    """

    rev: _Count
    answered: _Count = 0
    value: _Value
    comment: _Comment = ""
    events: _Events = []


class RevealIn(DraftIn):
    """A request for the texts of a step, with the answers to the steps before it."""

    step: Annotated[int, Field(ge=0, le=100)]


class AnswerIn(BaseModel):
    """An answer, under an id that the browser makes and repeats when it retries."""

    id: UUID4
    value: _Value | None = None
    comment: _Comment = ""
    cannot: _Reason | None = None
    times: AnswerTimes = AnswerTimes()
    #: The language in which the page had the questions.
    wording: Annotated[str, Field(max_length=40)] = ""
    events: _Events = []


class TokenIn(BaseModel):
    """A judge's link, or the secret at its end."""

    token: Annotated[str, Field(max_length=2_000)]


router = APIRouter(prefix="/api", route_class=CheckedRoute)
_RUNNING = ("open",)
_TAKING = ("open", "paused")


@router.get("/work")
def show_work(request: Request, visit: Judging) -> Response:
    """Return the protocol, the judge's progress and their next screen."""
    state, judge = get_state(request), visit.judge
    with state.store.reading() as db:
        way = tasks.list_screens(db, judge.id)
    if way.reached == len(way.places):
        # A judge who has finished their tasks gets one that others left.
        take_over_task(
            state.store, judge, now=state.clock(), away_after=state.away_after
        )
    with state.store.transaction() as db:
        _lock_judge(db, visit)
        now = state.clock()
        stored = _find_campaign(db, visit, _RUNNING)
        campaign = stored.campaign
        way = tasks.list_screens(db, judge.id)
        wording = choose_campaign_wording(campaign, get_language(request))
        judges.record_activity(db, judge.id, now=now)
        screen = None
        if way.reached < len(way.places):
            owned = tasks.find_task(db, judge.id, way.places[way.reached].task)
            if owned is not None:
                screen = _show(OpenScreen(db, stored, owned, way, way.reached, now), 0)
        progress = tasks.compute_progress(db, judge.id, way, stored.screen_seconds)
        return reply_json(
            {
                "campaign": views.build_campaign_json(stored, wording),
                "protocol": views.build_protocol_json(campaign, wording),
                "options": views.build_options_json(campaign),
                "progress": asdict(progress),
                "screen": screen,
            }
        )


@router.get("/screens/{task}/{number}")
def show_screen(request: Request, visit: Judging, task: str, number: int) -> Response:
    """Return one of the judge's own open screens."""
    with _open_screen(request, visit, task, number, _RUNNING) as opened:
        return reply_json(_show(opened, 0))


@router.post("/screens/{task}/{number}/reveal")
def reveal_step(
    request: Request, visit: Judging, task: str, number: int, body: RevealIn
) -> Response:
    """Return the texts of a further step, once the steps before it are answered."""
    with _open_screen(request, visit, task, number, _TAKING) as opened:
        campaign = opened.stored.campaign
        steps = get_screen_protocol(campaign, opened.owned.task, number).steps
        if body.step >= len(steps):
            msg = f"Step {body.step} does not exist; expected a number below {len(steps)}."
            raise Refusal(422, msg)
        texts = collect_texts(campaign, opened.owned.task, number)
        for step in steps[: body.step]:
            step.asks.check(body.value.get(step.name), step.name, texts)
        stored = answers.find_draft(opened.db, task, number)
        comment = "" if stored is None else stored.comment
        if not _is_late(opened, body.answered):
            _keep_draft(opened, Draft(body.rev, body.value, comment))
        return reply_json(_show(opened, body.step))


@router.put("/screens/{task}/{number}/draft")
def save_draft(
    request: Request, visit: Judging, task: str, number: int, body: DraftIn
) -> Response:
    """Store a draft, unless it is older than the answer."""
    with _open_screen(request, visit, task, number, _TAKING) as opened:
        log = [Event(**dict(one)) for one in body.events]
        events.add_events(opened.db, opened.stored, task, number, log)
        reply: dict[str, Any] = {"rev": body.rev}
        if _is_late(opened, body.answered):
            reply["answer"] = views.build_answer_json(opened.db, task, number)
        else:
            _keep_draft(opened, Draft(body.rev, body.value, body.comment))
        return reply_json(reply)


@router.post("/screens/{task}/{number}/answer")
def submit_answer(
    request: Request, visit: Judging, task: str, number: int, body: AnswerIn
) -> Response:
    """Store an answer; a repeated request gets the same reply and is stored once."""
    key, judge = str(body.id), visit.judge.id
    with _open_screen(request, visit, task, number, _TAKING, answer=key) as opened:
        db, stored, now = opened.db, opened.stored, opened.now
        wording = body.wording
        if wording not in (one.language for one in list_wordings(stored.campaign)):
            language = get_language(request)
            wording = choose_campaign_wording(stored.campaign, language).language
        said = body.value, body.comment, body.cannot, body.times
        answer = Answer(key, *said, wording)
        given = answers.submit_answer(db, stored, opened.owned, number, answer, now=now)
        way = opened.way
        if not opened.is_stored:
            log = [Event(**dict(one)) for one in body.events]
            log.append(Event(None, 0, ANSWER, {"id": given.id}))
            events.add_events(db, stored, task, number, log)
            way = way.with_answer(opened.at)
        following = way.next_open(opened.at)
        return reply_json(
            {
                "saved": given.id,
                "revision": given.revision,
                "next": following
                and {"task": following.task, "number": following.number},
                "progress": asdict(
                    tasks.compute_progress(db, judge, way, stored.screen_seconds)
                ),
            }
        )


@router.post("/session")
def sign_in(request: Request, body: TokenIn) -> Response:
    """Sign in again without leaving the page, by the link or the secret at its end."""
    secret = body.token.strip().rstrip("/").rpartition("/")[2]
    token, session = begin_judge_session(request, secret)
    reply = reply_json({"csrf": session.csrf})
    put_session(request, reply, "judge", token)
    return reply


@contextmanager
def _open_screen(
    request: Request,
    visit: Visit,
    task: str,
    number: int,
    states: tuple[str, ...],
    *,
    answer: str = "",
) -> Iterator[OpenScreen]:
    """Lock the judge's work and open the screen, or refuse the request.

    A repeated request with the id of a stored `answer` is never refused.
    """
    state = get_state(request)
    with state.store.transaction() as db:
        _lock_judge(db, visit)
        way = tasks.list_screens(db, visit.judge.id)
        at = way.index(task, number)
        owned = tasks.find_task(db, visit.judge.id, task)
        if at is None or owned is None:
            raise Refusal.not_found()
        is_stored = bool(answer) and answers.find_answer(db, answer) is not None
        stored = _find_campaign(db, visit, campaigns.STATES if is_stored else states)
        if not is_stored and not way.may_answer(at):
            late = "This answer can no longer be changed."
            raise Refusal(403, "This screen comes later." if at > way.reached else late)
        now = state.clock()
        judges.record_activity(db, visit.judge.id, now=now)
        yield OpenScreen(db, stored, owned, way, at, now, is_stored)


def _lock_judge(db: Connection, visit: Visit) -> None:
    judge = judges.find_judge(db, visit.judge.id, lock=True)
    if judge is None or judge.revoked_at is not None:
        raise Refusal.signed_out(role="judge")
    if judge.consent_at is None or judge.guide_at is None:
        raise Refusal(
            403, "Read the introduction and the guide before you start.", reason="stage"
        )


def _find_campaign(
    db: Connection, visit: Visit, states: tuple[str, ...]
) -> StoredCampaign:
    stored = campaigns.find_campaign(db, visit.judge.campaign)
    if stored is None:
        raise Refusal.not_found()
    if stored.state not in states:
        msg = f"The project is {stored.state}; there is nothing to judge at the moment."
        raise Refusal(409, msg, reason=stored.state)
    return stored


def _show(opened: OpenScreen, step: int) -> dict[str, Any]:
    """Record that the task is taken and the step shown; return the screen as far as shown."""
    db, (task, number, _), now = opened.db, opened.place, opened.now
    if opened.owned.state == "waiting":
        tasks.set_state(db, task, "open")
    furthest = tasks.record_shown_steps(db, task, number, step, now=now)
    return views.build_screen_json(opened, furthest)


def _is_late(opened: OpenScreen, answered: int) -> bool:
    """Return whether a draft is older than the answer that arrived before it."""
    task, number, _ = opened.place
    last = answers.find_latest_answer(opened.db, task, number)
    return last is not None and answered < last.revision


def _keep_draft(opened: OpenScreen, draft: Draft) -> None:
    task, number, _ = opened.place
    newer = answers.save_draft(opened.db, task, number, draft, now=opened.now)
    if newer is not None:
        msg = "A newer version of this answer is already saved."
        raise Refusal(409, msg, draft=asdict(newer))
