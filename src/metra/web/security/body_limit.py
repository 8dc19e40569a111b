"""A limit on what may be sent, enforced before it is read."""

from collections.abc import Callable

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TOO_LARGE = b'{"error": "That is more than can be taken in at once."}'


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
        begun = False

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                raise _TooLargeError
            return message

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, counted, watched)
        except _TooLargeError:
            if begun:
                raise
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The rest of the body is not read, so the connection cannot be used again.
        reply = Response(
            _TOO_LARGE,
            413,
            media_type="application/json",
            headers={"Connection": "close"},
        )
        await reply(scope, receive, send)


class _TooLargeError(Exception):
    pass
