"""Take the pictures of docs/report.md, in a real browser.

python docs/report_pictures.py
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parents[1]
SIZE = {"width": 960, "height": 720}


def main() -> None:
    """Write the demo's report, open it, and take the pictures."""
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        command = [sys.executable, "-m", "metra", "demo", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        address = (Path(folder) / "report.html").as_uri()
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for theme in ("light", "dark"):
            page = browser.new_page(viewport=SIZE, color_scheme=theme)
            page.goto(address)
            page.screenshot(path=HERE / f"report-{theme}.png")
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(f"{address}#compare")
        page.get_by_label("B", exact=True).select_option(label="rule-based")
        page.evaluate("document.getElementById('segments').scrollIntoView()")
        page.wait_for_timeout(1000)
        page.screenshot(path=HERE / "report-segments.png")
        browser.close()


if __name__ == "__main__":
    main()
