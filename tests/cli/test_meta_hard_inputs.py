"""Every question of `metra meta`, asked of tables that hold little or nothing.

Whatever is missing, there is an answer or one sentence that says why not; never a
traceback, never a figure that is none without a reason beside it.
"""

import csv
import json
import re

import pytest
from click.testing import CliRunner

from metra.cli import cli
from metra.errors import MetraError
from metra.scores.registry import read_score_files

HEADER = "system\tsegment\tdocument\tjudge\tda\tbleu\tchrf"


def row(system, segment, judge):
    spin = (system * 7 + segment * 5 + len(judge)) % 11
    document, bleu = f"d{segment // 3}", 20 + 3 * system + spin
    return [
        f"s{system}", segment, document, judge,
        50 + 5 * system + 2 * spin, bleu, 50 + spin * system,
    ]  # fmt: skip


def rows(systems=4, segments=7, judges=("ann", "robert")):
    return [
        row(s, n, j) for s in range(systems) for n in range(1, segments) for j in judges
    ]


def changed(change):
    return [change(*each) for each in rows()]


TABLES = {
    "all there": rows(),
    "one system": rows(systems=1),
    "two systems": rows(systems=2),
    "one segment": rows(segments=2),
    "one judge": rows(judges=("ann",)),
    "one value": rows(1, 2, ("ann",)),
    "each judge alone": [r for r in rows() if (r[1] % 2 == 0) == (r[3] == "ann")],
    "twice the same": rows() * 2,
    "constant people": [[*r[:4], 3, *r[5:]] for r in rows()],
    "constant metric": [[*r[:5], 3, r[6]] for r in rows()],
    "constant all": [[*r[:4], 1, 1, 1] for r in rows()],
    "one judged system": changed(
        lambda s, n, d, j, g, b, c: [s, n, d, j, g if s == "s0" else "", b, c]
    ),
    "half judged": changed(
        lambda s, n, d, j, g, b, c: [s, n, d, j, g if (n + len(s)) % 2 else "", b, c]
    ),
    "nothing shared": changed(
        lambda s, n, d, j, g, b, c: [
            s,
            n,
            d,
            j,
            *((g, "", "") if n % 2 else ("", b, c)),
        ]
    ),
    "no scores": [],
}
QUESTIONS = [
    "correlate --gold da --trials 20",
    "correlate --gold da --trials 20 --level seg",
    "correlate --gold da --trials 20 --level doc",
    "correlate --gold da --trials 20 --level seg --set cross-fit=2",
    "correlate --gold da --trials 20 --level seg --coef acc*_eq,acc*_eq:sys --set cross-fit=2",
    "correlate --gold da --trials 20 --level seg --coef kendall-a:item,tau23:item",
    "correlate --gold da --trials 20 --show pairs --plot {plot}",
    "correlate --gold da --show systems --plot {plot}",
    "compare --gold da --trials 20",
    "compare --gold da --trials 20 --level seg",
    "compare --gold da --trials 20 --coef spa --test perm-both",
    "compare --gold da --trials 20 --coef spa",
    "compare --gold da --test williams",
    "compare --gold da --level seg --test pairs",
    "task wmt24 --gold da --trials 20",
    "judges --scorer da --trials 20 --plot {plot}",
    "judges --show normalised --scorer da",
    "curve --gold da --documents 20 --plot {plot}",
    "rank --scorer da --plot {plot}",
    "rank --scorer da --by z",
    "rank --scorer da --set macro=document",
    "rank --scorer bleu --against da",
]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.partition(" --plot")[0])
def test_there_is_an_answer_or_a_reason(question, table, tmp_path):
    path = tmp_path / "scores.tsv"
    lines = ["\t".join(map(str, each)) for each in TABLES[table]]
    path.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    words = question.format(plot=tmp_path / "plot.svg").split()
    words.insert(2 if words[0] == "task" else 1, str(path))
    result = CliRunner().invoke(cli, ["meta", *words])
    if isinstance(result.exception, MetraError):
        assert re.fullmatch(r"\S.*\.", str(result.exception), re.DOTALL)
        return
    assert result.exit_code in (0, 2), result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert not re.search(r"\bnan\b", result.output, re.IGNORECASE)
    dashes = re.search(r"[^\w\s]?  –(\s|$)", result.output, re.MULTILINE)
    if result.exit_code == 0 and dashes:
        last = result.output.rstrip().split("\n\n")[-1]
        assert not last.startswith("meta|"), f"no reason:\n{result.output}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("", "is empty; expected scores", id="empty"),
        pytest.param(f"{HEADER}\n", "has a header but no scores", id="header only"),
        pytest.param(
            f"{HEADER}\ns0\t1\td\tann\t1e200\t1\t2\n",
            "line 2: da is '1e200'",
            id="huge",
        ),
        pytest.param(
            f"{HEADER}\ns0\t1\td\tann\tinf\t1\t2\n",
            "line 2: da is 'inf'",
            id="infinite",
        ),
    ],
)
def test_a_file_without_scores_is_called_so(tmp_path, text, said):
    path = tmp_path / "scores.tsv"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(cli, ["meta", "correlate", str(path), "--gold", "da"])
    assert said in str(result.exception) + result.output


