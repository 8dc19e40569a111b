"""Tokenisers equal those whose names they carry, on any string; TERCOM's too."""

import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import _get_tokenizer
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer
from tests.tables import load_cases

from metra import _core
from metra.text.columns import pack
from metra.text.preparation import make_preparation, prepare
from metra.text.tokenizers import BUILT_IN, list_tokenizers

SACREBLEU = ("none", "char", "13a", "intl", "zh")


def cut(text: str, tok: str, case: str = "mixed") -> list[str]:
    return cut_all([text], tok, case)[0]


def cut_all(texts: list[str], tok: str, case: str = "mixed") -> list[list[str]]:
    chosen = make_preparation(tok=tok, case=case, stem="no")
    tokens = prepare(pack(list(texts), "texts"), chosen)
    return [tokens[at] for at in range(len(tokens))]


def cut_by_sacrebleu(text: str, tok: str, case: str = "mixed") -> list[str]:
    folded = text.lower() if case == "lower" else text
    return _get_tokenizer(tok)()(folded.rstrip()).split()


def assigned() -> list[str]:
    """Characters that the running Python knows: sacreBLEU lower-cases with its tables.

    U+0295 changed its class in Unicode 16, which shows beside a final sigma.
    """
    return [
        character
        for character in map(chr, range(0x110000))
        if unicodedata.category(character) not in ("Cn", "Cs", "Co")
        and character != "\u0295"
    ]


@pytest.mark.parametrize(
    ("tok", "case"), [*((tok, "mixed") for tok in SACREBLEU), ("none", "lower")]
)
def test_every_character_between_letters_digits_and_marks(tok, case):
    characters = assigned()
    blocks = [
        " ".join(f"x{c}y 1{c}2 .{c}5 {c}" for c in characters[at : at + 64])
        for at in range(0, len(characters), 64)
    ]
    for block, found in zip(blocks, cut_all(blocks, tok, case), strict=True):
        assert found == cut_by_sacrebleu(block, tok, case)


# What the rules speak of, and what looks like it.
PIECES = [
    *"aab5  6.,.,-- \n\t&<>'\"!$%/()é中。…«»€½٣०Ⅳ·ー，．－",
    *"\u00a0\u3000\u2028\u0085\x1c\x1f\u200b\u2001\u2a6d\u20000𠀀ﬀİΣςßǅ\u0301\ufe25😀",
    *["&amp;", "&lt;", "&quot;", "&gt;", "<skipped>", "-\n", "5.", "..", ",5", "5-"],
]


@pytest.mark.parametrize("case", ["mixed", "lower"])
@pytest.mark.parametrize("tok", SACREBLEU)
def test_random_text(tok, case):
    draw = random.Random(f"{tok} {case}")
    characters = assigned()
    texts = [
        "".join(
            draw.choice(PIECES if draw.random() < 0.9 else characters)
            for _ in range(draw.randrange(14))
        )
        for _ in range(4000)
    ]
    for text, found in zip(texts, cut_all(texts, tok, case), strict=True):
        assert found == cut_by_sacrebleu(text, tok, case), repr(text)


