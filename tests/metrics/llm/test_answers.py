"""Answers of judges: what is read, and what is not and why."""

import pytest

from metra.metrics.llm.answers import (
    AnswerScale,
    ErrorWeights,
    UnreadError,
    place_errors,
    read_error_lists,
    read_errors,
    read_score,
)
from metra.metrics.llm.cache import ModelAnswer
from metra.scores.spans import Mark


def answer(text: str, finish: str = "stop") -> ModelAnswer:
    return ModelAnswer(text, finish, 1, 1)


SCORES = [
    pytest.param("85", 85.0, id="a number"),
    pytest.param(" 85.5\n", 85.5, id="white space around it"),
    pytest.param('{"score": 0}', 0.0, id="the lowest"),
    pytest.param('{"score": 100}', 100.0, id="the highest"),
    pytest.param('{"score": 7.25, "reason": "x"}', 7.25, id="further keys"),
    pytest.param('```json\n{"score": 40}\n```', 40.0, id="a fence around all of it"),
    pytest.param('```\n{"score": 40}\n```', 40.0, id="a fence without a language"),
]


@pytest.mark.parametrize(("text", "expected"), SCORES)
def test_scores_that_are_read(text, expected):
    assert read_score(answer(text), 0, 100) == expected


UNREAD_SCORES = [
    pytest.param("", "it is empty", id="empty"),
    pytest.param("I would say 85.", "it is not JSON", id="prose"),
    pytest.param("85/100", "it is not JSON", id="a fraction"),
    pytest.param('Score: {"score": 85}', "it is not JSON", id="text before the object"),
    pytest.param('{"score": 85} ok', "it is not JSON", id="text after the object"),
    pytest.param('{"score": 85', "it is not JSON", id="cut short"),
    pytest.param(
        'So:\n```json\n{"score": 4}\n```', "it is not JSON", id="before a fence"
    ),
    pytest.param('```\n{"score": 4}\n```\nOk?', "it is not JSON", id="after a fence"),
    pytest.param("[85]", "it is not a JSON object with 'score'", id="a list"),
    pytest.param(
        '{"Score": 85}', "it is not a JSON object with 'score'", id="other key"
    ),
    pytest.param(
        '{"score": "85"}', "the score is not a number", id="text for a number"
    ),
    pytest.param('{"score": true}', "the score is not a number", id="a truth value"),
    pytest.param('{"score": null}', "the score is not a number", id="null"),
    pytest.param('{"score": NaN}', "it has NaN", id="NaN"),
    pytest.param('{"score": Infinity}', "it has Infinity", id="infinity"),
    pytest.param('{"score": 1e999}', "the score is inf, not from 0 to 100", id="1e999"),
    pytest.param("101", "the score is 101, not from 0 to 100", id="above the scale"),
    pytest.param("-1", "the score is -1, not from 0 to 100", id="below the scale"),
    pytest.param('{"score": 1, "score": 99}', "it gives a key twice", id="two scores"),
    pytest.param("[" * 100_000, "it is not JSON", id="too deep"),
    pytest.param("9" * 5000, "it is not JSON", id="too many digits"),
]


@pytest.mark.parametrize(("text", "reason"), UNREAD_SCORES)
def test_scores_that_are_not_read(text, reason):
    with pytest.raises(UnreadError, match=f"^{reason}") as caught:
        read_score(answer(text), 0, 100)
    assert str(caught.value).startswith(reason)


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("length", "it was cut off at answer_tokens"),
        ("content_filter", "the endpoint's content filter blocked it"),
        ("refusal", "the judge refused"),
    ],
)
def test_an_answer_that_is_not_whole_is_not_read(finish, reason):
    # 8 may have been the beginning of 85.
    with pytest.raises(UnreadError, match=reason):
        read_score(answer("8", finish), 0, 100)


WRONG = Mark("major", category="accuracy/mistranslation", text="a dog")


