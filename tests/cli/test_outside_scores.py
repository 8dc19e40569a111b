"""Scores that another program made, in the commands that take metrics."""

import json
import re
from pathlib import Path

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
def test_score(cli, arguments):
    ran = cli.ok("score", *PAIR, *arguments, "--format", "json", "--ci")
    for system in json.loads(ran.out)["systems"]:
        (score,) = system["scores"].values()
        assert score["score"] == pytest.approx(read_means()[system["name"]], abs=1e-12)
        low, high = score["interval"]
        assert low < score["score"] < high


def test_compare(cli):
    ran = cli("compare", *PAIR, "-m", "bleu", "-m", f"xcomet@{XCOMET}")
    assert (
        "polished: significantly better than solid by xcomet; significantly worse by bleu."
        in ran.out
    )
    alone = cli.ok("compare", "--scores", XCOMET, "--all-pairs")
    assert "polished" in alone.out
    refused = cli.refusal("compare", "--scores", XCOMET, "--changes", "3")
    assert "--changes needs the texts; give the output files." in refused


def test_rank_by_all_metrics(cli, tmp_path):
    scores = tmp_path / "scores.json"
    cli.ok("score", *PAIR, "-m", "bleu", "-m", "ter", "-m", f"xcomet@{XCOMET}",
           "--format", "json", "-o", scores)  # fmt: skip
    people = tmp_path / "people.tsv"
    people.write_text("solid\t2\npolished\t1\n")
    ran = cli.ok("meta", "rank", scores, "--by", "autorank", "--expected", people)
    assert ran.out.startswith("AutoRank of 3 metrics\n")
    # Two metrics of three put solid first; with two systems, each counts the same.
    rows = [line.split()[:3] for line in ran.out.split("\n")[3:5]]
    assert rows == [["solid", "1", "1.0"], ["polished", "2", "2.0"]]
    assert re.search(r"this ranking +1.0 +0.0 +0.0 +0.0\n", ran.out)


def test_gate_holds_new_scores_against_old_ones(cli, tmp_path):
    base = tmp_path / "base.json"
    spec = f"xcomet@{XCOMET}"
    cli("score", *PAIR[:1], *PAIR[2:4], "-m", spec, "--save", base)
    data = json.loads((examples.HOME / "xcomet.json").read_text())
    (solid,) = (entries for file, entries in data.items() if "solid" in file)
    for entry in solid:
        entry["COMET"] -= 0.2
    new = tmp_path / "new.json"
    new.write_text(json.dumps({"solid.txt": solid}))
    gate = ("gate", *PAIR[:1], *PAIR[2:4], "--baseline", base)
    assert cli(*gate).code == 0
    failed = cli(*gate, "--scores", f"xcomet={new}")
    assert failed.code == 1
    # Scores up to 1 have four digits.
    mean = read_means()["solid"]
    assert f"xcomet {mean - 0.2:.4f}, significantly worse" in failed.out
    assert re.search(rf"{mean - 0.2:.4f} +baseline +{mean:.4f} +−0.2000", failed.out)
    refused = cli.refusal(*gate, "--scores", f"comet={new}")
    assert "The baseline has no metric named 'comet'. Did you mean 'xcomet'?" in refused


def write_table(path, *, value="0.25"):
    path.write_text(
        "hyp_a\thyp_b\tref\tjudge_a\tjudge_b\n"
        f"one thing\ta thing\tone thing\t0.5\t{value}\n"
        "two things\ttwo\ttwo things\t1\t0.75\n"
    )
    return path


COLUMNS = ("--read", "hyp=a=hyp_a", "--read", "hyp=b=hyp_b", "--read", "ref=ref")


@pytest.mark.parametrize("form", ["tsv", "parquet"])
def test_columns_of_a_table(cli, tmp_path, form):
    path = write_table(tmp_path / "test.tsv")
    if form == "parquet":
        csv = pytest.importorskip("pyarrow.csv")
        parquet = pytest.importorskip("pyarrow.parquet")
        options = csv.ParseOptions(delimiter="\t")
        table = csv.read_csv(path, parse_options=options)
        path = tmp_path / "test.parquet"
        parquet.write_table(table, path)
    ran = cli.ok(
        "score",
        path,
        *COLUMNS,
        "--read",
        "score=judge/a=judge_a:better=higher",
        "--read",
        "score=judge/b=judge_b",
        "-m",
        "bleu",
        "--format",
        "json",
    )
    systems = json.loads(ran.out)["systems"]
    assert [s["scores"]["judge"]["score"] for s in systems] == [0.75, 0.5]
    assert list(systems[0]["scores"]) == ["bleu", "judge"]


