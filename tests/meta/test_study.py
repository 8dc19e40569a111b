"""A study's manifest: meaning about scores, and the table that comes of it."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from tests.panels import headings

from metra.errors import CorpusError, FormatError
from metra.meta.compare import DecisionRule
from metra.meta.options import TaskOptions
from metra.meta.study import load_study, read_study
from metra.meta.task import build_task_table, report_task, score_study
from metra.scores.registry import read_scores
from metra.stats.correlation import Options, correlate

SYSTEMS = ("A", "B", "C", "D", "E")
SEGMENTS = 12
DOMAINS = ("news", "web")


def draw(seed, noise=0.0):
    """Scores of systems and segments: quality, and noise."""
    quality = np.arange(len(SYSTEMS), 0, -1)[:, None]
    rng = np.random.default_rng(seed)
    return quality + (0.5 + noise) * rng.normal(size=(len(SYSTEMS), SEGMENTS))


GOLD, OTHER = draw(1), draw(2, 0.4)
METRICS = {"BLEU": draw(3, 1.5), "Neural": draw(4, 0.1), "Neural-QE": draw(5, 0.6)}


@pytest.fixture
def files(write):
    """Scores of two language pairs, in which systems and metrics have other names."""
    lines = ["system,segment,mqm,esa,rater2,BLEU,Neural,Neural-QE"]
    for at, system in enumerate(SYSTEMS):
        for segment in range(SEGMENTS):
            metrics = [METRICS[name][at, segment] for name in METRICS]
            values = [
                GOLD[at, segment],
                -GOLD[at, segment],
                OTHER[at, segment],
                *metrics,
            ]
            lines.append(
                ",".join([system, str(segment + 1), *map(repr, map(float, values))])
            )
    write("first.csv", lines)
    renamed = [
        line.replace("A,", "A-v2,", 1) if line[0] == "A" else line for line in lines
    ]
    renamed[0] = lines[0].replace("BLEU", "sacrebleu").replace("mqm", "human")
    write("second.csv", renamed)
    documents = ["seg\tdoc\tdomain"]
    documents += [f"{n + 1}\td{n // 2}\t{DOMAINS[n // 6]}" for n in range(SEGMENTS)]
    write("documents.tsv", documents)
    return write


MANIFEST = """
name = "Our task"
protocol = "wmt24"
gold = "mqm"

[systems]
"A" = ["A-v2"]

[metrics]
baseline = ["BLEU"]
reference_free = ["*-QE"]
without = ["rater*"]
[metrics.names]
"BLEU" = ["sacrebleu"]

[pairs.en-de]
scores = ["first.csv"]

