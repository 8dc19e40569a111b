"""Templates filled from outputs, against the reference's, as MUC scored them."""

import math

import pytest

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, FormatError
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


def test_counts_worked_out_by_hand(spec):
    questions = EvaluationOptions(documents=True, segments=True)
    results = evaluate_corpus(corpus(), {"i": registry.metric(spec)}, questions)
    # a: of 6 filled, anna and Cleo are right, of 5 expected. In d, the other Anna stands
    # for Ben and Rome for Paris; in e, May is missing and two colours are spurious.
    a = results["a"]["i"]
    assert a.score == pytest.approx(100 * 2 * 2 / (6 + 5))
    counts = ("correct", "partial", "incorrect", "missing", "spurious")
    assert [a.parts[name] for name in counts] == [2, 0, 2, 1, 2]
    assert (a.parts["filled"], a.parts["expected"]) == (6, 5)
    assert a.parts["precision"] == pytest.approx(100 * 2 / 6)
    assert a.parts["recall"] == 40
    assert a.parts["f"] == pytest.approx(a.score)
    assert a.parts["error"] == pytest.approx(100 * 5 / 7)
    assert a.parts["undergeneration"] == 20
    assert a.parts["overgeneration"] == pytest.approx(100 * 2 / 6)
    assert a.parts["substitution"] == 50
    assert a.parts["who"] == pytest.approx([2, 0, 1, 0, 0, *[200 / 3] * 3])
    assert a.parts["where"] == [0, 0, 1, 0, 0, 0, 0, 0]
    assert a.parts["when"] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert a.parts["other"] == [0, 0, 0, 0, 2, 0, 0, 0]
    assert "relations" not in a.parts
    # d: 1 of 3 and 3; e: 1 of 3 and 2; f has no template.
    assert a.documents["d"] == pytest.approx(100 / 3)
    assert a.documents["e"] == 40
    assert math.isnan(a.documents["f"])
    assert [math.isnan(value) for value in a.segments] == [False, True, False, True]
    assert results["b"]["i"].score == 100
    assert results["c"]["i"].score == 0


RECORDS = "document\ttemplate\tinstance\tslot\tvalue\n"
STAFF = """\
d\tperson\tp1\tname\tAnn
d\tperson\tp1\tworks for\t@o1
d\tperson\tp2\tname\tBob Stone
d\tperson\tp2\tworks for\t@o2
d\torganisation\to1\tname\tthe bank
d\torganisation\to2\tname\tthe union
"""


def score_records(tmp_path, filled: str):
    (tmp_path / "reference.tsv").write_text(RECORDS + STAFF, encoding="utf-8")
    (tmp_path / "a.tsv").write_text(filled, encoding="utf-8")
    spec = f"ie:templates={tmp_path}/a.tsv,reference={tmp_path}/reference.tsv"
    texts = Outputs(EvalSet(documents=["d"]), {"a": ["one"]})
    metric = {"i": registry.metric(spec)}
    results = evaluate_corpus(texts, metric, EvaluationOptions(details=True))
    return results["a"]["i"]


def test_who_works_for_whom_counts(tmp_path):
    swapped = STAFF.replace("@o1", "@x").replace("@o2", "@o1").replace("@x", "@o2")
    result = score_records(tmp_path, RECORDS + swapped)
    assert result.score == pytest.approx(100 * 4 / 6)
    assert result.parts["relations"] == [0, 0, 2, 0, 0, 0, 0, 0]
    assert result.parts["person.name"] == [2, 0, 0, 0, 0, 100, 100, 100]
    listed = {(one.note, one.text, one.about["expected"]) for one in result.details}
    assert listed == {
        ("incorrect", "the union", "the bank"),
        ("incorrect", "the bank", "the union"),
    }


def test_a_copy_is_perfect_whatever_its_order_and_names(tmp_path):
    lines = STAFF.replace("p1", "first").replace("o2", "house").strip().split("\n")
    # The first line of an instance names it, so the lines of each keep their order.
    filled = "\n".join([*lines[4:], *lines[2:4], *lines[:2]])
    assert score_records(tmp_path, RECORDS + filled + "\n").score == 100


def test_a_relation_may_be_written_as_a_name(tmp_path):
    filled = STAFF.replace("@o1", "The Bank.").replace("@o2", "The union")
    assert score_records(tmp_path, RECORDS + filled).score == 100


def test_a_flat_table_against_records_is_refused(tmp_path):
    with pytest.raises(FormatError, match="is a flat table, but"):
        score_records(tmp_path, "document\tslot\tvalue\nd\tname\tAnn\n")


def test_what_is_wrong_is_listed(spec):
    metric = {"i": registry.metric(spec)}
    results = evaluate_corpus(corpus(), metric, EvaluationOptions(details=True))
    found = results["a"]["i"].details
    listed = {
        (one.note, one.text, one.about["slot"], one.about.get("expected"))
        for one in found
    }
    assert listed == {
        ("incorrect", "Anna", "who", "Ben"),
        ("incorrect", "Rome", "where", "Paris"),
        ("missing", "May", "when", None),
        ("spurious", "red", "colour", None),
        ("spurious", "blue", "colour", None),
    }


def test_documents_are_needed_and_must_be_the_same(spec):
    metric = {"i": registry.metric(spec)}
    with pytest.raises(
        CorpusError, match="by document, but documents are missing; give `documents`"
    ):
        evaluate_corpus(corpus(None), metric, EvaluationOptions())
    with pytest.raises(
        CorpusError, match="document 'e', which is not in the text; it has: d"
    ):
        evaluate_corpus(corpus(["d"] * 4), metric, EvaluationOptions())
