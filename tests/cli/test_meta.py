"""`metra meta` as people call it."""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pytest


@pytest.fixture
def scores(write):
    """Six systems, thirty segments, a gold and three metrics, one of them upside down."""
    rng = np.random.default_rng(0)
    lines = ["system\tseg\tmqm\tgood\tpoor\terror"]
    for system in range(6):
        for segment in range(30):
            gold = round(rng.normal() + system / 3)
            good, poor = gold + rng.normal(), gold + 4 * rng.normal()
            lines.append(f"s{system}\t{segment}\t{gold}\t{good}\t{poor}\t{-good}")
    return write("scores.tsv", lines)


@pytest.fixture
def ask(cli, scores):
    """Ask a question of the scores with words of a command line."""

    def run(question, words="", *more):
        return cli("meta", question, scores, *words.split(), *more)

    return run


def test_the_same_seed_gives_the_same_digits(ask):
    words = "--gold mqm --format json"
    first, second = (ask("correlate", words).out for _ in "12")
    assert first == second
    assert ask("correlate", f"{words} --set seed=1").out != first


QUESTIONS = [
    "correlate --gold mqm --trials 50",
    "correlate --gold mqm --level seg --trials 50",
    "correlate --gold mqm --trials 50 --show pairs",
    "correlate --gold mqm --show systems",
    "compare --gold mqm --trials 50",
    "compare --gold mqm --level seg --trials 50 --wmt",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_pictures_are_whole(question, ask, tmp_path):
    name, _, words = question.partition(" ")
    assert ask(name, words, "--plot", tmp_path / "p.svg").code == 0
    found = sorted(tmp_path.glob("p*.svg"))
    assert len(found) == (3 if "--show" in words else 1)
    for path in found:
        root = ET.parse(path).getroot()
        assert root.find("{*}title") is not None
        assert root.find("{*}desc").text


def test_upside_down_is_suspected(ask):
    done = ask("correlate", "--gold mqm --trials 0 --coef pearson")
    assert "pearson of error is far below zero" in done.out
    assert "--read lower=NAME" in done.out


def test_one_system_has_no_correlation_and_says_so(write, cli):
    path = write("one.tsv", ["system\tseg\tmqm\tm", "A\t1\t1\t2", "A\t2\t3\t1"])
    done = cli("meta", "correlate", path, "--gold", "mqm")
    assert done.code == 0
    assert (
        "pearson of m: Only 1 value is shared; a correlation needs at least two."
        in done.out
    )
    assert "nan" not in done.out


def test_constant_scores_have_no_correlation_and_say_so(write, cli):
    rows = [f"{s}\t{n}\t{n}\t7" for s in "ABC" for n in range(4)]
    path = write("flat.tsv", ["system\tseg\tmqm\tm", *rows])
    done = cli("meta", "correlate", path, "--gold", "mqm", "--level", "seg")
    assert done.code == 0
    assert "All 12 metric scores are 7; a constant has no correlation." in done.out


def test_language_pairs_are_kept_apart(scores, cli):
    done = cli(
        "meta",
        "correlate",
        f"en-de={scores}",
        f"zh-en={scores}",
        *["--gold", "mqm", "--trials", "0"],
    )
    assert "en-de: Agreement with mqm" in done.out
    assert "zh-en: Agreement with mqm" in done.out
    refused = cli.refusal("meta", "plan", f"en-de={scores}", f"zh-en={scores}",
                          "--scorer", "mqm")  # fmt: skip
    assert "choose one with --select lang=PAIR: en-de, zh-en" in refused


def test_tasks(scores, cli):
    files = [f"en-de={scores}", f"zh-en={scores}"]
    for protocol, columns in (("wmt23", 7), ("wmt24", 4)):
        done = cli("meta", "task", protocol, *files, "--gold", "mqm", "--format", "json",
                   "--test", "--trials", "40")  # fmt: skip
        assert done.code == 0
        row = json.loads(done.out)["tables"][protocol][0]
        assert len(row) == columns + 3  # the metric's name, the average, the cluster
        assert row["metric"] == "good"
    refused = cli.refusal("meta", "task", "study.toml")
    assert (
        "study.toml: study files are no longer read; write metra meta task" in refused
    )


def test_a_table_of_a_task_compiles_in_two_columns(scores, write, cli, tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("needs pdflatex (Debian: texlive-latex-base)")
    files = [f"{lang}={scores}" for lang in ("en-de", "zh-en", "en-ko_KR")]
    done = cli("meta", "task", "wmt23", *files, "--gold", "mqm", "--format", "latex",
               "-o", tmp_path / "table.tex")  # fmt: skip
    assert done.code == 0, done.err
    page = (
        r"\documentclass[twocolumn]{article}\usepackage{booktabs,graphicx}"
        r"\begin{document}\input{table}\newpage Text.\end{document}"
    )
    write("page.tex", [page])
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = made.stdout.decode(errors="replace")
    assert made.returncode == 0, log[-2000:]
    assert "Overfull" not in log
    assert r"\begin{table*}" in (tmp_path / "table.tex").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--gold mqn", "No scorer named 'mqn'. Did you mean 'mqm'?"),
        ("--gold mqm --metric x", "No scorer named 'x'."),
        ("--gold mqm --select system!=s9", "No system named 's9'."),
        ("--gold mqm --coef spa:item", "spa has no groups; write spa alone."),
        ("--gold mqm --level seg --coef differentials", "one score for each"),
        ("--gold mqm --show systems --coef spa,pearson", "one coefficient; found 2"),
        ("--gold mqm --show pairs --level seg", "of scores of systems; omit --level"),
    ],
)
def test_wrong_calls_have_one_message(words, message, ask):
    done = ask("correlate", words)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_outputs_are_scored_on_the_spot(write, cli):
    ref = write("ref.txt", ["a b c d", "e f g h", "i j k l"])
    outputs = [
        write("A.txt", ["a b c d", "e f g h", "i j k l"]),
        write("B.txt", ["a b c x", "e f g", "i j l"]),
        write("C.txt", ["a x", "e", "l k"]),
    ]
    marks = [
        f"{s}\t{n + 1}\t{10 - 3 * i - n}" for i, s in enumerate("ABC") for n in range(3)
    ]
    gold = write("gold.tsv", ["system\tseg\tmqm", *marks])
    given = [part for path in outputs for part in ("--output", path)]
    done = cli("meta", "correlate", gold, "--gold", "mqm", *given, "-r", ref, "-m", "recall",
               "-m", "wer", "--coef=pearson", "--trials=60", "--format=json")  # fmt: skip
    assert done.code == 0
    data = json.loads(done.out)
    assert "interval:both k=60" in data["signature"]
    for name in ("recall", "wer"):
        assert data["correlations"][0]["metrics"][name]["pearson"]["value"] > 0.9
    alone = cli("meta", "correlate", gold, "--gold", "mqm", "-m", "bleu")
    assert "--output and -m belong together" in alone.err


