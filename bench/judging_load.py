"""Simulated judges who save drafts and answers through a real server, and what they saw."""

import asyncio
import json
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import quantiles
from urllib.parse import urlsplit

# Replies that ask to try again. A mistake of the server (500) is none: it shall be seen.
TRANSIENT = (429, 502, 503, 504, 507)
# Seconds for which one request is tried.
PATIENCE = 600


@dataclass
class Load:
    """What the judges saw: how long saves took, and which answers were acknowledged."""

    judges: int
    items: int
    seconds: float = 0.0
    drafts: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    screens: list[float] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)
    #: How often each status was replied, and how often a connection failed.
    replies: Counter[str] = field(default_factory=Counter)

    @property
    def saves(self) -> list[float]:
        return self.drafts + self.answers

    def p95(self) -> float:
        """Milliseconds within which 95 of 100 saves, drafts and answers, were done."""
        return 1000 * quantiles(self.saves, n=20)[-1]


def run(
    base: str,
    tokens: Sequence[str],
    items: int,
    *,
    pause: float,
    load: Load | None = None,
) -> Load:
    """Let each judge answer `items` screens, resting `pause` seconds before each.

    What they see is added to `load` as they go.
    """
    load = Load(len(tokens), items) if load is None else load
    asyncio.run(_all(load, base, tokens, items, pause))
    return load


async def _all(
    load: Load, base: str, tokens: Sequence[str], items: int, pause: float
) -> None:
    begun = time.perf_counter()
    await asyncio.gather(
        *(
            _judge(load, base, token, items, pause, pause * at / len(tokens))
            for at, token in enumerate(tokens)
        )
    )
    load.seconds = time.perf_counter() - begun


async def _judge(
    load: Load, base: str, token: str, items: int, pause: float, first: float
) -> None:
    await asyncio.sleep(first)
    browser = _Browser(base, load.replies)
    try:
        await browser.come_in(token)
        work = json.loads(await browser.ask("GET", "/api/work"))
        screen, steps = work["screen"], work["protocol"]["steps"]
        for _ in range(items):
            await asyncio.sleep(pause)
            value = {step["name"]: 50 for step in steps}
            place = f"/api/screens/{screen['task']}/{screen['number']}"
            draft = {"rev": 1, "value": value, "comment": "", "events": []}
            await _timed(load.drafts, browser.ask("PUT", f"{place}/draft", draft))
            answer = {"id": str(uuid.uuid4()), "value": value}
            sent = browser.ask("POST", f"{place}/answer", answer)
            reply = json.loads(await _timed(load.answers, sent))
            load.saved.append(reply["saved"])
            if reply["next"] is None:
                break
            place = f"/api/screens/{reply['next']['task']}/{reply['next']['number']}"
            asked = browser.ask("GET", place)
            screen = json.loads(await _timed(load.screens, asked))
    finally:
        browser.close()


async def _timed(into: list[float], asked: "asyncio.Future[bytes]") -> bytes:
    begun = time.perf_counter()
    reply = await asked
    into.append(time.perf_counter() - begun)
    return reply


class _Browser:
    """As little of a browser as will do, so that it takes no time from the server."""

    def __init__(self, base: str, replies: Counter[str]) -> None:
        self.replies = replies
        self.origin = base
        self.place = urlsplit(base)
        self.csrf = self.cookie = ""
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def come_in(self, token: str) -> None:
        await self.ask("POST", f"/j/{token}", form="")
        for page in ("consent", "guide"):
            text = (await self.ask("GET", f"/judge/{page}")).decode()
            mark = 'name="csrf-token" content="'
            self.csrf = text.partition(mark)[2].partition('"')[0]
            await self.ask("POST", f"/judge/{page}", form="agree=yes")

    async def ask(
        self, method: str, path: str, body: object = None, *, form: str | None = None
    ) -> bytes:
        """Send until there is a reply, as the page does: all that is sent may come twice."""
        content = json.dumps(body).encode() if body is not None else b""
        kind = "application/json"
        if form is not None:
            content = f"csrf={self.csrf}&{form}".encode()
            kind = "application/x-www-form-urlencoded"
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                status, reply = await self.exchange(method, path, content, kind)
            except (OSError, asyncio.IncompleteReadError):
                # A server closes connections that have long been quiet.
                self.close()
                self.replies["no reply"] += 1
                if time.monotonic() > give_up:
                    raise
            else:
                self.replies[str(status)] += 1
                if status < 400:
                    return reply
                if status not in TRANSIENT or time.monotonic() > give_up:
                    msg = f"{method} {path} answered {status}: {reply.decode()}"
                    raise RuntimeError(msg)
            await asyncio.sleep(0.1)

    async def exchange(
        self, method: str, path: str, content: bytes, kind: str
    ) -> tuple[int, bytes]:
        if self.streams is None:
            self.streams = await asyncio.open_connection(
                self.place.hostname, self.place.port
            )
        reader, writer = self.streams
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self.place.netloc}\r\n"
            f"Origin: {self.origin}\r\nCookie: {self.cookie}\r\n"
            f"X-CSRF-Token: {self.csrf}\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        writer.write(head.encode() + content)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        status, length = int(lines[0].split()[1]), 0
        for line in lines[1:]:
            name, _, value = line.partition(": ")
            if name == "content-length":
                length = int(value)
            if name == "set-cookie":
                self.cookie = value.partition(";")[0]
        return status, await reader.readexactly(length)

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None
