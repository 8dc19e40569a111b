"""The JSON that a judge's browser lives on."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import Connection

from metra.campaign.judgement import texts_of
from metra.campaign.key_log import ANSWER, TYPED
from metra.campaign.own_wording import wording_for, wordings
from metra.campaign.screen import screen_protocol
from metra.store import answers, campaigns, events, judges, screens, tasks
from metra.store.answers import Draft
from metra.store.assignment import progress, top_up
from metra.store.campaigns import Stored
from metra.store.events import Event
from metra.store.screens import Way
from metra.store.tasks import StoredTask
from metra.web.judge.describing import (
    answer_json,
    campaign_json,
    options_json,
    place_json,
    progress_json,
    protocol_json,
    screen_json,
)
from metra.web.judge.pages import enter
from metra.web.judge.payloads import (
    AnswerIn,
    DraftIn,
    RevealIn,
    ScreenName,
    TokenIn,
    events_of,
)
from metra.web.pages import json_reply, language_of
from metra.web.security.visitors import Judging, Visit, put_session
from metra.web.state import Refusal, state_of

router = APIRouter(prefix="/api")
_RUNNING = ("open",)
_TAKING = ("open", "paused")


@dataclass(frozen=True, slots=True)
class _Opened:
    """One of the judge's screens, in a transaction that no other of hers runs beside."""

    db: Connection
    stored: Stored
    owned: StoredTask
    way: Way
    at: int
    now: float

    @property
    def number(self) -> int:
        return self.way.places[self.at].number

    @property
    def task(self) -> str:
        return self.owned.task.id

    def json(self, step: int) -> dict[str, Any]:
        return screen_json(self.db, self.stored, self.owned, self.way, self.at, step)


@router.get("/work")
def work(request: Request, visit: Judging) -> Response:
    """What the judge works on: the protocol, how far she is, and the next screen."""
    state = state_of(request)
    _fill(request, visit)
    with state.store.transaction() as db:
        _lock(db, visit)
        stored = _campaign(db, visit, _RUNNING)
        way = screens.way(db, visit.judge.id)
        asked = stored.campaign.protocol
        target = stored.campaign.settings.target_language
        wording = wording_for(stored.campaign, language_of(request))
        return json_reply(
            {
                "campaign": campaign_json(stored, wording),
                "protocol": protocol_json(asked, target, wording),
                "options": options_json(stored),
                "progress": progress_json(progress(db, stored, visit.judge.id, way)),
                "screen": _next_screen(db, stored, visit, way, state.clock()),
            }
        )


@router.get("/screens/{task}/{number}")
def one_screen(request: Request, visit: Judging, task: str, number: int) -> Response:
    """One of the judge's own screens that is not closed yet."""
    with _opened(request, visit, task, number, _RUNNING) as opened:
        return json_reply(opened.json(_show(opened, 0)))


@router.post("/screens/{task}/{number}/reveal")
def reveal(
    request: Request, visit: Judging, task: str, number: int, body: RevealIn
) -> Response:
    """Show the texts of a further step, once the steps before it have been answered."""
    with _opened(request, visit, task, number, _TAKING) as opened:
        campaign = opened.stored.campaign
        steps = screen_protocol(campaign, opened.owned.task, number).steps
        if body.step >= len(steps):
            msg = f"There are {len(steps)} steps, counted from 0; there is no {body.step}."
            raise Refusal(422, msg)
        texts = texts_of(campaign, opened.owned.task, number)
        for step in steps[: body.step]:
            step.asks.check(body.value.get(step.name), step.name, texts)
        stored = answers.find_draft(opened.db, task, number)
        comment = "" if stored is None else stored.comment
        if not _is_late(opened, body.answered):
            _keep_draft(opened, Draft(body.rev, body.value, comment))
        return json_reply(opened.json(_show(opened, body.step)))


@router.put("/screens/{task}/{number}/draft")
def save_draft(
    request: Request, visit: Judging, task: str, number: int, body: DraftIn
) -> Response:
    """Keep what the judge has put in so far; a draft that its answer overtook is dropped."""
    with _opened(request, visit, task, number, _TAKING) as opened:
        _log(opened.db, opened.stored, task, number, events_of(body.events))
        late = _is_late(opened, body.answered)
        if not late:
            _keep_draft(opened, body.draft())
        tasks.extend_lease(opened.db, task, now=opened.now)
        overtaken = {"answer": answer_json(opened.db, task, number)} if late else {}
        return json_reply({"rev": body.rev} | overtaken)


@router.post("/screens/{task}/{number}/answer")
def submit(
    request: Request, visit: Judging, task: str, number: int, body: AnswerIn
) -> Response:
    """Keep an answer; the same one again gets the same reply and is kept once."""
    answer = body.answer()
    state = state_of(request)
    with state.store.transaction() as db:
        _lock(db, visit)
        known = answers.find_answer(db, answer.id)
        stored = _campaign(db, visit, campaigns.STATES if known else _TAKING)
        answer = replace(answer, wording=_read_in(request, stored, body.wording))
        way = screens.way(db, visit.judge.id)
        at = way.index(task, number)
        owned = tasks.find(db, visit.judge.id, task)
        if at is None or owned is None:
            raise Refusal.not_found()
        if known is None and not way.may_answer(at):
            raise _closed(way, at)
        now = state.clock()
        given = answers.submit(db, stored, owned, number, answer, now=now)
        if known is None:
            handed_in = Event(None, 0, ANSWER, {"id": given.id})
            _log(db, stored, task, number, [*events_of(body.events), handed_in])
            tasks.extend_lease(db, task, now=now)
            judges.seen(db, visit.judge.id, now=now)
            way = way.with_answer(at)
        following = way.next_open(at)
        return json_reply(
            {
                "saved": given.id,
                "revision": given.revision,
                "next": place_json(following),
                "progress": progress_json(progress(db, stored, visit.judge.id, way)),
            }
        )


