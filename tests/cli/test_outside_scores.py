"""Scores that another program made, in the commands that take metrics."""

import json

import pytest

from metra.corpus import examples

EXAMPLE = examples.find_example()
SOLID, POLISHED = (
    f"{examples.HOME}/outputs/{name}.txt" for name in ("solid", "polished")
)
XCOMET = str(examples.HOME / "xcomet.json")
PAIR = (SOLID, POLISHED, "-r", EXAMPLE.references[0], "--docs", EXAMPLE.docs)


def read_means():
    """The mean of each system of the example, by hand."""
    data = json.loads((examples.HOME / "xcomet.json").read_text())
    return {
        file.split("/")[-1].removesuffix(".txt"): sum(e["COMET"] for e in entries) / 28
        for file, entries in data.items()
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ("-m", f"xcomet@{XCOMET}"),
        ("--scores", f"xcomet={XCOMET}"),
        ("--scores", XCOMET),
    ],
    ids=["spec", "named", "all of the file"],
)
def test_score(metra_command, arguments):
    ran = metra_command("score", *PAIR, *arguments, "--format", "json", "--ci")
    assert ran.code == 0, ran.err
    for system in json.loads(ran.out)["systems"]:
        (score,) = system["scores"].values()
        assert score["score"] == pytest.approx(read_means()[system["name"]], abs=1e-12)
        low, high = score["interval"]
        assert low < score["score"] < high


def test_scores_stand_beside_other_metrics_with_more_digits(metra_command):
    ran = metra_command("score", *PAIR, "-m", "bleu", "--scores", f"xcomet={XCOMET}")
    assert "bleu ↑  xcomet ↑" in ran.out
    assert f"{read_means()['polished']:.4f}*" in ran.out
    fewer = metra_command(
        "score", *PAIR, "--scores", f"xcomet={XCOMET}", "--digits", "1", "-b"
    )
    assert fewer.out == f"{read_means()['solid']:.3f}\n{read_means()['polished']:.3f}\n"


def test_without_outputs_the_file_says_what_there_is(metra_command):
    ran = metra_command("score", "--scores", XCOMET, "--sort")
    assert ran.err == ""
    rows = [line.split() for line in ran.out.split("\n")[2:14]]
    means = read_means()
    ordered = sorted(means, key=means.__getitem__, reverse=True)
    assert [row[0] for row in rows] == ordered


def test_compare(metra_command):
    ran = metra_command("compare", *PAIR, "-m", "bleu", "-m", f"xcomet@{XCOMET}")
    assert "polished: better than solid by xcomet; worse by bleu." in ran.out
    alone = metra_command("compare", "--scores", XCOMET, "--all-pairs")
    assert alone.code == 0, alone.err
    assert "polished" in alone.out
    texts = metra_command("compare", "--scores", XCOMET, "--changes", "3")
    assert texts.code == 2
    assert "look at texts; give outputs." in texts.err


def test_rank_by_documents_and_by_all_metrics(metra_command):
    ran = metra_command("rank", *PAIR, "-m", f"xcomet@{XCOMET}", "--format", "json")
    (ranking,) = json.loads(ran.out)["rankings"]
    assert [entry["name"] for entry in ranking["systems"]] == ["polished", "solid"]
    ran = metra_command(
        "rank", *PAIR, "-m", "bleu", "-m", "ter", "-m", f"xcomet@{XCOMET}",
        "--combine", "autorank", "--format", "json",
    )  # fmt: skip
    (ranking,) = json.loads(ran.out)["rankings"]
    # Two metrics of three put solid first; with two systems, each counts the same.
    assert [(e["name"], e["autorank"]) for e in ranking["systems"]] == [
        ("solid", 1.0), ("polished", 2.0),
    ]  # fmt: skip
    assert list(ranking["systems"][0]["scores"]) == ["bleu", "ter", f"xcomet@{XCOMET}"]


def test_rank_against_an_expected_ranking(metra_command, tmp_path):
    people = tmp_path / "people.tsv"
    people.write_text("solid\t2\npolished\t1\n")
    ran = metra_command(
        "rank", "--scores", XCOMET, "--combine", "autorank", "--expected", people
    )
    assert ran.out.startswith("AutoRank of 1 metric: 28 segments\n")
    assert "distance 0, similarity 100.0 %" in ran.out
    assert "so not compared: dropped, fluent-wrong," in ran.out


