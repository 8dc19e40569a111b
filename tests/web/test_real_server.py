"""A real server in its own process, killed in mid-save."""

import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from tests.campaigns import made, opened
from tests.patience import PATIENCE
from tests.web.browsing import Browser, answer
from tests.web.servers import serving


def patient(browser, method, path, content):
    """Send until there is a reply, as the page does."""
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            return browser.send(method, path, content)
        except httpx2.TransportError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.05)


@pytest.mark.slow
def test_a_server_killed_in_mid_save_loses_and_doubles_nothing(
    store, store_url, tmp_path
):
    house = opened(
        store, made("da", texts=60, calibration=0, repeats=0.0, degraded=0.0)
    )
    said, told = [], []
    with (
        serving(store_url, tmp_path / "log") as server,
        httpx2.Client(base_url=server.base, timeout=60, trust_env=False) as client,
    ):
        browser = Browser(client)
        browser.come_in(house.tokens["judge 0"])
        screen = browser.work()["screen"]

        def judge(screen) -> None:
            while screen is not None:
                place = f"/api/screens/{screen['task']}/{screen['number']}"
                draft = {"rev": 1, "value": {"da": 1}, "comment": "", "events": []}
                assert (
                    patient(browser, "PUT", f"{place}/draft", draft).status_code < 300
                )
                mine = answer({"da": len(said) % 100})
                said.append(mine["id"])
                reply = patient(browser, "POST", f"{place}/answer", mine)
                assert reply.status_code == 200, reply.text
                told.append(reply.json()["saved"])
                following = reply.json()["next"]
                if following is None:
                    return
                place = f"/api/screens/{following['task']}/{following['number']}"
                screen = patient(browser, "GET", place, None).json()

        with ThreadPoolExecutor(1) as pool:
            judging = pool.submit(judge, screen)
            # Some saves after it came up, and a moment into the next one.
            for saves, moment in ((8, 0.0), (16, 0.007), (24, 0.013)):
                while len(told) < saves and not judging.done():
                    time.sleep(0.001)
                time.sleep(moment)
                server.kill()
                acknowledged = set(told)
                assert acknowledged <= {one.id for one in house.judgements()}
                server.start()
            judging.result()
    kept = house.judgements()
    assert [one.id for one in kept] == said == told
    assert {one.revision for one in kept} == {1}
    if store.is_sqlite:
        with store.reading() as db:
            assert db.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    log = (tmp_path / "log").read_text()
    assert house.tokens["judge 0"] not in log
    assert "/j/***" in log
