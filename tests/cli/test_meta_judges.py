"""`metra meta agree`, `normalise`, `pseudo`, `refs` and `rank` as people call them."""

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


QUESTIONS = [
    ("agree", "--scorer", "esa", "--trials", "30"),
    ("agree", "--scorer", "esa", "--normalise", "z", "--no-ci"),
    ("normalise", "--scorer", "esa"),
    ("normalise", "--scorer", "esa", "--method", "rank", "--bad", "s0"),
    ("pseudo", "--gold", "esa", "--lengths", "1,5,all", "--documents", "20", "--test"),
    (
        "pseudo",
        "--gold",
        "esa",
        "--lengths",
        "2",
        "--documents",
        "20",
        "--normalise",
        "z",
    ),
    ("rank", "--scorer", "esa", "--by", "z", "--against", "metric", "--auto", "metric"),
    ("rank", "--scorer", "metric", "--clusters", "range", "--test", "rank-sum"),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
@pytest.mark.parametrize("form", ["table", "json", "tsv", "markdown", "latex"])
def test_every_question_in_every_format(question, form, scores, cli):
    name, *rest = question
    done = cli("meta", name, scores, *rest, "--format", form)
    assert (done.code, done.err) == (0, "")
    assert "meta|" in done.out
    assert "nan" not in done.out.lower().split()
    if form == "json":
        assert json.loads(done.out)["tables"]


@pytest.mark.parametrize(
    ("question", "pictures"),
    [
        (("agree", "--scorer", "esa", "--no-ci"), ["p-1.svg", "p-2.svg"]),
        (("pseudo", "--gold", "esa", "--documents", "9"), ["p.svg"]),
        (("rank", "--scorer", "esa"), ["p.svg"]),
    ],
    ids=["agree", "pseudo", "rank"],
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
        cli("meta", "normalise", scores, "--scorer", "esa", "--scores", out).code == 0
    )
    again = cli("meta", "agree", out, "--no-ci", "--format", "json")
    direct = cli(
        "meta", "agree", scores, "--scorer", "esa", "--normalise", "z", "--no-ci",
        "--format", "json",
    )  # fmt: skip
    assert json.loads(again.out)["tables"] == json.loads(direct.out)["tables"]


def test_the_same_seed_gives_the_same_digits(scores, cli):
    for name, rest in (
        ("agree", ("--scorer", "esa", "--trials", "40")),
        ("pseudo", ("--gold", "esa", "--documents", "30", "--lengths", "3")),
    ):
        one, two = (cli("meta", name, scores, *rest).out for _ in "12")
        other = cli("meta", name, scores, *rest, "--seed", "7").out
        assert one == two != other


def test_references_by_number(write, cli):
    refs = [
        ["the cat sat on the mat", "it rains today", "we go home"],
        ["a cat is on the mat", "today there is rain", "we are going home"],
    ]
    systems = {
        "a": ["the cat sat on a mat", "it rains today", "we go home now"],
        "b": ["a cat on mat", "rain it is today", "going home"],
        "c": ["cat mat", "sun shines", "they left"],
    }
    gold = ["system\tseg\tda"]
    for at, name in enumerate(systems):
        gold += [f"{name}\t{segment}\t{90 - 30 * at}" for segment in (1, 2, 3)]
    args = [write("da.tsv", gold), "--gold", "da", "-m", "chrf"]
    for name, lines in systems.items():
        args += ["--output", write(name, lines)]
    for at, lines in enumerate(refs):
        args += ["-r", write(f"ref{at}", lines)]
    done = cli("meta", "refs", *args, "--format", "json")
    assert (done.code, done.err) == (0, "")
    data = json.loads(done.out)
    assert data["subsets"] == [[[0], [1]], [[0, 1]]]
    assert len(data["values"]["chrf"][0]) == 2
    lacking = cli("meta", "refs", args[0], "--gold", "da")
    assert lacking.code == 2
    assert "Give --output" in lacking.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("agree",), "choose one with --scorer"),
        (("rank", "--scorer", "bleu"), "bleu"),
        (("pseudo", "--gold", "esa", "--lengths", "1,x"), "no list of lengths"),
        (("normalise", "--scorer", "esa", "--without-judge", "dan"), "dan"),
    ],
    ids=["several scorers", "unknown scorer", "bad lengths", "unknown judge"],
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


def curve_of_judges(done):
    assert (done.code, done.err) == (0, "")
    lines = json.loads(done.out)["curves"]["judge with judge"]
    return {line["n"]: round(line["mean"], 3) for line in lines}


def test_judges_who_rank_alike(ratings, cli):
    ask = ("meta", "pseudo", ratings, "--gold", "adequacy", "--format", "json")
    drawn = dict.fromkeys((1, 2, 5, 10, 20), 1.0)
    assert curve_of_judges(cli(*ask)) == drawn
    assert curve_of_judges(cli(*ask, "--judges-by", "document")) == drawn
    by_cell = curve_of_judges(cli(*ask, "--judges-by", "cell"))
    assert by_cell[1] == -0.217
    assert by_cell[20] < 1
    done = cli(*ask, "--judges-by", "judge")
    assert done.code == 2
    assert "--judges-by" in done.err


def test_judges_without_names_cannot_be_held_fixed(ratings, write, cli):
    lines = ratings.read_text(encoding="utf-8").split("\n")[:-1]
    nameless = write("x.tsv", [line.replace("\tbob\t", "\t\t") for line in lines])
    ask = ("meta", "pseudo", nameless, "--gold", "adequacy", "--lengths", "1")
    assert "|judges-by:cell|seed" in cli(*ask).out
    done = cli(*ask, "--judges-by", "segment")
    assert done.code == 2
    assert "name no judge" in done.err
    assert "set --judges-by to cell" in done.err
