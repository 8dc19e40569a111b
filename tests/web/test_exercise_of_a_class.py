"""An exercise from `metra exercise init` to its analysis: one link for each participant."""

import json
import random
import re
from contextlib import closing
from itertools import combinations

import pytest
from starlette.testclient import TestClient
from tests.web import plain_exercise as plain
from tests.web.browsing import BASE, Browser, answer

from metra import store as stores
from metra.campaign.protocols.registry import PROTOCOLS
from metra.store import judges
from metra.web.app import create_app

TEXTS = {
    "reference.txt": [
        "The old bakery on the corner is closed until the end of May.",
        "It opens again at noon.",
        "Two riders fell on the wet road near the bridge this morning.",
    ],
    "source.txt": [
        "La vieille boulangerie du coin est fermée jusqu'à fin mai.",
        "Elle rouvre à midi.",
        "Deux cyclistes sont tombés ce matin près du pont.",
    ],
    "good.txt": [
        "The old bakery at the corner stays shut until the end of May.",
        "It will open at noon again.",
        "Two cyclists fell on the wet road by the bridge this morning.",
    ],
    "bad.txt": [
        "Bakery old of corner be closed up to end of the May month.",
        "She is reopen at the midday.",
        "Two cyclist is fall in the road which wets at bridge of morning.",
    ],
    "docs.txt": ["shop", "shop", "road"],
    "baseline.txt": ["My aunt kept bees at the end of the garden, behind a hedge."],
    "questions.tsv": [
        "document\tquestion\tanswer\tchoices",
        "shop\tWhen does it open?\tat noon|noon\t",
        "shop\tWhat is closed?\tA bakery\tA bakery|A bridge",
        "road\tWho fell?\tcyclists|riders\t",
    ],
    "templates.tsv": [
        "document\ttemplate\tinstance\tslot\tvalue",
        "shop\tplace\tp1\tname\tbakery",
        "shop\tplace\tp1\tuntil\tMay",
        "road\taccident\ta1\twho\triders",
        "road\taccident\ta1\twhere\tbridge",
    ],
}
QUESTIONS = {
    "shop": [["at noon", "noon"], ["A bakery"]],
    "road": [["cyclists", "riders"]],
}
TEMPLATES = {
    "shop": [("name", "bakery"), ("until", "May")],
    "road": [("who", "riders"), ("where", "bridge")],
}
#: The metrics of the workbook in the order of `init`, which shows references last.
GIVEN = ("reading", "reading-aloud", "comprehension", "cloze", "intelligibility")
GIVEN += ("clarity", "adequacy", "templates", "correction")
ORDER = ("comprehension", "reading", "reading-aloud", "cloze", "clarity", "templates")
ORDER += ("intelligibility", "adequacy", "correction")
PEOPLE = ("ann", "bob", "cleo")


@pytest.fixture
def prepared(tmp_path, monkeypatch, cli):
    """A folder for three participants, all human metrics and an automatic one."""
    for name, lines in TEXTS.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METRA_ADMIN_PASSWORD", "a password for tests only")
    ran = cli.ok(
        *("exercise", "init", "class", "good.txt", "bad.txt", "-r", "reference.txt"),
        *("-s", "source.txt", "--docs", "docs.txt", "-l", "fr-en"),
        *("-p", ",".join(PEOPLE), "-m", ",".join(GIVEN), "-m", "bleu:n=3"),
        *("--questions", "questions.tsv", "--templates", "templates.tsv"),
        *("--baseline", "baseline.txt", "--organiser", "Spring class"),
    )
    links = dict(re.findall(r"^(\w+)\t\S+/j/(\S+)$", ran.out, re.MULTILINE))
    assert tuple(sorted(links)) == PEOPLE
    assert (
        tuple(re.findall(r"^([\w-]+): \d+ screens, ", ran.out, re.MULTILINE)) == ORDER
    )
    # Four texts of systems, with two baselines and two controls; six sentences.
    assert "each participant: 46 screens, about " in ran.out
    assert "metra exercise class --unblind" in ran.out
    return tmp_path / "class", links


