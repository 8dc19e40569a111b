"""Cookies: one for each role, out of reach of scripts and of other sites."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from metra.store.sessions import LONGEST
from metra.web.pages import LANGUAGE_COOKIE
from metra.web.state import state_of


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
