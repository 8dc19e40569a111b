"""The judging app under uvicorn, in one process or several, with time-outs of connections."""

import asyncio
import json
import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlsplit

import h11
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from metra import store
from metra.errors import OptionError
from metra.web.app import create_app
from metra.web.middleware import LOOPBACK
from metra.web.replies import Opening
from metra.workbench.imports import ACCOUNT
from metra.workbench.worker import start_worker

# Workers are separate processes; their environment tells them what to serve.
_VARIABLE = "METRA_JUDGE_SERVING"


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Which store to serve, and at which address."""

    url: str
    host: str = "127.0.0.1"
    port: int = 8000
    base_url: str | None = None
    workers: int = 1
    #: The proxy that is trusted about the client's address.
    proxy: str | None = None
    away_hours: float = 72.0
    #: The secret of the address that `metra open` prints, and the page that it opens.
    opening: str = ""
    page: str = ""
    browser: bool = False


def run_server(serving: ServerOptions) -> None:
    """Serve until interrupted."""
    import uvicorn

    check_encryption(serving)
    raise_file_limit()
    os.environ[_VARIABLE] = json.dumps(asdict(serving))
    if serving.browser:
        threading.Thread(target=_open_browser, args=[serving], daemon=True).start()
    uvicorn.run(
        "metra.web.server:app",
        factory=True,
        host=serving.host,
        port=serving.port,
        workers=serving.workers,
        proxy_headers=serving.proxy is not None,
        forwarded_allow_ips=serving.proxy or "",
        server_header=False,
        http=TimedProtocol,
        ws="none",
        timeout_keep_alive=KEPT_ALIVE_SECONDS,
        log_config=LOGGING,
        timeout_graceful_shutdown=10,
        # A worker that a busy machine lets wait, above all at its start, is not dead.
        timeout_worker_healthcheck=60,
    )


def app() -> FastAPI:
    """Create the app that a worker's environment describes."""
    end_with_parent()
    serving = ServerOptions(**json.loads(os.environ[_VARIABLE]))
    opened, opening = store.open(serving.url, create=False), None
    if serving.opening:
        opening = Opening(serving.opening, ACCOUNT, serving.page)
    start_worker(opened, time.time)
    return create_app(
        opened,
        opening=opening,
        base_url=serving.base_url,
        hosts=frozenset({serving.host.lower()}),
        away_after=3600 * serving.away_hours,
    )


def _open_browser(serving: ServerOptions) -> None:
    """Open the browser as soon as the server answers."""
    import webbrowser

    place = (serving.host, serving.port)
    for _ in range(100):
        with suppress(OSError), socket.create_connection(place, 1):
            webbrowser.open(
                f"http://{serving.host}:{serving.port}/open/{serving.opening}"
            )
            return
        time.sleep(0.1)


def check_encryption(serving: ServerOptions) -> None:
    """Raise an error if other machines could reach the app without encryption."""
    base = serving.base_url
    if base is not None:
        check_base_url(base)
    if serving.proxy is not None:
        check_proxy(serving.proxy)
    public = serving.host not in LOOPBACK
    if public and not (base or "").startswith("https://"):
        msg = (
            f"--host {serving.host} can be reached from other machines; give the "
            "public address of a proxy that encrypts with --base-url https://…"
        )
        raise OptionError(msg)


def check_base_url(base: str) -> None:
    """Raise an error if the URL is not one that a browser can reach."""
    try:
        parts = urlsplit(base)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        fits = False
    if not fits:
        msg = f"--base-url is {base!r}; expected https://NAME (or http:// on this machine)."
        raise OptionError(msg)


def check_proxy(address: str) -> None:
    """Raise an error unless the proxy is a single address: whoever has it is believed."""
    try:
        ip_address(address)
    except ValueError:
        msg = (
            f"--behind-proxy is {address!r}; expected the address from which the proxy "
            "connects, such as 127.0.0.1 or ::1."
        )
        raise OptionError(msg) from None