def invent_answer(step, screen, rng):
    """Answer a step of any metric, some way or other."""
    ask, name = step["ask"], step["name"]
    text = screen["outputs"][0]["text"]
    times = {"idle_ms": 0, "pauses": 0, "hidden_ms": 0}
    words = len(text.split())
    if step["kind"] == "scale":
        return rng.randint(ask["low"], ask["high"])
    if step["kind"] == "reading":
        return times | {"ms": round(60_000 * words / rng.uniform(150, 380))}
    if step["kind"] == "gaps":
        count = len(screen["extra"][name]["pieces"]) - 1
        return {
            "answers": [rng.choice(["of", "the", "May", "cork"]) for _ in range(count)]
        }
    if step["kind"] == "questions":
        asked = screen["extra"][name]["questions"]
        free = ["noon", "Riders", "a dog", None]
        return {"answers": [rng.choice(one["choices"] or free) for one in asked]}
    if step["kind"] == "template":
        [asked] = screen["extra"][name]["templates"]
        values = ["bakery", "May", "riders", "bridge", ""]
        slots = [[slot, rng.choice(values)] for slot in asked["slots"]]
        slots = [pair for pair in slots if pair[1]] or [[asked["slots"][0], "May"]]
        return {"filled": [{"template": asked["template"], "slots": slots}]}
    assert step["kind"] == "edit"
    keys = {"letter": rng.randint(2, 9), "space": 1}
    corrected = f"{text} and{' more' * rng.randint(1, 3)}"
    spent = {"ms": rng.randint(2_000, 40_000), "keys": keys, "inputs": {}}
    return times | spent | {"text": corrected}


def take_part(client, name, token):
    """Walk through all campaigns by one link, one consent and a guide for each."""
    browser, rng = Browser(client), random.Random(name)
    assert "Comprehension, Reading time" in browser.get(f"/j/{token}").text
    assert browser.form(f"/j/{token}").status_code == 303
    page = browser.get("/judge/consent").text
    assert "46 in total" in page
    assert "Comprehension, Reading time" in page
    consent = {"agree": "yes", "target_level": "native", "source_level": "good"}
    assert browser.form("/judge/consent", **consent).status_code == 303
    for number, metric in enumerate(ORDER):
        guide = re.search("<h1>(.+)</h1>", browser.get("/judge/guide").text)[1]
        assert re.search(r"<bdi[^>]*>\w", guide)
        assert browser.form("/judge/guide").status_code == 303
        browser.get("/judge/work")
        work = browser.work()
        steps = work["protocol"]["steps"]
        assert work["protocol"]["name"] == metric
        seen = []
        while screen := work.get("screen"):
            seen += [screen["outputs"][0]["text"]] * (metric == "comprehension")
            shown = screen.get("steps") or [step["name"] for step in steps]
            place = f"/api/screens/{screen['task']}/{screen['number']}"
            value = {}
            for at, step in enumerate(steps):
                if step["name"] not in shown:
                    continue
                if step["shows"]:
                    body = {"step": at, "rev": 0, "value": {}}
                    reply = browser.send("POST", f"{place}/reveal", body)
                    assert reply.status_code == 200
                value[step["name"]] = invent_answer(step, screen, rng)
            reply = browser.send("POST", f"{place}/answer", answer(value))
            assert reply.status_code == 200, reply.text
            work = browser.work()
        # Questions without a text come before any version of it.
        assert [bool(text) for text in seen] == [False] * 2 + [True] * 4 or not seen
        assert browser.get("/judge").headers["location"] == "/judge/parts"
        own = re.findall(r'name="part" value="(\w+)"', browser.get("/judge/parts").text)
        if number % 2 == 0:
            said = {"part": own[number], "remark": f"{name}: {metric} is quick"}
            assert browser.form("/judge/remark", **said).status_code == 303
        if number < len(ORDER) - 1:
            moved = browser.form("/judge/parts", part=own[number + 1])
            assert moved.status_code == 303
    assert browser.form("/judge/parts", part="somebody else").status_code == 404


def read_records(cli, folder):
    """What participants did, as every campaign exports it."""
    names = [PROTOCOLS[metric].title for metric in ORDER]
    records = []
    for name in names:
        path = folder / f"{name}.jsonl"
        cli.ok("judge", "export", name, "--store", folder / "judge.db", "-o", path)
        records += map(json.loads, path.read_text("utf-8").splitlines())
    return records


