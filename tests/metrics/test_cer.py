"""Character error rate: golden values, jiwer, and what a character is."""

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metra

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"

CASES = [
    pytest.param("cer", "abc", "abd", 100 / 3, id="one of three"),
    pytest.param("cer", "ab", "a b", 100 / 3, id="a blank counts"),
    pytest.param("cer", "a  b", "a b", 100 / 3, id="every blank counts"),
    pytest.param("cer", " \tab\n", "ab", 0.0, id="but not at the ends"),
    pytest.param("cer", "a\tb", "a b", 100 / 3, id="a tab is not a blank"),
    pytest.param("cer", "", "ab", 100.0, id="empty output"),
    pytest.param("cer", "ab", "", 200.0, id="empty reference counts as one"),
    pytest.param("cer", "", "  ", 0.0, id="both empty"),
    pytest.param("cer", "AB", "ab", 100.0, id="case counts"),
    pytest.param("cer:case=lower", "AB", "ab", 0.0, id="lower case"),
    pytest.param("cer:norm=output", "abcd", "ab", 50.0, id="per output character"),
    pytest.param("cer", "e\u0301", "\u00e9", 200.0, id="an accent is a code point"),
    pytest.param("cer:unit=grapheme", "e\u0301a", "ea", 50.0, id="letter with accent"),
    pytest.param("cer", FAMILY, "x", 500.0, id="five code points"),
    pytest.param("cer:unit=grapheme", FAMILY, "x", 100.0, id="one grapheme"),
    pytest.param(
        "cer:unit=grapheme", " a\n", "a", 0.0, id="no white space at the ends"
    ),
    pytest.param("cer:unit=grapheme", "a\r\nb", "ab", 50.0, id="CR LF is one grapheme"),
    pytest.param(
        "cer:unit=grapheme",
        "\u1100\u1161\u11a8",
        "\uac01",
        100.0,
        id="no normalisation",
    ),
    pytest.param("wer:tok=char", "a b", "ab", 0.0, id="the way to ignore blanks"),
]


@pytest.mark.parametrize(("spec", "hyp", "ref", "expected"), CASES)
def test_segment(spec, hyp, ref, expected):
    assert metra.metric(spec).sentence(hyp, [ref]) == pytest.approx(expected)


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=4))
def test_equals_jiwer_on_any_text(pairs):
    hyps, refs = (list(side) for side in zip(*pairs, strict=True))
    expected = jiwer.process_characters(refs, hyps)
    result = metra.score(hyps, [refs], "cer")
    assert result.score == pytest.approx(100 * expected.cer, rel=1e-12)
    edits = expected.substitutions + expected.insertions + expected.deletions
    assert result.total[:3].sum() == edits


def test_best_reference():
    metric = metra.metric("cer")
    assert metric.sentence("abcd", ["x", "abce", "abxy"]) == 25.0


def test_signature_names_the_unicode_version():
    signature = metra.metric("cer:unit=grapheme").signature()
    assert signature.startswith("cer|unit:grapheme[Unicode ")
    assert metra.metric("cer").signature().startswith("cer|unit:char|norm:")


def test_signature_of_an_interval_keeps_the_unit():
    evalset = metra.EvalSet([["ab", "cd"]])
    results = metra.evaluate(evalset, {"a": ["ab", "cx"]}, ["cer"], ci=True)
    signature = results["a"]["cer"].signature
    assert "|unit:char|" in signature
    assert "|ci_unit:segment|" in signature


def test_ten_thousand_characters():
    hyp, ref = "ab" * 5_000, "ba" * 5_000
    row = metra.metric("cer").rows(metra.Batch([hyp], [[ref]]))[0]
    assert row.tolist() == [0, 1, 1, 9_999, 10_000]
