"""A store with a hundred thousand answers to one campaign, the same from the same seed."""

import json
import resource
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import insert
from starlette.testclient import TestClient

from metra import store as stores
from metra.campaign.assignment import Task, assign
from metra.campaign.campaign import Campaign
from metra.campaign.creation import freeze_campaign
from metra.campaign.settings import Settings
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.store import access, campaigns, database, tasks
from metra.store.database import Store
from metra.web.app import create_app

JUDGES, SYSTEMS, SEGMENTS, PER_DOCUMENT = 50, 8, 5_540, 10
BEGUN = 1_790_000_000.0
BASE = "http://127.0.0.1:8000"


def fill_store(path: Path, protocol: str, *, seed: int = 1) -> tuple[Store, str]:
    """Make a store whose judges have answered everything; return the campaign's id too."""
    rng = np.random.default_rng(seed)
    campaign = _build_campaign(protocol, rng)
    store = stores.open(str(path))
    secret, key = rng.bytes(32), "bench"
    given = list(assign(campaign, secret=secret))
    with store.transaction() as db:
        judges = campaigns.add_campaign(
            db, key, campaign, secret=secret, now=BEGUN, state="closed"
        )
        tasks.add_tasks(db, key, campaign, given, judges, state="done")
        rows = _draw_answers(campaign, given, judges, rng)
        db.execute(insert(database.judgement), rows)
    return store, key


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
    judges: dict[str, str],
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """Draw an answer for every screen; better systems have higher numbers."""
    mildness = dict(zip(judges, rng.normal(0, 8, len(judges)).tolist(), strict=True))
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
                    value[step.name] = _draw_marks(item.text, score, rng)
            rows.append(
                {
                    "id": str(uuid.UUID(bytes=rng.bytes(16), version=4)),
                    "task": task.id,
                    "number": number,
                    "revision": 1,
                    "judge": judges[task.judge],
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


def time_results(protocol: str, *, samples: int = 3) -> list[float]:
    """Return the seconds of processor time that the results page takes, each time anew."""
    with tempfile.TemporaryDirectory() as folder:
        store, key = fill_store(Path(folder) / "judge.db", protocol)
        try:
            return time_page(store, f"/admin/campaigns/{key}/results", samples)
        finally:
            store.close()


def time_page(store: Store, path: str, samples: int) -> list[float]:
    """Return the seconds of processor time of an admin's requests for a page."""
    with store.transaction() as db:
        token, _ = access.begin_session(db, "admin", now=BEGUN, name="bench")
    app = create_app(store, base_url=BASE, clock=lambda: BEGUN)
    seconds = []
    with TestClient(app, base_url=BASE, cookies={"metra-admin": token}) as browser:
        for _ in range(samples):
            begun = time.process_time()
            reply = browser.get(path)
            seconds.append(time.process_time() - begun)
            reply.raise_for_status()
    return seconds


def main() -> None:
    """Print the processor time of pages and exports of protocols, and the memory at most."""
    print("| protocol | page | seconds of processor time | MB at most |")
    print("| :-- | :-- | --: | --: |")
    for protocol in sys.argv[1:] or ("da", "esa", "mqm"):
        with tempfile.TemporaryDirectory() as folder:
            store, key = fill_store(Path(folder) / "judge.db", protocol)
            try:
                for page in ("results", "export/csv", "export/zip"):
                    path = f"/admin/campaigns/{key}/{page}"
                    seconds = sorted(time_page(store, path, 3))[1]
                    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                    print(f"| {protocol} | {page} | {seconds:.2f} | {most:.0f} |")
            finally:
                store.close()


if __name__ == "__main__":
    main()
