"""The explorer of segments in a browser: address, systems, table, files, documents."""

import csv
from io import StringIO

import pytest
from playwright.sync_api import expect
from tests.browser.accessibility import check_themes

LONG = " ".join(f"word{at}" for at in range(2000))
ARABIC = "قال رئيس البلدية إن السوق ستفتح أبوابها قريبا"
CHINESE = "新市场终于在本周开放了，市长说。"
MANY = 1000
BROKEN = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A report on many segments of four systems, among them long, Arabic and Chinese ones."""
    import metra

    texts = [
        LONG,
        ARABIC,
        CHINESE,
        "=1+1",
        "one, two",
        'say "so"',
        "seven words are in this one here",
    ]
    outputs = {
        name: [f"{texts[(at + step) % 7]} {at}" for at in range(MANY)]
        for step, name in enumerate(["a", "b & c", ARABIC, "d"])
    }
    scores = {
        name: [((at * 37 + step * 11) % 101) / 10 for at in range(MANY)]
        for step, name in enumerate(outputs)
    }
    metric = metra.import_scores("m", scores, higher_is_better=True)
    path = tmp_path_factory.mktemp("many") / "report.html"
    documents = [f"doc {at // 10}" for at in range(MANY)]
    evalset = metra.EvalSet(
        source=[f"source {at}" for at in range(MANY)], documents=documents
    )
    return metra.report(evalset, outputs, path, [metric]), outputs, scores


def show_table(page):
    page.get_by_label("output", exact=True).select_option(label="any length")
    page.get_by_role("button", name="Show table").click()
    page.locator(".windowed").wait_for()


def test_a_view_can_be_sent(example_report, open_page):
    page = open_page(example_report, "#compare")
    page.get_by_label("A", exact=True).select_option(label="terse")
    page.get_by_label("metric", exact=True).select_option(label="chrf ↑")
    page.get_by_label("sort by").select_option(label="worst in B")
    page.locator('input[value="better"]').check()
    page.get_by_label("search").fill("brake")
    expect(page.locator(".status")).not_to_contain_text("of 27")
    page.wait_for_url("**query=brake*")
    cards = page.locator(".cards h3").all_inner_texts()
    place = page.url[page.url.index("#") :]
    other = open_page(example_report, place)
    assert other.locator(".cards h3").all_inner_texts() == cards != []
    assert other.get_by_label("search").input_value() == "brake"
    assert other.locator('input[value="better"]').is_checked()
    assert (
        other.get_by_label("A", exact=True).locator(":checked").inner_text() == "terse"
    )
    assert other.evaluate("scrollY") > 0
    # A segment leads back to the view, and going back does too.
    other.locator(".cards a").first.click()
    other.get_by_role("link", name="← All segments").click()
    expect(other.locator("#report")).to_be_visible()
    assert other.url.endswith(place)
    assert other.locator(".cards h3").all_inner_texts() == cards


def test_several_systems_are_compared_to_the_first(example_report, open_page):
    page = open_page(example_report, "#compare")
    page.get_by_text("More systems").click()
    page.get_by_role("checkbox", name="terse").check()
    page.get_by_role("checkbox", name="verbose").check()
    card = page.locator(".seg").first
    assert card.locator("dt.output").all_inner_texts() == [
        "solid",
        "near-copy",
        "terse",
        "verbose",
    ]
    assert card.locator("dd .changes").count() == 2
    # The systems that are compared first cannot be left out, and come once.
    assert page.get_by_role("checkbox", name="solid").is_disabled()
    page.get_by_label("B", exact=True).select_option(label="terse")
    assert card.locator("dt.output").all_inner_texts() == ["solid", "terse", "verbose"]


def test_a_table_draws_the_rows_that_can_be_seen(many, open_page):
    path, _, scores = many
    page = open_page(path, "#compare")
    show_table(page)
    expect(page.locator(".status")).to_have_text("1–1,000 of 1,000 segments")
    assert page.locator(".windowed tbody tr").count() < 100
    head = page.locator(".windowed thead").get_by_role("button", name="b & c")
    head.click()
    expect(page.locator(".windowed [aria-sort=ascending]")).to_contain_text("b & c")
    order = sorted(range(MANY), key=lambda at: scores["b & c"][at])
    rows = page.locator(".windowed tbody th a")
    assert rows.first.inner_text() == str(order[0] + 1)
    # The heading keeps the focus, so that it can be pressed again.
    page.keyboard.press("Enter")
    expect(page.locator(".windowed [aria-sort=descending]")).to_contain_text("b & c")
    assert rows.first.inner_text() == str(
        max(range(MANY), key=lambda at: (scores["b & c"][at], -at)) + 1
    )
    page.keyboard.press("Enter")
    page.evaluate("document.querySelector('.rows').scrollTop = 1e9")
    expect(rows.last).to_have_text(str(order[-1] + 1))
    assert page.locator(".windowed tbody tr").count() < 100
    for width in (390, 768):
        page.set_viewport_size({"width": width, "height": 900})
        assert not page.evaluate(BROKEN)
    check_themes(page, "#compare")


@pytest.mark.parametrize(("kind", "delimiter"), [("CSV", ","), ("TSV", "\t")])
def test_what_is_filtered_can_be_saved(many, open_page, kind, delimiter):
    path, outputs, scores = many
    page = open_page(path, "#compare")
    page.get_by_label("output", exact=True).select_option(label="any length")
    page.get_by_label("sort by").select_option(label="order in the text")
    page.get_by_label("search").fill("/^=1\\+1 [0-4]/")
    places = [
        at
        for at in range(MANY)
        if any(
            outputs[name][at].startswith("=1+1 ") and outputs[name][at][5] in "01234"
            for name in ["a", "b & c"]
        )
    ]
    expect(page.locator(".status")).to_contain_text(f"of {len(places)} segments")
    with page.expect_download() as download:
        page.get_by_role("button", name=f"{kind} of segments").click()
    assert download.value.suggested_filename == f"segments.{kind.lower()}"
    text = download.value.path().read_text(encoding="utf-8-sig")
    rows = list(csv.reader(StringIO(text), delimiter=delimiter))
    assert rows[0] == [
        "segment", "document", "source",
        "output of a", "m of a", "output of b & c", "m of b & c",
    ]  # fmt: skip
    assert [int(row[0]) - 1 for row in rows[1:]] == places
    for at, row in zip(places, rows[1:], strict=True):
        first = outputs["a"][at]
        assert row[1:4] == [
            f"doc {at // 10}",
            f"source {at}",
            f"'{first}" if first.startswith("=") else first,
        ]
        assert float(row[4]) == scores["a"][at]


def test_a_segment_stands_in_its_document(many, open_page):
    path, outputs, _ = many
    page = open_page(path, "#seg-13")
    lines = page.locator(".document li")
    assert lines.locator("a").all_inner_texts() == ["11", "12", "13", "14", "15"]
    assert lines.nth(2).get_attribute("aria-current") == "true"
    assert lines.nth(2).locator(".text").all_inner_texts()[0] == "source 12"
    page.get_by_label("source, and output of").select_option(label=ARABIC)
    assert outputs[ARABIC][13] in lines.nth(3).inner_text()
    page.get_by_role("button", name="Show more of the document").click()
    assert lines.locator("a").all_inner_texts() == [str(at) for at in range(11, 21)]
    assert page.get_by_role("button", name="Show more of the document").is_hidden()
    assert not page.evaluate(BROKEN)
    check_themes(page, "#segment")


def test_a_search_that_cannot_be_read_says_so(example_report, open_page):
    page = open_page(example_report, "#compare")
    page.get_by_label("search").fill("/(/")
    expect(page.locator(".status")).to_contain_text("The search cannot be read")
    assert page.locator(".seg").count() == 0
