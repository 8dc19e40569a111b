"""TERCOM's preparation of text: sacreBLEU's on any string, and TERCOM's own corners."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from metra import _core

CASES = [  # the cases of sacreBLEU's test_tokenizer_ter.py, and some it does not have
    pytest.param("", "a b c d", "a b c d", id="words"),
    pytest.param("", "", "", id="nothing"),
    pytest.param("", "a b c d.", "a b c d.", id="punctuation stays on words"),
    pytest.param("", "A B C D.", "a b c d.", id="lower case"),
    pytest.param("+nopunct", "a b c d.", "a b c d", id="no punctuation"),
    pytest.param("+nopunct", "A ; B ) C : D.", "a b c d", id="no words of punctuation"),
    pytest.param("+normalized", "a b (c) d.", "a b ( c ) d .", id="punctuation apart"),
    pytest.param("+normalized", "Jim's car.", "jim 's car .", id="possessive"),
    pytest.param("+normalized", "4.2", "4.2", id="number"),
    pytest.param("+normalized", "Jim's.", "jim's .", id="possessive before a stop"),
    pytest.param("+normalized", "Jim's?", "jim 's ?", id="possessive before a sign"),
    pytest.param(
        "+normalized", "Jim's\tcar", "jim's car", id="possessive before a tab"
    ),
    pytest.param(
        "+normalized+asian", "美众院公布对特", "美 众 院 公 布 对 特", id="Chinese"
    ),
    pytest.param(
        "+normalized+asian", "りの拳銃を持", "りの 拳 銃 を 持", id="Japanese"
    ),
]


def cut(options, text, case="lower"):
    return _core.Tokenizer(f"tercom{options}", case)(_core.Text([text]))[0]


@pytest.mark.parametrize(("options", "text", "expected"), CASES)
def test_cases_of_sacrebleu(options, text, expected):
    assert cut(options, text) == expected.split()


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
    assert cut(normalized + nopunct + asian, text, case) == peer(text.rstrip()).split()


TERCOM_CASES = [  # by the rules of TERCOM's Normalizer and Java's String.split
    pytest.param(
        "", "10\xa0000 a\u3000b", ["10\xa0000", "a\u3000b"], id="ASCII blanks"
    ),
    pytest.param("", " a\tb\x0bc ", ["a", "b", "c"], id="blanks at the ends"),
    pytest.param("", "a\x1cb", ["a\x1cb"], id="separators are no blanks"),
    pytest.param(
        "+nopunct", "( a ) b", ["", "a", "b"], id="empty word at the beginning"
    ),
    pytest.param("+nopunct", "(a ) b", ["a", "b"], id="no blank at the beginning"),
    pytest.param("+nopunct", ".", [""], id="nothing left"),
    pytest.param("+nopunct", ". .", [], id="blanks left"),
    pytest.param("+normalized", "a<skipped>b", ["ab"], id="skipped"),
    pytest.param(
        "+normalized", "hy-\nphen", ["hyphen"], id="hyphen at the end of a line"
    ),
    pytest.param("+normalized", "it's\xa0x's", ["it's\xa0x", "'s"], id="possessive"),
    pytest.param(
        "+normalized+asian", "東タワーです", ["東", "タワー", "です"], id="kana"
    ),
]


@pytest.mark.parametrize(("options", "text", "expected"), TERCOM_CASES)
def test_tercoms_own_ways(options, text, expected):
    assert cut(f"{options}+java", text) == expected


def test_missing_segments_stay_missing():
    assert (
        _core.Tokenizer("tercom+nopunct", "lower")(_core.Text([None, "a."]))[0] is None
    )


@pytest.mark.parametrize("name", ["tercom+", "tercom+lower", "tercomx", "x+asian"])
def test_unknown_names(name):
    with pytest.raises(ValueError, match="no tokeniser named"):
        _core.Tokenizer(name, "lower")
