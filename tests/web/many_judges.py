"""Fifty judges at once, who judge twenty items each without a rest."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.campaigns import made, opened
from tests.web.servers import serving

sys.path.append(str(Path(__file__).parents[2] / "bench"))
JUDGES, ITEMS = 50, 20


def lose_nothing(store: Any, url: str, log: Path, *, workers: int) -> None:
    """Have them judge through a real server, and look for every answer in the store."""
    import judging_load

    content = made(
        "da",
        judges=JUDGES,
        texts=JUDGES * ITEMS // 4,
        calibration=0,
        repeats=0.0,
        degraded=0.0,
    )
    house = opened(store, content)
    tokens = list(house.tokens.values())
    with serving(url, log, workers) as server, ThreadPoolExecutor(1) as pool:
        # In a thread of its own: a browser of another test may hold this one's loop.
        load = pool.submit(
            judging_load.run, server.base, tokens, ITEMS, pause=0.0
        ).result()
    kept = house.judgements()
    assert len(load.saved) == len(set(load.saved)) == len(kept) == JUDGES * ITEMS
    assert {one.id for one in kept} == set(load.saved)
    places = {(one.judge, one.task) for one in kept}
    assert len(places) == JUDGES * ITEMS
