"""Which hosts we answer to, and from which pages requests that change something may come."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class Origins:
    """Refuse strange hosts, and unsafe requests that do not come from our own pages."""

    def __init__(
        self, app: ASGIApp, *, base_url: str | None, hosts: frozenset[str]
    ) -> None:
        self.app = app
        self.origin = None if base_url is None else origin_of(base_url)
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            if host_of(headers.get("host", "")) not in self.hosts:
                reply = _refusal(400, "This server does not go by that name.")
                await reply(scope, receive, send)
                return
            if scope["method"] not in _SAFE and not self._is_ours(scope, headers):
                reply = _refusal(403, "This request did not come from our own pages.")
                await reply(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _is_ours(self, scope: Scope, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin in (None, "null"):
            # Forms on pages that send no referrer have no origin; browsers tell us in
            # another header, which scripts cannot set.
            return headers.get("sec-fetch-site") == "same-origin"
        ours = self.origin or f"{scope['scheme']}://{headers.get('host', '')}"
        return origin == ours


def origin_of(url: str) -> str:
    """Scheme, host and port of an address, as browsers write them.

    >>> origin_of("https://judge.example.org/x")
    'https://judge.example.org'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def host_of(header: str) -> str:
    """The name in a Host header, without its port.

    >>> host_of("[::1]:8000"), host_of("Example.org:80")
    ('::1', 'example.org')
    """
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower()


def _refusal(status: int, error: str) -> Response:
    return Response(f'{{"error": "{error}"}}', status, media_type="application/json")
