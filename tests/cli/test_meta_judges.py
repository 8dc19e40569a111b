"""`metra meta judges`, `plan`, `curve` and `rank`."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest


@pytest.fixture
def scores(write):
    """Five systems, twenty segments, two judges, and a metric."""
    rng = np.random.default_rng(0)
    lines = ["system\tseg\trater\tesa\tmetric"]
    for system in range(5):
        for segment in range(20):
            truth = round(rng.normal() + system / 2)
            metric = truth + rng.normal()
            for judge in ("ann", "bob"):
                given = truth + rng.integers(-1, 2)
                lines.append(f"s{system}\t{segment}\t{judge}\t{given}\t{metric}")
    return write("scores.tsv", lines)


@pytest.mark.parametrize(
    ("question", "pictures"),
    [
        (("judges", "--scorer", "esa", "--trials", "0"), ["p-1.svg", "p-2.svg"]),
        (("curve", "--gold", "esa", "--documents", "9"), ["p.svg"]),
        (("rank", "--scorer", "esa"), ["p.svg"]),
        (("plan", "--scorer", "esa", "--segments", "9,99"), ["p.svg"]),
    ],
    ids=["judges", "curve", "rank", "plan"],
)
def test_pictures_are_drawn(question, pictures, scores, cli, tmp_path):
    name, *rest = question
    done = cli("meta", name, scores, *rest, "--plot", tmp_path / "p.svg")
    assert (done.code, done.err) == (0, "")
    for picture in pictures:
        root = ET.fromstring((tmp_path / picture).read_text(encoding="utf-8"))
        assert root.tag.endswith("svg")
        assert "nan" not in (tmp_path / picture).read_text(encoding="utf-8")


def test_normalised_scores_are_a_scorer_again(scores, cli, tmp_path):
    out = tmp_path / "z.tsv"
    assert (
        cli(
            "meta",
            "judges",
            "--show=normalised",
            scores,
            "--scorer",
            "esa",
            "--scores",
            out,
        ).code
        == 0
    )
    again = cli("meta", "judges", out, "--trials", "0", "--format", "json")
    direct = cli(
        "meta", "judges", scores, "--scorer", "esa", "--normalise", "z", "--trials", "0",
        "--format", "json",
    )  # fmt: skip
    assert json.loads(again.out)["tables"] == json.loads(direct.out)["tables"]


def test_the_same_seed_gives_the_same_digits(scores, cli):
    for name, rest in (
        ("judges", ("--scorer", "esa", "--trials", "40")),
        ("curve", ("--gold", "esa", "--documents", "30", "--lengths", "3")),
    ):
        one, two = (cli("meta", name, scores, *rest).out for _ in "12")
        other = cli("meta", name, scores, *rest, "--set", "seed=7").out
        assert one == two != other


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("judges",), "choose one with --scorer"),
        (("rank", "--scorer", "bleu"), "bleu"),
        (("curve", "--gold", "esa", "--lengths", "1,x"), "not a list of numbers"),
        (("curve", "--gold", "esa", "--set", "judges-by=x"), "--set judges-by=x"),
        (
            (
                "judges",
                "--show=normalised",
                "--scorer",
                "esa",
                "--select",
                "judge!=dan",
            ),
            "dan",
        ),
        (("curve", "--over=references", "--gold", "esa"), "give --output"),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) else "",
)
def test_mistakes_are_explained(args, said, scores, cli):
    name, *rest = args
    done = cli("meta", name, scores, *rest)
    assert done.code != 0
    assert said in done.err
    assert "Traceback" not in done.err


@pytest.fixture
def ratings(write):
    """Two judges, on scales of their own, rank a < b < c < d alike in twenty segments."""
    lines = ["system\tsegment\tjudge\tadequacy\tfluency\tmetric"]
    for segment in range(20):
        for judge, base in (("ann", 1), ("bob", 5)):
            for place, system in enumerate("abcd"):
                given = base + place
                lines.append(f"{system}\t{segment}\t{judge}\t{given}\t{given}\t{place}")
    return write("ratings.tsv", lines)


def test_judges_without_names_cannot_be_held_fixed(ratings, write, cli):
    lines = ratings.read_text(encoding="utf-8").split("\n")[:-1]
    nameless = write("x.tsv", [line.replace("\tbob\t", "\t\t") for line in lines])
    ask = ("meta", "curve", nameless, "--gold", "adequacy", "--lengths", "1")
    assert "|judges-by:cell|seed" in cli(*ask).out
    refused = cli.refusal(*ask, "--set", "judges-by=segment")
    assert "have no judge" in refused
    assert "--set judges-by=cell" in refused


def test_a_pilot_study_separates_more_pairs_with_more_judgements(scores, cli):
    ask = ("plan", scores, "--scorer", "esa", "--format", "json")
    answer = json.loads(cli("meta", *ask, "--segments", "10,1000").out)
    separated = [row["pairs found of 10"] for row in answer["tables"]["plans"]]
    assert separated[0] < separated[-1]
    few, many = answer["studies"][0]["power"], answer["studies"][-1]["power"]
    assert all(low <= high for low, high in zip(few, many, strict=True))
    assert any(
        "differences between systems are found" in note for note in answer["notes"]
    )
    # The pairs' segments are those that the table of plans agrees with.
    pair = answer["tables"]["pairs"][0]
    needed = pair["segments for 3 raters"]
    again = json.loads(cli("meta", *ask, "--segments", needed, "--raters", "3").out)
    power = max(row["power"] for row in again["tables"]["pairs"])
    assert power >= 0.8


def test_a_study_is_planned_before_there_are_judgements(cli):
    done = cli("meta", "plan", "--like", "esa", "--set", "systems=12,difference=4")
    assert (done.code, done.err) == (0, "")
    assert "power for 4" in done.out
    assert "like:esa|sys:12" in done.out
    ask = (
        "meta",
        "plan",
        "--sd",
        "system × segment=10,rating=15",
        "--segments",
        "300",
    )
    answer = json.loads(cli(*ask, "--raters", "3", "--format", "json").out)
    (row,) = answer["tables"]["plans"]
    # 2 (100/300 + 225/900) is the variance of a difference.
    assert row["standard error"] == pytest.approx(np.sqrt(2 * (100 / 300 + 225 / 900)))
    assert row["judgements"] == 1800


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "Without scores of a pilot study, give variances"),
        (
            ("--like", "esa", "--sd", "rating=1"),
            "with --like, or standard deviations with --sd.",
        ),
        (("--sd", "taste=1"), "'taste=1' is not a standard deviation"),
        (("--sd", "rating=-1"), "'rating=-1' is not a standard deviation"),
        (("--like", "esa", "--segments", "0,5"), "expected whole numbers from 1, such"),
        (("--like", "esa", "--plot", "x.gif"), "x.gif is not a picture format"),
        (("--like", "esa", "--plot", "x.svg:width=5"), "30 to 1000 millimetres"),
        (("--like", "esa", "--plot", "x.svg:width=w"), "expected column, page"),
    ],
)
def test_what_cannot_be_planned(given, message, cli):
    assert message in " ".join(cli.refusal("meta", "plan", *given).split())


def test_a_pilot_study_and_assumed_variances_exclude_each_other(scores, cli):
    refused = cli.refusal("meta", "plan", scores, "--scorer", "esa", "--like", "esa")
    assert "variances (--sd or --like), not both." in refused


def test_of_many_judges_the_odd_ones_are_shown(write, cli):
    rng = np.random.default_rng(3)
    lines = ["system\tseg\trater\tesa"]
    for segment in range(90):
        truth = rng.normal()
        for judge in (segment % 30, (segment + 1) % 30):
            value = -truth if judge == 7 else truth + 0.1 * rng.normal()
            lines.append(f"s\t{segment}\tj{judge}\t{value:.3f}")
    ratings = write("many.tsv", lines)
    for view in ("agreement", "normalised"):
        ask = ("meta", "judges", ratings, "--show", view, "--format", "json")
        more = ((), ("--set", "judges=0"))
        few, every = (json.loads(cli(*ask, *each).out) for each in more)
        assert [len(each["tables"]["judges"]) for each in (few, every)] == [20, 30]
        assert any("--set judges=0 shows all" in note for note in few["notes"])


def test_pictures_for_print(scores, cli, tmp_path):
    pytest.importorskip("vl_convert")
    ask = ("meta", "rank", scores, "--scorer", "esa")
    for suffix, start in (("pdf", b"%PDF-"), ("png", b"\x89PNG"), ("svg", b"<svg")):
        path = tmp_path / f"p.{suffix}"
        assert cli(*ask, "--plot", f"{path}:width=column").code == 0
        assert path.read_bytes().startswith(start)
    assert b'width="77mm"' in (tmp_path / "p.svg").read_bytes()
