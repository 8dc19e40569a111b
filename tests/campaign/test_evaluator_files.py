"""What evaluators hand in: every format that is read, and files that are not."""

import json
import zipfile
from dataclasses import replace

import pytest
from tests.campaign.campaigns import answered, opened

from metra.campaign.evaluator_files import read_evaluator_file, read_evaluator_files
from metra.campaign.exercise_study import run_exercise
from metra.campaign.exports import export_judgements
from metra.campaign.judgement import format_judgement_lines
from metra.errors import FormatError, MetraError

HEAD = "metric\tevaluator\ttext\ttranslation\tscore"


@pytest.fixture(scope="module")
def scored(root, tmp_path_factory):
    """What `metra score` writes about three systems, by format."""
    from metra.cli import cli

    folder = tmp_path_factory.mktemp("scores")
    examples = root / "examples"
    outputs = [f"{examples}/outputs/{name}.txt" for name in ("solid", "rule-based")]
    # A name that needs escapes in Markdown and LaTeX.
    odd = folder / "a_b & 50% [x].txt"
    odd.write_bytes((examples / "outputs" / "terse.txt").read_bytes())
    for form in ("json", "tsv", "table", "markdown"):
        words = [*("score", *outputs, str(odd), "-r", f"{examples}/reference.1.txt")]
        words += ["--docs", f"{examples}/docs.txt", "-m", "bleu", "-m", "ter"]
        words += ["--ci", "--trials", "20", "--format", form]
        words += ["--level", "system,document"]
        cli([*words, "-o", str(folder / f"ann.{form}")], standalone_mode=False)
    return folder


@pytest.mark.parametrize("form", ["tsv", "table"])
def test_every_format_of_score_has_the_same_scores(scored, form):
    exact = read_evaluator_file(str(scored / "ann.json"))
    found = read_evaluator_file(str(scored / f"ann.{form}"))
    if form != "tsv":  # tables for people are printed for systems, with two digits
        exact = [one for one in exact if not one.text]
    assert len(found) == len(exact) == (18 if form == "tsv" else 6)
    by_place = {(one.metric, one.text, one.translation): one for one in exact}
    for one in found:
        same = by_place[one.metric, one.text, one.translation]
        digits = 0.0 if form == "tsv" else 0.005
        assert one.value == pytest.approx(same.value, rel=0, abs=digits + 1e-9)
        assert (one.kind, one.evaluator) == ("automated", "ann")
        assert one.higher_is_better is (one.metric == "bleu")


def test_tables_for_papers_are_refused(scored):
    """They are rounded, and their metrics are renamed."""
    with pytest.raises(FormatError, match="is not a known score table"):
        read_evaluator_file(str(scored / "ann.markdown"))


def test_a_table_in_parts_is_read_as_a_whole(write):
    parts = ["system  bleu ↑", "──────────────", "a         1.00*", "b         0.50"]
    parts += [
        "",
        "system  ter ↓",
        "─────────────",
        "a        9.00",
        "b        8.00*",
        "",
    ]
    parts += ["2 segments, 1 reference", "bleu|n:4"]
    found = read_evaluator_file(str(write("wide.txt", parts)))
    assert [(one.metric, one.translation, one.value) for one in found] == [
        *(("bleu", "a", 1), ("bleu", "b", 0.5), ("ter", "a", 9), ("ter", "b", 8)),
    ]


def test_a_table_of_several_texts_is_compared_by_text(scored):
    study = run_exercise(read_evaluator_file(str(scored / "ann.json")))
    assert study.level == "text"
    assert {one.text for one in study.exercise.results} == {"market", "brake"}


def test_evaluators_are_named_by_their_files_or_before_them(scored):
    path = scored / "ann.json"
    found = read_evaluator_files([str(path), f"bob={path}"])
    assert {one.evaluator for one in found} == {"ann", "bob"}


@pytest.fixture(scope="module")
def judged():
    """A campaign whose repeated and degraded items are all judged as perfect."""
    frozen = opened("clarity", repeats=0.5, degraded=0.5)

    def value(task, _):
        return {"clarity": len(task.judge) % 4 if task.kind == "judged" else 3}

    return frozen, answered(frozen, value)


@pytest.mark.parametrize("form", ["jsonl", "tsv", "csv", "texts", "zip"])
def test_every_export_of_a_campaign_has_the_same_scores(judged, tmp_path, form):
    frozen, judgements = judged
    exact = export_judgements("jsonl", judgements, frozen)
    (tmp_path / "exact.jsonl").write_bytes(exact.content)
    export = export_judgements(form, judgements, frozen)
    path = tmp_path / export.name
    path.write_bytes(export.content)
    found, expected = (
        sorted(
            (one.metric, one.evaluator, one.text, one.translation, one.hundred)
            for one in read_evaluator_file(str(file))
        )
        for file in (path, tmp_path / "exact.jsonl")
    )
    assert [row[:4] for row in found] == [row[:4] for row in expected]
    assert [row[4] for row in found] == pytest.approx([row[4] for row in expected])
    study = run_exercise(read_evaluator_file(str(path)))
    assert study.scales[0].kind == "human"
    assert (study.scales[0].worst, study.scales[0].best) == (0, 3)
    assert study.scales[0].origin == "protocol"