[pairs.en-ko_KR]
scores = ["second.csv"]
gold = "human"
"""


def load(path):
    study = read_study(str(path))
    return study, load_study(study, lambda file, _: read_scores(file))


def score(path, **options):
    study, loaded = load(path)
    return score_study(study, loaded, Options(trials=50, draws=50), **options)


def test_names_golds_and_marks(files):
    scores = score(files("study.toml", [MANIFEST]))
    assert [(p.lang, p.gold_name) for p in scores.panels] == [
        ("en-de", "mqm"),
        ("en-ko_KR", "human"),
    ]
    assert {*scores.metrics} == {*METRICS}
    assert all(panel.systems == SYSTEMS for panel in scores.panels)
    # Both files hold the same figures, so both language pairs do.
    assert np.array_equal(scores.values[:2], scores.values[2:])
    table = build_task_table(scores)
    assert headings(table) == [
        *("average", "en-de sys spa", "en-de seg acc*_eq"),
        *("en-ko_KR sys spa", "en-ko_KR seg acc*_eq"),
    ]
    marks = {row[0].value: row[0].marks for row in table.rows}
    assert marks == {"BLEU": "†", "Neural": "", "Neural-QE": "*"}
    report = report_task(scores, TaskOptions())
    assert "gold:en-de=mqm,en-ko_KR=human" in report.signature
    assert report.remarks[1] == "* needs no reference; † baseline metric."


def test_ranks_of_columns(files):
    scores = score(files("study.toml", [MANIFEST]))
    for values, ranks in zip(scores.values, scores.ranks, strict=True):
        assert ranks == [1 + sum(other > value for other in values) for value in values]
    table = build_task_table(scores)
    for row in table.rows:
        assert all(cell.marks.isdecimal() for cell in row[1:])
    best = [[cell.best for cell in column] for column in zip(*table.rows, strict=True)]
    assert all(sum(column) == 1 for column in best[1:])


def test_tests_give_clusters_to_every_column(files):
    scores = score(files("study.toml", [f"test = true{MANIFEST}"]))
    table = build_task_table(scores)
    assert headings(table)[1] == "cluster"
    for ranks in [scores.clusters, *scores.ranks]:
        assert min(ranks) == 1
        assert {*ranks} == {*range(1, max(ranks) + 1)}
    for values, ranks in zip(scores.values, scores.ranks, strict=True):
        in_order = sorted(zip(-values, ranks, strict=True))
        assert [rank for _, rank in in_order] == sorted(ranks)
    for row in table.rows:
        for cell in (row[1], *row[3:]):
            assert cell.best == (cell.marks == "1")


def test_ranks_of_a_column_follow_its_own_order(files, tmp_path):
    header, *rows = (tmp_path / "first.csv").read_text().strip().split("\n")
    swapped = (
        header.replace("BLEU", "x").replace("Neural,", "BLEU,").replace("x", "Neural")
    )
    files("third.csv", [swapped, *rows])
    text = 'gold = "mqm"\n[metrics]\nprimary = ["BLEU", "Neural"]\n'
    text += '[pairs.en-de]\nscores = "first.csv"\n[pairs.en-cs]\nscores = "third.csv"\n'
    for pair, weight in (("en-de", 3), ("en-cs", 1)):
        text += f'[[columns]]\nlevel = "seg"\ncoef = "pearson"\npairs = ["{pair}"]\n'
        text += f"weight = {weight}\n"
    scores = score(files("study.toml", [text]), test=DecisionRule())
    assert scores.metrics == ["Neural", "BLEU"]
    assert scores.ranks == [[1, 2], [2, 1]]


COLUMNS = """
name = "By domain"
gold = "mqm"
[metrics]
without = ["rater*"]
[pairs.en-de]
scores = ["first.csv"]
documents = "documents.tsv"
[[columns]]
level = "seg"
coef = "pearson"
domain = "web"
[[columns]]
level = "doc"
coef = "pearson"
weight = 3
[[columns]]
level = "sys"
coef = "accuracy"
pooled = true
"""


def test_columns_of_ones_own(files):
    scores = score(files("study.toml", [COLUMNS]))
    names = [column.name for column in scores.columns]
    assert names == [
        *("en-de web seg pearson", "en-de doc pearson", "en-de sys accuracy"),
    ]
    by_document = {
        name: values.reshape(len(SYSTEMS), -1, 2).mean(2)
        for name, values in {"gold": GOLD, **METRICS}.items()
    }
    for at, name in enumerate(scores.metrics):
        web = correlate(GOLD[:, 6:].ravel(), METRICS[name][:, 6:].ravel()).value
        assert scores.values[0, at] == pytest.approx(web, abs=1e-12)
        gold, metric = by_document["gold"].ravel(), by_document[name].ravel()
        assert scores.values[1, at] == pytest.approx(correlate(gold, metric).value)
        web, doc, accuracy = scores.values[:, at]
        mean = ((web + 1) / 2 + 3 * (doc + 1) / 2 + accuracy) / 5
        assert scores.average[at] == pytest.approx(mean, abs=1e-12)


def change(old, new, text=MANIFEST):
    assert old in text
    return [text.replace(old, new)]


def test_domains_are_a_choice_of_segments(files):
    text = MANIFEST.replace(
        '["first.csv"]\n', '["first.csv"]\ndocuments = "documents.tsv"\n'
    )
    text = text.replace('documents.tsv"\n', 'documents.tsv"\ndomains = ["news"]\n')
    _, loaded = load(files("study.toml", [text]))
    assert loaded[0].scores.matrix("mqm").shape == (5, 6)
    assert loaded[1].scores.matrix("human").shape == (5, 12)
    lines = [f"{DOMAINS[n // 6]} d{n // 2}" for n in range(SEGMENTS)]
    files("en-de.docs", lines)
    _, loaded = load(files("study.toml", [text.replace("documents.tsv", "en-de.docs")]))
    assert loaded[0].scores.matrix("mqm").shape == (5, 6)


def test_references_and_peoples_translations(files):
    lines = change('["first.csv"]', '["first.csv"]\nreferences = ["B"]\nhumans = ["C"]')
    _, loaded = load(files("study.toml", lines))
    assert loaded[0].scores.systems == ("A", "C", "D", "E")
    assert loaded[0].notes == ("Human translations among the systems: C.",)
    lines = [f"with_humans = false{lines[0]}"]
    _, loaded = load(files("study.toml", lines))
    assert loaded[0].scores.systems == ("A", "D", "E")
    assert loaded[0].notes == ()


def test_a_second_rater_shows_what_people_reach(files):
    lines = change('["first.csv"]', '["first.csv"]\nceiling = "rater2"', COLUMNS)
    scores = score(files("study.toml", lines))
    assert scores.ceiling[0] == pytest.approx(
        correlate(GOLD[:, 6:].ravel(), OTHER[:, 6:].ravel()).value
    )
    table = build_task_table(scores)
    assert (table.rows[-1][0].value, table.rows[-1][0].marks) == ("second rater", "§")
    assert table.rows[-1][1].value is None
    report = report_task(scores, TaskOptions())
    assert (
        "en-de: second rater is rater2, on 12 segments (metrics: 12)." in report.notes
    )


def test_what_is_pooled_needs_a_second_rater_everywhere(files):
    text = COLUMNS.replace('["first.csv"]', '["first.csv"]\nceiling = "rater2"')
    text = text.replace('domain = "web"\n', 'pairs = ["en-de"]\n')
    text = text.replace('"doc"', '"sys"').replace("weight = 3", 'pairs = ["en-de"]')
    text = text.replace(
        "[[columns]]", '[pairs.en-cs]\nscores = "first.csv"\n[[columns]]', 1
    )
    scores = score(files("study.toml", [text]))
    assert [column.group for column in scores.columns] == [
        "en-de",
        "en-de",
        "en-de,en-cs",
    ]
    assert np.isfinite(scores.ceiling).tolist() == [True, True, False]


def test_a_judge_of_the_gold_is_held_against_the_others(files):
    lines = ["system\tsegment\tjudge\tmqm"]
    for judge, values in (("r1", GOLD), ("r2", OTHER)):
        lines += [
            f"{system}\t{n + 1}\t{judge}\t{float(values[at, n])!r}"
            for at, system in enumerate(SYSTEMS)
            for n in range(SEGMENTS)
        ]
    files("judges.tsv", lines)
    text = COLUMNS.replace('documents = "documents.tsv"', 'gold_from = "judges.tsv"')
    text = text.replace('domain = "web"\n', "").replace('"doc"', '"seg"')
    text = text.replace('"judges.tsv"', '"judges.tsv"\nceiling = "r2"')
    scores = score(files("study.toml", [text]))
    both = correlate(GOLD.ravel(), OTHER.ravel()).value
    assert scores.ceiling[0] == pytest.approx(both, abs=1e-12)
    assert scores.panels[0].gold == pytest.approx((GOLD + OTHER) / 2)
    with pytest.raises(CorpusError, match=r"no scorer or judge 'r3'; known: .*r1, r2"):
        score(files("study.toml", [text.replace('"r2"', '"r3"')]))


def test_references_in_names_of_metrics(files):
    """mt-metrics-eval says in a metric's name which references it used."""
    for folder, reference in (("en-de", "refA"), ("he-en", "refB")):
        for name, values in (("BLEU", 1), ("BLEU2", 2)):
            lines = [f"{s}\t{at * values}" for at, s in enumerate(SYSTEMS)]
            files(f"wmt/metric-scores/{folder}/{name}-{reference}.sys.score", lines)
        files(f"wmt/metric-scores/{folder}/QE-src.sys.score", lines)
        files(f"wmt/human-scores/{folder}.mqm.sys.score", lines)
    files("wmt/metric-scores/he-en/BLEU-refA.sys.score", lines)
    text = 'protocol = "wmt24"\ngold = "mqm"\nscores = ["wmt"]\n'
    text += '[pairs.en-de]\n[pairs.he-en]\nreferences = ["refB"]\n'
    _, loaded = load(files("study.toml", [text]))
    assert {*loaded[0].scores.names} == {"BLEU", "BLEU2", "QE", "mqm"}
    assert {*loaded[1].scores.names} == {"BLEU", "BLEU2", "QE", "mqm", "BLEU-refA"}
    assert loaded[1].scores.system_scores("BLEU").tolist() == [0, 1, 2, 3, 4]


