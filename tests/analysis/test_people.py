"""Judgements meet the outputs that they are about, and no others."""

import numpy as np
import pytest
from tests.analysis.judged import build_judged

from metra import EvalSet, evaluate
from metra.analysis.relations import relate_judgements
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, UnknownNameError
from metra.report.study import build_study
from metra.scoring.evaluate import make_metrics

REFS = ["a b", "c d", "e f"]
OUTPUTS = {"good": REFS, "bad": ["a x", "y z", "e f"]}
DOCUMENTS = ["one", "one", "two"]


def table(*rows):
    return build_judged(rows)


@pytest.fixture(scope="module")
def results():
    return evaluate(EvalSet(REFS), OUTPUTS, ["precision"], levels=["segment"])


def test_several_judgements_of_an_output_are_averaged(results):
    judged = table(
        ("good", 1, 80, "", "j1"),
        ("good", 1, 100, "", "j2"),
        ("good", 3, 60, "", "j1"),
        ("bad", 2, 10, "", "j1"),
    )
    found = relate_judgements(judged, results, DOCUMENTS)
    assert (found.judgements, found.judges) == (4, 2)
    np.testing.assert_array_equal(found.segments["good"], [90, np.nan, 60])
    assert found.means == {"good": 75, "bad": 10}
    (relation,) = found.relations
    assert relation.segments == 3
    assert [point.x for point in relation.points] == [75, 10]


def test_a_system_that_nobody_judged_is_left_out(results):
    found = relate_judgements(table(("good", 1, 80, "", "")), results, DOCUMENTS)
    assert np.isnan(found.means["bad"])
    assert [point.system for point in found.relations[0].points] == ["good"]
    assert found.judges is None


def test_people_compare_with_the_baseline_of_the_report():
    outputs = {"a": REFS * 9, "b": REFS * 9, "c": REFS * 9}
    rows = [
        (name, at, 10 * place + at % 3, "", "")
        for place, name in enumerate(outputs)
        for at in range(1, 28)
    ]
    corpus = Outputs(EvalSet(REFS * 9), outputs)
    study = build_study(
        corpus, make_metrics(["precision"]), baseline="b", judgements=table(*rows)
    )
    compared = [
        (entry.baseline, entry.system, entry.difference)
        for entry in study.people_results.comparisons
    ]
    assert compared == [("b", "a", -10), ("b", "c", 10), ("a", "c", 20)]


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        pytest.param(
            [("good", 1, 1, "", "")] * 5 + [("goof", 1, 1, "", "")],
            UnknownNameError,
            "line 7: No system named 'goof'. Did you mean 'good'",
            id="unknown system",
        ),
        pytest.param(
            [("good", 4, 1, "", "")],
            CorpusError,
            "refers to segment 4, but the test set has 3 segments",
            id="beyond the end",
        ),
        pytest.param(
            [("good", 1, 1, "two", "")],
            CorpusError,
            "into document 'two', but it is in 'one'",
            id="numbers within documents",
        ),
    ],
)
def test_what_does_not_fit_is_refused(results, rows, error, message):
    with pytest.raises(error, match=message):
        relate_judgements(table(*rows), results, DOCUMENTS)
