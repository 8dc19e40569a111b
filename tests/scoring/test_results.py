"""Results in other forms: iteration, frames, dict, JSON, pickles and text."""

import copy
import json
import math
import pickle
import sys

import pandas as pd
import polars as pl
import pytest

import metra
from metra.errors import MissingResourceError, OptionError
from metra.scoring.results import Results, Score, SystemScores
from metra.stats.direction import find_direction

REFS = [f"line {n} is about the cat that sat on mat {n}" for n in range(12)]
OUTPUTS = {
    "ours": [ref.replace("about", "of") for ref in REFS],
    "theirs": [ref.replace("the cat", "a cat") if "1" in ref else ref for ref in REFS],
}
EVALSET = metra.EvalSet(REFS, documents=["one", "two"] * 6)
METRICS = ["bleu", "wer"]


@pytest.fixture(scope="module")
def results():
    levels = ("document", "segment")
    return metra.evaluate(EVALSET, OUTPUTS, METRICS, levels=levels, ci=True, trials=50)


@pytest.fixture(scope="module")
def compared():
    return metra.compare(EVALSET, OUTPUTS, METRICS, trials=100, all_pairs=True)


def test_it_is_a_mapping_of_systems(results):
    assert list(results) == ["ours", "theirs"]
    assert len(results) == 2
    assert "ours" in results
    assert "bleu" not in results
    assert dict(results.items())["ours"] == results["ours"]
    with pytest.raises(KeyError):
        results["others"]


def test_the_best_comes_first_and_what_has_no_score_last():
    def rank(higher_is_better, target=None, **scores):
        direction = find_direction(higher_is_better, target)
        systems = [
            SystemScores(name, {"m": Score(score, "m", direction)})
            for name, score in scores.items()
        ]
        ranked = Results(systems, segments=1, references=1).rank_systems("m")
        return [entry.name for entry in ranked]

    assert rank(True, a=1, none=math.nan, b=2) == ["b", "a", "none"]
    assert rank(False, none=math.nan, b=2, a=1) == ["a", "b", "none"]
    lengths = {"long": 114, "none": math.nan, "short": 80, "near": 107}
    assert rank(None, 100, **lengths) == ["near", "long", "short", "none"]


def test_a_row_for_each_system(results):
    columns = results.to_columns()
    assert list(columns) == [
        "system", "bleu", "wer", "bleu_low", "bleu_high", "wer_low", "wer_high",
    ]  # fmt: skip
    assert columns["bleu"] == [results[name]["bleu"].score for name in results]
    assert columns["wer_low"][1] == results["theirs"]["wer"].interval[0]


def test_documents_and_segments(results):
    documents = results.to_columns("document")
    assert documents["document"] == ["one", "two"] * 2
    assert documents["wer"][2] == results["theirs"]["wer"].documents["one"]
    segments = results.to_columns("segment")
    assert segments["segment"] == [*range(1, 13)] * 2
    assert segments["bleu"][12:] == results["theirs"]["bleu"].segments.tolist()


def test_frames_hold_the_same(results):
    for level in results.levels:
        columns = results.to_columns(level)
        pandas, polars = results.to_pandas(level), results.to_polars(level)
        assert isinstance(pandas, pd.DataFrame)
        assert isinstance(polars, pl.DataFrame)
        assert pandas.to_dict("list") == columns
        assert polars.to_dict(as_series=False) == columns


def test_comparisons(compared):
    assert compared.levels == ["system", "comparison"]
    frame = compared.to_pandas("comparison")
    (first, _) = compared.comparisons
    row = frame.iloc[0]
    assert (row["metric"], row["baseline"], row["system"]) == first[:3]
    assert (row["low"], row["high"]) == first.interval
    assert row["p_value"] == first.p_value


def test_groups():
    results = metra.evaluate(
        EVALSET, OUTPUTS, METRICS, group_by={"domain": ["a", "b", None] * 4}
    )
    columns = results.to_columns("group")
    assert list(columns) == ["system", "domain", "segments", "bleu", "wer"]
    assert columns["domain"] == ["a", "a", "b", "b", None, None]
    assert "more: to_pandas('group')" in repr(results)
    # Groups are written a line each, and the document is the same.
    text = results.to_json()
    assert json.loads(text) == results.to_dict()
    assert [
        json.loads(line.strip(","))["segments"] for line in text.split("\n")[-5:-2]
    ] == [4] * 3


