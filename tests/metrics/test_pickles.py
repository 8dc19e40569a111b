"""Metrics in other processes and of files that change: how they are pickled and made again."""

import copy
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import metra
from metra.errors import OptionError
from metra.metrics import registry

HYPS = ["the cat sat on the mat", "it did not move at all", "a dog came by"]
REFS = ["a cat sat on the mat", "it did not move", "then a dog came by"]


CHILD = """
import pickle, sys
accumulator, hyps, refs = pickle.load(sys.stdin.buffer)
accumulator.update(hyps, refs)
pickle.dump(accumulator, sys.stdout.buffer)
"""


def test_accumulators_of_other_processes_merge():
    specs = ["bleu", "chrf"]
    total = metra.Accumulator(specs)
    for at in (slice(0, 1), slice(1, None)):
        job = pickle.dumps((metra.Accumulator(specs), HYPS[at], REFS[at]))
        child = [sys.executable, "-c", CHILD]
        ran = subprocess.run(child, input=job, stdout=subprocess.PIPE, check=True)
        total.merge(pickle.loads(ran.stdout))
    at_once = metra.score(HYPS, REFS, specs)
    for spec, score in total.compute().items():
        assert score.score == at_once[spec].score


def test_the_fields_of_a_metric_that_was_changed_by_hand():
    """It must not come back as it was before the change."""
    metric = replace(metra.metric("ter"), aggregate=np.sum, rows=np.ones)
    again = pickle.loads(pickle.dumps(metric))
    assert again.aggregate is np.sum
    assert copy.deepcopy(metric) is metric
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(replace(metra.metric("ter"), aggregate=np.sum))


@pytest.mark.parametrize(
    ("spec", "option", "words"),
    [
        pytest.param("terminology", "file", "term\tsource\n%s\tfrein\n", id="fitted"),
        pytest.param("untranslated:rule=copied", "allow", "%s\n", id="without a fit"),
    ],
)
def test_a_file_that_has_changed_since(spec, option, words, tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text(words % "brake", encoding="utf-8")
    metric = metra.metric(spec, **{option: str(path)})
    batch = metra.Batch(["a brake"], [["a brake"]], ["un frein"])
    assert bool(metric.fit) == (option == "file")
    fitted = metric.fit([batch]) if metric.fit else metric
    pickled = pickle.dumps(fitted)
    again = pickle.loads(pickled)
    assert again.signature() == fitted.signature()
    assert again.rows(batch).tolist() == fitted.rows(batch).tolist()
    path.write_text(words % "pad", encoding="utf-8")
    with pytest.raises(OptionError, match=f"{metric.name} was pickled with {option}:"):
        pickle.loads(pickled)


def test_a_fitted_quality_model_keeps_its_members_weights(tmp_path):
    model = tmp_path / "model.toml"
    members = "".join(
        f'[[measure]]\nspec = "{spec}"\nweight = 1\nworst = 0\nbest = {best}\n'
        for spec, best in (("nist", 10), ("bleu", 100))
    )
    model.write_text(f'name = "both"\ncontext = "a test"\n{members}', encoding="utf-8")
    result = metra.score(HYPS, REFS, f"quality:model={model}")
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(result))))
    assert again.signature == result.signature
    assert again.metric.rows(metra.Batch(HYPS, REFS)).tolist() == result.rows.tolist()
    assert again.segments.tolist() == result.segments.tolist()


CASES = [
    pytest.param(
        "untranslated:dictionary={here}/words.txt",
        {"words.txt": "the\ncat\nsat\n"},
        {"words.txt": "the\nsat\n"},
        id="a list of words",
    ),
    pytest.param(
        "quality:model={here}/model.toml",
        {
            "terms.tsv": "term\tsegment\ncat\t1\n",
            "model.toml": """name = "n"
context = "c"
[[measure]]
spec = "terminology:file={here}/terms.tsv"
weight = 1
worst = 0
best = 100
""",
        },
        {"terms.tsv": "term\tsegment\ndog\t1\n"},
        id="a file that a file names",
    ),
]


def write(folder, files) -> None:
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")


@pytest.mark.parametrize(("spec", "before", "after"), CASES)
def test_what_is_in_the_file_now_counts(spec, before, after, tmp_path):
    spec = spec.replace("{here}", str(tmp_path))

    def score() -> float:
        given = ["the cat sat"], [["the cat sat"]], spec
        return metra.score(*given, source=["le chat dog cat"]).score

    write(tmp_path, before)
    first = score()
    write(tmp_path, after)
    assert score() != first
    write(tmp_path, before)
    assert score() == first


def test_what_has_not_changed_is_not_made_again(tmp_path):
    write(tmp_path, {"terms.tsv": "term\tsegment\ncat\t1\n"})
    spec = f"terminology:file={tmp_path}/terms.tsv"
    assert registry.metric(spec) is registry.metric(spec)
    assert registry.metric("bleu:tok=intl,n=2") is registry.metric("bleu:tok=intl,n=2")
    assert registry.metric("gtm:e=1.5") is registry.metric("gtm:e=1.5")
