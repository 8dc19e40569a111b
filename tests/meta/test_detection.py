"""Detection of outputs without errors: labels, decisions, and their correlation."""

import csv
import gzip
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.panels import made, panel_of, score_matrix, scores_of

from metra.cli import cli
from metra.errors import CorpusError
from metra.meta.detection import (
    DetectionScores,
    ask_detection,
    detect_outputs,
    label_outputs,
    report_detection,
)
from metra.meta.options import TaskOptions
from metra.meta.question import Evidence, answer_evidence
from metra.scores.registry import read_scores
from metra.scores.selection import DEFAULT
from metra.scores.table import ScoredItem, Scorer, concatenate_scores
from metra.scores.views import build_panel
from metra.stats.thresholds import choose_threshold, deal_folds, filter_outputs

FEW = TaskOptions(trials=20)


def phi(decisions, labels):
    """Matthews' correlation is Pearson's of zeros and ones."""
    if len({*decisions}) < 2 or len({*labels}) < 2:
        return np.nan
    return np.corrcoef(decisions, labels)[0, 1]


def detect(labels, metrics, options=FEW):
    return detect_outputs(panel_of(labels, metrics), labels, options)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([0, 2, 5]))
def test_mcc_of_folds_equals_a_plain_twin(seed, folds):
    """The threshold of a fold is the best of all that the other segments have."""
    rng = np.random.default_rng(seed)
    labels = (rng.random((3, 12)) < 0.4).astype(float)
    metric = np.round(labels + rng.normal(size=labels.shape), 1)
    fold = np.zeros(12, int)
    if folds:
        fold = deal_folds(np.arange(12), 12, folds, TaskOptions().seed)
    kept = np.zeros(labels.shape)
    for each in range(max(folds, 1)):
        rest = fold != each if folds else fold == each
        values, truth = metric[:, rest].ravel(), labels[:, rest].ravel()
        scored = [(phi(values >= limit, truth), limit) for limit in values]
        scored = [
            (round(value, 12), limit) for value, limit in scored if value == value
        ]
        limit = max(scored)[1] if scored else np.inf
        kept[:, fold == each] = metric[:, fold == each] >= limit
    found = detect(labels, {"m": metric}, TaskOptions(folds=folds, trials=0))
    expected = phi(kept.ravel(), labels.ravel())
    assert found.figures["m"]["MCC"][0] == pytest.approx(
        expected, abs=1e-9, nan_ok=True
    )


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_a_shift_or_a_rescaling_of_a_metric_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    labels = (rng.random((3, 20)) < 0.3).astype(float)
    metric = labels + rng.integers(-3, 4, labels.shape)
    found = detect(labels, {"m": metric, "shifted": metric + 64, "scaled": 8 * metric})
    first = found.figures["m"]
    assert str(found.figures["shifted"]) == str(found.figures["scaled"]) == str(first)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_a_copy_of_the_gold_has_an_mcc_of_1(seed):
    rng = np.random.default_rng(seed)
    labels = (rng.random((4, 15)) < 0.5).astype(float)
    labels[:, 0], labels[:, 1] = 0, 1
    found = detect(labels, {"copy": labels.copy(), "turned": 1 - labels})
    assert found.figures["copy"]["MCC"] == (1, (1, 1))
    assert found.figures["turned"]["MCC"] == (-1, (-1, -1))
    assert found.thresholds == {"copy": 1, "turned": 1}


def test_submissions_of_0_and_1_are_taken_as_they_are():
    """A threshold of its own would keep everything, or turn what is worse than chance."""
    labels = np.array([[1.0, 1, 0, 0, 0, 1], [0, 0, 1, 1, 0, 1]])
    decisions = np.array([[0.0, 1, 1, 0, 1, 0], [1, 1, 0, 1, 0, 0]])
    found = detect(labels, {"system": decisions}, TaskOptions(folds=2, trials=0))
    expected = phi(decisions.ravel(), labels.ravel())
    assert found.figures["system"]["MCC"][0] == pytest.approx(expected)
    assert expected < 0


def test_an_undefined_mcc_is_said_and_is_not_0():
    labels = np.tile([1.0, 0, 0, 1], (3, 5))
    never, always = np.zeros(labels.shape), np.ones(labels.shape)
    found = detect(labels, {"never": never, "always": always, "copy": labels.copy()})
    assert np.isnan(found.figures["never"]["MCC"][0])
    assert found.figures["never"]["MCC"][1] is None
    report = report_detection([found], FEW)
    said = "MCC is undefined for never, always: the same decision for all outputs."
    assert said in report.notes
    nothing = detect(0 * labels, {"never": never, "copy": labels.copy()})
    said = "MCC is undefined for never, copy: no output is error-free."
    assert said in report_detection([nothing], FEW).notes


