"""A campaign from files to results by keyboard alone: an admin and two judges."""

import re

import pytest
from playwright.sync_api import expect
from tests.browser.admin.conftest import PASSWORD, administered
from tests.browser.keys import press
from tests.campaign.answers import average, read_judgements
from tests.judged import parse_judgement_lines

from metra.campaign.judgement import assign_blind_names, blind_judgements
from metra.store import answers, campaigns

GOOD = [f"a good text {at}" for at in range(4)]
POOR = [f"a poor text {at}" for at in range(4)]
#: Fluency and adequacy, by judge and output.
GIVEN = {"ann": {"good": "54", "poor": "21"}, "bob": {"good": "45", "poor": "23"}}


@pytest.fixture
def server(store_url):
    with administered(store_url) as made:
        yield made


@pytest.fixture
def files(tmp_path):
    found = {}
    for name, lines in (
        ("good.txt", GOOD),
        ("poor.txt", POOR),
        ("ref.txt", [f"reference {at}" for at in range(4)]),
    ):
        found[name] = tmp_path / name
        found[name].write_text("".join(f"{line}\n" for line in lines))
    return found


def choose(page, tab_to, label, *paths):
    """Open the chooser of a field by the keyboard and choose files in it."""
    tab_to(page, page.get_by_label(label))
    with page.expect_file_chooser() as chooser:
        press(page, "Space")
    chooser.value.set_files([str(path) for path in paths])


# One kind of store: pages do not know which, and tests/web tries both without a browser.
@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_from_files_to_results_by_keyboard(server, visit, files, tab_to, tmp_path):
    page = visit().new_page()
    # From here on choosers come to us: asked for later, the first could be missed.
    page.on("filechooser", lambda _: None)
    page.goto(f"{server.url}/admin")
    page.wait_for_url("**/admin/login")
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type(PASSWORD)
    press(page, "Enter")
    page.wait_for_url("**/admin")
    tab_to(page, page.get_by_role("link", name="New campaign"))
    press(page, "Enter")
    page.wait_for_url("**/campaigns/new")
    page.wait_for_load_state()
    choose(page, tab_to, "Outputs to judge", files["good.txt"], files["poor.txt"])
    choose(page, tab_to, "References", files["ref.txt"])
    tab_to(page, page.get_by_role("button", name="Check files"))
    press(page, "Enter")
    expect(page.get_by_text("4 segments, 2 systems, 1 reference.")).to_be_visible()
    for label, text in (
        ("Campaign name", "spring"),
        ("Source language", "fr"),
        ("Target language", "en"),
        ("Judges, one name per line", "ann\nbob"),
        ("Calibration texts", "0"),
    ):
        tab_to(page, page.get_by_label(label))
        page.keyboard.type(text)
    tab_to(page, page.get_by_label("Each judge sees the outputs of all systems"))
    press(page, "Space")
    for label in ("Repeated items, percent", "Degraded items, percent"):
        tab_to(page, page.get_by_label(label))
        press(page, "Control+A", "0")
    tab_to(page, page.get_by_role("button", name="Estimate work"))
    press(page, "Enter")
    cost = re.compile(
        r"2 judges × 8 screens ≈ \d min each; each output judged by 2 judges"
    )
    expect(page.get_by_text(cost)).to_be_visible()
    tab_to(page, page.get_by_role("button", name="Save as draft"), most=120)
    press(page, "Enter")
    expect(page.get_by_role("heading", name="This is a draft")).to_be_visible()
    key = page.url.rpartition("/")[2]
    tab_to(page, page.get_by_role("link", name="Judges", exact=True))
    press(page, "Enter")
    tab_to(page, page.get_by_role("button", name="Create links"))
    press(page, "Enter")
    links = {name: page.get_by_label(name, exact=True).input_value() for name in GIVEN}
    tab_to(page, page.get_by_role("link", name="Progress"))
    press(page, "Enter")
    tab_to(page, page.get_by_role("button", name="Open the campaign"))
    press(page, "Enter")
    expect(page.locator(".state")).to_have_text("open")
    for judge, link in links.items():
        judge_everything(visit().new_page(), link, GIVEN[judge])
    see_results(page, server, key, tab_to, tmp_path)