@pytest.fixture
def judged(write):
    """Judgements of two systems, their outputs, the reference and the source."""
    rows = ["system\tseg\tmqm"]
    rows += [f"{name}\t{at}\t{at * sign}" for name, sign in (("a", 1), ("b", -1))
             for at in (1, 2, 3)]  # fmt: skip
    return {
        "scores": write("judged.tsv", rows),
        "a": write("a.txt", ["the chat", "a dog", "one"]),
        "b": write("b.txt", ["the cat", "a chien", "two"]),
        "ref": write("ref.txt", ["the cat", "a dog", "one"]),
        "source": write("src.txt", ["le chat", "un chien", "un"]),
        "docs": write("docs.txt", ["d1", "d1", "d2"]),
    }


def ask_about_outputs(cli, judged, *options):
    return cli(
        "meta", "correlate", judged["scores"], "--gold", "mqm", "--level", "seg",
        "--trials", "0", "--coef", "pearson", "--output", judged["a"], "--output", judged["b"],
        *options,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param(
            "untranslated:rule=copied", "needs the source; give -s FILE.", id="source"
        ),
        pytest.param("bleu", "needs a reference", id="refs"),
        pytest.param("ltv", "documents are missing; give --docs FILE", id="documents"),
    ],
)
def test_metrics_that_lack_something_are_refused(cli, judged, spec, message):
    refs = () if spec == "bleu" else ("-r", judged["ref"])
    done = ask_about_outputs(cli, judged, *refs, "-m", spec)
    assert done.code == 2
    assert message in done.err


