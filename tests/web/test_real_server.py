"""Judges at a real server, which is killed in mid-save, and stopped in good order."""

import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from tests.campaigns import made, opened
from tests.patience import PATIENCE
from tests.web.browsing import Browser
from tests.web.servers import serving

sys.path.append(str(Path(__file__).parents[2] / "bench"))
JUDGES, ITEMS = 12, 10


@pytest.mark.slow
def test_kills_lose_and_double_nothing_and_a_stop_finishes_what_was_begun(
    store, store_url, tmp_path
):
    import judging_load

    checks = {"calibration": 0, "repeats": 0.0, "degraded": 0.0}
    texts = JUDGES * ITEMS // 4
    house = opened(store, made("da", judges=JUDGES, texts=texts, **checks))
    tokens = list(house.tokens.values())
    load = judging_load.Load(JUDGES, ITEMS)
    workers = 2 if store.is_sqlite else 1
    with (
        serving(store_url, tmp_path / "log", workers) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        kills = [lambda: os.kill(server.list_workers()[0], signal.SIGKILL)]
        kills = [*kills, server.kill_parent] if store.is_sqlite else [server.kill]
        judging = pool.submit(
            judging_load.run, server.base, tokens, ITEMS, pause=0.0, load=load
        )
        for at, kill in enumerate(kills, 1):
            while len(load.saved) < 25 * at and not judging.done():
                time.sleep(0.001)
            kill()
            acknowledged = set(load.saved)
            assert acknowledged <= {one.id for one in house.judgements()}
            if server.process.poll() is not None:
                server.start()
        judging.result()
        stop_while_saving(house, server, pool)
    kept = house.judgements()
    assert len(load.saved) == len(set(load.saved)) == len(kept) == JUDGES * ITEMS
    assert {one.id for one in kept} == set(load.saved)
    assert len({(one.judge, one.task) for one in kept}) == JUDGES * ITEMS
    assert {one.revision for one in kept} == {1}
    store.check_integrity()
    log = (tmp_path / "log").read_text()
    assert not any(token in log for token in tokens)
    assert "/j/***" in log


def stop_while_saving(house, server, pool) -> None:
    """Ask the server to stop while a save waits for the database; it is answered still."""
    with httpx2.Client(base_url=server.base, timeout=PATIENCE, trust_env=False) as one:
        browser = Browser(one)
        browser.come_in(house.tokens["judge 0"])
        with house.store.transaction() as db:
            found = db.exec_driver_sql(
                "SELECT task.id FROM task JOIN judge ON judge.id = task.judge "
                "WHERE judge.label = 'judge 0' AND task.position = 1"
            )
            place = f"/api/screens/{found.scalar_one()}/0/draft"
            draft = {"rev": 99, "value": {}, "comment": ""}
            db.exec_driver_sql("UPDATE judge SET note = 'held'")
            saving = pool.submit(browser.send, "PUT", place, draft)
            with pytest.raises(TimeoutError):
                saving.result(0.5)
            server.process.terminate()
            while "Waiting for" not in server.log.read_text():
                time.sleep(0.01)
        assert saving.result(PATIENCE).json()["rev"] == 99
        server.process.wait(PATIENCE)
