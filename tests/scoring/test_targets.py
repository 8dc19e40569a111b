"""A metric whose best score is a target, from its rows to tables, tests and files."""

import json

import numpy as np
import pytest

import metra
from metra.analysis.changes import order_segments
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import OptionError
from metra.metrics import quality
from metra.metrics.record import Metric, metric_factory
from metra.report.table import Style
from metra.report.writers.results import render
from metra.scores.model_scores import read_metra_json
from metra.scores.views import average_systems, orient_scores
from metra.scoring.baseline import GateConditions, _list_checks
from metra.scoring.scorers import score_systems
from metra.stats.direction import Direction
from metra.text.preparation import make_preparation

#: Ten references of 100 words, and outputs with 107, 114 and 80 per cent of them.
REFS = ["word " * 100] * 10
OUTPUTS = {
    "long": ["word " * 114] * 10,
    "near": ["word " * length for length in (104, 110) * 5],
    "short": ["word " * 80] * 10,
}
BEST_FIRST = ["near", "long", "short"]


@metric_factory
def length(*, tok: str = "none") -> Metric:
    """Output words per hundred reference words. Closest to 100 is best."""
    text = make_preparation(tok=tok, case="mixed", stem="no")

    def rows(batch):
        outputs, references = batch.hyps.tokens(text), batch.refs[0].tokens(text)
        pairs = zip(outputs, references, strict=True)
        return np.array([[len(hyp), len(ref)] for hyp, ref in pairs], np.float64)

    return Metric(
        name="length",
        columns=("hyp_len", "ref_len"),
        rows=rows,
        aggregate=lambda totals: 100 * totals[..., 0] / np.maximum(totals[..., 1], 1),
        direction=Direction(100.0),
    )


@pytest.fixture(scope="module")
def results():
    return metra.evaluate(EvalSet([REFS]), OUTPUTS, [length()], levels=["segment"])


@pytest.fixture(scope="module")
def compared():
    return metra.compare(EvalSet([REFS]), OUTPUTS, [length()], all_pairs=True)


def test_systems_are_ranked_by_their_distance(results):
    (spec,) = results.specs
    assert [entry.name for entry in results.rank_systems(spec)] == BEST_FIRST
    assert [results[name][spec].score for name in BEST_FIRST] == [107, 114, 80]


def test_tables_name_the_target_and_star_the_closest():
    results = metra.evaluate(EvalSet([REFS]), OUTPUTS, [length()])
    text = render(results, "table", Style())
    assert "→100" in text
    starred = [line.split()[0] for line in text.split("\n") if "*" in line]
    assert starred == ["near", "*"]  # the second explains the star


def test_json_has_the_target(results, tmp_path):
    (spec,) = results.specs
    data = json.loads(results.to_json())["systems"][0]["scores"][spec]
    assert (data["higher_is_better"], data["target"]) == (None, 100)
    path = tmp_path / "results.json"
    path.write_text(results.to_json(), encoding="utf-8")
    scores = read_metra_json(str(path))
    assert scores.scorers[0].direction == Direction(100.0)
    assert dict(zip(scores.systems, scores.system_scores(spec), strict=True)) == {
        "near": 107, "long": 114, "short": 80,
    }  # fmt: skip
    distances = dict(zip(scores.systems, average_systems(scores, spec), strict=True))
    assert distances == {"near": -7, "long": -14, "short": -20}


def test_the_closer_system_gains(compared):
    gains = {
        (entry.baseline, entry.system): (entry.difference, entry.gain)
        for entry in compared.comparisons
    }
    assert gains == {
        ("long", "near"): (-7, 7),
        ("long", "short"): (-34, -6),
        ("near", "short"): (-27, -13),
    }
    assert all(entry.higher_is_better is None for entry in compared.comparisons)
    # Too long and too short outputs mixed are near the target: only both long ones differ.
    verdicts = {(e.baseline, e.system): e.verdict for e in compared.comparisons}
    assert verdicts["long", "near"] == "better"
    assert verdicts["near", "short"] == verdicts["long", "short"] == ""
    (clusters,) = compared.clusters.values()
    assert clusters == [BEST_FIRST]


def test_meta_evaluation_gets_distances():
    corpus = Outputs(EvalSet([REFS]), OUTPUTS)
    scores, statistics = score_systems(corpus, {"length": length()})
    systems = list(scores.systems)
    near = systems.index("near")
    assert scores.scorers[0].direction == Direction(100.0)
    assert average_systems(scores, "length")[near] == -7
    assert orient_scores(scores, "length")[near].tolist() == [-4, -10] * 5
    whole = statistics["length"].score_weightings(np.ones((1, 10)))[0]
    order = np.argsort(-whole)
    assert [statistics["length"].systems[place] for place in order] == BEST_FIRST


def test_the_worst_segments_come_first(results):
    assert order_segments(results, "near", None) == [1, 3, 5, 7, 9, 0, 2, 4, 6, 8]


def test_two_scores_at_the_same_distance_have_no_best():
    outputs = {"over": ["word " * 107], "under": ["word " * 93]}
    results = metra.evaluate(EvalSet([REFS[:1]]), outputs, [length()])
    assert "*" not in render(results, "table", Style())


def test_frames_of_comparisons_have_the_gain_of_closeness(compared):
    assert compared.to_columns("comparison")["gain"] == [7, -6, -13]


@pytest.mark.parametrize(("bound", "passed"), [(90, True), (105, False), (93, True)])
def test_a_gate_measures_distances_to_the_target(bound, passed):
    outputs = {name: OUTPUTS[name] for name in ("long", "near")}
    results = metra.compare(EvalSet([REFS]), outputs, [length()])
    (spec,) = results.specs
    conditions = GateConditions(worse=True, bounds={spec: bound})
    (comparison,) = results.comparisons
    worse, below = _list_checks(results, comparison, conditions)
    assert (worse.passed, below.passed) == (True, passed)


def write_model(path, worst, best):
    """A quality model of lengths alone."""
    path.write_text(
        'name = "fit"\ncontext = "A test."\n[[measure]]\nspec = "length"\nweight = 1\n'
        f"worst = {worst}\nbest = {best}\n"
    )
    return f"quality:model={path}"


def test_a_quality_model_scales_distances(tmp_path, monkeypatch):
    monkeypatch.setattr(quality, "make_metric", lambda _: length())
    spec = write_model(tmp_path / "fit.toml", 150, 100)
    results = metra.evaluate(EvalSet([REFS]), OUTPUTS, [spec])
    # 7, 14 and 20 of the 50 points that separate the best from the worst are missing.
    assert [results[name][spec].score for name in BEST_FIRST] == pytest.approx(
        [86, 72, 60]
    )


def test_a_quality_model_with_its_ends_exchanged(tmp_path, monkeypatch):
    monkeypatch.setattr(quality, "make_metric", lambda _: length())
    with pytest.raises(OptionError) as caught:
        metra.metric(write_model(tmp_path / "fit.toml", 100, 150))
    assert str(caught.value) == (
        "quality: length is better the closer to 100 it is, but the model has worst 100 "
        "and best 150; exchange them."
    )
