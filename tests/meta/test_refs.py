"""Agreement by number of references."""

import numpy as np
import pytest
import scipy.stats
from tests.panels import cells_by_name

import metra
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError
from metra.meta.correlate import parse_specs
from metra.meta.options import RefsOptions
from metra.meta.variants import (
    _choose_counts,
    choose_subsets,
    correlate_subsets,
    draw_references,
    report_references,
)
from metra.scores.table import (
    ScoredItem,
    Scorer,
    build_score_table,
    concatenate_scores,
)
from metra.scores.views import build_panel
from metra.scoring.evaluate import make_metrics
from metra.scoring.scorers import ReferenceSubset, count_streams, score_systems
from metra.stats.correlation import Options

REFS = [
    ["the cat sat on the mat", "it rains today", "we go home"],
    ["a cat is on the mat", "today there is rain", "we are going home"],
    ["on the mat sat a cat", "it is raining", "home we go now"],
]
OUTPUTS = {
    "good": ["the cat sat on a mat", "it rains today", "we go home now"],
    "fair": ["a cat on mat", "rain it is today", "going home"],
    "poor": ["cat mat", "sun shines", "they left"],
    "odd": ["mat the on", "today rain", "home home"],
}
GOLD = {"good": 4.0, "fair": 3.0, "poor": 1.0, "odd": 2.5}
CORPUS = Outputs(EvalSet(refs_per_segment=list(zip(*REFS, strict=True))), OUTPUTS)
ASK = parse_specs(["pearson"], "sys", Options())[0]


def score(chosen):
    gold = build_score_table(
        [name for name in OUTPUTS for _ in range(3)],
        [ScoredItem(str(at)) for _ in OUTPUTS for at in (1, 2, 3)],
        {Scorer("da", "da"): [GOLD[name] for name in OUTPUTS for _ in range(3)]},
    )
    measures = make_metrics(["chrf", "bleu:smooth=floor"])
    mine, statistics = score_systems(ReferenceSubset(CORPUS, chosen), measures)
    return build_panel(
        concatenate_scores([gold, mine]), "da", list(measures), statistics=statistics
    )


def test_each_subset_is_scored_as_a_corpus_of_its_own():
    found = correlate_subsets(score, 3, ASK, RefsOptions())
    assert found.counts == [1, 2, 3]
    assert found.subsets[1] == [(0, 1), (0, 2), (1, 2)]
    for at, chosen in enumerate(found.subsets[1]):
        refs = [REFS[stream] for stream in chosen]
        scores = [
            metra.score(output, refs, "chrf").score for output in OUTPUTS.values()
        ]
        expected = scipy.stats.pearsonr(list(GOLD.values()), scores)[0]
        assert found.values["chrf"][1][at] == pytest.approx(expected)


def test_streams_are_counted_and_one_is_refused():
    assert count_streams(CORPUS) == 3
    with pytest.raises(CorpusError, match="needs at least two"):
        correlate_subsets(score, 1, ASK, RefsOptions())


def test_a_segment_without_a_chosen_reference_is_refused():
    gap = Outputs(
        EvalSet(refs_per_segment=[["a", "b"], [None, "c"]]), {"s": ["a", "b"]}
    )
    with pytest.raises(CorpusError, match="Segment 2 has no reference"):
        list(ReferenceSubset(gap, [0]).chunks(10))
    assert len(next(ReferenceSubset(gap, [1]).chunks(10)).refs) == 1


def test_many_subsets_are_sampled_by_the_seed():
    drawn = choose_subsets(20, 5, 8)
    assert drawn == choose_subsets(20, 5, 8)
    assert drawn != choose_subsets(20, 5, 8, seed=1)
    assert len(set(drawn)) == 8
    assert all(len(set(each)) == 5 for each in drawn)
    assert _choose_counts(48) == [1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 48]
    assert _choose_counts(4) == [1, 2, 3, 4]
    assert _choose_counts(9) == [*range(1, 10)]
    assert _choose_counts(64)[8:] == [16, 32, 64]
    assert _choose_counts(5000)[-2:] == [4096, 5000]


def test_the_table_spans_the_subsets():
    options = RefsOptions(counts=(1, 3))
    curves = correlate_subsets(score, 3, ASK, options)
    findings = report_references(curves, options)
    row = cells_by_name(findings.tables[0])["chrf"]
    single = curves.values["chrf"][0]
    assert row[0].interval == (min(single), max(single))
    assert row[1].interval is None
    assert "1: 3 of 3, 3: 1 of 1" in findings.notes[-1]
    [plot] = draw_references(curves, options)
    assert np.isfinite(plot.series["chrf"]).all()
    assert np.isfinite(curves.values["bleu:smooth=floor"][0]).all()
