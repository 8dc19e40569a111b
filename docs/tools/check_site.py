"""Check the built site: links, anchors, nothing from the network, and the search.

python docs/tools/check_site.py site  exits 1 and lists what is wrong
"""

import re
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

#: What a browser fetches by itself; other addresses are links to follow.
FETCHED = {
    *(("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")),
    *(("video", "src"), ("audio", "src"), ("embed", "src"), ("object", "data")),
    ("link", "href"),
}
STYLE_ADDRESS = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")
WORD = "bootstrap"  # which several pages are about


class Address(NamedTuple):
    """An address on a page, and whether a browser fetches it by itself."""

    text: str
    is_fetched: bool


class SitePage(HTMLParser):
    """The anchors and addresses of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.addresses: list[Address] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(
        self, tag: str, attributes: list[tuple[str, str | None]]
    ) -> None:
        """Note what a tag refers to, and by what it can be referred to."""
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            is_fetched = (tag, name) in FETCHED
            if value and (is_fetched or (tag, name) == ("a", "href")):
                self.addresses.append(Address(value, is_fetched))


def main(folder: str) -> int:
    """Check a site, and list what is wrong with it."""
    site = Path(folder).resolve()
    faults = [*list_faults(site), *search_from_disk(site)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def list_faults(site: Path) -> Iterator[str]:
    """Yield dead links and anchors, and addresses that a browser would fetch elsewhere."""
    pages = {path: SitePage(path) for path in sorted(site.rglob("*.html"))}
    if not pages:
        yield f"{site} has no pages."
    for path, page in pages.items():
        if path.name == "404.html":  # its addresses are those of a server
            continue
        for address, is_fetched in dict.fromkeys(page.addresses):
            fault = _find_fault(site, path, Address(address, is_fetched), pages)
            if fault:
                yield f"{path.relative_to(site)}: {address} {fault}"
    for path in sorted(site.rglob("*.css")):
        for addresses in STYLE_ADDRESS.findall(path.read_text(encoding="utf-8")):
            if _is_elsewhere("".join(addresses)):
                yield f"{path.relative_to(site)}: {''.join(addresses)} is elsewhere"


def _is_elsewhere(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def _find_fault(
    site: Path, path: Path, address: Address, pages: dict[Path, SitePage]
) -> str:
    """Return what is wrong with an address; nothing if it leads somewhere."""
    if _is_elsewhere(address.text):
        return "is fetched from elsewhere" if address.is_fetched else ""
    if address.text.startswith("data:"):
        return ""
    parts = urlsplit(address.text)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if parts.path.startswith("/") or site not in (target, *target.parents):
        return "leads out of the site"
    if not target.is_file():
        return "leads to no file"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "leads to no anchor"
    return ""


def search_from_disk(site: Path) -> Iterator[str]:
    """Search the site in a browser that opens it from disk and must fetch nothing."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("Install chromium to check the search of the site.", file=sys.stderr)
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"]
        )
        page = browser.new_page()
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((site / "index.html").as_uri())
        page.keyboard.press("/")
        page.keyboard.type(WORD, delay=20)
        results = page.locator(f"a[href*='h={WORD}']")
        results.first.wait_for()
        results.first.click()
        page.wait_for_url("**?h=*")
        found = page.locator("article").inner_text()
        browser.close()
    if WORD not in found.lower():
        yield f"The search for {WORD!r} leads to a page without it."
    yield from (f"index.html: {error}" for error in errors)
    for address in requests:
        if not address.startswith(("file:", "data:", "blob:")):
            yield f"The browser asks for {address}."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
