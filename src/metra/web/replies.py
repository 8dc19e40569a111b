"""Replies: pages, JSON, redirects and refusals; and the state of the app."""

import json
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from metra.errors import MetraError, StoreError, format_count
from metra.store.answers import ConflictError
from metra.store.database import Store
from metra.web.middleware import TOO_LARGE
from metra.web.strings import choose_language, get_direction, load_strings

if TYPE_CHECKING:
    from jinja2 import Environment


class Refusal(Exception):  # noqa: N818 - it is no error of ours
    """The refusal of a request; `more` is added to the JSON reply."""

    def __init__(self, status: int, error: str, **more: Any) -> None:
        super().__init__(error)
        self.status = status
        self.error = error
        self.more = more

    @classmethod
    def signed_out(cls, role: str) -> "Refusal":
        """Return the refusal for a judge or an admin without a valid session."""
        remedy = "open your link again" if role == "judge" else "sign in again"
        error = f"You are not signed in; {remedy}."
        return cls(401, error, reason="session", role=role)

    @classmethod
    def too_many_wrong(cls, wait: float, what: str) -> "Refusal":
        """Return the refusal of an attempt that has to wait for so many seconds."""
        seconds = math.ceil(wait)
        error = (
            f"Too many wrong {what}; try again in {format_count(seconds, 'second')}."
        )
        return cls(429, error, headers={"Retry-After": str(seconds)})

    @classmethod
    def not_found(cls) -> "Refusal":
        """Return the refusal for what does not exist or belongs to somebody else."""
        return cls(404, _WORDS[404])


_WORDS = {404: "Not found.", 405: "This action is not allowed here.", 413: TOO_LARGE}


def add_error_handlers(app: FastAPI) -> None:
    """Register the reply to all errors that a request can end with."""
    for kind in (Refusal, MetraError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _reply_to_error)


#: What people are told about a store that cannot be used; the log says more.
_STORE_WORDS = {
    "full": "The server's disk is full; its operator must free some space.",
    "read-only": "The server has no permission to write to its store; tell its operator.",
    "damaged": "The server's store is damaged; its operator finds details in the log.",
    "busy": "The server's store is busy; try again in a moment.",
    "unreachable": "The server cannot reach its store; try again in a moment.",
    "fault": "An internal error occurred; try again in a moment.",
}
_STORE_STATUS = {"full": 507, "fault": 500}
_log = logging.getLogger("metra.web")


def _reply_to_store_error(request: Request, error: StoreError) -> Response:
    """Reply that nothing was saved and that the same request may be sent again."""
    details = error if error.kind == "fault" else None
    _log.error("%s %s: %s", request.method, request.url.path, error, exc_info=details)
    said, status = _STORE_WORDS[error.kind], _STORE_STATUS.get(error.kind, 503)
    if request.url.path == "/health" or request.url.path.startswith("/api/"):
        content = {"ok": False, "error": said, "reason": "store", "store": error.kind}
        reply = reply_json(content, status)
    else:
        # An organiser is told what is wrong, in English.
        is_admin = request.url.path.startswith("/admin")
        more = {"text": said, "text_language": "en"} if is_admin else {}
        page = "judge/message.html"
        reply = render_page(request, page, status=status, message="store", **more)
    reply.headers["Retry-After"] = "5"
    return reply


def _reply_to_error(request: Request, error: Exception) -> Response:
    if isinstance(error, StoreError):
        return _reply_to_store_error(request, error)
    more: dict[str, Any] = {}
    if isinstance(error, Refusal):
        status, said, more = error.status, error.error, dict(error.more)
    elif isinstance(error, RequestValidationError):
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        status, said = 422, f"{place}: {first['msg']}."
    elif isinstance(error, HTTPException):
        status = error.status_code
        said = _WORDS.get(status, "The request is malformed.")
        more["headers"] = error.headers or {}
    else:
        status, said = 409 if isinstance(error, ConflictError) else 422, str(error)
    role, headers = more.pop("role", ""), more.pop("headers", {})
    reply = _reply_refusal(request, status, said, role, more)
    for name, value in headers.items():
        reply.headers[name] = value
    return reply


def _reply_refusal(
    request: Request, status: int, error: str, role: str, more: dict[str, Any]
) -> Response:
    """Reply with JSON to scripts and with a page to people."""
    if request.url.path.startswith("/api/"):
        return reply_json({"error": error} | more, status)
    if role == "admin" and request.method == "GET":
        return redirect_to("/admin/login")
    message = "refused"
    if role != "admin":
        message = {401: "signed_out", 404: "not_found"}.get(status, message)
    # Sentences about single requests are in English only.
    english = {"text": error, "text_language": "en"} if message == "refused" else {}
    return render_page(
        request, "judge/message.html", status=status, message=message, **english
    )


@dataclass(slots=True)
class Opening:
    """The address that opens the app for the user of this machine, once."""

    secret: str
    #: The account that is signed in, and the page that is shown then.
    account: str
    page: str
    is_used: bool = False


@dataclass(frozen=True, slots=True)
class AppState:
    """The store, the clock and the addresses that the app was created with."""

    store: Store
    clock: Callable[[], float]
    base_url: str | None
    #: Whether browsers reach the app by https, so that cookies may be marked secure.
    secure: bool
    #: Seconds without activity after which a judge's tasks may be reassigned.
    away_after: float
    opening: Opening | None = None


def get_state(request: Request) -> AppState:
    """Return the state of the app that serves a request."""
    return request.app.state.metra


#: The cookie that remembers the language of the pages.
LANGUAGE_COOKIE = "metra-language"


def render_page(
    request: Request, template: str, *, status: int = 200, **more: Any
) -> Response:
    """Render a template with the strings as `t`, and `lang`, `dir`, `csrf`, `here`.

    `direction` is a function of other languages. `message="paused"` fills in the heading and
    text of that message.
    """
    language = get_language(request)
    t = load_strings(language)
    if name := more.pop("message", None):
        more["heading"] = t(f"message.{name}_title")
        if "text" not in more:
            more["text"] = t(f"message.{name}_text")
    values = {
        "t": t,
        "lang": language,
        "dir": t.dir,
        "csrf": getattr(request.state, "csrf", ""),
        "direction": get_direction,
        "here": request.url.path if request.method == "GET" else "/judge",
    }
    content = load_templates().get_template(template).render(values | more)
    return HTMLResponse(content, status)


def get_language(request: Request) -> str:
    """Return the language of the pages for a request."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    return choose_language(chosen, request.headers.get("accept-language"))


def reply_json(content: Any, status: int = 200) -> Response:
    """Reply with JSON in ASCII, so that lone surrogates cannot break it."""
    body = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return Response(body, status, media_type="application/json")


def redirect_to(to: str) -> Response:
    """Redirect the browser to another page, also after a form."""
    return Response(status_code=303, headers={"Location": to})


@cache
def load_templates() -> "Environment":
    """Load the templates; all values are escaped."""
    from jinja2 import Environment, PackageLoader

    return Environment(
        loader=PackageLoader("metra.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
