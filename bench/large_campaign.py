"""A store with a hundred thousand answers to one campaign, the same from the same seed.

    python bench/large_campaign.py                    da, esa and mqm: some minutes
    python bench/large_campaign.py da
    python bench/large_campaign.py --write-results    puts the table into bench/RELIABILITY.md

What requests of an admin and of a judge take of the processor, in a process of its own each.
"""

import argparse
import asyncio
import json
import os
import resource
import tempfile
import time
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import fresh
import numpy as np
from results import replace_section
from sqlalchemy import Connection, delete, insert
from starlette.testclient import TestClient

from metra import store as stores
from metra.campaign.assignment import Task, assign
from metra.campaign.campaign import Campaign
from metra.campaign.creation import freeze_campaign
from metra.campaign.protocols import registry
from metra.campaign.settings import Settings
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.store import access, campaigns, database, judges, tasks
from metra.web.app import create_app

JUDGES, SYSTEMS, SEGMENTS, PER_DOCUMENT = 50, 8, 5_540, 10
BEGUN = 1_790_000_000.0
BASE = "http://127.0.0.1:8000"
KEY, SAMPLES = "bench", 3
_CAMPAIGN = f"/admin/campaigns/{KEY}"
#: What is asked for, by name; the judge's requests come last, for they change the campaign.
PAGES = {
    "list of campaigns": "/admin",
    "progress": _CAMPAIGN,
    "results": f"{_CAMPAIGN}/results",
    "disagreements": f"{_CAMPAIGN}/disagreements",
    "preview": f"{_CAMPAIGN}/preview",
    "export, spreadsheet": f"{_CAMPAIGN}/export/csv",
    "export, everything": f"{_CAMPAIGN}/export/zip",
    "judge: next screen": "/api/work",
    "judge: answer": "/api/answer",
}
TEXT = """\
100,000 answers to one campaign: 50 judges, 8 systems, 5,540 segments in documents of ten,
SQLite. Seconds of processor time of a request (the median of three, nothing kept from one to
the next) and the memory of the server at most. Written by
`python bench/large_campaign.py --write-results`; the load average was {load:.1f} on {cores}
cores.
"""


def fill_store(url: str, protocol: str, *, seed: int = 1) -> None:
    """Make a store whose judges have answered everything."""
    rng = np.random.default_rng(seed)
    campaign = _build_campaign(protocol, rng)
    store = stores.open(url)
    secret = rng.bytes(32)
    given = list(assign(campaign, secret=secret))
    with store.transaction() as db:
        judge_ids = campaigns.add_campaign(
            db, KEY, campaign, secret=secret, now=BEGUN, state="closed"
        )
        tasks.add_tasks(db, KEY, campaign, given, judge_ids, state="done")
        rows = _draw_answers(campaign, given, judge_ids, rng)
        db.execute(insert(database.judgement), rows)
    store.close()


def _build_campaign(protocol: str, rng: np.random.Generator) -> Campaign:
    words = np.array([f"word{number}" for number in range(500)])

    def write(count: int) -> str:
        return " ".join(rng.choice(words, count).tolist())

    lengths = rng.integers(8, 40, SEGMENTS).tolist()
    evalset = EvalSet(
        source=[write(length) for length in lengths],
        documents=[f"document {at // PER_DOCUMENT}" for at in range(SEGMENTS)],
        refs_per_segment=[[write(length)] for length in lengths],
    )
    outputs = {
        f"system {number}": [write(length) for length in lengths]
        for number in range(SYSTEMS)
    }
    judges = tuple(f"judge {number:02}" for number in range(JUDGES))
    settings = Settings("large", protocol, "fr", "en", judges, unit="document")
    return freeze_campaign(settings, Outputs(evalset, outputs), None)


