"""Answers of judges: what is read, and what is not and why."""

import json
from functools import partial

import pytest

from metra.metrics.llm.answers import (
    AnswerScale,
    ErrorWeights,
    UnreadError,
    place_errors,
    read_error_lists,
    read_errors,
)
from metra.metrics.llm.cache import ModelAnswer
from metra.scores.spans import Mark

WRONG = Mark("major", category="accuracy/mistranslation", text="a dog")
LISTS = """Critical:
no-error
Major:
accuracy/mistranslation - "a dog"
Minor:
fluency/grammar - "he go"
style/awkward - "so-called "thing""
"""
MARKS = [
    WRONG,
    Mark("minor", category="fluency/grammar", text="he go"),
    Mark("minor", category="style/awkward", text='so-called "thing"'),
]
NO_OBJECT = "it is not a JSON object with 'score'"
LACKS = "an error lacks span, severity or category, or one of them is not a text"


def write_errors(*entries: object) -> str:
    return json.dumps({"errors": entries})


def answer(text: str, finish: str = "stop") -> ModelAnswer:
    return ModelAnswer(text, finish, 1, 1)


def mark(**given: object) -> dict[str, object]:
    return {"span": "a dog", "severity": "major", "category": WRONG.category} | given


READERS = {
    "score": AnswerScale(0, 100).score,
    "errors": read_errors,
    "lists": read_error_lists,
}
#: Reader, answer, what is read or why it is not.
CASES = [
    ("score", "85", 85.0),
    ("score", " 85.5\n", 85.5),
    ("score", '{"score": 0}', 0.0),
    ("score", '{"score": 100}', 100.0),
    ("score", '{"score": 7.25, "reason": "x"}', 7.25),
    ("score", '```json\n{"score": 40}\n```', 40.0),
    ("score", '```\n{"score": 40}\n```', 40.0),
    ("score", "", "it is empty"),
    ("score", "I would say 85.", "it is not JSON"),
    ("score", "85/100", "it is not JSON"),
    ("score", 'Score: {"score": 85}', "it is not JSON"),
    ("score", '{"score": 85} ok', "it is not JSON"),
    ("score", '{"score": 85', "it is not JSON"),
    ("score", 'So:\n```json\n{"score": 4}\n```', "it is not JSON"),
    ("score", '```\n{"score": 4}\n```\nOk?', "it is not JSON"),
    ("score", "[85]", NO_OBJECT),
    ("score", '{"Score": 85}', NO_OBJECT),
    ("score", '{"score": "85"}', "the score is not a number"),
    ("score", '{"score": true}', "the score is not a number"),
    ("score", '{"score": null}', "the score is not a number"),
    ("score", '{"score": NaN}', "it has NaN"),
    ("score", '{"score": Infinity}', "it has Infinity"),
    ("score", '{"score": 1e999}', "the score is inf, not from 0 to 100"),
    ("score", "101", "the score is 101, not from 0 to 100"),
    ("score", "-1", "the score is -1, not from 0 to 100"),
    ("score", '{"score": 1, "score": 99}', "it gives a key twice"),
    pytest.param("score", "[" * 100_000, "it is not JSON", id="too deep"),
    pytest.param("score", "9" * 5000, "it is not JSON", id="too many digits"),
    # 8 may have been the beginning of 85.
    ("score", ("8", "length"), "it was cut off at answer_tokens"),
    ("score", ("8", "content_filter"), "the endpoint's content filter blocked it"),
    ("score", ("8", "refusal"), "the judge refused"),
    ("errors", write_errors(mark(why="chat is cat")), [WRONG]),
    ("errors", write_errors(), []),
    ("errors", '{"errors": {}}', "errors is not a list"),
    ("errors", write_errors("x"), "an error is not a JSON object"),
    ("errors", write_errors(mark(severity="bad")), "an error has the severity 'bad'"),
    ("errors", write_errors(mark(severity="Minor")), "an error has the severity 'Min"),
    ("errors", write_errors({"severity": "minor", "category": "y"}), LACKS),
    ("errors", write_errors(mark(span=3)), LACKS),
    ("lists", LISTS, MARKS),
    ("lists", "no-error", []),
    ("lists", 'accuracy - "x"', "'accuracy - \"x\"' is not an item of an error list"),
    ("lists", "Major:\nwrong words", "'wrong words' is not an item of an error list"),
    ("lists", "Major:\nMinor:", "it lists neither errors nor no-error"),
]


@pytest.mark.parametrize(("reader", "text", "expected"), CASES)
def test_what_is_read_and_what_is_not(reader, text, expected):
    read = partial(
        READERS[reader], answer(*([text] if isinstance(text, str) else text))
    )
    if not isinstance(expected, str):
        assert read() == expected
        return
    with pytest.raises(UnreadError) as caught:
        read()
    assert str(caught.value).startswith(expected)


def test_errors_weigh_up_to_a_cap():
    def marked(*severities: str) -> ModelAnswer:
        return answer(write_errors(*(mark(severity=each) for each in severities)))

    weights = {"minor": 1.0, "major": 5.0, "critical": 25.0}
    capped, free = (ErrorWeights(weights, cap, has_lists=False) for cap in (25, 0))
    assert str(capped.score(marked())) == "0.0"  # not minus zero
    assert capped.score(marked("minor", "major")) == -6
    assert capped.score(marked("critical", "minor")) == -25
    assert free.score(marked("critical", "minor")) == -26
    assert ErrorWeights(weights, 25, has_lists=True).score(answer(LISTS)) == -7


def test_a_scale_lists_no_errors_and_refuses_what_it_cannot_read():
    assert AnswerScale(0, 5).list_errors(answer("5")) == []
    with pytest.raises(UnreadError):
        AnswerScale(0, 5).list_errors(answer("6"))


def test_errors_are_placed_where_their_words_are():
    words = ("the", "the", "chat", "zzz", "")
    errors = [Mark("minor", category="x", text=text) for text in words]
    places = [
        (placed.side, placed.start, placed.end)
        for placed in place_errors(errors, "the dog and the cat", "le chat")
    ]
    output = ("output", 0, 3), ("output", 12, 15), ("source", 3, 7)
    assert places == [*output, *[("output", None, None)] * 2]
