"""Take the pictures of docs/kit.md: every element of the browser kit, in both themes.

python docs/tools/kit_pictures.py
"""

import shutil
from pathlib import Path

from playwright.sync_api import Browser, Page, Route, sync_playwright

import metra

HERE = Path(__file__).parent
PACKAGE = Path(metra.__file__).parent
ADDRESS = "http://kit.test/"
TYPES = {".js": "text/javascript", ".css": "text/css"}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Kit</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/kit/tokens.css"><link rel="stylesheet" href="/kit/kit.css">
<link rel="stylesheet" href="/kit/charts.css"><link rel="stylesheet" href="/gallery.css">
<script type="module" src="/gallery.js"></script></head>
<body><main><h1>Kit</h1></main></body></html>"""
STYLE = """body { margin: 0; padding: 0 1.2rem 2rem } section { margin-block: 1.4rem }
section > h2 { font-size: 1rem; color: var(--soft); margin: 0 0 .4rem }
section > h2::first-letter { text-transform: uppercase }
main { max-inline-size: 60rem; margin: auto } figure { max-inline-size: 22rem }
.rows { max-block-size: 12rem; background: var(--paper) }
.swatches { display: flex; flex-wrap: wrap; gap: .6rem; list-style: none; padding: 0 }
.swatches i { display: block; inline-size: 4.2rem; block-size: 2rem }
.swatches i { border: 1px solid var(--edge) }"""


def open_gallery(page: Page) -> None:
    """Open the gallery under the policy of the judging pages, without a server."""
    page.route(f"{ADDRESS}**", _serve)
    page.goto(ADDRESS)
    page.locator("#dialog button").wait_for()


def _serve(route: Route) -> None:
    """Answer with the gallery or a file of the kit."""
    name = route.request.url.removeprefix(ADDRESS).partition("#")[0]
    policy = {"Content-Security-Policy": "default-src 'self'; img-src 'self' data:"}
    if not name:
        route.fulfill(body=PAGE, content_type="text/html", headers=policy)
    elif name == "gallery.css":
        route.fulfill(body=STYLE, content_type="text/css")
    else:
        path = HERE / "kit_gallery.js" if name == "gallery.js" else PACKAGE / name
        body = path.read_text(encoding="utf-8")
        route.fulfill(body=body, content_type=TYPES[path.suffix])


def main() -> None:
    """Take a picture of the whole gallery, and of a dialog with a toast, in each theme."""
    with sync_playwright() as driver:
        browser: Browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for theme in ("light", "dark"):
            page = browser.new_page(
                viewport={"width": 900, "height": 640}, color_scheme=theme
            )
            open_gallery(page)
            picture = HERE.parent / f"kit-{theme}.png"
            page.screenshot(path=picture, full_page=True)
            page.locator("#toast button").click()
            page.locator("#dialog button").click()
            page.screenshot(path=HERE.parent / f"kit-dialog-{theme}.png")
        browser.close()


if __name__ == "__main__":
    main()
