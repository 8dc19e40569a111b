"""The protocols of WMT: what is averaged, and what is left out."""

from dataclasses import replace

import numpy as np
from tests.panels import cells_by_name, headings, made

from metra.meta.task import add_intervals, report_task, score_task
from metra.stats.bootstrap import bootstrap, compute_bounds
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


def test_intervals_are_those_of_the_columns_and_of_their_average():
    options = Options(trials=60)
    panels = [in_language(made(seed=at), f"l{at}", ["m0", "m1"]) for at in (1, 2)]
    scores = score_task("wmt24", panels, options)
    found = add_intervals(scores, options)
    average, *columns = found.intervals
    # The first column is that of the first language pair, drawn with the seed itself.
    draws = bootstrap(found.panels[0], "sys", found.columns[0].question.options)
    assert columns[0] == [compute_bounds(draws[name]) for name in found.metrics]
    later = replace(found.columns[2].question.options, seed=options.seed + 1)
    draws = bootstrap(found.panels[1], "sys", later)
    assert columns[2] == [compute_bounds(draws[name]) for name in found.metrics]
    # Language pairs are drawn apart, so their average varies less than its parts do.
    narrow = [high - low for low, high in average]
    wide = np.mean([[high - low for low, high in rows] for rows in columns], 0)
    assert all(narrow < wide)
    (table,) = report_task(found, options).tables
    cells = cells_by_name(table)[found.metrics[0]]
    assert cells[0].interval == average[0]
    assert "boot:both k=60" in report_task(found, options).signature
    assert "boot" not in report_task(scores, options).signature
