"""Marked errors of all systems: their places, and counts by severity and category."""

import metra
from metra.analysis.findings import collect_errors

TABLE = (
    "system\tsegment\trater\tstart\tend\tcategory\tseverity\tin_source\n"
    "a\t1\tr1\t2\t5\tAccuracy\tmajor\t0\n"
    "a\t1\tr2\t2\t5\tStyle\tminor\t0\n"
    "a\t1\tr1\t90\t95\tStyle\tminor\t0\n"
    "a\t2\tr1\t0\t3\tSource\tminor\t1\n"
    "b\t1\tr1\t\t\tno-error\tno-error\t\n"
    "c\t1\tr1\t0\t1\tStyle\tminor\t0\n"
    "c\t2\tr1\t\t\tno-error\tno-error\t\n"
)
OUTPUTS = {"a": ["a dog barks", "it rains"], "b": ["a cat", "it snows"]}


def collect(tmp_path):
    path = tmp_path / "errors.tsv"
    path.write_text(TABLE)
    return collect_errors(OUTPUTS, {"spans": metra.metric(f"spans:file={path}")})


def test_places_and_words(tmp_path):
    found = collect(tmp_path)
    first = found.spans["a"][0]
    assert [(judge, *mark[1:3], mark.text) for judge, mark in first] == [
        ("r1", 2, 5, "dog"), ("r1", None, None, ""), ("r2", 2, 5, "dog"),
    ]  # fmt: skip
    [(_, mark)] = found.spans["a"][1]
    assert (mark.start, mark.side) == (None, "source")
    assert found.spans["b"] == {}
    assert "c" not in found.spans


def test_counts(tmp_path):
    found = collect(tmp_path)
    assert found.by_severity["a"] == {"major": 1, "minor": 3}
    assert found.by_category["a"] == {"accuracy": 1, "style": 2, "source": 1}
    assert found.ratings == {"a": 3, "b": 1}
    assert found.severities == ["major", "minor"]
    assert found.categories[0] == "style"
    assert found.sources == ["r1", "r2"]


def test_metrics_that_mark_nothing():
    assert collect_errors(OUTPUTS, {"bleu": metra.metric("bleu")}) is None