def test_segments_are_averaged_only_where_nothing_larger_was_scored(write):
    rows = ["system\tsegment\tscorer\tvalue", "a\t1\tbleu\t90", "a\t2\tbleu\t70"]
    [mean] = read_evaluator_file(str(write("segments.tsv", rows)))
    assert (mean.text, mean.value, mean.evaluator) == ("", 80, "segments")
    [whole] = read_evaluator_file(str(write("both.tsv", [*rows, "a\t\tbleu\t60"])))
    assert whole.value == 60


def test_checks_of_judges_do_not_count(write):
    rows = ["system\tsegment\tscorer\tvalue\tjudge\tkind"]
    rows += ["a\t1\tclarity\t3\tann\tclarity", "a\t1\tclarity-repeat\t1\tann\tclarity"]
    found = read_evaluator_file(str(write("long.tsv", rows)))
    assert [(one.metric, one.value) for one in found] == [("clarity", 3)]


def test_judges_of_other_tables_are_evaluators(write):
    rows = ["system\tsegment\tscorer\tvalue\tjudge"]
    for judge, values in (("ann", (1, 5)), ("bob", (3, 5))):
        rows += [f"a\t{at}\tadequacy\t{v}\t{judge}" for at, v in enumerate(values, 1)]
    study = run_exercise(read_evaluator_file(str(write("long.tsv", rows))))
    [system] = study.exercise.systems
    assert system.by_evaluator == (("ann", 50), ("bob", 75))
    assert study.scales[0].origin == "protocol"


def test_results_may_say_their_kind_and_have_no_score(write):
    rows = [
        f"{HEAD}\tkind\treason",
        "x\tann\t\ta\t40\thuman\t",
        "x\tbob\t\ta\tn/a\t\tlate",
    ]
    first, second = read_evaluator_file(str(write("r.tsv", rows)))
    assert (first.kind, first.hundred) == ("human", 40)
    assert (second.reason, second.kind) == ("late", "human")
    assert run_exercise([first, second]).exercise.reliability[0].undefined == 1


REFUSED = [
    pytest.param([], "is empty; expected scores.", id="empty file"),
    pytest.param([HEAD], "has a header but no scores.", id="header only"),
    pytest.param([HEAD, "m\te\t1\tt\tx"], "line 2: the score is 'x'", id="no number"),
    pytest.param([HEAD, "m\te\t1\tt\tinf"], "the score is 'inf'", id="infinite"),
    pytest.param([HEAD, "m\t\t1\tt\t3"], "line 2 has no evaluator; every", id="nobody"),
    pytest.param(
        [f"{HEAD}\tkind", "m\te\t1\tt\t3\tx"], "the kind is 'x'", id="no kind"
    ),
    pytest.param(["one two three"], "begins with 'one two three', which is not", id="text"),
    pytest.param(
        ["system  bleu ↑", "──────────────", "a  1.00  2.00"],
        "has 3 cells for a; expected 2",
        id="broken table",
    ),
    pytest.param(["system  bleu ↑"], "has a header but no scores.", id="lone header"),
    pytest.param(
        ["system  bleu ↑  x", "a  1.00  2.00"],
        "has a column 'x'; expected a metric with an arrow.",
        id="no arrow",
    ),
    pytest.param(
        ["system\tscorer\tvalue\tsegment\tdocument\tjudge\tkind\thundred",
         "a\tclarity\t2\t1\td\tann\tclarity\tmany"],
        "line 2: the hundred is 'many'; expected a number, or",
        id="export without numbers",
    ),
    pytest.param(
        ["system\tscorer\tvalue\tlang", "a\tbleu\t2\ten-de", "a\tbleu\t2\ten-fr"],
        "has several language pairs (en-de, en-fr); give a file with one of them.",
        id="several languages",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "says"), REFUSED)
def test_what_is_refused(write, lines, says):
    with pytest.raises(MetraError) as refused:
        read_evaluator_file(str(write("bad.txt", lines)))
    assert says in str(refused.value)


def test_a_store_is_no_file_of_scores(write):
    path = write("judge.db", b"SQLite format 3\0" + bytes(100))
    with pytest.raises(
        FormatError, match="is a store of campaigns; export one with `m"
    ):
        read_evaluator_file(str(path))


def test_a_name_for_a_file_that_has_names(write):
    path = write("r.tsv", [HEAD, "m\tann\t\ta\t3"])
    with pytest.raises(
        MetraError, match=r"already names its evaluators \(ann\); remove"
    ):
        read_evaluator_files([f"bob={path}"])


def test_a_zip_without_answers_is_none_of_ours(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.json", json.dumps({}))
    with pytest.raises(MetraError):
        read_evaluator_file(str(path))


def test_what_could_not_be_judged_is_no_measure(tmp_path):
    """It has no question, and the protocol is none."""
    frozen = opened("ldc")
    judgements = answered(frozen, lambda *_: {"fluency": 4, "adequacy": 5})
    at = next(at for at, one in enumerate(judgements) if one.kind == "judged")
    judgements[at] = replace(judgements[at], cannot="unreadable", value={})
    path = tmp_path / "j.jsonl"
    lines = format_judgement_lines(judgements)
    path.write_text("".join(lines), encoding="utf-8")
    scores = read_evaluator_file(str(path))
    assert {one.metric for one in scores} == {"fluency", "adequacy"}
    assert not any(one.reason for one in scores)
