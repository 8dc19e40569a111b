"""Who is asking: the judge or the admin behind a cookie, and whether the form is ours.

Routes say whom they serve by depending on `Judging` or `Administering`.
"""

import hmac
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from metra.store import judges, sessions
from metra.store.judges import Judge
from metra.store.sessions import Session
from metra.web.refusals import Refusal
from metra.web.security.cookies import session_cookie
from metra.web.state import state_of

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Visit:
    """A judge with a session."""

    session: Session
    judge: Judge


def session_of(request: Request, role: str) -> Session | None:
    """The session behind the role's cookie, if there is one that lasts."""
    token = request.cookies.get(session_cookie(request, role))
    if not token:
        return None
    state = state_of(request)
    now = state.clock()
    with state.store.reading() as db:
        session = sessions.find(db, token, now=now)
    if session is None or session.role != role:
        return None
    request.state.csrf = session.csrf
    if sessions.is_stale(session, now=now):
        with state.store.transaction() as db:
            sessions.touch(db, session, now=now)
    return session


def _judge_session(request: Request) -> Session:
    session = session_of(request, "judge")
    if session is None or session.judge is None:
        raise Refusal.judge_signed_out()
    return session


def _admin_session(request: Request) -> Session:
    session = session_of(request, "admin")
    if session is None:
        raise Refusal.admin_signed_out()
    return session


async def _judge_form(
    request: Request, session: Annotated[Session, Depends(_judge_session)]
) -> Session:
    await _check_form(request, session)
    return session


async def _admin_form(
    request: Request, session: Annotated[Session, Depends(_admin_session)]
) -> Session:
    await _check_form(request, session)
    return session


def _visit(
    request: Request, session: Annotated[Session, Depends(_judge_form)]
) -> Visit:
    state = state_of(request)
    with state.store.reading() as db:
        judge = judges.find(db, session.judge or "")
    if judge is None or judge.revoked_at is not None:
        raise Refusal.judge_signed_out()
    return Visit(session, judge)


async def _check_form(request: Request, session: Session) -> None:
    """Refuse what changes something without the token that only our pages know."""
    if request.method in _SAFE:
        return
    sent = request.headers.get("x-csrf-token")
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if sent is None and kind in (
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ):
        field = (await request.form()).get("csrf")
        sent = field if isinstance(field, str) else None
    if sent is None or not hmac.compare_digest(sent.encode(), session.csrf.encode()):
        raise Refusal(403, "The page is out of date; reload it and try again.")


Judging = Annotated[Visit, Depends(_visit)]
Administering = Annotated[Session, Depends(_admin_form)]
