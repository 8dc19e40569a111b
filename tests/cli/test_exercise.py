"""`metra exercise` on the shipped example, in every format and as a page."""

import json

import pytest

FILES = ("clarity.tsv", "adequacy.tsv", "correction-time.tsv")


@pytest.fixture
def handed_in(root):
    """The arguments for what the evaluators of the example handed in."""
    folder = root / "examples" / "exercise"
    named = [f"ann={folder / 'ann.json'}", f"dan={folder / 'dan.tsv'}"]
    return [*named, *(folder / name for name in FILES)]


@pytest.fixture
def model(root):
    return root / "examples" / "exercise" / "leaflet.toml"


def test_the_example_by_hand(cli, handed_in, model):
    ran = cli.ok("exercise", *handed_in, "--model", model, "--format", "json")
    found = json.loads(ran.out)
    assert found["level"] == "text"
    means = {row["system"]: row for row in found["tables"]["means"]}
    rows = [row for row in found["results"] if row["metric"] == "clarity"]
    own = [row["score"] for row in rows if row["translation"] == "literal"]
    assert len(own) == 6  # three evaluators, two texts
    assert means["literal"]["clarity"] == pytest.approx(sum(own) / 6)
    [time] = [row for row in found["tables"]["scales"] if row["by"] == "model leaflet"][
        2:
    ]
    assert (time["metric"], time["maps to 0"], time["maps to 100"]) == (
        *("correction-time", 1, 0),
    )
    pairs = {row["metrics"]: row for row in found["tables"]["human"]}
    assert set(pairs) == {
        f"{metric} – {human}"
        for metric in ("bleu:n=3", "ter")
        for human in ("clarity", "adequacy", "correction-time")
    }
    assert pairs["ter – adequacy"]["translations"] == 12


def test_names_of_systems_must_be_equal(cli, write, handed_in, model):
    rows = ["metric\tevaluator\ttext\ttranslation\tscore", "x\tann\tmarket\tSYS1\t40"]
    asked = ("exercise", *handed_in, write("r.tsv", rows), "--model", model)
    said = cli.refusal(*asked, "--human", "x")
    assert "System names must be the same everywhere." in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(
            [], "There are no scores to compare; give scores from", id="nothing"
        ),
        pytest.param(["none.json"], "none.json", id="no such file"),
        pytest.param(["--scale", "clarity"], "'clarity' is not a scale", id="no scale"),
        pytest.param(["--campaign", "x"], "judge.db", id="no store"),
        pytest.param(
            ["--level", "segment"], "--level segment is not possible", id="no level"
        ),
    ],
)
def test_what_is_refused(cli, arguments, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("METRA_STORE", raising=False)
    ran = cli("exercise", *arguments)
    assert ran.code == 2
    assert says in ran.err
    assert ran.out == ""


def test_messages_name_flags(cli, write):
    rows = ["system\tscorer\tvalue", "a\tloudness\t3", "b\tloudness\t4"]
    refused = cli.refusal("exercise", write("r.tsv", rows))
    assert "the unit of loudness is not known" in refused
    assert "with --scale, such as loudness=0..10." in refused
