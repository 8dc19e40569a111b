"""Small campaigns for tests, and a house with all that a campaign needs to run."""

import threading
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from metra.campaign.assignment import Task
from metra.campaign.campaign import Campaign
from metra.campaign.creation import freeze_campaign
from metra.campaign.judgement import KEPT, join_columns
from metra.campaign.screen import collect_texts, get_screen_protocol
from metra.campaign.settings import Settings
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.scores.judgement import Judgement

SYSTEMS = ("Zeta-NMT", "Quark-SMT", "Ibex-RBMT", "Yoyo-LLM")


def made(
    protocol: str = "ldc",
    *,
    judges: int | tuple[str, ...] = 4,
    systems: int = 2,
    texts: int = 8,
    per_text: int = 1,
    words: Callable[[int, int], str] = "words {1} of version {0}, not too few".format,
    material: dict[str, Any] | None = None,
    **wishes: Any,
) -> Campaign:
    """A campaign whose every text is different; `words` makes output `at` of a system."""
    count = texts * per_text
    evalset = EvalSet(
        source=[f"source {at}" for at in range(count)],
        documents=[f"document {at // per_text}" for at in range(count)],
        refs_per_segment=[[f"reference {a} {at}" for a in "ab"] for at in range(count)],
    )
    outputs = {
        name: [words(number, at) for at in range(count)]
        for number, name in enumerate(SYSTEMS[:systems])
    }
    wished = {
        "name": "test",
        "source_language": "fr",
        "target_language": "en",
        "judges": judges
        if isinstance(judges, tuple)
        else tuple(f"judge {at}" for at in range(judges)),
        "unit": "segment" if per_text == 1 else "document",
    }
    return freeze_campaign(
        Settings(protocol=protocol, **wished | wishes),
        Outputs(evalset, outputs),
        material,
    )


def check_answer(
    campaign: Campaign,
    task: Task,
    value: object,
    *,
    number: int = 0,
    cannot: str | None = None,
    **more: Any,
) -> Judgement:
    """Check an answer as the store does, and make a judgement of it."""
    checked = {}
    if cannot is None:
        asked = get_screen_protocol(campaign, task, number)
        checked = asked.check(value, collect_texts(campaign, task, number))
    known = {
        "protocol_version": campaign.protocol.version,
        "revision": 1,
        "comment": "",
    }
    known |= {"wording": "", "cannot": cannot} | more
    versions = {one.language: one.version for one in campaign.wordings}
    known["wording_version"] = versions.get(known["wording"], "")
    known = {name: known.get(name) for name in KEPT} | {"id": more["id"]}
    known |= {"task": task.id, "judge": task.judge, "kind": task.kind}
    known |= {"original": task.original, "value": checked}
    columns = {name: [value] for name, value in known.items()}
    items = [item._asdict() for item in task.items]
    [judgement] = join_columns(campaign, [items], [number], columns)
    return judgement


@dataclass
class Clock:
    """A clock that stands still until told."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class House:
    """An open campaign in a store, with its judges' links and an app to reach it."""

    store: Any
    campaign: str
    tokens: dict[str, str]
    clock: Clock = field(default_factory=Clock)
    more: dict[str, Any] = field(default_factory=dict)
    base: str = "http://127.0.0.1:8000"

    def __post_init__(self) -> None:
        from metra.web.app import create_app

        self.app = create_app(
            self.store, clock=self.clock, **{"base_url": self.base} | self.more
        )

    def browser(self, label: str | None = None, *, enter: bool = True) -> Any:
        """A browser of somebody, or of a judge who has come in."""
        from starlette.testclient import TestClient
        from tests.web.browsing import Browser

        client = TestClient(self.app, base_url=self.base, follow_redirects=False)
        browser = Browser(client)
        if label is not None and enter:
            browser.come_in(self.tokens[label])
        return browser

    def judgements(self) -> list[Any]:
        from metra.store import answers, campaigns

        with self.store.reading() as db:
            return answers.read_judgements(
                db, campaigns.get_campaign(db, self.campaign)
            )


def opened(store: Any, content: Campaign, **more: Any) -> House:
    """Put a campaign into a store and open it, links and all."""
    from metra.store import campaigns, judges

    clock = more.pop("clock", None) or Clock()
    with store.transaction() as db:
        key = campaigns.create_campaign(
            db, content, now=clock(), who="test", state="open"
        )
        tokens = {
            judge.label: judges.issue_link(db, judge.id, now=clock(), who="test")
            for judge in judges.list_judges(db, key)
        }
    return House(store, key, tokens, clock, more)


def answer_all(store: Any, key: str, value: Callable[..., Any], clock: Clock) -> None:
    """Answer all screens of a campaign, half a minute each.

    `value` makes the answer from the stored campaign, the task and the screen's number.
    """
    from metra.store import answers, campaigns, tasks

    times = answers.AnswerTimes(active_ms=5000)
    with store.transaction() as db:
        stored = campaigns.get_campaign(db, key)
        last = len(stored.campaign.protocol.steps) - 1
        for owned in tasks.list_campaign_tasks(db, key):
            for number in range(owned.screens):
                tasks.record_shown_steps(db, owned.task.id, number, last, now=clock())
                clock.pass_by(30)
                content = value(stored, owned.task, number)
                given = answers.Answer(str(uuid.uuid4()), content, times=times)
                answers.submit_answer(db, stored, owned, number, given, now=clock())


def run_together(action: Callable[..., Any], arguments: Iterable[Any]) -> None:
    """Call a function in a thread for each argument, all begun before any is waited for."""
    threads = [threading.Thread(target=action, args=(one,)) for one in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def list_screen_events(db: Any, task: str, number: int) -> list[Any]:
    """All events of a screen, in order; a window that is loaded again counts on."""
    from metra.store import database
    from metra.store.events import Event

    query = database.event.select().filter_by(task=task, number=number)
    rows = db.execute(query.order_by(database.event.c.seq, database.event.c.client))
    return [
        Event(
            row.seq, row.t_ms, row.kind, database.decode_json(row.data_json), row.client
        )
        for row in rows
    ]
