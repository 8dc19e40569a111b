"""A limit on what may be sent, enforced before it is read."""

from collections.abc import Callable

from starlette.exceptions import HTTPException
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
