"""The judge or admin behind a request: cookies, sessions and the check of form tokens.

Routes declare whom they serve by depending on `Judging` or `Administering`; their routers
make them of the class `CheckedRoute`.
"""

import hmac
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from metra.store import access, judges
from metra.store.access import LONGEST, Session
from metra.store.judges import Judge
from metra.web.middleware import SAFE_METHODS
from metra.web.replies import LANGUAGE_COOKIE, Refusal, get_state


def get_cookie_name(request: Request, role: str) -> str:
    """Return the name of a role's cookie; the prefix binds it to this host."""
    return f"__Host-metra-{role}" if get_state(request).secure else f"metra-{role}"


def put_session(request: Request, reply: Response, role: str, token: str) -> None:
    """Set the cookie with a session's secret."""
    name, age = get_cookie_name(request, role), int(LONGEST[role])
    reply.set_cookie(name, token, max_age=age, **_get_cookie_options(request))


def drop_session(request: Request, reply: Response, role: str) -> None:
    """Delete the session's cookie."""
    reply.delete_cookie(get_cookie_name(request, role), **_get_cookie_options(request))


def sign_mark(db: Connection, name: str, kind: str, mark: str) -> str:
    """Sign a mark for an admin; a new password makes all of them worthless."""
    password_hash = access.find_password_hash(db, name) or ""
    return f"{mark}.{access.sign_text(password_hash, f'{kind} {mark} {name}')}"


def check_mark(db: Connection, name: str, kind: str, signed: str) -> str:
    """Return a mark that was signed for this admin; empty if it was not."""
    mark, _, signature = signed.partition(".")
    kept = access.find_password_hash(db, name)
    is_ours = access.check_signature(kept, f"{kind} {mark} {name}", signature)
    return mark if is_ours else ""


def put_device(request: Request, reply: Response, device: str) -> None:
    """Set the cookie with the mark of the browser; it opens nothing."""
    name, age = get_cookie_name(request, "device"), 365 * 86400
    reply.set_cookie(name, device, max_age=age, **_get_cookie_options(request))


def find_device(request: Request, db: Connection, name: str) -> str:
    """Return the mark of a browser in which this admin has signed in; empty if it is none."""
    cookie = request.cookies.get(get_cookie_name(request, "device"), "")
    return check_mark(db, name, "device", cookie)


def put_language(request: Request, reply: Response, language: str) -> None:
    """Set the cookie with the language of the pages."""
    reply.set_cookie(
        LANGUAGE_COOKIE, language, max_age=365 * 86400, **_get_cookie_options(request)
    )


def _get_cookie_options(request: Request) -> dict[str, Any]:
    """Return options that keep cookies from scripts and other sites."""
    return {"secure": get_state(request).secure, "httponly": True, "samesite": "lax"}


_MOST_BYTES = 64_000_000
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


@dataclass(frozen=True, slots=True)
class Visit:
    """A judge and their session."""

    session: Session
    judge: Judge


def get_session(request: Request, role: str) -> Session | None:
    """Return the valid session behind a role's cookie, if any."""
    owner = _find_cookie_session(request, role)
    return None if owner is None else owner[0]


def _require_judge(request: Request) -> Visit:
    owner = _find_cookie_session(request, "judge")
    if owner is None or owner[1] is None or owner[1].revoked_at is not None:
        raise Refusal.signed_out(role="judge")
    return Visit(owner[0], owner[1])


def _require_admin(request: Request) -> Session:
    owner = _find_cookie_session(request, "admin")
    if owner is None:
        raise Refusal.signed_out(role="admin")
    request.state.who = owner[0].name
    return owner[0]


def _find_cookie_session(
    request: Request, role: str
) -> tuple[Session, Judge | None] | None:
    token = request.cookies.get(get_cookie_name(request, role))
    if not token:
        return None
    state = get_state(request)
    now = state.clock()
    with state.store.reading() as db:
        session = access.find_session(db, token, now=now)
        if session is None or session.role != role:
            return None
        judge = None if session.judge is None else judges.find_judge(db, session.judge)
    request.state.csrf = session.csrf
    if now - session.seen_at > access.NOTICE_SECONDS:
        with state.store.transaction() as db:
            access.extend_session(db, session, now=now)
    return session, judge


async def _check_form(request: Request) -> None:
    """Refuse a change that lacks the CSRF token of the session."""
    if request.method in SAFE_METHODS:
        return
    sent = request.headers.get("x-csrf-token")
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if sent is None and kind in _FORMS:
        # The first reader of a form sets its limits; `Guard` has checked its size before.
        form = await request.form(max_files=100, max_part_size=_MOST_BYTES)
        field = form.get("csrf")
        sent = field if isinstance(field, str) else None
    if sent is None or not hmac.compare_digest(
        sent.encode(), request.state.csrf.encode()
    ):
        raise Refusal(403, "The page is out of date; reload it and try again.")


async def _get_judge(request: Request) -> Visit:
    return request.state.visitor


async def _get_admin(request: Request) -> Session:
    return request.state.visitor


Judging = Annotated[Visit, Depends(_get_judge)]
Administering = Annotated[Session, Depends(_get_admin)]
_FINDERS = {_get_judge: _require_judge, _get_admin: _require_admin}


class CheckedRoute(APIRoute):
    """A route that checks session and form token before it reads what was sent.

    FastAPI reads and parses bodies before it asks for what a route depends on.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, with the checks of `Judging` or `Administering` before it."""
        handle = super().get_route_handler()
        calls = set(_iterate_calls(self.dependant))
        finders = [find for get, find in _FINDERS.items() if get in calls]

        async def check_and_handle(request: Request) -> Response:
            for find in finders:
                request.state.visitor = await run_in_threadpool(find, request)
                await _check_form(request)
            return await handle(request)

        return check_and_handle


def _iterate_calls(dependant: Dependant) -> Iterator[Any]:
    """Yield all functions that a route depends on."""
    for one in dependant.dependencies:
        yield one.call
        yield from _iterate_calls(one)
