"""Sentences of texts in many languages; the texts are ours, the cuts those of a reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import load_cases

from metra.text.sentences import splitter
from metra.text.sentences.splitter import (
    find_rules,
    split_sentences,
)

# In each text, | stands where a sentence ends.
CASES = load_cases("sentences")


@pytest.mark.seed("5.64")
@pytest.mark.parametrize(("lang", "text"), CASES)
def test_sentences(lang, text):
    expected = [sentence.strip() for sentence in text.split("|")]
    assert split_sentences(text.replace("|", ""), lang) == expected


def test_a_line_break_ends_a_sentence():
    assert split_sentences("A title\nIt rains. It pours.\n\n") == [
        "A title",
        "It rains.",
        "It pours.",
    ]


def test_a_line_ends_at_a_line_feed_only():
    assert split_sentences("one\u2028two\x85three") == ["one\u2028two\x85three"]


@given(st.text(st.sampled_from("aB1.!?。」\"' \n…)«»"), max_size=40))
def test_nothing_is_lost(text):
    for lang in ("", "de", "fr"):
        sentences = split_sentences(text, lang)
        assert "".join("".join(sentences).split()) == "".join(text.split())
        assert all(sentence == sentence.strip() != "" for sentence in sentences)


@pytest.mark.parametrize("lang", splitter._read_abbreviations())
def test_lists_hold_what_can_be_looked_up(lang):
    rules = find_rules(lang)
    words = rules.never_final | rules.before_number | rules.maybe_final
    assert words
    for word in words | rules.first_words:
        assert word == word.lower()
        assert not word.endswith(".")
    # What both never ends a sentence and may end one would be a slip.
    assert not rules.never_final & rules.maybe_final


def test_a_long_line_takes_no_more_time_for_each_sentence():
    # What copies the rest of the line at every mark takes minutes here.
    assert len(split_sentences("It is. " * 60_000, "en")) == 60_000