def choose_port(port: int) -> int:
    """Return the port if it is free, or a free one for 0."""
    if port:
        check_port_free("127.0.0.1", port)
        return port
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def check_port_free(host: str, port: int) -> None:
    """Raise an error if the address is taken, before anything starts.

    Workers of a server that was killed need a moment to notice that.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for wait in (0.1, 0.4, 1.5, 0):
        try:
            with socket.socket(family) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind((host, port))
                return
        except OSError as error:
            why = error.strerror or str(error)
        time.sleep(wait)
    msg = f"Cannot listen on {host}, port {port} ({why}); choose another port with --port."
    raise OptionError(msg)


_HANDLER = {"class": "logging.StreamHandler", "formatter": "plain"}
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"secrets": {"()": "metra.web.middleware.MaskSecrets"}},
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(message)s"}},
    "handlers": {"error": _HANDLER | {"filters": ["secrets"]}},
    "loggers": {
        name: {"handlers": ["error"], "level": "INFO", "propagate": False}
        for name in ("uvicorn", "uvicorn.access", "uvicorn.error", "metra.web")
    },
}


#: Seconds without a request, in which uvicorn's own are contained.
IDLE_SECONDS = 15.0
KEPT_ALIVE_SECONDS = 5
#: Seconds for the first line and the headers of a request, from its first byte on.
HEADER_SECONDS = 20.0
#: Seconds between two pieces of a body, or of a reply that the client reads.
STALL_SECONDS = 30.0
#: Seconds for a whole request.
REQUEST_SECONDS = 600.0

_log = logging.getLogger("metra.web")


class TimedProtocol(H11Protocol):
    """HTTP/1.1 in which a client that lets the server wait is disconnected.

    While the app works on a complete request nothing is counted.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._timer: asyncio.TimerHandle | None = None
        #: What the client has to do next, if anything, and since when it sends a request.
        self._awaited: str | None = None
        self._begun = 0.0
        self._unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(cast("asyncio.Transport", _Lingering(transport, self)))
        self.watch()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a request; data after its end is lost."""
        if not self.transport.is_closing():
            super().data_received(data)
            self.watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self.watch()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self.watch()

    def resume_writing(self) -> None:
        """Wait no more for the client to read."""
        super().resume_writing()
        self.watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        super().connection_lost(exc)
        self._start_timer(None)

    def watch(self) -> None:
        """Start the timer of what the client has to do next."""
        awaited, before = self._find_awaited(), self._awaited
        now, sending = self.loop.time(), ("headers", "body")
        if awaited in sending and before not in sending:
            self._begun = now
        self._awaited = awaited
        if awaited is None:
            self._start_timer(None)
        elif awaited == "body":
            left = self._begun + REQUEST_SECONDS - now
            self._start_timer(min(STALL_SECONDS, left))
        elif awaited != before:
            seconds = {"request": IDLE_SECONDS, "headers": HEADER_SECONDS}
            self._start_timer(seconds.get(awaited, STALL_SECONDS))

    def _find_awaited(self) -> str | None:
        if self.flow.write_paused or self.transport.is_closing():
            return "reading"
        if self.conn.their_state is h11.IDLE:
            return "headers" if self.conn.trailing_data[0] else "request"
        return "body" if self.conn.their_state is h11.SEND_BODY else None

    def _start_timer(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None:
            self._unread = self.transport.get_write_buffer_size()
            self._timer = self.loop.call_later(max(0.0, seconds), self._end)

    def _end(self) -> None:
        """Disconnect the client, unless it is reading, or the app takes the body slowly."""
        is_reading = self.transport.get_write_buffer_size() < self._unread
        if is_reading or (self._awaited == "body" and self.flow.read_paused):
            self._start_timer(STALL_SECONDS)
            return
        self._timer = None
        self.transport.abort()


class _Lingering:
    """A transport that lets a client finish sending, if it was answered before it had.

    Closed at once, it would break the connection, and the client, or the proxy before it, might
    never read the reply.
    """

    def __init__(self, transport: asyncio.Transport, protocol: TimedProtocol) -> None:
        self._transport = transport
        self._protocol = protocol
        self._is_ended = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        """Return True if nothing more will be written."""
        return self._is_ended or self._transport.is_closing()

    def close(self) -> None:
        """Close, or write the end and wait for the client to close, no longer than others."""
        if self._protocol.conn.their_state is not h11.SEND_BODY:
            self._transport.close()
        elif not self.is_closing():
            self._is_ended = True
            self._transport.write_eof()
            self._transport.resume_reading()
            self._protocol.watch()


def end_with_parent() -> None:
    """Let this process, if it is a worker, stop gracefully when its parent is gone.

    Nobody would restart it or stop it, and it would keep the port from the next server.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        _log.error("The parent process has ended; the worker stops.")
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True, name="metra-parent").start()


def raise_file_limit() -> None:
    """Allow as many open connections as the system lets us."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
