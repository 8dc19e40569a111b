"""Sentences of texts in many languages; the texts are ours, the cuts those of a reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.text.sentences import splitter
from metra.text.sentences.splitter import (
    find_rules,
    split_sentences,
)

# In each text, | stands where a sentence ends.
CASES = [
    pytest.param("en", "It rains.| We stay.", id="two sentences"),
    pytest.param("en", "Dr. Lee met Mrs. Cole at St. Ann's.| They left.", id="titles"),
    pytest.param("en", "J. R. Hale and B.B. Wu came.| We did not.", id="initials"),
    pytest.param("en", "It costs 3.50 euros.| That is fair.", id="a point in a number"),
    pytest.param("en", "See www.metra.org/a.b for more.| It is free.", id="an address"),
    pytest.param("en", "The shop opens at 9 a.m. on Monday.", id="a.m. goes on"),
    pytest.param("en", "It opens at 9 a.m.| The bank is shut.", id="a.m. ends"),
    pytest.param("en", "He lives in the U.S.| She does not.", id="U.S. ends"),
    pytest.param("en", "The U.S. Senate met.| It voted.", id="U.S. goes on"),
    pytest.param("en", "We need pens, paper, etc.| The rest is here.", id="etc. ends"),
    pytest.param("en", "Lund Inc. Chairman Roe left.", id="Inc. goes on"),
    pytest.param("en", "Page No. 7 is gone.| He said no.| Then he left.", id="No. and no."),
    pytest.param("en", 'She said: "Go home."| He went.', id="a quotation ends it"),
    pytest.param("en", '"Why?" he asked.| Nobody knew.', id="a question inside"),
    pytest.param("en", "(It was late.)| We left.", id="brackets"),
    pytest.param("en", "Well... maybe.| So...| We go.", id="ellipses"),
    pytest.param("en", 'We want more (...) ", said Roe.| Fine.', id="a comma follows"),
    pytest.param("en", "What?!| Really!| Yes.", id="several marks"),
    pytest.param("en", 'He left .| "Fine" , she said .| So be it .', id="cut into words"),
    pytest.param("en", 'He said " no . "| Then he left .', id="a mark that stands alone"),
    pytest.param("en", "&quot;Go.&quot;| He left.| &quot;Fine.&quot;| It&#39;s &amp; was.",
                 id="entities"),
    pytest.param("en", "1. Open the lid.| 2. Press start.", id="a numbered list"),
    pytest.param("en", "It began in 1998.| It ended soon.", id="a year"),
    pytest.param("en", "it rains.| we stay.", id="a text in lower case"),
    pytest.param("en", "He likes apples e.g. Boskoop.", id="e.g."),
    pytest.param("de", "Am 3. Oktober kam Dr. Ott an.| Er blieb.", id="ordinals"),
    pytest.param("de", "Wir z. B. Kinder, d. h. Ältere, kamen.| Gut.", id="z. B."),
    pytest.param("de", "Er kam 1990.| Paul ging 1995.", id="German years"),
    pytest.param("de", "Er rief: „Halt!“| Niemand hielt an.", id="German quotation marks"),
    pytest.param("de", "Der II. Weltkrieg endete.| Es war Mai.", id="Roman ordinals"),
    pytest.param("fr", "« Tu viens ? » demanda M. Roy.| Elle partit.", id="guillemets"),
    pytest.param("fr", "Il dit : « Non. »| Puis il sortit.", id="a guillemet after a blank"),
    pytest.param("es", "¿Vienes?| ¡Claro!| El Sr. Gil espera.", id="inverted marks"),
    pytest.param("pt", "A Sra. Melo saiu.| O Dr. Reis ficou.", id="Portuguese titles"),
    pytest.param("it", "Il dott. Rossi arriva.| La sig.ra Neri esce.", id="Italian titles"),
    pytest.param("nl", "Dhr. Bos komt, bijv. Maandag.| Goed.", id="Dutch"),
    pytest.param("sv", "Hon kom kl. 8 t.ex. Igår.| Bra.", id="Swedish"),
    pytest.param("pl", "Prof. Nowak mieszka przy ul. Długiej.| To blisko.", id="Polish"),
    pytest.param("cs", "Ing. Malý přijde 5. Května.| Pak odejde.", id="Czech"),
    pytest.param("hu", "Dr. Kis pl. Pécsről jött.| Itt maradt.", id="Hungarian"),
    pytest.param("ru", "Он жил в г. Туле, на ул. Мира.| Потом уехал.", id="Russian"),
    pytest.param("ru", "Дома, сады и т. д.| Он ушёл в 1990 г.| Это было давно.", id="т. д."),
    pytest.param("uk", "Вона живе на вул. Лесі.| Він ні.", id="Ukrainian"),
    pytest.param("bg", "Д-р Петров дойде.| Той остана.", id="Bulgarian"),
    pytest.param("el", "Τι ώρα είναι;| Ο κ. Νίκου ήρθε.", id="the Greek question mark"),
    pytest.param("tr", "Prof. Dr. Ak geldi.| O kaldı.", id="Turkish"),
    pytest.param("ar", "هل جاء؟| نعم، جاء أمس.| ثم رحل.", id="the Arabic question mark"),
    pytest.param("ur", "وہ آیا۔| پھر چلا گیا۔", id="the Urdu full stop"),
    pytest.param("he", "הוא בא.| היא הלכה.", id="Hebrew"),
    pytest.param("hi", "वह आया।| डॉ. राव गए।| कब?| कल।", id="danda"),
    pytest.param("hy", "Նա եկավ։| Մենք գնացինք։", id="the Armenian full stop"),
    pytest.param("am", "መጣ።| ሄደ።", id="the Ethiopic full stop"),
    pytest.param("my", "သူလာသည်။|သူသွားသည်။", id="the Burmese section mark"),
    pytest.param("zh", "他来了。|她走了！|为什么？", id="no blanks"),
    pytest.param("zh", "他说：“走吧。”|她没动。", id="Chinese quotation marks"),
    pytest.param("ja", "「はい。」と答えた。|雨だ。", id="a quotation that goes on"),
    pytest.param("ja", "彼（医師。四十歳）は来た。|帰った。", id="a stop in brackets"),
    pytest.param("ko", "비가 온다.| 우리는 집에 있다.", id="Korean"),
    pytest.param("", "Prof. Ott came.| Everyone stood.", id="no language"),
    pytest.param("xx", "Prof. Ott came.| Everyone stood.", id="an unknown language"),
]  # fmt: skip


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
