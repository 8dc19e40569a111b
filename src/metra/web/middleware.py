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


class OriginCheck:
    """Middleware that refuses unknown hosts and unsafe requests from other sites."""

    def __init__(
        self, app: ASGIApp, *, base_url: str | None, hosts: frozenset[str]
    ) -> None:
        self.app = app
        self.origin = None if base_url is None else parse_origin(base_url)
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        reply = self._refuse(scope) if scope["type"] == "http" else None
        await (reply or self.app)(scope, receive, send)

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the refusal of a request from elsewhere, else None."""
        headers = Headers(scope=scope)
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
        if is_ours or scope["method"] in SAFE_METHODS:
            return None
        return reply_error(403, "This request did not come from a page of this server.")


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
_HTTPS = "max-age=31536000"


class SecurityHeaders:
    """Middleware that adds the headers; browsers may cache static files only."""

    def __init__(self, app: ASGIApp, *, secure: bool) -> None:
        self.app = app
        self.headers = dict(ALWAYS)
        if secure:
            self.headers["Strict-Transport-Security"] = _HTTPS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        static = scope["path"].startswith("/static/")

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers[name] = value
                headers["Cache-Control"] = "no-cache" if static else "no-store"
            await send(message)

        await self.app(scope, receive, with_headers)


_SMALL = 64_000
_API = 1_000_000
TOO_LARGE = "The request is too large."


class BodyLimit:
    """Middleware that refuses bodies above a limit, announced or as they arrive."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request with the limits of the server."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with use_limits(apply_variable(SERVED)):
            await self._handle(scope, receive, send)

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = _get_body_limit(scope)
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if not announced.isdigit() or int(announced) > limit:
            # The rest of the body is not read, so the connection cannot be used again.
            reply = reply_error(413, TOO_LARGE, Connection="close")
            await reply(scope, receive, send)
            return
        read = 0

        async def count_bytes() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                # Only this kind of exception passes through the code that reads bodies.
                raise HTTPException(413, headers={"Connection": "close"})
            return message

        await self.app(scope, count_bytes, send)


def _get_body_limit(scope: Scope) -> int:
    """Return how many bytes a request may send; few where no session is needed."""
    path = scope["path"]
    if path.startswith("/api/screens/"):
        return _API
    if path.startswith("/admin/campaigns/"):
        cookies = b";".join(v for k, v in scope["headers"] if k == b"cookie")
        return get_limits().upload if b"metra-admin=" in cookies else _SMALL
    return _SMALL


_log = logging.getLogger("metra.web")


class ErrorReplies:
    """Middleware that logs internal errors and replies without details."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        started = False

        async def note_start(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, note_start)
        except ClientDisconnect:
            _log.info("A client disconnected during a request.")
        except Exception:
            _log.exception("A request failed: %s", scope.get("method"))
            if started or scope["type"] != "http":
                raise
            error = "An internal error occurred; try again in a moment."
            reply = reply_error(500, error)
            await reply(scope, receive, send)


_LINK = re.compile(r"(/j/)[^\s/?#\"']+")


class MaskSecrets(logging.Filter):
    """Log filter that replaces the secrets of judges' links by a mark."""

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
