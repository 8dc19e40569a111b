"""What every request can reach, and replies to requests that are refused."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from metra.errors import MetraError
from metra.store.answers import ConflictError
from metra.store.database import Store
from metra.web.pages import render_page, reply_json
from metra.web.security.limits import TOO_LARGE


class Refusal(Exception):  # noqa: N818 - it is no error of ours
    """A request that is refused; `more` is added to the JSON reply."""

    def __init__(self, status: int, error: str, **more: Any) -> None:
        super().__init__(error)
        self.status = status
        self.error = error
        self.more = more

    @classmethod
    def judge_signed_out(cls) -> "Refusal":
        """Return the refusal for a judge without a valid session."""
        error = "You are not signed in, or no longer; open your link again."
        return cls(401, error, reason="session", role="judge")

    @classmethod
    def admin_signed_out(cls) -> "Refusal":
        """Return the refusal for an admin without a valid session."""
        error = "You are not signed in, or no longer; sign in again."
        return cls(401, error, reason="session", role="admin")

    @classmethod
    def not_found(cls) -> "Refusal":
        """Return the refusal for what does not exist or belongs to somebody else."""
        return cls(404, "There is no such thing here.")


def add_error_handlers(app: FastAPI) -> None:
    """Register replies for all errors that a request can end with."""

    @app.exception_handler(Refusal)
    def _refusal(request: Request, refusal: Refusal) -> Response:
        return reply_refusal(request, refusal.status, refusal.error, **refusal.more)

    @app.exception_handler(ConflictError)
    def _conflict(request: Request, error: ConflictError) -> Response:
        return reply_refusal(request, 409, str(error))

    @app.exception_handler(MetraError)
    def _wrong(request: Request, error: MetraError) -> Response:
        return reply_refusal(request, 422, str(error))

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return reply_refusal(request, 422, f"{place}: {first['msg']}.")

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> Response:
        words = {
            404: "There is no such thing here.",
            405: "That cannot be done here.",
            413: TOO_LARGE,
        }
        said = words.get(error.status_code, "The request cannot be understood.")
        reply = reply_refusal(request, error.status_code, said)
        for name, value in (error.headers or {}).items():
            reply.headers[name] = value
        return reply


def reply_refusal(request: Request, status: int, error: str, **more: Any) -> Response:
    """Reply with JSON to scripts and with a page to people."""
    path = request.url.path
    role = more.pop("role", "")
    headers = more.pop("headers", {})
    if path.startswith("/api/"):
        reply = reply_json({"error": error} | more, status)
    elif role == "admin" and request.method == "GET":
        reply = Response(status_code=303, headers={"Location": "/admin/login"})
    else:
        known = {401: "signed_out", 404: "not_found"}
        message = known.get(status, "refused") if role != "admin" else "refused"
        # Sentences about single requests are in English only.
        english = {"text": error, "text_language": "en"}
        said = english if message == "refused" else {}
        reply = render_page(
            request, "judge/message.html", status=status, message=message, **said
        )
    for name, value in headers.items():
        reply.headers[name] = value
    return reply


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


def get_state(request: Request) -> AppState:
    """Return the state of the app that serves a request."""
    return request.app.state.metra
