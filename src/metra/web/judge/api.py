"""The JSON API of the judging page: screens, drafts, answers and events."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import Connection

from metra.campaign.key_log import ANSWER
from metra.campaign.own_wording import choose_campaign_wording, list_wordings
from metra.campaign.screen import collect_texts, get_screen_protocol
from metra.store import answers, campaigns, events, judges, screens, tasks
from metra.store.answers import Answer, AnswerTimes, Draft
from metra.store.assignment import take_over_task
from metra.store.campaigns import StoredCampaign
from metra.store.events import Event
from metra.store.screens import ScreenSequence
from metra.store.tasks import StoredTask
from metra.web.judge.pages import begin_judge_session
from metra.web.judge.payloads import (
    AnswerIn,
    DraftIn,
    RevealIn,
    ScreenName,
    TokenIn,
    convert_events,
)
from metra.web.judge.views import (
    build_answer_json,
    build_campaign_json,
    build_options_json,
    build_protocol_json,
    build_screen_json,
)
from metra.web.pages import get_language, reply_json
from metra.web.security.visitors import Judging, Visit, put_session
from metra.web.state import Refusal, get_state

router = APIRouter(prefix="/api")
_RUNNING = ("open",)
_TAKING = ("open", "paused")


@dataclass(frozen=True, slots=True)
class _OpenScreen:
    """A judge's screen, in a transaction that excludes their other requests."""

    db: Connection
    stored: StoredCampaign
    owned: StoredTask
    way: ScreenSequence
    at: int
    now: float

    @property
    def number(self) -> int:
        return self.way.places[self.at].number

    @property
    def task(self) -> str:
        return self.owned.task.id

    def json(self, step: int) -> dict[str, Any]:
        return build_screen_json(
            self.db, self.stored, self.owned, self.way, self.at, step
        )


@router.get("/work")
def show_work(request: Request, visit: Judging) -> Response:
    """Return the protocol, the judge's progress and their next screen."""
    state = get_state(request)
    _take_over_tasks(request, visit)
    with state.store.transaction() as db:
        _lock_judge(db, visit)
        stored = _find_campaign(db, visit, _RUNNING)
        way = screens.list_screens(db, visit.judge.id)
        asked = stored.campaign.protocol
        target = stored.campaign.settings.target_language
        wording = choose_campaign_wording(stored.campaign, get_language(request))
        return reply_json(
            {
                "campaign": build_campaign_json(stored, wording),
                "protocol": build_protocol_json(asked, target, wording),
                "options": build_options_json(stored),
                "progress": asdict(
                    screens.compute_progress(db, stored, visit.judge.id, way)
                ),
                "screen": _get_next_screen(db, stored, visit, way, state.clock()),
            }
        )


@router.get("/screens/{task}/{number}")
def show_screen(request: Request, visit: Judging, task: str, number: int) -> Response:
    """Return one of the judge's own screens that is still open."""
    with _open_screen(request, visit, task, number, _RUNNING) as opened:
        return reply_json(opened.json(_record_shown(opened, 0)))


@router.post("/screens/{task}/{number}/reveal")
def reveal_step(
    request: Request, visit: Judging, task: str, number: int, body: RevealIn
) -> Response:
    """Return the texts of a further step, once the steps before it are answered."""
    with _open_screen(request, visit, task, number, _TAKING) as opened:
        campaign = opened.stored.campaign
        steps = get_screen_protocol(campaign, opened.owned.task, number).steps
        if body.step >= len(steps):
            msg = f"There are {len(steps)} steps, counted from 0; there is no {body.step}."
            raise Refusal(422, msg)
        texts = collect_texts(campaign, opened.owned.task, number)
        for step in steps[: body.step]:
            step.asks.check(body.value.get(step.name), step.name, texts)
        stored = answers.find_draft(opened.db, task, number)
        comment = "" if stored is None else stored.comment
        if not _is_late(opened, body.answered):
            _keep_draft(opened, Draft(body.rev, body.value, comment))
        return reply_json(opened.json(_record_shown(opened, body.step)))


@router.put("/screens/{task}/{number}/draft")
def save_draft(
    request: Request, visit: Judging, task: str, number: int, body: DraftIn
) -> Response:
    """Store a draft; one that is older than the answer is dropped."""
    with _open_screen(request, visit, task, number, _TAKING) as opened:
        log = convert_events(body.events)
        events.add_events(opened.db, opened.stored, task, number, log)
        late = _is_late(opened, body.answered)
        if not late:
            _keep_draft(opened, body.draft())
        tasks.extend_lease(opened.db, task, now=opened.now)
        overtaken = (
            {"answer": build_answer_json(opened.db, task, number)} if late else {}
        )
        return reply_json({"rev": body.rev} | overtaken)


