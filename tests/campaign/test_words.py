"""Words as readers count them, with blanks and without, and how they were counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.campaign.protocols.effort import (
    Chips,
    Edit,
    Reading,
    count_edits,
    get_changes,
)
from metra.campaign.protocols.questions import Gaps
from metra.campaign.protocols.ratings import Near
from metra.text.diff import DiffPiece, compute_difference
from metra.text.lemmas import count_form_changes, find_word_forms, stem_words
from metra.text.words import (
    find_words,
    join_words,
    recognise_spacing,
    split_words,
    split_workbook_words,
)

#: "The market opens." in scripts that put no blanks between words.
UNSPACED = [
    pytest.param("市場が開く。", ["市", "場", "が", "開", "く"], id="Japanese"),
    pytest.param("ตลาดเปิด", ["ต", "ล", "า", "ด", "เ", "ปิ", "ด"], id="Thai"),
    pytest.param("ຕະຫຼາດ", ["ຕ", "ະ", "ຫຼ", "າ", "ດ"], id="Lao"),
    pytest.param("ផ្សារ", ["ផ្សា", "រ"], id="Khmer, a letter under another"),
    pytest.param("ဈေးဖွင့်", ["ဈေး", "ဖွ", "င့်"], id="Burmese"),
    pytest.param("ཁྲོམ་སྒོ་ཕྱེ།", ["ཁྲོམ", "སྒོ", "ཕྱེ"], id="Tibetan, by syllables"),
    pytest.param("カ\u3099", ["カ\u3099"], id="a mark apart from its letter"),
]
MIXED = st.text("ab é\u0301市場ปิดទ្ស่.,(་\n1", max_size=30)


@pytest.mark.parametrize(("text", "expected"), UNSPACED)
def test_letters_count_where_there_are_no_blanks(text, expected):
    assert [text[span.start : span.end] for span in find_words(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("The market opens.", "blanks", id="English"),
        pytest.param("", "blanks", id="nothing"),
        pytest.param("ตลาดเปิด", "letters", id="Thai"),
        pytest.param("ดู YouTube", "both", id="Thai with English in it"),
    ],
)
def test_how_words_were_counted_is_told(text, expected):
    assert recognise_spacing(text) == expected
    given = {"output": text}
    count = len(Gaps().places(text))
    for asks, value in (
        (Reading(), {"ms": 1}),
        (Edit(), {"ms": 1, "text": ""}),
        (Gaps(), {"answers": [""] * count}),
        (Chips(), {"text": text}),
    ):
        assert asks.check(value, "x", given)["key"]["counted"] == expected


@given(MIXED)
def test_nothing_is_lost_between_words(text):
    assert "".join(split_words(text)) == "".join(text.split())
    assert "".join(join_words(split_words(text)).split()) == "".join(text.split())
    assert "".join(split_workbook_words(text)) == "".join(text.split())


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("市場が開く。", "市場は開く。", (1, 6), id="one letter of six"),
        pytest.param("ตลาดเปิด", "ตลาดปิด", (1, 6), id="one letter of Thai gone"),
        pytest.param("a b", "a c", (1, 2), id="English as ever"),
        pytest.param("a\nb", "a b", (0, 2), id="lines joined"),
    ],
)
def test_edits_are_counted_in_the_same_words(before, after, expected):
    assert count_edits(before, after) == expected


def test_nearest_outputs_differ_by_letters_where_there_are_no_blanks():
    judged = (("市場が開く。", 8.0), ("雨が降る。", 2.0))
    extra = Near(2, judged).extra("市場は開く。")
    assert [(one["text"], one["edits"]) for one in extra["near"]] == [
        ("市場が開く。", 1),
        ("雨が降る。", 5),
    ]
    assert extra["near"][0]["difference"] == [
        ["same", "市場"],
        ["gone", "が"],
        ["new", "は"],
        ["same", "開く。"],
    ]
    assert compute_difference(["go,", "(x)"], ["go,", "(x)"]) == [
        DiffPiece("same", "go, (x)")
    ]


def test_a_change_of_form_alone_is_free_when_it_is_inferred_too():
    output = "He open the door quick ."
    asks = Chips(language="en-GB")
    checked = asks.check({"text": "He opens the door fast ."}, "x", {"output": output})
    assert checked["mode"] == "inferred"
    assert tuple(get_changes(checked)) == (0, 0, 1, 0)
    assert (checked["key"]["inflections"], checked["key"]["forms"]) == (1, "lemma@en")
    # Without a stemmer nobody can tell, so that both count.
    checked = Chips(language="ja").check(
        {"text": "He opens the door fast ."}, "x", {"output": output}
    )
    assert tuple(get_changes(checked)) == (0, 0, 2, 0)
    assert (checked["key"]["inflections"], checked["key"]["forms"]) == (0, "")


def test_forms_that_move_are_moves():
    checked = Chips(language="en").check(
        {"text": "doors open he"}, "x", {"output": "he opened door"}
    )
    assert tuple(get_changes(checked)) == (0, 0, 0, 2)
    assert checked["key"]["inflections"] == 2


def test_an_answer_that_was_exported_keeps_its_stems():
    first = Chips(language="en").check({"text": "he opens"}, "x", {"output": "he open"})
    again = Chips(keyed=True).check(first, "x", {"output": ""})
    assert again == first


@given(
    st.lists(st.sampled_from(["open", "opens", "Open", "door"]), max_size=6),
    st.lists(st.sampled_from(["open", "opens", "Open", "door"]), max_size=6),
)
def test_stems_never_cost_changes(before, after):
    values = [
        Chips(language=code).check(
            {"text": " ".join(after)}, "x", {"output": " ".join(before)}
        )
        for code in ("en", "")
    ]
    assert get_changes(values[0]).total <= get_changes(values[1]).total
    assert (
        0
        <= count_form_changes(before, after, "lemma@en")
        <= min(len(before), len(after))
    )


def test_languages_without_a_stemmer_have_words_as_they_are():
    assert find_word_forms("xx").name == ""
    assert stem_words(["a", "b"], "") == ["a", "b"]
