"""Running a campaign: progress, state, links that are shown once, notes, the log."""

import re

from metra.store import audit, judges


def found_links(page):
    return re.findall(r'value="(http://[^"]+/j/[^"]+)"', page)


def test_comments_are_shown_and_harmless(light_admin):
    house = light_admin.house
    judge = house.browser("judge 1")
    screen = judge.work()["screen"]
    body = {
        "id": "2f1c1e64-0000-4000-8000-000000000001",
        "value": None,
        "comment": "<script>alert(1)</script>",
        "cannot": "no <i>French</i>",
        "times": {},
        "events": [],
    }
    place = f"/api/screens/{screen['task']}/{screen['number']}/answer"
    assert judge.send("POST", place, body).status_code == 200
    page = light_admin.get()
    assert "&lt;script&gt;alert(1)" in page
    assert "no &lt;i&gt;French" in page
    assert "<script>alert" not in page


def test_a_link_is_shown_once_and_works(admin):
    house = admin.house
    with house.store.reading() as db:
        judge = judges.find_by_label(db, house.campaign, "judge 1")
    old = house.tokens["judge 1"]
    page = admin.form("/judges/issue", judge=judge.id).text
    [link] = found_links(page)
    assert link.startswith(house.base)
    token = link.rpartition("/")[2]
    assert token not in admin.get("/judges")
    assert house.browser().get(f"/j/{old}").status_code == 404
    house.tokens["judge 1"] = token
    assert house.browser("judge 1").work()["screen"] is not None
    admin.form("/judges/revoke", judge=judge.id)
    assert house.browser().get(f"/j/{token}").status_code == 404
    assert "revoked" in admin.get("/judges")
    with house.store.reading() as db:
        assert token not in str(audit.list_entries(db))


def test_a_note_is_kept_as_text(light_admin):
    house = light_admin.house
    with house.store.reading() as db:
        judge = judges.find_by_label(db, house.campaign, "judge 3")
    text = '"><img src=x> late'
    assert (
        light_admin.form("/judges/note", judge=judge.id, text=text).status_code == 303
    )
    page = light_admin.get("/judges")
    assert "&#34;&gt;&lt;img src=x&gt; late" in page


def test_a_judge_is_forgotten_when_one_is_sure(admin):
    house = admin.house
    judge = house.browser("judge 0")
    work = judge.work()
    judge.answer(work, work["screen"])
    with house.store.reading() as db:
        key = judges.find_by_label(db, house.campaign, "judge 0").id
    admin.get("/judges")
    reply = admin.form("/judges/forget", judge=key, what="name")
    assert reply.status_code == 422
    assert "Confirm the deletion" in reply.text
    reply = admin.form("/judges/forget", judge=key, what="all", sure="yes")
    assert reply.status_code == 422
    assert len(house.judgements()) == 1
    reply = admin.form("/judges/forget", judge=key, what="name", sure="yes")
    assert reply.status_code == 303
    [answer] = house.judgements()
    assert answer.judge == f"judge-{key[:8]}"
    page = admin.get("/judges")
    assert "judge 0" not in page
    assert "forgotten" in page
    with house.store.reading() as db:
        done = [
            (entry.who, entry.what) for entry in audit.list_entries(db, house.campaign)
        ]
    assert done.count(("ann", "anonymise")) == 1