def test_thresholds_of_the_same_outputs_are_named():
    labels = np.tile([1.0, 0, 0, 1], (3, 5))
    found = detect(labels, {"m": labels + 0.5}, TaskOptions(folds=0, trials=0))
    [note] = report_detection([found], TaskOptions(folds=0, trials=0)).notes
    assert "fitted to the outputs that they decide on, so MCC is too high" in note
    assert "Each of 5 folds" in report_detection([found], FEW).notes[-1]


def test_each_pair_has_thresholds_of_its_own():
    labels = np.tile([1.0, 0, 0, 1, 0], (3, 6))
    pairs = []
    for lang, metric in (("en-de", labels), ("cs-uk", 100 * labels + 7)):
        panel = replace(panel_of(labels, {"m": metric + 0.5}), lang=lang)
        pairs.append(detect_outputs(panel, labels, FEW))
    assert [pair.thresholds["m"] for pair in pairs] == [1.5, 107.5]
    undefined = pairs[0]._replace(
        panel=replace(pairs[0].panel, lang="en-mas"),
        share=0.0,
        figures={"m": dict.fromkeys(("MCC", "precision", "recall"), (np.nan, None))},
    )
    report = report_detection([*pairs, undefined], FEW)
    first, *others = report.tables
    [row] = [[cell.value for cell in row] for row in first.rows]
    # The mean is over pairs in which it can be defined.
    assert row == ["m", 1, 1, 1, None]
    assert len(others) == 3
    assert "en-mas: MCC is undefined for m: no output is error-free." in report.notes


def judged(values, errors):
    """A table of ESA by two judges, of which each marked so many errors."""
    tables = []
    for judge, each, count in zip("uv", values, errors, strict=True):
        table = score_matrix(each, Scorer("esa", "esa"), judge=judge)
        tables.append(replace(table, errors=np.ravel(count).astype(float)))
    return concatenate_scores(tables)


def test_labels_need_the_mean_score_and_no_mark_of_anybody():
    values = [[[90, 90, 90, 84]], [[80, 90, 100, 85]]]
    errors = [[[0, 0, 0, 0]], [[0, 1, 0, 0]]]
    scores = judged(values, errors)
    scores = concatenate_scores(
        [scores, score_matrix([[1.0, 2, 3, 4]], Scorer("m", "metric"))]
    )
    panel = build_panel(scores, "esa")
    # 85, 90 with a mark, 95, and 84.5.
    assert label_outputs(scores, panel, 85).tolist() == [[1, 0, 1, 0]]
    assert label_outputs(scores, panel, 84).tolist() == [[1, 0, 1, 1]]


def test_a_gold_without_marks_is_refused_unless_it_is_a_label():
    panel = made()
    scores = scores_of(panel.gold, panel.metrics, systems=list(panel.systems))
    evidence = Evidence(scores, gold="gold", files=("wmt26-error-free",))
    with pytest.raises(
        CorpusError, match=r"gold comes without the errors .* or labels"
    ):
        ask_detection(evidence, FEW)
    labels = (panel.gold > 0).astype(float)
    scores = scores_of(labels, panel.metrics, systems=list(panel.systems))
    evidence = Evidence(scores, gold="gold", files=("wmt26-error-free",))
    [answer], report = answer_evidence("task", evidence, FEW)
    assert isinstance(answer[0], DetectionScores)
    assert answer[0].labels.tolist() == labels.tolist()
    assert "task:wmt26-error-free" in report.signature


def test_folds_without_a_good_output_keep_nothing():
    assert (
        choose_threshold(np.array([1.0, 2]), np.array([False, False]), "MCC") == np.inf
    )
    assert choose_threshold(np.array([1.0, 2]), np.array([True, True]), "MCC") == np.inf
    good = np.array([[1.0, 0, 0, 0]])
    _, rows = filter_outputs(
        good, np.array([[4.0, 3, 2, 1]]), folds=4, seed=1, figure="MCC"
    )
    # The only good output is in the fold whose others have none.
    assert rows.sum(0).tolist()[2:] == [1, 4]


