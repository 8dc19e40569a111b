"""Templates filled from outputs, against the reference's, as MUC scored them."""

import math

import pytest

from metra.corpus import examples
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, FormatError, OptionError
from metra.metrics import registry
from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus

TEXTS = ["one", "two", "three", "four"]
DOCUMENTS = ["d", "d", "e", "f"]
REFERENCE = """\
document\tslot\tvalue
d\twho\tAnna
d\twho\tBen
d\twhere\tParis
e\twho\tCleo
e\twhen\tMay
"""
FILLED = """\
document\tslot\tvalue
d\twho\t anna
d\twho\tAnna
d\twhere\tRome
e\twho\tCleo
e\tcolour\tred
e\tcolour\tblue
"""


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "reference.tsv").write_text(REFERENCE)
    (tmp_path / "a.tsv").write_text(FILLED)
    (tmp_path / "b.tsv").write_text(REFERENCE)
    (tmp_path / "c.tsv").write_text("document\tslot\tvalue\n")
    return f"ie:templates={tmp_path}/{{system}}.tsv,reference={tmp_path}/reference.tsv"


def corpus(documents=DOCUMENTS) -> Outputs:
    return Outputs(EvalSet(documents=documents), dict.fromkeys("abc", TEXTS))


def test_accents_may_be_composed_or_not(tmp_path):
    for name, value in (("a", "Rene\u0301"), ("reference", "RENÉ")):
        table = f"document\tslot\tvalue\nd\twho\t{value}\n"
        (tmp_path / f"{name}.tsv").write_text(table, encoding="utf-8")
    spec = f"ie:templates={tmp_path}/{{system}}.tsv,reference={tmp_path}/reference.tsv"
    texts = Outputs(EvalSet(documents=["d"]), {"a": ["one"]})
    results = evaluate_corpus(texts, {"i": registry.metric(spec)}, EvaluationOptions())
    assert results["a"]["i"].score == 100


def test_counts_worked_out_by_hand(spec):
    questions = EvaluationOptions(documents=True, segments=True)
    results = evaluate_corpus(corpus(), {"i": registry.metric(spec)}, questions)
    # a: of 6 filled, anna and Cleo are right, of 5 expected.
    a = results["a"]["i"]
    assert a.score == pytest.approx(100 * 2 * 2 / (6 + 5))
    assert (a.parts["correct"], a.parts["filled"], a.parts["expected"]) == (2, 6, 5)
    assert a.parts["precision"] == pytest.approx(100 * 2 / 6)
    assert a.parts["recall"] == 40
    assert a.parts["f"] == pytest.approx(a.score)
    assert a.parts["who"] == pytest.approx([200 / 3, 200 / 3, 200 / 3])
    assert a.parts["where"] == a.parts["when"] == a.parts["other"] == [0, 0, 0]
    # d: 1 of 3 and 3; e: 1 of 3 and 2; f has no template.
    assert a.documents["d"] == pytest.approx(100 / 3)
    assert a.documents["e"] == 40
    assert math.isnan(a.documents["f"])
    assert [math.isnan(value) for value in a.segments] == [False, True, False, True]
    assert results["b"]["i"].score == 100
    assert results["c"]["i"].score == 0


def test_what_is_missing_and_spurious_is_listed(spec):
    metric = {"i": registry.metric(spec)}
    results = evaluate_corpus(corpus(), metric, EvaluationOptions(details=True))
    found = results["a"]["i"].details
    listed = {(entry.note, entry.text, entry.about["slot"]) for entry in found}
    assert listed == {
        ("missing", "ben", "who"),
        ("missing", "paris", "where"),
        ("missing", "may", "when"),
        ("spurious", "anna", "who"),
        ("spurious", "rome", "where"),
        ("spurious", "red", "colour"),
        ("spurious", "blue", "colour"),
    }


def test_documents_are_needed_and_must_be_the_same(spec):
    metric = {"i": registry.metric(spec)}
    with pytest.raises(
        CorpusError, match="by document, but no documents are known; give `documents`"
    ):
        evaluate_corpus(corpus(None), metric, EvaluationOptions())
    with pytest.raises(
        CorpusError, match="document 'e', which the text has not; it has: d"
    ):
        evaluate_corpus(corpus(["d"] * 4), metric, EvaluationOptions())


def test_both_files_are_needed():
    with pytest.raises(
        OptionError, match="ie: needs filled templates; give templates="
    ):
        registry.metric("ie:reference=x.tsv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("d\twho\n", "no column 'document'", id="no header"),
        pytest.param(
            "document\tslot\tvalue\nd\t\tx\n", "line 2: an empty cell", id="no slot"
        ),
    ],
)
def test_faulty_templates_are_refused(tmp_path, text, message):
    path = tmp_path / "t.tsv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        registry.metric(f"ie:templates=x,reference={path}")
    with pytest.raises(FormatError, match="cannot be read"):
        registry.metric("ie:templates=x,reference=no-such-file.tsv")


def test_the_example_is_scored():
    from metra.scoring.files import open_corpus

    example = examples.find_example()
    corpus = open_corpus(example.outputs, [], None, example.docs)
    metric = {"i": registry.metric(examples.build_spec("ie"))}
    results = evaluate_corpus(corpus, metric, EvaluationOptions())
    scores = {entry.name: entry.scores["i"].score for entry in results.systems}
    assert scores["near-copy"] == 100
    assert scores["wrong-terms"] == min(scores.values())
