"""Take the pictures of docs/human from a running server, in a real browser.

python docs/judging_pictures.py
"""

import re
import shutil
import socket
import threading
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias

import uvicorn
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from metra import store
from metra.campaign.campaign import Campaign
from metra.campaign.creation import open_campaign
from metra.campaign.protocols.registry import protocol
from metra.corpus import examples
from metra.store import access, campaigns, judges
from metra.store.database import Store
from metra.store.demo import fill_store
from metra.web.app import create_app

HERE = Path(__file__).parents[1] / "human"
Theme: TypeAlias = Literal["light", "dark"]
DESK: ViewportSize = {"width": 1120, "height": 640}
PHONE: ViewportSize = {"width": 390, "height": 700}


def main() -> None:
    """Serve two campaigns on the example's texts and look at them."""
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        kept = store.open(str(Path(folder) / "judge.sqlite"))
        server, url = _served(kept)
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        fluency(_work(browser, f"{url}/j/{_token(kept, 'ldc')}", DESK, "light"))
        errors(_work(browser, f"{url}/j/{_token(kept, 'esa')}", PHONE, "dark"))
        results(browser, kept, url)
        browser.close()
        server.should_exit = True
        kept.close()


def results(browser: Browser, kept: Store, url: str) -> None:
    """The results of a campaign that made-up judges have filled."""
    now = time.time()
    [filled] = fill_store(kept, ["adequacy"], now=now)
    with kept.transaction() as db:
        token, _ = access.begin_session(db, "admin", now=now, name="admin")
    context = browser.new_context(viewport={"width": 1120, "height": 800})
    context.add_cookies([{"name": "metra-admin", "value": token, "url": url}])
    page = context.new_page()
    page.goto(f"{url}/admin/campaigns/{filled.id}/results")
    page.screenshot(path=HERE / "campaign-results.png")


def fluency(page: Page) -> None:
    """The second question of the LDC's protocol, with its reference."""
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    page.locator(".card.given").wait_for()
    page.keyboard.press("3")
    _taken(page, "judging-ldc.png")


def errors(page: Page) -> None:
    """Two marks, on a phone."""
    words = page.locator(".judged .piece", has_text=re.compile(r"\w{3}"))
    for at, severity in ((2, "minor"), (5, "major")):
        words.nth(at).click()
        page.locator(f".severity[data-severity={severity}]").click()
    _taken(page, "judging-esa.png")


def _taken(page: Page, name: str) -> None:
    page.locator("#saved[data-state=saved]").wait_for()
    page.screenshot(path=HERE / name)


def _work(browser: Browser, link: str, size: ViewportSize, theme: Theme) -> Page:
    page = browser.new_page(viewport=size, color_scheme=theme)
    page.goto(link)
    page.locator("button.large").click()
    page.locator(".item").wait_for()
    return page


def _token(kept: Store, name: str) -> str:
    """A link of the example's campaign under another protocol, past consent and guide."""
    now = time.time()
    with kept.transaction() as db:
        key = campaigns.create_campaign(
            db, _campaign(name), now=now, who="docs", state="open"
        )
        judge = judges.list_judges(db, key)[0].id
        judges.record_consent(db, judge, now=now, profile={})
        judges.record_guide(db, judge, now=now)
        return judges.issue_link(db, judge, now=now, who="docs")


def _campaign(name: str) -> Campaign:
    made = open_campaign(str(examples.HOME / "campaign.toml"))
    settings = replace(made.settings, name=name, protocol=name)
    return replace(made, settings=settings, protocol=protocol(name))


def _served(kept: Store) -> tuple[uvicorn.Server, str]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    app = create_app(kept, base_url=url)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
    threading.Thread(target=server.run, args=([listener],), daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return server, url


if __name__ == "__main__":
    main()
