"""Documents as what is scored, and columns that tell units apart."""

import json

import numpy as np
import pytest

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, FormatError, OptionError
from metra.scores.registry import read_score_files, read_scores
from metra.scores.table import ScoredItem, Scorer, build_score_table, concatenate_scores
from metra.scores.views import average_documents, collect_ratings
from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus, make_metrics
from metra.scoring.scorers import score_systems

NAN = float("nan")
ITEMS = [ScoredItem("1", "a"), ScoredItem("2", "a"), ScoredItem("3", "b")]


def lines(values, scorer, items=ITEMS):
    values = np.array(values, float)
    systems = [f"s{at}" for at in range(len(values)) for _ in items]
    return build_score_table(systems, items * len(values), {scorer: values.ravel()})


def test_documents_are_means_of_what_was_judged():
    gold = lines([[1, NAN, 3], [2, 4, NAN]], Scorer("da", "human"))
    metric = lines([[10, 20, 30], [40, 50, 60]], Scorer("bleu"))
    found = average_documents(concatenate_scores([gold, metric]), "da")
    assert [item.segment for item in found.items] == ["a", "b"]
    np.testing.assert_array_equal(found.matrix("da"), [[1, 3], [3, NAN]])
    # s0's second segment was not judged; of s1's document b nothing was, so all counts.
    np.testing.assert_array_equal(found.matrix("bleu"), [[10, 30], [45, 60]])


def test_a_documents_own_score_counts():
    gold = lines([[1, 2, 3], [2, 4, 5]], Scorer("da", "human"))
    own = lines([[7], [NAN]], Scorer("da", "human"), [ScoredItem("", "a")])
    found = average_documents(concatenate_scores([gold, own]), "da")
    np.testing.assert_array_equal(found.matrix("da"), [[7, 3], [3, 5]])


def test_our_own_measures_are_pooled_over_a_document():
    refs = ["a b c d e", "f g h i j", "k l m n o"]
    hyps = {"s0": ["a b c d x", "f g h i j", "k l"], "s1": ["a", "f g h i x", refs[2]]}
    corpus = Outputs(EvalSet([refs], documents=["d1", "d1", "d2"]), hyps)
    metrics = make_metrics(["bleu", "ter"])
    scores, _ = score_systems(corpus, metrics)
    found = average_documents(scores)
    results = evaluate_corpus(corpus, metrics, EvaluationOptions(documents=True))
    for spec in metrics:
        for row, system in zip(found.matrix(spec), found.systems, strict=True):
            expected = results[system][spec].documents
            assert row.tolist() == pytest.approx(list(expected.values()))


def test_documents_must_be_named():
    with pytest.raises(CorpusError, match="No score has a document"):
        average_documents(lines([[1], [2]], Scorer("da"), [ScoredItem("1")]))


HEADER = "judge\tsegment\tcondition\tadequacy"
ROWS = ["ann\t1\tx\t3", "bob\t1\tx\t4", "ann\t1\ty\t5", "bob\t1\ty\t5"]


def test_a_column_tells_units_apart(write):
    path = str(write("r.tsv", [HEADER, *ROWS]))
    found = collect_ratings(read_scores(path, units=["condition"]), "adequacy")
    assert found.units == ("1 x", "1 y")
    assert found.dense().tolist() == [[3, 5], [4, 5]]
    assert len(collect_ratings(read_scores(path), "adequacy").repeats.judge) == 2


def test_a_column_of_numbers_that_tells_units_apart_is_no_scorer(write):
    path = str(write("r.tsv", [HEADER, "ann\t1\t7\t3", "bob\t1\t7\t4"]))
    assert read_scores(path, units=["condition"]).names == ["adequacy"]
    assert read_scores(path).names == ["condition", "adequacy"]


def test_long_tables_and_json_lines_tell_units_apart_too(write):
    long = ["system\tsegment\tscorer\tvalue\tcondition"]
    long += ["A\t1\tda\t3\tx", "A\t1\tda\t4\ty"]
    entry = {"system": "B", "segment": 1, "scorer": "da", "value": 5}
    objects = [json.dumps(entry | {"condition": name}) for name in "xy"]
    paths = [str(write("l.tsv", long)), str(write("l.jsonl", objects))]
    found = read_score_files(paths, units=["condition"])
    assert [item.segment for item in found.items] == ["1 x", "1 y"]
    assert found.matrix("da").tolist() == [[3, 4], [5, 5]]


def test_a_column_that_is_not_there_is_named(write):
    path = str(write("r.tsv", [HEADER, *ROWS]))
    with pytest.raises(FormatError, match="no column kondition; found: judge, segment"):
        read_scores(path, units=["kondition"])


def test_formats_of_others_have_no_columns_of_ones_own(tmp_path):
    with pytest.raises(OptionError, match="`units` is for long, jsonl, matrix"):
        read_scores(str(tmp_path), input_format="mqm", units=["condition"])
