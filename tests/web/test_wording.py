"""Which words a judge is served, and which the answer says were read."""

import json
import re

import pytest
from tests.campaigns import made, opened
from tests.web.admin.conftest import Admin
from tests.web.admin.test_wizard import ONE, SETTINGS, TWO, carried, upload
from tests.web.browsing import answer

from metra.campaign.translations import freeze_wordings, parse_wordings
from metra.store import campaigns

HOSTILE = '<script>alert(1)</script> & "quoted"'
OWN = {
    "language": "pt",
    "title": f"Título {HOSTILE}",
    "introduction": [f"Primeiro parágrafo {HOSTILE}.", "Segundo."],
    "lead": f"Guia {HOSTILE}.",
    "paragraphs": ["Um parágrafo do guia."],
    "points": [f"Olhe para o sentido {HOSTILE}."],
    "steps": {"adequacy": {"question": f"Quanto {HOSTILE}?"}},
    "examples": [
        {
            "other": "The reference.",
            "outputs": [f"An output {HOSTILE}."],
            "answer": {"adequacy": 4},
            "why": f"Porque {HOSTILE}.",
        }
    ],
}


@pytest.fixture
def open_house(sqlite_store):
    """Open a campaign on SQLite."""
    return lambda content: opened(sqlite_store, content)


def in_own_words():
    content = made("adequacy")
    return freeze_wordings(content, parse_wordings(OWN, content.protocol, "c.toml"))


def speaking(house, language, label="judge 0"):
    browser = house.browser()
    browser.client.headers["Accept-Language"] = language
    browser.come_in(house.tokens[label])
    return browser


