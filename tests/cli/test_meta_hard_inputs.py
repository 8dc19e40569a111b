"""Every question of `metra meta`, asked of tables that hold little or nothing.

Whatever is missing, there is an answer or one sentence that says why not; never a
traceback, never a figure that is none without a reason beside it.
"""

import json
import re

import pytest
from click.testing import CliRunner

from metra.cli import cli
from metra.errors import MetraError
from metra.formats.scores.read import read_score_files

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
    "correlate --gold da --trials 20 --level seg --cross-fit 2",
    "correlate --gold da --trials 20 --level seg --coef acc*_eq,acc*_eq:sys --cross-fit 2",
    "correlate --gold da --trials 20 --level seg --coef kendall-a:item,tau23:item --nan zero",
    "diff --gold da --trials 20 --plot {plot}",
    "compare --gold da --trials 20",
    "compare --gold da --trials 20 --level seg",
    "compare --gold da --trials 20 --coef spa --test perm-both",
    "compare --gold da --trials 20 --coef spa --spa-p permutation",
    "compare --gold da --test williams",
    "compare --gold da --level seg --test pairs",
    "cross --level seg",
    "scatter --gold da --plot {plot}",
    "robust --gold da",
    "robust --gold da --choice subsets --plot {plot}",
    "task wmt24 --gold da --trials 20",
    "agree --scorer da --trials 20 --plot {plot}",
    "normalise --scorer da",
    "pseudo --gold da --documents 20 --plot {plot}",
    "rank --scorer da --plot {plot}",
    "rank --scorer da --by z",
    "rank --scorer da --by trueskill --runs 4 --matches 40",
    "rank --scorer da --macro document",
    "rank --scorer bleu --against da --auto bleu,chrf",
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
    assert (
        "Two systems agree wholly or not at all" in CliRunner().invoke(cli, ask).output
    )
    plot = str(tmp_path / "plot.svg")
    ask = ["meta", "diff", str(path), "--gold", "da", "--plot", plot]
    said = CliRunner().invoke(cli, ask).output
    assert "accuracy (1 pair)" in said
    assert "Two systems make one difference" in said
    path.write_text("system\tseg\tda\tm\nA\t1\t1\t2\n")
    said = CliRunner().invoke(cli, ask).output
    assert "plot.svg is not written: there is nothing to draw." in said


def test_gold_of_another_file(tmp_path):
    """Values of the same scorer elsewhere are not mixed in, and the notes say so."""
    scores, judged = tmp_path / "scores.tsv", tmp_path / "judged.tsv"
    scores.write_text("system\tseg\tda\tm\nA\t1\t9\t1\nB\t1\t8\t2\nC\t1\t7\t3\n")
    judged.write_text("system\tseg\tda\nA\t1\t1\nB\t1\t2\nC\t1\t3\n")
    ask = ["meta", "correlate", str(scores), "--gold", "da", "--coef", "pearson"]
    assert "-1.000" in CliRunner().invoke(cli, ask).output
    said = CliRunner().invoke(cli, [*ask, "--gold-from", str(judged)]).output
    assert " 1.000" in said
    assert "-1.000" not in said
    assert f"da is of {judged} only." in said


def test_several_golds_give_a_table_each(tmp_path):
    path = tmp_path / "scores.tsv"
    lines = [f"{s}\t1\t{n}\t{-n}\t{n + n % 2}" for n, s in enumerate("ABCDE")]
    path.write_text("\n".join(["system\tseg\tda\tesa\tm", *lines]) + "\n")
    ask = ["meta", "correlate", str(path), "--gold", "da,esa", "--coef", "pearson"]
    said = CliRunner().invoke(cli, [*ask, "--interval", "fisher"]).output
    assert said.count("Agreement with") == 2
    assert "esa: pearson of m is far below zero" in said
    assert [line for line in said.split("\n") if "interval:fisher" in line][1].count(
        "gold:esa"
    )
    data = json.loads(CliRunner().invoke(cli, [*ask, "--format", "json"]).output)
    assert [each["gold"] for each in data["correlations"]] == ["da", "esa"]
    assert set(data["tables"]) == {"da correlations", "esa correlations"}
    groups = ["--level", "seg", "--coef", "pearson:item", "--interval", "fisher"]
    refused = CliRunner().invoke(cli, [*ask[:5], *groups])
    assert "not of pearson item" in str(refused.exception)
    ask[1] = "scatter"
    plot = ["--plot", str(tmp_path / "plot.svg")]
    assert "one gold at a time" in CliRunner().invoke(cli, [*ask, *plot]).output


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
    assert "of whole systems; ranking takes scores of segments" in str(result.exception)


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("--lang en-de", "No score is left with --lang en-de (known: none)."),
        ("--domain law", "No score is left with --domain law (known: none)."),
    ],
)
@pytest.mark.parametrize("question", ["correlate", "compare", "diff", "robust"])
def test_a_choice_that_leaves_no_score_is_refused(tmp_path, question, flags, told):
    table = tmp_path / "scores.tsv"
    lines = ["\t".join(map(str, each)) for each in rows()]
    table.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    arguments = f"meta {question} {table} --gold da {flags}".split()
    refused = CliRunner().invoke(cli, arguments)
    assert refused.exit_code == 2
    assert told in refused.output


@pytest.mark.parametrize("flags", ["--alpha nan", "--eps inf"])
def test_numbers_that_are_none_are_refused(tmp_path, flags):
    arguments = f"meta compare {tmp_path} --gold da {flags}".split()
    refused = CliRunner().invoke(cli, arguments)
    assert refused.exit_code == 2
    assert "expected a finite number" in refused.output
