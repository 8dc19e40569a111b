"""What goes wrong inside is logged here and told to nobody else."""

import logging

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_log = logging.getLogger("metra.web")


class Failures:
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
