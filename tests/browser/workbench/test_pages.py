"""The workbench in a browser: from files to a leaderboard, on every width, in both themes."""

import pytest
from tests.browser.accessibility import check_themes
from tests.browser.admin.conftest import administered
from tests.workbench.workspaces import make_texts

from metra.campaign.uploads import CampaignTexts
from metra.store import access
from metra.workbench.imports import import_texts
from metra.workbench.worker import do_next_job, start_worker

WIDTHS = (390, 768, 1280)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with administered(str(tmp_path_factory.mktemp("store") / "judge.db")) as made:
        stop = start_worker(made.store, made.now)
        yield made
        stop.set()


@pytest.fixture
def member(server, visit):
    """Open a page as an owner of the workspace."""

    def open_page(place, **how):
        context = visit(**how)
        with server.store.transaction() as db:
            begun = access.begin_session(db, "admin", now=server.now(), name="admin")
        cookie = {"name": "metra-admin", "value": begun[0], "url": server.url}
        context.add_cookies([cookie])
        page = context.new_page()
        assert page.goto(f"{server.url}{place}").status == 200
        return page

    return open_page


LONG = "word " * 2000
#: Texts of every kind that makes pages too wide or too long.
TEXTS = CampaignTexts(
    {
        "a-very-long-name-of-a-system-that-nobody-would-type-but-files-have": [
            *("שלום עולם " * 8, "今天天气很好。" * 30, LONG, "x" * 900, "short"),
        ],
        "مترجم": ["שלום עולם", "今天天气不好。", "word", "y", "short"],
    },
    [["שלום עולם", "今天天气很好。", LONG, "x" * 900, "short"]],
    ["a", "b", LONG, "d", "e"],
    None,
)


@pytest.fixture(scope="module")
def wide_set(server):
    with server.store.transaction() as db:
        more = {"now": server.now(), "who": "admin"}
        stored = import_texts(db, "main", "Long and wide", TEXTS, **more)
    while do_next_job(server.store, server.now):
        pass
    return f"/w/main/sets/{stored.id}"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("place", ["/w/main", "/w/main/settings", "set"])
def test_pages_fit_and_everybody_can_use_them(member, wide_set, place, width):
    page = member(wide_set if place == "set" else place, width=width)
    page.wait_for_load_state("networkidle")
    overflow = "document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(overflow) <= 0
    check_themes(page)


def test_a_spreadsheet_becomes_a_leaderboard_in_five_clicks(member, tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    texts = make_texts(systems=2)
    [refs] = texts.references
    book.active.append(["Source", "Reference", "MT A", "MT B"])
    for row in zip(texts.source, refs, *texts.outputs.values(), strict=True):
        book.active.append(list(row))
    path = tmp_path / "Release 12.xlsx"
    book.save(path)
    page, clicks = member("/w/main"), 0
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Files").click()
        clicks += 1
    chooser.value.set_files(path)
    clicks += 1  # of the dialog
    page.get_by_role("button", name="Check files").click()
    clicks += 1
    assert page.get_by_label("Name of the test set").input_value() == "Release 12"
    page.get_by_role("button", name="Import").click()
    clicks += 1
    table = page.get_by_role("region", name="Scores with 95% intervals").first
    table.wait_for()
    assert "MT A" in table.inner_text()
    assert clicks <= 5
    check_themes(page)


def test_deleting_asks_first(member, server):
    with server.store.transaction() as db:
        more = {"now": server.now(), "who": "admin"}
        stored = import_texts(db, "main", "to delete", make_texts(systems=1), **more)
    page = member(f"/w/main/sets/{stored.id}")
    page.get_by_role("region", name="Scores with 95% intervals").first.wait_for()
    button = page.get_by_role("button", name="Delete to delete")
    assert not button.is_visible()
    page.get_by_text("Delete this test set …").click()
    assert "cannot be undone" in page.get_by_role("main").inner_text()
    button.click()
    page.wait_for_url("**/w/main")
    assert "to delete" not in page.get_by_role("main").inner_text()


def test_segments_are_explored_in_the_workbench(member, wide_set):
    page = member(f"{wide_set}/segments")
    page.get_by_label("search").fill("今天")
    page.get_by_text("1–1 of 1 segment", exact=False).wait_for()
    assert "今天天气不好" in page.locator("#segments").inner_text()
    assert "query" in page.url or "%E4" in page.url
    overflow = "document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(overflow) <= 0


def test_the_report_of_a_test_set_runs_its_scripts(member, wide_set):
    page = member(wide_set)
    page.get_by_role("link", name="Full report").click()
    page.get_by_role("heading", name="Long and wide").wait_for()
    page.locator("#segments > :not(noscript)").first.wait_for()