def test_errors_are_read():
    text = (
        '{"errors": [{"span": "a dog", "severity": "major", '
        '"category": "accuracy/mistranslation", "why": "chat is cat"}]}'
    )
    assert read_errors(answer(text)) == [WRONG]
    assert read_errors(answer('{"errors": []}')) == []


UNREAD_ERRORS = [
    pytest.param('{"errors": {}}', "errors is not a list", id="an object"),
    pytest.param('{"errors": ["x"]}', "an error is not a JSON object", id="a text"),
    pytest.param(
        '{"errors": [{"span": "x", "severity": "bad", "category": "y"}]}',
        "an error has the severity 'bad'",
        id="unknown severity",
    ),
    pytest.param(
        '{"errors": [{"span": "x", "severity": "Minor", "category": "y"}]}',
        "an error has the severity 'Minor'",
        id="a capital",
    ),
    pytest.param(
        '{"errors": [{"severity": "minor", "category": "y"}]}',
        "an error lacks span",
        id="no span",
    ),
    pytest.param(
        '{"errors": [{"span": 3, "severity": "minor", "category": "y"}]}',
        "an error lacks span, severity or category, or one of them is not a text",
        id="a number for a span",
    ),
]


@pytest.mark.parametrize(("text", "reason"), UNREAD_ERRORS)
def test_errors_that_are_not_read(text, reason):
    with pytest.raises(UnreadError, match=reason):
        read_errors(answer(text))


LISTS = """Critical:
no-error
Major:
accuracy/mistranslation - "a dog"
Minor:
fluency/grammar - "he go"
style/awkward - "so-called "thing""
"""


def test_lists_of_errors_are_read():
    assert read_error_lists(answer(LISTS)) == [
        WRONG,
        Mark("minor", category="fluency/grammar", text="he go"),
        Mark("minor", category="style/awkward", text='so-called "thing"'),
    ]
    assert read_error_lists(answer("no-error")) == []


UNREAD_LISTS = [
    pytest.param('accuracy - "x"', "is not an item of an error list", id="no severity"),
    pytest.param("Major:\nwrong words", "'wrong words' is not an item", id="no quotes"),
    pytest.param("Major:\nMinor:", "neither errors nor no-error", id="only headings"),
]


@pytest.mark.parametrize(("text", "reason"), UNREAD_LISTS)
def test_lists_that_are_not_read(text, reason):
    with pytest.raises(UnreadError, match=reason):
        read_error_lists(answer(text))


def test_errors_weigh_up_to_a_cap():
    def marked(*severities: str) -> ModelAnswer:
        entries = ",".join(
            f'{{"span": "x", "severity": "{severity}", "category": "other"}}'
            for severity in severities
        )
        return answer(f'{{"errors": [{entries}]}}')

    weights = {"minor": 1.0, "major": 5.0, "critical": 25.0}
    capped = ErrorWeights(weights, 25, has_lists=False)
    assert capped.score(marked()) == 0
    assert str(capped.score(marked())) == "0.0"  # not minus zero
    assert capped.score(marked("minor", "major")) == -6
    assert capped.score(marked("critical", "minor")) == -25
    assert (
        ErrorWeights(weights, 0, has_lists=False).score(marked("critical", "minor"))
        == -26
    )
    assert ErrorWeights(weights, 25, has_lists=True).score(answer(LISTS)) == -7


def test_a_scale_lists_no_errors_and_refuses_what_it_cannot_read():
    assert AnswerScale(0, 5).list_errors(answer("5")) == []
    with pytest.raises(UnreadError):
        AnswerScale(0, 5).list_errors(answer("6"))


def test_errors_are_placed_where_their_words_are():
    errors = [
        Mark("minor", category="x", text=text)
        for text in ("the", "the", "chat", "zzz", "")
    ]
    places = [
        (placed.side, placed.start, placed.end)
        for placed in place_errors(errors, "the dog and the cat", "le chat")
    ]
    assert places == [
        ("output", 0, 3),
        ("output", 12, 15),
        ("source", 3, 7),
        ("output", None, None),
        ("output", None, None),
    ]
