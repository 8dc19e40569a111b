"""What has no score is said so, and why, wherever scores are: never 0, never silence."""

import csv
import io

import pytest
from tests.campaign.campaigns import answered, opened
from tests.judged import score_latest

from metra.campaign.judgement import (
    build_campaign_scores,
    format_judgement_lines,
    keep_latest,
)
from metra.errors import FormatError
from metra.meta.exercise import run_exercise
from metra.meta.measures import list_rows, select_texts, tabulate_texts
from metra.meta.question import answer_question
from metra.report.campaign_files import export_judgements
from metra.report.writers.exercise import write_exercise_tables
from metra.scores.judgement_jsonl import read_judgement_scores
from metra.scores.long_table import (
    format_judgement_table,
    format_spreadsheet,
    list_undefined,
)
from metra.scores.registry import read_evaluator_file
from metra.scores.selection import DEFAULT

WHY = "every gap has the exact word"
#: The system and the scorer that have no score.
CLOSE = ("good", "cloze-close")


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
    scores = build_campaign_scores(some[1])
    counts = answer_question("missing", scores, DEFAULT).answer.counts
    assert counts.keys() == {("good", "cloze-close")}
    [(why, count)] = counts["good", "cloze-close"].items()
    assert (why, count) == (WHY, len([1 for one in some[1] if "good" in one.systems]))
    assert DEFAULT.select(scores).only(scorers=["cloze-close"]).systems == ("bad",)


def test_on_the_page_of_texts(some):
    scores = build_campaign_scores(keep_latest(some[1]))
    assert {row[-1] for row in list_undefined(scores)} == {WHY}
    texts = [row for row in tabulate_texts(build_campaign_scores(some[1])) if row[-1]]
    assert {row[1:3] for row in texts} == {("good", "cloze-close")}
    assert all(row[5] != row[5] for row in texts)


def test_in_the_files(some):
    content = export_judgements("zip", some[1], some[0]).content
    import zipfile

    with zipfile.ZipFile(io.BytesIO(content)) as files:
        read_file = {name: files.read(name).decode() for name in files.namelist()}
    systems = csv.DictReader(io.StringIO(read_file["systems.tsv"]), delimiter="\t")
    places = {(row["system"], row["scorer"]): row for row in systems}
    row = places["good", "cloze-close"]
    assert (row["native"], row["hundred"]) == ("n/a", "n/a")
    assert (row["reason"], row["judges"]) == (WHY, "all")
    assert WHY in read_file["undefined.tsv"]
    for name in ("texts.tsv", "exercise/results.tsv"):
        lines = [line for line in read_file[name].split("\n") if WHY in line]
        assert lines
        assert all("\tn/a" in line for line in lines)
    assert WHY in read_file["exercise/reliability.tsv"]
    # The table that means are made of has no value for it.
    text = format_judgement_table(score_latest(some[1])[1])
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    close = [row for row in rows if (row["system"], row["scorer"]) == CLOSE]
    assert {(row["value"], row["hundred"], row["reason"]) for row in close} == {
        ("", "", WHY)
    }
    assert {row["reason"] for row in rows if row not in close} == {""}


def test_in_a_spreadsheet(some):
    rows = list(csv.DictReader(format_spreadsheet(*score_latest(some[1]))))
    open_ones = [row for row in rows if row["reason"]]
    assert {row["scorer"] for row in open_ones} == {"cloze-close"}
    assert {(row["native"], row["hundred"]) for row in open_ones} == {("", "")}
    assert len(rows) == 2 * len(some[1])


def test_in_the_exercise(some, none, write):
    found = run_exercise({"": build_campaign_scores(some[1])})
    by_metric = {one.metric: one for one in found.reliability}
    assert by_metric["cloze-exact"].undefined == 0
    close = by_metric["cloze-close"]
    assert (close.why, close.mean) == (WHY, 0)
    assert close.undefined > 0
    found = run_exercise({"": build_campaign_scores(none[1])})
    close = {one.metric: one for one in found.reliability}["cloze-close"]
    assert (close.mean, close.deviation, close.reason) == (None, None, "no scores")
    [pair] = found.correlations
    assert (pair.translations, pair.pearson) == (0, None)
    # Tables go out and come back with it.
    tables = write_exercise_tables(found)
    path = write("results.tsv", tables["results.tsv"].encode())
    again = run_exercise({"": read_evaluator_file(str(path))})
    assert {(row[0], row[-1]) for row in list_rows(again.scores)} == {
        (row[0], row[-1]) for row in list_rows(found.scores)
    }
    assert write_exercise_tables(again) == tables


def test_to_metra_meta(none, write):
    path = write("judged.jsonl", "".join(format_judgement_lines(none[1])).encode())
    scores = read_judgement_scores(str(path))
    assert DEFAULT.select(scores).names == ["cloze-exact"]
    assert set(select_texts(scores).names) == {"cloze-exact", "cloze-close"}
    frozen = opened("reading", {"baseline": "x y"}, judges=["a", "b"], each=1)
    found = answered(frozen, lambda *_: {"reading-speed": {"ms": 1000}})
    alone = [one for one in found if one.kind != "baseline"]
    path = write("alone.jsonl", "".join(format_judgement_lines(alone)).encode())
    with pytest.raises(FormatError, match="has not read the baseline text"):
        read_judgement_scores(str(path))