def _draw_answers(
    campaign: Campaign,
    given: list[Task],
    judge_ids: dict[str, str],
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """Draw an answer for every screen; better systems have higher numbers."""
    drawn = rng.normal(0, 8, len(judge_ids)).tolist()
    mildness = dict(zip(judge_ids, drawn, strict=True))
    quality = {one.name: 55 + 3 * at for at, one in enumerate(campaign.systems)}
    version = campaign.protocol.version
    rows = []
    for task in given:
        now = BEGUN + 100 * task.position
        for number, item in enumerate(task.items):
            middle = quality.get(item.system, 60) + mildness[task.judge]
            middle -= 30 * (task.kind == "degraded")
            score = float(np.clip(round(rng.normal(middle, 15)), 0, 100))
            value: dict[str, Any] = {}
            for step in campaign.protocol.steps:
                value[step.name] = score
                if step.asks.marks_errors:
                    kinds = getattr(step.asks, "categories", ())
                    value[step.name] = _draw_marks(item.text, score, rng)
                    for mark in value[step.name] if kinds else ():
                        mark["category"] = kinds[0]
            rows.append(
                {
                    "id": str(uuid.UUID(bytes=rng.bytes(16), version=4)),
                    "task": task.id,
                    "number": number,
                    "revision": 1,
                    "judge": judge_ids[task.judge],
                    "value_json": json.dumps(value),
                    "comment": "",
                    "protocol_version": version,
                    "shown_at": now + 10 * number,
                    "submitted_at": now + 10 * number + 9,
                    "wall_ms": 9_000,
                    "active_ms": round(1000 * rng.lognormal(2.2, 0.5)),
                    "hidden_ms": 0,
                    "idle_ms": 0,
                    "paused_ms": 0,
                    "wording": "en",
                    "wording_version": "",
                }
            )
    return rows


def _draw_marks(
    text: str, score: float, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Mark more errors the lower the score."""
    marks = []
    for _ in range(int(rng.poisson((100 - score) / 40))):
        start = int(rng.integers(0, len(text) - 10))
        severity = "major" if rng.random() < 0.3 else "minor"
        end = start + int(rng.integers(1, 10))
        mark = {"side": "output", "start": start, "end": end, "severity": severity}
        marks.append(mark)
    return marks


def time_results(protocol: str) -> list[float]:
    """Return the seconds of processor time that the results page takes, each time anew."""
    with tempfile.TemporaryDirectory() as folder:
        fill_store(f"{folder}/judge.db", protocol)
        return measure_requests(f"{folder}/judge.db", PAGES["results"])[0]


def measure_requests(url: str, path: str) -> tuple[list[float], float]:
    """Return the seconds of processor time of requests, and MB of memory at most."""
    store = stores.open(url)
    is_judge = path.startswith("/api")
    with store.transaction() as db:
        token, session = (_sign_in_judge if is_judge else _sign_in_admin)(db)
    app = create_app(store, base_url=BASE, clock=lambda: BEGUN)
    role = "judge" if is_judge else "admin"
    seconds = []
    with TestClient(app, base_url=BASE, cookies={f"metra-{role}": token}) as browser:
        browser.headers |= {"Origin": BASE, "X-CSRF-Token": session.csrf}
        request = partial(_get_page, app, path, f"metra-{role}={token}")
        for _ in range(SAMPLES):
            if path.endswith("/answer"):
                request = _prepare_answer(browser)
            begun = time.process_time()
            reply = request()
            seconds.append(time.process_time() - begun)
            if reply.status_code != 200:
                msg = f"{path} was answered with status {reply.status_code}."
                raise RuntimeError(msg)
    store.close()
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Reply(NamedTuple):
    """What came back; nobody keeps the page."""

    status_code: int


def _get_page(app: Any, path: str, cookie: str) -> Reply:
    """Ask the app for a page, and drop what it sends: a client would hold all of it."""
    headers = [(b"host", BASE.removeprefix("http://").encode())]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [*headers, (b"cookie", cookie.encode())],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }
    statuses: list[int] = []
    sent = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not sent:
            await asyncio.sleep(3600)
        return sent.pop()

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    asyncio.run(app(scope, receive, send))
    return Reply(statuses[0])


def _sign_in_admin(db: Connection) -> tuple[str, access.Session]:
    return access.begin_session(db, "admin", now=BEGUN, name="bench")


def _sign_in_judge(db: Connection) -> tuple[str, access.Session]:
    """Sign a judge in who has all tasks behind them but the last."""
    judge = judges.list_judges(db, KEY)[0].id
    last = tasks.list_judge_tasks(db, judge)[-1].task.id
    answer = database.judgement
    db.execute(delete(answer).where(answer.c.task == last))
    tasks.set_state(db, last, "waiting")
    campaigns.set_state(db, KEY, "open", now=BEGUN, who="bench")
    judges.record_consent(db, judge, now=BEGUN)
    judges.record_guide(db, judge, now=BEGUN)
    return access.begin_session(db, "judge", now=BEGUN, judge=judge)


def _prepare_answer(browser: TestClient) -> Callable[[], Any]:
    """Return the request that answers the judge's next screen."""
    work = browser.get("/api/work").json()
    screen = work["screen"]
    value = {
        step.name: [] if step.asks.marks_errors else 50
        for step in registry.protocol(work["protocol"]["name"]).steps
    }
    place = f"/api/screens/{screen['task']}/{screen['number']}/answer"
    answer = {"id": str(uuid.uuid4()), "value": value}
    return lambda: browser.post(place, json=answer)


def main() -> None:
    """Print the processor time and memory of requests, a protocol at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocols", nargs="*", default=("da", "esa", "mqm"))
    parser.add_argument("--write-results", action="store_true")
    options = parser.parse_args()
    lines = [f"| request | {' | '.join(options.protocols)} |"]
    lines.append(f"| :-- |{' --: |' * len(options.protocols)}")
    with tempfile.TemporaryDirectory() as folder:
        for protocol in options.protocols:
            fresh.call("large_campaign", "fill_store", f"{folder}/{protocol}", protocol)
        for name, path in PAGES.items():
            cells = []
            for protocol in options.protocols:
                used = fresh.call(
                    *("large_campaign", "measure_requests"),
                    *(f"{folder}/{protocol}", path),
                )
                cells.append(f"{median(used[0]):.2f} s, {used[1]:.0f} MB")
            lines.append(f"| {name} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    if options.write_results:
        text = TEXT.format(load=os.getloadavg()[0], cores=os.cpu_count())
        page = Path(__file__).with_name("RELIABILITY.md")
        table = "\n".join(lines)
        replace_section(page, "Campaigns of 100,000 answers", f"{text}\n{table}")


if __name__ == "__main__":
    main()
