"""The workbook's human measures with the numbers that it prints, and with cases worked by hand.

Dabbadie et al. 2002, LREC workshop, sections 2.2.2 to 2.3.7.
"""

import pytest
from tests.campaign.answers import average
from tests.campaign.campaigns import answered, opened

from metra.campaign.judgement import build_campaign_scores
from metra.campaign.measurements import compute_running_scores
from metra.campaign.protocols.chips import Chips, get_changes
from metra.campaign.protocols.questions import (
    ComprehensionQuestion,
    Gaps,
    QuestionSet,
    Template,
)
from metra.campaign.protocols.registry import protocol
from metra.campaign.protocols.timed import Edit, Reading
from metra.corpus.evalset import EvalSet
from metra.meta.measures import tabulate_texts
from metra.scoring.memory import evaluate
from metra.text.corrections import infer_changes
from metra.text.words import split_workbook_words

MARY = (
    "Mary, who had gone to see the fountain (in the center of town), said that it was "
    "turned off."
)


def natives(asks, value, output, name):
    checked = asks.check(value, name, {"output": output})
    return {one.scorer: one.value for one in asks.scores(checked, name)}


def words(count):
    return " ".join(["word"] * count)


def cloze(close):
    """Sixteen gaps of 128 words; ten exact answers, three close ones of the other six."""
    text = " ".join(f"w{at}" for at in range(1, 129))
    asks = Gaps()
    right = [f"w{8 * at}" for at in range(1, 17)]
    given = {"answers": right[:10] + ["near"] * 6}
    checked = asks.check(given, "cloze", {"output": text})
    checked["key"]["close"] = [None] * 10 + close
    return {one.scorer: one.value for one in asks.scores(checked, "cloze")}


