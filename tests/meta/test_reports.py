"""What the tables and notes of reports say, where little or nothing is known."""

import numpy as np
import pytest
from tests.panels import given_too, panel_of, scores_of

from metra.errors import CorpusError
from metra.meta import correlate
from metra.meta.agree import AgreementAnswer, report_agreement
from metra.meta.options import (
    AgreeOptions,
    CorrelateOptions,
    DeltaOptions,
    RankOptions,
)
from metra.meta.rank import rank_by_scorer
from metra.meta.systems import correlate_choices, report_choices
from metra.meta.uses import measure_differences
from metra.stats.correlation import Options
from metra.stats.judge_agreement import agree
from metra.stats.ratings import convert_matrix

NAN = float("nan")


@pytest.mark.parametrize(("count", "said"), [(2, True), (3, False)])
def test_two_systems_agree_by_chance(count, said):
    gold = np.array([[1.0, 2], [3, 4], [5, 7]])[:count]
    panel = panel_of(gold, {"m": gold + 1})
    options = CorrelateOptions(level="sys", coefficients=("pearson",), trials=0)
    found = correlate.correlate_metrics(
        panel, correlate.parse_specs(["pearson"], "sys", Options()), 0
    )
    notes = correlate.report_correlation(found, options).notes
    note = (
        "With two systems the order is either right or wrong; chance alone is "
        "right half of the time."
    )
    assert (note in notes) is said


def test_scores_of_whole_systems_rank_nothing():
    scores = given_too([[1.0, 2], [3, 4]], {}, {"m": [1.0, 2]})
    with pytest.raises(CorpusError, match="m has system scores only; rank"):
        rank_by_scorer(scores, "m", RankOptions())


@pytest.mark.parametrize(("last", "outliers"), [(4.0, False), (99.0, True)])
def test_a_column_without_outliers_where_there_are_some(last, outliers):
    gold = np.array([[1.0], [2], [3], [3.5], [last]])
    panel = panel_of(gold, {"m": gold**2})
    found = correlate_choices(panel, Options())
    report = report_choices(found, CorrelateOptions(show="systems"))
    heads = ["all (5)", *(["no outliers (4)"] if outliers else []), "best 4"]
    assert [column.heading for column in report.tables[0].columns[1:]] == heads
    # The best by the gold, whatever the order of the systems.
    best = np.corrcoef(gold[1:, 0], gold[1:, 0] ** 2)[0, 1]
    assert found.results["best 4"]["m"].value == pytest.approx(best)
    assert report.notes == (["Outliers by gold: s4."] if outliers else [])


def test_two_differences_are_enough():
    panel = panel_of([[1.0], [1], [2]], {"m": [[1.0], [3], [2]]})
    [found] = measure_differences([panel], DeltaOptions(trials=5))
    assert len(found.pairs.size) == 2


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        pytest.param(
            [[1, 2, 3, 4, 5], [1, 2, 4, NAN, NAN]],
            ["2 of 5 units have only one judge and do not count for agreement."],
            id="some judged alone",
        ),
        pytest.param([[1, 2, 3, 4, 5], [1, 2, 4, 4, 5]], [], id="nobody judged alone"),
    ],
)
def test_units_of_one_judge_are_counted(matrix, expected):
    ratings = convert_matrix(matrix)
    for most in (0, 2, 1):
        options = AgreeOptions(most_judges=most, trials=0)
        answer = AgreementAnswer("da", ratings, agree(ratings, trials=0), None, True)
        notes = report_agreement(answer, options).notes
        assert [note for note in notes if "units have" in note] == expected
        shown = [note for note in notes if "1 of 2 judges who" in note]
        assert len(shown) == (most == 1)


def test_a_rank_needs_segments_of_some_system():
    scores = scores_of([[1.0, 2, 4], [3, 4, 5], [NAN, NAN, NAN]], {})
    ranking = rank_by_scorer(scores, "gold", RankOptions())
    assert "Excluded, because gold is missing: s2." in ranking.notes
