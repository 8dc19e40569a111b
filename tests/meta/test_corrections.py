"""Corrections of outputs: gains, edits and gains per edit, against plain formulas."""

import json
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER

from metra.errors import CorpusError, FormatError
from metra.meta.corrections import (
    GAIN,
    RATE,
    RATIO,
    ask_corrections,
    score_corrections,
)
from metra.meta.options import TaskOptions
from metra.meta.question import Evidence, answer_evidence
from metra.scores.table import ScoredItem, Scorer, build_score_table

FEW = TaskOptions(trials=30)
NONE = TaskOptions(trials=0)


def make_rows(systems, segments=12, seed=0, lang="en-de"):
    """Rows of systems that change some words; better where `quality` is higher."""
    rng = random.Random(seed)
    rows = []
    for name, (share, quality) in systems.items():
        for at in range(segments):
            original = [rng.choice("abcdefg") * 3 for _ in range(rng.randint(1, 9))]
            corrected = ["new" if rng.random() < share else w for w in original]
            before = rng.random()
            changed = original != corrected
            after = before + changed * (quality + 0.01 * rng.random())
            texts = " ".join(original), " ".join(corrected)
            rows.append([name, lang, f"d{at // 4}", str(at), *texts, before, after])
    return rows


HEADINGS = (
    *("system", "lang", "document", "segment", "original", "corrected"),
    *("qe-original", "qe-corrected"),
)


