"""The judging app under uvicorn, in one process or several."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI

from metra import store
from metra.errors import OptionError
from metra.web.app import create_app
from metra.web.security.headers import LOOPBACK

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


def run_server(serving: ServerOptions) -> None:
    """Serve until interrupted."""
    import uvicorn

    from metra.web import connections

    check_encryption(serving)
    connections.raise_file_limit()
    os.environ[_VARIABLE] = json.dumps(asdict(serving))
    uvicorn.run(
        "metra.web.server:app",
        factory=True,
        host=serving.host,
        port=serving.port,
        workers=serving.workers,
        proxy_headers=serving.proxy is not None,
        forwarded_allow_ips=serving.proxy or "",
        server_header=False,
        http=connections.TimedProtocol,
        ws="none",
        timeout_keep_alive=connections.KEPT_ALIVE_SECONDS,
        log_config=LOGGING,
        timeout_graceful_shutdown=10,
        # A worker that a busy machine lets wait, above all at its start, is not dead.
        timeout_worker_healthcheck=60,
    )


def app() -> FastAPI:
    """Create the app that a worker's environment describes."""
    from metra.web.connections import end_with_parent

    end_with_parent()
    serving = ServerOptions(**json.loads(os.environ[_VARIABLE]))
    return create_app(
        store.open(serving.url, create=False),
        base_url=serving.base_url,
        hosts=frozenset({serving.host.lower()}),
        away_after=3600 * serving.away_hours,
    )


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


def check_port_free(host: str, port: int) -> None:
    """Raise an error if the address is taken, before anything starts.

    Workers of a server that was killed need a moment to notice that.
    """
    import time

    for wait in (0.1, 0.4, 1.5, 0):
        try:
            _bind(host, port)
            return
        except OSError as error:
            why = error.strerror or str(error)
        time.sleep(wait)
    msg = f"Cannot listen on {host}, port {port} ({why}); choose another port with --port."
    raise OptionError(msg)


def find_free_port(preferred: int) -> int:
    """Return the preferred port if it is free, else another free port."""
    for port in (preferred, 0):
        with suppress(OSError):
            return _bind("127.0.0.1", port)
    return preferred


def _bind(host: str, port: int) -> int:
    """Listen at an address for a moment and return the port, which 0 leaves open."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trial.bind((host, port))
        return int(trial.getsockname()[1])


_HANDLER = {"class": "logging.StreamHandler", "formatter": "plain"}
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"secrets": {"()": "metra.web.security.limits.MaskSecrets"}},
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(message)s"}},
    "handlers": {"error": _HANDLER | {"filters": ["secrets"]}},
    "loggers": {
        name: {"handlers": ["error"], "level": "INFO", "propagate": False}
        for name in ("uvicorn", "uvicorn.access", "uvicorn.error", "metra.web")
    },
}