def test_details():
    outputs = {"x": ["the sub came", "a sub"], "y": ["the bus came", "a bus stop"]}
    evalset = metra.EvalSet(["the bus came", "a bus"])
    results = metra.evaluate(evalset, outputs, ["wer", "bleu"], details=True)
    columns = results.to_columns("detail")
    assert columns == {
        "system": ["x", "y"],
        "metric": ["wer", "wer"],
        "note": ["substitution", "insertion"],
        "text": ["bus → sub", "stop"],
        "count": [2, 1],
        "segments": [[1, 2], [2]],
    }
    assert results.to_pandas("detail")["segments"].tolist() == columns["segments"]
    assert results.to_polars("detail")["segments"].to_list() == columns["segments"]
    assert "more: to_pandas('detail')" in repr(results)


def test_details_of_different_metrics(tmp_path):
    """What is known beside the text is a column; it is None where a note has no such thing."""
    names = tmp_path / "names.tsv"
    names.write_text("segment\ttype\ttext\n1\tPERSON\tAda\n", encoding="utf-8")
    specs = ["wer", f"entities:file={names}"]
    results = metra.evaluate(
        metra.EvalSet(["Ada came"]), {"x": ["Bob came"]}, specs, details=True
    )
    columns = results.to_columns("detail")
    assert columns["metric"] == specs
    assert columns["type"] == [None, "PERSON"]


def test_short_forms(results):
    score = results["ours"]["bleu"]
    low, high = score.interval
    shown = f"{score.score:.2f} [{low:.2f}, {high:.2f}]"
    assert repr(score) == f"<Score {shown} {score.signature}>"
    metric = metra.metric("wer", case="lower")
    assert repr(metric) == f"<Metric {metric.signature()}>"
    assert repr(EVALSET) == "<EvalSet: segments 12, references 1, documents 2>"
    assert repr(metra.EvalSet(source=["a"])) == (
        "<EvalSet: segments 1, references 0, with source>"
    )


def test_a_level_that_is_not_there(compared):
    with pytest.raises(
        OptionError,
        match=r"level='segment' is not possible; expected one of system, comparison\.",
    ):
        compared.to_pandas("segment")


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_package_that_is_not_there(results, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingResourceError, match=f"pip install {package}"):
        getattr(results, f"to_{package}")()


def test_dict_and_json_are_the_same_document(results, compared):
    for each in (results, compared):
        document = each.to_dict()
        assert (document["metra"], document["schema"]) == (metra.__version__, 1)
        assert json.loads(each.to_json()) == document
    # Counts are whole numbers there.
    assert (
        type(results.to_dict()["systems"][0]["scores"]["bleu"]["parts"]["hyp_len"])
        is int
    )


def test_a_score_that_is_not_defined(tmp_path):
    names = tmp_path / "names.tsv"
    names.write_text("segment\ttype\ttext\n1\tPERSON\tAda\n", encoding="utf-8")
    spec = f"entities:file={names}"
    results = metra.evaluate(
        metra.EvalSet(["Ada", "x"]), {"s": ["Ada", "x"]}, [spec], levels=["segment"]
    )
    [system] = results.to_dict()["systems"]
    assert system["segments"][spec] == [100, None]


def test_copies(results, compared):
    for each in (results, compared):
        for again in (pickle.loads(pickle.dumps(each)), copy.deepcopy(each)):
            assert again.to_dict() == each.to_dict()


def test_the_text_shows_systems_and_says_what_else_there_is(results):
    text = repr(results)
    assert "system" in text.split("\n")[0]
    assert f"{results['ours']['bleu'].score:.2f}" in text
    assert "12 segments, 2 documents, 1 reference" in text
    assert "more: to_pandas('document'), to_pandas('segment')" in text
    assert text.count("\n") < 10
