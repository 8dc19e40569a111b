"""A study joins what the other parts find, and knows baseline and rival."""

import pytest

from metra import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import UnknownNameError
from metra.report.study import build_study
from metra.scoring.evaluate import make_metrics

REFS = [f"{at} is the number of this line" for at in range(12)]
BETTER = [ref.replace("is the", "is a") for ref in REFS]
WORSE = [ref.replace("number of this", "") for ref in REFS]


def corpus(outputs, **more):
    return Outputs(EvalSet([REFS], **more), outputs)


def test_the_rival_is_the_best_of_the_others():
    outputs = {"old": WORSE, "new": BETTER, "copy": REFS}
    found = build_study(corpus(outputs), make_metrics(["wer", "chrf"]), most_grids=3)
    assert (found.baseline, found.rival) == ("old", "copy")
    options = {"baseline": "copy", "most_grids": 0}
    other = build_study(corpus(outputs), make_metrics(["wer"]), **options)
    assert (other.baseline, other.rival) == ("copy", "new")
    assert found.results.clusters is not None
    assert len(found.results.comparisons) == 2 * 3
    assert len(found.relations) == 1
    assert len(found.grids.segments) == 3
    assert other.grids.segments == {}


def test_the_most_changed_come_first():
    mixed = [*REFS[:5], "nothing of it", *REFS[6:]]
    found = build_study(corpus({"a": REFS, "b": mixed}), make_metrics(["chrf"]))
    assert next(iter(found.grids.segments)) == 5


def test_a_single_system_shows_its_worst_segments():
    mixed = [*REFS[:5], "nothing of it", *REFS[6:]]
    found = build_study(corpus({"a": mixed}), make_metrics(["wer"]))
    assert found.rival is None
    assert next(iter(found.grids.segments)) == 5
    assert found.results["a"]["wer"].interval is not None
    assert found.results.comparisons == ()


def test_grids_follow_the_chosen_gtm_and_leave_out_long_segments():
    long = [" ".join(["word"] * 200), *REFS[1:]]
    metrics = make_metrics(["bleu", "gtm:e=1"])
    found = build_study(corpus({"a": long, "b": REFS}), metrics, most_grids=1)
    assert found.grids.spec == "gtm:e=1"
    assert list(found.grids.segments[0]) == ["b"]
    usual = build_study(corpus({"a": REFS}), make_metrics(["bleu"]))
    assert usual.grids.spec == "gtm:e=2"


def test_an_unknown_baseline_is_refused():
    with pytest.raises(UnknownNameError, match="No system named 'c'"):
        build_study(corpus({"a": REFS}), make_metrics(["bleu"]), baseline="c")
