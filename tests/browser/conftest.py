"""A real browser, and a page that fails its test if anything goes wrong on it."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.browser.complaints import collect_complaints
from tests.patience import BROWSER_MS

CHROMIUM = os.environ.get("METRA_CHROMIUM") or shutil.which("chromium")
#: What of Chromium no test needs. The lists of the address bar are pages themselves: each new
#: window spends 0.7 seconds of CPU time on them. The others are those that playwright names;
#: this list replaces its own.
NO_NEED = ",".join(
    (
        "WebUIOmniboxPopup",
        "WebUIOmniboxAimPopup",
        "AimEnabled",
        "AvoidCorsURLLoaderRestartOnRedirect",
        "AvoidUnnecessaryBeforeUnloadCheckSync",
        "DestroyProfileOnBrowserClose",
        "HttpsFirstBalancedModeAutoEnable",
        "HttpsUpgrades",
        "LensOverlay",
        "MediaRouter",
        "NetworkTimeServiceQuerying",
        "OptimizationHints",
        "PaintHolding",
        "PreconnectToSearch",
        "ThirdPartyStoragePartitioning",
    )
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """Chromium, as Debian packages it; METRA_CHROMIUM may name another one."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright (the group test)"
    )
    if CHROMIUM is None:
        pytest.skip("needs chromium: apt-get install chromium, or set METRA_CHROMIUM")
    playwright.expect.set_options(timeout=BROWSER_MS)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=CHROMIUM,
            # Whatever proxy the environment names, it knows nothing of this machine.
            args=["--no-sandbox", "--no-proxy-server", f"--disable-features={NO_NEED}"],
            timeout=BROWSER_MS,
        )
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium) -> Iterator[Callable[..., object]]:
    """Open a file; what the console complains of or what is fetched fails the test."""
    contexts = []
    complaints: list[str] = []

    def open_file(
        path: Path,
        place: str = "",
        *,
        width: int = 1280,
        height: int = 900,
        theme: str = "light",
        script: bool = True,
    ):
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            java_script_enabled=script,
            accept_downloads=True,
            reduced_motion="reduce",
        )
        contexts.append(context)
        context.set_default_timeout(BROWSER_MS)
        page = context.new_page()
        url = path.as_uri()

        collect_complaints(
            page, complaints, lambda address: address.split("#")[0] == url
        )
        page.goto(f"{url}{place}")
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def write_report(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Write a report by the command line, from files or from the shipped example."""

    def write(*arguments: str | Path) -> Path:
        from metra.cli import cli as command

        path = tmp_path_factory.mktemp("report") / "report.html"
        command.main(
            ["report", *map(str, arguments), "-o", str(path)], standalone_mode=False
        )
        return path

    return write


@pytest.fixture(scope="session")
def example(root: Path) -> list[str | Path]:
    """Some of the shipped example as arguments."""
    folder = root / "examples"
    names = ("near-copy", "rule-based", "solid", "terse", "verbose")
    found: list[str | Path] = [folder / "outputs" / f"{name}.txt" for name in names]
    for number in (1, 2, 3, 4):
        found += ["-r", folder / f"reference.{number}.txt"]
    found += ["-s", folder / "source.fr.txt", "--docs", folder / "docs.txt"]
    return [*found, "-m", "bleu", "-m", "chrf", "-m", "ter", "-m", "gtm:e=2"]


@pytest.fixture(scope="session")
def trusted_report(write_report, example, root, tmp_path_factory) -> Path:
    """The report of the shipped example, every output judged by three people."""
    judged = tmp_path_factory.mktemp("judged") / "judged.tsv"
    lines = ["system\tsegment\tscore\tjudge"]
    count = len((root / "examples" / "docs.txt").read_text().split())
    for at, name in enumerate(["near-copy", "solid", "rule-based", "verbose", "terse"]):
        for segment in range(1, count + 1):
            for judge, name_of_judge in enumerate(["ann", "bob", "eve"]):
                off = (segment * (7 + judge) + at * 5) % 23 - 11
                lines.append(
                    f"{name}\t{segment}\t{80 - 12 * at + off}\t{name_of_judge}"
                )
    judged.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return write_report(*example, "--judgements", judged)


@pytest.fixture(scope="session")
def example_report(write_report, example, root, tmp_path_factory) -> Path:
    """The report of the shipped example, with judgements that we made up."""
    judged = tmp_path_factory.mktemp("judged") / "judged.tsv"
    lines = ["system\tsegment\tdocument\tscore\tjudge"]
    documents = (root / "examples" / "docs.txt").read_text().split()
    for at, name in enumerate(["near-copy", "solid", "verbose", "terse"]):
        for segment, document in enumerate(documents, 1):
            score = 90 - 15 * at + segment % 7
            lines.append(f"{name}\t{segment}\t{document}\t{score}\tj{segment % 2}")
    judged.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return write_report(*example, "--judgements", judged, "--baseline", "solid")