def test_files_may_call_a_language_pair_otherwise(files):
    lines = ["system,segment,lang,mqm,BLEU"]
    lines += [
        f"A,1,{lang},{n},{n}" for n, lang in enumerate(("eng-deu", "en-ja", "en-de"))
    ]
    files("all.csv", lines)
    text = 'protocol = "wmt24"\ngold = "mqm"\nscores = ["all.csv"]\n[pairs.en-de]\n'
    _, loaded = load(files("study.toml", [text]))
    assert loaded[0].scores.value.tolist() == [2, 2]
    _, loaded = load(files("study.toml", [f'{text}aliases = ["eng-deu"]']))
    assert sorted(loaded[0].scores.value) == [0, 0, 2, 2]
    assert loaded[0].scores.languages == ["en-de"]
    with pytest.raises(CorpusError, match="no file has scores of cs-uk"):
        load(files("study.toml", [f"{text}[pairs.cs-uk]"]))


def test_metrics_that_the_study_has_no_place_for(files):
    text = MANIFEST.replace("baseline", 'primary = ["Neural"]\nbaseline')
    scores = score(files("study.toml", [text]))
    assert {*scores.metrics} == {"BLEU", "Neural"}
    text = MANIFEST.replace('"BLEU" = ["sacrebleu"]', "")
    scores = score(files("study.toml", [text]))
    assert {*scores.left_out} == {"BLEU", "sacrebleu"}


