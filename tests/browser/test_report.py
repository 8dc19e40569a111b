"""The report in a real browser: what it shows, and that it can be used."""

import csv
import re
from io import StringIO

import pytest
from playwright.sync_api import expect
from tests.browser.accessibility import check_themes
from tests.browser.keys import press

PLACES = ["", "#compare", "#seg-12"]
# All rows, figures and blocks are alike: axe, which takes its time, gets a few of each.
OPENED = """
for (const part of document.querySelectorAll("details")) part.open = true;
const more = "tbody tr:nth-child(n + 4), figure:nth-child(n + 3), .block ~ .block ~ .block";
for (const part of document.querySelectorAll(more)) part.remove();
"""
BROKEN = "document.documentElement.scrollWidth > innerWidth"


def texts(page, selector: str) -> list[str]:
    return page.locator(selector).all_inner_texts()


@pytest.mark.parametrize("place", PLACES)
def test_the_page_never_scrolls_sideways(example_report, open_page, place):
    page = open_page(example_report, place, width=320)
    for width in (320, 390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert not page.evaluate(BROKEN), width


@pytest.mark.parametrize("place", ["", "#seg-12"])
def test_axe_finds_nothing(example_report, open_page, place):
    page = open_page(example_report, place)
    if place == "#seg-12":
        page.locator(".metra-grid").wait_for()
    page.evaluate(OPENED)
    check_themes(page)


def test_marked_errors_are_underlined(tmp_path, open_page):
    """Words are underlined with a line for each severity; a list says who marked them."""
    import metra

    errors = tmp_path / "errors.tsv"
    errors.write_text(
        "system\tsegment\trater\tstart\tend\tcategory\tseverity\n"
        "a\t1\tann\t2\t5\tAccuracy\tmajor\n"
        "a\t1\tbob\t2\t11\tStyle\tminor\n"
    )
    path = tmp_path / "report.html"
    metrics = ["chrf", f"spans:file={errors}"]
    metra.report(
        metra.EvalSet(["😀 cats meow"]), {"a": ["😀 dog barks"]}, path, metrics
    )
    page = open_page(path, "#seg-1")
    marks = page.locator(".outputs mark.error")
    # The face takes two units of a script's text.
    assert marks.all_inner_texts() == ["dog", " barks"]
    lines = [
        mark.evaluate("part => getComputedStyle(part).textDecorationStyle")
        for mark in marks.all()
    ]
    assert lines == ["solid", "dotted"]
    assert texts(page, ".outputs ul.errors li") == [
        "major accuracy “dog”, marked by ann",
        "minor style “dog barks”, marked by bob",
    ]
    assert (
        marks.first.get_attribute("title").split("\n")[0].startswith("major accuracy")
    )
    check_themes(page)


def rank_places(values):
    """The share of values below each, half of the equal ones with them."""
    known = [value for row in values for value in row if value is not None]
    return [
        [
            None
            if value is None
            else (sum(v < value for v in known) + sum(v <= value for v in known))
            / 2
            / len(known)
            for value in row
        ]
        for row in values
    ]


def test_segments_can_be_sorted_by_the_disagreement_between_metrics(
    tmp_path, open_page
):
    """The order and the figures are those of a plain count; people are among the metrics."""
    import metra

    refs = ["one red cat sat", "two big dogs ran", "three birds flew off", "four"]
    outputs = {
        "a": ["one red cat sat", "dogs", "three birds flew off", "five"],
        "b": ["a cat", "two big dogs ran", "birds off", "six"],
    }
    scores = {"a": [1.0, 2.0, 3.0, 4.0], "b": [2.0, 0.5, 1.0, 4.0]}
    judged = {"a": [10, 20, None, 30], "b": [20, 15, 60, 30]}
    file = tmp_path / "judged.tsv"
    lines = [
        f"{system}\t{at}\t{value}"
        for system, row in judged.items()
        for at, value in enumerate(row, 1)
        if value is not None
    ]
    file.write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
    errors = metra.import_scores("errors", scores, higher_is_better=False)
    path = tmp_path / "report.html"
    metra.report(
        metra.EvalSet(refs), outputs, path, ["precision", errors], judgements=file
    )
    precision = {"a": [1, 1, 1, 0], "b": [0.5, 1, 1, 0]}
    places = {
        "precision": rank_places(precision.values()),
        "errors": rank_places([[-v for v in row] for row in scores.values()]),
        "people": rank_places(judged.values()),
    }
    expected = []
    for at in range(4):
        gains = sorted(
            (of_b[at] - of_a[at], name)
            for name, (of_a, of_b) in places.items()
            if of_a[at] is not None
        )
        expected.append((gains[0][0] - gains[-1][0], at, gains))
    page = open_page(path, "#compare")
    page.get_by_label("sort by").select_option("disagree")
    assert texts(page, ".cards h3") == [
        f"Segment {at + 1}" for _, at, _ in sorted(expected)
    ]
    shown = [
        " ".join(text.split())
        for text in texts(page, ".changes .score")
        if "disagreement" in text
    ]
    for text, (value, _, gains) in zip(shown, sorted(expected), strict=True):
        lowest, highest = gains[0][0], gains[-1][0]
        numbers = f"{-value:.2f}", f"{highest:+.2f}", f"{lowest:+.2f}"
        for number in numbers:
            assert re.sub(r"[+-](0\.00)$", r"\1", number).replace("-", "−") in text


def test_without_references_nothing_is_called_wrong(tmp_path, open_page):
    import metra

    outputs = {"a": ["one red cat sat there"] * 120, "b": ["one blue cat sat"] * 120}
    comet = metra.import_scores("comet", {"a": [0.5] * 120, "b": [0.25] * 120})
    path = tmp_path / "report.html"
    metra.report(metra.EvalSet(), outputs, path, [comet])
    page = open_page(path, "#compare")
    assert "120 segments" in page.locator(".status").inner_text()
    assert texts(page, ".cards article:first-child mark") == [
        "red", "there", "blue",
    ]  # fmt: skip
    assert page.locator("mark.miss, mark.hit").count() == 0
    assert "disagreement between metrics" not in texts(page, "select")[3]
    page.goto(f"{path.as_uri()}#seg-2")
    # The page follows its address a moment after the address has changed.
    expect(page.locator("#segment h1")).to_have_text("Segment 2")
    assert page.locator("#grid-title").count() == 0
    assert texts(page, ".outputs tbody th") == ["a", "b"]


def test_a_link_to_a_segment_opens_it(example_report, open_page):
    page = open_page(example_report, "#seg-12")
    assert page.locator("#segment h1").inner_text() == "Segment 12"
    assert page.locator("#report").is_hidden()
    assert "Le maire, Bertrand Aufray" in page.locator("#segment").inner_text()
    assert len(texts(page, ".outputs tbody tr")) == 5
    page.locator(".metra-grid").wait_for()
    # The page follows its address a moment after the address has changed.
    page.get_by_role("link", name="next in the text").click()
    expect(page.locator("#segment h1")).to_have_text("Segment 13")
    page.go_back()
    expect(page.locator("#segment h1")).to_have_text("Segment 12")
    page.get_by_role("link", name="← All segments").click()
    expect(page.locator("#report")).to_be_visible()


@pytest.mark.parametrize("place", ["#seg-0", "#seg-29", "#seg-x", "#nowhere"])
def test_a_link_to_nothing_opens_the_report(example_report, open_page, place):
    page = open_page(example_report, place)
    assert page.locator("#report").is_visible()
    assert page.locator("#segment").is_hidden()


def test_a_grid_can_be_had_of_every_system(example_report, open_page):
    page = open_page(example_report, "#seg-3")
    chosen = page.get_by_label("system", exact=True)
    chosen.select_option(label="verbose")
    assert "verbose, segment 3" in page.locator(".metra-grid title").first.inner_html()


def test_everything_works_by_keyboard(example_report, open_page):
    page = open_page(example_report)

    def focused() -> str:
        return page.evaluate("document.activeElement.textContent.trim()")

    def tab_to(text: str, most: int = 80) -> None:
        for _ in range(most):
            page.keyboard.press("Tab")
            if focused().startswith(text):
                return
        pytest.fail(f"{text} cannot be reached")

    tab_to("Skip to the report", 1)
    tab_to("Overview", 1)
    tab_to("Theme", 20)
    tab_to("chrf ↑")
    page.keyboard.press("Enter")
    assert page.locator('th[aria-sort="descending"]').inner_text() == "chrf ↑"
    page.keyboard.press("Enter")
    assert texts(page, "[data-csv=scores] tbody th bdi")[0] == "terse"
    tab_to("Next →")
    press(page, "Enter", "Enter")
    assert page.locator(".pager").first.inner_text().split("\n")[1] == "page 3 of 3"
    page.keyboard.press("Enter")
    assert focused().startswith("Next")
    tab_to("Segment ", 2)
    name = focused()
    page.keyboard.press("Enter")
    page.locator("#segment h1").wait_for()
    assert focused() == name
    tab_to("next in the text", 6)


def cards(page) -> list[str]:
    return texts(page, ".cards .seg h3")


def test_segments_can_be_sorted_filtered_and_searched(example_report, open_page):
    page = open_page(example_report, "#compare")
    page.get_by_label("A", exact=True).select_option(label="solid")
    page.get_by_label("B", exact=True).select_option(label="verbose")
    assert len(cards(page)) == 10
    before = [float(text.split(" → ")[0].split()[-1]) for text in first_changes(page)]
    after = [float(text.split(" → ")[1].split()[0]) for text in first_changes(page)]
    changes = [abs(b - a) for a, b in zip(before, after, strict=True)]
    assert changes == sorted(changes, reverse=True)
    page.get_by_label("sort by").select_option(label="order in the text")
    assert cards(page)[:2] == ["Segment 1", "Segment 2"]
    kinds = {
        kind: int(page.locator(f'label:has(input[value="{kind}"]) .count').inner_text())
        for kind in ("all", "better", "worse", "equal")
    }
    assert kinds["all"] == 28 == kinds["better"] + kinds["worse"] + kinds["equal"]
    page.locator('input[value="worse"]').check()
    assert f"of {kinds['worse']} segment" in page.locator(".status").inner_text()
    assert all("▼" in text for text in first_changes(page))
    page.locator('input[value="better"]').check()
    assert all("▲" in text for text in first_changes(page))
    page.locator('input[value="all"]').check()
    page.get_by_label("document", exact=True).select_option(label="brake")
    assert cards(page)[0] == "Segment 15"
    page.get_by_label("search").fill("PLAQUETTES")
    page.get_by_text("1–8 of 8 segments").wait_for()
    assert all("plaquettes" in text.lower() for text in texts(page, ".cards .seg"))
    page.get_by_label("search").fill("no such word")
    page.get_by_text("No segment matches").wait_for()


def first_changes(page) -> list[str]:
    return texts(page, ".cards .seg .score.chosen")


def test_words_that_differ_are_marked(example_report, open_page):
    page = open_page(example_report, "#seg-12")
    page.get_by_label("mark words that").select_option(label="differ from solid")
    row = page.locator(".outputs tr", has=page.get_by_text("rule-based", exact=True))
    assert texts(page, ".outputs tr:has(bdi:text-is('rule-based')) mark") == [
        "build in"
    ]
    assert row.locator("mark").first.get_attribute("class") == "miss"


def test_tables_can_be_taken_along(example_report, open_page):
    page = open_page(example_report)
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV of scores").click()
    text = download.value.path().read_text(encoding="utf-8-sig")
    rows = list(csv.reader(StringIO(text)))
    assert rows[0][:4] == ["system", "people ↑", "people ↑ low", "people ↑ high"]
    at = rows[0].index("bleu ↑")
    assert rows[0][at : at + 3] == ["bleu ↑", "bleu ↑ low", "bleu ↑ high"]
    assert rows[1][0] == "near-copy"
    assert float(rows[1][at]) == pytest.approx(97.4900844, abs=1e-6)


def test_the_theme_can_be_chosen(example_report, open_page):
    page = open_page(example_report, theme="light")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_role("button", name="Theme: auto").click()
    assert page.evaluate(paper) == light
    page.get_by_role("button", name="Theme: light").click()
    dark = page.evaluate(paper)
    assert dark != light
    assert open_page(example_report, theme="dark").evaluate(paper) == dark


def test_people_are_held_against_metrics(example_report, open_page):
    page = open_page(example_report, "#people")
    shown = page.locator("#people").inner_text()
    assert "112 judgements by 2 judges" in shown
    assert page.locator("#people svg.chart").count() == 10
    page.get_by_label("B", exact=True).select_option(label="verbose")
    page.get_by_label("sort by").select_option(label="order in the text")
    assert (
        "people 76.00 → 61.00 ▼ −15.00" in page.locator(".changes").first.inner_text()
    )


TRUST = [
    "Significant differences between metrics",
    "Agreement by document length",
    "Two judges with the lowest agreement",
    "Differences between two judgements of the same output",
]


def test_trust_in_metrics_and_people_is_drawn(trusted_report, open_page):
    page = open_page(trusted_report, "#people")
    people = page.locator("#people")
    for title in TRUST:
        figure = people.locator("figure", has=page.get_by_text(title))
        label = figure.locator("svg.chart").get_attribute("aria-label")
        assert len(label) > 40
        figure.locator("summary").click()
        assert figure.locator("tbody tr").count() > 1
    rows = texts(page, "[data-csv=agreement] tbody tr")
    assert len(rows) == 8
    assert all("[" in row for row in rows)


def test_axe_finds_nothing_in_trust(trusted_report, open_page):
    page = open_page(trusted_report, "#people")
    page.evaluate(OPENED.replace("figure:nth-child(n + 3), ", ""))
    check_themes(page, "#people")


@pytest.mark.parametrize("width", [320, 768])
def test_trust_never_scrolls_sideways(trusted_report, open_page, width):
    page = open_page(trusted_report, "#people", width=width)
    assert not page.evaluate(BROKEN)


def test_it_can_be_read_without_javascript(example_report, open_page):
    page = open_page(example_report, script=False)
    assert "97.49" in page.locator("[data-csv=scores]").inner_text()
    assert page.locator("#distributions svg").count() == 4
    assert "needs JavaScript" in page.locator("#segments").inner_text()
    assert page.locator("#segment").is_hidden()
    assert not page.evaluate(BROKEN)


def test_it_can_be_printed(example_report, open_page):
    page = open_page(example_report)
    page.emulate_media(media="print")
    assert page.locator("#menu").is_hidden()
    assert page.pdf()[:4] == b"%PDF"


def test_systems_are_tested_against_each_other(example_report, open_page):
    page = open_page(example_report)
    row = page.locator("[data-csv=differences] tbody tr").first
    assert row.inner_text().startswith("near-copy")
    assert "▲" in row.inner_text()
    # The first column is people's, by which the table is not sorted.
    groups = texts(page, "[data-csv=scores] tbody tr td:nth-child(4) .group")
    assert groups[0].split()[-1] == "1"
    assert groups == sorted(groups)
    page.get_by_label("A", exact=True).select_option(label="near-copy")
    page.get_by_label("B", exact=True).select_option(label="solid")
    said = page.locator(".whole").inner_text()
    assert said.startswith(
        "bleu on the whole test set: 97.49 → 78.34, −19.15 (95% interval −"
    )
    assert " with Holm's correction for 4 comparisons per metric: " in said
    page.get_by_role("button", name="Swap A and B").click()
    assert (
        "78.34 → 97.49, +19.15 (95% interval +" in page.locator(".whole").inner_text()
    )


def test_against_the_baseline_a_p_value_is_that_of_the_table(example_report, open_page):
    page = open_page(example_report)
    row = page.locator("[data-csv=differences] tbody tr", has_text="terse").first
    # System, people with their p-value, then bleu with its own.
    p_value = row.locator("th, td").nth(4).inner_text()
    page.get_by_label("A", exact=True).select_option(label="terse")
    page.get_by_label("B", exact=True).select_option(label="solid")
    said = page.locator(".whole").inner_text()
    assert f"; p {'' if '<' in p_value else '= '}{p_value} with Holm's" in said
    assert said.endswith("4 comparisons per metric: each system against the baseline.")
    page.get_by_label("B", exact=True).select_option(label="near-copy")
    other = page.locator(".whole").inner_text()
    assert other.endswith(
        " with Holm's correction for 10 comparisons per metric: all pairs."
    )


def test_an_ngram_leads_to_its_segments(example_report, open_page):
    page = open_page(example_report)
    # What changed in one of the 28 segments only is not listed.
    assert page.locator("#ngrams tbody th").count() == 10
    page.locator("#ngrams td a").first.click()
    expect(page.locator("#segment h1")).to_contain_text("Segment ")
