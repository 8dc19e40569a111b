"""The workbook's human measures: what answers are worth, worked by hand."""

import math
from contextlib import nullcontext
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.campaign.answers import made
from tests.tables import load_cases

from metra.campaign.measurements import list_interrupted
from metra.campaign.protocols.effort import (
    Chips,
    Edit,
    Reading,
    explain_unreadable_speed,
    get_changes,
)
from metra.campaign.protocols.questions import (
    ComprehensionQuestion,
    Gaps,
    QuestionSet,
    Template,
    find_undecided,
)
from metra.campaign.protocols.ratings import Near
from metra.campaign.protocols.record import hide_key
from metra.campaign.protocols.registry import protocol
from metra.errors import OptionError
from metra.text.words import find_words

TRAPS = st.text("ab cé\u0301😀 '-.,(語のא\u2028\n1", max_size=40)


def worth(scored):
    return {one.scorer: one.value for one in scored}


def rated(asks, value, output="", name="x"):
    return asks.scores(asks.check(value, name, {"output": output}), name)


def chip(origin, text, change="none"):
    return {"origin": origin, "text": text, "change": change}


def test_inflection_is_free_and_nobody_can_call_a_new_word_unchanged():
    value = {
        "chips": [
            chip(0, "He"),
            chip(1, "goes", "inflection"),
            chip(2, "house"),
            chip(None, "!", "substitution"),
        ]
    }
    checked = Chips().check(value, "syntax", {"output": "He go home"})
    assert tuple(get_changes(checked)) == (1, 0, 1, 0)
    assert [one["change"] for one in checked["chips"]] == [
        "none",
        "inflection",
        "substitution",
        "none",
    ]
    assert checked["mode"] == "exact"


def test_plain_text_is_inferred_and_says_so():
    value = {"text": "c d a b"}
    checked = Chips().check(value, "syntax", {"output": "a b c d"})
    assert checked["mode"] == "inferred"
    assert tuple(get_changes(checked)) == (0, 0, 0, 2)


def test_characters_are_the_words_where_no_blanks_are_written():
    checked = Chips().check(
        {"text": "市場は開く。"}, "syntax", {"output": "市場が開く。"}
    )
    assert tuple(get_changes(checked)) == (0, 0, 1, 0)
    assert Chips().scores(checked, "syntax")[0].value == pytest.approx(100 / 6)


TEXT = "one two three four five six seven EIGHT, nine ten eleven twelve Café."


@pytest.mark.seed("5.59", prints="n = 8")
@pytest.mark.parametrize(
    ("every", "offset", "expected"),
    [
        pytest.param(8, 0, ["EIGHT"], id="every eighth word, punctuation left"),
        pytest.param(8, 5, ["five", "Café"], id="from the fifth"),
        pytest.param(6, 1, ["one", "seven", "Café"], id="from the first"),
        pytest.param(20, 0, [], id="too short"),
    ],
)
def test_where_the_gaps_are(every, offset, expected):
    asks = Gaps(every, offset)
    assert [TEXT[a:b] for a, b in asks.places(TEXT)] == expected
    assert asks.get_visible_text(TEXT) == ""
    assert len(asks.extra(TEXT)["pieces"]) == len(expected) + 1
    key = asks.build_key({"output": TEXT})
    assert (key["every"], key["offset"]) == (every, offset or every)
    assert protocol("cloze").steps[0].asks.every == 8
    assert (key["words"], key["close"]) == (expected, [None] * len(expected))
    assert [
        TEXT[start:].startswith(word)
        for start, word in zip(key["starts"], expected, strict=True)
    ] == [True] * len(expected)


def cloze(answers, close=None, text=TEXT, every=2):
    asks = Gaps(every)
    value = asks.check({"answers": answers}, "cloze", {"output": text})
    if close is not None:
        value["key"]["close"] = close
    return value, {one.scorer: one for one in asks.scores(value, "cloze")}


def test_exact_and_close_are_two_percentages():
    text = "a b a b a b a b"
    value, scored = cloze(["B", "bee", "b", ""], [None, 1.0, None, None], text)
    assert scored["cloze-exact"].value == 50
    assert scored["cloze-close"].value == 50  # one of the two that are not exact
    assert find_undecided(value) == []


