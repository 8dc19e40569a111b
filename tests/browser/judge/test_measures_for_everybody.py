"""Every screen and guide of the workbook's measures: any width, both themes, no complaint."""

from itertools import cycle

import pytest
from tests.browser.accessibility import check_rules
from tests.browser.judge.measuring import frozen
from tests.browser.judge.test_pages import check_widths
from tests.campaigns import check_answer

from metra.campaign.assignment import assign
from metra.campaign.second_look import build_reconciliation, build_verdict_campaign

LONG = (
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenfabrik steht da, wo sie steht. "
)
TEXTS = {"s": [LONG * 2, "Kurz gesagt: nein."]}
MATERIAL = {
    "questions": {"d": [["Warum?", ["darum"], []], ["Wo?", ["Da"], ["Da", LONG]]]},
    "templates": {
        "d": [
            {"template": "relation", "slots": [["person", "Ann"], [LONG[:30], "x"]]},
            {"template": LONG[:40], "slots": [["place", "Donau"]]},
        ]
    },
    "baseline": LONG,
    "judged": {"1": [[LONG, 7], [LONG * 2, 3]]},
    "entities": {"1": [["ORGANIZATION", LONG * 2 + "x"], ["DATE", "heute"]]},
}


def made(name):
    wishes = {"comprehension": {"control": False}} if name == "comprehension" else {}
    texts = {"references": TEXTS["s"], "source": ["a", "b"]}
    return frozen(name, TEXTS, material=MATERIAL, **texts, **wishes)


def verdicts():
    first = frozen("cloze", TEXTS, source=["a", "b"], references=["c", "d"])
    found = [
        check_answer(first, task, {"cloze": {"answers": ["nichts"]}}, id=task.id)
        for task in assign(first, secret=b"s" * 32)
    ]
    return build_verdict_campaign(first, found, judges=["zoe"])


def reconciled():
    first = made("entity-tagging")
    tag = {"start": 0, "end": 12, "type": "ORGANIZATION"}
    found = [
        check_answer(first, task, {"tags": {"tags": [tag]}}, id=task.id)
        for task in assign(first, secret=b"s" * 32)
    ]
    return build_reconciliation(first, found, judges=["zoe"])


CASES = {
    **{
        name: lambda name=name: made(name)
        for name in (
            "intelligibility",
            "clarity",
            "minimal-correction",
            "cloze",
            "correction",
            "reading",
            "comprehension",
            "templates",
            "entity-tagging",
            "term-marking",
            "evaltrans",
            "entity-check",
        )
    },
    "verdicts": verdicts,
    "entity-reconciliation": reconciled,
}


def check(page, theme) -> None:
    check_widths(page)
    page.emulate_media(color_scheme=theme)
    check_rules(page)


# Each in one language, so that all are met: right to left, long words, no spaces, English.
LANGUAGE = dict(zip(CASES, cycle(("ar", "de", "ja", "en")), strict=False))


@pytest.mark.parametrize("name", CASES)
def test_screen_and_guide(server, visit, name):
    page = visit(language=LANGUAGE[name]).new_page()
    page.goto(server.open(CASES[name](), guided=False).url)
    page.locator("main button.primary").click()
    page.locator("ul.points").wait_for()
    if name not in ("correction", "reading", "entity-reconciliation"):
        page.locator(".example").first.wait_for()
    check(page, "light")
    page.locator("form[action='/judge/guide'] button").click()
    page.locator(".item").wait_for()
    if name in ("correction", "reading"):
        page.locator(".dock button.primary").click()
    check(page, "dark")


def test_examples_tell_whether_we_would_have_said_the_same(server, visit):
    page = visit().new_page()
    page.goto(server.open(made("cloze"), guided=False).url)
    page.get_by_role("button", name="Start").click()
    example = page.locator(".example").first
    example.locator("input.gap").fill("Windows")
    example.get_by_role("button").last.click()
    verdict = example.locator("[role=status]").last
    verdict.locator("text=smells of paint").wait_for()
    assert "“\u2068windows\u2069”" in verdict.inner_text()
