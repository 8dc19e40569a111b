"""Measure the workbench: `python bench/workbench.py [RUNS] [SEGMENTS]`.

One test set of a year of use: imported, scored by six metrics, and shown as a leaderboard and
as segments, first and again. Times are CPU seconds of this process, and pages are asked for
without a network.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from starlette.testclient import TestClient

from metra import store as stores
from metra.campaign.uploads import CampaignTexts
from metra.store import access, test_sets
from metra.web.app import create_app
from metra.workbench.imports import import_texts
from metra.workbench.worker import do_next_job

METRICS = ("bleu", "chrf", "ter", "wer", "fmean", "gtm")
WORDS = [f"word{at}" for at in range(5000)]


def make_texts(runs: int, segments: int) -> CampaignTexts:
    """Make a reference of 20 words a segment, and outputs with some words changed."""
    rng = random.Random(1)
    refs = [" ".join(rng.choices(WORDS, k=20)) for _ in range(segments)]

    def change(text: str, share: float) -> str:
        words = text.split()
        for at in range(len(words)):
            if rng.random() < share:
                words[at] = rng.choice(WORDS)
        return " ".join(words)

    outputs = {
        f"run {at}": [change(text, 0.2 + 0.2 * at / runs) for text in refs]
        for at in range(runs)
    }
    return CampaignTexts(outputs, [[*refs]], None, None)


def measure(name: str, action: Callable[[], object]) -> object:
    """Print the CPU time of an action; return its result."""
    begun = time.process_time()
    result = action()
    print(f"{name}: {time.process_time() - begun:.3f} s")
    return result


def main(runs: int = 200, segments: int = 3000) -> None:
    """Import, score and show one test set."""
    texts = make_texts(runs, segments)
    path = Path(tempfile.mkdtemp(prefix="metra-")) / "workbench.db"
    store = stores.open(str(path))
    now = time.time()
    with store.transaction() as db:
        access.set_password(db, "me", "a long password", now=now, who="me")
        token, _ = access.begin_session(db, "admin", now=now, name="me")

    def store_texts() -> test_sets.StoredSet:
        with store.transaction() as db:
            more = {"specs": METRICS, "now": now, "who": "me"}
            return import_texts(db, "main", "news", texts, **more)

    stored = measure(f"import of {runs} × {segments:,}", store_texts)
    measure(f"scoring by {len(METRICS)} metrics", lambda: do_next_job(store))
    with store.transaction() as db:
        db.exec_driver_sql("SELECT 1")
    with store.reading() as db:
        size = db.exec_driver_sql(
            "SELECT sum(length(packed)) FROM score_array"
        ).scalar()
        texts_size = db.exec_driver_sql(
            "SELECT sum(length(packed)) FROM content"
        ).scalar()
        first = [run.id for run in test_sets.list_runs(db, stored)[:10]]
    print(f"scores: {size / 1e6:.1f} MB; texts: {texts_size / 1e6:.1f} MB")
    client = TestClient(create_app(store), base_url="http://127.0.0.1:8000")
    client.cookies.set("metra-admin", token)
    place = f"/w/main/sets/{stored.id}"
    ten = "&".join(f"run={key}" for key in first)
    for page in ("/w/main", place, f"{place}?{ten}", f"{place}/segments.json?{ten}"):
        name = page.replace(stored.id, "SET").replace(ten, "10 runs")
        for turn in ("first", "again"):
            reply = measure(f"{name}, {turn}", lambda page=page: client.get(page))
            assert reply.status_code == 200, reply.text
    store.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