def test_close_waits_for_a_second_judge_and_half_a_vote_is_half():
    text = "a b a b a b a b"
    value, scored = cloze(["B", "bee", "b", "c"], None, text)
    assert find_undecided(value) == [1, 3]
    assert scored["cloze-close"].reason == "waiting for a second judge"
    assert math.isnan(scored["cloze-close"].value)
    _, scored = cloze(["B", "bee", "b", "c"], [None, 0.5, None, 0.0], text)
    assert scored["cloze-close"].value == 25


UNDEFINED = [
    pytest.param(
        lambda: cloze(["two", "four"], None, "one two three four", 2)[1]["cloze-close"],
        "every gap has the exact word",
        id="no gap is left for close words",
    ),
    pytest.param(
        lambda: cloze([], None, "one", 2)[1]["cloze-exact"],
        "the text is too short for a gap",
        id="no gaps at all",
    ),
    pytest.param(
        lambda: rated(Reading(natural=200), {"ms": 5}, "…")[0],
        "the text has no words",
        id="reading nothing",
    ),
    pytest.param(
        lambda: rated(Reading(), {"ms": 5000}, "a b c")[0],
        "the judge has not read the baseline text",
        id="no natural speed",
    ),
    pytest.param(
        lambda: rated(Edit(), {"text": "a", "ms": 9}, "")[0],
        "the text has no words",
        id="correcting nothing",
    ),
    pytest.param(
        lambda: rated(Edit(), {"text": "", "ms": 9}, "a")[2],
        "the correction has no words",
        id="all deleted",
    ),
    pytest.param(
        lambda: rated(Chips(), {"chips": []}, "")[0],
        "the text has no words",
        id="no chips",
    ),
    pytest.param(
        lambda: rated(QuestionSet(), {"answers": []})[0],
        "there are no questions about this text",
        id="no questions",
    ),
    pytest.param(
        lambda: rated(template([["who", "Ann"]]), {"filled": []})[1],
        "nothing was filled in",
        id="precision of nothing",
    ),
    pytest.param(
        lambda: rated(Template(("who",)), {"filled": [["who", "x"]]})[2],
        "nothing was expected",
        id="recall of nothing",
    ),
]


@pytest.mark.parametrize(("scored", "reason"), UNDEFINED)
def test_what_cannot_be_scored_says_why_and_is_not_0(scored, reason):
    found = scored()
    assert found.reason == reason
    assert found.reason
    assert math.isnan(found.hundred)


def test_case_and_composition_do_not_count():
    _, scored = cloze(["CAFE\u0301"], None, "un café", 2)
    assert scored["cloze-exact"].value == 100


@given(TRAPS, st.integers(2, 9), st.integers(0, 2))
def test_pieces_and_words_make_the_text_again(text, every, offset):
    asks = Gaps(every, offset)
    count = len(asks.places(text))
    value = asks.check({"answers": [""] * count}, "cloze", {"output": text})
    pieces, key = asks.extra(text)["pieces"], value["key"]
    again = pieces[0] + "".join(
        word + piece for word, piece in zip(key["words"], pieces[1:], strict=True)
    )
    assert again == text
    for start, word in zip(key["starts"], key["words"], strict=True):
        assert text[start : start + len(word)] == word
        assert word


@given(TRAPS)
def test_words_are_in_order_and_hold_no_blank(text):
    spans = find_words(text)
    assert all(a < b for a, b in spans)
    assert all(x.end <= y.start for x, y in pairwise(spans))
    assert not any(c.isspace() for a, b in spans for c in text[a:b])
    assert len(find_words(text)) <= len(text)


def read(words, ms, word="w", **scale):
    [scored] = rated(Reading(**scale), {"ms": ms}, " ".join([word] * words))
    return scored


@pytest.mark.seed("5.53")
@pytest.mark.seed("5.55")
@pytest.mark.parametrize(
    ("pace", "scale", "hundred"),
    load_cases("measures: the score falls on both sides of the natural speed"),
)
def test_the_score_falls_on_both_sides_of_the_natural_speed(pace, scale, hundred):
    scored = read(pace, 60_000, natural=240, **scale)
    assert (scored.value, scored.hundred) == (pace, pytest.approx(hundred))


def test_a_speed_at_which_nobody_reads_is_shown_and_not_counted():
    scored = read(1263, 60_000, natural=86)
    assert scored.reason == "faster than people can read"
    assert scored.value == 1263
    assert scored.reason
    asked = read(1263, 60_000, natural=86, fastest=0)
    assert (asked.reason, asked.hundred) == ("", 0)
    slow = read(5, 60_000, natural=86, slowest=10)
    assert slow.reason == "slower than people read"
    assert not read(5, 60_000, natural=86).reason