@pytest.mark.seed("5.54")
@pytest.mark.seed("5.2")
@pytest.mark.seed("5.4")
@pytest.mark.seed("5.5")
@pytest.mark.seed("5.6")
@pytest.mark.seed("5.7")
def test_a_class_from_one_link_each_to_the_analysis(prepared, cli):
    """Every figure is that of a plain script that knows only what participants did."""
    folder, links = prepared
    with closing(stores.open(str(folder / "judge.db"))) as store:
        app = create_app(store, base_url=BASE)
        for name, token in links.items():
            client = TestClient(app, base_url=BASE, follow_redirects=False)
            take_part(client, name, token)
        with store.reading() as db:
            ann = judges.find_by_token(db, links["ann"])
            remarks = [part.remark for part in judges.list_parts(db, ann)]
            assert remarks[:3] == [
                "ann: comprehension is quick",
                "",
                "ann: reading-aloud is quick",
            ]
    hidden = cli.ok("exercise", folder).out
    assert "still hide their system names; give --unblind: " in hidden
    ran = cli.ok("exercise", folder, "--unblind", "--format", "json")
    found = json.loads(ran.out)
    records = read_records(cli, folder)
    results = plain.collect_results(records, QUESTIONS, TEMPLATES)
    outputs = {name: TEXTS[f"{name}.txt"] for name in ("good", "bad")}
    results["bleu:n=3"] = plain.score_automatically(
        outputs, [TEXTS["reference.txt"]], TEXTS["docs.txt"]
    )
    means, deviations, agreement, matrix = plain.compute_figures(results)
    tables = found["tables"]
    for table, figures in (("means", means), ("deviations", deviations)):
        for row in tables[table]:
            assert row.keys() == {"system", *results}
            for metric in results:
                figure = figures.get((metric, row["system"]))
                assert row[metric] == pytest.approx(figure), (table, metric)
    assert {row["metric"] for row in tables["reliability"]} == {*results}
    for row in tables["reliability"]:
        figures = row["alpha"], row["r"], row["rho"]
        for figure, expected in zip(figures, agreement[row["metric"]], strict=True):
            assert figure == pytest.approx(expected, abs=1e-9), row["metric"]
    pairs = {(row["one"], row["other"]): row for row in found["correlations"]}
    assert len(pairs) == len([*combinations(results, 2)])
    for pair, row in pairs.items():
        expected = matrix[pair]
        assert row["pearson"] == pytest.approx(expected[0], abs=1e-9), pair
        assert row["spearman"] == pytest.approx(expected[1], abs=1e-9), pair
    [readers] = (
        note for note in found["notes"] if "Readers saw several versions" in note
    )
    assert readers.startswith(
        "Comprehension, Reading time, Reading aloud, Cloze test, "
    )
    comments = [(row["participant"], row["comment"]) for row in tables["comments"]]
    assert len(comments) == 15
    assert comments[0] == ("ann", "ann: comprehension is quick")


def test_readers_and_chosen_metrics_are_named(prepared, cli):
    folder, _ = prepared
    shown = cli.ok("exercise", folder, "--unblind", "-m", "bleu").out
    assert "several versions" not in shown
    assert "Comments of participants" not in shown
    refused = cli.refusal("exercise", folder, "--unblind", "-m", "blue")
    assert "There is a metric for 'blue', which has no scores" in refused


@pytest.mark.usefixtures("prepared")
def test_folders_and_metrics_that_do_not_do(cli, tmp_path):
    again = ("exercise", "init", "class", "good.txt", "-r", "reference.txt")
    rest = ("--docs", "docs.txt", "-l", "fr-en", "-p", "ann")
    assert "class is not empty; name a new folder." in cli.refusal(*again, *rest)
    new = ("exercise", "init", "new", *again[3:])
    assert "has no human metric" in cli.refusal(*new, *rest, "-m", "bleu")
    assert "expected two languages" in cli.refusal(*new, *rest[:3], "fren", "-p", "ann")
    for metric, lacks in (
        ("reading", "give files.baseline"),
        ("comprehension", "has no questions for"),
        ("templates", "has no templates for"),
    ):
        assert lacks in cli.refusal(*new, *rest, "-m", metric)
    (tmp_path / "empty").mkdir()
    assert "empty has no judge.db" in cli.refusal("exercise", "empty")
    assert not (tmp_path / "new").exists()