def test_two_systems_prove_nothing(tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text("system\tseg\tda\tm\r\nA\t1\t1\t2\r\nB\t1\t2\t3\r\n")
    ask = ["meta", "correlate", str(path), "--gold", "da"]
    assert "With two systems the order is" in CliRunner().invoke(cli, ask).output
    plot = str(tmp_path / "plot.svg")
    ask += ["--show", "pairs", "--plot", plot]
    said = CliRunner().invoke(cli, ask).output
    assert "accuracy (1 pair)" in said
    assert "Two systems make one difference" in said
    path.write_text("system\tseg\tda\tm\nA\t1\t1\t2\n")
    said = CliRunner().invoke(cli, ask).output
    assert "plot.svg was not written: there is nothing to draw." in said


def test_gold_of_another_file(tmp_path):
    """Values of the same scorer elsewhere are not mixed in, and the notes say so."""
    scores, judged = tmp_path / "scores.tsv", tmp_path / "judged.tsv"
    scores.write_text("system\tseg\tda\tm\nA\t1\t9\t1\nB\t1\t8\t2\nC\t1\t7\t3\n")
    judged.write_text("system\tseg\tda\nA\t1\t1\nB\t1\t2\nC\t1\t3\n")
    ask = ["meta", "correlate", str(scores), "--gold", "da", "--coef", "pearson"]
    assert "-1.000" in CliRunner().invoke(cli, ask).output
    said = CliRunner().invoke(cli, [*ask, "--read", f"gold={judged}"]).output
    assert " 1.000" in said
    assert "-1.000" not in said
    assert f"da is taken from {judged} only." in said
    judged.write_text("system\tseg\tda\tesa\nA\t1\t1\t3\nB\t1\t2\t2\nC\t1\t3\t1\n")
    ask[4] = "da, esa"
    said = CliRunner().invoke(cli, [*ask, "--read", f"gold={judged}"]).output
    assert f"esa is taken from {judged} only." in said
    assert (" 1.000" in said, "-1.000" in said) == (True, True)


def test_several_golds_give_a_table_each(tmp_path):
    path = tmp_path / "scores.tsv"
    lines = [f"{s}\t1\t{n}\t{-n}\t{n + n % 2}" for n, s in enumerate("ABCDE")]
    path.write_text("\n".join(["system\tseg\tda\tesa\tm", *lines]) + "\n")
    ask = ["meta", "correlate", str(path), "--gold", "da,esa", "--coef", "pearson"]
    said = CliRunner().invoke(cli, [*ask, "--trials", "20"]).output
    assert said.count("Agreement with") == 2
    assert "esa: pearson of m is far below zero" in said
    assert [line for line in said.split("\n") if "interval:" in line][1].count(
        "gold:esa"
    )
    data = json.loads(CliRunner().invoke(cli, [*ask, "--format", "json"]).output)
    assert [each["gold"] for each in data["correlations"]] == ["da", "esa"]
    assert set(data["tables"]) == {"da correlations", "esa correlations"}
    plot = ["--plot", str(tmp_path / "plot.svg")]
    assert "one gold scorer" in CliRunner().invoke(cli, [*ask, *plot]).output


@pytest.fixture
def judged(tmp_path):
    """Two golds by two judges, two metrics, and the outputs that they are about."""
    lines = ["system\tsegment\tjudge\tadequacy\tfluency\tbleu\tchrf"]
    for n, system in enumerate("ABCDE"):
        for segment in range(1, 7):
            spin = (n * 7 + segment * 5) % 11
            for judge, more in (("ann", 0), ("bob", segment % 2)):
                values = (n + spin % 3 + more, n + spin % 2, n * 3 + spin, spin * n)
                lines.append("\t".join(map(str, (system, segment, judge, *values))))
        words = [f"the cat {'sat ' * (n % 3)}on mat {at}" for at in range(6 - n % 2, 6)]
        text = ["a dog"] * (6 - len(words)) + words
        (tmp_path / f"{system}.txt").write_text("\n".join(text) + "\n")
    for name in ("r1", "r2"):
        refs = [f"the cat sat on the mat {at}{name}" for at in range(6)]
        (tmp_path / name).write_text("\n".join(refs) + "\n")
    path = tmp_path / "ratings.tsv"
    path.write_text("\n".join(lines) + "\n")
    return path


#: Every question that takes --gold.
OF_GOLD = {
    "correlate": "--trials 0", "compare": "--trials 9", "task": "--trials 9",
    "curve": "--documents 9 --lengths 1,all",
    "card --show=selection": "--trials 9", "card --show=differences": "--trials 9",
    "card --show=sentinels": "--trials 9",
    "curve --over=references": " ".join(f"--output {{at}}/{name}.txt" for name in "ABCDE")
    + " -r {at}/r1 -r {at}/r2 -m recall",
}  # fmt: skip


@pytest.mark.parametrize("question", OF_GOLD)
@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_every_question_gives_a_table_for_each_gold(question, form, judged):
    options = OF_GOLD[question].format(at=judged.parent).split()
    first = ["wmt24"] if question == "task" else []
    ask = ["meta", *question.split(), *first, str(judged), *options, "--format", form]
    golds = ("adequacy", "fluency", "adequacy+fluency")
    alone = [CliRunner().invoke(cli, [*ask, "--gold", gold]) for gold in golds]
    both = CliRunner().invoke(cli, [*ask, "--gold", ",".join(golds)])
    for done in (*alone, both):
        assert (done.exit_code, done.exception) == (0, None), done.output
        assert "nan" not in done.output.lower()
    if form == "csv":
        tabs = CliRunner().invoke(cli, [*ask[:-1], "tsv", "--gold", golds[0]]).output
        rows = [line.split("\t") for line in tabs.split("\n")]
        assert [*csv.reader(alone[0].output.split("\n"))][:-1] == rows[:-1]
    if form == "json":
        data, *each = (json.loads(done.output) for done in (both, *alone))
        for gold, one in zip(golds, each, strict=True):
            for name, table in one["tables"].items():
                assert data["tables"][f"{gold} {name}"] == table
            assert one["selection"] in data["selection"].split(" / ")
            about = {"metra", "schema", "signature", "notes", "tables", "selection"}
            for key in one.keys() - about:
                merged = data[key]
                assert (
                    merged[gold] == one[key]
                    if isinstance(merged, dict)
                    else all(
                        record in merged and record["gold"] == gold
                        for record in one[key]
                    )
                )
    elif form == "table":
        rows = [
            line for done in alone for line in done.output.split("\n\n")[0].split("\n")
        ]
        assert all(row in both.output for row in rows)


def test_a_total_is_the_sum_of_a_judges_values(tmp_path):
    path, summed = tmp_path / "ratings.tsv", tmp_path / "sum.tsv"
    rows = [
        # Bob gave B no fluency in segment 2, and nobody gave C any.
        ("A", 1, "ann", 4, 5), ("A", 1, "bob", 2, 3), ("B", 1, "ann", 3, 3),
        ("B", 1, "bob", 2, 2), ("B", 2, "bob", 5, ""), ("A", 2, "ann", 1, 2),
        ("A", 2, "ann", 3, 2), ("C", 1, "ann", 2, ""), ("D", 1, "ann", 1, 2),
    ]  # fmt: skip
    metric = {"A": 3, "B": 2, "C": 9, "D": 1}
    lines = ["\t".join(map(str, (*row, metric[row[0]]))) for row in rows]
    path.write_text(
        "\n".join(["system\tseg\tjudge\tadequacy\tfluency\tm", *lines]) + "\n"
    )
    # The twin: judgements with both values; Ann's repetition of segment 2 is averaged.
    sums = [("A", 1, "ann", 9), ("A", 1, "bob", 5), ("B", 1, "ann", 6),
            ("B", 1, "bob", 4), ("A", 2, "ann", 4), ("D", 1, "ann", 3)]  # fmt: skip
    lines = ["\t".join(map(str, (*row, metric[row[0]]))) for row in sums]
    summed.write_text("\n".join(["system\tseg\tjudge\tda\tm", *lines]) + "\n")
    ask = ["--coef", "pearson", "--trials", "0", "--metric", "m"]
    done = CliRunner().invoke(
        cli, ["meta", "correlate", str(path), "--gold", "adequacy+fluency", *ask]
    )
    assert done.exit_code == 0, done.output
    twin = CliRunner().invoke(
        cli, ["meta", "correlate", str(summed), "--gold", "da", *ask]
    )
    row = next(line for line in twin.output.split("\n") if line.startswith("m "))
    assert row in done.output
    assert "excluded because a part is missing: 2." in done.output
    assert "gold:adequacy+fluency" in done.output
    # The same from another file, of which the gold is taken.
    scores = tmp_path / "scores.tsv"
    scores.write_text("system\tseg\tm\nA\t1\t3\nB\t1\t2\nD\t1\t1\nA\t2\t3\n")
    given = ["--gold", "adequacy+fluency", "--read", f"gold={path}", *ask]
    other = CliRunner().invoke(cli, ["meta", "correlate", str(scores), *given])
    assert row in other.output
    # The judges' totals agree as their sums do.
    agree = ["--trials", "0", "--scorer"]
    one = CliRunner().invoke(
        cli, ["meta", "judges", str(path), *agree, "adequacy + fluency"]
    )
    two = CliRunner().invoke(cli, ["meta", "judges", str(summed), *agree, "da"])
    assert one.output.split("\n")[2:9] == two.output.split("\n")[2:9]


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ("adequacy+fluenzy", "No scorer named 'fluenzy'. Did you mean 'fluency'?"),
        ("adequacy+adequacy", "names a scorer twice"),
        ("adequacy+errors", "Higher values are better for some parts"),
        (
            "adequacy+later",
            "No judge scored the same output by all of adequacy and later",
        ),
    ],
)
def test_what_is_no_total_is_refused(gold, said, tmp_path):
    path = tmp_path / "ratings.tsv"
    path.write_text(
        "system\tseg\tjudge\tadequacy\tfluency\terrors\tlater\tm\n"
        "A\t1\tann\t1\t1\t1\t\t3\nA\t1\tbob\t\t\t\t1\t3\nB\t1\tann\t2\t2\t2\t\t4\n"
    )
    ask = ["meta", "correlate", str(path), "--gold", gold, "--read", "lower=errors"]
    done = CliRunner().invoke(cli, ask)
    assert done.exit_code != 0
    assert said in str(done.exception) + done.output


