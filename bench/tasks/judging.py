"""The judging app: how long a save takes with fifty judges at once, and a large results page.

Each reads a screen, rests a while, saves a draft and an answer, two hundred times. The rest is
a tenth of what a quick judge takes. Before any time counts, every answer must be there, once.
"""

import sys
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from judging_load import run
from record import Limit

sys.path.append(str(Path(__file__).parents[2]))

JUDGES, ITEMS, PAUSE = 50, 200, 1.5


def saves(kind: str, workers: int) -> list[float]:
    """Milliseconds within which 95 of 100 saves were done."""
    from tests import databases
    from tests.campaigns import made, opened
    from tests.web.servers import serving

    from metra import store as stores

    checks = {"calibration": 0, "repeats": 0.0, "degraded": 0.0}
    content = made("da", judges=JUDGES, texts=JUDGES * ITEMS // 4, **checks)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = str(folder / "judge.db")
        if kind == "postgresql":
            if databases.missing() is not None:
                return []
            server = stack.enter_context(databases.running(durable=True))
            url = server.new_database()
        store = stores.open(url)
        stack.callback(store.close)
        house = opened(store, content)
        app = stack.enter_context(serving(url, folder / "log", workers))
        load = run(app.base, list(house.tokens.values()), ITEMS, pause=PAUSE)
        kept = [one.id for one in house.judgements()]
    if sorted(kept) != sorted(load.saved) or len(set(kept)) != JUDGES * ITEMS:
        msg = (
            f"kept {len(kept)} answers, told {len(load.saved)}, asked {JUDGES * ITEMS}"
        )
        raise RuntimeError(msg)
    return [load.p95()]


def _limit(name: str, kind: str, workers: int) -> Limit:
    return Limit(
        task=f"judging app, {JUDGES} judges × {ITEMS} items, p95 of a save, {name}",
        measure=partial(saves, kind, workers),
        unit="ms",
        most=150,
        quick=False,
    )


def time_results() -> list[float]:
    """Seconds of processor time of the page, with nothing kept from one time to the next."""
    import large_campaign

    return large_campaign.time_results("da")


TASKS = [
    _limit("SQLite", "sqlite", 1),
    _limit("PostgreSQL, two workers", "postgresql", 2),
    Limit(
        task="judging app, results of 100,000 judgements",
        measure=time_results,
        unit="s",
        most=1.5,
        quick=False,
    ),
]
