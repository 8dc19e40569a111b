"""Limits on request bodies, replies to internal errors, masked logs, client addresses."""

import logging
import re
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from metra.limits import SERVED, apply_variable, get_limits, use_limits
from metra.web.security.headers import reply_error

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