def test_letters_of_scripts_without_blanks_may_be_read_faster_than_words():
    [scored] = rated(Reading(natural=900), {"ms": 60_000}, "市" * 900)
    assert (scored.value, scored.hundred) == (900, 100)
    [fast] = rated(Reading(natural=900), {"ms": 60_000}, "市" * 6001)
    assert fast.reason


def test_answers_of_older_versions_are_scored_by_the_same_scale():
    key = {"words": 180, "counted": "blanks", "natural": 240.0}
    [scored] = Reading().scores({"ms": 20_000, "key": key}, "x")
    assert (scored.value, scored.hundred) == (540, 0)
    [fast] = Reading().scores({"ms": 10_000, "key": key}, "x")
    assert fast.reason == "faster than people can read"


def test_an_attempt_with_a_pause_is_flagged_and_kept():
    asks = Reading(natural=240)
    value = asks.check({"ms": 60_000, "pauses": 1}, "x", {"output": "a b"})
    assert asks.scores(value, "x")[0].reason == ""
    whole = asks.check({"ms": 1}, "x", {"output": "a"})
    answers = [
        made("s", 1, judge, {"reading-speed": one}, name="reading")
        for judge, one in (("ann", value), ("bob", whole))
    ]
    assert [one.judge for one, _ in list_interrupted(answers)] == ["ann"]


def test_no_time_is_trusted_beyond_the_servers():
    value = {"reading-speed": {"ms": 10**9, "pauses": 2, "hidden_ms": 10**8}}
    cut = protocol("reading").limit_times(value, 5000)
    assert cut == {"reading-speed": {"ms": 5000, "pauses": 2, "hidden_ms": 5000}}
    assert protocol("reading").limit_times("x", 1) == "x"
    value = {"correction": {"ms": 9, "text": "t"}}
    cut = protocol("correction").limit_times(value, 4)
    assert cut == {"correction": {"ms": 4, "text": "t"}}


@pytest.mark.seed("5.57")
def test_correction_is_minutes_for_ten_words_keys_for_a_word_and_hter():
    output = " ".join(["w"] * 98) + " bad word"
    value = {
        "text": " ".join(["w"] * 98) + " good word",
        "ms": 5 * 60_000,
        "keys": {"letter": 40, "backspace": 10},
        "inputs": {"insertFromPaste": 1},
    }
    found = rated(Edit(), value, output, "correction")
    assert worth(found) == {"correction-time": 0.5, "correction-keys": 0.5, "hter": 1.0}
    assert [one.hundred for one in found] == [50, pytest.approx(100 * 11 / 12), 99]


@pytest.mark.seed("5.69")
def test_questions_are_right_by_choice_or_by_accepted_wording():
    asks = QuestionSet(
        (
            ComprehensionQuestion("Why?", ("A flood",), ("A fire", "A flood")),
            ComprehensionQuestion("How many?", ("36", "thirty-six")),
            ComprehensionQuestion("Who?", ("the region",)),
            ComprehensionQuestion("When?", ("in 1887",)),
        )
    )
    value = {"answers": ["A flood", " Thirty-six. ", None, "in 1787"]}
    [scored] = rated(asks, value)
    assert scored.value == 50
    assert "accepted" not in str(asks.extra(""))


def template(expected):
    """Return the question with what was filled in from the reference."""
    return Template().bind({"templates": {"d": expected}}, "d", 0)


def test_templates_are_scored_as_at_the_message_understanding_conferences():
    asks = template([["who", "Ann"], ["who", "Bob"], ["where", "Rome"]])
    assert asks.extra("") == {"slots": ["who", "where"]}
    found = rated(
        asks, {"filled": [["who", "ANN. "], ["where", "Paris"]]}, name="template"
    )
    assert worth(found) == {
        "template": pytest.approx(40),
        "template-precision": 50,
        "template-recall": pytest.approx(100 / 3),
        "template-error": pytest.approx(200 / 3),
        "template-undergeneration": pytest.approx(100 / 3),
        "template-overgeneration": 0,
        "template-substitution": 50,
    }


def staff(*pairs):
    return [
        {"template": "person", "slots": [["name", name], ["works for", house]]}
        for name, house in pairs
    ]