CASES = [
    pytest.param(
        lambda: natives(Reading(natural=200), {"ms": 90_000}, words(300), "wpm"),
        {"wpm": 200},
        id="H1: 300 words in a minute and a half are 200 a minute",
    ),
    pytest.param(
        lambda: natives(
            Reading(aloud=True, natural=150), {"ms": 30_000}, words(60), "wpm"
        ),
        {"wpm": 120},
        id="H1: aloud, 60 words in half a minute are 120 a minute",
    ),
    pytest.param(
        lambda: natives(
            Edit(),
            {"text": words(400), "ms": 20 * 60_000, "keys": {"letter": 800}},
            words(400),
            "correction",
        ),
        {"correction-time": 0.5, "correction-keys": 2, "hter": 0},
        id="H2: 20 minutes / 400 words x 10 = 0.5, and 800 keys / 400 words = 2",
    ),
    pytest.param(
        lambda: cloze([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
        {"cloze-exact": 62.5, "cloze-close": 50},
        id="H3: 10 of 16 exact, and 3 close of the 16 - 10 others",
    ),
    pytest.param(
        lambda: natives(
            QuestionSet(
                tuple(ComprehensionQuestion(f"{at}?", ("yes",)) for at in range(8))
            ),
            {"answers": ["yes"] * 6 + [None, "no"]},
            "",
            "comprehension",
        ),
        {"comprehension": 75},
        id="H6: 6 of 8 questions",
    ),
    pytest.param(
        lambda: natives(
            Template().bind(
                {
                    "templates": {
                        "d": [
                            ["person", "Ann"],
                            ["organisation", "the bank"],
                            ["belongs to", "Ann / the bank"],
                            ["place", "Rome"],
                        ]
                    }
                },
                "d",
                0,
            ),
            {
                "filled": [
                    ["person", "Ann"],
                    ["organisation", "the bank"],
                    ["place", "Paris"],
                ]
            },
            "",
            "template",
        ),
        {
            "template": pytest.approx(400 / 7),
            "template-precision": pytest.approx(200 / 3),
            "template-recall": 50,
            "template-error": 50,
            "template-undergeneration": 25,
            "template-overgeneration": 0,
            "template-substitution": pytest.approx(100 / 3),
        },
        id="H6: two slots right of three filled and four expected",
    ),
]


@pytest.mark.parametrize(("found", "expected"), CASES)
def test_by_hand(found, expected):
    assert found() == expected


def test_a4a_the_sentence_has_24_tokens():
    assert len(split_workbook_words(MARY)) == 24


def test_a4a_four_words_moved_of_which_one_is_deleted():
    # "in the center of" goes to the front, without "the".
    words_of = split_workbook_words(MARY)
    start = words_of.index("(") + 1
    assert words_of[start : start + 4] == ["in", "the", "center", "of"]
    moved = [start, start + 2, start + 3]
    rest = [at for at in range(24) if not start <= at < start + 4]
    chips = [{"origin": at, "text": words_of[at]} for at in moved + rest]
    checked = Chips().check({"chips": chips}, "syntax", {"output": MARY})
    assert tuple(get_changes(checked)) == (
        0,
        1,
        0,
        3,
    )  # added, deleted, substituted, moved
    assert Chips().scores(checked, "syntax")[0].value == pytest.approx(100 * 4 / 24)
    # Inferred from the two texts it is the same.
    assert infer_changes(words_of, [one["text"] for one in chips]) == get_changes(
        checked
    )


SCALES = [
    pytest.param("intelligibility", 0, 3, id="H4a: 0 to 3"),
    pytest.param("clarity", 0, 3, id="H4b: 0 to 3"),
    pytest.param("adequacy", 1, 5, id="H5: 1 to 5"),
]


@pytest.mark.parametrize(("name", "low", "high"), SCALES)
def test_scales_from_their_worst_to_their_best_are_0_to_100(name, low, high):
    asked = protocol(name)
    for at in range(low, high + 1):
        [[scored]] = asked.scores(asked.check({name: at}, {"output": "x"}))
        assert (scored.value, scored.hundred) == (
            at,
            pytest.approx(100 * (at - low) / (high - low)),
        )


@pytest.mark.parametrize("name", ["intelligibility", "clarity"])
def test_h4_a_text_is_the_mean_of_its_sentences(name):
    frozen = opened(name, each=1, complete=True, repeats=0, degraded=0, judges=["ann"])
    given = {0: 3, 1: 2, 2: 0}
    found = answered(frozen, lambda task, at: {name: given[task.items[at].segment]})
    scores = {
        text: score
        for text, system, _, evaluator, _, score, *_ in tabulate_texts(
            build_campaign_scores(found)
        )
        if (system, evaluator) == ("good", "")
    }
    assert scores == {"trip": pytest.approx(100 * 2.5 / 3), "brake": 0}


@pytest.mark.parametrize(
    ("score", "sser"),
    [
        pytest.param(0, 100, id="an average of 0 is an SSER of 100 %"),
        pytest.param(10, 0, id="an average of 10 is an SSER of 0 %"),
        pytest.param(7, 30, id="an average of 7 is one of 30 %"),
    ],
)
def test_a2_the_subjective_sentence_error_rate(score, sser):
    frozen = opened(
        "evaltrans", each=1, complete=True, repeats=0, degraded=0, judges=["a"]
    )
    found = answered(frozen, lambda *_: {"evaltrans": {"score": score}})
    for one in compute_running_scores(frozen, found):
        assert one.figure("sser") == pytest.approx(sser)
    assert {native for native, *_ in average(found).values()} == {score}


def score_of(spec, reference, output):
    found = evaluate(EvalSet([[reference]]), {"s": [output]}, [spec])
    return next(iter(found["s"].values())).score


def test_a3_names_are_found_after_the_workbooks_normalisation(write):
    names = "segment\ttype\ttext\n" + "".join(
        f"1\t{kind}\t{text}\n"
        for kind, text in [
            ("LOCATION", "São Paulo"),  # ã becomes a
            ("PERSON", "MARY"),  # down-casing
            ("QUANTITY", "twenty-one"),  # numbers under 100
            ("ORGANIZATION", "Miller's"),  # possessives
            ("PERSON", "Doyon"),  # only exact matches count
        ]
    )
    path = write("names.tsv", names.encode())
    output = "Mary of Sao Paulo saw 21 at Miller with Doyen."
    assert score_of(f"entities:file={path}", "x", output) == 80


def test_a5b_a_point_for_each_term_that_matches_exactly(write):
    listed = ("brake pad", "disc brake", "caliper", "piston")
    terms = "term\tsegment\n" + "".join(f"{term}\t1\n" for term in listed)
    path = write("terms.tsv", terms.encode())
    reference = "The brake pad, the disc brake, the caliper and the piston."
    output = "The brake pad, the brake disc, the caliper and the pistons."
    assert score_of(f"terminology:file={path}", reference, output) == 50