@pytest.mark.parametrize("tok", SACREBLEU)
def test_marks_at_any_place_of_a_long_text(tok):
    """Text is looked at 64 bytes at a time; nothing may change where two blocks meet."""
    middles = [
        "5.5",
        "5..5",
        ".5",
        "a.",
        "5-5",
        "a-b",
        "&amp;",
        "é.",
        "5,.,5",
        "中.5",
        "-\n",
    ]
    texts = [
        before + middle + after
        for middle in middles
        for size in [*range(57, 68), *range(121, 131)]
        for before in (
            "a" * size,
            "1" * size,
            "." * size,
            "é" * (size // 2) + "x" * (size % 2),
        )
        for after in ("", "b", "5", " ", "." * 70)
    ]
    for text, found in zip(texts, cut_all(texts, tok), strict=True):
        assert found == cut_by_sacrebleu(text, tok), repr(text)


# sacreBLEU's table of Chinese characters writes code points of five digits in a way that
# Python reads as four digits and a letter, so `zh` parts dashes and leaves rare characters.
CHINESE = load_cases("tokenisers: Chinese")


@pytest.mark.parametrize(("text", "as_sacrebleu", "fixed"), CHINESE)
def test_chinese_as_it_should_be(text, as_sacrebleu, fixed):
    assert cut(text, "zh") == as_sacrebleu.split(" ")
    assert cut(text, "zh-fixed") == fixed.split(" ")


# What Unicode calls CJK punctuation, radicals, symbols and ideographs, first and last.
EDGES = {
    "CJK": "☀➿⺀⿟⿰〿㄀ㄯㆠ㇯㈀㏿㐀䶿一鿿豈﫿︐︟︰﹏＀￯𠀀𲎯",
    "other": "◿⟀⹿ぁヿ㄰㆟ꀀ가ﬀ︠﹐￰😀🿿𲎰",
}


@pytest.mark.parametrize("kind", EDGES)
def test_the_edges_of_the_corrected_table(kind):
    for character in EDGES[kind]:
        found = cut(f"x{character}y", "zh-fixed")
        alone = ["x", character, "y"]
        assert found == (alone if kind == "CJK" else ["".join(alone)]), hex(
            ord(character)
        )


# Where mteval itself differs from what sacreBLEU makes of it.
MTEVAL = load_cases("tokenisers: mteval")


@pytest.mark.parametrize(("tok", "text", "expected"), MTEVAL)
def test_mteval_itself(tok, text, expected):
    assert cut(text, tok) == expected.split(" ")


@pytest.mark.parametrize(
    ("case", "text", "expected"),
    [
        pytest.param("mixed", "AÉΣ", "AÉΣ", id="as written"),
        pytest.param(
            "lower", "ΟΔΟΣ ΣΑΣ İ ß", "οδος σας i̇ ß", id="final sigma, dotted I"
        ),
        pytest.param("lower-ascii", "AÉΣ", "aÉΣ", id="mteval lowers A to Z"),
        pytest.param(
            "lower-letters", "ΟΔΟΣ", "οδοσ", id="Perl lowers letter by letter"
        ),
    ],
)
def test_case(case, text, expected):
    assert cut(text, "none", case) == expected.split(" ")


def test_case_is_folded_before_the_text_is_cut():
    # The lower case of İ is two characters, of which `char` makes two tokens.
    assert cut("İ", "char", "lower") == ["i", "\u0307"]


def test_missing_segments_stay_missing():
    chosen = make_preparation(tok="13a", case="mixed", stem="english")
    tokens = prepare(pack(["a", None, ""], "texts"), chosen)
    assert [tokens[at] for at in range(3)] == [["a"], None, []]


def test_every_tokeniser_that_is_built_in_is_listed():
    assert set(BUILT_IN) < set(list_tokenizers())
    assert not any(name.startswith("mteval") for name in list_tokenizers())


def cut_tercom(options, text, case="lower"):
    return _core.Tokenizer(f"tercom{options}", case)(_core.Text([text]))[0]


NASTY = st.lists(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from(
            "'s.,-&;:0 9\n\t\x1c\xa0\u3000\u2028()\"?!中りア・、。（）ㇰ豈"
        ),
        st.sampled_from(
            ["'s ", "'s.", "&quot;", "&amp;lt;", "\n-", "-\n", "<skipped>", "1.5"]
        ),
    ),
    max_size=20,
).map("".join)


@pytest.mark.parametrize("asian", ["", "+asian"])
@pytest.mark.parametrize("nopunct", ["", "+nopunct"])
@pytest.mark.parametrize("normalized", ["", "+normalized"])
@settings(max_examples=150, deadline=None)
@given(text=NASTY, case=st.sampled_from(["lower", "mixed"]))
def test_any_string_is_cut_as_by_sacrebleu(normalized, nopunct, asian, text, case):
    peer = TercomTokenizer(
        normalized=bool(normalized),
        no_punct=bool(nopunct),
        asian_support=bool(asian),
        case_sensitive=case == "mixed",
    )
    assert (
        cut_tercom(normalized + nopunct + asian, text, case)
        == peer(text.rstrip()).split()
    )


TERCOM_CASES = load_cases("tokenisers: TERCOM")


@pytest.mark.parametrize(("options", "text", "expected"), TERCOM_CASES)
def test_tercoms_own_ways(options, text, expected):
    assert cut_tercom(f"{options}+java", text) == expected


def test_missing_segments_stay_missing_in_tercom():
    assert (
        _core.Tokenizer("tercom+nopunct", "lower")(_core.Text([None, "a."]))[0] is None
    )


@pytest.mark.parametrize("name", ["tercom+", "tercom+lower", "tercomx", "x+asian"])
def test_unknown_names(name):
    with pytest.raises(ValueError, match="no tokeniser named"):
        _core.Tokenizer(name, "lower")
