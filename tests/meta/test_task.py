"""The protocols of WMT: what is averaged, and what is left out."""

from dataclasses import replace

from tests.panels import cells_by_name, headings, made

from metra.meta.task import report_task, score_task
from metra.stats.correlation import Options


def in_language(panel, lang, names):
    return replace(panel.of_metrics(names), lang=lang)


def test_a_metric_that_lacks_a_language_pair_is_left_out_and_named():
    first = in_language(made(seed=1), "en-de", ["m0", "m1", "m2"])
    second = in_language(made(seed=2), "zh-en", ["m0", "m1"])
    options = Options(trials=20)
    report = report_task(score_task("wmt24", [second, first], options), options)
    (table,) = report.tables
    assert set(cells_by_name(table)) == {"m0", "m1"}
    assert "Not in every language pair and so left out: m2." in report.notes
    assert "lang:en-de,zh-en" in report.signature


def test_a_test_adds_clusters_beside_the_average():
    options = Options(trials=20)
    scores = score_task("wmt24", [made()], options, test=True)
    (table,) = report_task(scores, options).tables
    assert headings(table)[:2] == ["average", "cluster"]
    clusters = [cells[1].value for cells in cells_by_name(table).values()]
    assert clusters == scores.clusters
    assert clusters[0] == 1