def _read_in(request: Request, stored: Stored, told: str) -> str:
    """The language in which the questions were read: as the page says, if it can be."""
    offered = wordings(stored.campaign)
    if told in (one.language for one in offered):
        return told
    return wording_for(stored.campaign, language_of(request)).language


@router.post("/heartbeat")
def heartbeat(request: Request, visit: Judging, body: ScreenName) -> Response:
    """A sign that the judge is still at it: the task stays hers."""
    state = state_of(request)
    with state.store.transaction() as db:
        _lock(db, visit)
        if tasks.find(db, visit.judge.id, body.task) is None:
            raise Refusal.not_found()
        now = state.clock()
        tasks.extend_lease(db, body.task, now=now)
        judges.seen(db, visit.judge.id, now=now)
    return json_reply({"ok": True})


@router.post("/session")
def sign_in(request: Request, body: TokenIn) -> Response:
    """Come in again without leaving the page, by the link or the secret at its end."""
    secret = body.token.strip().rstrip("/").rpartition("/")[2]
    token, session = enter(request, secret)
    reply = json_reply({"csrf": session.csrf})
    put_session(request, reply, "judge", token)
    return reply


@contextmanager
def _opened(
    request: Request, visit: Visit, task: str, number: int, states: tuple[str, ...]
) -> Iterator[_Opened]:
    """Lock the judge's work and find the screen, or say that it is not there for her."""
    state = state_of(request)
    with state.store.transaction() as db:
        _lock(db, visit)
        way = screens.way(db, visit.judge.id)
        at = way.index(task, number)
        owned = tasks.find(db, visit.judge.id, task)
        if at is None or owned is None:
            raise Refusal.not_found()
        stored = _campaign(db, visit, states)
        if not way.may_answer(at):
            raise _closed(way, at)
        yield _Opened(db, stored, owned, way, at, state.clock())


def _lock(db: Connection, visit: Visit) -> None:
    judge = judges.find(db, visit.judge.id, lock=True)
    if judge is None or judge.revoked_at is not None:
        raise Refusal.judge_signed_out()
    if judge.consent_at is None or judge.guide_at is None:
        raise Refusal(403, "Read the first pages before you begin.", reason="stage")


def _campaign(db: Connection, visit: Visit, states: tuple[str, ...]) -> Stored:
    stored = campaigns.find(db, visit.judge.campaign)
    if stored is None:
        raise Refusal.not_found()
    if stored.state not in states:
        msg = f"The project is {stored.state}; there is nothing to judge now."
        raise Refusal(409, msg, reason=stored.state)
    return stored


def _closed(way: Way, at: int) -> Refusal:
    if at > way.reached:
        return Refusal(403, "This screen comes later.")
    return Refusal(403, "This answer can no longer be changed.")


def _fill(request: Request, visit: Visit) -> None:
    """Let a judge who has nothing left take over what others left."""
    state = state_of(request)
    with state.store.reading() as db:
        way = screens.way(db, visit.judge.id)
    if way.reached == len(way.places):
        top_up(
            state.store,
            visit.judge,
            now=state.clock(),
            away_after=state.away_after,
        )


def _next_screen(
    db: Connection, stored: Stored, visit: Visit, way: Way, now: float
) -> dict[str, Any] | None:
    judges.seen(db, visit.judge.id, now=now)
    if way.reached == len(way.places):
        return None
    owned = tasks.find(db, visit.judge.id, way.places[way.reached].task)
    if owned is None:
        return None
    opened = _Opened(db, stored, owned, way, way.reached, now)
    return opened.json(_show(opened, 0))


def _show(opened: _Opened, step: int) -> int:
    """Note what is shown and that the task is taken; give the furthest step shown."""
    if opened.owned.state == "waiting":
        tasks.set_state(opened.db, opened.task, "open")
    tasks.extend_lease(opened.db, opened.task, now=opened.now)
    return screens.show(opened.db, opened.task, opened.number, step, now=opened.now)


def _log(
    db: Connection, stored: Stored, task: str, number: int, sent: list[Event]
) -> None:
    """Keep events; what was typed only where the campaign says so."""
    if stored.campaign.settings.log_keys:
        events.add(db, task, number, sent, most=events.MOST_TYPED)
    else:
        tells = TYPED | {ANSWER}
        blind = [one for one in sent if one.kind not in tells or one.data is None]
        events.add(db, task, number, blind)


def _is_late(opened: _Opened, answered: int) -> bool:
    """Whether a draft is older than the answer: it was on its way when the answer came."""
    last = answers.last(opened.db, opened.task, opened.number)
    return last is not None and answered < last.revision


def _keep_draft(opened: _Opened, draft: Draft) -> None:
    newer = answers.save(opened.db, opened.task, opened.number, draft, now=opened.now)
    if newer is not None:
        msg = "A newer version of this answer is kept already."
        raise Refusal(409, msg, draft=asdict(newer))
