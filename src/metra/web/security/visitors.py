"""Who is asking: the judge or the admin behind a cookie, and whether the form is ours.

Routes say whom they serve by depending on `Judging` or `Administering`.

Cookies: one for each role, out of reach of scripts and of other sites.
"""

import hmac
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.responses import Response

from metra.store import access, judges
from metra.store.access import LONGEST, Session
from metra.store.judges import Judge
from metra.web.pages import LANGUAGE_COOKIE
from metra.web.state import Refusal, state_of


def session_cookie(request: Request, role: str) -> str:
    """The name of a role's cookie; the prefix binds it to this very host."""
    return f"__Host-metra-{role}" if state_of(request).secure else f"metra-{role}"


def put_session(request: Request, reply: Response, role: str, token: str) -> None:
    """Give a session's secret to the browser."""
    name, age = session_cookie(request, role), int(LONGEST[role])
    reply.set_cookie(name, token, max_age=age, **_guarded(request))


def drop_session(request: Request, reply: Response, role: str) -> None:
    """Take it back."""
    reply.delete_cookie(session_cookie(request, role), **_guarded(request))


def put_language(request: Request, reply: Response, language: str) -> None:
    """Remember the language of the pages."""
    reply.set_cookie(
        LANGUAGE_COOKIE, language, max_age=365 * 86400, **_guarded(request)
    )


def _guarded(request: Request) -> dict[str, Any]:
    """Out of reach of scripts and of other sites' requests; by https alone where we can."""
    return {
        "path": "/",
        "secure": state_of(request).secure,
        "httponly": True,
        "samesite": "lax",
    }


_MOST_BYTES = 64_000_000
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Visit:
    """A judge with a session."""

    session: Session
    judge: Judge


def session_of(request: Request, role: str) -> Session | None:
    """The session behind the role's cookie, if there is one that lasts."""
    found = _behind_cookie(request, role)
    return None if found is None else found[0]


def _judge_visit(request: Request) -> Visit:
    found = _behind_cookie(request, "judge")
    if found is None or found[1] is None or found[1].revoked_at is not None:
        raise Refusal.judge_signed_out()
    return Visit(found[0], found[1])


def _admin_session(request: Request) -> Session:
    found = _behind_cookie(request, "admin")
    if found is None:
        raise Refusal.admin_signed_out()
    return found[0]


async def _judge_form(
    request: Request, visit: Annotated[Visit, Depends(_judge_visit)]
) -> Visit:
    await _check_form(request, visit.session)
    return visit


async def _admin_form(
    request: Request, session: Annotated[Session, Depends(_admin_session)]
) -> Session:
    await _check_form(request, session)
    return session


def _behind_cookie(request: Request, role: str) -> tuple[Session, Judge | None] | None:
    token = request.cookies.get(session_cookie(request, role))
    if not token:
        return None
    state = state_of(request)
    now = state.clock()
    with state.store.reading() as db:
        session = access.find(db, token, now=now)
        if session is None or session.role != role:
            return None
        judge = judges.find(db, session.judge) if session.judge is not None else None
    request.state.csrf = session.csrf
    if access.is_stale(session, now=now):
        with state.store.transaction() as db:
            access.touch(db, session, now=now)
    return session, judge


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
        # The first to read a form sets its limits; how much it may be was settled before.
        form = await request.form(max_files=100, max_part_size=_MOST_BYTES)
        field = form.get("csrf")
        sent = field if isinstance(field, str) else None
    if sent is None or not hmac.compare_digest(sent.encode(), session.csrf.encode()):
        raise Refusal(403, "The page is out of date; reload it and try again.")


Judging = Annotated[Visit, Depends(_judge_form)]
Administering = Annotated[Session, Depends(_admin_form)]
