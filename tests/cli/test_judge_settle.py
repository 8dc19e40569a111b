"""`metra judge settle` and `metra exercise`: second looks, and campaigns compared."""

import json
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra judge")

from tests.campaign.campaigns import opened
from tests.campaigns import answer_all
from tests.campaigns import opened as open_campaign


@pytest.fixture
def store(tmp_path, monkeypatch):
    from metra import store

    path = tmp_path / "judge.db"
    monkeypatch.setenv("METRA_STORE", str(path))
    made = store.open(str(path), create=True)
    yield made
    made.close()


def answered(store, frozen, value):
    """Put a campaign into the store and answer everything."""
    house = open_campaign(store, frozen)
    answer_all(store, house.campaign, value, house.clock)
    return house


def cloze(_, task, __):
    count = len(
        opened("cloze", cloze={"every": 3})
        .protocol.steps[0]
        .asks.places(task.items[0].text)
    )
    return {"cloze": {"answers": ["thing"] * count}}


def test_close_answers_become_a_campaign_and_its_verdicts_count(store, cli, tmp_path):
    from metra.store import campaigns

    first = answered(store, opened("cloze", cloze={"every": 3}, name="first"), cloze)
    out = str(tmp_path / "scores.tsv")
    cli("judge", "export", "first", "--format", "tsv", "--unblind", "-o", out)
    before = Path(out).read_text()
    assert "cloze-exact" in before
    open_answers = [line for line in before.split("\n") if "cloze-close" in line]
    assert open_answers
    assert all(line.endswith("waiting for a second judge") for line in open_answers)
    made = cli.ok("judge", "settle", "first", "-j", "zoe")
    assert made.out.startswith("first: close answers: 1 judge × ")
    assert f"links 'first: close answers' --store {tmp_path}" in made.out
    with store.reading() as db:
        second = campaigns.find_by_name(db, "first: close answers")
    assert second.campaign.protocol.name == "verdicts"
    right = {"verdict": {"right": True}}
    answer_all(store, second.id, lambda *_: right, first.clock)
    cli("judge", "export", "first", "--format", "tsv", "-o", out)
    after = Path(out).read_text()
    lines = [line.split("\t") for line in after.split("\n") if "cloze-close" in line]
    assert {line[2] for line in lines} == {"100.0"}
    refused = cli.refusal("judge", "settle", "first", "-j", "zoe")
    assert "no answers that need a second look" in refused


def test_campaigns_and_files_are_compared(store, cli, write, tmp_path):
    clarity = opened("clarity", name="clear", repeats=0, degraded=0)
    answered(
        store,
        clarity,
        lambda _, task, __: {
            "clarity": 3 if task.items[0].system == "good" else len(task.judge) - 2
        },
    )
    head = "metric\tevaluator\ttext\ttranslation\tscore"
    rows = [
        f"bleu\tmetra\t{text}\t{name}\t{score}"
        for text in ("trip", "brake")
        for name, score in (("good", 40), ("bad", 10))
    ]
    path = write("bleu.tsv", [head, *rows])
    asked = ("exercise", path, "--campaign", "clear", "--tables", tmp_path / "out")
    hidden = cli(*asked)
    assert hidden.code == 2
    problem = "clear still hides its system names; close it, or give --unblind."
    assert hidden.err == f"metra: {problem}\n"
    by_store = cli("exercise", path, "--store", tmp_path / "judge.db")
    assert "still hide their system names; give --unblind: clear." in by_store.out
    done = cli.ok(*asked, "--unblind", "--format", "json")
    found = json.loads(done.out)
    assert found["level"] == "text"
    [pair] = found["tables"]["human"]
    assert (pair["metrics"], pair["translations"]) == ("bleu – clarity", 4)
    names = {one.name for one in (tmp_path / "out").iterdir()}
    assert names == {"results.tsv", "reliability.tsv", "correlations.tsv", "matrix.tsv"}
    tables = (tmp_path / "out" / "correlations.tsv").read_text()
    assert "bleu\tclarity\t4\t" in tables
    # Once unblinded, the store may be read without the flag.
    again = cli("exercise", path, "--store", tmp_path / "judge.db")
    assert "bleu – clarity" in again.out


def test_scores_of_two_campaigns_by_one_scorer_stand_side_by_side(cli, store, tmp_path):
    for name, value in (("first", 3), ("second", 0)):
        frozen = opened("clarity", name=name, repeats=0, degraded=0)
        answered(store, frozen, lambda *_, value=value: {"clarity": value})
    asked = ("exercise", "--store", tmp_path / "judge.db", "--unblind")
    found = json.loads(cli.ok(*asked, "--format", "json").out)
    assert len(found["tables"]["means"]) == 2
    for row in found["tables"]["means"]:
        assert row["clarity:first"] == pytest.approx(100)
        assert row["clarity:second"] == pytest.approx(0)


def test_names_stay_hidden_if_the_command_fails(cli, store, tmp_path, write):
    frozen = opened("clarity", name="clear", repeats=0, degraded=0)
    answered(store, frozen, lambda *_: {"clarity": 2})
    other = ["metric\tevaluator\ttext\ttranslation\tscore", "x\tann\ta\tSYS1\t40"]
    for more in (
        [write("other.tsv", other), "--human", "x"],
        ["--scale", "loudness=0..3"],
        ["-o", tmp_path / "no folder" / "x.txt"],
    ):
        ran = cli("exercise", *more, "--campaign", "clear", "--unblind")
        assert ran.code == 2
        assert "still hides" in cli("exercise", "--campaign", "clear").err, more
