"""The check of host and origin, and the headers of every response."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
