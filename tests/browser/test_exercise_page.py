"""The page of a collective exercise in a real browser."""

from pathlib import Path

import pytest
from tests.browser.accessibility import check_themes


@pytest.fixture(scope="session")
def exercise_page(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the shipped example."""
    from metra.cli import cli as command

    path = tmp_path_factory.mktemp("exercise") / "exercise.html"
    folder = root / "examples" / "exercise"
    names = ("clarity", "adequacy", "correction-time")
    files = [f"ann={folder}/ann.json", f"dan={folder}/dan.tsv"]
    files += [f"{folder}/{name}.tsv" for name in names]
    wishes = ["--model", f"{folder}/leaflet.toml", "--html", str(path)]
    command.main(["exercise", *files, *wishes], standalone_mode=False)
    return path


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_the_page_never_scrolls_sideways(exercise_page, open_page, width):
    page = open_page(exercise_page, width=width)
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_axe_finds_nothing(exercise_page, open_page):
    page = open_page(exercise_page)
    page.evaluate("for (const e of document.querySelectorAll('details')) e.open = true")
    check_themes(page)


def test_tables_can_be_sorted_and_saved(exercise_page, open_page):
    page = open_page(exercise_page)
    table = page.locator("[data-csv=means]")
    table.get_by_role("button", name="adequacy").click()
    assert table.locator("tbody th bdi").first.inner_text() == "polished"
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV of means").click()
    lines = Path(saved.value.path()).read_text(encoding="utf-8-sig").split("\n")
    assert lines[0].startswith("system,")
    assert len(lines) == 1 + 6 + 1
