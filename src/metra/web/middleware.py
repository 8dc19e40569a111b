"""Middleware: host and origin, limits of bodies, headers, errors; and masked logs."""

import logging
import re
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from metra.limits import SERVED, apply_variable, get_limits, use_limits

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SMALL = 64_000
_API = 1_000_000
TOO_LARGE = "The request is too large."
_log = logging.getLogger("metra.web")
_POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "frame-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
)
ALWAYS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": (
        "camera=(), microphone=(), geolocation=(), payment=(), usb=(), "
        "browsing-topics=(), interest-cohort=()"
    ),
    "X-Robots-Tag": "noindex, nofollow",
}


#: Headers that a page may state for itself.
_OWN = ("Content-Security-Policy",)


class Guard:
    """Middleware around every request: headers, errors, limits of bodies, host and origin."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        base_url: str | None = None,
        hosts: frozenset[str] = LOOPBACK,
        secure: bool = False,
    ) -> None:
        self.app = app
        self.origin = None if base_url is None else parse_origin(base_url)
        self.hosts = hosts
        self.headers = dict(ALWAYS)
        if secure:
            self.headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; internal errors are logged, and replied to without details."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_started = False
        # Browsers may cache static files only.
        is_static = scope["path"].startswith("/static/")

        async def send_guarded(message: Message) -> None:
            nonlocal is_started
            if message["type"] == "http.response.start":
                is_started = True
                headers = MutableHeaders(scope=message)
                # A report states which of its scripts may run.
                own = {name: headers[name] for name in _OWN if name in headers}
                headers.update(self.headers | own)
                headers["Cache-Control"] = "no-cache" if is_static else "no-store"
            await send(message)

        try:
            with use_limits(apply_variable(SERVED)):
                await self._handle(scope, receive, send_guarded)
        except ClientDisconnect:
            _log.info("A client disconnected during a request.")
        except Exception:
            _log.exception("A request failed: %s", scope.get("method"))
            if is_started:
                raise
            error = "An internal error occurred; try again in a moment."
            await reply_error(500, error)(scope, receive, send_guarded)

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse bodies above a limit, announced or as they arrive, and other sites."""
        limit = _get_body_limit(scope)
        headers = Headers(scope=scope)
        announced = headers.get("content-length", "0")
        if not announced.isdecimal() or int(announced) > limit:
            # The rest of the body is not read, so the connection cannot be used again.
            refusal: Response | None = reply_error(413, TOO_LARGE, Connection="close")
        else:
            refusal = self._refuse_others(scope, headers)
        bytes_read = 0

        async def count_bytes() -> Message:
            nonlocal bytes_read
            message = await receive()
            bytes_read += len(message.get("body", b""))
            if bytes_read > limit:
                # Only this kind of exception passes through the code that reads bodies.
                raise HTTPException(413, headers={"Connection": "close"})
            return message

        await (refusal or self.app)(scope, count_bytes, send)

    def _refuse_others(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the refusal of an unknown host, or of a change from another site."""
        if parse_host(headers.get("host", "")) not in self.hosts:
            return reply_error(
                400, "This server does not accept the host name of the request."
            )
        origin = headers.get("origin")
        if origin in (None, "null"):
            # Forms on pages that send no referrer have no origin; browsers send another
            # header instead, which scripts cannot set.
            is_ours = headers.get("sec-fetch-site") == "same-origin"
        else:
            ours = self.origin or f"{scope['scheme']}://{headers.get('host', '')}"
            is_ours = origin == ours
        is_program = scope["path"].startswith("/api/w/") and _has_token(scope)
        if is_ours or is_program or scope["method"] in SAFE_METHODS:
            return None
        return reply_error(403, "This request did not come from a page of this server.")


def _get_body_limit(scope: Scope) -> int:
    """Return how many bytes a request may send; few where no session is needed."""
    path = scope["path"]
    if path.startswith("/api/screens/"):
        return _API
    if path.startswith("/api/w/") and _has_token(scope):
        return get_limits().upload
    if path.startswith(("/admin/campaigns/", "/w/")):
        cookies = b";".join(v for k, v in scope["headers"] if k == b"cookie")
        return get_limits().upload if b"metra-admin=" in cookies else _SMALL
    return _SMALL


def _has_token(scope: Scope) -> bool:
    """Return True for a program with a token; browsers send none to other sites."""
    names = {name for name, _ in scope["headers"]}
    return b"authorization" in names and not names & {b"cookie", b"origin"}


def parse_origin(url: str) -> str:
    """Return scheme, host and port of a URL, as browsers write them.

    >>> parse_origin("https://judge.example.org/x")
    'https://judge.example.org'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def parse_host(header: str) -> str:
    """Return the name in a Host header, without its port.

    >>> parse_host("[::1]:8000"), parse_host("Example.org:80")
    ('::1', 'example.org')
    """
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower()


def reply_error(status: int, error: str, **headers: str) -> Response:
    """Reply with an error as JSON, before any route is known."""
    body = f'{{"error": "{error}"}}'
    return Response(body, status, headers, media_type="application/json")


_LINK = re.compile(r"(/(?:j|open)/)[^\s/?#\"']+")


class MaskSecrets(logging.Filter):
    """Log filter that replaces the secrets in links by a mark."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Mask one record; every record is logged."""
        record.msg = mask_secrets(record.msg)
        if isinstance(record.args, tuple):
            record.args = tuple(map(mask_secrets, record.args))
        return True


def mask_secrets(value: Any) -> Any:
    """Mask the secrets in a text; other values stay as they are.

    >>> mask_secrets("GET /j/abc HTTP/1.1")
    'GET /j/*** HTTP/1.1'
    """
    return _LINK.sub(r"\1***", value) if isinstance(value, str) else value


def get_client_address(request: Request) -> str:
    """Return the client's address; for IPv6 its /64 network, which one client owns."""
    client = request.client.host if request.client is not None else ""
    try:
        address = ip_address(client)
    except ValueError:
        return client[:100]
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(IPv6Network((int(address), 64), strict=False))
    return str(address)