def test_report(metra_command, tmp_path):
    page = tmp_path / "report.html"
    ran = metra_command("report", *PAIR, "--scores", f"xcomet={XCOMET}", "-o", page)
    assert ran.code == 0, ran.err
    text = page.read_text()
    assert "xcomet" in text
    assert "chrf" in text
    assert f"{read_means()['solid']:.4f}" in text


def test_meta_takes_them_as_scores_and_as_metrics(metra_command, tmp_path):
    gold = tmp_path / "gold.tsv"
    data = json.loads((examples.HOME / "xcomet.json").read_text())
    rows = [
        f"{name.split('/')[-1].removesuffix('.txt')}\t{number}\t{entry['COMET']}\tda"
        for name, entries in data.items()
        for number, entry in enumerate(entries, 1)
    ]
    gold.write_text("\n".join(["system\tsegment\tvalue\tscorer", *rows]) + "\n")
    question = ("meta", "correlate", gold, "--gold", "da", "--level", "sys", "--no-ci")
    as_file = metra_command(*question, XCOMET, "--coef", "pearson")
    assert as_file.code == 0, as_file.err
    assert "COMET     1.000" in as_file.out
    as_metric = metra_command(
        *question, "--output", SOLID, "--output", POLISHED, "-m", f"xcomet@{XCOMET}",
        "--coef", "accuracy",
    )  # fmt: skip
    assert as_metric.code == 0, as_metric.err
    assert "1.000" in as_metric.out


def test_gate_holds_new_scores_against_old_ones(metra_command, tmp_path):
    base = tmp_path / "base.json"
    spec = f"xcomet@{XCOMET}"
    metra_command("score", *PAIR[:1], *PAIR[2:4], "-m", spec, "--save", base)
    data = json.loads((examples.HOME / "xcomet.json").read_text())
    (solid,) = (entries for file, entries in data.items() if "solid" in file)
    for entry in solid:
        entry["COMET"] -= 0.2
    new = tmp_path / "new.json"
    new.write_text(json.dumps({"solid.txt": solid}))
    gate = ("gate", *PAIR[:1], *PAIR[2:4], "--baseline", base)
    assert metra_command(*gate).code == 0
    assert metra_command(*gate, "--scores", f"xcomet={new}").code == 1
    unknown = metra_command(*gate, "--scores", f"comet={new}")
    assert unknown.code == 2
    assert (
        "The baseline has no metric named 'comet'. Did you mean 'xcomet'?"
        in unknown.err
    )


def write_table(path, *, value="0.25"):
    path.write_text(
        "hyp_a\thyp_b\tref\tjudge_a\tjudge_b\n"
        f"one thing\ta thing\tone thing\t0.5\t{value}\n"
        "two things\ttwo\ttwo things\t1\t0.75\n"
    )
    return path


COLUMNS = ("--hyp-column", "a=hyp_a", "--hyp-column", "b=hyp_b", "--ref-column", "ref")