def test_columns_of_scores_need_one_corpus(cli, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "0.parquet"
    parquet.write_table(pa.table({"hyp": ["a"], "ref": ["b"], "judge": [0.5]}), path)
    call = ("score", path, "--read", "score=judge:better=higher", "--resume", tmp_path)
    assert "leave out --scores-out, --resume and --engine" in cli.refusal(*call)


BAD = [
    pytest.param(
        ["score"], "metra score needs OUTPUT", id="neither outputs nor scores"
    ),
    pytest.param(
        ["score", "--scores", XCOMET, "-m", "bleu"],
        "bleu needs texts, but no output was given; give the outputs, or only scores "
        "from other programs.",
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
        ["score", SOLID, "--read", "score=judge=nowhere"],
        "is plain, which has no column names",
        id="no column",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_errors_are_one_sentence(cli, arguments, message):
    ran = cli(*arguments)
    assert ran.code == 2
    assert message in ran.err
    assert ran.out == ""


def test_a_column_without_a_number_says_where(cli, tmp_path):
    path = write_table(tmp_path / "test.tsv", value="?")
    refused = cli.refusal(
        "score",
        path,
        *COLUMNS,
        "--read",
        "score=comet/a=judge_a",
        "--read",
        "score=comet/b=judge_b",
    )
    assert "The column 'judge_b', segment 1, has '?'; expected a number." in refused


#: Names in the published table that differ from those of the files.
PUBLISHED = {
    "Shy-hunyuan-MT": "Shy",
    "CommandA-WMT": "CommandA-MT",
    "TowerPlus-72B[M]": "TowerPlus-72B",
    "TowerPlus-9B[M]": "TowerPlus-9B",
    "EuroLLM-22B-pre.[M]": "EuroLLM-22B",
    "EuroLLM-9B[M]": "EuroLLM-9B",
}


def test_every_printed_digit_of_wmt25(cli, shared, read_table):
    """English–Japanese: 215 means and 43 ranks, as WMT 2025 prints them."""
    folder = shared / "data/published-formats/wmt25-enja"
    rows = read_table(folder / "published-table.tsv")
    published = {
        PUBLISHED.get(r["system"], r["system"]): list(r.values())[1:] for r in rows
    }
    scored = cli("score", "--scores", folder / "automatic_scores", "--digits", 1)
    ranked = cli("meta", "rank", folder / "automatic_scores", "--by", "autorank")
    lines = [line.replace("*", " ").split() for line in scored.out.split("\n")[2:45]]
    means = {name: cells for name, *cells in lines}
    ranks = {
        cells[0]: cells[2] for cells in map(str.split, ranked.out.split("\n")[3:46])
    }
    assert means.keys() == ranks.keys() == published.keys()
    equal_means = equal_ranks = 0
    for name, (rank, *figures) in published.items():
        equal_ranks += ranks[name] == rank
        for ours, theirs in zip(means[name], figures, strict=True):
            # The table leaves out final zeros.
            equal_means += ours == theirs or ours.rstrip("0") == theirs
    assert (equal_means, equal_ranks) == (215, 43)


def test_every_command_of_the_page_runs(cli, tmp_path, monkeypatch):
    """With files such as those that the page describes."""
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    from pyarrow import parquet

    page = Path(__file__).parents[2] / "docs" / "outside-scores.md"
    blocks = re.findall(r"^```text\n(.*?)^```$", page.read_text(), re.DOTALL | re.M)
    text = "".join(blocks).replace("\\\n", "")
    commands = [line.split() for line in text.split("\n") if line.startswith("metra ")]
    monkeypatch.chdir(tmp_path)
    lines = [f"one {number} thing" for number in range(8)]
    for name in ("sysA", "sysB", "ref", "src"):
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    values = {"sysA": [0.5, 0.25] * 4, "sysB": [0.75, 0.125] * 4}
    comet = {f"{s}.txt": [{"COMET": v} for v in each] for s, each in values.items()}
    (tmp_path / "comet.json").write_text(json.dumps(comet))
    rows = [f"{s}\t{n}\t{v}" for s in values for n, v in enumerate(values[s], 1)]
    (tmp_path / "judge.tsv").write_text("\n".join(["system\tsegment\tjudge", *rows]))
    columns = {"mt_a": lines, "mt_b": lines, "ref": lines}
    columns |= {"comet_a": values["sysA"], "comet_b": values["sysB"]}
    parquet.write_table(pa.table(columns), "test.parquet")
    (tmp_path / "automatic_scores").mkdir()
    for system, each in values.items():
        entry = {"document_id": "d", "metric_scores": {"COMET": each, "GEMBA": each}}
        (tmp_path / f"automatic_scores/{system}.jsonl").write_text(json.dumps(entry))
    assert len(commands) == 6
    for command in commands:
        cli.ok(*command[1:])


NAMES = [
    pytest.param("hter", "hter", "score ↓", id="edits"),
    pytest.param("PER", "score", "score ↓", id="an error rate, by the name asked for"),
    pytest.param("x", "terminology", "direction of 'x'", id="no TER"),
    pytest.param("mqm", "mqm", "direction of 'mqm'", id="costs or scores"),
    pytest.param("ter", "comet", "write comet@t.tsv, or ter@t.tsv:scorer=comet", id="other"),
    pytest.param("judge", "judge\tcomet", "has scores of comet, not of judge", id="judge"),
    pytest.param("xcomet", "COMET", "score ↑", id="a family"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "heading", "expected"), NAMES)
def test_names_and_directions(cli, tmp_path, monkeypatch, name, heading, expected):
    monkeypatch.chdir(tmp_path)
    value = "\t".join(str(7 + at) for at in range(heading.count("\t") + 1))
    rows = [f"system\tsegment\t{heading}", *(f"a\t{n}\t{value}" for n in (1, 2))]
    (tmp_path / "t.tsv").write_text("".join(f"{row}\n" for row in rows))
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    ran = cli("score", "a.txt", "-m", f"{name}@t.tsv")
    assert expected.replace("score", name) in ran.out + ran.err.replace("score", name)


@pytest.mark.parametrize(
    ("sign", "read", "is_open"),
    [("", [], True), ("-", [], False), ("", ["lower=mqm"], False), ("", ["higher=mqm"], False)],
)  # fmt: skip
def test_positive_mqm_may_be_costs(tmp_path, cli, sign, read, is_open):
    path = tmp_path / "scores.tsv"
    rows = [
        f"{s}\t{n}\t{sign}{n + at}" for at, s in enumerate("AB") for n in range(1, 9)
    ]
    path.write_text("\n".join(["system\tsegment\tmqm", *rows]))
    given = [word for each in read for word in ("--read", each)]
    done = cli.ok("meta", "rank", path, "--scorer", "mqm", *given)
    assert ("if they are costs, add --read lower=mqm." in done.out) is is_open


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("d1 1 .5,d1 2 .75,d0 1 .0,d0 2 .25", "[[0, 0.25, 0.5, 0.75]]"),
        ("_ d1#2 .75,_ d1#1 .5,_ d0#1 .0,_ d0#2 .25", "[[0, 0.25, 0.5, 0.75]]"),
        ("_ kd .75,_ kc .5,_ ka .0,_ kb .25", "[[0, 0.25, 0.5, 0.75]]"),
        # Names of which none is known are in the order of the test set.
        ("e 1 .0,e 2 .25,f 1 .5,f 2 .75", "[[0, 0.25, 0.5, 0.75]]"),
        ("d1 1 .5,d1 2 .75,d7 1 .0,d7 2 .25", "lacks 2 segments (document 'd0', place"),
        ("_ kd .75,_ kc .5,_ kx .0,_ kb .25", "lacks 1 segment (id 'ka'), which the"),
    ],
)
def test_scores_are_joined_by_documents_and_ids(cli, tmp_path, rows, expected):
    hyps, scores = tmp_path / "A.csv", tmp_path / "scores.tsv"
    hyps.write_text("id,doc,ref,hyp\nka,d0,a,a\nkb,d0,b,b\nkc,d1,c,c\nkd,d1,d,d\n")
    table = "\n".join(
        ["system document segment comet", *(f"A {r}" for r in rows.split(","))]
    )
    scores.write_text(table.replace(" ", "\t").replace("_", ""))
    ran = cli("score", hyps, "-m", f"comet@{scores}", "--level", "segment",
              "--format", "json")  # fmt: skip
    if ran.code:
        assert expected in ran.err
    else:
        (system,) = json.loads(ran.out)["systems"]
        assert str([*system["segments"].values()]) == expected
