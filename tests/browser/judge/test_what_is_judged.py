"""What of a text is judged: a marked part, one of several references, nothing at all."""

from playwright.sync_api import expect
from tests.browser.judge.test_pages import check
from tests.browser.keys import press

from metra.campaign.judgement import build_campaign_scores
from metra.meta.question import answer_question
from metra.scores.selection import DEFAULT

TEXT = "The 😀 market opens at eight hours the Saturday."
PART = "at eight hours"
START = TEXT.index(PART)
PORTIONS = {"secret-0": {"1": [START, START + len(PART)]}}


def test_the_part_that_is_judged_is_marked(server, work):
    link = server.campaign(
        "adequacy",
        outputs=[[TEXT]],
        sources=["s"],
        references=["The market opens at eight on Saturdays."],
        material={"portions": PORTIONS},
    )
    page = work(link)
    expect(page.locator("mark.portion")).to_have_text(PART)
    expect(page.locator(".judged .text")).to_have_text(TEXT)
    expect(page.locator(".judged")).to_contain_text("Judge only the marked part.")
    check(page)
    press(page, "3", "Enter")
    page.wait_for_url("**/done")
    [judgement] = link.judgements()
    start, end = judgement.portion
    assert judgement.outputs[0][start:end] == PART


def test_what_is_not_a_translation_is_skipped_with_one_key(server, work):
    link = server.campaign("ldc", skip_nontranslations=True)
    page = work(link)
    page.keyboard.press("n")
    expect(page.locator("#place")).to_have_text("2 of 4")
    page.get_by_role("button", name="Not a translation").click()
    expect(page.locator("#place")).to_have_text("3 of 4")
    judgements = link.judgements()
    assert [one.cannot for one in judgements] == ["not a translation"] * 2
    scores = build_campaign_scores(judgements)
    [row] = answer_question("missing", scores, DEFAULT).answer.skipped
    assert (row.skipped, row.answers) == (2, 2)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("skip: not a translation")


def test_nothing_can_be_skipped_unless_the_campaign_says_so(server, work):
    link = server.campaign("adequacy")
    page = work(link)
    assert page.get_by_role("button", name="Not a translation").count() == 0
    press(page, "n", "4", "Enter")
    expect(page.locator("#place")).to_have_text("2 of 4")
    [judgement] = link.judgements()
    assert (judgement.cannot, judgement.value) == (None, {"adequacy": 4})


def test_one_of_several_references_is_chosen(server, work):
    outputs = [[f"Reference {number} of a sentence. " * 4] for number in (1, 2, 3)]
    link = server.campaign(
        "gold-standard", outputs=outputs, sources=["une phrase"], references=["r"]
    )
    page = work(link)
    expect(page.locator(".card.judged")).to_have_count(3)
    page.get_by_role("button", name="Save and continue").click()
    expect(page.locator(".hint")).to_have_text("Please choose an answer first.")
    page.locator(".card.judged").nth(2).click()
    expect(page.locator("input:checked")).to_have_count(1)
    expect(page.locator(".card.current h2")).to_have_text("Text 3")
    check(page)
    page.get_by_role("radio").first.check()
    page.get_by_role("button", name="Save and continue").click()
    page.wait_for_url("**/done")
    [judgement] = link.judgements()
    assert judgement.value == {"gold": {"chosen": 1, "of": 3}}