def test_sources_and_documents_can_be_given(cli, judged):
    files = ("-r", judged["ref"], "-s", judged["source"], "--docs", judged["docs"])
    done = ask_about_outputs(cli, judged, *files, "-m", "untranslated:rule=copied")
    assert (done.code, done.err) == (0, "")
    assert ask_about_outputs(cli, judged, *files, "-m", "ltv").code == 0


def test_systems_columns_and_weights_by_options(write, cli):
    lines = [
        "model,line,who,mqm,BLEU",
        "A,1,x,3,2",
        "A.1,2,x,5,1",
        "B,1,x,1,1",
        "B,2,x,2,0",
    ]
    path = write("scores.csv", [*lines, "C,1,x,2,3", "C,2,x,4,2"])
    names = write("names.tsv", ["A.1\tA"])
    options = ("--read", "system=model,segment=line", "--read", f"names={names}")
    done = cli.ok("meta", "rank", path, "--scorer", "mqm", *options, "--format", "json")
    rows = json.loads(done.out)["tables"]["ranking"]
    assert {row["system"]: row["mean"] for row in rows} == {"A": 4, "C": 3, "B": 1.5}
    errors = [
        "system\tseg\tcategory\tseverity",
        "A\t1\tStyle\tCritical",
        "B\t1\tx\tMinor",
    ]
    table = write("errors.tsv", errors)
    options = ("--read", "mqm=critical:10,cap:7")
    done = cli("meta", "rank", table, *options, "--format", "json")
    rows = json.loads(done.out)["tables"]["ranking"]
    assert {row["system"]: row["mean"] for row in rows} == {"A": -7, "B": -1}
    done = cli("meta", "rank", table, "--read", "mqm=critical")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "--read mqm has 'critical'; expected NAME:VALUE" in done.err
    done = cli("meta", "rank", path, "--read", "system=name")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "has no column name, which was given for the system" in done.err


def test_judges_alone_make_a_curve_of_documents(write, cli):
    lines = ["system\tsegment\tjudge\tesa"]
    for at, system in enumerate("ABCD"):
        for segment in range(6):
            for judge in range(2):
                value = 10 * at + (segment * 7 + judge * 3 + at) % 5
                lines.append(f"{system}\t{segment}\tj{judge}\t{value}")
    options = (
        *[
            "--gold",
            "esa",
            "--lengths",
            "1,all",
            "--documents",
            "20",
            "--format",
            "json",
        ],
    )
    done = cli.ok("meta", "curve", write("esa.tsv", lines), *options)
    (row,) = json.loads(done.out)["tables"]["pseudo"]
    assert row["scorer"] == "judge with judge"
    assert row["1"]["value"] == 1
    alone = [line for line in lines if "\tj1" not in line]
    done = cli("meta", "curve", write("alone.tsv", alone), *options)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "There is no metric, and esa has no repeated judgements" in done.err