BAD = [
    ('gold = "mqm"', "gold = 7", "gold is 7; expected a text"),
    ('gold = "mqm"', "", r"\[pairs.en-de\] has no gold"),
    ('gold = "mqm"', 'gold = "mqm"\nglod = 1', "has 'glod'; known: name, protocol"),
    ('protocol = "wmt24"', "", "needs a protocol"),
    ("[pairs.en-de]", "[pairs.german]", "'german' is not a language pair"),
    ('["first.csv"]', "[1]", r"scores is \[1\]; expected a list of texts"),
    ('["first.csv"]', '["first.csv"]\nhuman = "x"', "has 'human'; known: gold"),
    ('"A" = ["A-v2"]', '"A" = ["x"]\n"B" = ["x"]', "'x' is used twice"),
    ('"A" = ["A-v2"]', '"A" = ["B"]\n"B" = []', "'B' is used twice"),
    ("[systems]", "with_humans = 1\n[systems]", "expected true or false"),
    ("[systems]", 'mqm_weights = "x"\n[systems]', "expected NAME:VALUE"),
    ('name = "Our task"', "name =", "is not TOML"),
]


@pytest.mark.parametrize(("old", "new", "message"), BAD)
def test_what_is_wrong_with_a_manifest(files, cli, old, new, message):
    path = files("study.toml", change(old, new))
    with pytest.raises((FormatError, ValueError), match=message):
        read_study(str(path))
    done = cli("meta", "task", path)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1