@pytest.mark.parametrize(
    ("filled", "expected"),
    [
        pytest.param([("Ann", "bank"), ("Bob", "union")], 100, id="a copy"),
        pytest.param([("Bob", "union"), ("Ann", "bank")], 100, id="another order"),
        pytest.param([("Ann", "union"), ("Bob", "bank")], 50, id="swapped"),
        pytest.param([("Ann", "the bank")], 50, id="one is missing, one partial"),
    ],
)
def test_who_belongs_to_what_counts(filled, expected):
    asks = template(staff(("Ann", "bank"), ("Bob", "union")))
    shown = {"templates": [{"template": "person", "slots": ["name", "works for"]}]}
    assert asks.extra("") == shown
    [score, *_] = rated(asks, {"filled": staff(*filled)}, name="template")
    assert score.value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("entry", "message"), load_cases("measures: instances are checked")
)
def test_instances_are_checked(entry, message):
    asks = template(staff(("Ann", "bank")))
    with pytest.raises(OptionError, match=message):
        asks.check({"filled": [entry]}, "template", {})


def test_a_flat_list_takes_no_instances():
    asks = template([["who", "Ann"]])
    entry = {"template": "person", "slots": []}
    with pytest.raises(OptionError, match="expected pairs of slot and value"):
        asks.check({"filled": [entry]}, "template", {})


def test_the_nearest_judged_outputs_come_first_and_an_identical_one_pre_fills():
    judged = (("a b c d", 8.0), ("a b c", 6.0), ("x", 1.0), ("a b  c", 4.0))
    extra = Near(2, judged).extra("a b c")
    assert extra["identical"] == 5
    assert [(one["text"], one["edits"]) for one in extra["near"]] == [
        ("a b c", 0),
        ("a b c d", 1),
    ]
    assert extra["near"][1]["difference"] == [["same", "a b c"], ["gone", "d"]]
    [scored] = rated(Near(), {"score": 7})
    assert (scored.value, scored.hundred) == (7, 70)


REFUSED = load_cases("measures: refused")


@pytest.mark.parametrize(("name", "value", "says"), REFUSED)
def test_refused(name, value, says):
    with pytest.raises(OptionError, match=says) as error:
        protocol(name).check(value, {"output": "a b"})
    assert str(error.value).endswith(".")


def test_what_an_answer_is_scored_against_never_goes_back():
    value = protocol("cloze", {"every": 2}).check(
        {"cloze": {"answers": ["x"]}}, {"output": "the secret"}
    )
    assert value["cloze"]["key"]["words"] == ["secret"]
    assert hide_key(value) == {"cloze": {"answers": ["x"]}}
    assert hide_key({"clarity": 3}) == {"clarity": 3}


@pytest.mark.parametrize(
    ("name", "options", "says"), load_cases("measures: options that are refused")
)
def test_options_that_are_refused(name, options, says):
    with pytest.raises(ValueError, match=says):
        protocol(name, options)


def test_speeds_at_the_ends_of_their_ranges():
    ends = {  # the least and the most that is accepted, and what is just beyond
        "natural": ([0.0, 1e9], [-0.1, math.inf]),
        "worst_slow": ([0.0, 0.999], [-0.1, 1.0]),
        "worst_fast": ([1.001, 1e9], [1.0, math.inf]),
        "slowest": ([0.0, 399.0], [-0.1, 400.0]),
        "fastest": ([0.0, 1e9], [-0.1, math.inf]),
    }
    for name, (accepted, refused) in ends.items():
        for value in accepted:
            step = protocol("reading-aloud", {name: value}).steps[0]
            assert getattr(step.asks, name) == value
        for value in refused:
            with pytest.raises(
                OptionError, match=f"reading-aloud: {name} is|: slowest is"
            ):
                protocol("reading-aloud", {name: value})
    for first, all_right in ((0, True), (-1, False)):
        with nullcontext() if all_right else pytest.raises(OptionError):
            assert protocol("reading-aloud", {"first": first}).first == first


@pytest.mark.parametrize(
    ("words", "seconds", "more", "reason"),
    load_cases("measures: speeds at which nobody reads"),
)
def test_speeds_at_which_nobody_reads(words, seconds, more, reason):
    value = {"ms": 1000 * seconds, "key": {"words": words} | more}
    assert explain_unreadable_speed(value) == reason
