"""An exercise from `metra exercise init` to its analysis: one link for each participant."""

import json
import re
from contextlib import closing

import pytest
from starlette.testclient import TestClient
from tests.web.browsing import BASE, Browser, answer

from metra import store as stores
from metra.store import judges
from metra.web.app import create_app

TEXTS = {
    "reference.txt": ["The bakery is closed.", "It opens at noon.", "Two riders fell."],
    "source.txt": [
        "La boulangerie est fermée.",
        "Elle ouvre à midi.",
        "Deux cyclistes.",
    ],
    "good.txt": ["The bakery is shut.", "It opens at noon.", "Two riders fell down."],
    "bad.txt": ["Bakery closed be.", "She is open midday.", "Two cyclist is fall."],
    "docs.txt": ["shop", "shop", "road"],
}
#: What each participant answers about a sentence of each system.
GIVEN = {
    "clarity": {"ann": {"good": 3, "bad": 1}, "bob": {"good": 2, "bad": 1}},
    "adequacy": {"ann": {"good": 5, "bad": 2}, "bob": {"good": 5, "bad": 3}},
}
RANGES = {"clarity": (0, 3), "adequacy": (1, 5)}


@pytest.fixture
def prepared(tmp_path, monkeypatch, cli):
    """A folder for two participants, with two human metrics and an automatic one."""
    for name, lines in TEXTS.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METRA_ADMIN_PASSWORD", "a password for tests only")
    ran = cli.ok(
        *("exercise", "init", "class", "good.txt", "bad.txt", "-r", "reference.txt"),
        *("-s", "source.txt", "--docs", "docs.txt", "-l", "fr-en", "-p", "ann,bob"),
        *("-m", "clarity,adequacy", "-m", "bleu:n=3"),
    )
    links = dict(re.findall(r"^(\w+)\t\S+/j/(\S+)$", ran.out, re.MULTILINE))
    assert sorted(links) == ["ann", "bob"]
    assert "metra exercise class --unblind" in ran.out
    return tmp_path / "class", links


def take_part(client, name, token, outputs):
    """Walk through both campaigns by one link, one consent and two guides."""
    browser = Browser(client)
    assert browser.form(f"/j/{token}").status_code == 303
    page = browser.get("/judge/consent").text
    assert "12" in page  # the screens of both campaigns together
    consent = {"agree": "yes", "target_level": "native"}
    assert browser.form("/judge/consent", **consent).status_code == 303
    for metric in GIVEN:
        browser.get("/judge/guide")
        assert browser.form("/judge/guide").status_code == 303
        browser.get("/judge/work")
        work = browser.work()
        assert work["protocol"]["name"] == metric
        while screen := work.get("screen"):
            system = outputs[screen["outputs"][0]["text"]]
            place = f"/api/screens/{screen['task']}/{screen['number']}"
            value = {metric: GIVEN[metric][name][system]}
            if work["protocol"]["steps"][0]["shows"]:
                body = {"step": 0, "rev": 0, "value": {}}
                assert browser.send("POST", f"{place}/reveal", body).status_code == 200
            reply = browser.send("POST", f"{place}/answer", answer(value))
            assert reply.status_code == 200, reply.text
            work = browser.work()
        assert browser.get("/judge").headers["location"] == "/judge/parts"
        page = browser.get("/judge/parts").text
        own = re.findall(r'name="part" value="(\w+)"', page)
        if metric == "clarity":
            said = browser.form("/judge/remark", part=own[0], remark=f"{name}: quick")
            assert said.status_code == 303
            assert browser.form("/judge/parts", part=own[1]).status_code == 303
    assert browser.form("/judge/parts", part="somebody else").status_code == 404


def test_a_class_from_one_link_each_to_the_analysis(prepared, cli):
    folder, links = prepared
    outputs = {line: name for name in ("good", "bad") for line in TEXTS[f"{name}.txt"]}
    with closing(stores.open(str(folder / "judge.db"))) as store:
        app = create_app(store, base_url=BASE)
        for name, token in links.items():
            client = TestClient(app, base_url=BASE, follow_redirects=False)
            take_part(client, name, token, outputs)
        with store.reading() as db:
            [ann] = [
                judge
                for judge in [judges.find_by_token(db, links["ann"])]
                if judge is not None
            ]
            assert [part.remark for part in judges.list_parts(db, ann)] == [
                "ann: quick",
                "",
            ]
    ran = cli.ok("exercise", folder, "--unblind", "--format", "json")
    found = json.loads(ran.out)
    means = {row["system"]: row for row in found["tables"]["means"]}
    for metric, by_judge in GIVEN.items():
        low, high = RANGES[metric]
        for system in ("good", "bad"):
            values = [given[system] for given in by_judge.values()]
            expected = 100 * (sum(values) / len(values) - low) / (high - low)
            assert means[system][metric] == pytest.approx(expected)
    comments = {
        row["participant"]: row["comment"] for row in found["tables"]["comments"]
    }
    assert comments == {"ann": "ann: quick", "bob": "bob: quick"}
    shown = cli.ok("exercise", folder).out
    assert "Comments of participants" in shown


@pytest.mark.usefixtures("prepared")
def test_folders_and_metrics_that_do_not_do(cli, tmp_path):
    again = ("exercise", "init", "class", "good.txt", "-r", "reference.txt")
    rest = ("--docs", "docs.txt", "-l", "fr-en", "-p", "ann")
    assert "class is not empty; name a new folder." in cli.refusal(*again, *rest)
    new = ("exercise", "init", "new", *again[3:])
    assert "has no human metric" in cli.refusal(*new, *rest, "-m", "bleu")
    assert "expected two languages" in cli.refusal(*new, *rest[:3], "fren", "-p", "ann")
    (tmp_path / "empty").mkdir()
    assert "empty has no judge.db" in cli.refusal("exercise", "empty")
    assert not (tmp_path / "new").exists()
