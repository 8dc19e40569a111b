"""Quality models: a figure made of several measures, for a stated use."""

import math

import pytest

import metra
from metra.corpus import examples
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import FormatError, OptionError
from metra.formats.annotations.quality_model import read_quality_model
from metra.metrics import registry
from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus

HYPS = ["the cat sat on a mat", "it rains", "no dogs here today"]
REFS = ["the cat sat on the mat", "it is raining", "there are no dogs here"]

MODEL = """\
name = "toy"
context = "A test."

[[measure]]
spec = "recall"
weight = 3
worst = 20
best = 80

[[measure]]
spec = "wer"
weight = 1
worst = 100
best = 0
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "toy.toml"
    path.write_text(MODEL)
    return path


def worth(score: float, worst: float, best: float) -> float:
    return 100 * min(max((score - worst) / (best - worst), 0), 1)


@pytest.mark.seed("5.8")
def test_the_weighted_mean_of_what_scores_are_worth(model):
    result = metra.score(HYPS, [REFS], f"quality:model={model}")
    recall = metra.score(HYPS, [REFS], "recall").score
    wer = metra.score(HYPS, [REFS], "wer").score
    values = worth(recall, 20, 80), worth(wer, 100, 0)
    assert result.score == pytest.approx((3 * values[0] + values[1]) / 4)
    assert result.parts == {
        "recall": pytest.approx([recall, values[0], 75]),
        "wer": pytest.approx([wer, values[1], 25]),
    }


def test_every_level_is_that_of_the_combined_figure(model):
    evalset = EvalSet([REFS], documents=["d", "d", "e"])
    spec = f"quality:model={model}"
    results = metra.evaluate(
        evalset, {"a": HYPS}, [spec], levels=["system", "document", "segment"], ci=True
    )
    score = results["a"][spec]
    parted = metra.score(HYPS[:2], [REFS[:2]], spec).score
    assert score.documents["d"] == pytest.approx(parted)
    assert score.segments[2] == pytest.approx(score.documents["e"])
    assert score.interval is None  # three segments are too few
    evalset, outputs = EvalSet([REFS * 4]), {"a": HYPS * 4}
    score = metra.evaluate(evalset, outputs, [spec], ci=True)["a"][spec]
    low, high = score.interval
    assert low <= score.score <= high


def test_segments_are_scored_by_the_measures_for_segments(tmp_path):
    path = tmp_path / "m.toml"
    table = '[[measure]]\nspec = "bleu"\nweight = 1\nworst = 0\nbest = 100\n'
    path.write_text(f'name = "m"\ncontext = "c"\n{table}')
    metric = registry.metric(f"quality:model={path}")
    bleu = registry.metric("bleu")
    assert metric.sentence("a b", ["a b"]) == bleu.sentence("a b", ["a b"]) == 100
    assert float(metric.aggregate(metric.rows(metra.Batch(["a b"], ["a b"])))[0]) == 0


def test_measures_with_corpus_weights_are_fitted(tmp_path):
    path = tmp_path / "m.toml"
    table = '[[measure]]\nspec = "{}"\nweight = 1\nworst = 0\nbest = 10\n'
    tables = table.format("nist") + table.format("nist:n=2")
    path.write_text(f'name = "m"\ncontext = "c"\n{tables}')
    result = metra.score(HYPS, [REFS], f"quality:model={path}")
    one, other = (
        metra.score(HYPS, [REFS], spec).score for spec in ("nist", "nist:n=2")
    )
    assert result.score == pytest.approx(10 * (one + other) / 2)


def test_a_measure_with_nothing_to_score_leaves_its_weight_to_the_others(
    tmp_path, model
):
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\nname = "r"\nsource = "chien"\ntarget = "dogs"\n')
    path = tmp_path / "m.toml"
    table = '[[measure]]\nspec = "transfer:rules={here}/rules.toml"\n'
    path.write_text(f"{MODEL}\n{table}weight = 4\nworst = 0\nbest = 100\n")
    spec = f"quality:model={path}"
    source = ["chat", "pluie", "chien"]
    corpus = Outputs(EvalSet([REFS], source), {"a": HYPS})
    results = evaluate_corpus(
        corpus, {spec: registry.metric(spec)}, EvaluationOptions(segments=True)
    )
    found = results["a"][spec].segments
    without = metra.score(HYPS, [REFS], f"quality:model={model}").segments
    assert found[:2] == pytest.approx(without[:2])
    assert found[2] == pytest.approx((without[2] + 100) / 2)


def test_nothing_to_score_at_all_is_no_score(tmp_path):
    (tmp_path / "r.toml").write_text(
        '[[rule]]\nname = "r"\nsource = "x"\ntarget = "y"\n'
    )
    path = tmp_path / "m.toml"
    table = '[[measure]]\nspec = "transfer:rules={here}/r.toml"\nweight = 1\n'
    path.write_text(f'name = "m"\ncontext = "c"\n{table}worst = 0\nbest = 100\n')
    result = metra.score(["a"], metric=f"quality:model={path}", source=["b"])
    assert math.isnan(result.score)
    assert result.parts == {}


def test_what_is_counted_by_document_is_resampled_by_document():
    example = examples.find_example()
    from metra.scoring.files import open_corpus

    corpus = open_corpus(
        example.outputs[:1], example.references, example.source, example.docs
    )
    spec = f"quality:model={examples.HOME / 'models' / 'technical.toml'}"
    both = {"q": registry.metric(spec), "bleu": registry.metric("bleu")}
    found = evaluate_corpus(corpus, both, EvaluationOptions(ci=True)).systems[0].scores
    assert "|ci_unit:document|" in found["q"].signature
    assert "|ci_unit:segment|" in found["bleu"].signature
    alone = {"bleu": both["bleu"]}
    expected = (
        evaluate_corpus(corpus, alone, EvaluationOptions(ci=True)).systems[0].scores
    )
    assert found["bleu"].interval == expected["bleu"].interval


MEASURE = '[[measure]]\nspec = "bleu"\nweight = 1\nworst = 0\nbest = 100\n'
HEAD = 'name = "n"\ncontext = "c"\n'
FAULTS = [
    pytest.param("x = [", "is not TOML", id="no TOML"),
    pytest.param(f'name = ""\ncontext = "c"\n{MEASURE}', "name is ''", id="no name"),
    pytest.param(f"{HEAD}measure = []\n", "has no metrics", id="no metrics"),
    pytest.param(f'{HEAD}[[measure]]\nspec = "bleu"\n', "measure 1: it has spec; expected",
                 id="no weight"),
    pytest.param(HEAD + MEASURE.replace('"bleu"', "3"), "spec is 3", id="no spec"),
    pytest.param(HEAD + MEASURE.replace("= 1\n", "= true\n"), "weight is True; expected a num",
                 id="no number"),
    pytest.param(HEAD + MEASURE.replace("= 1\n", "= 0\n"), "expected a weight above 0",
                 id="no weight at all"),
    pytest.param(HEAD + MEASURE.replace("= 100", "= 0"), "different scores for worst and best",
                 id="no scale"),
    pytest.param(HEAD + MEASURE * 2, "lists 'bleu' twice; give", id="twice"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_faulty_models_are_refused(tmp_path, text, message):
    path = tmp_path / "m.toml"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_quality_model(str(path))


def test_a_scale_that_is_upside_down(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text(HEAD + MEASURE.replace('"bleu"', '"wer"'))
    with pytest.raises(
        OptionError, match="wer is better the lower it is, but the model has"
    ):
        registry.metric(f"quality:model={path}")