def judge_everything(page, link, given):
    page.goto(link)
    expect(page.get_by_role("button", name="Start")).to_be_focused()
    press(page, "Enter")
    page.wait_for_url("**/judge/consent")
    page.locator("#target_level").focus()
    press(page, "N", "Tab", "Space", "Tab", "Enter")
    page.wait_for_url("**/judge/guide")
    page.locator("form[action='/judge/guide'] button").focus()
    press(page, "Enter")
    text, output = "", page.locator(".judged .text")
    for number in range(1, 9):
        expect(page.locator("#place")).to_have_text(f"{number} of 8")
        expect(output).not_to_have_text(text)
        text = output.inner_text()
        fluency, adequacy = given["good" if "good" in text else "poor"]
        answer(page, "How good is the English", fluency)
        page.locator(".given").wait_for()
        answer(page, "How much of the meaning", adequacy)
    page.wait_for_url("**/judge/done")


def answer(page, question, key):
    """Press a number when its question is there, and go on when it is marked."""
    step = page.locator(".step.current")
    expect(step).to_contain_text(question)
    press(page, key)
    expect(step.locator("input:checked")).to_have_count(1)
    press(page, "Enter")


def see_results(page, server, key, tab_to, tmp_path):
    with server.store.reading() as db:
        stored = campaigns.get_campaign(db, key)
        kept = answers.read_judgements(db, stored)
    # Worked by hand: good has (5 + 4) / 2 and (4 + 5) / 2, poor has 2 and (1 + 3) / 2.
    expected = {
        ("good", "fluency"): 4.5,
        ("good", "adequacy"): 4.5,
        ("poor", "fluency"): 2.0,
        ("poor", "adequacy"): 2.0,
    }
    means = {place: native for place, (native, *_) in average(kept).items()}
    assert means == expected
    tab_to(page, page.get_by_role("link", name="Results"))
    press(page, "Enter")
    page.wait_for_url("**/results")
    expect(page.locator(".selection")).to_be_visible()
    # Keys are faster than anybody reads, or are not: the flags do not matter here.
    tab_to(page, page.locator("summary", has_text="Filters"))
    press(page, "Enter")
    tab_to(page, page.get_by_label("Flagged judges"))
    page.keyboard.type("include")
    tab_to(page, page.get_by_role("button", name="Compute"))
    press(page, "Enter")
    page.wait_for_url("**flagged=count**")
    names = assign_blind_names(
        [system.name for system in stored.campaign.systems], stored.secret
    )
    assert shown(page) == {(names[s], q): mean for (s, q), mean in expected.items()}
    words = re.compile("^16 answers of 2 judges")
    expect(page.locator(".selection")).to_have_text(words)
    # Four segments are one way of sixteen: p is 0.0625.
    note = page.get_by_text("0 of 1 pair differs with p < 0.05 (paired permutation")
    expect(note.first).to_be_visible()
    tab_to(page, page.get_by_role("link", name="Export"))
    press(page, "Enter")
    page.wait_for_url("**/export")
    tab_to(page, page.get_by_role("link", name="JSON lines"))
    with page.expect_download() as download:
        press(page, "Enter")
    path = tmp_path / "out.jsonl"
    download.value.save_as(path)
    back = read_judgements([str(path)])
    assert back == blind_judgements(kept, names)
    assert (
        parse_judgement_lines(path.read_text(encoding="utf-8").split("\n"), "x") == back
    )
    tab_to(page, page.get_by_role("link", name="Results"))
    press(page, "Enter")
    tab_to(page, page.get_by_role("button", name="Show names now"))
    press(page, "Enter")
    expect(page.get_by_role("rowheader", name="good").first).to_be_visible()
    assert shown(page).keys() == expected.keys()
    tab_to(page, page.get_by_role("link", name="Log").last)
    press(page, "Enter")
    expect(page.get_by_role("cell", name="unblind")).to_be_visible()


def shown(page):
    """Means by system and question, as the tables on the page have them."""
    found = {}
    for scorer in ("fluency", "adequacy"):
        for row in (
            page.get_by_role("region", name=f"Systems by {scorer}")
            .locator("tbody tr")
            .all()
        ):
            name = row.locator("th").inner_text()
            mean = row.locator("td").nth(3)
            found[name, scorer] = float(mean.get_attribute("data-v"))
    return found