def test_errors_of_mqm_with_the_rounding_of_wmt(tmp_path):
    path = tmp_path / "errors.tsv"
    minor, small = "accuracy\tminor", "fluency/punctuation\tminor"
    lines = ["system\tseg\trater\tcategory\tseverity"]
    lines += [f"A\t1\tr\t{kind}" for kind in (small, minor, small)]
    lines += [f"B\t1\tr\t{kind}" for kind in (small, small, minor)]
    path.write_text("\n".join(lines) + "\n")
    exact, noisy = (
        read_score_files([str(path)], wmt=wmt).matrix("mqm") for wmt in (False, True)
    )
    assert exact.tolist() == [[-1.2], [-1.2]]
    assert noisy.tolist() == [[-(0.1 + 1 + 0.1)], [-(0.1 + 0.1 + 1)]]
    assert noisy[0, 0] != noisy[1, 0]


def test_scores_of_whole_systems_are_not_ranked(tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text("system\tda\nA\t1\nB\t2\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["meta", "rank", str(path), "--scorer", "da"])
    assert "has system scores only" in str(result.exception)


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("--select lang=en-de", "No score is of en-de (known: none)."),
        ("--select lang=a,lang=b", "The language pair is given twice"),
    ],
)
@pytest.mark.parametrize("question", ["correlate", "compare"])
def test_a_choice_that_leaves_no_score_is_refused(tmp_path, question, flags, told):
    table = tmp_path / "scores.tsv"
    lines = ["\t".join(map(str, each)) for each in rows()]
    table.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    arguments = f"meta {question} {table} --gold da {flags}".split()
    refused = CliRunner().invoke(cli, arguments)
    assert refused.exit_code == 2
    assert told in refused.output


@pytest.mark.parametrize("flags", ["--set alpha=nan", "--set eps=inf"])
def test_numbers_that_are_none_are_refused(tmp_path, flags):
    arguments = f"meta compare {tmp_path} --gold da {flags}".split()
    refused = CliRunner().invoke(cli, arguments)
    assert refused.exit_code == 2
    assert "expected a finite number" in refused.output