BAD_COLUMNS = [
    (
        'level = "doc"',
        'level = "document"',
        r"column 2 needs a level \(sys, seg or doc\)",
    ),
    ("weight = 3", "weight = 0", "weight is 0; expected a number above 0"),
    ("weight = 3", 'weight = "x"', "weight is 'x'; expected a number above 0"),
    ("weight = 3", 'pairs = ["de-en"]', "there is no pair de-en; known: en-de"),
    ("weight = 3", "pooled = true", "only accuracy of systems can be pooled"),
    ("weight = 3", 'protocol = "x"', "column 2 has 'protocol'; known: level"),
]


@pytest.mark.parametrize(("old", "new", "message"), BAD_COLUMNS)
def test_what_is_wrong_with_columns(files, old, new, message):
    with pytest.raises(FormatError, match=message):
        read_study(str(files("study.toml", change(old, new, COLUMNS))))


def test_what_scores_do_not_have(files, cli):
    text = change('domain = "web"', 'domain = "sport"', COLUMNS)
    with pytest.raises(
        CorpusError, match=r"no scores of the domain sport; known: news, web"
    ):
        score(files("study.toml", text))
    text = change('gold = "human"', 'gold = "esa"')
    assert score(files("study.toml", text)).panels[1].gold_name == "esa"
    done = cli("meta", "task", files("study.toml", change("wmt24", "wmt20")))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "No protocol named 'wmt20'" in done.err
    done = cli("meta", "task", files("study.toml", change("first.csv", "none.csv")))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "none.csv cannot be read" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("study.toml", "first.csv"), "leave out SCORES"),
        (("study.toml", "--gold", "mqm"), "leave out --gold"),
        (("study.toml", "--lang", "en-de"), "leave out --lang"),
        (("study.toml", "--metric", "BLEU"), "leave out --metric"),
        (("study.toml", "--select", "system=A"), "leave out --select"),
        (("wmt24",), "or a study such as study.toml."),
        (("wmt24", "first.csv"), "needs --gold NAMES"),
    ],
)
def test_a_study_says_all_itself(files, cli, tmp_path, monkeypatch, arguments, message):
    files("study.toml", [MANIFEST])
    monkeypatch.chdir(tmp_path)
    done = cli("meta", "task", *arguments)
    assert done.code == 2
    assert message in done.err


def test_formats_of_the_table(files, cli):
    path = files("study.toml", [MANIFEST.replace("wmt24", "wmt23")])
    done = cli("meta", "task", path)
    lines = done.out.split("\n")
    assert lines[0] == "Our task, gold mqm, human"
    assert lines[1].split() == ["en-de,en-ko_KR", "en-de", "en-ko_KR"]
    assert lines[4].startswith("Neural ")
    data = json.loads(cli("meta", "task", path, "--format", "json").out)
    (row,) = [r for r in data["tables"]["wmt23"] if r["metric"] == "Neural"]
    assert row["en-de sys pearson"] > 0.9
    assert data["ranks"]["Neural"]["en-de sys pearson"] in (1, 2, 3)
    rows = cli("meta", "task", path, "--format", "tsv").out.split("\n")
    ranks = [line.split("\t")[2:4] for line in rows if "\tNeural\t" in line]
    assert ["average rank", "1"] in ranks


def test_the_table_compiles_in_two_columns(files, cli, tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("needs pdflatex (Debian: texlive-latex-base)")
    text = MANIFEST.replace("wmt24", "wmt23").replace("Our task", "Our_task & more")
    path = files("study.toml", [text])
    done = cli("meta", "task", path, "--format", "latex", "-o", tmp_path / "table.tex")
    assert done.code == 0, done.err
    page = (
        r"\documentclass[twocolumn]{article}\usepackage{booktabs,graphicx}"
        r"\begin{document}\input{table}\newpage Text.\end{document}"
    )
    files("page.tex", [page])
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = made.stdout.decode(errors="replace")
    assert made.returncode == 0, log[-2000:]
    assert "Overfull" not in log
    table = (tmp_path / "table.tex").read_text()
    assert r"\begin{table*}" in table
    assert r"Our\_task \& more" in table
    assert r"{}* needs no reference" in table