def test_wmt24_error_free_outputs_are_those_of_a_plain_count(shared):
    path = shared / "data/published-formats/wmt24-esa/esa_generalMT2024_wave3.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [*csv.reader(file)]
    judged = {}
    # A judge may answer again later; copies that fill a task up have remarks behind `#`.
    for row in sorted(rows, key=lambda row: float(row[11])):
        if row[3] == "TGT" and row[7] != row[1] and "#" not in row[7]:
            answers = judged.setdefault((row[4], row[5], row[1], row[2]), {})
            answers[row[0]] = float(row[6]), len(json.loads(row[9]))
    expected = Counter()
    for (source, target, *_), answers in judged.items():
        values, marks = zip(*answers.values(), strict=True)
        expected[f"{source}-{target}", "all"] += 1
        is_free = np.mean(values) >= 85 and not any(marks)
        expected[f"{source}-{target}", "free"] += is_free
    scores = DEFAULT.select(read_scores(str(path)))
    found = {}
    for lang in scores.languages:
        part = scores.only(lang=lang)
        panel = build_panel(part, "esa", [])
        labels = label_outputs(part, panel, 85)
        found[lang, "all"] = np.isfinite(labels).sum()
        found[lang, "free"] = np.nansum(labels)
    assert found == expected
    assert sum(found.values()) == 2 * 4381 + 3245 + 2928


def test_errors_of_judgements_are_counted(tmp_path):
    answer = {"human1": 90, "annotator1": "u", "errors1": [{"severity": "minor"}]}
    listed = [
        {"score": 80, "annotator": "v", "errors": []},
        {"score": 70, "errors": [{}]},
    ]
    entry = {"doc_id": "cs-de_DE_#_news_#_d_#_0", "scores": {"X": answer, "Y": listed}}
    path = tmp_path / "h.jsonl"
    path.write_text(json.dumps(entry))
    scores = read_scores(str(path))
    assert scores.matrix("human").tolist() == [[90], [75]]
    assert scores.matrix("human", column="errors").tolist() == [[1], [0.5]]
    assert scores.items == (ScoredItem("d#1", "d", "news", "cs-de_DE"),)
    assert len(DEFAULT.select(scores)) == 3


def test_every_kind_of_judgements_carries_its_errors(tmp_path):
    """ESA by Appraise, Pearmut's results and metra's lines; direct assessments have none."""
    span = {"start_i": 0, "end_i": 1, "severity": "minor", "category": None}
    marks = json.dumps([span]).replace('"', '""')
    rows = [
        f'u,A,1,TGT,eng,deu,90,d,False,"{marks}",1.0,2.0',
        "u,A,2,TGT,eng,deu,95,d,False,[],3.0,4.0",
    ]
    items = [{"item_id": str(at), "src": "s", "tgt": {"A": "xyz"}} for at in (1, 2)]
    answers = [{"A": {"score": 90, "error_spans": spans}} for spans in ([span], [])]
    screen = {"user_id": "u", "item_i": 0, "item": items, "annotation": answers}
    texts = {"esa.csv": "\n".join(rows), "pearmut.jsonl": json.dumps(screen)}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    lines = tmp_path / "metra.jsonl"
    arguments = ["judge", "import", str(tmp_path / "pearmut.jsonl"), "-o", str(lines)]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    for path in (*map(tmp_path.joinpath, texts), lines):
        scores = read_scores(str(path))
        assert scores.matrix("esa", column="errors").tolist() == [[1, 0]], path
    (tmp_path / "da.csv").write_text("u,A,1,TGT,eng,deu,90,d,False,1.0,2.0")
    assert not np.isfinite(read_scores(str(tmp_path / "da.csv")).errors).any()


def test_the_command_of_tasks(tmp_path):
    """Protocols with scores need a gold, corrections do not; unknown ones are named."""
    table = tmp_path / "c.tsv"
    table.write_text("original\tcorrected\tqe-original\tqe-corrected\na b\ta c\t0\t1\n")
    run = CliRunner()
    found = run.invoke(cli, ["meta", "task", "wmt25-correction", str(table)])
    assert found.exit_code == 0
    assert "Corrections by qe" in found.output
    for words, says in (
        (["wmt25-correction"], "meta task needs PROTOCOL SCORES"),
        (
            [],
            "needs a protocol: wmt23, wmt24, wmt25, wmt26, wmt26-error-free or wmt25-c",
        ),
        (["wmt26-error-free", str(table)], "needs --gold NAMES"),
    ):
        found = run.invoke(cli, ["meta", "task", *words])
        assert found.exit_code == 2
        assert says in " ".join(
            str(found.exception or "").split() + found.output.split()
        )