def write(path, rows, headings=HEADINGS):
    lines = ["\t".join(map(str, row)) for row in (headings, *rows)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def ask(*paths, options=NONE, specs=()):
    scores = build_score_table([], [], {})
    files = ("wmt25-correction", *paths)
    return ask_corrections(Evidence(scores, files=files, specs=specs), options)


def measure(rows):
    """What the task's program computes: mean gain, TER and their ratio."""
    gain = np.mean([row[7] - row[6] for row in rows])
    rate = TER().corpus_score([r[4] for r in rows], [[r[5] for r in rows]]).score
    return gain, rate, gain / (rate / 100) if rate else np.nan


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_figures_equal_those_of_the_tasks_program(tmp_path_factory, seed):
    systems = {"A": (0.3, 0.1), "B": (0.8, -0.1), "C": (0, 0)}
    rows = make_rows(systems, seed=seed)
    path = write(tmp_path_factory.mktemp("c") / "c.tsv", rows)
    [found] = ask(path)
    for at, name in enumerate(found.systems):
        expected = measure([row for row in rows if row[0] == name])
        values = [found.figures[figure][at][0] for figure in (GAIN, RATE, RATIO)]
        assert values == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_systems_that_differ_are_told_apart(tmp_path):
    systems = {"good": (0.5, 0.2), "same": (0.5, 0.2), "bad": (0.5, -0.2)}
    rows = make_rows(systems, segments=60, seed=3)
    again = [["again", *row[1:]] for row in rows if row[0] == "good"]
    [found] = ask(write(tmp_path / "c.tsv", [*rows, *again]), options=TaskOptions())
    for figure in (GAIN, RATIO):
        tests, clusters = found.tests[figure]
        assert clusters == {"good": 1, "same": 1, "again": 1, "bad": 2}
        first, second = (list(clusters).index(name) for name in ("good", "again"))
        assert tests.p[first, second] == tests.p[second, first] == 1
    assert found.tests[GAIN][0].units == ("segment",)
    low, high = found.figures[GAIN][found.systems.index("good")][1]
    assert 0 < low < found.figures[GAIN][found.systems.index("good")][0] < high


def test_a_shift_of_the_metric_changes_nothing_and_a_cost_is_turned(tmp_path):
    rows = make_rows({"A": (0.3, 0.1), "B": (0.6, 0.2)}, seed=5)
    shifted = [[*row[:6], row[6] + 8, row[7] + 8] for row in rows]
    costs = [[*row[:6], 25 - row[6], 25 - row[7]] for row in rows]
    names = [*HEADINGS[:6], "MetricX-original", "MetricX-corrected"]
    [first] = ask(write(tmp_path / "a.tsv", rows))
    [second] = ask(write(tmp_path / "b.tsv", shifted))
    [third] = ask(write(tmp_path / "c.tsv", costs, names))
    for other in (second, third):
        for figure in (GAIN, RATE, RATIO):
            values = [value for value, _ in first.figures[figure]]
            assert [value for value, _ in other.figures[figure]] == pytest.approx(
                values
            )


def test_documents_are_units_from_20_on(tmp_path):
    systems = {"A": (0.3, 0.1), "B": (0.6, 0.2)}
    rows = make_rows(systems, segments=80)
    [found] = ask(write(tmp_path / "c.tsv", rows), options=FEW)
    assert found.tests[GAIN][0].units == ("document",)


def test_own_metrics_score_both_sides(tmp_path):
    rows = [["a b c", "a b d", "a b c"], ["x y", "x y", "x y"]]
    path = write(tmp_path / "mine.tsv", rows, ("reference", "original", "corrected"))
    [found] = ask(path, specs=("wer",))
    # A table without systems is of one; errors per word of the reference fall by a third.
    assert found.systems == ("mine",)
    assert found.figures[GAIN][0][0] == pytest.approx(100 / 3 / 2)
    assert found.figures[RATE][0][0] == pytest.approx(100 / 5)


def test_files_of_the_task_have_languages_apart(tmp_path):
    names = (
        *("doc_id", "segment_id", "source_lang", "target_lang"),
        *("hypothesis_segment", "post_edit", "kiwi_original", "kiwi_corrected"),
    )
    rows = [["d", at, "en", lang, "a b", "a c", 0.5, 0.75] for lang in ("zh", "cs")
            for at in range(3)]  # fmt: skip
    one, two = (write(tmp_path / f"{name}.tsv", rows, names) for name in "AB")
    chinese, czech = ask(one, two)
    assert (chinese.lang, czech.lang, chinese.metric) == ("en-zh", "en-cs", "kiwi")
    assert czech.systems == ("A", "B")
    assert czech.figures[RATIO] == [(0.5, None)] * 2


def test_what_is_undefined_or_missing_is_said(tmp_path):
    rows = make_rows({"A": (0.4, 0.1), "still": (0, 0)})
    rows[0][7] = ""
    path = write(tmp_path / "c.tsv", rows)
    scores = build_score_table([], [], {})
    evidence = Evidence(scores, files=("wmt25-correction", path))
    [[found]], report = answer_evidence("task", evidence, FEW)
    assert list(found.segments) == [11, 12]
    assert "en-de: qe: without edits, no gain per edit: still." in report.notes
    few = "segments are treated as independent, because 3 documents are fewer than 20."
    assert f"en-de: qe: {few}" in report.notes
    assert any("per edit" not in note and "gain: " in note for note in report.notes)
    rows[0][7] = 0.5
    expected = measure([row for row in rows[1:] if row[0] == "A"])
    assert found.figures[RATIO][0][0] == pytest.approx(expected[2])


@pytest.mark.parametrize(
    ("rows", "headings", "error", "says"),
    [
        (
            [["a", "b"]],
            ("original", "corrected"),
            CorpusError,
            "NAME-corrected and NAME-",
        ),
        (
            [["a", "b"]],
            ("original", "text"),
            FormatError,
            "no column of corrected trans",
        ),
        (
            [["a", "b", 1, 2], ["a", "b", 1, 2]],
            ("original", "corrected", "segment", "qe-corrected"),
            FormatError,
            "has the column qe-corrected, but no qe-original",
        ),
        (
            [["a", "b", 1], ["a", "b", 1]],
            ("original", "corrected", "segment"),
            CorpusError,
            "has a segment of a system twice; expected one row for each",
        ),
    ],
)
def test_tables_that_cannot_be_scored(tmp_path, rows, headings, error, says):
    with pytest.raises(error, match=says):
        ask(write(tmp_path / "c.tsv", rows, headings))


def test_json_lines_are_read_too(tmp_path):
    rows = make_rows({"A": (0.3, 0.1), "B": (0.6, 0.2)}, seed=5)
    path = tmp_path / "c.jsonl"
    path.write_text(
        "\n".join(json.dumps(dict(zip(HEADINGS, r, strict=True))) for r in rows)
    )
    [first], [second] = ask(str(path)), ask(write(tmp_path / "c.tsv", rows))
    assert (first.systems, first.figures) == (second.systems, second.figures)


def test_equal_systems_differ_in_5_of_100_tests():
    """Documents have effects of their own; ratios are tested by what documents add."""
    rng = np.random.default_rng(5)
    differ = Counter()
    items = [ScoredItem(str(at), f"d{at // 6}") for at in range(180)]
    for _ in range(300):
        size = rng.integers(5, 30, 180)
        columns = []
        for _ in "AB":
            effect = rng.normal(0, 0.05, 30).repeat(6)
            edits = rng.binomial(size, 0.15)
            gain = 0.02 * edits + rng.normal(0, 0.15, 180) + effect
            columns.append(np.array([np.where(edits, gain, 0), edits, size]))
        values = np.hstack(columns)
        names = map(Scorer, ("qe", "edits", "words"))
        scores = build_score_table(
            ["A"] * 180 + ["B"] * 180, items * 2, dict(zip(names, values, strict=True))
        )
        found = score_corrections(scores, "qe", NONE)
        for figure, (tests, _) in found.tests.items():
            differ[figure] += np.nanmin(tests.p) < 0.05
            assert tests.units == ("document",)
    # Of 300 tests with a rate of 5 %, 99.9 % have 5 to 28 false alarms.
    assert all(5 <= differ[figure] <= 28 for figure in (GAIN, RATIO)), differ
