"""A limit on what may be sent, enforced before it is read.

What goes wrong inside is logged here and told to nobody else.
Logs without the secrets of links.
Where a request comes from, as far as limits need to know.
"""

import logging
import re
from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network, ip_address

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOO_LARGE = "That is more than can be taken in at once."


class BodyLimit:
    """Refuse bodies above a limit: by the length they announce, or as they come."""

    def __init__(self, app: ASGIApp, *, limit_of: Callable[[Scope], int]) -> None:
        self.app = app
        self.limit_of = limit_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self.limit_of(scope)
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if not announced.isdigit() or int(announced) > limit:
            await self._refuse(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                # Of all exceptions, only this kind gets through who reads bodies.
                raise HTTPException(413, headers={"Connection": "close"})
            return message

        await self.app(scope, counted, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The rest of the body is not read, so the connection cannot be used again.
        reply = Response(
            f'{{"error": "{TOO_LARGE}"}}',
            413,
            media_type="application/json",
            headers={"Connection": "close"},
        )
        await reply(scope, receive, send)


_log = logging.getLogger("metra.web")


class ErrorReplies:
    """Turn an error of ours into a reply that gives nothing away."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except Exception:
            _log.exception("A request failed: %s", scope.get("method"))
            if begun or scope["type"] != "http":
                raise
            body = b'{"error": "The server made a mistake; try again in a moment."}'
            reply = Response(body, 500, media_type="application/json")
            await reply(scope, receive, send)


_LINK = re.compile(r"(/j/)[^\s/?#\"']+")


class MaskSecrets(logging.Filter):
    """Put a sign in place of every link's secret, wherever it stands in a record."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Mask one record; none is left out."""
        record.msg = (
            mask_secrets(record.msg) if isinstance(record.msg, str) else record.msg
        )
        if isinstance(record.args, tuple):
            record.args = tuple(
                mask_secrets(one) if isinstance(one, str) else one
                for one in record.args
            )
        return True


def mask_secrets(text: str) -> str:
    """Hide the secrets in a text.

    >>> mask_secrets("GET /j/abc HTTP/1.1")
    'GET /j/*** HTTP/1.1'
    """
    return _LINK.sub(r"\1***", text)


def get_client_address(request: Request) -> str:
    """The client's address; of version 6 the network, since a client owns many."""
    client = request.client.host if request.client is not None else ""
    try:
        address = ip_address(client)
    except ValueError:
        return client[:100]
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(IPv6Network((int(address), 64), strict=False))
    return str(address)
