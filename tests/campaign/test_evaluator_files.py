"""What evaluators hand in: every format that is read, and files that are not."""

import json
import zipfile

import pytest
from tests.campaign.campaigns import answered, opened
from tests.tables import load_cases

from metra.campaign.protocols.registry import list_question_scales
from metra.errors import FormatError, MetraError
from metra.meta.exercise import run_exercise
from metra.meta.measures import average_texts, list_rows, select_texts
from metra.report.campaign_files import export_judgements
from metra.scores.registry import read_evaluator_file, read_evaluator_files

HEAD = "metric\tevaluator\ttext\ttranslation\tscore"


def read_texts(path):
    """Read the rows of a file that count, averaged by text."""
    texts, _ = average_texts(select_texts(read_evaluator_file(str(path))))
    return list(list_rows(texts))


def hold(path):
    """Hold the exercise on one file."""
    scores = read_evaluator_file(str(path))
    return run_exercise({"": scores}, protocol_scales=list_question_scales())


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
    for form in ("json", "tsv", "markdown"):
        words = [*("score", *outputs, str(odd), "-r", f"{examples}/reference.1.txt")]
        words += ["--docs", f"{examples}/docs.txt", "-m", "bleu", "-m", "ter"]
        words += ["--ci", "--trials", "20", "--format", form]
        words += ["--level", "system,document"]
        cli([*words, "-o", str(folder / f"ann.{form}")], standalone_mode=False)
    return folder


def test_every_format_of_score_has_the_same_scores(scored):
    exact = {row[:4]: row[4] for row in read_texts(scored / "ann.json")}
    rows = {row[:4]: row[4] for row in read_texts(scored / "ann.tsv")}
    assert len(rows) == len(exact) == 18
    assert rows == pytest.approx(exact, rel=0, abs=1e-9)
    assert {evaluator for _, evaluator, *_ in rows} == {"ann"}
    for scorer in read_evaluator_file(str(scored / "ann.tsv")).scorers:
        assert scorer.kind == "metric"
        assert scorer.higher_is_better is (scorer.name == "bleu")


def test_tables_for_papers_are_refused(scored):
    """They are rounded, and their metrics are renamed."""
    with pytest.raises(FormatError, match="is not a known score table"):
        read_evaluator_file(str(scored / "ann.markdown"))


def test_a_table_of_several_texts_is_compared_by_text(scored):
    study = hold(scored / "ann.json")
    assert study.level == "text"
    assert {row[2] for row in list_rows(study.scores)} == {"market", "brake"}


def test_evaluators_are_named_by_their_files_or_before_them(scored):
    path = scored / "ann.json"
    tables = read_evaluator_files([str(path), f"bob={path}"])
    assert [table.judges for table in tables.values()] == [("ann",), ("bob",)]


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
    rows, expected = (
        {row[:4]: row[5] for row in read_texts(file)}
        for file in (path, tmp_path / "exact.jsonl")
    )
    assert rows == pytest.approx(expected)
    study = hold(path)
    assert study.scales[0].kind == "human"
    assert (study.scales[0].worst, study.scales[0].best) == (0, 3)
    assert study.scales[0].origin == "protocol"


def test_segments_are_averaged_only_where_nothing_larger_was_scored(write):
    rows = ["system\tsegment\tscorer\tvalue", "a\t1\tbleu\t90", "a\t2\tbleu\t70"]
    [mean] = read_texts(write("segments.tsv", rows))
    assert mean[1:5] == ("segments", "", "a", 80)
    [whole] = read_texts(write("both.tsv", [*rows, "a\t\tbleu\t60"]))
    assert whole[4] == 60


def test_checks_of_judges_do_not_count(write):
    rows = ["system\tsegment\tscorer\tvalue\tjudge\titem_type"]
    rows += ["a\t1\tclarity\t3\tann\tjudged", "a\t1\tclarity\t1\tann\trepeat"]
    [row] = read_texts(write("long.tsv", rows))
    assert (row[0], row[4]) == ("clarity", 3)


def test_judges_of_other_tables_are_evaluators(write):
    rows = ["system\tsegment\tscorer\tvalue\tjudge"]
    for judge, values in (("ann", (1, 5)), ("bob", (3, 5))):
        rows += [f"a\t{at}\tadequacy\t{v}\t{judge}" for at, v in enumerate(values, 1)]
    study = hold(write("long.tsv", rows))
    [system] = study.evaluations
    assert system.by_evaluator == (("ann", 50), ("bob", 75))
    assert study.scales[0].origin == "protocol"


def test_results_may_say_their_kind_and_have_no_score(write):
    rows = [
        f"{HEAD}\tkind\treason",
        "x\tann\t\ta\t40\thuman\t",
        "x\tbob\t\ta\tn/a\t\tlate",
    ]
    path = write("r.tsv", rows)
    [scorer] = read_evaluator_file(str(path)).scorers
    assert scorer.human
    first, second = read_texts(path)
    assert (first[5], first[6], second[6]) == (40, "", "late")
    [reliability] = hold(path).reliability
    assert (reliability.undefined, reliability.why) == (1, "late")


REFUSED = load_cases("evaluator files: refused")  # fmt: skip


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
