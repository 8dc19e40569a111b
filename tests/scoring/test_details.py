"""What measures noted, from the segments to the screen."""

import json

import numpy as np
import pytest

import metra
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import OptionError
from metra.metrics.record import Metric, Notes
from metra.metrics.registry import metric
from metra.metrics.units import Detail, Finding
from metra.report.table import Style
from metra.report.writers.results import render
from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus
from metra.stats.direction import LOWER


def shouting() -> Metric:
    """Share of words in capitals among those that have a letter; notes them."""

    def words(batch):
        return [(batch.hyps.text[at] or "").split() for at in range(len(batch))]

    def rows(batch):
        counts = [
            (sum(w.isupper() for w in line), sum(w.isalpha() for w in line))
            for line in words(batch)
        ]
        return np.array(counts, dtype=np.float64).reshape(-1, 2)

    def aggregate(totals):
        with np.errstate(invalid="ignore"):
            return 100 * totals[..., 0] / totals[..., 1]

    def details(batch):
        for at, line in enumerate(words(batch)):
            for word in line:
                if word.isupper():
                    yield Detail(at, "shouted", word, {"letters": str(len(word))})

    return Metric(
        name="shouting",
        columns=("loud", "words"),
        rows=rows,
        aggregate=aggregate,
        direction=LOWER,
        needs=(),
        notes=Notes(details=details),
    )


OUTPUTS = {"a": ["NO way", "1 2", "OH NO NO"], "b": ["no way", "3", "oh no"]}


def results(outputs=OUTPUTS, **questions):
    corpus = Outputs(EvalSet(), outputs)
    options = EvaluationOptions(details=True, **questions)
    return evaluate_corpus(corpus, {"loud": shouting()}, options)


def test_equal_details_are_told_together_the_most_frequent_first():
    found = results()
    assert found["a"]["loud"].details == [
        Finding("shouted", "NO", {"letters": "2"}, (1, 3, 3)),
        Finding("shouted", "OH", {"letters": "2"}, (3,)),
    ]
    assert found["a"]["loud"].details[0].count == 3
    assert found["b"]["loud"].details == []


def test_segments_are_counted_through_all_chunks():
    many = ["x"] * 1500 + ["LATE"]
    assert results({"a": many})["a"]["loud"].details[0].segments == (1501,)


def test_the_screen():
    text = render(results(), "table", Style())
    assert text.split("\n\n")[-2:] == [
        "a, loud\ncount  what     words  letters  segments\n"
        "────────────────────────────────────────\n"
        "    3  shouted  NO     2        1, 3\n"
        "    1  shouted  OH     2        3",
        "b, loud\nno findings",
    ]


def test_the_screen_shows_the_first_ones():
    text = render(results({"a": ["W" * at for at in range(1, 31)]}), "table", Style())
    assert text.endswith("and 10 more; --format json lists all")
    text = render(results({"a": ["NO"] * 9}), "table", Style())
    assert text.endswith("1, 2, 3, 4, 5, 6, 7, 8, …")


def test_json_has_all():
    data = json.loads(render(results(), "json", Style()))
    assert data["systems"][0]["details"]["loud"][0] == {
        "note": "shouted",
        "text": "NO",
        "about": {"letters": "2"},
        "count": 3,
        "segments": [1, 3, 3],
    }


def test_measures_that_note_nothing():
    corpus, options = (
        Outputs(EvalSet(["a"]), {"a": ["a"]}),
        EvaluationOptions(details=True),
    )
    with pytest.raises(OptionError) as caught:
        evaluate_corpus(corpus, {"bleu": metric("bleu")}, options)
    assert str(caught.value) == (
        "Details need a metric that reports them, unlike bleu; add one, for example "
        "entities."
    )
    both = {"bleu": metric("bleu"), "loud": shouting()}
    found = evaluate_corpus(corpus, both, options)
    assert found["a"]["bleu"].details is None
    assert found["a"]["loud"].details == []


HYPS = ["the sub is late", "take a sub", "x"]
REFS = ["the bus is late", "now take a bus", "x"]


def test_wrong_words_are_tallied():
    found = metra.evaluate(metra.EvalSet([REFS]), {"a": HYPS}, ["wer"], details=True)
    assert found["a"]["wer"].details == [
        Finding("substitution", "bus → sub", {}, (1, 2)),
        Finding("deletion", "now", {}, (2,)),
    ]
    plain = metra.evaluate(metra.EvalSet([REFS]), {"a": HYPS}, ["wer"])
    assert plain["a"]["wer"].details is None


def test_wrong_words_of_the_reference_that_counts():
    evalset = metra.EvalSet([["a b c d"], [None], ["a x"]])
    found = metra.evaluate(evalset, {"a": ["a y"]}, ["wer"], details=True)
    assert found["a"]["wer"].details == [Finding("substitution", "x → y", {}, (1,))]


def test_wrong_characters_are_tallied():
    found = metra.evaluate(
        metra.EvalSet([["cat"]]), {"a": ["cut"]}, ["cer"], details=True
    )
    assert found["a"]["cer"].details == [Finding("substitution", "a → u", {}, (1,))]


def test_wrong_words_on_the_screen(cli, write):
    ran = cli(
        *("score", write("a.txt", HYPS), "-r", write("r.txt", REFS)),
        *("-m", "wer", "--details"),
    )
    assert ran.code == 0
    assert ran.out.rstrip().endswith(
        "count  what          words      segments\n"
        "────────────────────────────────────────\n"
        "    2  substitution  bus → sub  1, 2\n"
        "    1  deletion      now        2"
    )


def test_formats_without_room(cli, write):
    ran = cli("score", write("a.txt", ["b"]), "--details", "--format", "tsv")
    assert ran.code == 2
    assert "--details does not work with --format tsv" in ran.err


def test_where_there_was_nothing_to_score_there_is_no_score():
    outputs = {"a": ["1", "NO"] * 10, "b": ["2", "3"] * 10}
    found = results(outputs, segments=True, ci=True)
    assert found["a"]["loud"].score == 100
    assert found["a"]["loud"].interval == (100, 100)
    assert found["b"]["loud"].interval is None
    table = render(found, "table", Style(sort=True))
    assert table.split("\n")[2:4] == [
        "a       100.00 [100.00, 100.00]",
        "b            –",
    ]
    data = json.loads(render(found, "json", Style()))
    assert data["systems"][1]["scores"]["loud"]["score"] is None
    assert data["systems"][0]["segments"]["loud"] == [None, 100] * 10
    tsv = render(found, "tsv", Style())
    assert "\nsystem\tb\t\tloud\t\t\t\t" in tsv
    assert "\nsegment\ta\t1\tloud\t\t" in tsv


def test_systems_are_compared_where_both_have_a_score():
    calm, loud = ["a b", "1"] * 10, ["A b", "2"] * 10
    outputs = {"calm": calm, "loud": loud, "mute": ["3", "4"] * 10}
    for test in ("ar", "bootstrap"):
        found = metra.compare(
            EvalSet(), outputs, [shouting()], test=test, trials=50, seed=1
        )
        worse, none = found.comparisons
        assert (worse.difference, worse.interval) == (50, (50, 50))
        assert none.p_value is None
        assert none.reason.endswith("one of the two systems.")
        text = render(found, "table", Style())
        assert "no score" in text
        assert "nan" not in text
        assert "NaN" not in render(found, "json", Style())
