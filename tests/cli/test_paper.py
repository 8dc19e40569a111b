"""Tables for papers and other ways to show scores, on the command line."""

import io
import shutil
import subprocess
import zipfile

import pytest

from metra.corpus import examples

EXAMPLE = examples.find_example()
REFERENCES = [part for path in EXAMPLE.references[:2] for part in ("-r", path)]


def output(name: str) -> str:
    return next(path for path in EXAMPLE.outputs if f"{name}.txt" in path)


@pytest.fixture
def score(cli):
    def run(*arguments: str, name: str = "solid"):
        outputs = f"{name}={output('solid')}", output("polished")
        return cli("score", *outputs, *REFERENCES, *arguments)

    return run


@pytest.fixture
def compare(cli):
    def run(*arguments: str, name: str = "solid"):
        paths = [f"{name}={output('solid')}", output("polished"), output("dropped")]
        return cli("compare", *paths, *REFERENCES, *arguments)

    return run


def test_names_captions_labels(score):
    ran = score(
        "-m", "bleu", "-m", "bleu:tok=intl", "--format", "latex",
        "--table", "caption=50% & more", "--table", "label=tab:a b",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert r"\caption{50\% \& more}" in ran.out
    assert r"\label{tab:a-b}" in ran.out
    assert r"System & BLEU $\uparrow$ & BLEU (tok=intl) $\uparrow$ \\" in ran.out


def test_nothing_is_bold_where_all_are_equal(cli):
    outputs = [output("solid"), f"copy={output('solid')}"]
    assert "**" not in "".join(
        cli("score", *outputs, *REFERENCES, "--format", "markdown").out.split("\n")[1:]
    )


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_differences_come_in_every_format(compare, form):
    plain = compare("-m", "bleu", "-m", "ter", "--format", form).out
    assert "ifferences" not in plain
    more = compare(
        "-m", "bleu", "-m", "ter", "--format", form, "--table", "differences=yes"
    ).out
    assert "Differences from solid." in more
    assert all(number in more for number in ("11.6", "0.1209"))


def test_signatures_name_no_interval_that_is_not_shown(compare, score):
    assert "|ci:" not in compare("--format", "markdown").out
    assert "|ci:percentile|" in score("--ci", "--format", "markdown").out


def test_a_workbook_has_numbers(compare, tmp_path):
    path = tmp_path / "a.xlsx"
    ran = compare("-m", "bleu", "-m", "ter", "--format", "xlsx", "-o", path)
    assert (ran.code, ran.out) == (0, "")
    calamine = pytest.importorskip("python_calamine")
    book = calamine.CalamineWorkbook.from_path(str(path))
    assert book.sheet_names == ["Scores", "Differences"]
    sheet = book.get_sheet_by_name("Scores").to_python()
    assert ["System", "BLEU ↑", "TER ↓"] in [row[:3] for row in sheet]
    (solid,) = [row for row in sheet if row[0] == "solid"]
    assert solid[1] == pytest.approx(72.0596, abs=1e-3)
    sheet = book.get_sheet_by_name("Differences").to_python()
    (top,) = [at for at, row in enumerate(sheet) if row[0] == "Metric"]
    assert sheet[top][1:] == ["System", "Difference", "low", "high", "p", "p (Holm)"]
    assert [type(value) for value in sheet[top + 1][2:]] == [float] * 5
    again = tmp_path / "b.xlsx"
    compare("-m", "bleu", "-m", "ter", "--format", "xlsx", "-o", again)
    assert path.read_bytes() == again.read_bytes()


def test_a_workbook_shows_marks_by_formats_and_runs_no_formula(compare, tmp_path):
    path = tmp_path / "a.xlsx"
    ran = compare("-m", "ter", "--format", "xlsx", "-o", path, name="@1+1")
    assert ran.code == 0, ran.err
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as book:
        styles = book.read("xl/styles.xml").decode()
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
        texts = book.read("xl/sharedStrings.xml").decode()
    assert "0.0&quot;‡&quot;" in styles
    assert "+0.0&quot;‡&quot;;−0.0&quot;‡&quot;;0.0&quot;‡&quot;" in styles
    assert "[&lt;0.00005]&quot;&lt;0.0001&quot;;0.0000" in styles
    assert "<f>" not in sheet
    assert "<t>@1+1</t>" in texts


WRONG = [
    (["--table", "caption=x"], "--table caption=x needs a table for papers: --format markdown, "
     "latex"),
    (["--format", "xlsx"], "name a file with -o FILE.xlsx"),
    (["-b", "--format", "tsv"], "-b does not work with --format tsv"),
    (["-b", "--level", "segment"], "-b and --level segment cannot be given together"),
    (["-b", "--verbose"], "-b and --verbose cannot be given together"),
    (["--verbose", "--format", "json"], "--verbose does not work with --format json"),
    (["--show-alignment", "--format", "tsv"],
     "--show-alignment does not work with --format tsv; expected --format table or json."),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_is_refused(score, arguments, message):
    ran = score(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_without_xlsxwriter(score, monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    ran = score("--format", "xlsx", "-o", tmp_path / "a.xlsx")
    assert ran.code == 2
    assert "pip install '.[xlsx]'" in ran.err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX")
@pytest.mark.slow
@pytest.mark.parametrize("layout", ["onecolumn", "twocolumn"])
def test_latex_compiles(compare, score, tmp_path, layout):
    names = {"onecolumn": "[a] _&%#$~^\\{}<>| Čeština – “Łódź”", "twocolumn": "a_b"}
    tables = [
        compare("-m", "bleu", "-m", "ter", "--format", "latex").out,
        compare("-m", "bleu", "--all-pairs", "--format", "latex", "--table", "label=b").out,
        score("--ci", "--format", "latex", "--table", "label=c", name=names[layout]).out,
    ]  # fmt: skip
    if layout == "onecolumn":
        segments = ["--level", "segment", "--docs", EXAMPLE.docs]
        tables += [
            compare(
                "--table", "differences=yes", "--format", "latex", "--table", "label=d"
            ).out,
            score(
                *segments, "--format", "latex", "--table", "label=e", "-m", "chrf"
            ).out,
        ]
    packages = r"\usepackage{booktabs,graphicx}"
    parts = [rf"\documentclass[{layout}]{{article}}", packages, r"\begin{document}"]
    text = "\n".join([*parts, *tables, r"\end{document}", ""])
    (tmp_path / "a.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "a.tex"]
    for _ in range(2):  # a long table knows its columns only then
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout
    assert "multiply" not in done.stdout


METHODS = [
    pytest.param(["-m", "bleu:n=2"], "BLEU (Papineni et al., 2002), computed",
                 id="not sacreBLEU's"),
    pytest.param(["--docs", EXAMPLE.docs], "(28 segments, 2 documents, 2 references)",
                 id="documents"),
    pytest.param(["--ci", "--ci-method", "bca", "--trials", "500", "--seed", "7"],
                 "95% BCa bootstrap confidence intervals (500 resamples of segments, seed 7)",
                 id="intervals"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "expected"), METHODS)
def test_methods_say_what_was_done(score, arguments, expected):
    out = score(*arguments, "--methods").out
    assert expected in out.split("\n")[0]


COMPARED = [
    ([], "at p ≤ 0.05 after Holm's correction for 2 comparisons per metric: each system"),
    (["--correction", "none"], "at p ≤ 0.05; two-sided paired approximate randomisation of"),
    (["--test", "bootstrap", "--trials", "2000", "--seed", "3", "--alpha", "0.01"],
     "two-sided paired bootstrap of 28 segments, 2,000 trials, seed 3 (Koehn, 2004; Holm"),
    (["--all-pairs"], "3 comparisons per metric: all pairs; two-sided"),
    (["--format", "latex", "--table", "differences=yes"],
     r"Intervals are 95\% percentile bootstrap confidence intervals (1,000"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "expected"), COMPARED)
def test_methods_name_the_test(compare, arguments, expected):
    assert expected in compare(*arguments, "--methods").out


def test_methods_say_who_computed_scores(score, write):
    rows = [f"{s}\t{at}\t0.{at}" for s in ("solid", "polished") for at in range(1, 29)]
    path = write("comet.tsv", ["system\tsegment\tcomet", *rows])
    out = score("-m", "chrf", "--scores", path, "--methods").out
    said = (
        "2018), computed with metra 0.1.0, and COMET, computed by another program (28"
    )
    assert said in out.split("\n")[0]


def test_methods_name_no_test_that_was_not_made(cli, write):
    ref = write("ref.txt", ["a b c d", "e f g h"])
    out = write("out.txt", ["a b c d", "e f x h"])
    found = cli("compare", ref, out, "-r", ref, "--methods").out
    assert "significant" not in found
    assert "@book{noreen1989" not in found


def test_other_scripts_are_announced(score):
    latin = score("--format", "latex", name="Łódź – “Čeština”").out
    assert "XeLaTeX" not in latin
    assert (
        "% Needs XeLaTeX or LuaLaTeX" in score("--format", "latex", name="日本語").out
    )


@pytest.mark.parametrize("name", ["bleu", "nist", "ltv"])
def test_every_kind_of_precisions_is_shown(score, name):
    ran = score("-m", name, "--verbose", "--docs", EXAMPLE.docs)
    assert ran.code == 0, ran.err
    assert f"\nsolid: {name} = " in ran.out
