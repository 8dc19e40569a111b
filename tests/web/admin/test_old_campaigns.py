"""Judgements from files through the admin's pages."""

import pytest
from tests.campaign.answers import made as made_judgement
from tests.judged import parse_judgement_lines

from metra.scores.judgement_jsonl import format_judgements
from metra.store import campaigns


def judgements():
    return [
        made_judgement(system, at, judge, 1 + (at + len(judge)) % 5)
        for system in ("one", "two")
        for at in range(1, 7)
        for judge in ("ann", "bob")
    ]


def send(admin, *files, **fields):
    browser = admin.browser
    return browser.client.post(
        "/admin/campaigns/import",
        data={"csrf": browser.csrf} | fields,
        files=[("files", (name, content)) for name, content in files],
        headers={"Origin": browser.origin},
    )


def test_an_old_campaign_is_looked_at_like_any_other(admin):
    admin.browser.get("/admin/campaigns/import")
    text = format_judgements(judgements()).encode()
    reply = send(admin, ("old.jsonl", text), name="spring 2001")
    assert reply.status_code == 303, reply.text
    place = reply.headers["location"]
    page = admin.browser.get(place).text
    assert "Systems by adequacy" in page
    assert "24 answers" in page
    home = place.removesuffix("/results")
    progress = admin.browser.get(home).text
    assert "The judgements come from old.jsonl" in progress
    assert "Open again" not in progress
    people = admin.browser.get(f"{home}/judges").text
    assert "Create link" not in people
    for tab in ("measures", "disagreements", "export", "preview", "log"):
        assert admin.browser.get(f"{home}/{tab}").status_code == 200
    out = admin.browser.get(f"{home}/export/jsonl").content
    renamed = [
        one.campaign for one in parse_judgement_lines(out.decode().split("\n"), "x")
    ]
    assert set(renamed) == {"spring 2001"}
    # The same again leads to the same place.
    again = send(admin, ("old.jsonl", text), name="spring 2001")
    assert again.headers["location"] == place


@pytest.mark.parametrize(
    ("files", "fields", "message"),
    [
        pytest.param([], {}, "Choose at least one file.", id="no file"),
        pytest.param(
            [("a.txt", b"hello")], {}, "which is not a known format", id="anything"
        ),
        pytest.param([("a.txt", b"\xff\xfa")], {}, "is not UTF-8", id="bytes"),
        pytest.param(
            [("../../etc/en-de.mqm.seg.rating", b"x")],
            {},
            "en-de.mqm.seg.rating begins with &#39;x&#39;, which is not a known format",
            id="a format that is not imported, without its folder",
        ),
        pytest.param(
            [("a.jsonl", b'{"schema": "metra-judgement/1"}')],
            {},
            "line 1 lacks &#39;campaign&#39;",
            id="half a judgement",
        ),
        pytest.param(
            [("a.json", b'{"data": []}')], {}, "There are no judgements in", id="texts"
        ),
        pytest.param(
            [("a.json", b'{"data": []}')],
            {"lang": "english"},
            "expected two codes, such as en-de",
            id="languages",
        ),
        pytest.param(
            [("a.json", b'{"data": []}')],
            {"protocol": "xy"},
            "No protocol named &#39;xy&#39;",
            id="protocol",
        ),
    ],
)
def test_what_cannot_be_imported_is_said_and_nothing_kept(
    light_admin, files, fields, message
):
    light_admin.browser.get("/admin/campaigns/import")
    reply = send(light_admin, *files, **fields)
    assert reply.status_code == 422
    assert message in reply.text
    with light_admin.house.store.reading() as db:
        assert len(campaigns.list_campaigns(db)) == 1
