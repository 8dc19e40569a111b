"""A real server over a real store, and judges in real browsers who fail on any complaint."""

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.browser.complaints import collect_complaints
from tests.patience import BROWSER_MS

SOURCES = (
    "Le marché ouvre à huit heures le samedi.",
    "La pluie a duré toute la nuit, et la rivière monte.",
    "Il faut garder le reçu pour tout échange.",
    "Le train de Lyon partira avec dix minutes de retard.",
)
REFERENCES = (
    "The market opens at eight on Saturdays.",
    "It rained all night, and the river is rising.",
    "Keep the receipt for any exchange.",
    "The train from Lyon will leave ten minutes late.",
)
OUTPUTS = (
    "The market opens at eight hours the Saturday.",
    "The rain lasted all night and the river rises.",
    "One must guard the receipt for every exchange.",
    "The train to Lyon will leave ten minutes early.",
)
_names = count(1)


@dataclass
class Server:
    """A running server; `ahead` moves its clock, in seconds, also while it is stopped."""

    store: Any
    url: str = ""
    ahead: float = 0.0
    stopped: float | None = None

    def now(self) -> float:
        return (time.time() if self.stopped is None else self.stopped) + self.ahead

    def link(self, campaign: str, judge: str, token: str) -> "Link":
        return Link(self, campaign, judge, token)

    def campaign(
        self,
        protocol: str,
        *,
        outputs: Sequence[Sequence[str]] = (OUTPUTS,),
        sources: Sequence[str] = SOURCES,
        references: Sequence[str] = REFERENCES,
        documents: Sequence[str] | None = None,
        languages: tuple[str, str] = ("fr", "en"),
        guided: bool = True,
        material: dict[str, Any] | None = None,
        **wishes: Any,
    ) -> "Link":
        """One judge who sees everything once, in order; `guided` spares her the guide."""
        from metra.campaign.campaign import Campaign, CampaignSegment, System
        from metra.campaign.protocols.registry import protocol as known
        from metra.campaign.settings import check_settings

        table = {
            "name": protocol,
            "protocol": protocol,
            "source_language": languages[0],
            "target_language": languages[1],
            "judges": ["ann"],
            "each": 1,
            "calibration": 0,
            "repeats": 0,
            "degraded": 0,
            "complete": True,
        }
        segments = tuple(
            CampaignSegment(documents[at] if documents else "", source, (reference,))
            for at, (source, reference) in enumerate(
                zip(sources, references, strict=True)
            )
        )
        systems = tuple(
            System(f"secret-{at}", "mt", tuple(texts))
            for at, texts in enumerate(outputs)
        )
        frozen = Campaign(
            check_settings(table | wishes, "test"),
            known(protocol),
            segments,
            systems,
            material or {},
        )
        return self.open(frozen, consented=guided, guided=guided)

    def open(
        self, frozen: Any, *, consented: bool = True, guided: bool = True
    ) -> "Link":
        """Open a campaign under a new name and let its first judge in, past the pages."""
        from metra.store import campaigns, judges

        now = self.now()
        name = f"{frozen.settings.name} {next(_names)}"
        frozen = replace(frozen, settings=replace(frozen.settings, name=name))
        with self.store.transaction() as db:
            key = campaigns.create_campaign(
                db, frozen, now=now, who="test", state="open"
            )
            judge = judges.list_judges(db, key)[0]
            token = judges.issue_link(db, judge.id, now=now, who="test")
            if consented:
                judges.record_consent(db, judge.id, now=now, profile={})
            if guided:
                judges.record_guide(db, judge.id, now=now)
        return Link(self, key, judge.id, token)


@dataclass
class Link:
    """A judge's way in, and what the store has of her."""

    server: Server
    campaign: str
    judge: str
    token: str

    @property
    def url(self) -> str:
        return f"{self.server.url}/j/{self.token}"

    def judgements(self) -> list[Any]:
        from metra.store import answers, campaigns

        with self.server.store.reading() as db:
            stored = campaigns.get_campaign(db, self.campaign)
            return answers.read_judgements(db, stored)

    def cookie(self) -> dict[str, str]:
        """What a browser has that came in by the link."""
        from metra.store import access

        with self.server.store.transaction() as db:
            now = self.server.now()
            token, _ = access.begin_session(db, "judge", now=now, judge=self.judge)
        return {"name": "metra-judge", "value": token, "url": self.server.url}

    def end_sessions(self) -> None:
        from metra.store import judges

        with self.server.store.transaction() as db:
            judges.end_sessions(db, self.judge)


@contextmanager
def running(url: str) -> Iterator[Server]:
    """Serve a store until the block ends."""
    uvicorn = pytest.importorskip("uvicorn", reason="needs metra[judge]")
    pytest.importorskip("sqlalchemy", reason="needs metra[judge]")
    from metra import store as stores
    from metra.web.app import create_app

    made = Server(stores.open(url))
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    made.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    app = create_app(made.store, base_url=made.url, clock=made.now)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield made
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
        made.store.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests of judges."""
    path: Path = tmp_path_factory.mktemp("store") / "judge.sqlite"
    with running(str(path)) as made:
        yield made


@pytest.fixture
def visit(chromium, server: Server) -> Iterator[Callable[..., Any]]:
    """Open a browser; `allow` names complaints that a test brings about on purpose."""
    contexts = []
    complaints: list[str] = []
    allowed: list[str] = []

    def open_browser(
        *,
        width: int = 1280,
        height: int = 900,
        theme: str = "light",
        touch: bool = False,
        language: str = "en-GB",
        motion: str = "reduce",
        allow: Sequence[str] = (),
    ):
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            reduced_motion=motion,
            has_touch=touch,
            is_mobile=touch,
            locale=language,
        )
        context.set_default_timeout(BROWSER_MS)
        contexts.append(context)
        allowed.extend(allow)
        context.on("page", listen)
        return context

    def listen(page) -> None:
        collect_complaints(
            page, complaints, lambda address: address.startswith(server.url)
        )

    yield open_browser
    for context in contexts:
        context.close()
    assert [
        one for one in complaints if not any(known in one for known in allowed)
    ] == []


@pytest.fixture
def work(visit) -> Callable[..., Any]:
    """Bring a judge to the first screen of her work."""

    def begin(link: Link, *, before: Callable[[Any], None] | None = None, **how: Any):
        context = visit(**how)
        context.add_cookies([link.cookie()])
        page = context.new_page()
        if before is not None:
            before(page)
        page.goto(f"{link.server.url}/judge/work")
        page.locator(".item").wait_for()
        return page

    return begin


@pytest.fixture
def still(
    server: Server, work
) -> Iterator[tuple[Callable[..., Any], Callable[..., None]]]:
    """Clocks that stand: a first screen, and how time passes by for judge and server.

    However slow the machine is, no time passes but what the test says.
    """
    begun: list[Any] = []

    def begin(link: Link, **how: Any):
        server.stopped = time.time()

        def stop(page) -> None:
            page.clock.install(time=server.now() - 1)
            page.clock.pause_at(server.now())

        begun.append(work(link, before=stop, **how))
        return begun[-1]

    def pass_by(seconds: float) -> None:
        begun[-1].clock.run_for(1000 * seconds)
        server.ahead += seconds

    yield begin, pass_by
    server.stopped = None