@router.post("/screens/{task}/{number}/answer")
def submit_answer(
    request: Request, visit: Judging, task: str, number: int, body: AnswerIn
) -> Response:
    """Store an answer; a repeated request gets the same reply and is stored once."""
    state = get_state(request)
    key = str(body.id)
    with state.store.transaction() as db:
        _lock_judge(db, visit)
        known = answers.find_answer(db, key)
        stored = _find_campaign(db, visit, campaigns.STATES if known else _TAKING)
        way = screens.list_screens(db, visit.judge.id)
        at = way.index(task, number)
        owned = tasks.find_task(db, visit.judge.id, task)
        if at is None or owned is None:
            raise Refusal.not_found()
        if known is None and not way.may_answer(at):
            raise _build_refusal(way, at)
        now = state.clock()
        wording = body.wording
        if wording not in (one.language for one in list_wordings(stored.campaign)):
            language = get_language(request)
            wording = choose_campaign_wording(stored.campaign, language).language
        times = AnswerTimes(**body.times.model_dump())
        answer = Answer(key, body.value, body.comment, body.cannot, times, wording)
        given = answers.submit_answer(db, stored, owned, number, answer, now=now)
        if known is None:
            handed_in = Event(None, 0, ANSWER, {"id": given.id})
            log = [*convert_events(body.events), handed_in]
            events.add_events(db, stored, task, number, log)
            tasks.extend_lease(db, task, now=now)
            judges.record_activity(db, visit.judge.id, now=now)
            way = way.with_answer(at)
        following = way.next_open(at)
        place = following and {"task": following.task, "number": following.number}
        progress = screens.compute_progress(db, stored, visit.judge.id, way)
        return reply_json(
            {
                "saved": given.id,
                "revision": given.revision,
                "next": place,
                "progress": asdict(progress),
            }
        )


@router.post("/heartbeat")
def record_heartbeat(request: Request, visit: Judging, body: ScreenName) -> Response:
    """Record that the judge is still active, which keeps the task theirs."""
    state = get_state(request)
    with state.store.transaction() as db:
        _lock_judge(db, visit)
        if tasks.find_task(db, visit.judge.id, body.task) is None:
            raise Refusal.not_found()
        now = state.clock()
        tasks.extend_lease(db, body.task, now=now)
        judges.record_activity(db, visit.judge.id, now=now)
    return reply_json({"ok": True})


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
    request: Request, visit: Visit, task: str, number: int, states: tuple[str, ...]
) -> Iterator[_OpenScreen]:
    """Lock the judge's work and open the screen, or refuse the request."""
    state = get_state(request)
    with state.store.transaction() as db:
        _lock_judge(db, visit)
        way = screens.list_screens(db, visit.judge.id)
        at = way.index(task, number)
        owned = tasks.find_task(db, visit.judge.id, task)
        if at is None or owned is None:
            raise Refusal.not_found()
        stored = _find_campaign(db, visit, states)
        if not way.may_answer(at):
            raise _build_refusal(way, at)
        yield _OpenScreen(db, stored, owned, way, at, state.clock())


def _lock_judge(db: Connection, visit: Visit) -> None:
    judge = judges.find_judge(db, visit.judge.id, lock=True)
    if judge is None or judge.revoked_at is not None:
        raise Refusal.judge_signed_out()
    if judge.consent_at is None or judge.guide_at is None:
        raise Refusal(403, "Read the first pages before you begin.", reason="stage")


def _find_campaign(
    db: Connection, visit: Visit, states: tuple[str, ...]
) -> StoredCampaign:
    stored = campaigns.find_campaign(db, visit.judge.campaign)
    if stored is None:
        raise Refusal.not_found()
    if stored.state not in states:
        msg = f"The project is {stored.state}; there is nothing to judge now."
        raise Refusal(409, msg, reason=stored.state)
    return stored


def _build_refusal(way: ScreenSequence, at: int) -> Refusal:
    if at > way.reached:
        return Refusal(403, "This screen comes later.")
    return Refusal(403, "This answer can no longer be changed.")


def _take_over_tasks(request: Request, visit: Visit) -> None:
    """Assign tasks that others left to a judge who has finished theirs."""
    state = get_state(request)
    with state.store.reading() as db:
        way = screens.list_screens(db, visit.judge.id)
    if way.reached == len(way.places):
        take_over_task(
            state.store,
            visit.judge,
            now=state.clock(),
            away_after=state.away_after,
        )


def _get_next_screen(
    db: Connection,
    stored: StoredCampaign,
    visit: Visit,
    way: ScreenSequence,
    now: float,
) -> dict[str, Any] | None:
    judges.record_activity(db, visit.judge.id, now=now)
    if way.reached == len(way.places):
        return None
    owned = tasks.find_task(db, visit.judge.id, way.places[way.reached].task)
    if owned is None:
        return None
    opened = _OpenScreen(db, stored, owned, way, way.reached, now)
    return opened.json(_record_shown(opened, 0))


def _record_shown(opened: _OpenScreen, step: int) -> int:
    """Record the shown step and that the task is taken; return the furthest step shown."""
    if opened.owned.state == "waiting":
        tasks.set_state(opened.db, opened.task, "open")
    tasks.extend_lease(opened.db, opened.task, now=opened.now)
    return screens.record_shown_steps(
        opened.db, opened.task, opened.number, step, now=opened.now
    )


def _is_late(opened: _OpenScreen, answered: int) -> bool:
    """Return whether a draft is older than the answer that arrived before it."""
    last = answers.find_latest_answer(opened.db, opened.task, opened.number)
    return last is not None and answered < last.revision


def _keep_draft(opened: _OpenScreen, draft: Draft) -> None:
    newer = answers.save_draft(
        opened.db, opened.task, opened.number, draft, now=opened.now
    )
    if newer is not None:
        msg = "A newer version of this answer is kept already."
        raise Refusal(409, msg, draft=asdict(newer))
