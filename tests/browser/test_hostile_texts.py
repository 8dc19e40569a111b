"""Whatever stands in a segment, a system's name or a document's: it is shown as text."""

from pathlib import Path

import pytest

SCRIPT = "<script>window.hacked = 1</script>"
IMAGE = "<img src=x onerror='window.hacked = 1'>"
END = "</script><script>window.hacked = 1</script><!--"
ARABIC = "قال رئيس البلدية إن السوق ستفتح أبوابها قريبا"
REORDERED = "price \u202e001 only"
EMOJI = "done 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 \U0001fadf \ue000 \u0378"
CONTROLS = "bell \x07 start \x01 line\u2028paragraph\u2029next\x85end"
LONG = "word " * 20_000
UNBROKEN = "x" * 100_000
SEGMENTS = [SCRIPT, IMAGE, END, ARABIC, REORDERED, EMOJI, CONTROLS, LONG, UNBROKEN, ""]
NAME = f"{SCRIPT}&\"'"


@pytest.fixture(scope="module")
def report(write_report, tmp_path_factory) -> Path:
    header = ["source", "ref", "doc", f"output:{NAME}", f"output:{IMAGE}"]
    rows = [
        [text, text or "nothing", SCRIPT if at < 5 else IMAGE, text, f"{text} and more"]
        for at, text in enumerate(SEGMENTS)
    ]
    table = tmp_path_factory.mktemp("hostile") / "test.tsv"
    table.write_bytes("".join("\t".join(r) + "\n" for r in [header, *rows]).encode())
    metrics = ["-m", "bleu", "-m", "wer"]
    return write_report(table, *metrics, "--title", SCRIPT)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("script", [True, False])
def test_nothing_is_executed_and_nothing_overflows(report, open_page, width, script):
    page = open_page(report, width=width, script=script)
    assert page.evaluate("window.hacked") is None
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert page.locator("h1").inner_text() == SCRIPT
    assert page.locator("img").count() == 0


@pytest.mark.parametrize(
    ("number", "text"),
    list(enumerate([SCRIPT, IMAGE, END, ARABIC, REORDERED, EMOJI], 1)),
    ids=["script", "image", "end of script", "Arabic", "reordering", "emoji"],
)
def test_texts_are_shown_as_they_are(report, open_page, number, text):
    page = open_page(report, f"#seg-{number}")
    row = page.locator(".outputs tbody tr").first
    assert row.locator("td.output").inner_text() == text
    assert page.evaluate("window.hacked") is None
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_names_are_shown_as_they_are(report, open_page):
    page = open_page(report, "#seg-1")
    assert sorted(page.locator(".outputs tbody th").all_inner_texts()) == sorted(
        [NAME, IMAGE]
    )
    assert page.locator("#segment .doc").inner_text() == SCRIPT


def test_arabic_runs_from_right_to_left(report, open_page):
    page = open_page(report, "#seg-4")
    direction = "getComputedStyle(document.querySelector('td.output .text')).direction"
    assert page.evaluate(direction) == "rtl"


def test_characters_that_cannot_be_seen_become_signs(report, open_page):
    page = open_page(report, "#seg-7")
    shown = page.locator(".outputs tbody tr").first.locator("td.output").inner_text()
    assert "bell \ufffd start \ufffd line" in shown
    assert "\x07" not in shown


@pytest.mark.parametrize("number", [8, 9], ids=["many words", "one word"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_very_long_text_is_cut_until_it_is_wanted(report, open_page, number, width):
    page = open_page(report, f"#seg-{number}", width=width)
    cell = page.locator(".outputs tbody tr").first.locator("td.output")
    assert len(cell.inner_text()) < 2000
    cell.get_by_role("button", name="show all 100,000 characters").click()
    assert len(cell.inner_text()) >= 99_999
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_an_empty_text_says_so(report, open_page):
    page = open_page(report, "#seg-10")
    assert "(empty)" in page.locator("#segment .texts").inner_text()