@pytest.mark.parametrize("form", ["tsv", "parquet"])
def test_columns_of_a_table(metra_command, tmp_path, form):
    path = write_table(tmp_path / "test.tsv")
    if form == "parquet":
        csv = pytest.importorskip("pyarrow.csv")
        parquet = pytest.importorskip("pyarrow.parquet")
        options = csv.ParseOptions(delimiter="\t")
        table = csv.read_csv(path, parse_options=options)
        path = tmp_path / "test.parquet"
        parquet.write_table(table, path)
    ran = metra_command(
        "score", path, *COLUMNS,
        "--score-column", "judge/a=judge_a:better=higher", "--score-column", "judge/b=judge_b",
        "-m", "bleu", "--format", "json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    systems = json.loads(ran.out)["systems"]
    assert [s["scores"]["judge"]["score"] for s in systems] == [0.75, 0.5]
    assert list(systems[0]["scores"]) == ["bleu", "judge"]


def test_a_column_of_scores_alone(metra_command, tmp_path):
    path = write_table(tmp_path / "test.tsv")
    ran = metra_command(
        "score", path, *COLUMNS[:2], *COLUMNS[4:],
        "--score-column", "judge_a:better=lower", "-b", "--digits", "2",
    )  # fmt: skip
    assert ran.out == "0.7500\n", ran.err


BAD = [
    pytest.param(
        ["score"], "Missing argument 'OUTPUT...'", id="neither outputs nor scores"
    ),
    pytest.param(
        ["score", "--scores", XCOMET, "-m", "bleu"],
        "bleu is computed from texts, but there is no output; give the outputs, or only "
        "scores that were made elsewhere.",
        id="texts are needed",
    ),
    pytest.param(
        ["score", EXAMPLE.source, "-m", f"xcomet@{XCOMET}"],
        "lack a system. No system named 'source.fr'.",
        id="an unknown system",
    ),
    pytest.param(
        ["score", SOLID, "-m", "judge@no-such-file.tsv"],
        "no-such-file.tsv cannot be read",
        id="no file",
    ),
    pytest.param(
        ["score", SOLID, "-m", f"xcomet@{XCOMET}:best=higher"],
        "outside has no option named 'best'. Did you mean 'better'?",
        id="no option",
    ),
    pytest.param(
        ["score", SOLID, "-m", f"xcomet@{XCOMET}:high=0.5"],
        "expected at most 0.5.",
        id="out of range",
    ),
    pytest.param(
        ["score", SOLID, "--score-column", "judge=nowhere"],
        "is plain, which has no names for its columns",
        id="no column",
    ),
    pytest.param(
        ["rank", "--scores", XCOMET, "--combine", "mean"],
        "'mean' is not 'autorank'",
        id="no such combination",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_errors_are_one_sentence(metra_command, arguments, message):
    ran = metra_command(*arguments)
    assert ran.code == 2
    assert message in ran.err
    assert ran.out == ""


def test_a_column_without_a_number_says_where(metra_command, tmp_path):
    path = write_table(tmp_path / "test.tsv", value="?")
    ran = metra_command(
        "score", path, *COLUMNS, "--score-column", "comet/a=judge_a",
        "--score-column", "comet/b=judge_b",
    )  # fmt: skip
    assert ran.code == 2
    assert "The column 'judge_b', segment 1, has '?'; expected a number." in ran.err


#: Names in the published table that differ from those of the files.
PUBLISHED = {
    "Shy-hunyuan-MT": "Shy",
    "CommandA-WMT": "CommandA-MT",
    "TowerPlus-72B[M]": "TowerPlus-72B",
    "TowerPlus-9B[M]": "TowerPlus-9B",
    "EuroLLM-22B-pre.[M]": "EuroLLM-22B",
    "EuroLLM-9B[M]": "EuroLLM-9B",
}


def test_every_printed_digit_of_wmt25(metra_command, shared, read_table):
    """English–Japanese: 215 means and 43 ranks, as WMT 2025 prints them."""
    folder = shared / "data/published-formats/wmt25-enja"
    rows = read_table(folder / "published-table.tsv")
    published = {
        PUBLISHED.get(r["system"], r["system"]): list(r.values())[1:] for r in rows
    }
    scored = metra_command(
        "score", "--scores", folder / "automatic_scores", "--digits", 1
    )
    ranked = metra_command(
        "rank", "--scores", folder / "automatic_scores", "--combine", "autorank"
    )
    lines = [line.replace("*", " ").split() for line in scored.out.split("\n")[2:45]]
    means = {name: cells for name, *cells in lines}
    ranks = {
        cells[1]: cells[2] for cells in map(str.split, ranked.out.split("\n")[2:45])
    }
    assert means.keys() == ranks.keys() == published.keys()
    equal_means = equal_ranks = 0
    for name, (rank, *figures) in published.items():
        equal_ranks += ranks[name] == rank
        for ours, theirs in zip(means[name], figures, strict=True):
            # The table leaves out final zeros.
            equal_means += ours == theirs or ours.rstrip("0") == theirs
    assert (equal_means, equal_ranks) == (215, 43)
