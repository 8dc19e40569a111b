"""What has no score is said so, and why, wherever scores are: never 0, never silence."""

import csv
import io

import pytest
from tests.campaign.campaigns import answered, opened

from metra.campaign.evaluator_files import read_evaluator_file
from metra.campaign.exercise import (
    EvaluatorScore,
    compare_evaluators,
    convert_text_scores,
)
from metra.campaign.exports import export_judgements
from metra.campaign.judgement import format_judgement_lines, score_judgements
from metra.campaign.results import score_texts
from metra.campaign.summary import compute_measurements, summarise_judgements
from metra.errors import FormatError
from metra.scores.judgement_jsonl import read_judgement_scores
from metra.scores.long_table import format_judgement_table
from metra.scores.selection import DEFAULT
from metra.scores.spreadsheet import count_undefined, format_spreadsheet

WHY = "every gap has the exact word"


def whole_campaign(right):
    """Cloze answers; `right` says of which systems readers supply every word."""
    frozen = opened("cloze", judges=["a", "b", "c", "d"], each=2, cloze={"every": 2})

    def value(task, _):
        asks = frozen.protocol.steps[0].asks
        [item] = task.items
        words = [item.text[span.start : span.end] for span in asks.places(item.text)]
        return {
            "cloze": {"answers": words if item.system in right else [""] * len(words)}
        }

    return frozen, answered(frozen, value)


@pytest.fixture(scope="module")
def some():
    """The good system has every word, and so no score for close ones."""
    return whole_campaign({"good"})


@pytest.fixture(scope="module")
def none():
    """Nobody has a score for close words."""
    return whole_campaign({"good", "bad"})


def test_on_the_page_of_results(some):
    found = summarise_judgements(some[1])
    assert found.undefined.keys() == {("good", "cloze-close")}
    [(why, count)] = found.undefined["good", "cloze-close"].items()
    assert (why, count) == (WHY, len([1 for one in some[1] if "good" in one.systems]))
    ranked = {
        ranking.scorer: [one.mean.system for one in ranking.systems]
        for ranking in found.rankings
    }
    assert ranked["cloze-close"] == ["bad"]


def test_on_the_page_of_texts(some):
    found = compute_measurements(*some)
    assert {row[-1] for row in found.undefined} == {WHY}
    texts = [one for one in found.texts if one.reason]
    assert {(one.translation, one.metric) for one in texts} == {("good", "cloze-close")}
    assert all(one.score != one.score for one in texts)


def test_in_the_files(some):
    content = export_judgements("zip", some[1], some[0]).content
    import zipfile

    with zipfile.ZipFile(io.BytesIO(content)) as files:
        read_file = {name: files.read(name).decode() for name in files.namelist()}
    [line] = [
        line
        for line in read_file["systems.tsv"].split("\n")
        if line.startswith("good\tcloze-close")
    ]
    assert line.split("\t")[4:6] == ["n/a", "n/a"]
    assert line.split("\t")[8:] == [WHY, "all"]
    assert WHY in read_file["undefined.tsv"]
    for name in ("texts.tsv", "exercise/results.tsv"):
        lines = [line for line in read_file[name].split("\n") if WHY in line]
        assert lines
        assert all("\tn/a" in line for line in lines)
    assert WHY in read_file["exercise/reliability.tsv"]
    # The table that means are made of has no line for it.
    scores = format_judgement_table(score_judgements(some[1]))
    assert not [
        line for line in scores.split("\n") if line.startswith("good\tcloze-close")
    ]


def test_in_a_spreadsheet(some):
    rows = list(
        csv.DictReader(io.StringIO(format_spreadsheet(score_judgements(some[1]))))
    )
    open_ones = [row for row in rows if row["reason"]]
    assert {row["scorer"] for row in open_ones} == {"cloze-close"}
    assert {(row["native"], row["hundred"]) for row in open_ones} == {("", "")}
    assert len(rows) == 2 * len(some[1])


def test_in_the_exercise(some, none, write):
    found = compare_evaluators(convert_text_scores(score_texts(some[1])))
    by_metric = {one.metric: one for one in found.reliability}
    assert by_metric["cloze-exact"].undefined == 0
    close = by_metric["cloze-close"]
    assert (close.why, close.mean) == (WHY, 0)
    assert close.undefined > 0
    found = compare_evaluators(convert_text_scores(score_texts(none[1])))
    close = {one.metric: one for one in found.reliability}["cloze-close"]
    assert (close.mean, close.deviation, close.reason) == (None, None, "no scores")
    [pair] = found.correlations
    assert (pair.translations, pair.pearson) == (0, None)
    # Tables go out and come back with it.
    path = write("results.tsv", found.tables()["results.tsv"].encode())
    again = read_evaluator_file(str(path))
    assert [(one.metric, one.reason) for one in again] == [
        (one.metric, one.reason) for one in found.results
    ]


def test_to_metra_meta(none, write):
    path = write("judged.jsonl", "".join(format_judgement_lines(none[1])).encode())
    scores = read_judgement_scores(str(path))
    assert DEFAULT.select(scores).names == ["cloze-exact"]
    assert scores.reasons == (WHY,)
    frozen = opened("reading", {"baseline": "x y"}, judges=["a", "b"], each=1)
    found = answered(frozen, lambda *_: {"reading-speed": {"ms": 1000}})
    alone = [one for one in found if one.kind != "baseline"]
    path = write("alone.jsonl", "".join(format_judgement_lines(alone)).encode())
    with pytest.raises(FormatError, match="has not read the baseline text"):
        read_judgement_scores(str(path))
    assert count_undefined(score_judgements([])) == {}


def test_a_reason_is_no_way_around_the_scale():
    with pytest.raises(Exception, match="from 0 to 100"):
        compare_evaluators([EvaluatorScore("m", "a", "t", "x", 101.0)])