def practice(page):
    found = re.search(r'id="practice">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def submit(browser, **more):
    work = browser.work()
    screen = work["screen"]
    place = f"/api/screens/{screen['task']}/{screen['number']}"
    return browser.send("POST", f"{place}/answer", answer({"adequacy": 3}, **more))


def test_published_words_stay_english_on_pages_in_another_language(open_house):
    browser = speaking(open_house(freeze_wordings(made("ldc"))), "de")
    [fluency, adequacy] = browser.work()["protocol"]["steps"]
    assert fluency["question"] == "How good is the English of this text?"
    assert adequacy["ask"]["anchors"][0]["label"] == "All"
    assert set(adequacy["languages"].values()) == {"en"}
    page = browser.get("/judge/guide").text
    assert '<html lang="de"' in page
    assert (
        '<p class="lead" lang="en" dir="auto">You answer two questions about each text.'
        in page
    )


def test_a_campaign_may_let_each_judge_read_her_own_language(open_house):
    house = open_house(freeze_wordings(made("ldc", guide_language="judge")))
    browser = speaking(house, "de")
    work = browser.work()
    fluency = work["protocol"]["steps"][0]
    assert work["protocol"]["wording"] == "de"
    assert fluency["question"] == "Wie gut ist das Englisch dieses Textes?"
    assert fluency["ask"]["anchors"][0] == {
        "at": 5,
        "label": "Einwandfrei",
        "text": "Einwandfreies Englisch.",
    }
    assert fluency["title"] == "Flüssigkeit"
    page = browser.get("/judge/guide").text
    assert "Jeder Text bekommt zwei Antworten." in page
    guide = practice(page)["guide"]
    assert (guide["language"], guide["texts_in"]) == ("de", "en")
    assert guide["examples"][0]["why"].startswith("So würde es niemand sagen")
    right = speaking(house, "ar", "judge 1")
    assert 'class="points" lang="ar" dir="rtl"' in right.get("/judge/guide").text


def test_the_answer_keeps_the_language_that_the_page_had(open_house):
    house = open_house(freeze_wordings(made("adequacy", guide_language="judge")))
    browser = speaking(house, "de")
    assert submit(browser, wording="cs").status_code == 200
    assert submit(browser, wording="tlh").status_code == 200
    assert submit(browser).status_code == 200
    browser.form("/judge/language", language="ja", back="/judge")
    assert submit(browser).status_code == 200
    found = house.judgements()
    assert [one.wording for one in found] == ["cs", "de", "de", "ja"]
    versions = [one.wording_version for one in found]
    assert all(len(version) == 16 for version in versions)
    assert len(set(versions)) == 3
    assert len({one.protocol_version for one in found}) == 1


def test_own_words_are_served_as_plain_text_in_their_language(open_house):
    house = open_house(in_own_words())
    token = house.tokens["judge 0"]
    start = house.browser().get(f"/j/{token}").text
    assert '<bdi lang="pt">Título &lt;script&gt;' in start
    browser = speaking(house, "de")
    consent = browser.get("/judge/consent").text
    assert '<div class="own" lang="pt" dir="auto">' in consent
    assert "Primeiro parágrafo &lt;script&gt;alert(1)" in consent
    page = browser.get("/judge/guide").text
    assert '<p class="lead" lang="pt" dir="auto">Guia &lt;script&gt;' in page
    assert "Um parágrafo do guia." in page
    assert '<ul class="points" lang="pt" dir="ltr">' in page
    assert HOSTILE not in page
    guide = practice(page)["guide"]
    assert (guide["language"], guide["texts_in"]) == ("pt", None)
    work = browser.work()
    [step] = work["protocol"]["steps"]
    assert step["question"] == f"Quanto {HOSTILE}?"
    assert step["languages"]["question"] == "pt"
    assert step["languages"]["anchors"] == "en"
    assert work["campaign"]["title"] == OWN["title"]
    assert submit(browser).status_code == 200
    [one] = house.judgements()
    assert one.wording == "pt"


def test_the_preview_shows_what_judges_will_read(open_house):
    house = open_house(in_own_words())
    page = Admin(house).sign_in().get("/preview")
    assert "campaign’s own wording" in page
    assert "Guia &lt;script&gt;" in page
    assert HOSTILE not in page


def drafted(admin, **wishes):
    """Make a campaign in the form; the reply, and the campaign if there is one."""
    page = upload(admin, outputs=[("one.txt", ONE), ("two.txt", TWO)])
    sent = SETTINGS | {"texts": carried(page.text), "go": "create"} | wishes
    sent |= {"protocol": "clarity", "degraded": "0"}
    reply = admin.browser.form("/admin/campaigns/new/settings", **sent)
    key = reply.headers.get("location", "").rpartition("/")[2]
    with admin.house.store.reading() as db:
        found = campaigns.find_campaign(db, key)
    return reply, None if found is None else found.campaign


def test_the_form_takes_a_language_or_own_words(open_house):
    admin = Admin(open_house(made())).sign_in()
    _, content = drafted(admin, name="a")
    assert [one.language for one in content.wordings] == ["en"]
    _, content = drafted(admin, name="b", guide_language="cs")
    assert [one.language for one in content.wordings] == ["cs"]
    lines = '[wording]\r\nlanguage = "pt"\r\ntitle = "Um <b>título</b>"\r\n'
    _, content = drafted(admin, name="c", wording=lines)
    assert [one.title for one in content.wordings] == ["Um <b>título</b>"]
    for wishes, says in (
        ({"wording": "language = pt"}, "The wording is not TOML"),
        ({"wording": 'language = "pt"\nx = 1'}, "wording has no entry named"),
        ({"wording": lines, "guide_language": "de"}, "expected one of them"),
        ({"guide_language": "xx"}, "guide_language is"),
    ):
        reply, content = drafted(admin, name="d", **wishes)
        assert reply.status_code == 422
        assert content is None
        assert says in reply.text


def test_a_refusal_is_marked_as_english_on_a_german_page(light_house):
    browser = speaking(light_house, "de")
    browser.csrf = "stale"
    reply = browser.form("/judge/leave")
    assert reply.status_code == 403
    assert '<html lang="de"' in reply.text
    assert '<p class="lead" lang="en" dir="auto">' in reply.text