@pytest.mark.parametrize(
    ("select", "systems", "words"),
    [
        ("system!=b", ["a"], "6 scores of 2 judges; without systems b"),
        ("judge!=bob", ["a", "b"], "6 scores of 1 judge; without judges bob"),
        ("domain=law", ["a", "b"], "4 scores of 2 judges; only domains law"),
    ],
)
def test_rows_may_be_left_out(select, systems, words, write, cli):
    lines = [
        f"{name}\t{at}\t{judge}\t{at}\t{'law' if at == 1 else 'news'}"
        for name in "ab"
        for at in (1, 2, 3)
        for judge in ("ann", "bob")
    ]
    path = write("da.tsv", ["system\tsegment\tjudge\tda\tdomain", *lines])
    done = cli("meta", "rank", path, "--select", select, "--format", "json")
    data = json.loads(done.out)
    assert [row["system"] for row in data["tables"]["ranking"]] == systems
    assert data["selection"] == words


@pytest.mark.parametrize(
    ("select", "says"),
    [
        ("judge=ann+nobody", "No judge named 'nobody'"),
        ("items=calibration", "No row is left: 0 scores"),
        ("system=a,system=b", "gives system a second time"),
        ("domain=law", "No domain named 'law'"),
        ("judge!=bob", "No judge named 'bob'"),
        ("system!=a+b", "No row is left: 0 scores; without systems a and b"),
    ],
)
def test_a_selection_that_would_count_other_rows_is_refused(select, says, write, cli):
    lines = [f"{name}\t{at}\tann\t{at}" for name in "ab" for at in range(1, 4)]
    path = write("da.tsv", ["system\tsegment\tjudge\tda", *lines])
    assert says in cli.refusal("meta", "rank", str(path), "--select", select)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(
            "rank --show missing x.tsv --by z",
            "metra meta rank --show missing has no option --by; it belongs to --show "
            "ranking.",
            id="of the default",
        ),
        pytest.param(
            "curve --documents 3 --over=beta x.tsv",
            "metra meta curve --over beta has no option --documents; it belongs to "
            "--over length.",
            id="before the choice",
        ),
        pytest.param(
            "judges x.tsv --set worst=3,too-fast=0.2",
            "--set too-fast belongs to --show each; leave it out here.",
            id="a setting",
        ),
        pytest.param(
            "card --show sentinel x.tsv --gold mqm",
            "--show sentinel is not possible; expected all, sentinels, differences, "
            "selection or challenge.",
            id="no such answer",
        ),
        pytest.param(
            "rank x.tsv --show",
            "--show needs a value; write it after --show, or leave --show out.",
            id="no value",
        ),
        pytest.param(
            "tune x.tsv --parameter beta",
            "metra meta no longer has tune: Write metra meta curve --over OPTION.",
            id="an old name",
        ),
    ],
)
def test_an_option_of_another_answer_is_refused(words, message, cli):
    assert cli.refusal("meta", *words.split()) == f"metra: {message}\n"


def test_the_default_answer_may_be_named(ask):
    words = "--scorer mqm --format json"
    assert ask("rank", words).out == ask("rank", f"--show ranking {words}").out
    assert ask("rank", words).out != ask("rank", f"{words} --show=distribution").out


def test_help_has_the_options_of_every_answer(cli):
    whole = cli("meta", "card", "--help").out
    alone = cli("meta", "card", "--show", "selection", "--help").out
    assert "With --show selection:" in whole
    for text in (whole, alone):
        assert "--good FLOAT" in text
        assert "\n  metra meta card --show selection scores.tsv" in text
    assert "--challenge PAIRS" not in alone


def test_columns_are_explained_to_people_only(ask):
    words = "--gold mqm --level seg --trials 0"
    shown, data = (
        ask("correlate", f"{words} --format {f}").out for f in ("table", "json")
    )
    assert "\nitem: Outputs are compared within a segment, and segments" in shown
    assert shown.count("\npearson: How closely the scores of both follow") == 1
    assert "How closely" not in data


def test_the_same_column_of_two_tables_has_two_meanings(ask):
    shown = ask("card", "--gold mqm --show selection --trials 0").out
    assert (
        "\nprecision of filtering: Share of the kept outputs that are good.\n" in shown
    )
    assert "\nprecision of reranking: Share of the chosen outputs that are" in shown
