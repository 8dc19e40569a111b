"""Judgements meet the outputs that they are about, and no others."""

import numpy as np
import pytest

from metra.errors import CorpusError, UnknownNameError
from metra.meta.people import collect_people
from metra.scores.selection import DEFAULT
from metra.scores.table import ScoredItem, Scorer, build_score_table

REFS = ["a b", "c d", "e f"]
OUTPUTS = {"good": REFS, "bad": ["a x", "y z", "e f"]}
DOCUMENTS = ["one", "one", "two"]


DA = Scorer("da", "da")


def table(*rows, scorer=DA):
    systems, segments, values, documents, judges = zip(*rows, strict=True)
    items = [
        ScoredItem(str(segment), document)
        for segment, document in zip(segments, documents, strict=True)
    ]
    return build_score_table(systems, items, {scorer: values}, judges)


def collect(scores, **more):
    given = {"segments": 3, "documents": DOCUMENTS, "seed": 1} | more
    return collect_people(scores, DEFAULT, None, list(OUTPUTS), **given)


def test_several_judgements_of_an_output_are_averaged():
    judged = table(
        ("good", 1, 80, "", "j1"),
        ("good", 1, 100, "", "j2"),
        ("good", 3, 60, "", "j1"),
        ("bad", 2, 10, "", "j1"),
    )
    people = collect(judged)
    assert (len(people.scores), people.judges) == (4, 2)
    np.testing.assert_array_equal(people.segments["good"], [90, np.nan, 60])
    assert people.means == {"good": 75, "bad": 10}
    assert people.selection == "4 scores of 2 judges"


def test_a_system_that_nobody_judged_has_no_mean():
    people = collect(table(("good", 1, 80, "", "")))
    assert np.isnan(people.means["bad"])
    assert people.judges is None
    assert people.answer.ranking.systems == ["good"]


def test_judgements_of_documents_need_a_document_a_line():
    judged = build_score_table(
        ["good", "bad"], [ScoredItem("", "two")] * 2, {Scorer("h", "h"): [9.0, 4.0]}
    )
    people = collect(judged, segments=2, documents=["one", "two"])
    np.testing.assert_array_equal(people.segments["good"], [np.nan, 9])
    with pytest.raises(CorpusError, match="whole documents; give outputs and ref"):
        collect(judged)
    with pytest.raises(UnknownNameError, match="No document named 'two'"):
        collect(judged, segments=2, documents=["one", "three"])


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        pytest.param(
            [("goof", 1, 1, "", "")],
            UnknownNameError,
            "None of the judged systems has an output; No system named 'goof'. Did you",
            id="unknown systems",
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
        pytest.param(
            [("good", "x", 1, "", "")],
            CorpusError,
            "Judgement in line 1 calls a segment 'x'; expected its number",
            id="no number",
        ),
    ],
)
def test_what_does_not_fit_is_refused(rows, error, message):
    with pytest.raises(error, match=message):
        collect(table(*rows))
